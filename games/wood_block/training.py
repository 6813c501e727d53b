"""Learning the evaluation's weights: the cross-entropy method on how often a hand cannot be placed.

With the usual hands even a poor evaluation lives for thousands of them, and a candidate would have to play
for minutes before its deaths tell anything. So candidates play with the large blocks only, and follow few
boards: with that they die after some hundred hands.
"""

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from games.evolution_folder import EvolutionSettings, Line
from games.evolution_run import EvolutionTask
from games.wood_block.blocks import BlockSet, parse_block
from games.wood_block.evaluation import NAMES, SIGNED
from games.wood_block.fields import Field
from games.wood_block.players import Effort, hand_search
from games.wood_block.rules import Rules
from games.wood_block.weights import Weights

# What each feature is counted in, so that a change by 1 changes the evaluation of usual boards by about as
# much for each of them.
_UNITS = {
    "holes": 3.0,
    "dead_ends": 2.0,
    "no_squares": 0.5,
    "no_bars": 0.3,
    "line_halves": 0.1,
    "box_halves": 0.1,
    "misfits": 8.0,
    "only_places": 3.0,
    "short_of_room": 0.5,
}
# What a person would begin with: cells and edges are bad, all else a little.
_BEGIN = {"cells": 1.0, "edges": 0.6, "box_edges": 0.4, "wall_cells": 0.1, "misfits": 0.5}
_BEGIN_OTHERS = 0.3
# The length that a row of weights is brought to, because only their ratios matter.
_LENGTH = 2.0
# How far the first candidates lie apart where nothing good is known.
DEVIATION = 0.4
# Later ones lie apart by what was learned and by this share of it.
_NOISE = 0.3
# Blocks with fewer cells are left out.
_LARGE = 4
# So few boards are followed.
_NARROW = (8, 8)


def start_row() -> tuple[float, ...]:
    """The row that a run begins with if it begins anew."""
    return tuple(_BEGIN.get(name, _BEGIN_OTHERS) for name in NAMES)


def row_of(weights: Weights) -> tuple[float, ...]:
    """The row that stands for weights, to go on from them."""
    return tuple(value / _UNITS.get(name, 1.0) for name, value in zip(NAMES, weights.values, strict=True))


def weights_of(row: Sequence[float], danger: float = math.inf) -> Weights:
    """The weights that a row stands for. Where a weight must not be below zero, its sign means nothing."""
    length = math.sqrt(math.fsum(value * value for value in row)) or 1.0
    values = tuple(
        (value if name in SIGNED else abs(value)) * _UNITS.get(name, 1.0) * _LENGTH / length
        for name, value in zip(NAMES, row, strict=True)
    )
    return Weights(values, min(danger, 1000.0))


def training_settings(
    rules: Rules,
    start: Sequence[float],
    *,
    hands: int,
    generations: int,
    candidates: int,
    seed: int,
    deviation: float = DEVIATION,
) -> EvolutionSettings:
    """A run of the noisy cross-entropy method for these rules."""
    game = {"size": rules.size, "blocks": [str(block) for block in rules.blocks.blocks], "hands": hands}
    return EvolutionSettings(
        method="cem",
        start=tuple(start),
        game=game,
        generations=generations,
        candidates=candidates,
        best=0.2,
        deviation=deviation,
        noise=_NOISE * deviation,
        decay=0.93,
        looks=2,
        seed=seed,
    )


def rules_of(game: dict[str, Any]) -> Rules:
    """The rules that a run was set up for."""
    return Rules(game["size"], BlockSet("set", tuple(map(parse_block, game["blocks"]))))


def large_blocks(rules: Rules) -> list[int]:
    """The numbers of the blocks that candidates play with: the large ones, or all where there are none."""
    blocks = rules.blocks.blocks
    return [i for i, block in enumerate(blocks) if len(block.cells) >= _LARGE] or [*range(len(blocks))]


def survived(task: EvolutionTask) -> Line:
    """Play a candidate's hands; its points are the logarithm of the hands for each death."""
    begin = time.process_time()
    rules = rules_of(dict(task.game))
    search = hand_search(
        Field(rules), Effort(_NARROW, samples=0), weights_of(task.row), deal=large_blocks(rules)
    )
    left, seed, deaths = int(task.game["hands"]), task.seed, 0
    while left > 0:
        placed, _, _, seed, is_over = search.play(0, seed, left)
        left -= max(placed, 1)
        deaths += is_over
    hands = int(task.game["hands"])
    points = math.log(hands / (deaths + 0.5))
    return {"points": points, "deaths": deaths, "hands": hands, "seconds": time.process_time() - begin}


def danger_of(
    rules: Rules, weights: Weights, *, share: float = 0.3, hands: int = 2000, seed: int = 1
) -> float:
    """The cost that so large a share of the boards after a hand has or exceeds, in the usual game.

    From it on the next hand is looked at, which costs a few milliseconds and pays on a third of all boards.
    """
    search = hand_search(Field(rules), Effort(_NARROW, samples=0), weights)
    costs, board = [], 0
    for _ in range(hands):
        _, _, board, seed, is_over = search.play(board, seed, 1)
        costs.append(search.cost(board))
        if is_over:
            board = 0
    return float(np.quantile(costs, 1 - share))


def text_of(rules: Rules, row: Sequence[float]) -> str:
    """A generation's weights as a file: with the danger that follows from them."""
    weights = weights_of(row)
    return Weights(weights.values, round(danger_of(rules, weights), 2)).text()
