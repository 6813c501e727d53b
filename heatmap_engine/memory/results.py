"""How far a result that the board does not show is believed: a resignation, an adjudication, an agreed draw.

People resign level positions and agree to draws in won ones. So the final position is searched, and the
result is believed only where it hardly contradicts what is found:

- It stands where it changes the expected points by no more than 0.05, because a search of some thousand nodes
  is no more certain than that. So a game counts as lost where the search sees the loser as good as lost, and
  as drawn where it sees the position level.
- Everywhere else the searched value stands, also where it is more than a result counts.
- In a game of less than ten moves of each side the searched value always stands: somebody did not show up.

A loss on time or a broken connection is no judgement at all (`GameRecord.judges_position`).
"""

from collections.abc import Callable

import chess

from games.chess.record import GameRecord
from heatmap_engine.board.ends import terminal

# Of the points expected of a game, which are from 0 to 1.
_MOST_MOVED = 0.05
# Plies from the start of the record: ten moves of each side.
_LEAST_PLIES = 20


def is_judged(board: chess.Board, record: GameRecord) -> bool:
    """Whether the game's result may have a say about its final position, which the board leaves open."""
    return terminal(board) is None and record.judges_position and len(record.moves) >= _LEAST_PLIES


def believed(
    record: GameRecord, searched: float, won: float, expected_points: Callable[[float], float]
) -> float | None:
    """The final position's score by the result, or None where the searched score stands; White minus Black.

    A won game counts `won`. `expected_points` are those of a score.
    """
    score = {"1-0": won, "0-1": -won, "1/2-1/2": 0.0}[record.result]
    if score and score * searched >= score * score:
        return None  # won all the more
    moved = abs(expected_points(score) - expected_points(searched))
    return score if moved <= _MOST_MOVED else None
