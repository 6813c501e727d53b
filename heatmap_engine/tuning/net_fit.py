"""The net beside the sum of features, learned from what the sum leaves unexplained: Adam on small batches."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from heatmap_engine.deep.net import INPUT_NAMES, Net, has_say, stages_of
from heatmap_engine.kernel.deep.net import NET_HIDDEN, STAGES, UNITS

Floats: TypeAlias = npt.NDArray[np.float32]

_EPOCHS = 12
_BATCH = 8192
_RATE = 2e-3
_WARM_UP = 50  # batches
_MOMENTUM, _SPREAD = 0.9, 0.999
_MOST_OUTPUT = 4.0  # of the second layer's weights
# Of so many positions the usual size of each input is taken.
_SIZED_BY = 50_000


@dataclass(frozen=True)
class Sides:
    """What a net sees of many positions, and who is to move; the mover's inputs come first."""

    inputs: npt.NDArray[np.uint8]
    pieces: npt.NDArray[np.uint8]
    black: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.pieces)

    def by_net(self, net: Net) -> Floats:
        """The net's part of each position's value, for White."""
        found = [net.values(self.inputs[some], self.pieces[some]) for some in _parts(len(self))]
        by_net: Floats = (np.concatenate(found) * np.where(self.black, -1, 1)).astype(np.float32)
        return by_net


def _parts(count: int) -> Iterator[slice]:
    return (slice(start, start + _BATCH) for start in range(0, count, _BATCH))


class _Batch:
    """Some positions as floats, seen by the mover and by the other side."""

    def __init__(self, sides: Sides, places: npt.NDArray[np.int64], sizes: Floats) -> None:
        inputs = sides.inputs[places].astype(np.float32) / sizes
        mover, other = inputs[:, 0], inputs[:, 1]
        self.views = np.concatenate([mover, other], axis=1), np.concatenate([other, mover], axis=1)
        self.stages = stages_of(sides.pieces[places])
        self.signs = np.where(sides.black[places], np.float32(-1), np.float32(1))


@dataclass
class _Weights:
    """The net in floats, with inputs divided by their usual sizes."""

    columns: Floats
    biases: Floats
    outputs: Floats
    output_biases: Floats

    @classmethod
    def random(cls, inputs: int, rng: np.random.Generator) -> "_Weights":
        columns = 0.05 * rng.standard_normal((2 * inputs, NET_HIDDEN))
        outputs = 0.02 * rng.standard_normal((STAGES, 2 * NET_HIDDEN))
        return cls(
            columns.astype(np.float32),
            np.full(NET_HIDDEN, 0.1, np.float32),
            outputs.astype(np.float32),
            np.zeros(STAGES, np.float32),
        )

    def arrays(self) -> tuple[Floats, ...]:
        return self.columns, self.biases, self.outputs, self.output_biases

    def net(self, sizes: Floats) -> Net:
        columns = self.columns.reshape(2, -1, NET_HIDDEN) / sizes[None, :, None]
        outputs = self.outputs.reshape(STAGES, 2, NET_HIDDEN)
        return Net.of_floats(columns.transpose(1, 0, 2), self.biases, outputs, self.output_biases)


def fit_net(sides: Sides, values: Floats, expected: Floats, unit: float, seed: int) -> Net:
    """The net that, added to `values`, best foretells what was expected; both are White's.

    There must be positions of which it has a say.
    `unit` is a value's natural logarithm of the chances. The same seed gives the same net.
    """
    rng = np.random.default_rng(seed)
    heard = np.flatnonzero(has_say(sides.inputs))
    sizes = _sizes(sides, heard)
    weights = _Weights.random(len(INPUT_NAMES), rng)
    steps = max(1, len(heard) // _BATCH) * _EPOCHS
    adam = _Adam(weights.arrays())
    for step, some in enumerate(_batches(len(heard), steps, rng)):
        places = heard[some]
        batch = _Batch(sides, places, sizes)
        slopes = _slopes(weights, batch, values[places], expected[places], np.float32(unit))
        adam.step(slopes, _rate(step, steps))
        np.clip(weights.outputs, -_MOST_OUTPUT, _MOST_OUTPUT, out=weights.outputs)
    return weights.net(sizes)


def _sizes(sides: Sides, places: npt.NDArray[np.int64]) -> Floats:
    """How large each input usually is in these positions, at least 1."""
    some = sides.inputs[places[:: max(1, len(places) // _SIZED_BY)]].astype(np.float32)
    sizes: Floats = np.maximum(np.sqrt(np.mean(some**2, axis=(0, 1))), 1).astype(np.float32)
    return sizes


def _batches(count: int, steps: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.int64]]:
    """All positions in a random order, once and again, so many at a time."""
    done = 0
    while True:
        order = rng.permutation(count)
        for start in range(0, max(1, count - _BATCH + 1), _BATCH):
            if done == steps:
                return
            done += 1
            yield np.sort(order[start : start + _BATCH])


def _rate(step: int, steps: int) -> float:
    return _RATE * 0.5 * (1 + math.cos(math.pi * step / steps)) * min(1.0, (step + 1) / _WARM_UP)


def _slopes(
    weights: _Weights, batch: _Batch, values: Floats, expected: Floats, unit: np.float32
) -> list[Floats]:
    """The derivatives of the mean surprise."""
    sums = [view @ weights.columns + weights.biases for view in batch.views]
    clipped = np.clip(np.concatenate(sums, axis=1), 0, 1)
    outputs = weights.outputs[batch.stages]
    found = np.sum(clipped**2 * outputs, axis=1) + weights.output_biases[batch.stages]
    logits = np.clip((values + batch.signs * UNITS * found) * unit, -14, 14)
    chances = 1 / (1 + np.exp(-logits))
    slope = (chances - expected) * batch.signs * (unit * UNITS / len(values))
    of_stage = np.eye(STAGES, dtype=np.float32)[batch.stages]
    # A sum that is clipped teaches nothing: its square does not change.
    of_sums = slope[:, None] * outputs * 2 * clipped * (clipped < 1)
    mover, other = of_sums[:, :NET_HIDDEN], of_sums[:, NET_HIDDEN:]
    return [
        batch.views[0].T @ mover + batch.views[1].T @ other,
        (mover + other).sum(axis=0),
        of_stage.T @ (slope[:, None] * clipped**2),
        of_stage.T @ slope,
    ]


class _Adam:
    """Changes arrays in place, each number by about the rate."""

    def __init__(self, arrays: tuple[Floats, ...]) -> None:
        self._arrays = arrays
        self._means = [np.zeros_like(array) for array in arrays]
        self._squares = [np.zeros_like(array) for array in arrays]
        self._steps = 0

    def step(self, slopes: Sequence[Floats], rate: float) -> None:
        self._steps += 1
        for array, mean, square, slope in zip(self._arrays, self._means, self._squares, slopes, strict=True):
            mean += (1 - _MOMENTUM) * (slope - mean)
            square += (1 - _SPREAD) * (slope**2 - square)
            usual = np.sqrt(square / (1 - _SPREAD**self._steps)) + np.float32(1e-9)
            array -= np.float32(rate) * (mean / np.float32(1 - _MOMENTUM**self._steps)) / usual
