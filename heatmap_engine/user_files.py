"""Where the user's own files are, by the rules of the system."""

import os.path
from datetime import datetime
from pathlib import Path

from platformdirs import user_data_path

from heatmap_engine.errors import InvalidSettings, shown


def given_path(text: str) -> Path:
    """The file that somebody named, `~` being home.

    A home that is not known stays as it was written, and the file is missing: `Path.expanduser` would raise
    a RuntimeError.
    """
    if "\0" in text:
        raise InvalidSettings(f"expected the name of a file, got {shown(text)}")
    return Path(os.path.expanduser(text))


def path_in_words(path: Path) -> str:
    """The path as people write it: with `~` for their home."""
    home = os.path.expanduser("~")
    return f"~{os.sep}{path.relative_to(home)}" if path.is_relative_to(home) and home != os.sep else str(path)


def default_table_path(file: str) -> Path:
    """The user's own table. Neither it nor its folder need exist yet.

    Each mode has a file of its own, because their values are in different units.
    """
    return user_data_path("heatmap-engine") / file


def played_games_path() -> Path:
    """Where games are kept that a person left without saying where; it need not be there yet."""
    return user_data_path("heatmap-engine") / "played.pgn"


def runs_path() -> Path:
    """Where runs of self-play are kept unless the user says otherwise; it need not be there yet."""
    return user_data_path("heatmap-engine") / "runs"


def matches_path() -> Path:
    """Where matches are kept unless the user says otherwise; it need not be there yet."""
    return user_data_path("heatmap-engine") / "matches"


def tunings_path() -> Path:
    """Where runs that learn weights are kept unless the user says otherwise; it need not be there yet."""
    return user_data_path("heatmap-engine") / "tunings"


def trainings_path(game: str) -> Path:
    """Where runs that train a player of another game are kept unless the user says otherwise."""
    return user_data_path("heatmap-engine") / game


def weights_path() -> Path:
    """Where weights are kept that the user has adopted; it need not be there yet."""
    return user_data_path("heatmap-engine") / "weights"


def dated_folder(below: Path) -> Path:
    """A folder of today's that nobody has; with a number if the minute has one."""
    name = f"{datetime.now():%Y-%m-%d-%H%M}"
    number = 1
    while (path := below / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return path
