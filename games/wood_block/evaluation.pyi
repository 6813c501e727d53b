from collections.abc import Sequence

from games.wood_block.fields import Field

NAMES: tuple[str, ...]
SIGNED: tuple[str, ...]
SCALE: int

class Evaluation:
    field: Field
    def __init__(self, field: Field, weights: Sequence[float], per_point: float = 0.0) -> None: ...
    def cost(self, board: int, limit: int = ...) -> int: ...
    def features(self, board: int) -> tuple[int, ...]: ...
    def cost_many(self, board: int, times: int) -> int: ...
