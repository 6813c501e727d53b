"""Games of the deep search against itself, and the quiet positions in them: what weights are learned from."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import chess

from heatmap_engine.deep import DeepLimits, DeepResult, DeepSearch

MOST_PLIES = 400


@dataclass(frozen=True, slots=True)
class Sample:
    """A quiet position of a game, and how the game ended: 1 for White, 0 for Black, a half for neither."""

    fen: str
    result: float


def play_deep_game(
    search: DeepSearch, board: chess.Board, nodes: int, random_plies: int, rng: random.Random
) -> tuple[list[Sample], float]:
    """Play on from `board`, first `random_plies` at random; the quiet positions and the result.

    A game ends by the rules, by an announced mate, or without a winner after MOST_PLIES.
    """
    search.clear()
    for _ in range(random_plies):
        moves = list(board.legal_moves)
        if moves:
            board.push(rng.choice(moves))
    quiet: list[str] = []
    limits = DeepLimits(nodes=nodes)
    while board.ply() < MOST_PLIES:
        outcome = board.outcome(claim_draw=True)
        if outcome is not None:
            return _labelled(quiet, {True: 1.0, False: 0.0, None: 0.5}[outcome.winner])
        found = search.search(board, limits)
        if found.mate_in is not None:
            return _labelled(quiet, float((found.value > 0) == board.turn))
        if _is_quiet(board, found):
            quiet.append(board.fen())
        board.push(found.move)
    return _labelled(quiet, 0.5)


def _is_quiet(board: chess.Board, found: DeepResult) -> bool:
    """Whether the evaluation itself has to know the value: no check, and nothing to be taken first."""
    return not (board.is_check() or board.is_capture(found.move) or found.move.promotion)


def _labelled(quiet: list[str], result: float) -> tuple[list[Sample], float]:
    return [Sample(fen, result) for fen in quiet], result


def sampled(samples: list[Sample], share: float, rng: random.Random) -> Iterator[Sample]:
    """A share of a game's positions: neighbours tell the same story."""
    return (sample for sample in samples if rng.random() < share)
