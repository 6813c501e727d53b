"""The command `curve`: checkpoints of a real run, on lines that it saw and on others."""

import json
from pathlib import Path

import console
from selfplay_runs import arguments

from games.archive import Archive
from games.openings import load_openings, split_openings


def run_of(tmp_path: Path, *options: str, games: int) -> Path:
    """The folder of a finished run."""
    outcome = console.run("selfplay", *arguments(tmp_path, *options, games=games, workers=1))
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    return tmp_path / "run"


def lines(output: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


def test_curve_of_a_run(tmp_path: Path) -> None:
    folder = run_of(tmp_path, "--checkpoints", "2", games=4)
    table = (tmp_path / "table").read_bytes()
    outcome = console.run("curve", str(folder), "--games", "4", "--workers", "1", "--json")
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    found = lines(outcome.stdout)
    assert [(point["games_learned"], point["part"]) for point in found] == [
        (games, part) for games in (2, 4) for part in ("seen", "unseen")
    ]
    assert all(point["games"] == 4 for point in found)
    assert (tmp_path / "table").read_bytes() == table
    _, held_out = split_openings(load_openings())
    ends = {tuple(move.uci() for move in line.moves) for line in held_out}
    for record in Archive(folder / "curve" / "games-000004-unseen" / "games.pgn"):
        assert any(record.moves[:length] in ends for length in range(4, 13))
    # What was played is not played again; more games are added to it.
    files = {path: path.read_bytes() for path in folder.glob("curve/*/games.pgn")}
    assert (
        console.run("curve", str(folder), "--games", "4", "--workers", "1", "--json").stdout == outcome.stdout
    )
    picture = tmp_path / "curve.png"
    more = console.run("curve", str(folder), "--games", "6", "--workers", "1", "--plot", str(picture))
    assert more.returncode == 0, more.stderr
    assert all(path.read_bytes().startswith(before) for path, before in files.items())
    assert all(Archive(path).count() == 6 for path in files)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert more.stdout.decode().splitlines()[0].split()[:4] == ["learned", "openings", "games", "won"]


def test_wrong_input_is_one_clear_line(tmp_path: Path) -> None:
    nothing = console.run("curve", str(tmp_path))
    assert (nothing.returncode, nothing.stderr.count(b"\n")) == (1, 1)
    assert b"expected the folder of a run" in nothing.stderr
    folder = run_of(tmp_path, games=2)
    wrong = console.run("curve", str(folder), "--plot", str(tmp_path / "curve.jpg"))
    assert wrong.returncode == 1
    assert b"expected a picture's name to end in .png or .svg" in wrong.stderr
