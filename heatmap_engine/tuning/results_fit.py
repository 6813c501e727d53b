"""Weights from results: the logistic fit that makes the results of many games most likely."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from heatmap_engine.board.reading import pack
from heatmap_engine.deep.net import INPUT_NAMES, Net, seen_by_net
from heatmap_engine.deep.settings import TENFOLD, expected_points
from heatmap_engine.deep.weights import PIECES, DeepWeights, Pair, Six
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.deep.evaluation import MOST_PHASE, NAMES, count_sides
from heatmap_engine.tuning.net_fit import Sides
from heatmap_engine.tuning.training_games import DeepGame

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]

# A value's natural logarithm of the chances, by the unit.
UNIT = np.log(10) / TENFOLD
_CHUNK = 16_384
_AT_ONCE = 4096  # positions whose features are counted: those of both sides take 5 kB for each
_MOST_COUNTED = 127
_SETTLED = 0.1  # a step that moves no weight further ends the fit
_ENOUGH = 30_000  # positions for the second derivative, which is nearly all of the work

# What is expected of weights before any result: how large they are, and how far middlegame and endgame lie
# apart. For pieces the size says nothing; but few games show a queen in an endgame, and what she is worth
# there must not be left to chance.
_SIZE = {
    "man": 1000.0,
    "passed": 60.0,
    "ending": 60.0,
    "bare": 200.0,
    "last": 100.0,
    "wrong": 200.0,
    "lone": 200.0,
    "own-king": 15.0,
    "their-king": 15.0,
    "with": 10.0,
    "against": 10.0,
    "hanging": 60.0,
}
_SIZE_ELSE = 25.0
_APART = {"man": 60.0, "with": 10.0, "against": 10.0}
_APART_ELSE = 25.0


@dataclass(frozen=True, slots=True)
class Sample:
    """A quiet position, and what White should expect there, from 0 to 1."""

    fen: str
    result: float


def samples_of(game: DeepGame, trace: float) -> Iterator[Sample]:
    """The positions of a game to learn from, with what the search from each saw, and what followed.

    `trace` is the lambda of temporal differences: 1 hears of the result alone, 0 of the position's own search
    alone. After a stray move, too, only the search says what the position was worth, unless `trace` is 1.
    """
    moments = zip(game.moments, _expected(game, trace), strict=True)
    return (Sample(moment.position, expected) for moment, expected in moments if moment.position)


def _expected(game: DeepGame, trace: float) -> list[float]:
    """What each moment is learned to be worth."""
    expected = game.result
    found = []
    for moment in reversed(game.moments):
        followed = 0.0 if moment.is_stray and trace < 1 else trace
        expected = (1 - followed) * expected_points(moment.value) + followed * expected
        found.append(expected)
    return found[::-1]


@dataclass(frozen=True)
class Data:
    """Features of many positions, from White's side, and what was to be expected there."""

    counts: npt.NDArray[np.int8]
    middlegame: Floats  # the share of the middlegame weights, 0 to 1
    results: Floats
    sides: Sides

    def rows(self, chunk: slice, features: Mask | slice = slice(None)) -> Floats:
        """The features twice: in shares of the middlegame, then of the endgame."""
        counts = self.counts[chunk][:, features].astype(np.float32)
        share = self.middlegame[chunk, None]
        return np.concatenate([counts * share, counts * (1 - share)], axis=1)

    def parts(self, chunk: slice, features: Mask) -> tuple[Floats, Floats]:
        """The features once, and beside them the shares of middlegame and endgame."""
        share = self.middlegame[chunk]
        counts = self.counts[chunk][:, features] if not features.all() else self.counts[chunk]
        return counts.astype(np.float32), np.stack([share, 1 - share], axis=1)

    def chunks(self, stride: int = 1) -> list[slice]:
        """All positions, or every so many, in parts that as floats fit into memory."""
        many = _CHUNK * stride
        return [slice(start, start + many, stride) for start in range(0, len(self.results), many)]


def read_samples(samples: Sequence[Sample]) -> Data:
    """The features of all samples, counted by the kernel."""
    data = _empty(len(samples))
    data.results[:] = [sample.result for sample in samples]
    for start in range(0, len(samples), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        _read_positions(data, some, [pack(sample.fen) for sample in samples[some]])
    return data


def _empty(count: int) -> Data:
    sides = Sides(
        np.zeros((count, 2, len(INPUT_NAMES)), np.uint8), np.zeros(count, np.uint8), np.zeros(count, np.bool_)
    )
    shares = np.zeros(count, np.float32)
    return Data(np.zeros((count, len(NAMES)), np.int8), shares, np.zeros(count, np.float32), sides)


def _read_positions(data: Data, some: slice, positions: list[PackedPosition]) -> None:
    """Count the features of these positions, and the net's inputs, into their part of the data."""
    phases = np.zeros(len(positions), np.int16)
    counts = np.zeros((len(positions), 2, len(NAMES)), np.int16)
    count_sides(positions, counts, phases)
    black = np.array([position.black for position in positions], np.bool_)
    mover_first = counts[:, 0] - counts[:, 1]
    # Many queens may have more moves than a byte holds.
    from_white = np.where(black[:, None], -mover_first, mover_first).clip(-_MOST_COUNTED, _MOST_COUNTED)
    data.counts[some] = from_white
    data.middlegame[some] = phases / MOST_PHASE
    data.sides.black[some] = black
    data.sides.inputs[some], data.sides.pieces[some] = seen_by_net(counts)


def values(data: Data, vector: Floats) -> Floats:
    """What the features of each position come to, for White."""
    return np.concatenate([data.rows(chunk) @ vector for chunk in data.chunks()])


def loss(data: Data, vector: Floats, net: Net | None = None) -> float:
    """The mean surprise at the results, in bits of nature (1 bit = ln 2)."""
    found = values(data, vector)
    if net is not None:
        found += data.sides.by_net(net)
    return _surprise(_chances(found), data.results) / len(data.results)


def fit(
    data: Data,
    start: Floats,
    *,
    independent: float | Floats,
    expected: Floats | None = None,
    steps: int = 12,
) -> Floats:
    """The weights that make the results most likely, by Newton's method, with what is expected beforehand.

    `independent` is how much of a new game a position is worth, each of its own or all alike: neighbours may
    share their result. `expected` are the weights that hold where the results say nothing; None is zero.
    """
    # Of what never occurs nothing is learned, and it ties no two other features together: it is as expected.
    # Each step takes time by the cube of the rest, which in the first rounds is a small part.
    occurs: Mask = np.any(data.counts, axis=0)
    both = np.tile(occurs, 2)
    precision = expectation()[np.ix_(both, both)]
    shares = np.broadcast_to(np.asarray(independent, dtype=np.float32), data.results.shape)
    found = np.zeros(len(start)) if expected is None else expected.astype(np.float64)
    vector, centre = start[both].astype(np.float64), found[both]

    def slope(at: Doubles) -> tuple[Doubles, float]:
        gradient, cost = _slope(data, at, shares, occurs)
        pull = precision @ (at - centre)
        return gradient + pull, cost + float((at - centre) @ pull) / 2

    gradient, cost = slope(vector)
    for _ in range(steps):
        step = np.linalg.solve(_curvature(data, vector, shares, occurs) + precision, gradient)
        gradient, its_cost = slope(vector - step)
        # Where few positions are all but decided the second derivative promises too much.
        while its_cost > cost and np.max(np.abs(step)) >= _SETTLED:
            step /= 2
            gradient, its_cost = slope(vector - step)
        vector, cost = vector - step, its_cost
        if np.max(np.abs(step)) < _SETTLED:
            break
    found[both] = vector
    return found.astype(np.float32)


def _slope(data: Data, vector: Doubles, shares: Floats, features: Mask) -> tuple[Doubles, float]:
    """The first derivative of the surprise at the results, and the surprise itself."""
    gradient = np.zeros((2, len(vector) // 2))
    pairs = vector.reshape(2, -1).T.astype(np.float32)
    surprise = 0.0
    for chunk in data.chunks():
        counts, phases = data.parts(chunk, features)
        result, share = data.results[chunk], shares[chunk]
        chance = _chances(np.sum((counts @ pairs) * phases, axis=1))
        slope = (chance - result) * share * np.float32(UNIT)
        gradient += (phases * slope[:, None]).T @ counts
        surprise += _surprise(chance, result, share)
    return gradient.reshape(-1), surprise


def _surprise(chance: Floats, result: Floats, share: Floats | float = 1.0) -> float:
    return -float(np.sum(share * (result * np.log(chance) + (1 - result) * np.log(1 - chance))))


def _curvature(data: Data, vector: Doubles, shares: Floats, features: Mask) -> Doubles:
    """The second derivative, from some of the positions: it only steers, where the gradient is exact."""
    stride = max(1, len(data.results) // _ENOUGH)
    found = np.zeros((len(vector), len(vector)))
    for some in data.chunks(stride):
        rows = data.rows(some, features)
        chance = _chances(rows @ vector.astype(np.float32))
        weight = chance * (1 - chance) * shares[some] * np.float32(UNIT**2 * stride)
        rows *= np.sqrt(weight)[:, None]
        found += rows.T @ rows  # of a matrix and itself NumPy computes one half only
    return found


def _chances(values: Floats) -> Floats:
    """What score is expected at a value; never quite 0 or 1."""
    chances: Floats = 1 / (1 + np.exp(np.clip(-values * np.float32(UNIT), -14, 14)))
    return chances


def expectation() -> Doubles:
    """What is expected of the weights, as the second derivative that it adds to the fit."""
    size = expected_sizes() ** -2.0
    apart = _by_name(_APART, _APART_ELSE) ** -2.0
    alike, across = np.diag(size / 4 + apart), np.diag(size / 4 - apart)
    return np.block([[alike, across], [across, alike]])


def expected_sizes() -> Doubles:
    """How large a weight of each name is expected to be."""
    return _by_name(_SIZE, _SIZE_ELSE)


def _by_name(of_group: Mapping[str, float], of_others: float) -> Doubles:
    return np.array([of_group.get(name.removeprefix("turn ").split()[0], of_others) for name in NAMES])


def as_vector(weights: DeepWeights) -> Floats:
    """The weights as one row, all for the middlegame first."""
    pairs = np.array([weights.values.get(name, (0.0, 0.0)) for name in NAMES], dtype=np.float32)
    return pairs.T.reshape(-1)


def as_weights(name: str, vector: Floats, data: Data, provenance: Mapping[str, Any]) -> DeepWeights:
    """The row as weights; what pieces are worth in an exchange is read off the positions."""
    pairs: dict[str, Pair] = {
        feature: (float(one), float(other))
        for feature, one, other in zip(NAMES, *vector.reshape(2, -1), strict=True)
    }
    return DeepWeights(name, pairs, worths(vector, data), provenance)


def worths(vector: Floats, data: Data) -> Six:
    """What a piece of each kind adds to the evaluation in all: its own weight, its squares and its moves."""
    found = [_worth(piece, vector, data) for piece in PIECES[:5]]
    pawn, knight, bishop, rook, queen = (max(1.0, worth) for worth in found)
    return (pawn, knight, bishop, rook, queen, 0.0)


def _worth(piece: str, vector: Floats, data: Data) -> float:
    """The slope of what the piece's features add, over how many more of it one side has."""
    features = np.array([_belongs(name.split(), piece) for name in NAMES])
    weights = vector[np.tile(features, 2)]
    surplus = data.counts[:, NAMES.index(f"man {piece}")].astype(np.float64)
    added = np.concatenate([data.rows(chunk, features) @ weights for chunk in data.chunks()])
    squares = float(surplus @ surplus)
    return float(surplus @ added) / squares if squares else 0.0


def _belongs(words: Sequence[str], piece: str) -> bool:
    """Whether a feature says what a piece is worth: of a pair of pieces each is worth what both add."""
    if words[0] == "turn":
        return _belongs(words[1:], piece)
    if words[0] == "landing":  # not what it lands on
        return words[1] == piece
    return piece in (words if words[0] in ("with", "against") else words[:2])
