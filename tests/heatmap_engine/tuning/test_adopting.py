"""Learned weights against those in use: who is adopted, and by which rule."""

from pathlib import Path

import pytest
from tuning_runs import values

from heatmap_engine.deep.adopted import adopted_path, weights_in_use
from heatmap_engine.deep.weights import DeepWeights, learned_weights, load_weights, save_weights
from heatmap_engine.errors import InvalidRun
from heatmap_engine.match.strength import Pentanomial
from heatmap_engine.tuning.adopting import RULE, Contest, Verdict
from heatmap_engine.tuning.pool import tuning_pool
from heatmap_engine.tuning.session import TuneSession
from heatmap_engine.tuning.starts import starting_weights

VERSION = {"version": "test"}


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def contest(path: Path, learned: DeepWeights, in_use: DeepWeights, **settings: int) -> Contest:
    save_weights(path, learned)
    return Contest(path, load_weights(path), in_use, nodes=30, **{"most_games": 200, **settings})


def played(match: Contest, workers: int = 1) -> Verdict:
    with match.locked():
        assert match.play(TuneSession(tuning_pool(workers)))
    return match.verdict()


def test_the_test_is_asked_pair_by_pair() -> None:
    """What was played beside the pair that decided does not count, on whatever side it is."""
    points = [2.0, 1.5] * 60
    decided = Verdict.of(points)
    assert decided.is_won
    last = decided.result.pentanomial.pairs
    assert last < len(points)
    assert Verdict.of(points[: last - 1]).accepted is None
    assert Verdict.of([*points[:last], *[0.0] * 50]) == decided
    assert Verdict.of([0.0, 0.5] * 60).accepted == "H0"
    assert RULE.accepts(Pentanomial()) is None


def test_stronger_weights_are_used_from_then_on(tmp_path: Path) -> None:
    match = contest(tmp_path / "w.json", learned_weights(), starting_weights("zeros"))
    verdict = played(match)
    kept = match.conclude(VERSION)
    assert verdict.is_won
    assert kept is not None
    assert kept == adopted_path()
    assert values(weights_in_use()) == values(load_weights(tmp_path / "w.json"))
    report = match.report_path.read_text()
    assert "won: they are used from now on" in report
    assert f"| games | {verdict.result.games} of at most 200" in report
    assert kept.with_suffix(".md").read_text() == report
    assert weights_in_use().provenance["adopted after"]["against"] == "zeros"


def test_weaker_weights_are_not_adopted_and_the_report_says_so(tmp_path: Path) -> None:
    match = contest(tmp_path / "w.json", starting_weights("zeros"), learned_weights())
    assert played(match).accepted == "H0"
    assert match.conclude(VERSION) is None
    assert adopted_path() is None
    assert "not stronger; nothing was changed" in match.report_path.read_text()


def test_games_that_do_not_decide_change_nothing(tmp_path: Path) -> None:
    match = contest(tmp_path / "w.json", learned_weights(), starting_weights("zeros"), most_games=2)
    assert played(match).accepted is None
    assert match.conclude(VERSION) is None
    assert adopted_path() is None
    assert "the games do not decide; nothing was changed" in match.report_path.read_text()


def test_a_match_that_was_stopped_goes_on_to_the_same_answer(tmp_path: Path) -> None:
    weak = starting_weights("cmhm2")
    one = contest(tmp_path / "one.json", learned_weights(), weak)
    played(one)
    two = contest(tmp_path / "two.json", learned_weights(), weak)
    done = 0

    def when_done(_progress: object) -> None:
        nonlocal done
        done += 1

    with two.locked():
        stopped = TuneSession(tuning_pool(), when_done, lambda: done >= 3)
        assert not two.play(stopped)
    assert played(two, workers=2) == one.verdict()
    # Others in use are another match: nothing of this one counts.
    again = Contest(
        tmp_path / "two.json", learned_weights(), starting_weights("zeros"), nodes=30, most_games=200
    )
    assert again.verdict().result.games == 0


def test_weights_in_use_need_no_match(tmp_path: Path) -> None:
    with pytest.raises(InvalidRun, match="these weights are in use already, as td 10"):
        contest(tmp_path / "w.json", learned_weights(), learned_weights())


def test_two_processes_do_not_play_one_match(tmp_path: Path) -> None:
    match = contest(tmp_path / "w.json", learned_weights(), starting_weights("zeros"))
    with match.locked(), pytest.raises(InvalidRun, match="another process is playing"), match.locked():
        pass
