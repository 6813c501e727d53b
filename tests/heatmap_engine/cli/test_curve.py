"""The command `curve`: checkpoints of a real run, on lines that it saw and on others."""

import json
from pathlib import Path

import console
from selfplay_runs import created, go_on

from games.chess.archive import Archive
from games.chess.openings import load_openings, split_openings
from heatmap_engine.match.folder import MatchFolder
from heatmap_engine.players.pace import Pace
from heatmap_engine.players.sides import OurSide


def curve(folder: Path, games: int, *options: str | Path) -> str:
    """What the command says when all goes well."""
    words = ["curve", str(folder), "--games", str(games), "--workers", "1", *map(str, options)]
    outcome = console.run_here(*words)
    assert (outcome.code, outcome.errors) == (0, "")
    return outcome.output


def test_curve_of_a_run(tmp_path: Path) -> None:
    training, held_out = split_openings(load_openings())
    run = created(tmp_path, training, checkpoints="2")
    go_on(run)
    folder = run.path
    table = (tmp_path / "table").read_bytes()
    output = curve(folder, 4, "--json")
    found = [json.loads(line) for line in output.splitlines()]
    assert [(point["games_learned"], point["part"]) for point in found] == [
        (games, part) for games in (2, 4) for part in ("seen", "unseen")
    ]
    assert all(point["games"] == 4 for point in found)
    assert (tmp_path / "table").read_bytes() == table
    ends = {line.moves for line in held_out}
    for record in Archive(folder / "curve" / "games-000004-unseen" / "games.pgn"):
        assert any(record.moves[:length] in ends for length in range(4, 13))
    # Seen are the lines that the first so many games began with, and not those that came later.
    began = {record.round: record.moves for record in Archive(folder / "games.pgn")}
    for games in (2, 4):
        seen = load_openings(folder / "curve" / f"games-{games:06}-seen" / "openings.pgn")
        assert len(seen) == games
        for number, line in enumerate(seen, 1):
            assert began[str(number)][: len(line.moves)] == line.moves
    # What was played is not played again; more games are added to it.
    files = {path: path.read_bytes() for path in folder.glob("curve/*/games.pgn")}
    assert curve(folder, 4, "--json") == output
    picture = tmp_path / "curve.png"
    said = curve(folder, 6, "--plot", picture).splitlines()
    assert all(path.read_bytes().startswith(before) for path, before in files.items())
    assert all(Archive(path).count() == 6 for path in files)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert said[0].split()[:4] == ["learned", "openings", "games", "won"]
    assert any(line.startswith("note: 2 games, seen openings: 3 pairs were played from 2") for line in said)


def test_curve_of_a_deep_run_plays_deep_sides_with_the_runs_nodes(tmp_path: Path) -> None:
    run = created(
        tmp_path, load_openings()[:2], checkpoints="1", mode="deep", nodes=90, learning_nodes=90, games=2
    )
    go_on(run)
    table = (tmp_path / "table").read_bytes()
    output = curve(run.path, 2, "--json", "--mode", "deep")
    found = [json.loads(line) for line in output.splitlines()]
    assert [(point["games_learned"], point["part"]) for point in found] == [
        (games, part) for games in (1, 2) for part in ("seen", "unseen")
    ]
    checkpoints, given = dict(run.checkpoints), {"learning_nodes": 90}
    for games in (1, 2):
        plan = MatchFolder.open(run.path / "curve" / f"games-{games:06}-seen").plan
        assert plan.sides == (
            OurSide(f"after {games} games", checkpoints[games].resolve(), "deep", given, pace=Pace(nodes=90)),
            OurSide("untrained", None, "deep", given, pace=Pace(nodes=90)),
        )
    assert (tmp_path / "table").read_bytes() == table
    assert curve(run.path, 2, "--json") == output
    refused = console.run_here("curve", str(run.path), "--mode", "classic")
    assert (refused.code, refused.errors.count("\n")) == (1, 1)
    assert f"{run.path} is a run of mode deep, but --mode classic was given" in refused.errors


def test_wrong_input_is_one_clear_line(tmp_path: Path) -> None:
    nothing = console.run_here("curve", str(tmp_path))
    assert (nothing.code, nothing.errors.count("\n")) == (1, 1)
    assert "expected the folder of a run" in nothing.errors
    folder = created(tmp_path).path
    wrong = console.run_here("curve", str(folder), "--plot", str(tmp_path / "curve.jpg"))
    assert wrong.code == 1
    assert "expected a picture's name to end in .png or .svg" in wrong.errors
