from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from heatmap_engine.kernel.board.packed import PackedPosition

NAMES: tuple[str, ...]
MOST_PHASE: int

class HeatWeights:
    def __init__(self, rows: Sequence[Sequence[float]], worth: Sequence[float]) -> None: ...
    @property
    def rows(self) -> list[tuple[float, float]]: ...

def weigh(position: PackedPosition, weights: HeatWeights) -> float: ...
def count_features(
    positions: list[PackedPosition], counts: npt.NDArray[np.int16], phases: npt.NDArray[np.int16]
) -> None: ...
def count_sides(position: PackedPosition, counts: npt.NDArray[np.int16]) -> int: ...
