"""One run of self-play or tuning as curves, and its newest game."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from games.chess.archive import Archive
from games.chess.errors import GamesError
from games.chess.record import GameRecord
from games.lines import LineFile
from heatmap_engine.classic.patterns import patterns_of, piece_values
from heatmap_engine.deep.weights import PIECES
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.errors import HeatmapError
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.report import RunPart, report_on_run
from heatmap_engine.match.strength import Strength
from heatmap_engine.memory.tables import open_to_read
from heatmap_engine.tuning.folder import TuneFolder
from heatmap_engine.tuning.measurement import TuneMeasurement
from heatmap_engine.web.positions import moves_data
from qtable.errors import TableError
from qtable.json_input import InvalidJson, parse_json_object, read_text

Data = dict[str, Any]

PieceValues = dict[Path, dict[str, float]]
"""What pieces are worth by the copies of a table, which do not change."""

_PARTS_OF_A_CURVE = 40
_LEAST_GAMES_IN_A_PART = 10
_KINDS = PIECES[:5]


def selfplay_data(path: Path, known: PieceValues) -> Data:
    """A run of self-play; what was read of copies of its table is kept in `known`."""
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
        "values": [*_learned_values(folder, games, known)],
        "game": _game(_quietly(lambda: Archive(folder.games_pgn, readonly=True).newest())),
    }


def _learned_values(folder: RunFolder, games: int, known: PieceValues) -> Iterator[Data]:
    """What a piece more is worth, by the patterns of each copy of the table and of the table as it is.

    Deep mode has no patterns.
    """
    for learned, path in folder.checkpoints:
        if path not in known:
            known[path] = _quietly(lambda path=path: _pattern_values(path)) or {}  # type: ignore[misc]
        if known[path]:
            yield {"games": learned, "pieces": known[path]}
    now = _quietly(lambda: _pattern_values(Path(folder.config.table)))
    if now:
        yield {"games": games, "pieces": now}


def tuning_data(path: Path) -> Data:
    """A run of tuning."""
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
