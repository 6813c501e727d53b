import numpy as np
import numpy.typing as npt

from heatmap_engine.kernel.board.packed import PackedPosition

PATTERN_COUNT: int
FAMILIES: dict[str, int]

class PatternTable:
    def __init__(self, values: npt.NDArray[np.float64]) -> None: ...
    def sum(self, position: PackedPosition) -> float: ...

def count_patterns(positions: list[PackedPosition], counts: npt.NDArray[np.int16]) -> None: ...
