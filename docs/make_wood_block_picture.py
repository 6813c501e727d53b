"""Draws `docs/images/wood-block.svg`: a hand as the search places it, and the board after it.

python docs/make_wood_block_picture.py
"""

from pathlib import Path

from games.wood_block.blocks import parse_block
from games.wood_block.board import parse_board, rows_of
from games.wood_block.fields import Field
from games.wood_block.players import EFFORTS, hand_search
from games.wood_block.rules import Action, Rules

# The example of docs/guide/12-wood-block.md.
BOARD = "XXXXXX..." + " ........." * 8
HAND = ("XXX", "X/X", "XX/XX")
PICTURE = Path(__file__).parent / "images" / "wood-block.svg"

CELL, GAP, MARGIN = 30, 60, 4
COLOURS = ("#f4d35e", "#9bd770", "#72c8e8")
WOOD, LIGHT, SHADED = "#b08968", "#fbf6ef", "#f1e6d8"


def main() -> None:
    board, size = parse_board(BOARD)
    field = Field(Rules(size))
    hand = [field.source.blocks.number_of(parse_block(text)) for text in HAND]
    _, steps, after, _, _ = hand_search(field, EFFORTS["fast"]).answer(board, hand, 1)
    numbers = {
        (action.row + row, action.column + column): number
        for number, action in enumerate((Action(*step) for step in steps), start=1)
        for row, column in field.source.blocks.blocks[hand[action.block]].cells
    }
    side = size * CELL
    width, height = 2 * side + GAP + 2 * MARGIN, side + 2 * MARGIN
    right = MARGIN + side + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="15" text-anchor="middle">',
        *drawn(rows_of(board, size), MARGIN, numbers),
        f'<path d="M{right - GAP + 16} {height / 2}h22m-8 -7l8 7l-8 7" fill="none" stroke="#555" '
        'stroke-width="2"/>',
        *drawn(rows_of(after, size), right, {}),
        "</svg>",
    ]
    PICTURE.write_text("\n".join(parts) + "\n")


def drawn(rows: list[str], left: int, numbers: dict[tuple[int, int], int]) -> list[str]:
    """A board: boxes are shaded in turn, and a cell of the hand has the number of its turn."""
    parts = []
    for row, text in enumerate(rows):
        for column, mark in enumerate(text):
            x, y = left + column * CELL, MARGIN + row * CELL
            number = numbers.get((row, column))
            empty = SHADED if (row // 3 + column // 3) % 2 else LIGHT
            colour = COLOURS[number - 1] if number else WOOD if mark == "X" else empty
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{colour}" stroke="#d8c9b6"/>'
            )
            if number:
                parts.append(f'<text x="{x + CELL / 2:g}" y="{y + CELL / 2 + 5:g}">{number}</text>')
    return parts


if __name__ == "__main__":
    main()
