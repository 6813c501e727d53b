import numpy as np
import numpy.typing as npt

from heatmap_engine.kernel.board.packed import PackedPosition

MAX_HEAT_DEPTH: int

def count_landings(position: PackedPosition, counts: npt.NDArray[np.int64]) -> None: ...
