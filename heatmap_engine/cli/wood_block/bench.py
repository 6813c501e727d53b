"""`heatmap-engine wood-block bench`: simulations, leaves and hands per second of the processor."""

import json

import click

from games.wood_block.fields import Field
from games.wood_block.measuring import Speed, measure_hands, measure_leaves, measure_simulations
from games.wood_block.players import EFFORTS
from heatmap_engine.cli.long_task import long_task
from heatmap_engine.cli.wood_block.options import json_option, rules_of, seed_option, set_option, size_option


@click.command("bench")
@click.option(
    "--hands",
    default=2000,
    show_default=True,
    type=click.IntRange(10),
    metavar="N",
    help="How many hands to play.",
)
@click.option(
    "--simulations",
    default=50,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="For each decision.",
)
@set_option
@size_option
@seed_option
@json_option
def command(hands: int, simulations: int, blocks: str, size: int, seed: int, as_json: bool) -> None:
    """Measure the speed of the tree search, of the evaluation and of the search of hands.

    Times are of the processor, in one thread. The signature is the number of leaves of all searches of hands:
    it changes only if the search or the weights do.
    """
    field = Field(rules_of(blocks, size))
    speeds: list[Speed] = []
    with long_task("measuring", "parts", "nothing was measured to the end") as progress:
        parts = 3 + len(EFFORTS)
        for policy in ("random", "heuristic"):
            speeds.append(measure_simulations(field, policy, simulations, seed))
            progress(len(speeds), parts)
        speeds.append(measure_leaves(field, seed))
        progress(len(speeds), parts)
        for name, effort in EFFORTS.items():
            number = hands if name != "strong" else max(10, hands // 10)
            speeds.append(measure_hands(field, name, effort, number, seed))
            progress(len(speeds), parts)
    signature = sum(one.signature for one in speeds)
    if as_json:
        data = {one.name: {"per_second": one.per_second, "slowest_ms": one.slowest_ms} for one in speeds}
        click.echo(json.dumps({**data, "signature": signature}))
        return
    for one in speeds:
        slowest = "" if one.slowest_ms is None else f", slowest {one.slowest_ms:.1f} ms"
        click.echo(f"{one.name}: {one.per_second:,.0f} {one.unit}/s{slowest}")
    click.echo(f"signature {signature}")
