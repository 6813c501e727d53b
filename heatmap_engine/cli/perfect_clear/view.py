"""Boards and solutions as text, in colour where there is any."""

from rich.console import Console, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from games.perfect_clear.board import MOST_LINES, WIDTH, drawn, rows_of
from games.perfect_clear.solver import Placement, Solution

# The usual colours of the pieces, all readable under black letters.
_COLOURS = {
    "T": "#c77dff",
    "I": "#4cc9f0",
    "O": "#ffd60a",
    "S": "#70e000",
    "Z": "#ff6b6b",
    "L": "#ff9f1c",
    "J": "#7aa2ff",
    "#": "#8d8f98",
}
_GAP = 3
# Before a terminal's width is used up, and where there is none.
_MOST_ACROSS = 6


def console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def picture(rows: list[str]) -> Text:
    """A board of letters with a colour for each piece."""
    text = Text(no_wrap=True)
    for number, row in enumerate(rows):
        if number:
            text.append("\n")
        for cell in row:
            colour = _COLOURS.get(cell)
            text.append(cell, Style(color="black", bgcolor=colour) if colour else Style(dim=True))
    return text


def side_by_side(pictures: list[tuple[str, Text]], width: int) -> RenderableType:
    """Pictures with a line above each, as many in a row as there is room for."""
    across = max(1, min(_MOST_ACROSS, (width + _GAP) // (WIDTH + _GAP)))
    table = Table.grid(padding=(0, _GAP, 1, 0))
    for start in range(0, len(pictures), across):
        table.add_row(*(Text(f"{title}\n") + text for title, text in pictures[start : start + across]))
    return table


def steps_of(solution: Solution) -> list[tuple[str, Text]]:
    """A picture for each placement: the piece where it comes to rest."""
    found = []
    board = solution.start
    height = max(solution.lines, len(rows_of(board)))
    for number, placement in enumerate(solution.placements, start=1):
        rows = drawn(board, height, [(placement.cells, placement.piece)])
        held = " hold" if placement.is_held else ""
        found.append((f"{number} {placement.piece}{held}", picture(rows)))
        board = placement.board
    return found


def whole(solution: Solution) -> Text:
    """Where all pieces lie, as if no row were ever cleared."""
    letters = [(cells, piece) for piece, cells in solution.picture]
    return picture(drawn(solution.start, min(solution.lines, MOST_LINES), letters))


def keys_text(placement: Placement) -> str:
    """The keys of a placement, equal ones in a row counted."""
    words: list[str] = []
    numbers: list[int] = []
    for key in placement.keys:
        if words and words[-1] == key:
            numbers[-1] += 1
        else:
            words.append(key)
            numbers.append(1)
    return ", ".join(
        word if number == 1 else f"{word} x{number}" for word, number in zip(words, numbers, strict=True)
    )


def needs_text(solution: Solution | Placement) -> str:
    """What a solution cannot do without."""
    needs = [
        word
        for word, is_needed in (("a slow drop", solution.needs_slow_drop), ("a kick", solution.needs_kick))
        if is_needed
    ]
    return f"needs {' and '.join(needs)}" if needs else "needs no slow drop and no kick"


def as_json(solution: Solution) -> dict[str, object]:
    return {
        "lines": solution.lines,
        "inputs": solution.inputs,
        "order": solution.order,
        "needs_slow_drop": solution.needs_slow_drop,
        "needs_kick": solution.needs_kick,
        "placements": [
            {
                "piece": placement.piece,
                "hold": placement.is_held,
                "keys": list(placement.keys),
                "rows": drawn(placement.cells, solution.lines),
                "lines_cleared": placement.lines_cleared,
                "needs_slow_drop": placement.needs_slow_drop,
                "needs_kick": placement.needs_kick,
                "board": drawn(placement.board, solution.lines),
            }
            for placement in solution.placements
        ],
    }
