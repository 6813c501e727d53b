from collections.abc import Collection

from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.deep.evaluation import HeatWeights
from heatmap_engine.kernel.deep.ordering import MoveHistories
from heatmap_engine.kernel.deep.transpositions import TranspositionTable

MAX_DEPTH: int
MATE_VALUE: int
TECHNIQUES: dict[str, int]

class Searcher:
    def __init__(
        self,
        table: TranspositionTable,
        histories: MoveHistories,
        weights: HeatWeights,
        constants: dict[str, int],
        techniques: int = ...,
        is_alone: bool = ...,
    ) -> None: ...
    def begin(
        self,
        root: PackedPosition,
        history: list[PackedPosition],
        node_limit: int,
        deadline_ns: int,
        oversight: int = ...,
        blind_spots: int = ...,
        favours: dict[str, int] | None = ...,
    ) -> None: ...
    def iterate(
        self, depth: int, guess: int, excluded: Collection[str] = ..., first: str = ...
    ) -> int | None: ...
    def stop(self) -> None: ...
    def overtake(self, depth: int) -> None: ...
    @property
    def is_beaten(self) -> bool: ...
    @property
    def stopped(self) -> bool: ...
    @property
    def nodes(self) -> int: ...
    @property
    def current(self) -> tuple[str, int]: ...
    @property
    def deepest(self) -> int: ...
    @property
    def line_value(self) -> int: ...
    def line(self) -> list[str]: ...
