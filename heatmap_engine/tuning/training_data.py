"""What is there already to learn from, for `--from`: a run's games, a PGN, a deep table."""

from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import TypeVar

from games.chess.reading import PlayableGame, read_games
from games.chess.record import GameRecord
from heatmap_engine.engines.mode import MODE_NAMES, mode_named, mode_of_meaning
from heatmap_engine.errors import InvalidRun
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.memory.tables import open_to_read
from heatmap_engine.tuning.tasks import TuneTask
from heatmap_engine.tuning.tasks_of_others import ENTRIES, GAMES, GamesOfOthers, GamesOfTable, ValuesOfTable
from qtable import Entry, JournalLine, QTable

OWN = "own"
"""The word for the user's own table."""

_SQLITE = b"SQLite format 3\0"
_DEEP = next(mode for mode in map(mode_named, MODE_NAMES) if mode.takes_weights_file)

Item = TypeVar("Item")


def method_for(sources: Iterable[str]) -> str:
    """How best to learn from these: a deep table knows more of its games than how they ended."""
    return "td" if all(_is_table(source_file(source, "td")) for source in sources) else "results"


def source_file(source: str, method: str) -> Path:
    """The file that the source means; raises InvalidRun if it is none that this method can learn from.

    The folder of a run of self-play stands for the table that it learned into, and for `results` for its PGN.
    """
    path = _DEEP.default_table if source == OWN else Path(source)
    if path.is_dir():
        run = RunFolder.open(path)
        path = Path(run.config.table) if method == "td" and run.config.mode == _DEEP.name else run.games_pgn
    if source == OWN and not path.exists():
        raise InvalidRun(
            f"you have no table of deep mode yet: expected one at {path}; selfplay makes it, and so does "
            "a game in a chess program"
        )
    if not path.is_file():
        raise InvalidRun(
            f"expected a PGN, a table or the folder of a run of self-play, got {path}, which is no file"
        )
    if _is_table(path):
        _open(path).close()
    return path


def require_for(method: str, path: Path) -> Path:
    """The file, if the method can learn from it; raises InvalidRun."""
    if method == "td" and not _is_table(path):
        raise InvalidRun(
            f"{path}: expected a table of deep mode, which says what its games' positions are worth; "
            "--method results learns from a PGN"
        )
    return path


def source_tasks(sources: Iterable[str], method: str) -> Iterator[TuneTask]:
    """Tasks that look through all of it, some games or entries each."""
    files = [require_for(method, source_file(source, method)) for source in sources]
    tables = [path for path in files if _is_table(path)]
    numbers = count()
    if method == "td":
        for lines in _chunks(_journals(tables), GAMES):
            yield GamesOfTable(next(numbers), lines)
        tables = [path for path in tables if not _has_games(path)]
    for entries in _chunks(_entries(tables), ENTRIES):
        yield ValuesOfTable(next(numbers), entries, counts_results=method == "td")
    for records in _chunks(_games(path for path in files if path not in tables), GAMES):
        yield GamesOfOthers(next(numbers), records)


def _games(files: Iterable[Path]) -> Iterator[GameRecord]:
    for path in files:
        with read_games(path) as reader:
            yield from (g.record for g in reader if isinstance(g, PlayableGame) and _says(g.record))


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


def _journals(tables: Iterable[Path]) -> Iterator[JournalLine]:
    """All games that were learned, each once, though tables that were merged or copied share some."""
    seen = set[str]()
    for path in tables:
        with _open(path) as table:
            for line in table.journal():
                if line.id not in seen:
                    seen.add(line.id)
                    yield line


def _has_games(path: Path) -> bool:
    """Whether the table knows games, which say more of its positions than their rows; not after an import."""
    with _open(path) as table:
        return table.journal_length() > 0


def _entries(tables: Iterable[Path]) -> Iterator[tuple[str, Entry]]:
    """The positions that a search has looked at."""
    for path in tables:
        with _open(path) as table:
            yield from ((key, entry) for key, entry in table if entry.depth > 0 and entry.source != "game")


def _chunks(items: Iterator[Item], size: int) -> Iterator[tuple[Item, ...]]:
    while chunk := tuple(islice(items, size)):
        yield chunk
