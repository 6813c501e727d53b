"""The constants of the search that are tuned together: their list, with usual values and limits.

Margins are in units of the weights, parts are 256ths of a ply. `kernel/deep/constants.pxd` says what each one
does, by the same names. Weights carry them, because both together tell how deep mode plays.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from heatmap_engine.errors import InvalidWeights, shown


@dataclass(frozen=True, slots=True)
class Range:
    """What a constant may be, and how far it is worth varying at once."""

    usual: int
    least: int
    most: int
    step: int
    """A change that a few hundred games begin to show, or less: the scale on which it is tuned."""


RANGES: Mapping[str, Range] = {
    # Margins.
    "aspiration_margin": Range(25, 5, 200, 4),
    "reverse_futility_margin": Range(55, 10, 200, 8),
    "futility_margin": Range(90, 20, 300, 12),
    "quiet_exchange_margin": Range(50, 5, 200, 8),
    "capture_exchange_margin": Range(90, 20, 300, 12),
    "null_move_step": Range(200, 50, 800, 25),
    "singular_margin": Range(200, 0, 1000, 30),
    "double_extension_margin": Range(20, 0, 150, 5),
    "deeper_margin": Range(20, 0, 150, 6),
    "shallower_margin": Range(4, 0, 60, 2),
    # Depths.
    "reverse_futility_to": Range(8, 1, 20, 1),
    "futility_to": Range(6, 0, 20, 1),
    "late_moves_to": Range(8, 0, 20, 1),
    "exchanges_to": Range(8, 0, 20, 1),
    "bad_histories_to": Range(4, 0, 20, 1),
    "null_move_from": Range(3, 1, 12, 1),
    "singular_from": Range(7, 4, 16, 1),
    # Reductions.
    "null_move_reduction": Range(768, 256, 1536, 64),
    "null_move_reduction_by_depth": Range(86, 0, 192, 8),
    "reduction_base": Range(40, -100, 200, 10),
    "reduction_divisor": Range(220, 100, 500, 12),
    "cut_node_reduction": Range(256, -256, 1024, 48),
    "not_improving_reduction": Range(256, -256, 1024, 48),
    "tactical_reduction": Range(256, -256, 1024, 48),
    "principal_reduction": Range(256, -256, 1024, 48),
    "checking_reduction": Range(256, -256, 1024, 48),
    "in_check_reduction": Range(256, -256, 1024, 48),
    "exact_reduction": Range(256, -256, 1024, 48),
    "pruning_reduction": Range(102, -256, 768, 48),
    "losing_capture_share": Range(50, 0, 150, 8),
    "singular_share": Range(50, 20, 80, 4),
    # Late moves.
    "late_moves_base": Range(400, 100, 1500, 50),
    "late_moves_by_depth": Range(100, 20, 400, 12),
    "late_moves_not_improving": Range(50, 20, 100, 5),
    # Histories.
    "history_bonus": Range(140, 10, 600, 16),
    "most_history_bonus": Range(1800, 200, 6000, 160),
    "history_of_a_ply": Range(8192, 2000, 40_000, 700),
    "bad_history": Range(2500, 300, 12_000, 250),
}


@dataclass(frozen=True, slots=True)
class SearchConstants:
    """A value for each constant, by its name. A missing name has its usual value; raises `InvalidWeights`."""

    values: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.values) - set(RANGES)):
            raise InvalidWeights(f"no constant of the search is called {unknown[0]!r:.80}")
        for name, value in self.values.items():
            allowed = RANGES[name]
            if type(value) is not int or not allowed.least <= value <= allowed.most:
                raise InvalidWeights(
                    f"expected a whole number from {allowed.least} to {allowed.most} "
                    f"for the search's {name}, got {shown(value)}"
                )
        whole = {name: self.values.get(name, allowed.usual) for name, allowed in RANGES.items()}
        object.__setattr__(self, "values", whole)

    @property
    def changed(self) -> dict[str, int]:
        """Those that have not their usual values."""
        return {name: value for name, value in self.values.items() if value != RANGES[name].usual}


USUAL = SearchConstants()
"""What the search has where weights say nothing else."""
