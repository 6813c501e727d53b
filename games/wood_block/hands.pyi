from collections.abc import Sequence

from games.wood_block.evaluation import Evaluation
from games.wood_block.fields import Field

class Search:
    field: Field
    leaves: int
    dangers: int
    def __init__(
        self,
        evaluation: Evaluation,
        *,
        width: tuple[int, int] = (0, 0),
        danger: int = ...,
        kept: int = 8,
        samples: int = 16,
        next_width: tuple[int, int] = (4, 4),
        death: int = 0,
        doubling: int = ...,
        deal: Sequence[int] | None = None,
        next_deal: Sequence[int] | None = None,
    ) -> None: ...
    def answer(
        self, board: int, hand: Sequence[int | None], seed: int = 0
    ) -> tuple[bool, list[tuple[int, int, int]], int, int, int]: ...
    def play(self, board: int, seed: int, hands: int) -> tuple[int, int, int, int, bool]: ...
    def cost(self, board: int) -> float: ...
