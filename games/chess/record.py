"""One game, ended or broken off: plain data that crosses processes, PGN files and the journal unchanged."""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

import chess
import chess.pgn

from games.chess.errors import InvalidGame
from qtable.json_input import MISSHAPEN, InvalidJson, parse_json

Scalar = str | int | float | bool | None

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
# What White gets for a game; "*" is no result.
WHITES_POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
# How the comment of a move ends that an engine played at random, to explore.
RANDOM = "random"
# What annotators think of a move, with the number that PGN has for it.
MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
MARK_OF_NUMBER = {number: mark for mark, number in MARKS.items()}
JSON_VERSION = 1

_PGN_COLUMNS = 80

# The tag of each text field; the other tags that we write ourselves; what is left is `GameRecord.tags`.
_FIELD_TAGS = {
    "event": "Event",
    "site": "Site",
    "date": "Date",
    "round": "Round",
    "white": "White",
    "black": "Black",
    "result": "Result",
    "termination": "Termination",
    "run": "Run",
}
_OWN_TAGS = {*_FIELD_TAGS.values(), "SetUp", "FEN", "GameId", "Settings"}

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
_CONTROL = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")
_ESCAPED = re.compile(r'\\(["\\])')


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game: where it started, its moves as UCI text, how it ended, and what is known around it.

    `run` names the batch that played the game, or is empty. Two games with the same start, moves and
    result are the same game (see `game_id`) unless runs or rounds within a run keep them apart.
    `comments` is empty or has one text per move, and so has `marks`, where "" is no mark. The mappings are
    copied and not to be changed.
    The moves' legality is checked by `board()`, not here.

    A game is one of Chess960 if its start allows castling as only Chess960 does. Its moves then name castling
    as king takes rook; in all others the king goes two squares, so that a game has one spelling and one id.
    """

    moves: tuple[str, ...]
    result: str = "*"
    termination: str = ""  # how it ended: "checkmate", "time forfeit", …; empty where nobody said
    start: str | None = None  # FEN; None is the standard start position
    event: str = "?"
    site: str = "?"
    date: str = "????.??.??"
    round: str = "?"
    white: str = "?"
    black: str = "?"
    run: str = ""
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)  # further PGN tags, as Opening, ECO
    settings: Mapping[str, Scalar] = field(default_factory=dict, hash=False)  # how it was played
    comments: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()  # what an annotator thinks of each move: one of MARKS

    def __post_init__(self) -> None:
        if self.start is not None:
            object.__setattr__(self, "start", _start_text(start_board(self.start)))
        object.__setattr__(self, "tags", dict(self.tags))
        object.__setattr__(self, "settings", dict(self.settings))
        object.__setattr__(self, "comments", tuple(" ".join(text.split()) for text in self.comments))
        self._check_play()
        self._check_texts()
        check_scalars(self.settings)

    def _check_play(self) -> None:
        if self.result not in RESULTS:
            raise InvalidGame(f"expected a result of {', '.join(RESULTS)}, got {self.result!r}")
        for move in self.moves:
            if not _MOVE.fullmatch(move):
                raise InvalidGame(f"expected a move like e2e4 or e7e8q, got {move!r}")
        if self.comments and len(self.comments) != len(self.moves):
            raise InvalidGame(f"expected {len(self.moves)} comments or none, got {len(self.comments)}")
        if self.marks and len(self.marks) != len(self.moves):
            raise InvalidGame(f"expected {len(self.moves)} marks or none, got {len(self.marks)}")
        if wrong := {*self.marks} - {"", *MARKS}:
            raise InvalidGame(f"expected marks of {' '.join(MARKS)}, got {min(wrong)!r:.80}")
        for comment in self.comments:
            if "{" in comment or "}" in comment or _CONTROL.search(comment):
                raise InvalidGame(
                    f"expected a comment without braces and control characters, got {comment!r}"
                )

    def _check_texts(self) -> None:
        for name, tag in _FIELD_TAGS.items():
            _check_text(tag, getattr(self, name))
        for tag, text in self.tags.items():
            if tag in _OWN_TAGS or not chess.pgn.TAG_NAME_REGEX.match(tag):
                raise InvalidGame(f"expected a PGN tag that is not a field of the record, got {tag!r}")
            _check_text(tag, text)

    @property
    def game_id(self) -> str:
        """32 hexadecimal digits: equal for the same start, moves and result within the same round of a run.

        Names, dates and settings do not count: the same game from two collections is one game.
        """
        place = [self.run, self.round] if self.run else []
        content = json.dumps([self.start, self.moves, self.result, *place])
        return hashlib.sha256(content.encode()).hexdigest()[:32]

    @property
    def judges_position(self) -> bool:
        """Whether the result is about the final position, and not only about a clock or a connection."""
        return self.result != "*" and not _SAYS_NOTHING.search(self.termination)

    def board(self, *, check: bool = True) -> chess.Board:
        """The final position with all moves on its stack; `check=False` trusts moves already checked."""
        board = start_board(self.start)
        for number, text in enumerate(self.moves, 1):
            move = chess.Move.from_uci(text)
            if check and not board.is_legal(move):
                raise InvalidGame(f"ply {number}: {text} is not legal in {board.fen()}")
            board.push(move)
        return board

    @classmethod
    def from_board(cls, board: chess.Board, **details: Any) -> Self:
        """The moves on the board's stack; result and termination are the board's where `details` has none."""
        details.setdefault("result", board.result())
        details.setdefault("termination", termination_of(board))
        return cls(**_played(board), **details)

    def to_game(self) -> chess.pgn.Game:
        """The game as a tree of python-chess, whose `str()` is PGN.

        Its header texts are escaped as in a file, because python-chess writes and reads them as they are.
        """
        game = chess.pgn.Game.from_board(self.board())
        start_tags = {
            tag: game.headers.pop(tag) for tag in ("Variant", "SetUp", "FEN") if tag in game.headers
        }
        game.headers.update({tag: _escape(text) for tag, text in self._texts().items()})
        game.headers.update(start_tags)
        for node, comment in zip(game.mainline(), self.comments, strict=False):
            node.comment = comment
        for node, mark in zip(game.mainline(), self.marks, strict=False):
            if mark:
                node.nags.add(MARKS[mark])
        return game

    def to_pgn(self) -> str:
        """The game as PGN, with the blank line that ends it."""
        text = self.to_game().accept(chess.pgn.StringExporter(columns=_PGN_COLUMNS))
        return f"{text}\n\n"

    def _texts(self) -> dict[str, str]:
        texts = {tag: getattr(self, name) for name, tag in _FIELD_TAGS.items()}
        if not self.run:
            del texts["Run"]
        if not self.termination:
            del texts["Termination"]
        texts["GameId"] = self.game_id
        if self.settings:
            texts["Settings"] = json.dumps(dict(self.settings), ensure_ascii=False)
        return {**texts, **self.tags}

    @classmethod
    def from_game(cls, game: chess.pgn.Game) -> Self:
        """The main line of a python-chess game; its variations are left out.

        Raises `InvalidGame` for variants and for games that python-chess read with errors.
        """
        if game.errors:
            raise InvalidGame(f"expected a game without errors, got: {game.errors[0]}")
        board = game.end().board()
        if type(board) is not chess.Board:
            raise InvalidGame(f"expected chess or Chess960, got {game.headers.get('Variant', 'a variant')}")
        comments = tuple(clean_comment(node.comment) for node in game.mainline())
        marks = tuple(_mark_among(node.nags) for node in game.mainline())
        return cls(
            **_played(board),
            comments=comments if any(comments) else (),
            marks=marks if any(marks) else (),
            **details_of_headers(game.headers),
        )

    def to_json(self) -> str:
        """One line of JSON that holds the whole record; fields at their default are left out."""
        data: dict[str, Any] = {"version": JSON_VERSION, "moves": " ".join(self.moves)}
        for name, default in _JSON_DEFAULTS.items():
            value = getattr(self, name)
            if value != default:
                data[name] = value
        return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        data = parse_json_object(text, JSON_VERSION, {"moves", *_JSON_DEFAULTS})
        try:
            data["moves"] = tuple(data["moves"].split())
            data["comments"] = tuple(data.get("comments", ()))
            data["marks"] = tuple(data.get("marks", ()))
            return cls(**data)
        except InvalidGame:
            raise
        except MISSHAPEN as error:
            raise InvalidGame(f"expected the fields of a game record, got {text[:200]!r}") from error


# Every field but the moves, with the value that JSON leaves out.
_JSON_DEFAULTS: dict[str, Any] = {
    item.name: {} if item.name in ("tags", "settings") else item.default
    for item in fields(GameRecord)
    if item.name != "moves"
}

# A loss on time, a broken connection, an opponent who is not there or a rule broken off the board, as servers
# and interfaces write it; and a limit of plies, at which a game of ours ends as a draw however it stands.
_SAYS_NOTHING = re.compile(
    r"\b(time|timeout|flag\w*|forfeit\w*|abandon\w*|abort\w*|disconnect\w*|connection|stall\w*|crash\w*|no.?show|walkover|"
    r"unplayed|illegal|infraction|emergency|death|unterminated|limit)\b",
    re.IGNORECASE,
)


def parse_json_object(text: str, version: int, allowed: set[str]) -> dict[str, Any]:
    """The fields of a JSON object of ours, without its version, which must be the given one."""
    try:
        data = parse_json(text)
    except InvalidJson as error:
        raise InvalidGame(f"expected one line of JSON, got {text[:200]!r}: {error}") from error
    if not isinstance(data, dict):
        raise InvalidGame(f"expected a JSON object, got {text[:200]!r}")
    found = data.pop("version", None)
    if found != version:
        raise InvalidGame(f"expected version {version}, got {found!r}: written by another release")
    if unknown := set(data) - allowed:
        raise InvalidGame(f"expected only the fields {sorted(allowed)}, got also {sorted(unknown)}")
    return data


def check_scalars(settings: Mapping[str, Scalar]) -> None:
    """Settings are names with plain finite values, so that they come back from JSON as they went in."""
    for name, value in settings.items():
        if not isinstance(name, str) or not (value is None or isinstance(value, str | int | float)):
            raise InvalidGame(f"expected a setting to be a name and a plain value, got {name!r}: {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidGame(f"expected setting {name!r} to be finite, got {value!r}")
        _check_text("a setting", name)
        if isinstance(value, str):
            _check_text(f"setting {name!r}", value)


def termination_of(board: chess.Board) -> str:
    """How the board says that the game ended, "checkmate" for instance; empty if it says nothing."""
    outcome = board.outcome()
    return outcome.termination.name.lower().replace("_", " ") if outcome else ""


def _mark_among(numbers: set[int]) -> str:
    return next((mark for mark, number in MARKS.items() if number in numbers), "")


def clean_comment(text: str) -> str:
    """A comment as a record holds it: on one line, without braces and control characters."""
    return " ".join(_CONTROL.sub(" ", text.replace("{", "").replace("}", "")).split())


def header_texts(headers: Mapping[str, str]) -> dict[str, str]:
    """The texts of headers that are given as they stand in a file."""
    return {tag: _CONTROL.sub("?", _ESCAPED.sub(r"\1", text)) for tag, text in headers.items()}


def as_header(text: str) -> str:
    """A text as it stands in a file's header."""
    return _escape(_CONTROL.sub("?", text))


def details_of_headers(headers: Mapping[str, str]) -> dict[str, Any]:
    """The record's fields that stand in PGN headers, which are given as they stand in the file."""
    texts = header_texts(headers)
    details: dict[str, Any] = {name: texts[tag] for name, tag in _FIELD_TAGS.items() if tag in texts}
    details["tags"] = {tag: text for tag, text in texts.items() if tag not in _OWN_TAGS and tag != "Variant"}
    if "Settings" in texts:
        details["settings"] = _settings_of(texts["Settings"])
    return details


def _settings_of(text: str) -> dict[str, Scalar]:
    """Our own settings; another program's tag of that name holds something else and is left out."""
    try:
        settings = parse_json(text)
        if isinstance(settings, dict):
            check_scalars(settings)
            return settings
    except ValueError:  # not JSON, or not plain values (InvalidGame)
        pass
    return {}


def _check_text(tag: str, text: str) -> None:
    if not isinstance(text, str) or _CONTROL.search(text):
        raise InvalidGame(f"expected {tag} to be text on one line, got {text!r}")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def start_board(start: str | None) -> chess.Board:
    """The position that a game starts from; of Chess960 if its castling rights are possible there only."""
    board = chess.Board()
    if start is None:
        return board
    try:
        board.set_fen(start)
    except ValueError as error:
        raise InvalidGame(f"expected a FEN to start from, got {start!r}: {error}") from error
    board.chess960 = board.has_chess960_castling_rights()
    if not board.is_valid():
        raise InvalidGame(f"expected a legal position to start from, got {start!r}: {board.status()!s}")
    return board


def _played(board: chess.Board) -> dict[str, Any]:
    """Start and moves, castling as the start wants it: a game of Chess960 may begin like one of chess."""
    start = _start_text(board.root())
    moves = board.move_stack
    if board.chess960 and not board.root().has_chess960_castling_rights():
        replayed = start_board(start)
        for move in moves:
            replayed.push(replayed.parse_uci(move.uci()))
        moves = replayed.move_stack
    return {"start": start, "moves": tuple(move.uci() for move in moves)}


def _start_text(root: chess.Board) -> str | None:
    fen = root.fen()
    return None if fen == chess.STARTING_FEN else fen
