"""Runs of self-play and tuning for the page: a list of names, and one run by its name, never by a path."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heatmap_engine.errors import InvalidRun
from heatmap_engine.tuning.folder import is_tuning
from heatmap_engine.user_files import path_in_words
from heatmap_engine.web.run_data import PieceValues, selfplay_data, tuning_data

Data = dict[str, Any]

_MOST_RUNS = 200
# What is shown of a run is in these.
_SHOWN = (
    "run.json",
    "tune.json",
    "measurements.jsonl",
    "games.pgn",
    "matches.jsonl",
    "games/*.jsonl",
    "curve/*/results.json",
)


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    path: Path
    kind: str
    changed: float


class Runs:
    """The runs in some folders, by name. What was read of a run is kept until its files change."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._kept: dict[str, tuple[float, Data]] = {}
        self._values: PieceValues = {}

    def listed(self) -> Data:
        """All runs, the one that changed last first."""
        found = sorted(self._found(), key=lambda run: -run.changed)[:_MOST_RUNS]
        return {
            "folders": [*map(path_in_words, self._folders)],
            "runs": [{"name": run.name, "kind": run.kind, "changed": run.changed} for run in found],
        }

    def run(self, name: str) -> Data:
        """One run; raises InvalidRun unless it is one of the list."""
        run = next((run for run in self._found() if run.name == name), None)
        if run is None:
            raise InvalidRun(f"expected one of the runs in the list, got {name!r:.80}")
        known = self._kept.get(name)
        if known is not None and known[0] == run.changed:
            return known[1]
        read = tuning_data(run.path) if run.kind == "tuning" else selfplay_data(run.path, self._values)
        data = {"name": name, "kind": run.kind, **read}
        self._kept[name] = run.changed, data
        return data

    def _found(self) -> Iterator[_Found]:
        names: set[str] = set()
        for path in (path for folder in self._folders for path in _folders_in(folder)):
            kind = "tuning" if is_tuning(path) else "selfplay"
            name = path.name
            while name in names:  # of another folder
                name += " (another)"
            names.add(name)
            yield _Found(name, path, kind, _changed(path))


def _folders_in(folder: Path) -> Iterator[Path]:
    """The runs in a folder, or the folder itself where it is one."""
    try:
        inside = [] if _is_run(folder) else [path for path in sorted(folder.iterdir()) if _is_run(path)]
        yield from inside or ([folder] if _is_run(folder) else [])
    except OSError:
        return


def _is_run(path: Path) -> bool:
    return (path / "run.json").exists() or is_tuning(path)


def _changed(path: Path) -> float:
    """When a run last wrote something that is shown."""
    newest = 0.0
    for pattern in _SHOWN:
        for file in path.glob(pattern):
            try:
                newest = max(newest, file.stat().st_mtime)
            except OSError:
                continue
    return newest
