"""Values of positions in deep mode without looking ahead, and their unit."""

from dataclasses import dataclass

from heatmap_engine.board.breakdown import PatternPart
from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.ends import end_of
from heatmap_engine.deep.mates import mate_in, sign_of_mate
from heatmap_engine.deep.settings import expected_points
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.kernel.deep.evaluation import weigh
from heatmap_engine.kernel.deep.search import MATE_VALUE
from heatmap_engine.winning_chances import Unit, deep_centipawns, deep_chances

CENTIPAWNS = "centipawns (+300: odds about 10:1)"

DEEP_UNITS = Unit(
    "deep", CENTIPAWNS, 0, False, deep_chances, deep_centipawns, mate_in, expected_points, has_mates=True
)


@dataclass(frozen=True, slots=True)
class DeepYardstick:
    """Values positions as the deep search does at the end of a line, in whole centipawns.

    In check there is no evaluation, so the best evaluation after the legal replies counts.
    """

    of: DeepWeights
    unit: Unit = DEEP_UNITS

    @property
    def weights(self) -> str:
        return self.of.name

    @property
    def heat_depth(self) -> int:
        return 1

    @property
    def heat_weights(self) -> None:
        """Deep mode has none for heat alone."""

    def statics(self, positions: list[PackedPosition]) -> list[float]:
        return [self._static(position) for position in positions]

    def patterns(self, position: PackedPosition) -> tuple[PatternPart, ...]:
        return ()  # what holds everywhere is in the weights

    def end(self, position: PackedPosition, history: list[PackedPosition]) -> float | None:
        over = end_of(position, history)
        if over is None:
            return None
        return movers_view(not position.black, -float(MATE_VALUE)) if over == "checkmate" else 0.0

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
