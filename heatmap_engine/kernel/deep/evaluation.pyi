from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.deep.net import HeatNet

NAMES: tuple[str, ...]
MOST_PHASE: int
PER_UNIT: int
NET_INPUTS: dict[int, int]

class HeatWeights:
    net: HeatNet | None
    def __init__(
        self, rows: Sequence[Sequence[float]], worth: Sequence[float], net: HeatNet | None = ...
    ) -> None: ...
    @property
    def rows(self) -> list[tuple[float, float]]: ...

def weigh(position: PackedPosition, weights: HeatWeights) -> float: ...
def count_sides(
    positions: list[PackedPosition], counts: npt.NDArray[np.int16], phases: npt.NDArray[np.int16]
) -> None: ...
