"""Small runs of self-play: how they are started, and whether their folder, journal and table agree."""

import json
from collections import Counter
from pathlib import Path

import chess.pgn
import console

from games.archive import Archive
from heatmap_engine.learning.runs.folder import RunFolder, games_of_run
from heatmap_engine.learning.runs.measurement import Measurement
from qtable import QTable

# Games of a few milliseconds.
QUICK = ("--plies", "1", "--tactical", "0", "--max-plies", "24")


def begin(tmp_path: Path, *options: str, games: int = 6, workers: int = 1) -> Path:
    """A finished run and its folder; its table lies beside it."""
    folder = tmp_path / "run"
    outcome = console.run("selfplay", *arguments(tmp_path, *options, games=games, workers=workers))
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    return folder


def arguments(tmp_path: Path, *options: str, games: int, workers: int) -> list[str]:
    places = ["--run", str(tmp_path / "run"), "--table", str(tmp_path / "table")]
    return [*places, "--games", str(games), "--workers", str(workers), "--seed", "1", *QUICK, *options]


def moves_of(folder: Path) -> dict[str, tuple[str, ...]]:
    """The moves of each game by its round."""
    return {record.round: record.moves for record in Archive(folder / "games.pgn")}


def require_consistent(folder: Path, games: int) -> list[Measurement]:
    """That journal, table, PGN and measurements hold the same games, each once; gives the measurements."""
    run = RunFolder.open(folder)
    measurements = [*run.measurements()]
    with QTable(run.config.table, readonly=True) as table:
        assert table.check() == []
        learned = [*games_of_run(table, run.config.run)]
        found = table.stats()
    assert sorted(int(game.record.round) for game in learned) == [*range(1, games + 1)]
    ids = Counter(game.record.game_id for game in learned)
    assert set(ids.values()) == {1}
    records = [*Archive(run.games_pgn)]
    assert Counter(record.game_id for record in records) == ids
    assert {record.game_id: record for record in records} == {
        game.record.game_id: game.record for game in learned
    }
    assert Counter(measurement.id for measurement in measurements) == ids
    assert measurements == [*map(Measurement.of, learned)]  # in the order in which they were learned, too
    lines = [json.loads(line)["journal"] for line in (folder / "journal.jsonl").read_text().splitlines()]
    assert lines == [game.record.game_id for game in learned]
    # Every position of a game counts its result once, so that the table says how often games were recorded.
    counted = found.wins + found.draws + found.losses
    assert counted == sum(len(game.record.moves) + 1 for game in learned)
    return measurements


def read_by_python_chess(path: Path) -> list[chess.pgn.Game]:
    games = []
    with open(path) as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert game.errors == []
            games.append(game)
    return games
