from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.deep.evaluation import HeatWeights

def wins(position: PackedPosition, uci: str, threshold: int, weights: HeatWeights) -> bool: ...
