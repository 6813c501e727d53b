"""`heatmap-engine perfect-clear play`: perfect clear after perfect clear, drawn in the terminal."""

import random
import sys
import time

import click

from games.perfect_clear.playing import cleared_in_turn
from games.perfect_clear.solver import Solver
from heatmap_engine.cli.long_task import stoppable
from heatmap_engine.cli.perfect_clear.options import bag_option, generator_of, rules_of, rules_options
from heatmap_engine.cli.perfect_clear.view import console, side_by_side, steps_of
from heatmap_engine.start import STOPPED


@click.command("play")
@click.option(
    "--clears",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="How many perfect clears to play.",
)
@click.option(
    "--lines",
    default=4,
    show_default=True,
    type=click.IntRange(2, 6),
    metavar="N",
    help="Lines of each clear: 2, 4 or 6.",
)
@bag_option
@click.option("--seed", type=int, metavar="S", help="The same pieces again.")
@click.option(
    "--seconds",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="S",
    help="Wait so long after each clear.",
)
@rules_options
def command(
    clears: int,
    lines: int,
    bag: str,
    seed: int | None,
    seconds: float,
    kicks: str,
    no_soft_drop: bool,
    no_hold: bool,
) -> None:
    """Play perfect clear after perfect clear with the pieces of one bag, and draw them.

    One piece more than a clear needs is seen, so that one stays in hold for the next clear. It ends with a
    queue that cannot clear the board, or with Ctrl-C.
    """
    if lines % 2:
        raise click.UsageError(f"expected 2, 4 or 6 lines, because pieces of four fill no {lines} empty rows")
    solver = Solver(rules_of(kicks, no_soft_drop, no_hold))
    screen = console()
    done = 0
    with stoppable() as should_stop:
        for turn in cleared_in_turn(solver, generator_of(bag), random.Random(seed), lines):
            if turn.solution is None:
                click.echo(
                    f"{done} perfect clears; with {turn.hold or 'nothing'} in hold "
                    f"{turn.queue} cannot clear {lines} lines"
                )
                return
            done += 1
            click.echo(
                f"perfect clear {done}: hold {turn.hold or 'nothing'}, {turn.queue}; "
                f"{turn.solution.inputs} inputs, found in {turn.seconds * 1000:.1f} ms"
            )
            screen.print(side_by_side(steps_of(turn.solution), screen.width))
            if done == clears or should_stop():
                break
            time.sleep(seconds)
        is_stopped = should_stop()
    click.echo(f"{done} perfect clears")
    if is_stopped:
        sys.exit(STOPPED)
