"""Draws `docs/images/board.svg`, the README's picture of `heatmap-engine show`.

python docs/make_board_picture.py
"""

from pathlib import Path

import chess

import heatmap_engine as he

MOVES = ("e4", "e5", "Nf3", "Nc6", "Bb5")
PICTURE = Path(__file__).parent / "images" / "board.svg"


def main() -> None:
    board = chess.Board()
    for move in MOVES:
        board.push_san(move)
    PICTURE.write_text(he.picture(board, width=480).svg)


if __name__ == "__main__":
    main()
