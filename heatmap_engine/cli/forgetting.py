"""Taking back a game that was learned, and how games of the journal are listed."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from games.chess.journal import LearnedGame
from heatmap_engine.errors import HeatmapError
from heatmap_engine.learning.forgetting import Forgotten, forget_game
from qtable import QTable


def forget(path: Path, prefix: str, as_json: bool) -> None:
    """Take back the game whose id begins with `prefix`, and say what that came to."""
    with QTable(path, must_exist=True) as table:
        game = _only_game(table, prefix)
        forgotten = forget_game(table, game)
    if as_json:
        fields = {"forgotten": game.record.game_id, **asdict(forgotten), "table": str(path)}
        click.echo(json.dumps(fields))
        return
    click.echo(f"forgot {listed(game)}")
    click.echo("\n".join(_taken_back(forgotten, path)))


def _taken_back(forgotten: Forgotten, path: Path) -> Iterator[str]:
    yield (
        f"took back its result at {_counted(forgotten.results, 'position')}, and removed "
        f"{_counted(forgotten.removed, 'value')} that nothing else had made"
    )
    if not forgotten.kept and not forgotten.later:
        return
    if forgotten.kept:
        yield (
            f"could not take back {_counted(forgotten.kept, 'value')}: "
            "other games or searches may have had a part in them"
        )
    if forgotten.later:
        yield f"{games_in_words(forgotten.later)} learned after it may rest on it"
    yield (
        "To be rid of all of it, learn the other games again:\n"
        f"  heatmap-engine learn --rebuild --table {shlex.quote(str(path))}\n"
        "This drops what came from elsewhere: searches in play, imports."
    )


def _only_game(table: QTable, prefix: str) -> LearnedGame:
    """The game of the journal whose id begins with this."""
    found = [line for line in table.journal() if prefix and line.id.startswith(prefix)]
    if len(found) != 1:
        raise HeatmapError(
            f"expected the id of one game in the journal of {table.path}, or a unique prefix, got "
            f"{prefix!r}, which fits {games_in_words(len(found))}; to list them: "
            f"heatmap-engine learn --list --table {shlex.quote(str(table.path))}"
        )
    return LearnedGame.from_line(found[0])


def listed(game: LearnedGame) -> str:
    record = game.record
    learned = f"{datetime.fromtimestamp(game.added or 0, UTC):%Y-%m-%d %H:%M}"
    played = f"{record.result:<7}  {len(record.moves):>3} plies  {record.white} - {record.black}"
    return f"{record.game_id}  {learned}  {played}"


def games_in_words(count: int) -> str:
    return _counted(count, "game")


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word if count == 1 else f'{word}s'}"
