"""Small runs of self-play: how they are started, and whether their folder, journal and table agree."""

import json
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import chess.pgn
import console

from games.chess.archive import Archive
from games.chess.openings import Opening, load_openings
from games.chess.record import RANDOM, GameRecord
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.folder import RunFolder, games_of_run
from heatmap_engine.learning.runs.measurement import RunMeasurement
from heatmap_engine.learning.runs.running import Run, open_run_table
from heatmap_engine.learning.selfplay import SelfPlay
from heatmap_engine.workers.local import local_pool
from qtable import QTable

# Games of a few milliseconds, and no matches after them.
QUICK = ("--plies", "1", "--tactical", "0", "--max-plies", "24", "--no-measure")
_QUICK_CONFIG = {"plies": 1, "tactical_plies": 0, "max_plies": 24, "seed": 1, "games": 4}


def config_for(table: Path, **changes: Any) -> RunConfig:
    """A small run's settings."""
    return RunConfig(**{"run": "a run 0001", "table": str(table), **_QUICK_CONFIG, **changes})


def created(
    tmp_path: Path, openings: Sequence[Opening] | None = None, *, name: str = "run", **changes: Any
) -> RunFolder:
    """The folder of a run that has not begun; its table lies beside it."""
    lines = load_openings()[:5] if openings is None else openings
    return RunFolder.create(tmp_path / name, config_for(tmp_path / "table", **changes), lines)


def go_on(
    folder: RunFolder, clock: Callable[[], float] = time.monotonic, reports: list[str] | None = None
) -> Run:
    """The run, played to its end in this process."""
    with open_run_table(folder.config, must_exist=False) as table:
        run = Run(folder, table, (reports if reports is not None else []).append, clock)
        run.play(local_pool(SelfPlay, table, folder.config.search, 1))
    return run


def arguments(tmp_path: Path, *options: str, games: int, workers: int) -> list[str]:
    places = ["--run", str(tmp_path / "run"), "--table", str(tmp_path / "table")]
    return [*places, "--games", str(games), "--workers", str(workers), "--seed", "1", *QUICK, *options]


def moves_of(folder: Path) -> dict[str, tuple[str, ...]]:
    """The moves of each game by its round."""
    return {record.round: record.moves for record in Archive(folder / "games.pgn")}


def require_consistent(folder: Path, games: int | None = None) -> list[RunMeasurement]:
    """That journal, table, PGN and measurements hold the same games, each once; gives the measurements.

    With a number of games, they are the first so many of the run.
    """
    run = RunFolder.open(folder)
    measurements = [*run.measurements()]
    with QTable(run.config.table, readonly=True) as table:
        assert table.check() == []
        learned = [*games_of_run(table, run.config.run)]
        found = table.stats()
    if games is not None:
        assert sorted(int(game.record.round) for game in learned) == [*range(1, games + 1)]
    ids = Counter(game.record.game_id for game in learned)
    assert set(ids.values()) <= {1}
    records = [*Archive(run.games_pgn)]
    assert Counter(record.game_id for record in records) == ids
    assert {record.game_id: record for record in records} == {
        game.record.game_id: game.record for game in learned
    }
    assert Counter(measurement.id for measurement in measurements) == ids
    assert measurements == [*map(RunMeasurement.of, learned)]  # in the order in which they were learned, too
    lines = [json.loads(line)["journal"] for line in (folder / "journal.jsonl").read_text().splitlines()]
    assert lines == [game.record.game_id for game in learned]
    # Positions of a game count its result once, so that the table says how often games were recorded.
    counted = found.wins + found.draws + found.losses
    assert counted == sum(positions_that_count(game.record, run.config.mode) for game in learned)
    return measurements


def positions_that_count(record: GameRecord, mode: str) -> int:
    """At how many positions a game counts.

    In deep mode, where results choose moves, at those after its last random move. Against an opponent, at
    those where he is to move. Without a result, nowhere.
    """
    if record.result == "*":
        return 0
    random = [ply for ply, text in enumerate(record.comments, 1) if text.endswith(RANDOM)]
    first = random[-1] if random and mode == "deep" else 0
    board = record.board()
    turns = [board.turn]
    while board.move_stack:
        board.pop()
        turns.append(board.turn)
    learner = record.settings.get("learner")
    names = [chess.COLOR_NAMES[turn] for turn in reversed(turns)]
    return sum(name != learner for name in names[first:])


def read_by_python_chess(path: Path) -> list[chess.pgn.Game]:
    games = []
    with open(path) as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert game.errors == []
            games.append(game)
    return games


def started(*words: str) -> "subprocess.Popen[bytes]":
    """The running command on pipes, with its workers in a group of its own."""
    return subprocess.Popen(
        [console.HEATMAP_ENGINE, "selfplay", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
