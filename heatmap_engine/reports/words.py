"""What reports say in words, wherever they are shown."""

from collections.abc import Mapping, Sequence

import chess

from heatmap_engine.board.breakdown import Part, PatternPart
from heatmap_engine.winning_chances import Unit

# The patterns of a position that are named.
_PATTERNS_SHOWN = 5


def side_name(color: chess.Color) -> str:
    """White or Black."""
    return chess.COLOR_NAMES[color].capitalize()


def counted(number: int, name: str) -> str:
    """Such as "1 move" and "2 moves"."""
    return f"1 {name}" if number == 1 else f"{number} {name}s"


def value_text(value: float, mate_in: int | None, turn: chess.Color, unit: Unit) -> str:
    """A value, White minus Black, as people read it; `mate_in` is the mover's."""
    if mate_in is None:
        text = f"{value:+.{unit.decimals}f}"
        return text if float(text) else f"{0:.{unit.decimals}f}"
    winner = chess.COLOR_NAMES[turn if mate_in > 0 else not turn].capitalize()
    return f"{winner} mates in {abs(mate_in)}" if mate_in else f"{winner} has mated"


def part_name(part: Part) -> str:
    """Such as "Black's pressure"."""
    return part.name if part.color is None else f"{side_name(part.color)}'s {part.name}"


def patterns_in_words(patterns: Sequence[PatternPart]) -> str:
    """How much patterns are worth together, and which of them weigh most."""
    heaviest = ", ".join(f"{part.name} {part.value:+.1f}" for part in patterns[:_PATTERNS_SHOWN])
    # Zero is added because it makes zero of the minus zero that rounding may leave.
    return f"patterns {round(sum(part.value for part in patterns), 2) + 0.0:+.2f} ({heaviest})"


def pieces_in_words(lost: Mapping[chess.Color, Mapping[chess.PieceType, int]]) -> str:
    """What is captured in the line, and what is promoted."""
    words = [
        f"{side_name(color)} {verb} {_pieces(pieces)}"
        for verb, sign in (("loses", 1), ("gets", -1))
        for color in chess.COLORS
        if (pieces := {kind: sign * less for kind, less in lost[color].items() if sign * less > 0})
    ]
    return "; ".join(words or ["No pieces are lost"]) + "."


def _pieces(pieces: Mapping[chess.PieceType, int]) -> str:
    words = [
        f"a {chess.piece_name(kind)}" if number == 1 else counted(number, chess.piece_name(kind))
        for kind, number in sorted(pieces.items(), reverse=True)
    ]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
