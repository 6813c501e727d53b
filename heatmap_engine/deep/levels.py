"""Levels of strength: from Elo to the nodes for a move, and to how much is overlooked and misjudged.

`levels.json` holds what `benchmarks/calibrate_elo.py` measured. A new measurement replaces this file
and nothing else. No clock is in it: a level plays the same on a slow machine, and never needs long.
"""

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random

from heatmap_engine.errors import InvalidSettings, shown

FORMAT = 2

# A level that errs chooses among so many best moves, and never plays a worse one.
LINES = 6

# To the same depth they take so many times the nodes of one: the geometric mean over 30 middlegames, to the
# depths that one line reaches in 30,000 nodes (4.5) and in 150,000 (5.2).
NODES_OF_LINES = 4.8


@dataclass(frozen=True, slots=True)
class Level:
    """A strength, and the settings that have it.

    `oversight` is the share of quiet replies that are not seen; what is plain to see is overlooked less.
    `temperature` is in centipawns: at 0 the best move is played; else a move that is worse by the temperature
    is played 1/e times as often as the best.
    """

    elo: float
    nodes: int
    oversight: float
    temperature: float

    @property
    def lines(self) -> int:
        """How many best moves the search must find."""
        return LINES if self.temperature else 1


@cache
def measured_levels() -> tuple[Level, ...]:
    """The levels that were measured, the weakest first."""
    text = (resources.files("heatmap_engine.deep") / "levels.json").read_text(encoding="utf-8")
    data = json.loads(text)
    if data["format"] != FORMAT:
        raise InvalidSettings(f"expected strength levels of format {FORMAT}, got {shown(data['format'])}")
    return tuple(
        Level(each["elo"], each["nodes"], each["oversight"], each["temperature"]) for each in data["levels"]
    )


def elo_range() -> tuple[int, int]:
    """The lowest and the highest level there is."""
    levels = measured_levels()
    return math.ceil(levels[0].elo), math.floor(levels[-1].elo)


def level_of(elo: float) -> Level:
    """The level of this strength. Between two that were measured its settings are interpolated."""
    lowest, highest = elo_range()
    if not lowest <= elo <= highest:
        raise InvalidSettings(f"Elo must be from {lowest} to {highest}, got {shown(elo)}")
    low, high = next(pair for pair in itertools.pairwise(measured_levels()) if elo <= pair[1].elo)
    if elo == high.elo:
        return high
    share = (elo - low.elo) / (high.elo - low.elo)
    # Below a level of one line: with more lines a search needs more nodes to be as deep.
    most = high.nodes * (NODES_OF_LINES if low.lines > high.lines else 1)
    nodes = math.exp((1 - share) * math.log(low.nodes) + share * math.log(most))
    oversight = (1 - share) * low.oversight + share * high.oversight
    temperature = (1 - share) * low.temperature + share * high.temperature
    return Level(elo, round(nodes), oversight, temperature)


def choice(values: Sequence[float], temperature: float, source: Random) -> int:
    """The index of the move to play, given their values."""
    best = max(values)
    if not temperature:
        return values.index(best)
    shares = [math.exp((value - best) / temperature) for value in values]
    return source.choices(range(len(values)), shares)[0]
