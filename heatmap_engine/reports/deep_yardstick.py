"""What positions are worth to the deep search before it looks ahead."""

import math
from dataclasses import dataclass

from heatmap_engine.heat_weights import DeepWeights
from heatmap_engine.kernel.deep import MATE_VALUE
from heatmap_engine.kernel.evaluation import weigh
from heatmap_engine.kernel.packed import PackedPosition
from heatmap_engine.kernel.tree import children, terminal_score
from heatmap_engine.mates import sign_of_mate
from heatmap_engine.reports.yardstick import DEEP_UNITS, Unit
from heatmap_engine.weights import CMHM2


@dataclass(frozen=True, slots=True)
class DeepYardstick:
    """Weighs positions as the deep search does at the end of a line, in its whole units.

    A check is answered first, and the best answer counts: heat has no say while a king is attacked.
    """

    of: DeepWeights
    unit: Unit = DEEP_UNITS

    @property
    def weights(self) -> str:
        return self.of.name

    def statics(self, positions: list[PackedPosition]) -> list[float]:
        return [self._static(position) for position in positions]

    def end(self, position: PackedPosition, history: list[PackedPosition]) -> float | None:
        score = terminal_score(position, history, 0, CMHM2.table)  # its sign tells who won
        return score and math.copysign(MATE_VALUE, score)

    def _static(self, position: PackedPosition) -> float:
        """Ends, although answers to checks may check again: fifty moves are a draw."""
        over = self.end(position, [])
        if over is not None:
            return over
        if position.in_check:
            answers = self.statics([after for _, after in children(position)])
            best = min(answers) if position.black else max(answers)
            return best - sign_of_mate(best)  # a ply later
        value = float(round(weigh(position, self.of.table)))
        return -value + 0.0 if position.black else value
