from collections.abc import Sequence

from games.tetris.game import Game

class WeightsPlayer:
    known: int
    unknown: int
    placements: int
    def __init__(self, weights: Sequence[float], deep: bool, known: int = 0, unknown: int = 0) -> None: ...
    def play(self, game: Game, most_pieces: int, most_lines: int) -> None: ...
    def candidates(self, game: Game) -> list[tuple[float, int, int]]: ...
