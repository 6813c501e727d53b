from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from games.tetris.game import Game

class Network:
    width: int
    inputs: int
    provenance: dict[str, Any]
    arrays: dict[str, Any]
    def __init__(self, width: int, provenance: Mapping[str, Any] | None = None) -> None: ...
    def set_arrays(
        self, first: npt.ArrayLike, first_bias: npt.ArrayLike, second: npt.ArrayLike, second_bias: float
    ) -> None: ...
    def value(self, inputs: npt.ArrayLike) -> float: ...

class QPlayer:
    epsilon: float
    counts: dict[str, int]
    placements: int
    def __init__(
        self,
        network: Network,
        *,
        epsilon: float = 0.0,
        seed: int = 0,
        most_evaluations: int = 300,
        excellent: float = 100.0,
        stop_positions: int = 10,
        stop_rotations: int = 20,
        most_holes: int = 15,
        early_lines: int = 50,
    ) -> None: ...
    def find_best_move(self, game: Game | None) -> dict[str, float]: ...
    def play(self, game: Game, most_pieces: int, most_lines: int) -> None: ...
    def candidates(self, game: Game) -> list[tuple[float, int, int]]: ...
    def choose(self, game: Game) -> tuple[int, int] | None: ...
    def inputs_after(self, game: Game, rotation: int, column: int) -> npt.NDArray[np.float32] | None: ...
