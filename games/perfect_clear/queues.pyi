import numpy as np
import numpy.typing as npt

from games.tetrominoes.kicks import KickTable

class Queues:
    searched: int
    def __init__(self, kicks: KickTable, soft_drop: bool, board: int, lines: int, needed: int) -> None: ...
    def adopt(self, orders: npt.NDArray[np.uint8]) -> None: ...
    def decide(
        self,
        queues: npt.NDArray[np.uint8],
        hold: int,
        may_hold: bool,
        answers: npt.NDArray[np.uint8],
        most_states: int,
    ) -> None: ...
