from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from heatmap_engine.kernel.board.packed import PackedPosition

class WeightTable:
    """Weights laid out for C; one row a ply, the last row standing for all later plies."""

    def __init__(
        self, move_rows: Sequence[Sequence[float]], box_rows: Sequence[Sequence[float]], mate: float
    ) -> None: ...

def score(position: PackedPosition, depth: int, weights: WeightTable) -> float: ...
def score_all(
    positions: list[PackedPosition], depth: int, weights: WeightTable, scores: npt.NDArray[np.float64]
) -> None: ...
