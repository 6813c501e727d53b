from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from games.tetris.game import Game
from games.tetris.network import Network

class Learner:
    steps: int
    moments: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
    def __init__(
        self,
        network: Network,
        *,
        memory: int,
        reward: Sequence[float],
        deep: bool,
        reward_base: float,
        death: float,
        discount: float,
        step: float,
        l2: float,
        batch: int,
        recent_share: float,
        recent: int,
        most_error: float,
        most_target: float,
        most_gradient: float,
    ) -> None: ...
    def set_moments(self, mean: npt.ArrayLike, square: npt.ArrayLike, steps: int) -> None: ...
    def learn(self, transitions: Sequence[tuple[Any, Any, float, bool]]) -> float: ...
    def play_round(
        self,
        game: Game,
        seed: int,
        pieces: int,
        epsilon: float,
        most_lines: int,
        target_every: int,
        learn_every: int,
    ) -> dict[str, float]: ...
