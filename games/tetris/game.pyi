from collections.abc import Sequence

from games.tetris.rules import Rules

class Game:
    lines: int
    pieces: int
    is_over: bool
    current: str
    coming: str
    rows: tuple[int, ...]
    def __init__(self, rules: Rules, generator: str, seed: int) -> None: ...
    def put_rows(self, rows: Sequence[int]) -> None: ...
    def place(self, rotation: int, x: int) -> bool: ...
