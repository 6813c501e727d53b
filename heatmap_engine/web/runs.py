"""Runs of self-play and tuning for the page: the list, and one run as curves. It names them, by no path."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from games.chess.archive import Archive
from games.chess.errors import GamesError
from games.chess.record import GameRecord
from games.lines import LineFile
from heatmap_engine.classic.patterns import patterns_of, piece_values
from heatmap_engine.deep.weights import PIECES
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.errors import HeatmapError, InvalidRun
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.report import RunPart, report_on_run
from heatmap_engine.match.strength import Strength
from heatmap_engine.memory.tables import open_to_read
from heatmap_engine.tuning.folder import TuneFolder, is_tuning
from heatmap_engine.tuning.measurement import TuneMeasurement
from heatmap_engine.user_files import path_in_words
from heatmap_engine.web.positions import moves_data
from qtable.errors import TableError
from qtable.json_input import InvalidJson, parse_json_object, read_text

Data = dict[str, Any]

_MOST_RUNS = 200
_PARTS_OF_A_CURVE = 40
_LEAST_GAMES_IN_A_PART = 10
_SHOWN_FILES = (
    "run.json",
    "tune.json",
    "measurements.jsonl",
    "games.pgn",
    "matches.jsonl",
    "games",
    "curve",
)
_KINDS = PIECES[:5]


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
        self._values: dict[Path, dict[str, float]] = {}

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
        data = {"name": name, "kind": run.kind, **self._read(run)}
        self._kept[name] = run.changed, data
        return data

    def _read(self, run: _Found) -> Data:
        return self._tuning(run.path) if run.kind == "tuning" else self._selfplay(run.path)

    def _found(self) -> Iterator[_Found]:
        for place, folder in enumerate(self._folders):
            for path in _folders_in(folder):
                kind = "tuning" if is_tuning(path) else "selfplay"
                name = path.name if len(self._folders) == 1 else f"{kind} {path.name}"
                if kind == "tuning" or (path / "run.json").exists():
                    yield _Found(f"{name} ({place + 1})" if place > 1 else name, path, kind, _changed(path))

    # Self-play

    def _selfplay(self, path: Path) -> Data:
        folder = RunFolder.open(path)
        config = folder.config
        games = sum(1 for _ in folder.measurements())
        parts = min(_PARTS_OF_A_CURVE, max(1, games // _LEAST_GAMES_IN_A_PART))
        report = report_on_run(folder, parts)
        return {
            "mode": config.mode,
            "unit": mode_named(config.mode).unit.words,
            "games": games,
            "planned": config.games,
            "hours": config.hours,
            "whole": report.whole.as_json(),
            "parts": [_part(part) for part in report.parts],
            "strength": [*_curve_of(path)],
            "values": [*self._learned_values(folder, games)],
            "game": _game(_quietly(lambda: Archive(folder.games_pgn).newest())),
        }

    def _learned_values(self, folder: RunFolder, games: int) -> Iterator[Data]:
        """What a piece more is worth, by the patterns of each copy of the table and of the table as it is.

        Deep mode has no patterns.
        """
        for learned, path in folder.checkpoints:
            if path not in self._values:
                self._values[path] = _quietly(lambda path=path: _pattern_values(path)) or {}  # type: ignore[misc]
            if self._values[path]:
                yield {"games": learned, "pieces": self._values[path]}
        now = _quietly(lambda: _pattern_values(Path(folder.config.table)))
        if now:
            yield {"games": games, "pieces": now}

    # Tuning

    def _tuning(self, path: Path) -> Data:
        folder = TuneFolder.open(path)
        config = folder.config
        measured = [*folder.measurements()]
        games = measured[-1].games if measured else 0
        return {
            "mode": "deep",
            "unit": "centipawns",
            "method": config.method,
            "games": games,
            "planned": None,
            "rounds": config.rounds,
            "measured": [_measured(one) for one in measured],
            "strength": [*_tuned_strength(measured)],
            "values": [*_tuned_values(folder, measured)],
            "game": _game(_quietly(lambda: _newest_of_round(path))),
        }


def _folders_in(folder: Path) -> Iterator[Path]:
    """The runs in a folder, or the folder itself where it is one."""
    try:
        if (folder / "run.json").exists() or is_tuning(folder):
            yield folder
            return
        yield from (path for path in sorted(folder.iterdir()) if path.is_dir())
    except OSError:
        return


def _changed(path: Path) -> float:
    """When a run last wrote something that is shown."""
    newest = 0.0
    for name in (
        "run.json",
        "tune.json",
        "measurements.jsonl",
        "games.pgn",
        "matches.jsonl",
        "games",
        "curve",
    ):
        try:
            newest = max(newest, (path / name).stat().st_mtime)
        except OSError:
            continue
    return newest


def _quietly(read: Callable[[], Any]) -> Any:
    """What is read, or None where a file that is being written, or was damaged, cannot be read."""
    try:
        return read()
    except (HeatmapError, GamesError, TableError, OSError, InvalidJson):
        return None


def _part(part: RunPart) -> Data:
    summary = part.summary
    return {
        "last": part.last,
        "white": summary.white_wins,
        "draws": summary.draws,
        "black": summary.black_wins,
        "plies": summary.plies.value,
        "value_change": summary.value_change.value,
        "new": summary.new,
        "entries": summary.entries,
        "games_per_hour": part.games_per_hour,
    }


def _curve_of(path: Path) -> Iterator[Data]:
    """Strength after so many games, as `curve` has measured it."""
    for match in sorted((path / "curve").glob("games-*")):
        _, games, part = match.name.split("-", 2)
        results = _quietly(lambda match=match: parse_json_object(read_text(match / "results.json")))  # type: ignore[misc]
        if results and games.isdigit():
            yield {
                "games": int(games),
                "part": part,
                **{name: results.get(name) for name in ("elo", "elo_low", "elo_high")},
            }


def _pattern_values(path: Path) -> dict[str, float]:
    with open_to_read(path) as table:
        patterns = patterns_of(table)
    if patterns is None:
        return {}
    return dict(piece_values(patterns))


def _measured(one: TuneMeasurement) -> Data:
    return {"round": one.round, "games": one.games, "loss": one.loss, "cpu_seconds": one.cpu_seconds}


def _tuned_strength(measured: Sequence[TuneMeasurement]) -> Iterator[Data]:
    for one in measured:
        if one.against_start is not None:
            strength: Strength = one.against_start.strength
            yield {
                "games": one.games,
                "part": "against the start",
                "elo": strength.elo,
                "elo_low": strength.elo_low,
                "elo_high": strength.elo_high,
            }


def _tuned_values(folder: TuneFolder, measured: Sequence[TuneMeasurement]) -> Iterator[Data]:
    """What a piece counts in the middlegame, by the weights after each round."""
    for number, games in [(0, 0), *((one.round, one.games) for one in measured)]:
        weights = _quietly(lambda number=number: folder.weights(number))  # type: ignore[misc]
        if weights is not None:
            yield {"games": games, "pieces": dict(zip(_KINDS, weights.worth, strict=False))}


def _newest_of_round(path: Path) -> GameRecord | None:
    """The last game of the newest round that says its moves."""
    for file in sorted((path / "games").glob("round-*.jsonl"), reverse=True):
        moves = None
        for text in LineFile(file):
            line = parse_json_object(text)
            moves = line if "moves" in line else moves
        if moves is not None:
            return GameRecord(tuple(moves["moves"].split()), start=moves.get("start"))
    return None


def _game(record: GameRecord | None) -> Data | None:
    """A game for a small board: the pieces after each move."""
    if record is None:
        return None
    final = record.board()
    board = final.root()
    placements, lasts = [board.board_fen()], [None, *([m.from_square, m.to_square] for m in final.move_stack)]
    names = moves_data(board, final.move_stack)
    for move in final.move_stack:
        board.push(move)
        placements.append(board.board_fen())
    return {
        "white": record.white,
        "black": record.black,
        "result": record.result,
        "termination": record.termination,
        "round": record.round,
        "placements": placements,
        "lasts": lasts,
        "start": record.start,
        "moves": [uci for uci, _ in names],
        "names": [name for _, name in names],
    }
