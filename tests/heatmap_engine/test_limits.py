"""Budgets for every clock."""

import chess
from hypothesis import given
from hypothesis import strategies as st

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.engines.pick import FoundDepth
from heatmap_engine.limits import Budget, Pacing, Patience, clock_budget, move_budget

PACING = Pacing(moves=40, begin_until=0.05)
TIMES = st.integers(-(10**6), 10**9)


@given(TIMES, TIMES, st.one_of(st.none(), st.integers(-200, 200)), st.integers(0, 5000))
def test_the_hard_budget_leaves_the_clock_its_overhead(
    remaining: int, increment: int, moves: int | None, overhead: int
) -> None:
    budget = clock_budget(remaining, increment, moves, overhead, PACING)
    assert 0.001 <= budget.soft_s <= budget.hard_s
    if remaining - overhead >= 10:
        assert budget.hard_s * 1000 <= remaining - overhead


@given(TIMES, st.integers(0, 5000))
def test_a_move_gets_what_is_given_less_the_overhead(milliseconds: int, overhead: int) -> None:
    assert move_budget(milliseconds, overhead).hard_s == max((milliseconds - overhead) / 1000, 0.001)


def test_more_time_more_thought() -> None:
    budgets = [clock_budget(ms, 0, None, 30, PACING).hard_s for ms in (50, 500, 5_000, 50_000)]
    assert budgets == sorted(budgets)
    assert budgets[0] < budgets[-1]


def test_a_number_of_moves_that_cannot_be_is_none() -> None:
    assert clock_budget(60_000, 0, -5, 30, PACING) == clock_budget(60_000, 0, None, 30, PACING)


def test_patience_grows_with_doubt_and_ends_with_certainty() -> None:
    patience = Patience()
    first = patience.after_depth("e2e4", 20)
    steady = [patience.after_depth("e2e4", 20) for _ in range(10)]
    assert steady == sorted(steady, reverse=True)
    assert steady[-1] < 1 < first
    assert patience.after_depth("d2d4", 20) == first


def test_patience_grows_with_a_falling_value_and_not_with_a_rising_one() -> None:
    def after(value: float) -> float:
        patience = Patience()
        for _ in range(8):
            patience.after_depth("e2e4", 50)
        return patience.after_depth("e2e4", value)

    assert after(200) == after(50) < after(30) < after(-20) == 2 * after(50) == after(-31_000)


def test_ponder_hit_before_anything_was_found_waits_for_an_answer_of_its_own() -> None:
    """It took the answer's time from what an earlier search had found."""
    budget = Budget(soft_s=1.0, hard_s=4.0)
    line = Candidate(chess.Move.from_uci("e2e4"), 0.0, (chess.Move.from_uci("e2e4"),), False)

    def found(depth: int, deserved: float = 1.0) -> FoundDepth:
        effort = {"selective_depth": depth, "nodes": 1, "moves_visited": 1, "seconds": 0.1}
        return FoundDepth(lines=(line,), depth=depth, deserved=deserved, **effort)  # type: ignore[arg-type] # numbers

    classic, deep = mode_named("classic"), mode_named("deep")
    assert [classic.due_after_ponder(budget, 0.5, each) for each in (None, found(1), found(2))] == [4, 4, 1]
    assert [deep.due_after_ponder(budget, 0.5, each) for each in (None, found(9, 2.0), found(9, 9.0))] == [
        0.5,
        1.5,
        3.5,
    ]
    assert deep.due_after_ponder(move_budget(2_000, 0), 0.5, None) == 2.0
