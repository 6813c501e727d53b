from collections.abc import Sequence

from games.wood_block.fields import Field

def play_out(
    field: Field, board: int, hand: Sequence[int | None], policy: int, seed: int, steps: int
) -> tuple[int, int]: ...
def choose(
    field: Field, board: int, hand: Sequence[int | None], policy: int, seed: int
) -> tuple[int, int, int] | None: ...
