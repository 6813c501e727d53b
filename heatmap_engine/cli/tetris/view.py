"""A game as text: the board, the next piece and the best moves beside it."""

from collections.abc import Sequence

from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from games.tetris.game import Game
from games.tetris.rules import ROTATIONS
from games.tetrominoes.pieces import ORIENTATIONS

Candidate = tuple[float, int, int]

TOP = 5
_FILLED = "#8d8f98"
# The usual colours of the pieces, all readable under black letters.
_COLOURS = {
    "T": "#c77dff",
    "I": "#4cc9f0",
    "O": "#ffd60a",
    "S": "#70e000",
    "Z": "#ff6b6b",
    "L": "#ff9f1c",
    "J": "#7aa2ff",
}


def console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def scene(game: Game, width: int, candidates: Sequence[Candidate], chosen: tuple[int, int] | None) -> Table:
    """The board as it is, and what the player thinks of the current piece."""
    table = Table.grid(padding=(0, 3))
    table.add_row(board_text(game.rows, width), side_text(game, candidates, chosen))
    return table


def board_text(rows: Sequence[int], width: int) -> Text:
    """The rows between walls, the upper one first."""
    text = Text(no_wrap=True)
    for row in reversed(rows):
        text.append("|", Style(dim=True))
        for x in range(width):
            is_filled = row >> x & 1
            text.append(
                "##" if is_filled else " .",
                Style(color="black", bgcolor=_FILLED) if is_filled else Style(dim=True),
            )
        text.append("|\n", Style(dim=True))
    text.append("+" + "--" * width + "+", Style(dim=True))
    return text


def piece_text(piece: str) -> Text:
    """A piece as it appears."""
    shape = ROTATIONS[piece][0][1]
    text = Text(no_wrap=True)
    for y in reversed(range(2)):
        for x in range(4):
            is_filled = (x, y) in shape.cells
            text.append(
                f"{piece}{piece}" if is_filled else "  ",
                Style(color="black", bgcolor=_COLOURS[piece]) if is_filled else Style(),
            )
        text.append("\n")
    return text


def side_text(game: Game, candidates: Sequence[Candidate], chosen: tuple[int, int] | None) -> Text:
    text = Text(no_wrap=True)
    text.append(f"lines  {game.lines:,}\npieces {game.pieces:,}\n\ncurrent {game.current}\n")
    text.append_text(piece_text(game.current))
    text.append(f"\nnext {game.coming[0]}\n")
    text.append_text(piece_text(game.coming[0]))
    text.append("\n" + "\n".join(candidate_lines(game.current, candidates, chosen)))
    return text


def candidate_lines(piece: str, candidates: Sequence[Candidate], chosen: tuple[int, int] | None) -> list[str]:
    """The best placements, with a star at the one that is played."""
    lines = [f"{len(candidates)} placements of {piece}, the best:"]
    for value, rotation, column in candidates[:TOP]:
        star = "*" if (rotation, column) == chosen else " "
        worth = "lost" if value < -1e14 else f"{value:.2f}"
        lines.append(f" {star} {ORIENTATIONS[rotation]:8} column {column + 1:<2} {worth:>10}")
    return lines
