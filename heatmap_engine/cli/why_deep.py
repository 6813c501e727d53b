"""Why the deep search wants a move, in words and numbers."""

from collections.abc import Iterator, Mapping, Sequence

import chess
from rich.console import Console
from rich.table import Table

from heatmap_engine.board.heat import Heat
from heatmap_engine.cli.mode_options import value_text
from heatmap_engine.reports.deep_asking import DeepAnswer
from heatmap_engine.reports.deep_why import DeepWhy, Part

# The parts that say most; the others are summed up.
PARTS_SHOWN = 10
# So many squares are named on which a side gains or loses most.
_SQUARES_SHOWN = 4


def print_why_deep(console: Console, answer: DeepAnswer) -> None:
    """Print why a move has its value, and where another is better, why that is."""
    asked, best = answer.asked, answer.best
    _print_one(console, asked)
    console.print()
    if answer.is_best:
        console.print("It is the best move.")
        return
    name = best.board.san(best.move)
    console.print(f"The best move is {name}: {_worth(best)}.\n")
    _print_one(console, best)


def _print_one(console: Console, why: DeepWhy) -> None:
    console.print(f"{why.board.variation_san([why.move])}: {_worth(why)}", style="bold")
    console.print(f"Line: {why.board.variation_san(why.line)}", soft_wrap=True)
    print_sentences(console, why)


def print_sentences(console: Console, why: DeepWhy) -> None:
    """What the line changes: men, heat, and the parts of the evaluation."""
    for sentence in _sentences(why):
        console.print(sentence, soft_wrap=True)
    if why.parts:
        console.print("\nWhat the end of the line has that the position has not:")
        console.print(_parts_table(why.parts))


def _worth(why: DeepWhy) -> str:
    return (
        f"{value_text(why.value, why.mate_in, why.board.turn)} (depth {why.depth}, {why.nodes:,} nodes, "
        f"weights {why.weights})"
    )


def _sentences(why: DeepWhy) -> Iterator[str]:
    yield men_in_words(why.lost)
    if why.root.silence is not None:
        yield f"Here heat has no say: {why.root.silence}."
    if why.leaf.silence is not None:
        yield f"At the end of the line heat has no say: {why.leaf.silence}."
    if why.change is not None:
        yield f"The evaluation is {why.root.value:+.1f} here and {why.leaf.value:+.1f} at the line's end."
    if why.beyond is not None and abs(why.beyond) >= 1:  # the search rounds to whole numbers
        yield f"The search sees {why.beyond:+.1f} beyond it: a line may end before exchanges or draws do."
    for color in chess.COLORS:
        if words := heat_in_words(color, why.heat_change):
            yield words


def men_in_words(lost: Mapping[chess.Color, Mapping[chess.PieceType, int]]) -> str:
    """What is captured in the line, and what is promoted."""
    losses = [f"{_name(color)} loses {_men(men)}" for color in chess.COLORS if (men := _only(lost[color], 1))]
    gains = [f"{_name(color)} gets {_men(men)}" for color in chess.COLORS if (men := _only(lost[color], -1))]
    return "; ".join([*losses, *gains] or ["No men are lost"]) + "."


def _only(men: Mapping[chess.PieceType, int], sign: int) -> dict[chess.PieceType, int]:
    return {kind: sign * less for kind, less in men.items() if sign * less > 0}


def _men(men: Mapping[chess.PieceType, int]) -> str:
    words = [_counted(number, chess.piece_name(kind)) for kind, number in sorted(men.items(), reverse=True)]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _counted(number: int, name: str) -> str:
    return f"a {name}" if number == 1 else f"{number} {name}s"


def heat_in_words(color: chess.Color, change: Heat) -> str:
    """The squares on which a side's moves grow most and shrink most; nothing where none change."""
    heat = change[color].tolist()
    grown = sorted((square for square in chess.SQUARES if heat[square] > 0), key=lambda square: -heat[square])
    shrunk = sorted((square for square in chess.SQUARES if heat[square] < 0), key=lambda square: heat[square])
    halves = [
        f"{word} {', '.join(_change(square, heat[square]) for square in squares[:_SQUARES_SHOWN])}"
        for word, squares in (("gains", grown), ("loses", shrunk))
        if squares
    ]
    return f"{_name(color)}'s heat {' and '.join(halves)}." if halves else ""


def _change(square: chess.Square, heat: float) -> str:
    return f"{chess.square_name(square)} {heat:+.0f}"


def _parts_table(parts: Sequence[Part]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", "here", "there", "for White"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for part in parts[:PARTS_SHOWN]:
        table.add_row(part_name(part), _number(part.before), _number(part.after), f"{part.change:+.1f}")
    if rest := parts[PARTS_SHOWN:]:
        table.add_row(f"{len(rest)} smaller parts", "", "", f"{sum(part.change for part in rest):+.1f}")
    table.add_row("all parts", "", "", f"{sum(part.change for part in parts):+.1f}", style="bold")
    return table


def part_name(part: Part) -> str:
    """Such as "Black's pressure"."""
    return part.group if part.color is None else f"{_name(part.color)}'s {part.group}"


def _number(number: int | None) -> str:
    return "" if number is None else str(number)


def _name(color: chess.Color) -> str:
    return chess.COLOR_NAMES[color].capitalize()
