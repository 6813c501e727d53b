"""What is there already to learn from, for `--method results --from`: a run's games, a PGN, a deep table."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from games.chess.reading import PlayableGame, read_games
from games.chess.record import GameRecord
from heatmap_engine.engines.mode import mode_of_meaning
from heatmap_engine.errors import InvalidRun
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.memory.tables import open_to_read
from heatmap_engine.tuning.tasks import ENTRIES, GAMES, GamesOfOthers, TuneTask, ValuesOfTable
from qtable import QTable

_SQLITE = b"SQLite format 3\0"

Item = TypeVar("Item")


def source_file(source: str) -> Path:
    """The PGN or table that the source means; raises InvalidRun if it is none that can be learned from."""
    path = Path(source)
    if path.is_dir():
        path = RunFolder.open(path).games_pgn
    if not path.is_file():
        raise InvalidRun(
            f"expected a PGN, a table or the folder of a run of self-play, got {path}, which is no file"
        )
    if _is_table(path):
        _open(path).close()
    return path


def source_tasks(source: str) -> Iterator[TuneTask]:
    """Tasks that look through all of it, some games or entries each."""
    path = source_file(source)
    if _is_table(path):
        for number, entries in enumerate(_chunks(_entries(path), ENTRIES)):
            yield ValuesOfTable(number, entries)
        return
    with read_games(path) as reader:
        records = (game.record for game in reader if isinstance(game, PlayableGame) and _says(game.record))
        for number, chunk in enumerate(_chunks(records, GAMES)):
            yield GamesOfOthers(number, chunk)


def _says(record: GameRecord) -> bool:
    """Whether the game's result says something about its positions."""
    return bool(record.moves) and record.judges_position


def _is_table(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _open(path: Path) -> QTable:
    table = open_to_read(path)
    if not mode_of_meaning(table.settings).takes_weights_file:
        table.close()
        raise InvalidRun(f"{path}: expected a table of the deep mode, whose values are chances")
    return table


def _entries(path: Path) -> Iterator[tuple[str, float]]:
    """The positions that a search has looked at, with their values."""
    with _open(path) as table:
        yield from ((key, entry.value) for key, entry in table if entry.depth > 0 and entry.source != "game")


def _chunks(items: Iterator[Item], size: int) -> Iterator[tuple[Item, ...]]:
    while chunk := tuple(islice(items, size)):
        yield chunk
