"""Folders of runs and matches: which may become that of a new one."""

from pathlib import Path


def obstacle_to_new(path: Path, settings: str, kind: str = "run") -> str | None:
    """Why this cannot be the folder of a new run; None if it is not there yet, or empty.

    `settings` is the name of the file that every run of that kind has.
    """
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return None
    if not path.is_dir():
        what = "is not a folder"
    elif (path / settings).exists():
        what = f"holds a {kind}, which --resume goes on with"
    else:
        what = "is not empty"
    return f"expected a new folder for a {kind}, but {path} {what}; nothing was written"
