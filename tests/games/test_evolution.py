"""Breeding rows of numbers: what is kept, what candidates are made of, and that it finds what is best."""

import numpy as np
import pytest

from games.evolution import CrossEntropy, Doubles, Genetic, noise_at

GOAL = np.array([1.0, -2.0, 0.5, 3.0])


def test_cem_goes_to_the_mean_of_the_best() -> None:
    rows = np.array([[1.0], [2.0], [3.0], [4.0]])
    assert CrossEntropy(4, 2).kept(rows, np.array([0.0, 3.0, 1.0, 2.0])).tolist() == [[3.0]]


def test_cem_learns_how_far_the_best_lie_apart_in_each_number() -> None:
    method = CrossEntropy(4, 2, learns_deviations=True)
    rows = np.array([[9.0, 9.0], [2.0, 5.0], [9.0, 9.0], [4.0, 5.0]])
    assert method.kept(rows, np.array([0.0, 3.0, 1.0, 2.0])).tolist() == [[3.0, 5.0], [1.0, 0.0]]


def test_noise_is_added_to_learned_deviations() -> None:
    """Variances add up: a deviation of 3 and noise of 4 make one of 5. The second number has noise alone."""
    method = CrossEntropy(20_000, 10, learns_deviations=True)
    candidates = method.candidates(np.array([[7.0, 0.0], [3.0, 0.0]]), 4.0, np.random.default_rng(1))
    assert candidates.mean(axis=0) == pytest.approx([7.0, 0.0], abs=0.15)
    assert candidates.std(axis=0) == pytest.approx([5.0, 4.0], rel=0.03)


def test_noise_falls_from_generation_to_generation() -> None:
    assert [noise_at(generation, 8.0, 0.5) for generation in (1, 2, 4)] == [8.0, 4.0, 1.0]


def test_ga_keeps_the_best_in_order_and_children_are_made_of_them() -> None:
    method = Genetic(6, 3)
    kept = method.kept(np.diag(np.arange(6.0)), np.array([0.0, 1, 5, 3, 4, 2]))
    assert kept.tolist() == np.diag(np.arange(6.0))[[2, 4, 3]].tolist()
    candidates = method.candidates(kept, 0.0, np.random.default_rng(1))  # without noise nothing is new
    assert candidates[:3].tolist() == kept.tolist()
    assert all(set(column) <= set(of_kept) for column, of_kept in zip(candidates.T, kept.T, strict=True))


def test_a_champion_that_nobody_beats_stays() -> None:
    rows = np.array([[1.0], [2.0], [3.0]])
    assert Genetic(3, 2).kept(rows, np.array([4.0, 4.0, 3.0]))[0].tolist() == [1.0]


def test_a_candidate_without_points_is_never_kept() -> None:
    rows = np.array([[1.0], [2.0], [3.0]])
    assert Genetic(3, 2).kept(rows, np.array([np.nan, 1.0, 0.0])).tolist() == [[2.0], [3.0]]


def far_from_goal(rows: Doubles) -> Doubles:
    points: Doubles = -((rows - GOAL) ** 2).sum(axis=1)
    return points


def bred(method: CrossEntropy | Genetic, generations: int) -> Doubles:
    kept = method.start(np.zeros(4), 1.0)
    for generation in range(1, generations + 1):
        rows = method.candidates(kept, noise_at(generation, 0.5, 0.9), np.random.default_rng([3, generation]))
        kept = method.kept(rows, far_from_goal(rows))
    return kept


@pytest.mark.parametrize(
    "method", [CrossEntropy(40, 8), CrossEntropy(40, 8, learns_deviations=True), Genetic(40, 8)]
)
def test_every_method_climbs_to_the_goal(method: CrossEntropy | Genetic) -> None:
    assert bred(method, 40)[0] == pytest.approx(GOAL, abs=0.15)


def test_a_generation_is_the_same_whenever_it_is_made() -> None:
    method = CrossEntropy(5, 2, learns_deviations=True)
    assert bred(method, 5).tolist() == bred(method, 5).tolist()
