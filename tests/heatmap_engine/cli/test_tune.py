"""`heatmap-engine tune` and what `report` says of its runs."""

import json
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import console
import pytest
from process_groups import wait_until
from tuning_runs import created, played

from heatmap_engine.cli.tune_view import followed
from heatmap_engine.deep.adopted import adopt, adopted_path
from heatmap_engine.deep.constants import RANGES, SearchConstants
from heatmap_engine.deep.weights import load_weights, save_weights
from heatmap_engine.tuning.adopting import Contest
from heatmap_engine.tuning.folder import TuneFolder
from heatmap_engine.tuning.measurement import MatchResult, TuneMeasurement
from heatmap_engine.tuning.running import TuneRun
from heatmap_engine.tuning.session import Progress, TuneSession
from heatmap_engine.tuning.starts import starting_weights

pytestmark = pytest.mark.xdist_group("tune")

QUICK = ("--start", "zeros", "--nodes", "100", "--seed", "5", "--workers", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> TuneFolder:
    """A run of two rounds, with matches."""
    path = tmp_path_factory.mktemp("tuning") / "run"
    return played(path, "td", rounds=2, games=20, match_games=8)


def test_a_run_leaves_weights_and_says_where(tmp_path: Path) -> None:
    words = ("--games", "12", "--lone", "0", "--rounds", "1", "--match-games", "4", *QUICK)
    outcome = console.run_here("tune", *words, "--run", str(tmp_path / "run"))
    assert (outcome.code, outcome.errors) == (0, "")
    path = tmp_path / "run" / "weights-1.json"
    assert str(path) in outcome.output
    weights = load_weights(path)
    assert weights.name == "td 1"
    assert weights.provenance["settings"]["start"] == "zeros"
    assert weights.provenance["games"] == 12


def test_json_has_a_line_for_each_checkpoint_and_a_last_one(tmp_path: Path) -> None:
    words = ("--method", "cem", "--candidates", "2", "--pairs", "1", "--rounds", "2", "--match-games", "0")
    outcome = console.run_here("tune", *words, *QUICK, "--json", "--run", str(tmp_path / "run"))
    *checkpoints, last = map(json.loads, outcome.output.splitlines())
    assert [line["round"] for line in checkpoints] == [1, 2]
    assert checkpoints[1]["games"] == 8
    assert last["config"]["method"] == "cem"
    assert [Path(line["weights"]).name for line in last["checkpoints"]] == [
        "weights-1.json",
        "weights-2.json",
    ]


@pytest.mark.usefixtures("data")
def test_constants_of_the_search_are_tuned_and_may_be_adopted(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("--method", "spsa", "--rounds", "1", "--iterations", "3", "--pairs", "2", "--match-games", "2")
    outcome = console.run_here(
        "tune", *words, "--nodes", "200", "--seed", "1", "--workers", "1", "--run", str(run)
    )
    assert (outcome.code, outcome.errors) == (0, "")
    assert outcome.output.splitlines()[0].startswith("round 1: 12 games")
    assert f"{run}: spsa from own, 200 nodes a move, seed 1" in outcome.output
    weights = load_weights(run / "weights-1.json")
    assert weights.search.changed
    assert (weights.name, weights.provenance["started from"]) == ("spsa 1", "td 10")
    rows = [line.split() for line in outcome.output.splitlines()]
    for name, value in weights.search.changed.items():
        assert [name, str(RANGES[name].usual), str(value)] in rows
    assert (
        f"{len(weights.search.changed)} of {len(RANGES)} constants of the search have changed"
        in outcome.output
    )
    assert console.run_here("report", str(run)).output in outcome.output

    adopt(weights, "", {})
    shown = console.run_here("tune", "--in-use").output
    assert f"constants of the search: {len(weights.search.changed)} of {len(RANGES)} not as usual" in shown
    assert (
        json.loads(console.run_here("tune", "--in-use", "--json").output)["search"] == weights.search.changed
    )
    outcome = console.run_here("tune", "--adopt", str(run), "--most-games", "2", "--workers", "1")
    assert outcome.code == 1
    assert "these weights are in use already" in outcome.errors
    console.run_here("tune", "--unadopt")
    outcome = console.run_here("tune", "--adopt", str(run), "--most-games", "2", "--workers", "1")
    assert (outcome.code, outcome.errors) == (0, "")
    assert "spsa 1 against td 10, which is in use: 2 of at most 2 games at 200 nodes" in outcome.output


def test_weights_with_a_constant_that_is_none_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    save_weights(path, replace(starting_weights("cmhm2"), search=SearchConstants({"futility_margin": 80})))
    path.write_text(path.read_text().replace('futility_margin": 80', 'futility_margin": 8000'))
    for words in (("tune", "--method", "spsa", "--start", str(path)), ("analyse", "--weights", str(path))):
        outcome = console.run_here(*words)
        assert outcome.code == 1
        assert outcome.errors.count("\n") == 1
        assert (
            "expected a whole number from 20 to 300 for the search's futility_margin, got 8000"
            in outcome.errors
        )


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("--candidates", "3"), 2, "--method td has no use for --candidates"),
        (("--from", "x.pgn", "--lone", "7"), 1, "x.pgn, which is no file"),
        (("--method", "td", "--from", "x.pgn", "--lone", "7"), 2, "--method td --from has no use for --lone"),
        (("--method", "td", "--candidates", "3"), 2, "--method td has no use for --candidates"),
        (("--method", "cem", "--lambda", "0.5"), 2, "--method cem has no use for --lambda"),
        (("--method", "cem", "--epsilon", "0.1"), 2, "--method cem has no use for --epsilon"),
        (("--method", "results", "--lambda", "0.5"), 2, "--method results has no use for --lambda"),
        (
            ("--method", "results", "--from", "x.pgn", "--games", "5", "--lone", "7"),
            2,
            "--method results --from has no use for --games, --lone",
        ),
        (("--method", "td", "--iterations", "3"), 2, "--method td has no use for --iterations"),
        (("--method", "ga", "--gain", "3"), 2, "--method ga has no use for --gain"),
        (
            ("--method", "spsa", "--candidates", "3", "--lambda", "1", "--games", "5"),
            2,
            "--method spsa has no use for --candidates, --games, --lambda",
        ),
        (("--method", "spsa", "--from", "x.pgn"), 2, "--method spsa has no use for --from"),
        (("--method", "spsa", "--spread", "0"), 1, "spread must be above 0, got 0.0"),
        (("--method", "spsa", "--iterations", "none"), 2, "'none' is not a valid int"),
        (("--method", "td", "--epsilon", "1.5"), 1, "epsilon must be from 0 to 1, got 1.5"),
        (("--method", "td", "--lambda", "2"), 1, "lambda must be from 0 to 1, got 2.0"),
        (("--method", "td", "--match-games", "3"), 1, "match games must be even and from 0 to 288"),
        (("--method", "td", "--start", "nowhere.json"), 1, "nowhere.json: expected weights as JSON"),
        (("--method", "results", "--from", "nowhere.pgn"), 1, "nowhere.pgn, which is no file"),
        (("--resume", "nowhere"), 1, "nowhere, which has no tune.json"),
        (("--resume", "nowhere", "--games", "3"), 2, "--resume goes on with the settings of the beginning"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = console.run_here("tune", *words, *([] if "--resume" in words else ["--run", "run"]))
    assert outcome.code == code
    assert expected in outcome.errors
    assert [*tmp_path.iterdir()] == []


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear all")
    outcome = console.run_here("tune", "--method", "td", "--run", str(tmp_path))
    assert outcome.code == 1
    assert "is not empty; nothing was written" in outcome.errors
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]


def test_a_finished_run_says_how_to_go_on(folder: TuneFolder) -> None:
    outcome = console.run_here("tune", "--resume", str(folder.path))
    assert outcome.code == 1
    assert "is finished after 2 rounds; --rounds with a larger number goes on with it" in outcome.errors


def test_report_shows_a_row_for_each_checkpoint(folder: TuneFolder) -> None:
    outcome = console.run_here("report", str(folder.path))
    assert (outcome.code, outcome.errors) == (0, "")
    rows = outcome.output.splitlines()
    assert rows[0].startswith(f"{folder.path}: td from zeros, 100 nodes a move, seed 5")
    assert [row.split()[:2] for row in rows[3:5]] == [["1", "20"], ["2", "40"]]
    assert all(len(row) <= 100 for row in rows[2:5])


def test_a_side_that_won_or_lost_everything_has_no_elo_but_a_word(tmp_path: Path) -> None:
    """It said "Elo to start 100%", which is neither an Elo nor a share of anything that was named."""
    run = created(tmp_path / "run", "td", rounds=2, match_games=20)
    won, lost, even = (MatchResult.of([points] * 10) for points in (2.0, 0.0, 1.0))
    some = MatchResult.of([2.0, 1.0, 1.5, 1.0])
    measured = [
        TuneMeasurement(round=1, games=30, cpu_seconds=1.0, against_start=won),
        TuneMeasurement(round=2, games=60, cpu_seconds=2.0, against_start=lost, against_last=some),
    ]
    for each in measured:
        run.add_measurement(each)
    outcome = console.run_here("report", str(run.path))
    assert (outcome.code, outcome.errors) == (0, "")
    first, second = outcome.output.splitlines()[3:5]
    assert first.split()[-4:] == ["won", "all", "20", "-"]
    assert "  lost all 20  " in second
    assert "100%" not in outcome.output

    lines: list[str] = []
    with followed(TuneRun(run), False, lines.append, lambda: False) as (_, when_measured):
        for measurement in (
            *measured,
            replace(measured[0], against_start=even),
            replace(measured[0], against_start=None),
        ):
            when_measured(measurement)
    assert lines[0] == "round 1: 30 games, 1 CPU s, won all 20 games against start"
    assert lines[1].startswith("round 2: 60 games, 2 CPU s, lost all 20 games against start, Elo to last +")
    assert lines[2:] == ["round 1: 30 games, 1 CPU s, Elo to start +0", "round 1: 30 games, 1 CPU s"]


def test_time_left_follows_from_what_this_session_has_played(tmp_path: Path) -> None:
    """Of 2 rounds with 30 + 4 and 30 + 8 games, half of the first were there when it began."""
    run = TuneRun(created(tmp_path / "run", "td", rounds=2, games=30, match_games=4))
    times = iter([100.0, 100.0, 140.0, 190.0, 190.0])
    lines: list[str] = []
    measured = TuneMeasurement(round=1, games=30, cpu_seconds=1.0)
    with followed(run, False, lines.append, lambda: False, lambda: next(times)) as (done, when_measured):
        when_measured(measured)  # nobody knows yet
        done(Progress(1, "games", 16, 30))
        done(Progress(1, "games", 19, 30))
        when_measured(measured)  # 4 games in 40 s, 53 are left
        done(Progress(1, "learning"))
        done(Progress(1, "match", 2, 2))
        done(Progress(2, "games", 11, 30))
        when_measured(measured)  # 30 games in 90 s, 27 are left
        done(Progress(2, "match", 4, 4))
        when_measured(measured)
    assert [line.partition("CPU s")[2] for line in lines] == [
        "",
        ", about 0:08:50 left",
        ", about 0:01:21 left",
        "",
    ]


def test_rising_loss_is_explained_and_a_falling_one_is_not(tmp_path: Path) -> None:
    for name, losses, is_explained in (("up", (0.5, 0.6), True), ("down", (0.6, 0.5), False)):
        run = created(tmp_path / name, "td", rounds=2)
        for number, loss in enumerate(losses, start=1):
            run.add_measurement(
                TuneMeasurement(round=number, games=30, cpu_seconds=1.0, loss_before=0.7, loss=loss)
            )
        output = console.run_here("report", str(run.path)).output
        assert f"0.7000  {losses[0]:.4f}" in output
        assert ("So the loss may rise from row to row while Elo rises." in output) == is_explained


def test_report_as_json_is_what_was_measured(folder: TuneFolder) -> None:
    found = json.loads(console.run_here("report", str(folder.path), "--json").output)
    expected = [measurement.as_json() for measurement in folder.measurements()]
    assert [
        {name: line[name] for name in line if name != "weights"} for line in found["checkpoints"]
    ] == expected


def test_report_draws_the_curve(folder: TuneFolder, tmp_path: Path) -> None:
    picture = tmp_path / "curve.svg"
    assert console.run_here("report", str(folder.path), "--plot", str(picture)).code == 0
    text = picture.read_text()
    assert text.lstrip().startswith("<?xml")
    again = console.run_here("report", str(folder.path), "--plot", str(picture))
    assert again.code == 1
    assert "already there" in again.errors


def test_ctrl_c_finishes_running_games_and_says_how_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "run"
    process = subprocess.Popen(
        [console.HEATMAP_ENGINE, "tune", "--method", "td", "--games", "100000", *QUICK, "--run", path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    games = path / "games" / "round-0001.jsonl"
    wait_until(games.exists, process)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, errors) == (130, b"")
    assert f"go on with: heatmap-engine tune --resume {path}".encode() in output
    assert games.read_text().endswith("\n")
    assert "stopped after 0 rounds" in (path / "tune.log").read_text()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user who has adopted nothing yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "heatmap-engine"


def test_a_run_of_self_play_becomes_weights_of_ones_own(tmp_path: Path, data: Path) -> None:
    """From the first game to weights that every command uses, and back."""
    zeros = tmp_path / "zeros.json"
    save_weights(zeros, starting_weights("zeros"))
    adopt(load_weights(zeros), "", {})  # so that there is something to beat
    words = (
        "--games",
        "12",
        "--nodes",
        "60",
        "--learning-nodes",
        "60",
        "--max-plies",
        "60",
        "--no-measure",
        "--seed",
        "1",
    )
    run = str(tmp_path / "night")
    assert console.run_here("selfplay", *words, "--workers", "1", "--run", run).code == 0
    config = json.loads((tmp_path / "night" / "run.json").read_text())
    assert config["deep_weights"] == str(adopted_path())

    tried = ("--nodes", "60", "--most-games", "200", "--seed", "1", "--workers", "1", "--json")
    learned = str(tmp_path / "learned")
    outcome = console.run_here(
        "tune", "--from", "own", "--start", "package", "--adopt", *tried, "--run", learned
    )
    assert (outcome.code, outcome.errors) == (0, "")
    last = json.loads(outcome.output.splitlines()[-1])
    assert (last["accepted"], last["adopted"]) == ("H1", str(adopted_path()))
    assert "won: they are used from now on" in Path(last["report"]).read_text()
    provenance = load_weights(Path(last["adopted"])).provenance
    assert sum(provenance["learned games by weights"].values()) == 12
    assert provenance["settings"]["sources"] == [str(data / "default.deep.table")]

    name = load_weights(Path(last["adopted"])).name
    analysed = json.loads(console.run_here("analyse", "--nodes", "100", "--json").output)
    assert analysed["weights"] == name
    shown = console.run_here("tune", "--in-use").output
    assert f"weights in use: {name}, your own" in shown
    assert "match: won against own" in shown
    assert "tune --unadopt" in shown
    assert json.loads(console.run_here("tune", "--in-use", "--json").output)["name"] == name

    assert console.run_here("tune", "--unadopt").output == (
        "deep mode uses the package's weights again, td 10\n"
    )
    assert "weights in use: td 10, which come with the package" in console.run_here("tune", "--in-use").output
    assert console.run_here("tune", "--unadopt").output.startswith("nothing to do")


def test_weights_that_exist_are_tried_by_their_run_or_their_file(
    tmp_path: Path, data: Path, folder: TuneFolder
) -> None:
    last = folder.weights_path(2)
    for path in (str(folder.path), str(last)):
        outcome = console.run_here(
            "tune", "--adopt", path, "--nodes", "30", "--most-games", "4", "--workers", "1"
        )
        assert (outcome.code, outcome.errors) == (0, "")
        assert "td 2 against td 10, which is in use: 4 of at most 4 games at 30 nodes" in outcome.output
        assert "nothing was changed" in outcome.output
        assert f"report: {last.with_suffix('.match.md')}" in outcome.output
    assert not data.exists()


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("--adopt",), 2, "--adopt alone has nothing to try"),
        (("--adopt", "nowhere"), 1, "nowhere: expected weights as JSON: No such file"),
        (("--adopt", "."), 1, "expected the folder of a tuning run, got ., which has no tune.json"),
        (
            ("--adopt", "x.json", "--games", "3"),
            2,
            "tries weights that exist and cannot be given with --games",
        ),
        (("--most-games", "10"), 2, "--most-games is for --adopt"),
        (("--unadopt", "--games", "3"), 2, "--unadopt cannot be given with --games"),
        (("--in-use", "--unadopt"), 2, "--unadopt cannot be given with --in-use"),
        (("--in-use", "--adopt"), 2, "--in-use cannot be given with --adopt"),
        (("--from", "own"), 1, "you have no table of deep mode yet: expected one at"),
        (("--method", "cem", "--from", "own"), 2, "--method cem has no use for --from"),
    ],
)
@pytest.mark.usefixtures("data")
def test_bad_input_to_adopting_is_named_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = console.run_here("tune", *words)
    assert (outcome.code, expected in outcome.errors) == (code, True), outcome
    assert [*tmp_path.iterdir()] == []


def test_damaged_weights_are_one_line_that_names_the_way_back(tmp_path: Path, data: Path) -> None:
    path = adopt(starting_weights("cmhm2"), "", {})
    path.write_text("{")
    for words in (("analyse", "--nodes", "50"), ("tune", "--in-use"), ("query",)):
        outcome = console.run_here(*words)
        assert outcome.code == 1
        assert outcome.errors.count("\n") == 1
        assert "your own weights cannot be used" in outcome.errors
        assert "heatmap-engine tune --unadopt goes back to the package's weights" in outcome.errors
    assert console.run_here("analyse", "--nodes", "50", "--weights", "package").code == 0
    assert console.run_here("tune", "--unadopt").code == 0
    assert console.run_here("analyse", "--nodes", "50").code == 0


@pytest.mark.usefixtures("data")
def test_weights_that_were_adopted_during_the_match_are_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two matches in two terminals: who wins last has not played the one who won first."""
    save_weights(tmp_path / "w.json", starting_weights("package").scaled(1.5))
    play = Contest.play

    def play_while_another_wins(match: Contest, session: TuneSession) -> bool:
        adopt(starting_weights("cmhm2"), "", {})
        return play(match, session)

    monkeypatch.setattr(Contest, "play", play_while_another_wins)
    words = ("--nodes", "20", "--most-games", "2", "--workers", "1")
    outcome = console.run_here("tune", "--adopt", str(tmp_path / "w.json"), *words)
    assert outcome.code == 1
    assert "other weights than td 10 are in use since this match began; nothing was changed" in outcome.errors
