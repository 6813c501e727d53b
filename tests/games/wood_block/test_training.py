"""Learning weights: what a candidate is measured by, and a small run from its start to its end."""

from pathlib import Path

import pytest

from games.evolution_folder import EvolutionFolder
from games.evolution_run import EvolutionRun, EvolutionTask
from games.wood_block.blocks import SETS
from games.wood_block.evaluation import NAMES
from games.wood_block.rules import Rules
from games.wood_block.training import (
    danger_of,
    large_blocks,
    row_of,
    rules_of,
    start_row,
    survived,
    text_of,
    training_settings,
    weights_of,
)
from games.wood_block.weights import learned_weights, read_weights
from heatmap_engine.workers.local import SameProcess

RULES = Rules(9, SETS["21"])


def tried(row: tuple[float, ...], hands: int = 1500) -> float:
    settings = training_settings(RULES, row, hands=hands, generations=1, candidates=4, seed=1)
    line = survived(EvolutionTask("candidate 0", 1, 0, row, 77, settings.game))
    assert line["hands"] == hands
    return float(line["points"])


def test_row_and_weights_stand_for_each_other() -> None:
    weights = learned_weights(RULES)
    again = weights_of(row_of(weights), weights.danger)
    ratios = {round(new / old, 3) for new, old in zip(again.values, weights.values, strict=True)}
    assert len(ratios) == 1
    # A weight that must not be below zero stays above it.
    assert min(weights_of([-1.0] * len(NAMES)).values[4:]) > 0


def test_candidates_are_measured_with_large_blocks() -> None:
    assert {len(RULES.blocks.blocks[number].cells) for number in large_blocks(RULES)} == {4, 5}
    assert (
        rules_of(
            dict(training_settings(RULES, (1.0,), hands=1, generations=1, candidates=4, seed=0).game)
        ).blocks.blocks
        == RULES.blocks.blocks
    )


def test_learned_weights_live_longer_than_those_to_begin_with() -> None:
    assert tried(row_of(learned_weights(RULES))) > tried(start_row()) + 0.5


def test_points_are_the_same_whenever_a_candidate_is_tried() -> None:
    assert tried(start_row(), 300) == tried(start_row(), 300)


def test_danger_is_a_cost_that_a_share_of_boards_exceeds() -> None:
    weights = learned_weights(RULES)
    dangers = [danger_of(RULES, weights, share=share, hands=300) for share in (0.5, 0.05)]
    assert dangers[0] < dangers[1]


@pytest.mark.parametrize("killed_after", [0, 7])
def test_run_writes_weights_and_goes_on_where_it_was(tmp_path: Path, killed_after: int) -> None:
    settings = training_settings(RULES, start_row(), hands=60, generations=2, candidates=6, seed=3)
    results = []
    for name, limit in (("whole", 0), ("stopped", killed_after)):
        folder = EvolutionFolder.create(tmp_path / name, settings)
        done: list[object] = []
        while len(folder.generations()) < 2:
            with folder.locked():
                run = EvolutionRun(
                    folder,
                    lambda row, _: text_of(RULES, row),
                    done.append,
                    lambda limit=limit, done=done: bool(limit) and len(done) == limit,  # type: ignore[misc]
                )
                run.go_on(SameProcess(survived))
            done.append(None)
        results.append(folder.weights_path(2).read_text())
        assert read_weights(folder.weights_path(2)).values
    assert results[0] == results[1]
