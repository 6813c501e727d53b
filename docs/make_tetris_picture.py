"""Draws `docs/images/tetris.svg`: a board of a game by the package's weights, with the next placement.

python docs/make_tetris_picture.py
"""

from pathlib import Path

from games.tetris.game import Game
from games.tetris.playing import weights_player
from games.tetris.rules import ROTATIONS, Rules
from games.tetris.weights import known_weights

PICTURE = Path(__file__).parent / "images" / "tetris.svg"
RULES = Rules(10, 14)
SEED, LINES = 4, 60
CELL = 22
_BACKGROUND, _EMPTY, _FILLED, _PLACED, _TEXT = "#1b1f2a", "#262b38", "#8d8f98", "#ffd60a", "#e8e8ea"


def main() -> None:
    player, game = weights_player(known_weights("learned-10x10")), Game(RULES, "uniform", SEED)
    player.play(game, 10**9, LINES)
    value, rotation, column = player.candidates(game)[0]
    PICTURE.write_text(drawn(game, rotation, column, value))


def drawn(game: Game, rotation: int, column: int, value: float) -> str:
    shape = dict(ROTATIONS[game.current])[rotation]
    bottom = max(
        max((y + 1 for y, row in enumerate(game.rows) if row >> (column + x) & 1), default=0)
        - min(cy for cx, cy in shape.cells if cx == x)
        for x in range(shape.width)
    )
    placed = {(column + x, bottom + y) for x, y in shape.cells}
    width, height = RULES.width * CELL + 190, RULES.height * CELL + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="monospace" font-size="15">',
        f'<rect width="{width}" height="{height}" fill="{_BACKGROUND}"/>',
    ]
    for y in range(RULES.height):
        for x in range(RULES.width):
            colour = _PLACED if (x, y) in placed else _FILLED if game.rows[y] >> x & 1 else _EMPTY
            left, top = 10 + x * CELL, 10 + (RULES.height - 1 - y) * CELL
            parts.append(
                f'<rect x="{left}" y="{top}" width="{CELL - 2}" height="{CELL - 2}" rx="3" fill="{colour}"/>'
            )
    counts = (f"lines {game.lines}", f"pieces {game.pieces}", "")
    pieces = (f"current {game.current}", f"next {game.coming[0]}", "")
    for number, text in enumerate((*counts, *pieces, f"column {column + 1}", f"value {value:.2f}")):
        parts.append(
            f'<text x="{RULES.width * CELL + 30}" y="{34 + 22 * number}" fill="{_TEXT}">{text}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    main()
