"""`heatmap-engine tetris bench`: how fast placements are valued."""

import json
import time
from typing import NamedTuple

import click

from games.tetris.network import QPlayer
from games.tetris.network_file import new_network
from games.tetris.playing import Player, Setting, weights_player
from games.tetris.rules import Rules
from games.tetris.weights import known_weights
from heatmap_engine.cli.columns import aligned
from heatmap_engine.cli.long_task import long_task
from heatmap_engine.cli.tetris.options import json_option

_PARTS = 20


class _Result(NamedTuple):
    name: str
    pieces: int
    placements: int
    seconds: float
    best: float
    """The seconds of the fastest part, times the number of parts."""
    lines: int

    @property
    def rate(self) -> float:
        return self.placements / self.seconds

    @property
    def best_rate(self) -> float:
        return self.placements / self.best

    @property
    def microseconds(self) -> float:
        return 1e6 * self.best / self.pieces


@click.command("bench")
@click.option(
    "--pieces",
    default=400_000,
    show_default=True,
    type=click.IntRange(1000),
    metavar="N",
    help="Pieces without lookahead; with it a fortieth of them.",
)
@json_option
def command(pieces: int, as_json: bool) -> None:
    """Play on 10 x 20 by weights, with lookahead and by a network, and print how fast that was.

    The time is that of the processor. The machine may be busy, so that the fastest of twenty parts is given
    besides the whole. The signature is the number of lines cleared: it changes only if the play does.
    """
    bcts = known_weights("bcts")
    players: tuple[tuple[str, Player, int], ...] = (
        ("8 features", weights_player(bcts), pieces),
        ("9 features", weights_player(known_weights("dt-20")), pieces),
        ("4 features", weights_player(known_weights("basic")), pieces),
        ("8 features, one piece ahead", weights_player(bcts, 1), pieces // 40),
        ("Q-network", QPlayer(new_network(10, 1)), pieces),
    )
    found = []
    with long_task("playing", "players", "nothing was measured to the end") as progress:
        for number, (name, player, count) in enumerate(players):
            found.append(_measured(name, player, count))
            progress(number + 1, len(players))
    if as_json:
        click.echo(json.dumps([{**one._asdict(), "placements_per_second": one.rate} for one in found]))
        return
    rows = [("player", "placements/s", "fastest part", "µs for a decision")]
    rows += [
        (one.name, f"{one.rate / 1e6:.1f} M", f"{one.best_rate / 1e6:.1f} M", f"{one.microseconds:.2f}")
        for one in found
    ]
    click.echo("\n".join(aligned(rows)))
    click.echo(f"signature {sum(one.lines for one in found)}")


def _measured(name: str, player: Player, pieces: int) -> _Result:
    """So many pieces, in games one after the other."""
    setting = Setting(Rules())
    game, seed = setting.game(1), 1
    done = lines = 0
    seconds: list[float] = []
    for part in range(1, _PARTS + 1):
        begin = time.process_time()
        while done + game.pieces < pieces * part // _PARTS:
            player.play(game, pieces * part // _PARTS - done, 2**62)
            if game.is_over:
                done, lines, seed = done + game.pieces, lines + game.lines, seed + 1
                game = setting.game(seed)
        seconds.append(time.process_time() - begin)
    best = min(seconds) * _PARTS
    return _Result(name, done + game.pieces, player.placements, sum(seconds), best, lines + game.lines)
