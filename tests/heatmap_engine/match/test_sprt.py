"""The sequential test against figures worked out by hand, and against the approximation for many pairs."""

import math
from random import Random

import pytest

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.match.sprt import Sprt
from heatmap_engine.match.strength import Pentanomial, score_of


def test_bounds_worked_out_by_hand() -> None:
    # log(0.95 / 0.05) = log 19; with alpha 0.1 and beta 0.2: log(0.2 / 0.9) and log(0.8 / 0.1).
    assert Sprt(0, 5).upper == pytest.approx(math.log(19))
    assert Sprt(0, 5).lower == pytest.approx(-math.log(19))
    assert Sprt(0, 5, alpha=0.1, beta=0.2).lower == pytest.approx(math.log(2 / 9))
    assert Sprt(0, 5, alpha=0.1, beta=0.2).upper == pytest.approx(math.log(8))


def test_pairs_that_are_won_or_lost_worked_out_by_hand() -> None:
    # With two scores only, the mean alone fixes the distribution: p of 1, 1 - p of 0. Mean 1/2 for Elo 0 and
    # 3/4 for 400 log10(3). 60 : 40 gives 60 log(0.75 / 0.5) + 40 log(0.25 / 0.5)
    # = 24.3279 - 27.7259 = -3.3980.
    test = Sprt(0, 400 * math.log10(3))
    assert test.llr(Pentanomial((40, 0, 0, 0, 60))) == pytest.approx(-3.3980, abs=2e-3)


def test_many_pairs_agree_with_the_normal_approximation() -> None:
    # For small differences: N (s1 - s0) (2 mean - s0 - s1) / (2 variance).
    pairs, test = Pentanomial((400, 2100, 4900, 2150, 450)), Sprt(0, 5)
    s0, s1, mean = score_of(0), score_of(5), pairs.score
    assert mean is not None
    squares = (0.0, 0.25, 0.5, 0.75, 1.0)
    variance = sum(n * (a - mean) ** 2 for n, a in zip(pairs.counts, squares, strict=True)) / pairs.pairs
    expected = pairs.pairs * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert test.llr(pairs) == pytest.approx(expected, rel=0.01)


def test_llr_is_defined_for_whatever_was_played() -> None:
    test = Sprt(0, 10)
    assert test.llr(Pentanomial()) == 0.0
    assert 0 < test.llr(Pentanomial((0, 0, 0, 0, 3))) < 1
    assert -1 < test.llr(Pentanomial((3, 0, 0, 0, 0))) < 0
    assert math.isfinite(Sprt(-1000, 1000).llr(Pentanomial((0, 0, 10**6, 0, 0))))


def test_draws_alone_speak_for_the_hypothesis_that_is_nearer() -> None:
    drawn = Pentanomial((0, 0, 30, 0, 0))
    assert Sprt(0, 20).llr(drawn) < 0 < Sprt(-20, 0).llr(drawn)
    assert Sprt(-10, 10).llr(drawn) == pytest.approx(0, abs=1e-9)


def test_errors_are_as_rare_as_promised() -> None:
    # 300 tests with pairs from the distribution of either hypothesis: five in a hundred may be wrong, and
    # overshooting the bounds makes it fewer. A seed makes the figures the same each time.
    test = Sprt(0, 60)
    wrong = {"H0": 0, "H1": 0}
    for number in range(300):
        truth, other = ("H0", "H1") if number % 2 else ("H1", "H0")
        wrong[truth] += _verdict(test, score_of(test.elo0 if truth == "H0" else test.elo1), number) == other
    assert all(1 <= count <= 15 for count in wrong.values()), wrong  # of 150 each


def _verdict(test: Sprt, mean: float, seed: int) -> str:
    source, counts = Random(seed), [0] * 5
    shift = mean - 0.5
    chances = [0.1 - shift / 2, 0.2 - shift, 0.4, 0.2 + shift, 0.1 + shift / 2]
    while True:
        counts[source.choices(range(5), chances)[0]] += 1
        worst, bad, even, good, best = counts
        verdict = test.accepts(Pentanomial((worst, bad, even, good, best)))
        if verdict is not None:
            return verdict


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((5, 5, 0.05, 0.05), "ELO0 < ELO1"),
        ((5, 0, 0.05, 0.05), "ELO0 < ELO1"),
        ((0, 2000, 0.05, 0.05), "ELO0 < ELO1"),
        ((float("nan"), 5, 0.05, 0.05), "ELO0 < ELO1"),
        ((0, 5, 0.0, 0.05), "alpha between 0 and 0.5"),
        ((0, 5, 0.05, 0.5), "beta between 0 and 0.5"),
    ],
)
def test_tests_that_cannot_be_are_refused(bounds: tuple[float, float, float, float], message: str) -> None:
    with pytest.raises(InvalidSettings, match=message):
        Sprt(*bounds)
