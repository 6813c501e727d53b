"""Why a move has its score, in sentences, wherever they are shown."""

from collections.abc import Iterator

import chess

from heatmap_engine.board.heat import Heat
from heatmap_engine.reports.why import Reason, Why
from heatmap_engine.reports.words import counted, pieces_in_words, side_name, value_text
from heatmap_engine.winning_chances import Unit

# So many squares are named on which a side's heat grows or shrinks most.
_SQUARES_SHOWN = 4
# The deep search counts in whole numbers, while evaluations have fractions: less than this is rounding.
_WORTH_SAYING = 1.0


def headline(why: Why) -> str:
    asked, unit = why.asked, why.unit
    rank = "" if asked.rank is None else f", number {asked.rank} of {counted(why.moves, 'move')}"
    return (
        f"{why.board.variation_san([asked.move])}: {_worth(asked, unit)}{rank} "
        f"(depth {asked.depth}, {asked.nodes:,} nodes, weights {why.weights}, {why.table or 'no table'})"
    )


def _worth(reason: Reason, unit: Unit) -> str:
    return value_text(reason.score, reason.mate_in, reason.board.turn, unit)


def comparison(why: Why) -> str:
    asked, best, unit = why.asked, why.best, why.unit
    name = why.board.san(best.move)
    if asked.score == best.score:
        return f"No move is better; {name} is as good."
    if why.is_best:
        return (
            f"The search prefers {name} with {_worth(best, unit)}; searched by itself, this move is no worse."
        )
    if asked.mate_in is not None or best.mate_in is not None:
        return f"The best move is {name}: {_worth(best, unit)}."
    side, more = side_name(why.board.turn), abs(asked.score - best.score)
    return f"The best move is {name} with {_worth(best, unit)}, {more:.{unit.decimals}f} better for {side}."


def sentences(reason: Reason, unit: Unit, table: str | None) -> Iterator[str]:
    if reason.over is not None and reason.reply is None:
        yield f"It ends the game: {reason.over}."
    else:
        yield from _reply_sentence(reason, unit)
        yield f"Line: {reason.board.variation_san(reason.line)}{_what_stands_there(reason, unit)}."
        yield pieces_in_words(reason.lost)
    yield from _evaluation_sentences(reason, unit)
    if reason.over is None:
        yield from filter(None, (heat_in_words(color, reason.heat_change) for color in chess.COLORS))
    yield from _table_sentence(reason, unit, table)


def _reply_sentence(reason: Reason, unit: Unit) -> Iterator[str]:
    if reason.reply is None:
        return
    after = reason.board.copy()
    after.push(reason.move)
    reply, other = after.san(reason.reply), reason.next_reply
    if after.legal_moves.count() == 1:
        yield f"{reply} is the only reply."
    elif other is not None and other.score == reason.score:
        yield f"The reply {reply} decides it; {after.san(other.move)} is as good."
    elif other is not None:
        left = value_text(other.score, None, after.turn, unit)
        yield f"The reply {reply} decides it; the next best, {after.san(other.move)}, would leave {left}."


def _what_stands_there(reason: Reason, unit: Unit) -> str:
    if reason.over is not None:
        return f", where the game is over ({reason.over})"
    if reason.from_table:
        return f", which the table values at {_worth(reason, unit)}"
    return ""


def _evaluation_sentences(reason: Reason, unit: Unit) -> Iterator[str]:
    if reason.root.silence is not None:
        yield f"There is no evaluation here: {reason.root.silence}."
    if reason.leaf.silence is not None and reason.over is None:
        yield f"There is no evaluation at the end of the line: {reason.leaf.silence}."
    if reason.root.value is not None and reason.leaf.value is not None:
        here, there = (number_of(evaluation.value, unit) for evaluation in (reason.root, reason.leaf))
        yield f"The evaluation is {here} here and {there} at the end of the line."
    beyond = reason.beyond
    if beyond is not None and abs(beyond) >= _WORTH_SAYING and not reason.from_table:
        added = number_of(beyond, unit)
        yield f"The search adds {added} for what follows the line and what the evaluation misses."


def number_of(value: float | None, unit: Unit) -> str:
    """An evaluation or a part of one, with more digits than a value of a search has."""
    return "" if value is None else f"{value:+.{max(1, unit.decimals)}f}"


def heat_in_words(color: chess.Color, change: Heat) -> str:
    """The squares on which a side's heat grows most and shrinks most; nothing where none changes."""
    heat = {square: value for square, value in enumerate(change[color].tolist()) if abs(value) >= 0.05}
    halves = []
    for word, sign in (("gains", 1), ("loses", -1)):
        squares = sorted(
            (square for square in heat if sign * heat[square] > 0), key=lambda square: -abs(heat[square])
        )
        if squares:
            named = (_square_change(square, heat[square]) for square in squares[:_SQUARES_SHOWN])
            halves.append(f"{word} {', '.join(named)}")
    return f"{side_name(color)}'s heat {' and '.join(halves)}." if halves else ""


def _square_change(square: chess.Square, heat: float) -> str:
    return f"{chess.square_name(square)} {f'{heat:+.1f}'.removesuffix('.0')}"


def _table_sentence(reason: Reason, unit: Unit, table: str | None) -> Iterator[str]:
    if table is None or reason.without_table is None or reason.learned is None:
        return
    if not reason.learned:
        yield f"Learning changed nothing: without {table} it is the same."
        return
    before = value_text(reason.without_table, None, reason.board.turn, unit)
    learned = number_of(reason.learned, unit)
    yield f"Learning changed it by {learned}: without {table} it would be {before}."
