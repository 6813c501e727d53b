"""`heatmap-engine tetris play`: games of a player, counted or drawn."""

import json
import random
import sys
import time
from collections.abc import Callable

import click

from games.tetris.game import Game
from games.tetris.playing import NO_LIMIT, Player, Setting, play_game, seeds
from games.tetris.rules import Rules
from games.tetris.survival import Survival, counted
from heatmap_engine.cli.long_task import progress_bar, stoppable
from heatmap_engine.cli.tetris.options import features_option, game_options, json_option, player_of
from heatmap_engine.start import STOPPED

Ask = Callable[[], bool]


@click.command("play")
@click.option(
    "--games", default=1, show_default=True, type=click.IntRange(1), metavar="N", help="How many games."
)
@features_option("What the player counts, with the usual weights for it.")
@click.option("--weights", metavar="NAME|FILE", help="The player's weights; see docs/guide/11-tetris.md.")
@click.option("--network", metavar="package|FILE", help="A Q-network plays instead of weights.")
@click.option(
    "--lookahead",
    "known",
    is_flag=False,
    flag_value=1,
    default=0,
    type=int,
    metavar="[N]",
    help="Look at so many coming pieces, 1 to 3; without a number at one.",
)
@click.option(
    "--expect",
    "unknown",
    default=0,
    metavar="N",
    help="Take the mean over so many further pieces that nobody sees, 1 or 2.",
)
@game_options
@click.option(
    "--max-lines",
    default=1_000_000,
    show_default=True,
    type=click.IntRange(0),
    metavar="N",
    help="End a game after so many lines; 0 never.",
)
@click.option("--seed", type=click.IntRange(0), metavar="S", help="The same pieces again.")
@click.option("--show", is_flag=True, help="Draw the board, the next piece and the best moves.")
@click.option(
    "--delay",
    default=100,
    show_default=True,
    type=click.IntRange(0),
    metavar="MS",
    help="With --show: wait so long after each piece.",
)
@click.option("--verbose", is_flag=True, help="Print the best moves of every piece.")
@json_option
def command(
    games: int,
    features: str | None,
    weights: str | None,
    network: str | None,
    known: int,
    unknown: int,
    width: int,
    height: int,
    rule: str,
    pieces: str,
    max_lines: int,
    seed: int | None,
    show: bool,
    delay: int,
    verbose: bool,
    as_json: bool,
) -> None:
    """Let a player play Tetris, and count lines and deaths.

    A game's lines scatter as much as their mean is large, so that a mean comes with its 95 % interval. A game
    that is ended by --max-lines or Ctrl-C has no death; its lines still count.

    \b
    Examples:
      heatmap-engine tetris play --games 3 --features dellacherie --lookahead
      heatmap-engine tetris play --show --delay 50
      heatmap-engine tetris play --network package --games 10
    """
    if as_json and (show or verbose):
        raise click.UsageError("--json cannot be given with --show or --verbose")
    setting = Setting(Rules(width, height, rule), pieces, max_lines or None)
    player, name = player_of(features, weights, network, known, unknown, width)
    seed = random.SystemRandom().randrange(2**31) if seed is None else seed
    found: list[Survival] = []
    with stoppable() as should_stop:
        for number, game_seed in zip(range(games), seeds(seed), strict=False):
            game = setting.game(game_seed)
            found.append(_played(player, game, setting, should_stop, (show, verbose), delay))
            if not as_json:
                click.echo(_line(number + 1, found[-1], setting, should_stop()))
            if should_stop():
                break
        is_stopped = should_stop()
    total = Survival.of(found)
    if as_json:
        click.echo(json.dumps(_as_json(name, setting, seed, found, total)))
    else:
        click.echo(f"{name} on {setting.rules}, {pieces}, seed {seed}")
        click.echo(str(total))
    if is_stopped:
        sys.exit(STOPPED)


def _played(
    player: Player, game: Game, setting: Setting, should_stop: Ask, shown: tuple[bool, bool], delay: int
) -> Survival:
    if shown[0]:
        return _drawn(player, game, setting, should_stop, delay)
    if shown[1]:
        return _told(player, game, setting, should_stop)
    with progress_bar("playing", "lines") as draw:

        def ask() -> bool:
            draw(game.lines, setting.max_lines)
            return should_stop()

        return play_game(player, game, setting.max_lines, ask)


def _steps(
    player: Player, game: Game, setting: Setting, should_stop: Ask, look: Callable[..., None]
) -> Survival:
    """A game piece by piece, each with what the player thinks of it."""
    while game.lines < (setting.max_lines or NO_LIMIT) and not should_stop():
        chosen = player.choose(game)
        look(player.candidates(game), chosen)
        if chosen is None:
            return Survival(1, 1, game.lines, game.pieces)
        game.place(*chosen)
    return Survival(1, 0, game.lines, game.pieces)


def _told(player: Player, game: Game, setting: Setting, should_stop: Ask) -> Survival:
    from heatmap_engine.cli.tetris.view import candidate_lines

    return _steps(
        player,
        game,
        setting,
        should_stop,
        lambda candidates, chosen: click.echo("\n".join(candidate_lines(game.current, candidates, chosen))),
    )


def _drawn(player: Player, game: Game, setting: Setting, should_stop: Ask, delay: int) -> Survival:
    from rich.live import Live

    from heatmap_engine.cli.tetris.view import console, scene

    screen = console()
    width = setting.rules.width
    if not screen.is_terminal:  # every board under the one before

        def look(candidates: list[tuple[float, int, int]], chosen: tuple[int, int] | None) -> None:
            screen.print(scene(game, width, candidates, chosen))

        return _steps(player, game, setting, should_stop, look)
    with Live(console=screen, auto_refresh=False, vertical_overflow="crop") as live:

        def redraw(candidates: list[tuple[float, int, int]], chosen: tuple[int, int] | None) -> None:
            live.update(scene(game, width, candidates, chosen), refresh=True)
            time.sleep(delay / 1000)

        return _steps(player, game, setting, should_stop, redraw)


def _line(number: int, game: Survival, setting: Setting, is_stopped: bool) -> str:
    how = "died" if game.deaths else "stopped" if is_stopped else "ended by --max-lines"
    return f"game {number}: {counted(game.lines, 'line')}, {counted(game.pieces, 'piece')}, {how}"


def _as_json(
    name: str, setting: Setting, seed: int, games: list[Survival], total: Survival
) -> dict[str, object]:
    rules = setting.rules
    return {
        "player": name,
        "width": rules.width,
        "height": rules.height,
        "rule": rules.rule,
        "pieces": setting.generator,
        "max_lines": setting.max_lines,
        "seed": seed,
        **{
            f"total_{field}" if field == "pieces" else field: value
            for field, value in total.as_json().items()
        },
        "each": [{"lines": game.lines, "pieces": game.pieces, "died": bool(game.deaths)} for game in games],
    }
