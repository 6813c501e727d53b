from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from heatmap_engine.kernel.packed import PackedPosition

NAMES: tuple[str, ...]

class HeatWeights:
    def __init__(self, rows: Sequence[Sequence[float]], worth: Sequence[float]) -> None: ...

def weigh(position: PackedPosition, weights: HeatWeights) -> float: ...
def count_features(
    positions: list[PackedPosition], counts: npt.NDArray[np.int16], phases: npt.NDArray[np.int16]
) -> None: ...
