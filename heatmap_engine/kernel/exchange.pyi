from heatmap_engine.kernel.evaluation import HeatWeights
from heatmap_engine.kernel.packed import PackedPosition

def wins(position: PackedPosition, uci: str, threshold: int, weights: HeatWeights) -> bool: ...
