"""Chooses the middlegame positions that `deep_bench.py --middlegame` searches, from games of the engine.

    python benchmarks/make_middlegames.py > benchmarks/middlegames.txt

Each line of the suite that is tried is played on at a few nodes a move, and gives one position of moves 12 to
30: with most officers on the board, no check, and more than one legal move. The same seed gives the same file
as long as the search plays the same; the file is what counts.
"""

import random
import sys

import chess

from games.chess.openings import load_openings
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.limits import Limits

POSITIONS = 30
NODES = 2_000
LEAST_PHASE = 16  # of 24: knights and bishops 1, rooks 2, queens 4
PHASES = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}


def phase(board: chess.Board) -> int:
    return sum(PHASES.get(piece.piece_type, 0) for piece in board.piece_map().values())


def middlegame(search: DeepSearch, board: chess.Board, move_number: int) -> chess.Board | None:
    """The position of that move, if the game comes there and the position will do."""
    search.clear()
    while board.fullmove_number < move_number:
        if board.is_game_over(claim_draw=True):
            return None
        board.push(search.search(board, Limits(nodes=NODES)).move)
    fits = phase(board) >= LEAST_PHASE and not board.is_check() and board.legal_moves.count() > 1
    return board if fits else None


def main() -> None:
    chance = random.Random(1)
    openings = list(load_openings())
    chance.shuffle(openings)
    search = DeepSearch(learned_weights(), hash_mib=16)
    found = 0
    for number, opening in enumerate(openings):
        board = middlegame(search, opening.board(), 12 + number * 7 % 19)
        if board is not None:
            sys.stdout.write(board.fen() + "\n")
            found += 1
        if found == POSITIONS:
            return


if __name__ == "__main__":
    main()
