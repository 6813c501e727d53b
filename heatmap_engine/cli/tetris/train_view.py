"""How a run of training is shown: a bar while it goes on, a line for each step, at the end the curve."""

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from games.evolution_folder import EvolutionFolder, Generation
from games.evolution_run import Doing
from games.tetris.errors import InvalidRun
from games.tetris.q_learning import QFolder, Round, is_q_run
from games.tetris.survival import Survival
from heatmap_engine.cli.columns import aligned
from heatmap_engine.cli.long_task import bar_over_figures

_CURVE_COLUMNS = 50
_EVOLUTION_HEADINGS = ("generation", "CPU s", "mean", "best", "weights", "95 %", "deaths")
_Q_HEADINGS = ("round", "CPU s", "error", "lines/game", "network", "95 %", "deaths")

Ask = Callable[[], bool]
Point = tuple[int, Survival]


def survival_of(generation: Generation) -> Survival:
    """What the looks at a generation's weights came to together."""
    return Survival.of(
        Survival(look["games"], look["deaths"], look["lines"], look["pieces"]) for look in generation.looks
    )


@contextmanager
def followed_evolution(
    folder: EvolutionFolder, as_json: bool, should_stop: Ask
) -> Iterator[tuple[Callable[[Doing], None], Callable[[Generation], None]]]:
    """Gives what shall hear of each candidate, and of each generation."""
    settings = folder.settings
    now = Doing(len(folder.generations()) + 1, 0, settings.candidates + settings.looks)
    last = ""

    def when_done(doing: Doing) -> None:
        nonlocal now
        now = doing

    def when_bred(generation: Generation) -> None:
        nonlocal last
        last = (
            f"generation {generation.number}: candidates {generation.mean:,.0f} lines, the best "
            f"{generation.best:,.0f}; weights {_lines(survival_of(generation))}"
        )
        folder.log(last)
        _tell(last, _generation_json(generation) if as_json else None)

    def fraction() -> float:
        return (now.generation - 1 + now.done / now.of) / settings.generations

    def figures() -> Iterator[str]:
        yield f"generation {now.generation} of {settings.generations}: {now.done} of {now.of} candidates"
        yield from [last] if last else []

    with bar_over_figures(fraction, figures, should_stop):
        yield when_done, when_bred


@contextmanager
def followed_q(folder: QFolder, as_json: bool, should_stop: Ask) -> Iterator[Callable[[Round], None]]:
    """Gives what shall hear of each round."""
    rounds = folder.rounds()
    number = rounds[-1].number if rounds else 0
    last = ""

    def when_done(one: Round) -> None:
        nonlocal number, last
        number = one.number
        if as_json or one.look is not None:
            last = f"round {one.number}: {one.seconds:,.0f} CPU s, error {one.error:.3f}, {_lines(one.look)}"
            _tell(last, _round_json(one) if as_json else None)

    def figures() -> Iterator[str]:
        yield f"round {number + 1} of {folder.settings.rounds}"
        yield from [last] if last else []

    with bar_over_figures(lambda: number / folder.settings.rounds, figures, should_stop):
        yield when_done


def _tell(line: str, data: dict[str, Any] | None) -> None:
    if data is not None:
        click.echo(json.dumps(data))
    elif not sys.stdout.isatty():
        click.echo(line)
    sys.stdout.flush()


def _lines(found: Survival | None) -> str:
    """Lines of a game, for a cell or a line; a bound where nothing has died."""
    if found is None or not found.games:
        return "-"
    return f"{found.mean:,.0f}" if found.mean is not None else f"more than {found.interval[0]:,.0f}"


def _interval(found: Survival | None) -> str:
    if found is None or found.mean is None:
        return ""
    low, high = found.interval
    return f"({low:,.0f} to {high:,.0f})"


def write_report(path: Path, *, as_json: bool) -> None:
    """Write what a run has come to so far, also while it is going on."""
    if is_q_run(path):
        q_folder = QFolder.open(path)
        data, lines = _q_json(q_folder), _described_q(q_folder)
    else:
        folder = EvolutionFolder.open(path)
        if folder.settings.game.get("game") != "tetris":
            raise InvalidRun(f"expected a run of Tetris, got one of {folder.settings.game.get('game')!r:.80}")
        data, lines = _evolution_json(folder), _described_evolution(folder)
    click.echo(json.dumps(data) if as_json else "\n".join(lines))


def points_of(path: Path) -> tuple[str, list[Point]]:
    """What a curve shows: what steps are called, and how long each survived."""
    if is_q_run(path):
        return "round", [(one.number, one.look) for one in QFolder.open(path).rounds() if one.look]
    generations = EvolutionFolder.open(path).generations()
    return "generation", [(one.number, survival_of(one)) for one in generations if one.looks]


def _described_evolution(folder: EvolutionFolder) -> Iterator[str]:
    settings, game = folder.settings, folder.settings.game
    generations = folder.generations()
    yield (
        f"{folder.path}: {settings.method}, {game['features']}, {game['width']}x{game['height']}, "
        f"{game['rule']}, {game['pieces']}, seed {settings.seed}"
    )
    if not generations:
        yield "  no generation yet"
        return
    yield ""
    rows, seconds = [_EVOLUTION_HEADINGS], 0.0
    for one in generations:
        seconds += one.seconds
        found = survival_of(one)
        rows.append(
            (
                f"{one.number}",
                f"{seconds:,.0f}",
                f"{one.mean:,.0f}",
                f"{one.best:,.0f}",
                _lines(found),
                _interval(found),
                f"{found.deaths:,}",
            )
        )
    yield from aligned(rows)
    yield from _curve("generation", [(one.number, survival_of(one)) for one in generations])
    yield ""
    yield f"the last weights are in {folder.weights_path(generations[-1].number)}"


def _described_q(folder: QFolder) -> Iterator[str]:
    settings, rounds = folder.settings, folder.rounds()
    yield (
        f"{folder.path}: q, {settings.width}x{settings.height}, {settings.rule}, {settings.pieces}, "
        f"discount {settings.discount}, seed {settings.seed}"
    )
    looked_at = [one for one in rounds if one.look is not None]
    if not looked_at:
        yield f"  {len(rounds)} rounds, not looked at yet"
        return
    yield ""
    yield from aligned([_Q_HEADINGS, *map(_q_row, looked_at)])
    yield from _curve("round", [(one.number, one.look) for one in looked_at if one.look])
    yield ""
    yield f"the best network is in {folder.best_path}"


def _q_row(one: Round) -> tuple[str, ...]:
    return (
        f"{one.number}",
        f"{one.seconds:,.0f}",
        f"{one.error:.3f}",
        f"{one.lines / one.games:,.0f}" if one.games else "-",
        _lines(one.look),
        _interval(one.look),
        f"{one.look.deaths:,}" if one.look else "",
    )


def _curve(name: str, points: Sequence[Point]) -> Iterator[str]:
    """Lines of a game over the steps, each with its interval, as powers of ten."""
    known = [(number, found) for number, found in points if found.lines]
    if not known:
        return
    ends = [end for _, found in known for end in (*found.interval, found.mean) if end]
    least, most = math.log10(min(ends)), math.log10(max(ends))
    scale = (_CURVE_COLUMNS - 1) / ((most - least) or 1.0)

    def column(lines: float) -> int:
        return round((math.log10(max(lines, 1e-9)) - least) * scale)

    yield ""
    yield f"lines of a game over each {name}, {10**least:,.0f} to {10**most:,.0f}; - is the 95 % interval"
    for number, found in known:
        low, high = found.interval
        row = [" "] * _CURVE_COLUMNS
        left, right = max(0, column(low)), _CURVE_COLUMNS - 1 if high is None else column(high)
        row[left : right + 1] = "-" * (right + 1 - left)
        if found.mean is not None:
            row[column(found.mean)] = "o"
        yield f"{number:>6} {''.join(row)}".rstrip()


def _generation_json(one: Generation) -> dict[str, Any]:
    return {
        "generation": one.number,
        "seconds": one.seconds,
        "mean": one.mean,
        "best": one.best,
        "weights": [*one.row],
        "look": survival_of(one).as_json() if one.looks else None,
    }


def _round_json(one: Round) -> dict[str, Any]:
    return {**json.loads(one.to_json()), "look": one.look and one.look.as_json()}


def _evolution_json(folder: EvolutionFolder) -> dict[str, Any]:
    return {
        "run": str(folder.path),
        "settings": json.loads(folder.settings.to_json()),
        "generations": [*map(_generation_json, folder.generations())],
    }


def _q_json(folder: QFolder) -> dict[str, Any]:
    return {
        "run": str(folder.path),
        "settings": json.loads(folder.settings.to_json()),
        "rounds": [*map(_round_json, folder.rounds())],
    }
