"""Draws `docs/images/board.svg`, the README's picture: what `heatmap-engine show --depth 18` draws.

python docs/make_board_picture.py
"""

from pathlib import Path

import chess

import heatmap_engine as he
from heatmap_engine.deep.weights import learned_weights

MOVES = ("e4", "e5", "Nf3", "Nc6", "Bb5")
LIMITS = he.Limits(depth=18)
PICTURE = Path(__file__).parent / "images" / "board.svg"


def main() -> None:
    board = chess.Board()
    for move in MOVES:
        board.push_san(move)
    with he.Engine(weights=learned_weights()) as engine:  # whatever else is in use here
        report = engine.report(board, candidates=True, limits=LIMITS)
    PICTURE.write_text(he.picture(report, width=480).svg)


if __name__ == "__main__":
    main()
