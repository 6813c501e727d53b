"""`heatmap-engine perfect-clear chance`: the best next placement where the queue is known in part."""

import json
import sys
from pathlib import Path

import click

from games.perfect_clear.board import drawn, rows_of
from games.perfect_clear.chance import Chance, NextPlacement, ranked
from games.perfect_clear.rules import parse_hold, parse_pieces
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c
from heatmap_engine.cli.perfect_clear.options import (
    bag_option,
    board_of,
    board_options,
    generator_of,
    json_option,
    rules_of,
    rules_options,
    seen_option,
)
from heatmap_engine.cli.perfect_clear.view import console, picture, side_by_side
from heatmap_engine.start import STOPPED


@click.command("chance")
@click.argument("queue")
@board_options
@click.option("--hold", metavar="X", help="The piece in hold.")
@bag_option
@seen_option
@click.option(
    "--top",
    default=5,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="How many placements to show.",
)
@rules_options
@json_option
def command(
    queue: str,
    rows: tuple[str, ...],
    board_file: Path | None,
    fumen: str | None,
    lines: int | None,
    hold: str | None,
    bag: str,
    seen: str,
    top: int,
    kicks: str,
    no_soft_drop: bool,
    no_hold: bool,
    as_json: bool,
) -> None:
    """Rank the next placements by the probability of a perfect clear.

    QUEUE are the pieces that are seen, the current one first. With each placement one more piece is seen, and
    all later ones are placed in the best way. Each unknown piece takes about ten times as long: with three it
    is seconds, with five hours. The exit code is 1 if no perfect clear is possible.

    \b
    Example:
      heatmap-engine perfect-clear chance TJ --hold I XXX.....XX XXX....XXX XXX...XXXX XXX....XXX
    """
    chance = Chance(
        parse_pieces(queue),
        generator=generator_of(bag),
        board=board_of(rows, board_file, fumen),
        hold=parse_hold(hold),
        seen=parse_pieces(seen, "--seen", 1000),
        lines=lines,
        rules=rules_of(kicks, no_soft_drop, no_hold),
    )
    found: list[NextPlacement] = []
    stops: list[bool] = []

    def stop() -> None:
        stops.append(True)
        chance.stop()

    now_or_on_ctrl_c(lambda: found.extend(chance.placements()), stop)
    best = ranked(found)
    if as_json:
        click.echo(json.dumps(_as_json(chance, best, is_complete=not stops)))
    else:
        _print(chance, best[:top], len(best), is_complete=not stops)
    if stops:
        sys.exit(STOPPED)
    if not best:
        sys.exit(1)


def _print(chance: Chance, best: list[NextPlacement], found: int, *, is_complete: bool) -> None:
    if not is_complete:
        click.echo(f"stopped: {found} placements are known, better ones may be missing")
    if not best:
        if is_complete:
            click.echo(
                f"impossible: whatever comes, nothing clears the board in {chance.lines} lines; "
                "the search is complete"
            )
        return
    click.echo(
        f"{best[0].probability:.2%} for a perfect clear in {chance.lines} lines, "
        f"with {chance.pieces_left} pieces to place and {chance.unknown} not seen yet"
    )
    screen = console()
    height = max(chance.lines, len(rows_of(chance.board)))
    screen.print(
        side_by_side(
            [
                (f"{one.probability:.2%}", picture(drawn(chance.board, height, [(one.cells, one.piece)])))
                for one in best
            ],
            screen.width,
        )
    )
    for one in best:
        click.echo(f"{one.probability:7.2%} {one.piece}  {', '.join(one.keys)}")


def _as_json(chance: Chance, best: list[NextPlacement], *, is_complete: bool) -> dict[str, object]:
    return {
        "complete": is_complete,
        "lines": chance.lines,
        "unknown": chance.unknown,
        "states": chance.states,
        "placements": [
            {
                "probability": one.probability,
                "piece": one.piece,
                "hold": one.is_held,
                "keys": list(one.keys),
                "rows": drawn(one.cells, chance.lines),
                "board": drawn(one.board, chance.lines),
            }
            for one in best
        ],
    }
