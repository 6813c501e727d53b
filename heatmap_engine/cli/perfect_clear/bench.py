"""`heatmap-engine perfect-clear bench`: how fast random queues are solved."""

import json
import random
import statistics
import time

import click

from games.perfect_clear.playing import drawn_pieces
from games.perfect_clear.solver import Question, Solver
from games.tetrominoes.bags import GENERATORS
from heatmap_engine.cli.long_task import long_task
from heatmap_engine.cli.perfect_clear.options import json_option, rules_of, rules_options

_PIECES = 11


@click.command("bench")
@click.option(
    "--queues",
    default=200,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="How many queues to solve.",
)
@click.option("--seed", default=1, show_default=True, metavar="S", help="Which queues.")
@click.option("--every-solution", is_flag=True, help="Search for all solutions, not for the first one.")
@rules_options
@json_option
def command(
    queues: int, seed: int, every_solution: bool, kicks: str, no_soft_drop: bool, no_hold: bool, as_json: bool
) -> None:
    """Solve queues of eleven pieces from a 7-bag on an empty board, and print the time that each took.

    The time is that of the processor, for one queue after the other, with nothing kept between them. The
    signature is the number of states searched: it changes only if the search does.
    """
    solver = Solver(rules_of(kicks, no_soft_drop, no_hold))
    choices = random.Random(seed)
    seconds, states, solved = [], 0, 0
    with long_task("solving", "queues", "nothing was measured to the end") as progress:
        for done in range(queues):
            pieces = drawn_pieces(GENERATORS["7-bag"], choices)
            question = Question("".join(next(pieces) for _ in range(_PIECES)), lines=4)
            begin = time.process_time()
            if every_solution:
                solved += solver.count(question) > 0
            else:
                answer = solver.first(question)
                solved += answer.is_possible
                states += answer.states
            seconds.append(time.process_time() - begin)
            progress(done + 1, queues)
    mean, worst = 1000 * statistics.mean(seconds), 1000 * max(seconds)
    if as_json:
        click.echo(
            json.dumps(
                {"queues": queues, "solved": solved, "mean_ms": mean, "worst_ms": worst, "states": states}
            )
        )
        return
    click.echo(
        f"{solved} of {queues} queues solved: mean {mean:.2f} ms, worst {worst:.1f} ms of the processor"
    )
    if not every_solution:
        click.echo(f"signature {states}")
