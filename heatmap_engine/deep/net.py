"""The numbers of the net beside the sum of features, as whole numbers; kernel/deep/net.pxd draws it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from heatmap_engine.errors import InvalidWeights
from heatmap_engine.kernel.deep.evaluation import NAMES, NET_INPUTS, PER_UNIT
from heatmap_engine.kernel.deep.net import (
    MOST_INPUTS,
    MOST_WEIGHT,
    NET_HIDDEN,
    ONE_SUM,
    ONE_WEIGHT,
    STAGES,
    UNITS,
    HeatNet,
)

Short = npt.NDArray[np.int16]
Whole = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

Doubles = npt.NDArray[np.float64]
Counts = npt.NDArray[np.uint8]

INPUT_NAMES = tuple(NAMES[feature] for feature in NET_INPUTS.values())
_MOST_COLUMN_WEIGHT = 32 * ONE_SUM
_OUTPUT_ONE = ONE_SUM * ONE_SUM * ONE_WEIGHT
_KINGS = 2  # which no feature counts
_OF_PIECES = [number for number, name in enumerate(INPUT_NAMES) if name.startswith("man ")]
# The shape of each array, the largest number in it, and what is 1.
_ARRAYS = {
    "columns": ((len(NET_INPUTS), 2, NET_HIDDEN), _MOST_COLUMN_WEIGHT, ONE_SUM),
    "biases": ((NET_HIDDEN,), _MOST_COLUMN_WEIGHT, ONE_SUM),
    "outputs": ((STAGES, 2, NET_HIDDEN), MOST_WEIGHT, ONE_WEIGHT),
    "output_biases": ((STAGES,), 64 * _OUTPUT_ONE, _OUTPUT_ONE),
}


def seen_by_net(counts: Short) -> tuple[Counts, Counts]:
    """The inputs of both sides and the pieces on the board, from what `count_sides` gives of positions."""
    inputs = counts[:, :, [*NET_INPUTS.values()]].astype(np.uint8)
    return inputs, _pieces_of(inputs).sum(axis=1, dtype=np.uint8) + np.uint8(_KINGS)


def _pieces_of(inputs: Counts) -> Counts:
    """How many pieces but its king each side has."""
    pieces: Counts = inputs[:, :, _OF_PIECES].sum(axis=2, dtype=np.uint8)
    return pieces


def stages_of(pieces: Counts) -> npt.NDArray[np.int64]:
    """Which row of outputs weighs the sums, by the pieces on the board; there may be more than 32."""
    return np.minimum((pieces.astype(np.int64) - 1) * STAGES // 32, STAGES - 1)


def has_say(inputs: Counts) -> npt.NDArray[np.bool_]:
    """Whether both sides have more than a king: of a lone one the features know how it is mated."""
    pieces = _pieces_of(inputs)
    say: npt.NDArray[np.bool_] = (pieces[:, 0] > 0) & (pieces[:, 1] > 0)
    return say


@dataclass(frozen=True, eq=False)
class Net:
    """The weights of both layers in whole fractions; `columns` are in the order of `INPUT_NAMES`."""

    columns: Short
    biases: Short
    outputs: Short
    output_biases: Whole

    def __post_init__(self) -> None:
        for name, (shape, most, _) in _ARRAYS.items():
            array = getattr(self, name)
            if array.shape != shape or np.abs(array.astype(np.int64)).max() > most:
                raise InvalidWeights(
                    f"net: expected {name} of shape {shape} with numbers from {-most} to {most}, "
                    f"got shape {array.shape}"
                )

    @classmethod
    def of_floats(cls, columns: Floats, biases: Floats, outputs: Floats, output_biases: Floats) -> Self:
        """The net that is nearest to one whose sums are clipped to 1 and whose output is in `UNITS`."""
        floats = {"columns": columns, "biases": biases, "outputs": outputs, "output_biases": output_biases}
        return cls(
            **{name: _whole(name, np.rint(array * float(_ARRAYS[name][2]))) for name, array in floats.items()}
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Net):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _ARRAYS)

    def __getstate__(self) -> dict[str, Any]:
        """Everything except what the kernel has of it, which a worker makes again."""
        return {name: value for name, value in vars(self).items() if name != "table"}

    def values(self, inputs: Counts, pieces: Counts) -> Doubles:
        """The net's part of the values of positions, for the side to move, as the kernel reckons it.

        Takes what `seen_by_net` gives.
        """
        say = has_say(inputs)
        inputs = inputs.astype(np.int64)
        columns, outputs = self.columns.astype(np.int64), self.outputs.astype(np.int64)
        stages = stages_of(pieces)
        found = self.output_biases[stages].astype(np.int64)
        for own, their, weights in ((0, 1, outputs[stages, 0]), (1, 0, outputs[stages, 1])):
            sums = self.biases + inputs[:, own] @ columns[:, 0] + inputs[:, their] @ columns[:, 1]
            clipped = np.clip(sums.astype(np.int16), 0, ONE_SUM).astype(np.int64)
            found += np.sum(clipped**2 * weights, axis=1)
        # As C divides whole numbers: towards zero.
        whole = np.sign(found) * (np.abs(found) * (UNITS * PER_UNIT) // _OUTPUT_ONE)
        by_net: Doubles = np.where(say, whole / PER_UNIT, 0.0)
        return by_net

    @cached_property
    def table(self) -> HeatNet:
        """The same numbers laid out for the kernel."""
        columns = np.zeros((MOST_INPUTS, 2, NET_HIDDEN), np.int16)
        columns[list(NET_INPUTS)] = self.columns
        return HeatNet(columns, self.biases, self.outputs, self.output_biases)

    def scaled(self, factor: float) -> "Net":
        """The same net in another unit; raises InvalidWeights if its weights grow too large."""
        scaled = {name: np.rint(getattr(self, name) * factor) for name in ("outputs", "output_biases")}
        outputs, output_biases = (_checked(name, array) for name, array in scaled.items())
        return Net(self.columns, self.biases, outputs, output_biases)

    def as_json(self) -> dict[str, Any]:
        """Plain data, with the columns by the names of the inputs."""
        columns = {name: column.tolist() for name, column in zip(INPUT_NAMES, self.columns, strict=True)}
        return {"columns": columns} | {
            name: getattr(self, name).tolist() for name in _ARRAYS if name != "columns"
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """Raises InvalidWeights; an input that the file does not name counts nothing."""
        if unknown := sorted(set(data["columns"]) - set(INPUT_NAMES)):
            raise InvalidWeights(f"net: no input is called {unknown[0]!r:.80}")
        zeros = [[0] * NET_HIDDEN] * 2
        columns = [data["columns"].get(name, zeros) for name in INPUT_NAMES]
        arrays = {name: np.array(columns if name == "columns" else data[name]) for name in _ARRAYS}
        for name, array in arrays.items():
            if array.dtype.kind != "i":
                raise InvalidWeights(f"net: expected rows of whole numbers as {name}")
        return cls(**{name: _checked(name, array) for name, array in arrays.items()})


def _whole(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """As the kernel's kind of number; what is too large is as large as can be."""
    most = _ARRAYS[name][1]
    whole: npt.NDArray[Any] = np.clip(array, -most, most)
    return whole.astype(np.int32 if name == "output_biases" else np.int16)


def _checked(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """As the kernel's kind of number; what is too large is refused, not wrapped around."""
    most = _ARRAYS[name][1]
    if array.size and np.abs(array).max() > most:
        raise InvalidWeights(f"net: expected {name} with numbers from {-most} to {most}, got larger ones")
    return _whole(name, array)
