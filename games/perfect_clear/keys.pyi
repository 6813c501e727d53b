from collections.abc import Collection

from games.tetrominoes.kicks import KickTable

ACTIONS: tuple[str, ...]

class Keys:
    def __init__(self, kicks: KickTable, soft_drop: bool = True) -> None: ...
    def ways(self, piece: str, board: int, wanted: Collection[int]) -> dict[int, tuple[str, ...]]: ...
