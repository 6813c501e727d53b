"""Games that are still to be learned, in files beside the table, so that nothing ends with the process.

Each game is a file of its own, written whole under its id: several processes may add, read and remove at
the same time. Two that learn the same game are told apart by the table's journal.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from games.chess.errors import InvalidGame
from games.chess.record import GameRecord
from games.durable import put_in_place
from qtable.json_input import InvalidJson, read_text

_SUFFIX = ".json"


class Spool:
    """The folder of waiting games of the table at `path`."""

    def __init__(self, table: Path) -> None:
        self._folder = table.with_name(table.name + "-to-learn")

    def add(self, record: GameRecord) -> None:
        self._folder.mkdir(exist_ok=True)
        draft = self._folder / f"{record.game_id}.{os.getpid()}.draft"
        draft.write_text(record.to_json() + "\n", encoding="utf-8")
        with suppress(FileNotFoundError):  # learned already, and the empty folder removed, by another process
            put_in_place(draft, self._file(record))

    def remove(self, record: GameRecord) -> None:
        self._file(record).unlink(missing_ok=True)
        if self._folder.is_dir() and not any(self._folder.iterdir()):
            self._remove_folder()

    def _remove_folder(self) -> None:
        try:
            self._folder.rmdir()
        except OSError:
            if self._folder.is_dir() and not any(self._folder.iterdir()):
                raise  # not because another process has just put a game in, or removed the folder itself

    def games(self, tell: Callable[[str], None]) -> list[GameRecord]:
        """The games that wait, the oldest first; it tells of each file that holds none, and leaves it."""
        games = []
        for path in self._paths(tell):
            try:
                games.append(GameRecord.from_json(read_text(path)))
            except FileNotFoundError:
                continue  # another process has learned it meanwhile
            except (InvalidGame, InvalidJson) as error:
                tell(f"{path} is no game to be learned and can be deleted: {error}")
            except OSError as error:
                tell(f"a game that waits to be learned cannot be read: {error}")
        return games

    def _paths(self, tell: Callable[[str], None]) -> list[Path]:
        try:
            return sorted(self._folder.glob(f"*{_SUFFIX}"), key=_age)
        except OSError as error:  # as of a name that is too long, which the table's own was not
            tell(f"games that wait to be learned cannot be found: {error}")
            return []

    def _file(self, record: GameRecord) -> Path:
        return self._folder / f"{record.game_id}{_SUFFIX}"


def _age(path: Path) -> tuple[float, str]:
    try:
        return path.stat().st_mtime, path.name
    except OSError:
        return 0.0, path.name  # whoever reads it says what is wrong
