"""`heatmap-engine report`: its numbers against the games themselves, and its pictures."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import console
import pytest
from selfplay_runs import created, go_on

from games.chess.archive import Archive
from games.chess.openings import Opening
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.measurement import RunMeasurement

NUMBERS = {
    "epsilon_white": 0.1,
    "epsilon_black": 0.1,
    "picks_changed": 2,
    "added": 1_700_000_000,
}
# Four games, as if two sessions had played them: result, termination, plies, randoms, changes, new, changed,
# entries, bytes, seconds.
GAMES = [
    ("1-0", "checkmate", 40, 2, 100.0, 0.10, 500, 10, 500, 40_000, 60.0),
    ("1/2-1/2", "threefold repetition", 80, 4, 10.0, 0.02, 700, 30, 1200, 90_000, 180.0),
    ("0-1", "checkmate", 60, 0, 50.0, 0.06, 300, 100, 1500, 110_000, 240.0),
    ("1/2-1/2", "stalemate", 100, 2, 0.0, 0.0, 100, 60, 1600, 120_000, 300.0),
]


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A run whose measurements are the ones above."""
    run = created(tmp_path, checkpoints="none")
    lines = []
    for number, game in enumerate(GAMES, 1):
        names = [
            "result",
            "termination",
            "plies",
            "random_moves",
            "value_change",
            "points_change",
            "new",
            "changed",
            "entries",
            "table_bytes",
            "seconds",
        ]
        measured = RunMeasurement(
            game=number, id=f"{number}", **NUMBERS, **dict(zip(names, game, strict=True))
        )
        lines.append(measured.to_json() + "\n")
    (run.path / "measurements.jsonl").write_text("".join(lines))
    return run


def report(*words: str | Path) -> dict[str, object]:
    outcome = console.run_here("report", *map(str, words), "--json")
    assert (outcome.code, outcome.errors) == (0, "")
    found: dict[str, object] = json.loads(outcome.output)
    return found


def test_the_numbers_are_those_of_the_measurements(folder: RunFolder) -> None:
    found = report(folder.path, "--parts", "2")
    assert found["config"]["run"] == folder.config.run
    expected = {
        "games": 4,
        "white_wins": 1,
        "draws": 2,
        "black_wins": 1,
        "terminations": {"checkmate": 2, "threefold repetition": 1, "stalemate": 1},
        "repetition_share": 0.25,
        "plies_per_game": 70.0,
        "random_moves_per_game": 2.0,
        "value_change": 40.0,
        "points_change": pytest.approx(0.045),
        "picks_changed_per_game": 2.0,
        "new": 1600,
        "changed": 200,
        "entries": 1600,
        "table_bytes": 120_000,
        "seconds": 300.0,
        "games_per_hour": 48.0,
    }
    assert {name: found[name] for name in expected} == expected
    one, two = found["parts"]
    assert [(part["first"], part["last"], part["games"]) for part in (one, two)] == [(1, 2, 2), (3, 4, 2)]
    assert [part["value_change"] for part in (one, two)] == [55.0, 25.0]
    assert [part["repetition_share"] for part in (one, two)] == [0.5, 0.0]
    assert [part["games_per_hour"] for part in (one, two)] == [40.0, 60.0]


def test_the_text_has_a_line_for_each_part(folder: RunFolder) -> None:
    outcome = console.run_here("report", str(folder.path), "--parts", "2")
    assert outcome.code == 0
    lines = outcome.output.splitlines()
    assert lines[0] == f"{folder.path}: 4 games learned into {folder.config.table}"
    assert "White won 1, drawn 2, Black won 1 (25% by repetition)" in lines[1]
    assert "  mean value change 40.00 (heat units), or 0.0450 expected points" in lines
    rows = [line.split() for line in lines[-3:]]
    assert rows[0][:4] == ["to", "game", "W/D/B", "rep."]
    assert rows[1] == ["2", "1/1/0", "50%", "60.0", "55.00", "0.0600", "600", "0.00M", "40"]
    assert rows[2] == ["4", "0/1/1", "0%", "80.0", "25.00", "0.0300", "200", "0.00M", "60"]


def test_the_lines_of_a_whole_night_fit_into_80_columns(tmp_path: Path) -> None:
    """They were 87 wide after sixty games, and each of them was broken by the terminal."""
    run = created(tmp_path, checkpoints="none")
    games = 20_000
    (run.path / "measurements.jsonl").write_text(
        "".join(
            RunMeasurement(
                game=number,
                id=f"{number}",
                **NUMBERS,
                result=("1-0", "1/2-1/2", "0-1")[number % 3],
                termination="checkmate",
                plies=150,
                random_moves=20,
                value_change=120.0,
                points_change=0.01,
                new=10_000,
                changed=500,
                entries=10_000 * number,
                table_bytes=700_000 * number,
                seconds=number * 0.5,
            ).to_json()
            + "\n"
            for number in range(1, games + 1)
        )
    )
    lines = console.run_here("report", str(run.path)).output.splitlines()
    assert lines[-1].split()[0] == f"{games:,}"
    assert lines[-1].split()[-2] == "200.00M"
    assert max(len(line) for line in lines[-11:]) <= 80


def test_openings_are_told_by_name_and_moves(tmp_path: Path) -> None:
    """Those of our suite have no names in their file: they were told as "line 55"."""
    lines = [
        Opening("line 1", ("e2e4", "c7c6", "g1f3", "d7d5")),
        Opening("my pet line", ("a2a3", "a7a6")),
        Opening("line 3", (), "k7/8/2K5/8/8/8/8/7R w - - 0 1"),
        *(Opening(f"line {number}", ("h2h4", f"h7h{number}")) for number in (5, 6)),
        Opening("line 6", ("g2g4", "g7g5")),
    ]
    run = created(tmp_path, lines, checkpoints="none")
    results = ["1-0", "1-0", "1-0", "0-1", "0-1", "0-1"] * 4
    values = dict.fromkeys(("value_change", "points_change", "new", "changed", "entries"))
    rest = {"termination": "checkmate", "plies": 9, "random_moves": 0, "table_bytes": 0, "seconds": 1.0}
    games = [
        RunMeasurement(game=number, id=f"{number}", result=result, **NUMBERS, **values, **rest)
        for number, result in enumerate(results, 1)
    ]
    (run.path / "measurements.jsonl").write_text("".join(f"{game.to_json()}\n" for game in games))
    output = console.run_here("report", str(run.path)).output
    (best,) = (line for line in output.splitlines() if "best for White" in line)
    assert best.strip() == (
        "best for White: Caro-Kann Defence, 1. e4 c6 2. Nf3 d5 (4-0-0); my pet line, 1. a3 a6 (4-0-0); "
        "line 3 (4-0-0)"
    )


def test_a_real_run_is_reported_as_its_games_are(tmp_path: Path) -> None:
    run = created(tmp_path, games=6, checkpoints="2,6")
    go_on(run)
    records = [*Archive(run.games_pgn)]
    found = report(run.path)
    assert found["games"] == len(found["parts"]) == len(records) == 6
    results = [record.result for record in records]
    assert [found[name] for name in ("white_wins", "draws", "black_wins")] == [
        results.count(result) for result in ("1-0", "1/2-1/2", "0-1")
    ]
    assert found["plies_per_game"] == sum(len(record.moves) for record in records) / 6
    assert [copy["games"] for copy in found["checkpoints"]] == [2, 6]
    text = console.run_here("report", str(run.path)).output
    assert "copies of the table after 2, 6 games" in text


def test_a_run_without_games_is_reported_and_not_drawn(tmp_path: Path) -> None:
    run = created(tmp_path)
    assert console.run_here("report", str(run.path)).code == 0
    assert report(run.path)["value_change"] is None
    outcome = console.run_here("report", str(run.path), "--plot", str(tmp_path / "empty.png"))
    assert (outcome.code, "at least one game" in outcome.errors) == (1, True)
    assert not (tmp_path / "empty.png").exists()


def test_curves_are_drawn_and_not_over_another_file(folder: RunFolder, tmp_path: Path) -> None:
    png, svg = tmp_path / "curves.png", tmp_path / "curves.svg"
    for picture in (png, svg):
        assert console.run_here("report", str(folder.path), "--plot", str(picture)).code == 0
    assert png.read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert "<!-- Elo" not in svg.read_text()  # no match has measured it
    before = png.read_bytes()
    outcome = console.run_here("report", str(folder.path), "--plot", str(png))
    assert (outcome.code, "--force draws over it" in outcome.errors) == (1, True)
    assert png.read_bytes() == before
    outcome = console.run_here("report", str(folder.path), "--plot", str(tmp_path / "none" / "curves.png"))
    assert (outcome.code, "none/curves.png does not exist" in outcome.errors) == (1, True)
    outcome = console.run_here("report", str(folder.path), "--plot", str(tmp_path / "curves.txt"))
    assert (outcome.code, "expected a picture's name to end in .png or .svg" in outcome.errors) == (
        1,
        True,
    )


def test_without_matplotlib_the_extra_is_named(folder: RunFolder, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from heatmap_engine.cli import main\n"
        f"sys.argv = ['heatmap-engine', 'report', {str(folder.path)!r}, '--plot', 'curves.png']\n"
        "main()"
    )
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path, check=False)
    assert outcome.returncode == 1
    assert outcome.stderr.decode() == (
        "heatmap-engine: curves need matplotlib, which is not installed; "
        'in the folder of Heatmap Engine, run: pip install ".[plot]"\n'
    )
