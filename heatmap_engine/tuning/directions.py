"""In which directions `cem` and `ga` vary weights: some 350 instead of 2,500.

A match says little about one weight of thousands. So the weights of what is counted (moves, pressure,
pawns by their rank) vary together, as a slope over the number; those of the squares by rank and by nearness
to the centre or to a king; and the middlegame as the endgame. The length of a direction is what the fit of
results expects of its weights' size, so that noise is alike for a queen and for an outpost.
"""

from dataclasses import replace
from functools import cache
from random import Random

import numpy as np

from games.chess.openings import load_openings
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.kernel.deep.evaluation import NAMES
from heatmap_engine.tuning.results_fit import (
    Data,
    Doubles,
    Sample,
    as_vector,
    as_weights,
    expected_sizes,
    read_samples,
)

_BOARDS = 60
_PLIES = 60
_MIDDLE = 3.5  # of ranks and files, counted from 0


@cache
def directions() -> Doubles:
    """A row for each direction, with the weights that it adds."""
    shares: dict[str, dict[int, float]] = {}
    for place, name in enumerate(NAMES):
        for group, share in _shares(name):
            shares.setdefault(group, {})[place] = share
    sizes = expected_sizes()
    rows = np.zeros((len(shares), len(NAMES)))
    for row, found in zip(rows, shares.values(), strict=True):
        places = [*found]
        row[places] = sizes[places] * [*found.values()] / np.mean(np.abs([*found.values()]))
    return np.concatenate([rows, rows], axis=1)


def _shares(name: str) -> list[tuple[str, float]]:
    """The directions that a weight belongs to, and how much of each it has."""
    group, _, last = name.rpartition(" ")
    if name == "man king":  # both sides have one
        return []
    if last.isdigit():
        return [(group, float(last))]
    if "-king " in group:  # by nearness to the king
        man, _, files = group.rpartition(" ")
        return [(man, 2.5 - max(int(files), abs(int(last))))]
    if group.startswith("standing"):
        file, rank = "abcd".index(last[0]), int(last[1]) - 1
        nearness = min(file, rank, 7 - rank) - 1.0
        return [(f"{group} by rank", (rank - _MIDDLE) / _MIDDLE), (f"{group} by centre", nearness)]
    return [(name, 1.0)]


@cache
def _positions() -> Data:
    """Positions of random games, at which to read off what a piece is worth in all."""
    samples = []
    for number, opening in enumerate(load_openings()[:_BOARDS]):
        rng, board = Random(number), opening.board()
        for _ in range(_PLIES):
            moves = [*board.legal_moves]
            if not moves:
                break
            board.push(rng.choice(moves))
            samples.append(Sample(board.fen(), 0.5))
    return read_samples(samples)


def weights_at(start: DeepWeights, coefficients: Doubles, name: str = "") -> DeepWeights:
    """The start, moved so far in each direction."""
    vector = as_vector(start) + (coefficients @ directions()).astype(np.float32)
    return replace(as_weights(name, vector, _positions(), {}), search=start.search)
