from collections.abc import Iterator, Mapping

from games.tetrominoes.kicks import KickTable

class Chances:
    states: int
    def __init__(
        self, kicks: KickTable, soft_drop: bool, queue: str, endings: Mapping[str, float]
    ) -> None: ...
    def stop(self) -> None: ...
    def placements(
        self, board: int, lines: int, hold: int
    ) -> Iterator[tuple[int, bool, int, int, int, float]]: ...
