"""Time controls, and the clock that is kept of them."""

import pytest

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.players.pace import Clock, Pace, TimeControl


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("8+0.08", TimeControl(8.0, 0.08)),
        ("60", TimeControl(60.0)),
        ("40/60+0.5", TimeControl(60.0, 0.5, 40)),
        ("0.5+0.01", TimeControl(0.5, 0.01)),
    ],
)
def test_time_controls_are_read_and_written(text: str, control: TimeControl) -> None:
    assert TimeControl.parse(text) == control
    assert str(control) == text


@pytest.mark.parametrize("text", ["", "0", "-1", "8+", "+1", "0/60", "1:30", "8 + 1", "8+0.08s", "1e3", "٣"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidSettings, match=r"such as 8\+0\.08"):
        TimeControl.parse(text)


def test_clock_loses_what_is_spent_and_wins_the_increment() -> None:
    clock = Clock(Pace(TimeControl(1.0, 0.25)), margin_s=0.0)
    assert clock.spend(0.5)
    assert clock.remaining_s == 0.75
    assert not clock.spend(0.8)


def test_margin_is_forgiven_and_not_owed() -> None:
    clock = Clock(Pace(TimeControl(1.0)), margin_s=0.1)
    assert clock.spend(1.0625)
    assert clock.remaining_s == 0.0
    assert not clock.spend(0.125)


def test_base_time_comes_back_after_so_many_moves() -> None:
    clock = Clock(Pace(TimeControl(1.0, 0.0, 2)), margin_s=0.0)
    assert (clock.moves_to_go, clock.spend(0.25), clock.moves_to_go) == (2, True, 1)
    assert clock.spend(0.25)
    assert (clock.remaining_s, clock.moves_to_go) == (1.5, 2)


def test_time_for_a_move_is_the_same_for_each() -> None:
    clock = Clock(Pace(move_ms=100), margin_s=0.05)
    assert clock.spend(0.14)
    assert clock.spend(0.14)
    assert not clock.spend(0.16)


def test_without_a_limit_in_time_nobody_oversteps_it() -> None:
    assert Clock(Pace(nodes=100), margin_s=0.0).spend(1e6)


@pytest.mark.parametrize("wrong", [{"nodes": 0}, {"plies": -1}, {"move_ms": 0}])
def test_limits_of_nothing_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidSettings, match="at least 1"):
        Pace(**wrong)


def test_clock_and_time_for_a_move_exclude_each_other() -> None:
    with pytest.raises(InvalidSettings, match="got both"):
        Pace(TimeControl(1.0), 100)
