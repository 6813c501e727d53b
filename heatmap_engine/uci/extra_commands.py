"""Commands for people at a terminal, beyond UCI: they answer in the middle of any session.

What may take long works in a thread of its own, so that the protocol is always heard; `stop` ends it.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import chess

from heatmap_engine.board.keys import key_of
from heatmap_engine.board.reading import pack
from heatmap_engine.engines.mode import Mode, mode_of
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.board.perft import perft
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.memory.views import NoteSource
from heatmap_engine.reports.build import Read, report_on
from heatmap_engine.reports.report import Report, Standing
from heatmap_engine.uci.bench import bench
from heatmap_engine.uci.parsing import InvalidCommand
from heatmap_engine.uci.wire import Output
from qtable import Entry, QTable
from qtable.errors import TableError

COMMANDS = {
    "d": "the board, its FEN and its key",
    "eval": "the parts of the score, in heat units",
    "heat": "how many legal moves land on each square, by colour",
    "q": "what the table knows of the position and of every legal move",
    "table": "what the table holds",
    "perft": "perft N: count the sequences of N legal moves",
    "bench": "search fixed positions: a signature number and the speed",
    "help": "these lines",
}

_DEEPEST_PERFT = 20
# Counted in one go, a fraction of a second at most; a deeper count hears `stop` between such parts.
_PERFT_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Position:
    """What the commands are asked about."""

    board: chess.Board
    settings: Any
    """Those of the mode that is set."""
    heat_depth: int
    table: Callable[[], QTable | None]

    @property
    def mode(self) -> Mode:
        return mode_of(self.settings)


class _StoppedByUser(Exception):
    """Ends a long command."""


class ExtraCommands:
    """Answers people's commands; one long one at a time."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def answer(self, name: str, arguments: list[str], position: Position) -> None:
        """Write the answer, now or, if it takes long, later."""
        match name:
            case "d":
                self._output.lines(*_board_lines(position.board))
            case "eval":
                self._output.lines(*_eval_lines(_report(position)))
            case "heat":
                self._output.lines(*_heat_lines(_report(position)))
            case "q":
                table = _require_table(position)
                self._output.lines(*_q_lines(_report(position, table.get_many, table)))
            case "table":
                table = _require_table(position)
                self._start(lambda: _table_lines(table, self._listen))
            case "perft":
                depth, board = _perft_depth(arguments), position.board.copy(stack=False)
                self._start(lambda: _perft_lines(board, depth, self._listen))
            case "bench":
                self._start(lambda: bench(position.settings, self._stop.is_set, self._output.lines))
            case _:
                self._output.lines(*(f"{command:6} {text}" for command, text in COMMANDS.items()))

    def stop(self) -> None:
        """End the long command that is running, if there is one, and wait for that."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _start(self, lines_of: Callable[[], list[str]]) -> None:
        self.stop()
        self._stop = threading.Event()

        def work() -> None:
            try:
                self._output.lines(*lines_of())
            except _StoppedByUser:
                self._output.string("stopped")
            except TableError as error:
                self._output.string(str(error))

        self._thread = threading.Thread(target=work, name="extra command", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        if self._stop.is_set():
            raise _StoppedByUser


def _board_lines(board: chess.Board) -> list[str]:
    return [*str(board).splitlines(), f"FEN {board.fen()}", f"key {key_of(board)}"]


def _nothing(keys: Iterable[str]) -> dict[str, Entry]:
    return {}


def _report(position: Position, read: Read = _nothing, known: NoteSource | None = None) -> Report:
    yardstick = position.mode.yardstick(position.settings, known)
    return report_on(position.board, read, yardstick, heat_depth=position.heat_depth)


def _eval_lines(report: Report) -> list[str]:
    found = report.explanation
    names = [chess.piece_name(piece) for piece in chess.PIECE_TYPES]
    lines = [f"{'':17}" + "".join(f"{name:>9}" for name in (*names, "sum"))]
    for colour, side in (("White", found.white), ("Black", found.black)):
        for part, values in (("mobility", side.mobility), ("pressure", side.pressure)):
            numbers = (*values.values(), sum(values.values()))
            lines.append(f"{colour + ' ' + part:17}" + "".join(f"{number:9.2f}" for number in numbers))
    return [*lines, f"score {found.score:+.4f} heat units for White{_reason(report)}", *_value_lines(report)]


def _reason(report: Report) -> str:
    return f" ({report.reason})" if report.reason else ""


def _value_lines(report: Report) -> list[str]:
    """What the mode makes of the position, and how that is shown."""
    static, unit = report.standing.static, report.unit
    shown = f"{unit.centipawns(static) / 100:+.2f}"
    return [
        f"mode {unit.mode}, weights {report.weights}: {static:+.{unit.decimals}f} for White, {unit.words}, "
        f"shown as {shown}{_reason(report)}"
    ]


def _heat_lines(report: Report) -> list[str]:
    heat = report.heat
    lines = [f"{'White':^50}   {'Black':^50}".rstrip()]
    for rank in reversed(range(8)):
        sides = []
        for colour in (chess.WHITE, chess.BLACK):
            cells = (_cell(float(heat[colour, chess.square(file, rank)])) for file in range(8))
            sides.append(f"{rank + 1} " + "".join(cells))
        lines.append("   ".join(sides).rstrip())
    files = "  " + "".join(f"{name:>6}" for name in chess.FILE_NAMES)
    return [*lines, f"{files}   {files}"]


def _cell(value: float) -> str:
    return f"{value:6.2f}" if value else f"{'.':>6}"


def _require_table(position: Position) -> QTable:
    table = position.table()
    if table is None:
        raise InvalidCommand("there is no table: the option QTable names one")
    return table


def _q_lines(report: Report) -> list[str]:
    heading = f"{'move':8}{'q':>10}{'static':>10}{'depth':>7}{'visits':>8}{'won':>6}{'drawn':>6}{'lost':>6}"
    own = [_q_line("-", report.standing)] if report.standing.known is not None else []
    return [
        f"{heading}  source  updated",
        *own,
        *(_q_line(move.san, move.standing) for move in report.moves),
        f"q and static are White minus Black, in {report.unit.words}; "
        "won, drawn, lost are those of the side to move",
    ]


def _q_line(name: str, standing: Standing) -> str:
    known = standing.known
    if known is None:
        return f"{name:8}{'-':>10}{standing.static:10.3f}"
    when = f"{datetime.fromtimestamp(known.updated, UTC):%Y-%m-%d %H:%M}"
    return (
        f"{name:8}{known.q:10.3f}{standing.static:10.3f}{known.depth:7}{known.visits:8}"
        f"{known.wins:6}{known.draws:6}{known.losses:6}  {known.source:6}  {when}"
    )


def _table_lines(table: QTable, listen: Callable[[], None]) -> list[str]:
    found = table.stats(lambda done, total: listen())
    return [
        f"table    {table.path or 'in memory'}{' (read only)' if table.is_readonly else ''}",
        f"entries  {found.entries}  visits {found.visits}",
        f"games    {found.journal_lines}",
        f"results  {found.wins} won, {found.draws} drawn, {found.losses} lost",
        f"sources  {', '.join(f'{count} {source}' for source, count in found.by_source.items()) or 'none'}",
        f"depths   {', '.join(f'{count} of {depth}' for depth, count in found.by_depth.items()) or 'none'}",
        f"file     {found.file_bytes} bytes",
    ]


def _perft_depth(arguments: list[str]) -> int:
    text = arguments[0] if arguments else ""
    if not (text.isascii() and text.isdigit() and len(text) < 3 and 0 <= int(text) <= _DEEPEST_PERFT):
        raise InvalidCommand(f"expected perft N with N from 0 to {_DEEPEST_PERFT}, got {text!r:.80}")
    return int(text)


def _perft_lines(board: chess.Board, depth: int, listen: Callable[[], None]) -> list[str]:
    root = pack(board)
    if depth == 0:
        return ["total 1"]
    counts = {move: _count(child, depth - 1, listen) for move, child in children(root)}
    return [*(f"{move}: {count}" for move, count in sorted(counts.items())), f"total {sum(counts.values())}"]


def _count(position: PackedPosition, depth: int, listen: Callable[[], None]) -> int:
    listen()
    if depth <= _PERFT_AT_ONCE:
        return perft(position, depth)
    return sum(_below(position, depth, listen))


def _below(position: PackedPosition, depth: int, listen: Callable[[], None]) -> Iterator[int]:
    return (_count(child, depth - 1, listen) for _, child in children(position))
