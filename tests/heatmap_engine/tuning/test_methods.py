"""What each method learns from nothing, from few games at few nodes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest
from tuning_runs import QUICK, created, go_on, played, values

from games.chess.archive import Archive
from games.chess.openings import load_openings
from games.chess.record import GameRecord
from games.evolution import CrossEntropy, Genetic
from heatmap_engine.board.keys import KEY_FORMAT, key_of
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.deep.constants import SearchConstants
from heatmap_engine.deep.weights import DeepWeights, learned_weights
from heatmap_engine.errors import InvalidRun
from heatmap_engine.kernel.deep.evaluation import NAMES
from heatmap_engine.memory.tables import open_table
from heatmap_engine.tuning import fitting
from heatmap_engine.tuning.config import TuneConfig
from heatmap_engine.tuning.folder import TuneFolder, lines_of
from heatmap_engine.tuning.methods import breeding_of
from heatmap_engine.tuning.players import Searches, TuneSide, play_pair
from heatmap_engine.tuning.results_fit import Data, as_vector, fit, samples_of
from heatmap_engine.tuning.starts import ZEROS
from heatmap_engine.tuning.tasks import game_of_line
from qtable import Entry, QTable


def points(weights: DeepWeights, other: DeepWeights, pairs: int) -> float:
    """The share of points in paired games."""
    searches, one, two = Searches(), TuneSide("one", weights), TuneSide("two", other)
    openings = load_openings()[:pairs]
    return sum(play_pair(searches, one, two, o, (200, 200), o.name) for o in openings) / (2 * pairs)


@pytest.mark.parametrize("method", ["td", "results"])
def test_games_of_random_moves_teach_that_men_are_worth_something(tmp_path: Path, method: str) -> None:
    folder = played(tmp_path / "run", method, games=60)
    learned = folder.weights(1)
    assert learned.worth[4] > 50  # a queen
    assert learned.provenance["positions"] > 500
    assert points(learned, ZEROS, 10) > 0.8


@pytest.mark.parametrize("method", ["cem", "ga"])
def test_candidates_that_win_are_better_than_nothing(tmp_path: Path, method: str) -> None:
    folder = played(tmp_path / "run", method, candidates=16)  # eight leave the best of them to luck
    assert points(folder.weights(1), ZEROS, 10) > 0.6


@pytest.mark.parametrize("method", ["td", "cem"])
def test_what_learns_weights_leaves_the_constants_of_the_search(tmp_path: Path, method: str) -> None:
    config = TuneConfig(method=method, **{**QUICK, "games": 4, "candidates": 2, "pairs": 1})  # type: ignore[arg-type]  # of many types
    constants = SearchConstants({"futility_margin": 80})
    folder = TuneFolder.create(tmp_path / "run", config, replace(learned_weights(), search=constants))
    go_on(folder)
    assert folder.weights(1).search == constants


def test_rounds_are_bred_as_the_settings_say() -> None:
    assert breeding_of(TuneConfig(method="cem", candidates=4, best=0.5)) == CrossEntropy(4, 2)
    assert breeding_of(TuneConfig(method="ga", candidates=6, best=0.5)) == Genetic(6, 3)


def test_later_rounds_remember_earlier_ones(tmp_path: Path) -> None:
    """With one round kept, the second fit sees only its own games, but expects what the first has learned."""
    folder = played(tmp_path / "run", "td", rounds=2, kept=1, games=20)
    first, second = (folder.weights(number) for number in (1, 2))
    assert (first.provenance["games"], second.provenance["games"]) == (20, 40)
    one, two = (as_vector(weights) for weights in (first, second))
    assert np.corrcoef(one, two)[0, 1] > 0.5


def learned_positions(folder: TuneFolder, round_number: int, stride: int) -> int:
    """How many positions of a round are learned from, of each game but the last of ten one in `stride`."""
    return sum(
        len([*samples_of(game_of_line(line), 1.0)][line["number"] % stride :: stride])
        for line in lines_of(folder.round(round_number))
        if line["number"] % 10 != 9
    )


def test_td_learns_from_all_quiet_positions_of_games_in_which_some_moves_are_random(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", "td", start="package", games=10, epsilon=0.25)
    assert folder.weights(1).provenance["positions"] == learned_positions(folder, 1, stride=1)
    assert folder.weights(1).provenance["settings"]["epsilon"] == 0.25
    moments = [m for line in lines_of(folder.round(1)) for m in game_of_line(line).moments]
    assert 0.1 < sum(moment.is_stray for moment in moments) / len(moments) < 0.3


def test_td_learns_a_net_from_so_many_positions_on(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", "td", start="package", games=30, net_from=500)
    learned = folder.weights(1)
    assert learned.net is not None
    assert learned.provenance["positions"] >= 500
    assert learned.provenance["settings"]["net_from"] == 500
    again = played(tmp_path / "again", "td", start="package", games=30, net_from=500)
    assert values(again.weights(1)) == values(learned)
    fewer = played(tmp_path / "fewer", "td", start="package", games=30, net_from=50_000)
    assert fewer.weights(1).net is None


def test_rounds_that_grow_play_other_openings(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", "td", games=4, growth=2.5, lone=1, rounds=2)
    first, second = ([*lines_of(folder.round(number))] for number in (1, 2))
    assert [sum("lone" in line for line in lines) for lines in (first, second)] == [1, 2]
    assert [sum("result" in line for line in lines) for lines in (first, second)] == [4, 10]
    starts = [tuple(line["moves"].split()[:2]) for line in (*first, *second) if "result" in line]
    assert len(set(starts)) > 7
    assert folder.weights(2).provenance["games"] == 17


def test_without_epsilon_no_move_is_random(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", "td", start="package", games=4, epsilon=0.0)
    assert not any(line["strays"] for line in lines_of(folder.round(1)))


def test_unlearned_values_are_not_asked_and_their_results_stay_results_in_later_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every third position of the first round hears of the result, and counts a twentieth in each fit."""
    heard: list[Any] = []

    def heard_fit(data: Data, *words: Any, independent: Any, **more: Any) -> Any:
        heard.append((data.results, independent))
        return fit(data, *words, independent=independent, **more)

    monkeypatch.setattr(fitting, "fit", heard_fit)
    folder = played(tmp_path / "run", "td", start="cmhm2", rounds=2, games=10)
    first, second = learned_positions(folder, 1, stride=3), learned_positions(folder, 2, stride=1)
    assert folder.weights(1).provenance["positions"] == first
    assert folder.weights(2).provenance["positions"] == first + second
    for results, independent in heard:
        assert {*results[:first]} <= {0.0, 0.5, 1.0}
        assert independent[:first] == pytest.approx(0.05)
    results, independent = heard[1]
    assert len({*results[first:]}) > second / 2
    assert (independent[first:] == 1.0).all()


@pytest.mark.parametrize(("method", "settings"), [("results", {}), ("td", {"trace": 1.0})])
def test_results_alone_teach_every_third_position(
    tmp_path: Path, method: str, settings: dict[str, float]
) -> None:
    folder = played(tmp_path / "run", method, start="package", games=5, **settings)
    assert folder.weights(1).provenance["positions"] == learned_positions(folder, 1, stride=3)


def test_games_held_back_are_not_learned_from(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", "results", games=10)
    assert folder.weights(1).provenance["positions"] == learned_positions(folder, 1, stride=3)
    assert folder.weights(1).provenance["loss before"] is not None


def test_results_of_a_pgn(tmp_path: Path) -> None:
    """Games in which White is a queen up and wins, or Black is."""
    archive = Archive(tmp_path / "games.pgn")
    for number in range(12):
        archive.append(queen_up(white=number % 2 == 0, number=number))
    folder = created(tmp_path / "run", "results", sources=(str(tmp_path / "games.pgn"),))
    go_on(folder)
    learned = folder.weights(1)
    assert learned.provenance["games"] == 0  # none was played
    assert learned.provenance["settings"]["sources"] == [str(tmp_path / "games.pgn")]
    assert learned.worth[4] > 20


def queen_up(*, white: bool, number: int) -> GameRecord:
    board = chess.Board("3qk3/pppppppp/8/8/8/8/PPPPPPPP/3QK3 w - - 0 1")
    board.remove_piece_at(chess.D8 if white else chess.D1)
    start = board.fen()
    for text in (
        "a2a3",
        "a7a6",
        "b2b3",
        "b7b6",
        "c2c3",
        "c7c6",
        "e2e3",
        "e7e6",
        "f2f3",
        "f7f6",
        "g2g3",
        "g7g6",
    ):
        board.push_uci(text)
    return GameRecord(
        tuple(move.uci() for move in board.move_stack),
        result="1-0" if white else "0-1",
        termination="resignation",
        start=start,
        round=str(number),
        run="queens",
    )


def test_values_of_a_deep_table(tmp_path: Path) -> None:
    """Positions in which the side to move is a queen up or down, and is expected to win or to lose."""
    path = tmp_path / "deep.table"
    entries = {
        key_of(f"{theirs}/{their_pawns}/8/8/8/8/{own_pawns}/{own} w - - 0 1"): Entry(value, depth=4)
        for own, theirs, value in (("Q3K3", "4k3", 600.0), ("4K3", "q3k3", -600.0))
        for own_pawns in ("PPPP4", "PPP5", "PP6")
        for their_pawns in ("pppp4", "ppp5", "pp6")
    }
    calm = len(entries)
    entries[key_of("q3k3/8/8/8/8/8/8/Q3K3 w - - 0 1")] = Entry(700.0, depth=4)  # there is something to take
    with QTable(path, settings={"mode": "deep", "tenfold": 400, "key_format": KEY_FORMAT}) as table:
        table.record(entries)
    folder = created(tmp_path / "run", "results", sources=(str(path),))
    go_on(folder)
    learned = folder.weights(1)
    assert learned.provenance["positions"] == calm - 1  # one is held back
    assert learned.worth[4] > 20


def test_a_classic_table_is_no_source(tmp_path: Path) -> None:
    path = tmp_path / "classic.table"
    open_table(path, ClassicSettings()).close()
    folder = created(tmp_path / "run", "results", sources=(str(path),))
    with pytest.raises(InvalidRun, match="expected a table of the deep mode"):
        go_on(folder)


def test_games_without_results_teach_nothing(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    Archive(path).append(replace(queen_up(white=True, number=1), result="*", termination=""))
    folder = created(tmp_path / "run", "results", sources=(str(path),))
    with pytest.raises(
        InvalidRun, match=r"expected quiet positions to learn from, got none from .*games\.pgn"
    ):
        go_on(folder)
    assert not folder.has_weights(1)


def test_a_source_that_is_none_is_named(tmp_path: Path) -> None:
    folder = created(tmp_path / "run", "results", sources=(str(tmp_path / "none.pgn"),))
    with pytest.raises(InvalidRun, match=r"none\.pgn, which is no file"):
        go_on(folder)


def test_games_against_a_lone_king_teach_where_it_is_near_its_mate(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", "td", start="package", games=4, lone=12, nodes=1000)
    lines = [line for line in lines_of(folder.round(1)) if "lone" in line]
    assert sorted(line["number"] for line in lines) == [*range(4, 16)]
    assert sum(bool(line["lone"]) for line in lines) >= 4
    names = [name for name in NAMES if name.startswith("lone")]
    before, after = ([weights.values.get(name) for name in names] for weights in map(folder.weights, (0, 1)))
    assert before != after
    assert folder.weights(1).provenance["games"] == 16
