"""A report as a chess player reads it: the position in words, its moves in a table."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

import chess
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.cli.common import named_position
from heatmap_engine.cli.heat_view import BLACK_HOT, WHITE_HOT
from heatmap_engine.reports.report import Coverage, Known, Line, MoveReport, Report, Standing, State
from heatmap_engine.reports.words import patterns_in_words, value_text
from heatmap_engine.winning_chances import Chances

# So many moves are printed unless all are asked for.
_MOVES_SHOWN = 12
# What a table of moves needs to show all its digits, without and with the columns that come last.
_LEAST_WIDTH, _FULL_WIDTH = 80, 106
# Smaller differences are shown as nobody's.
_EVEN = 0.005

_UNKNOWN = Style(color="grey50")
_WHITE_BETTER = Style(color=Color.from_rgb(*WHITE_HOT), bold=True)
_BLACK_BETTER = Style(color=Color.from_rgb(*BLACK_HOT), bold=True)

_COLUMNS = ("", "move", "q", "static", "learned", "depth", "visits", "results", "chances", "reply")
_LEFT = {"move", "reply", "source", "updated"}


def print_report(console: Console, report: Report, moves: Sequence[MoveReport], *, shows_all: bool) -> None:
    """Print what is known of a position; the moves in the order in which they are given."""
    console.width = max(console.width, _LEAST_WIDTH)  # a narrower terminal breaks its lines itself
    for line in _headings(report):
        console.print(line, soft_wrap=True)
    shown = moves if shows_all else moves[:_MOVES_SHOWN]
    if shown:
        console.print()
        console.print(_table_of(shown, is_full=console.width >= _FULL_WIDTH))
        for line in _notes(report, shown, moves[len(shown) :]):
            console.print(line, soft_wrap=True)
    if report.candidates:
        console.print()
        candidates = report.candidates if shows_all else report.candidates[:_MOVES_SHOWN]
        console.print(_candidates_table(report, candidates))
    if report.line is not None:
        console.print(Text("\n").append(_line_in_words(report, report.line)), soft_wrap=True)
    if report.coverage:
        console.print()
        console.print(_coverage_table(report.coverage))


def _headings(report: Report) -> Iterator[Text]:
    yield Text(f"{_name(report.turn)} to move in {named_position(report.board)}")
    yield Text(_state_in_words(report), style="bold")
    yield Text(f"mode {report.unit.mode}; values are White minus Black, in {report.unit.words}")
    standing = report.standing
    known = standing.known
    values = Text("q ").append(_coloured(standing.q, _in_full(standing, standing.q)))
    static, learned = _in_full(standing, standing.static), _learned(standing)
    yield values.append(f"   static {static}   learned {learned}")
    if report.patterns:
        yield Text(_patterns_in_words(report))
    if known is not None:
        visits = "1 visit" if known.visits == 1 else f"{known.visits:,} visits"
        yield Text(f"depth {known.depth}, {visits}, from {known.source}, {_date(known)}")
        games = f"{known.wins:,} won, {known.draws:,} drawn, {known.losses:,} lost"
        yield Text(f"games here, for {_name(report.turn)}: {games}")
    yield Text(f"chances of {_name(report.turn)}: {_in_words(standing.chances)}")


def _patterns_in_words(report: Report) -> str:
    """How much of the static value is heat and how much patterns, and which of them weigh most."""
    of_heat = report.standing.static - sum(part.value for part in report.patterns)
    return f"static is heat {of_heat:+.2f} and {patterns_in_words(report.patterns)}"


def _state_in_words(report: Report) -> str:
    match report.state:
        case State.CHECKMATE:
            return f"checkmate: {_name(not report.turn)} has won"
        case State.STALEMATE:
            return "stalemate: the game is drawn"
        case State.DRAWN:
            return f"drawn by rule: {report.reason}"
        case State.KNOWN:
            known = sum(move.is_known for move in report.moves)
            return f"known: {known} of {len(report.moves)} moves are in {report.table}"
        case _:
            return (
                f"unknown: nothing of it in {report.table}" if report.table else "unknown: there is no table"
            )


def _table_of(moves: Iterable[MoveReport], *, is_full: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for heading in (*_COLUMNS, *(("source", "updated") if is_full else ())):
        table.add_column(heading, justify="left" if heading in _LEFT else "right", no_wrap=True)
    for move in moves:
        cells = [*_cells(move), *(_last_cells(move.standing) if is_full else ())]
        is_greyed = not move.is_known and move.standing.over is None
        table.add_row(*cells, style=_UNKNOWN if is_greyed else None)
    return table


def _cells(move: MoveReport) -> Iterator[Text | str]:
    standing = move.standing
    known = standing.known
    yield str(move.rank)
    yield move.san
    yield _coloured(standing.q, _in_short(standing, standing.q))
    yield _in_short(standing, standing.static)
    yield _learned(standing)
    yield "-" if known is None else str(known.depth)
    yield "-" if known is None else str(known.visits)
    yield "-" if known is None else f"{known.wins}/{known.draws}/{known.losses}"
    yield "/".join(map(str, _per_cent(standing.chances)))
    yield move.reply.san if move.reply else _over(standing)


def _last_cells(standing: Standing) -> tuple[str, str]:
    known = standing.known
    return ("-", "-") if known is None else (known.source, _date(known))


def _over(standing: Standing) -> str:
    return {"checkmate": "mate", "stalemate": "drawn"}.get(standing.over or "", "drawn")


def _notes(report: Report, shown: Sequence[MoveReport], left_out: Sequence[MoveReport]) -> Iterator[Text]:
    if left_out:
        unknown = sum(not move.is_known for move in left_out)
        which = f", {unknown} of them unknown" if unknown else ""
        yield Text(f"and {len(left_out)} more{which}; --all shows them")
    yield Text(
        f"\nq, static and learned (their difference) are White minus Black, in {report.unit.words}.\n"
        f"Results (won/drawn/lost) and chances (win/draw/loss, in percent) are {_name(report.turn)}'s."
    )
    if any(_mates(move.standing) for move in shown):
        yield Text("+#3 means that White mates in 3 moves from here, -#3 that Black does.")


def _line_in_words(report: Report, line: Line) -> str:
    if not line.moves:
        return "line: no move is known"
    moves = report.board.variation_san(move.move for move in line.moves)
    end = {
        "nothing known": "nothing is known after that",
        "repeats": "which repeats itself",
        "too long": "and so on",
    }.get(line.end, line.end)
    value = _in_full(report.standing, line.moves[-1].value, len(line.moves))
    return f"line: {moves} ({value}; {end})"


def _candidates_table(report: Report, candidates: Iterable[Candidate]) -> Table:
    """The moves as a pick ranks them; the line says where the value ahead comes from."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", "ahead", "from", "line"):
        table.add_column(heading, justify="left" if heading in ("from", "line") else "right")
    for rank, candidate in enumerate(candidates, start=1):
        source = "table" if candidate.from_table else "search"
        ahead = _coloured(candidate.score, _in_full(report.standing, candidate.score))
        table.add_row(str(rank), ahead, source, report.board.variation_san(candidate.line))
    return table


def _coverage_table(coverage: Iterable[Coverage]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("ply", "positions", "known", "share"):
        table.add_column(heading, justify="right")
    for level in coverage:
        share = f"{level.known / level.positions:.1%}" if level.positions else "-"
        table.add_row(str(level.ply), f"{level.positions:,}", f"{level.known:,}", share)
    return table


def _coloured(value: float | None, words: str) -> Text:
    """A value in the colour of the side that is better; without colours the words say the same."""
    style = "" if value is None or abs(value) < _EVEN else _WHITE_BETTER if value > 0 else _BLACK_BETTER
    return Text(words, style=style)


def _in_full(standing: Standing, value: float | None, later: int = 0) -> str:
    """A value, or who mates when; `later` as in `Standing.mate_of`."""
    if value is None:
        return "-"
    return value_text(value, standing.mate_of(value, later), standing.turn, standing.unit)


def _in_short(standing: Standing, value: float | None) -> str:
    """The same for a cell: with words the moves would not fit into 80 columns."""
    mate_in = None if value is None else standing.mate_of(value)
    if value is None or mate_in is None:
        return _in_full(standing, value)
    return f"{'+' if value > 0 else '-'}#{abs(mate_in)}"


def _mates(standing: Standing) -> bool:
    """Whether one of the values is a mate."""
    values = (standing.static, standing.q)
    return any(value is not None and standing.unit.is_mate(value) for value in values)


def _learned(standing: Standing) -> str:
    """What learning has changed; between a mate and a value there is no difference that says anything."""
    if standing.learned is None or _mates(standing):
        return "-"
    return value_text(standing.learned, None, standing.turn, standing.unit)


def _per_cent(chances: Chances) -> tuple[int, int, int]:
    """Whole numbers that add up to 100."""
    win, loss = round(100 * chances.win), round(100 * chances.loss)
    return win, 100 - win - loss, loss


def _in_words(chances: Chances) -> str:
    win, draw, loss = _per_cent(chances)
    return f"{win} % win, {draw} % draw, {loss} % loss"


def _date(known: Known) -> str:
    return f"{datetime.fromtimestamp(known.updated, UTC):%Y-%m-%d %H:%M}"


def _name(color: chess.Color) -> str:
    return chess.COLOR_NAMES[color].capitalize()
