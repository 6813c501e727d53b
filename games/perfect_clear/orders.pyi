from collections.abc import Callable

from games.tetrominoes.kicks import KickTable

class Orders:
    computed: int
    def __init__(self, kicks: KickTable, soft_drop: bool = True) -> None: ...
    def clearing(
        self, board: int, lines: int, report: Callable[[int, int], None] | None = None
    ) -> tuple[bytes, int]: ...
