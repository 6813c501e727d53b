"""A game as one HTML page: its data as JSON, and the script that draws them. The page needs nothing else.

What a PGN says about players and events may be anything. It is put into the page as JSON whose `<`, `>` and
`&` are escaped, and into the title with `html.escape`; the script writes it as text only, and a policy lets
no other script run.
"""

import base64
import hashlib
import html
import json
from importlib import resources
from string import Template
from typing import Any

import chess

from games.chess.annotations import evaluation_in, words_in
from games.chess.opening_names import opening_of
from games.chess.record import GameRecord
from heatmap_engine.drawing.palette import DARK_SQUARE_SHARE, palette_named
from heatmap_engine.drawing.parts import as_one_script, pieces, shared_parts
from heatmap_engine.drawing.squares import left_and_reached
from heatmap_engine.pictures.arrows import different_arrows
from heatmap_engine.pictures.game import PicturedGame
from heatmap_engine.pictures.legend import name_of_score, what_happened
from heatmap_engine.pictures.picture import SIDES, Style
from heatmap_engine.pictures.values import shown_value, with_minus
from heatmap_engine.reports.report import Report, Standing

# In a script element only these could end it or begin a comment in it.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})

_HINTS = {
    "classic": (
        "Scores and Q-values are White minus Black, in heat units. <em>Ahead</em> is what a pick finds that "
        "looks ahead; a Q-value is what the table has learned of the position after the move; a score is "
        "that position's, as it stands there."
    ),
    "deep": (
        "Values are White minus Black, in centipawns (+300: odds about 10:1); +#3: White mates in 3. "
        "<em>Ahead</em> is what the search finds, which follows the best five moves; a Q-value is what the "
        "table has learned of the position after the move; a score is that position's, as it stands there. "
        "Squares are in heat units."
    ),
}

_UNKNOWN = ("", "?", "????.??.??", "*")


def game_page(game: PicturedGame, style: Style) -> str:
    """The page; it opens with the game's first position if it has moves."""
    script = as_one_script([*shared_parts().values(), _part("page.js")])
    data = {
        "players": _players(game),
        "occasion": _occasion(game),
        "score": name_of_score(game.final),
        "decimals": game.final.unit.decimals,
        "without": "no table" if game.final.table is None else "not in the table",
        "side": style.side,
        "flip": style.flip,
        "arms": _by_color(palette_named(style.colours).arms),
        "inks": _by_color(palette_named(style.colours).inks),
        "dark_share": DARK_SQUARE_SHARE,
        "limits": {side: style.limit or game.limit(side) for side in SIDES},
        "positions": [
            {**_position(report, with_arrows=style.arrows != "none"), **_annotated(game.record, ply)}
            for ply, report in enumerate(game.reports)
        ],
    }
    return Template(_part("page.html")).substitute(
        title=html.escape(_players(game)),
        style=_part("page.css"),
        script=script,
        script_hash="sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        pieces=pieces(),
        score=name_of_score(game.final),
        hint=" ".join(filter(None, (game.final.unit.caution, _HINTS[game.final.unit.mode]))),
        game=json.dumps(data, separators=(",", ":")).translate(_ESCAPES),
    )


def _part(name: str) -> str:
    return (resources.files(__package__) / "page" / name).read_text(encoding="utf-8")


def _by_color(values: Any) -> dict[str, Any]:
    return {chess.COLOR_NAMES[color]: values[color] for color in chess.COLORS}


def _players(game: PicturedGame) -> str:
    names = [] if game.record is None else [game.record.white, game.record.black]
    if all(name in _UNKNOWN for name in names):
        return "A game as heat" if len(game.reports) > 1 else "A position as heat"
    return " \N{EN DASH} ".join(names)


def _occasion(game: PicturedGame) -> str:
    """When and where it was played, how it ended, its opening, and what an annotation says of both sides."""
    record, opening = game.record, opening_of(game.final.board)
    parts = [] if opening is None else [str(opening)]
    if record is not None:
        if record.tags.get("Opening", "") not in _UNKNOWN:
            parts = [f"{record.tags.get('ECO', '')} {record.tags['Opening']}".strip()]
        parts = [record.event, record.site, record.date, record.result, record.termination, *parts]
        parts += _accuracies(record)
    return " \N{MIDDLE DOT} ".join(part for part in parts if part not in _UNKNOWN)


def _accuracies(record: GameRecord) -> list[str]:
    sides = [(name, record.tags.get(f"{name}Accuracy", "")) for name in ("White", "Black")]
    return [f"{name} {accuracy} % accurate" for name, accuracy in sides if accuracy not in _UNKNOWN]


def _annotated(record: GameRecord | None, ply: int) -> dict[str, str]:
    """What the game's file says of the move before a position: a mark, an evaluation in pawns, words."""
    if record is None or ply == 0:
        return {}
    comment = record.comments[ply - 1] if record.comments else ""
    found = {
        "mark": record.marks[ply - 1] if record.marks else "",
        "evaluation": _evaluation(comment),
        "note": words_in(comment),
    }
    return {name: text for name, text in found.items() if text}


def _evaluation(comment: str) -> str:
    found = evaluation_in(comment)
    if found is None:
        return ""
    if found.mate_in is not None:
        return with_minus(f"#{found.mate_in}")
    assert found.centipawns is not None, "an evaluation is a value or a mate"
    return with_minus(f"{found.centipawns / 100:+.2f}")


def _position(report: Report, *, with_arrows: bool) -> dict[str, Any]:
    """What the page shows of a position. Two decimals are what it shows, too."""
    board = report.board
    arrows = different_arrows(report.outlook) if with_arrows else []
    return {
        **_move_before(board),
        "title": what_happened(report),
        "placement": board.board_fen(),
        "check": board.king(board.turn) if board.is_check() else None,
        "score": round(report.score, 2),
        "q": None if report.standing.q is None else round(report.standing.q, 2),
        "shown": [_shown(report.standing, report.score), _shown(report.standing, report.standing.q)],
        "white": _heat(report, chess.WHITE),
        "black": _heat(report, chess.BLACK),
        "boxes": _by_color(report.king_boxes),
        "arrows": [{"from": arrow.move.from_square, "to": arrow.move.to_square} for arrow in arrows],
        "moves": _candidates(report),
    }


def _move_before(board: chess.Board) -> dict[str, Any]:
    if not board.move_stack:
        return {"uci": None, "move": None}
    before = board.copy()
    move = before.pop()
    return {
        "uci": move.uci(),
        "san": before.san(move),
        "move": left_and_reached(before, move) if move else None,
        "number": before.fullmove_number,
        "is_white_move": before.turn == chess.WHITE,
    }


def _heat(report: Report, color: chess.Color) -> list[float]:
    return [round(value, 2) for value in report.heat[color].tolist()]


def _candidates(report: Report) -> list[list[Any]]:
    """The moves, best first, with what looking ahead, the table and the position after the move say."""
    after = {move.move: move.standing for move in report.moves}
    return [
        [
            prospect.move.uci(),
            prospect.san,
            _shown(report.standing, prospect.value),
            _shown(after[prospect.move], after[prospect.move].q),
            _shown(after[prospect.move], after[prospect.move].static),
        ]
        for prospect in report.outlook
    ]


def _shown(standing: Standing, value: float | None) -> float | str | None:
    """A number, or a mate in words, which only here is known to be one."""
    mate_in = None if value is None else standing.mate_of(value)
    if value is None or mate_in is None:
        return None if value is None else round(value, 2)
    return shown_value(value, standing.unit, mate_in)
