"""The directions in which candidates vary."""

import numpy as np
import pytest

from heatmap_engine.deep.weights import CMHM2
from heatmap_engine.kernel.deep.evaluation import NAMES
from heatmap_engine.tuning.directions import directions, weights_at
from heatmap_engine.tuning.results_fit import as_vector, expected_sizes
from heatmap_engine.tuning.starts import ZEROS


def test_every_weight_that_can_matter_lies_in_a_direction() -> None:
    moved = np.abs(directions()).sum(axis=0)[: len(NAMES)] > 0
    idle = {name for name, is_moved in zip(NAMES, moved, strict=True) if not is_moved}
    # A king's man cancels out, and a count of none is where each slope begins.
    assert "man king" in idle
    assert {name.rpartition(" ")[2] for name in idle - {"man king"} if "standing" not in name} == {"0"}


def test_directions_are_independent_and_as_long_as_weights_are_expected_to_be() -> None:
    rows = directions()
    assert np.linalg.matrix_rank(rows) == len(rows)
    sizes = np.tile(expected_sizes(), 2)
    for row in rows:
        moved = row != 0
        assert np.mean(np.abs(row[moved])) <= 1.5 * np.max(sizes[moved])


def test_a_mans_direction_makes_the_man_worth_something() -> None:
    queen = NAMES.index("man queen")
    (number,) = [place for place, row in enumerate(directions()) if row[queen]]
    coefficients = np.zeros(len(directions()))
    coefficients[number] = 0.5
    weights = weights_at(ZEROS, coefficients)
    assert weights.values["man queen"] == (500.0, 500.0)
    assert weights.worth[4] == pytest.approx(500, rel=0.01)


def test_no_step_leaves_the_start_as_it_is() -> None:
    found = weights_at(CMHM2, np.zeros(len(directions())))
    assert np.array_equal(as_vector(found), as_vector(CMHM2))
