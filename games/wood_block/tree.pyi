from collections.abc import Sequence

from games.wood_block.evaluation import Evaluation
from games.wood_block.fields import Field

POLICIES: dict[str, int]

class Tree:
    field: Field
    simulations: int
    pruned_actions: int
    pruned_nodes: int
    has_stopped: bool
    size: int
    depth: int
    def __init__(
        self,
        field: Field,
        evaluation: Evaluation | None = None,
        *,
        exploration: float = ...,
        policy: int = 1,
        max_depth: int = 10,
        rollout_length: int = 10,
        adaptive: bool = False,
        early_stop: float = 0.0,
        settled: int = 5,
        most_actions: int = 0,
        most_nodes: int = ...,
    ) -> None: ...
    def begin(self, board: int, hand: Sequence[int | None], seed: int) -> None: ...
    def advance(self, board: int, hand: Sequence[int | None], seed: int) -> int: ...
    def run(self, simulations: int) -> int: ...
    def children(self) -> list[tuple[int, int, int, int, float]]: ...
    def states(
        self,
    ) -> list[tuple[int, int, int, int, tuple[int, ...], int, int, int, int | None]]: ...
