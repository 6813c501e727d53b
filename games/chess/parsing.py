"""Reads the text of one PGN game: headers, the main line's moves, the result.

python-chess has a reader too. This one builds no tree, logs nothing, bounds what a hostile file can cost
(its reader slices the rest of a line at every comment, and raises on a NAG of 5,000 digits), and says of a
game that cannot be played why.
"""

import re
from collections.abc import Iterator

import chess

from games.chess.errors import InvalidGame, SkipReason, UnplayableGame
from games.chess.record import (
    MARK_OF_NUMBER,
    MARKS,
    RESULTS,
    GameRecord,
    clean_comment,
    details_of_headers,
)
from games.chess.splitting import MAX_GAME_BYTES, RawGame

# By the rules of 75 moves and of five repetitions no game has so many.
MAX_PLIES = 12_000

_TAG_PAIR = re.compile(r'\[([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+"(.*)"\s*\]\s*')
_TOKEN = re.compile(
    r"""
     (?P<result>1-0|0-1|1/2(?:-1/2)?|\*)
    |\d+\.+ | \d+(?=\s|\Z) | \.+               # move numbers
    |(?P<move>[A-Za-z0][A-Za-z0-9=:@+\#-]* | -- | @@@@)
    |\{(?P<comment>[^}]*)\}
    |(?P<unclosed>\{)
    |;[^\n]* | ^%[^\n]*
    |(?P<mark>\$\d* | [?!]+)                   # what annotators think of a move
    |(?P<open>\() | (?P<close>\))
    |(?P<garbage>[\w\[\]"}]+)
    """,
    re.VERBOSE | re.MULTILINE,
)
_STANDARD = ("", "standard", "chess", "normal", "from position", "standard chess")
_CHESS960 = ("chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random")


def decode_pgn(data: bytes) -> str:
    """The text of one game: UTF-8 as is usual, or Latin-1 as the PGN standard says."""
    if b"\0" in data:
        raise UnplayableGame(SkipReason.ENCODING, "expected text, got a NUL byte")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse_raw(raw: RawGame, *, details: bool = False, require_moves: bool = True) -> GameRecord:
    """The game in the bytes that `split_games` cut out; raises `UnplayableGame`."""
    if raw.data is None:
        raise UnplayableGame(SkipReason.TOO_LONG, f"expected at most {MAX_GAME_BYTES} bytes")
    return parse_game(decode_pgn(raw.data), details=details, require_moves=require_moves)


def parse_game(text: str, *, details: bool = False, require_moves: bool = True) -> GameRecord:
    """The game as a record whose moves are legal; raises `UnplayableGame`.

    Comments, marks, settings and tags beyond the record's own fields are left out unless `details` asks for
    them.
    """
    headers, movetext = _split_headers(text)
    board = _start_position(headers)
    start = headers.get("FEN") and board.fen()
    comments, marks, written_result = _play(board, movetext, details)
    if require_moves and not board.move_stack:
        raise UnplayableGame(SkipReason.NO_MOVES, "expected moves, got none")
    fields = details_of_headers(headers)
    fields["result"] = _result(headers.get("Result", "*"), written_result, board)
    if not details:
        fields["tags"] = fields["settings"] = {}
    try:
        return GameRecord(
            moves=tuple(move.uci() for move in board.move_stack),
            start=start or None,
            comments=comments if any(comments) else (),
            marks=marks if any(marks) else (),
            **fields,
        )
    except InvalidGame as error:
        raise UnplayableGame(SkipReason.BROKEN, str(error)) from error


def _split_headers(text: str) -> tuple[dict[str, str], str]:
    headers: dict[str, str] = {}
    position = 0
    while position < len(text):
        end = text.find("\n", position) + 1 or len(text)
        line = text[position:end]
        if line.startswith("["):
            if match := _TAG_PAIR.fullmatch(line):
                headers[match[1]] = match[2]
        elif not (line.isspace() or line.startswith(("%", ";"))):
            break
        position = end
    return headers, text[position:]


def _start_position(headers: dict[str, str]) -> chess.Board:
    variant = headers.get("Variant", "").strip().lower()
    if variant not in (*_STANDARD, *_CHESS960):
        raise UnplayableGame(SkipReason.VARIANT, f"expected chess or Chess960, got {headers['Variant']!r}")
    fen = headers.get("FEN")
    if not fen:
        return chess.Board()
    try:
        board = chess.Board(fen)
    except ValueError as error:
        raise UnplayableGame(SkipReason.ILLEGAL_START, f"expected a FEN, got {fen!r}: {error}") from error
    board.chess960 = board.has_chess960_castling_rights()
    if not board.is_valid():
        raise UnplayableGame(
            SkipReason.ILLEGAL_START, f"expected a legal position, got {fen!r}: {board.status()!s}"
        )
    return board


def _play(board: chess.Board, movetext: str, details: bool) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Push the main line's moves; returns the comment and the mark of each, and the result that ends them."""
    comments: list[str] = []
    marks: list[str] = []
    result = "*"
    for kind, text in _main_line(movetext):
        if kind == "result":
            result = "1/2-1/2" if text == "1/2" else text
        elif kind == "move":
            if len(board.move_stack) >= MAX_PLIES:
                raise UnplayableGame(SkipReason.TOO_LONG, f"expected at most {MAX_PLIES:,} plies")
            board.push(_move(board, text))
            comments.append("")
            marks.append("")
        elif details and comments:
            if kind == "mark":
                marks[-1] = marks[-1] or _mark(text)
            else:
                comments[-1] = f"{comments[-1]} {clean_comment(text)}".strip()
    return tuple(comments), tuple(marks), result


def _mark(text: str) -> str:
    """One of MARKS, or nothing for what says something else, such as who stands better."""
    if text.startswith("$"):
        return MARK_OF_NUMBER.get(int(text[1:]), "") if text[1:].isdecimal() and len(text) < 5 else ""
    return text if text in MARKS else ""


def _main_line(movetext: str) -> Iterator[tuple[str, str]]:
    """Moves, marks, comments and the result outside of variations; what does not belong is an error."""
    depth = 0
    ended = False
    for match in _TOKEN.finditer(movetext):
        kind = match.lastgroup
        if kind is None:
            continue
        text = match[kind]
        if kind == "unclosed":
            raise _broken("a comment is not closed")
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth < 0:
                raise _broken("a variation is closed that was not opened")
        elif depth == 0:
            if ended and kind not in ("comment", "mark"):
                raise _broken(f"expected nothing after the result, got {text[:40]!r}")
            if kind == "garbage":
                raise _broken(f"expected a move, got {text[:40]!r}")
            ended = ended or kind == "result"
            yield kind, text
    if depth:
        raise _broken("a variation is not closed")


def _move(board: chess.Board, text: str) -> chess.Move:
    ply = len(board.move_stack) + 1
    try:
        move = board.parse_san(text)
    except ValueError as error:
        raise _broken(f"ply {ply}: {text[:40]!r} is not a legal move in {board.fen()}") from error
    if not move:
        raise _broken(f"ply {ply}: {text!r} passes the turn")
    return move


def _result(in_header: str, written: str, board: chess.Board) -> str:
    """The one result that header, movetext and board agree on; `*` says nothing."""
    claims = [written, in_header] if in_header in RESULTS else [written]
    if in_header not in RESULTS and written == "*":
        raise _broken(f"expected a result of {', '.join(RESULTS)}, got {in_header[:40]!r}")
    if not any(board.generate_legal_moves()):
        claims.append(board.result())
    known = sorted({claim for claim in claims if claim != "*"})
    if len(known) > 1:
        raise _broken(f"expected one result, got {' and '.join(known)}")
    return known[0] if known else "*"


def _broken(detail: str) -> UnplayableGame:
    return UnplayableGame(SkipReason.BROKEN, detail)
