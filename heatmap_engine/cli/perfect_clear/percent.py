"""`heatmap-engine perfect-clear percent`: how many queues clear a board."""

import json
import sys
from pathlib import Path

import click
import numpy as np

from games.perfect_clear.board import pieces_needed
from games.perfect_clear.errors import InvalidQuestion
from games.perfect_clear.patterns import as_array, expand, is_pattern
from games.perfect_clear.percent import Percent, Share, lines_for, percent
from games.perfect_clear.rules import MOST_PIECES, Rules, parse_hold, parse_pieces
from games.tetrominoes.bags import Generator
from games.tetrominoes.pieces import PIECES
from heatmap_engine.cli.columns import aligned
from heatmap_engine.cli.long_task import progress_bar, stoppable
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
from heatmap_engine.start import STOPPED

_SHOWN = 10


@click.command("percent")
@click.argument("queue")
@board_options
@click.option("--hold", metavar="X", help="The piece in hold.")
@click.option("--by-hold", is_flag=True, help="Count again for every piece in hold.")
@bag_option
@seen_option
@rules_options
@json_option
def command(
    queue: str,
    rows: tuple[str, ...],
    board_file: Path | None,
    fumen: str | None,
    lines: int | None,
    hold: str | None,
    by_hold: bool,
    bag: str,
    seen: str,
    kicks: str,
    no_soft_drop: bool,
    no_hold: bool,
    as_json: bool,
) -> None:
    """Count the queues that clear a board, by their first piece and by the hold.

    QUEUE is a pattern such as *p4 or [TIO]!,[SZ], or the beginning of a queue, which the bag completes with
    every piece that can come. ROWS are the board, the upper row first; without them it is empty.

    \b
    Examples:
      heatmap-engine perfect-clear percent '*p4' --hold I XXX.....XX XXX....XXX XXX...XXXX XXX....XXX
      heatmap-engine perfect-clear percent '*p7*p4'
      heatmap-engine perfect-clear percent TIOSZLJT
    """
    rules = rules_of(kicks, no_soft_drop, no_hold)
    board = board_of(rows, board_file, fumen)
    held = parse_hold(hold)
    if by_hold and (held or no_hold):
        raise click.UsageError(
            "--by-hold tries every piece in hold, and does not go with --hold or --no-hold"
        )
    if is_pattern(queue):
        if seen:
            raise click.UsageError("--seen is for the beginning of a queue, not for a pattern")
        queues, weights = expand(queue), None
    else:
        queues, weights = _completed(queue, board, held, lines, generator_of(bag), seen, rules, by_hold)
    found: list[Percent] = []
    by: dict[str, Share] = {}
    is_stopped = False
    try:
        with stoppable() as should_stop, progress_bar("solving", "queues") as draw:

            def report(done: int, total: int) -> None:
                if should_stop():
                    raise KeyboardInterrupt
                draw(done, total)

            try:
                for one in (*PIECES, None) if by_hold else (held,):
                    result = percent(
                        queues,
                        board=board,
                        hold=one,
                        lines=lines,
                        rules=rules,
                        weights=weights,
                        report=report,
                        into=found,
                    )
                    if by_hold:
                        by[one or "none"] = result.share()
            except KeyboardInterrupt:
                is_stopped = True
    finally:
        if found:
            last = found[-1]
            click.echo(json.dumps(_as_json(last, by)) if as_json else "\n".join(_as_text(last, by, held)))
    if is_stopped:
        click.echo(f"stopped: {found[-1].known:,} of {len(queues):,} queues are decided", err=True)
        sys.exit(STOPPED)


def _completed(
    text: str,
    board: int,
    hold: str | None,
    lines: int | None,
    generator: Generator,
    seen: str,
    rules: Rules,
    by_hold: bool,
) -> tuple["np.typing.NDArray[np.uint8]", "np.typing.NDArray[np.float64]"]:
    """The queue with every ending that the bag can bring, so that one piece can stay in hold."""
    queue = parse_pieces(text)
    known = len(queue) + (hold is not None or by_hold)
    needed = pieces_needed(board, lines_for(board, max(known, _fewest(board)), lines))
    unknown = max(0, needed + rules.hold - known)
    if unknown > 7 or len(queue) + unknown > MOST_PIECES:
        raise InvalidQuestion(
            f"expected at most 7 unknown pieces, got {unknown} after {len(queue)} where {needed} are needed"
        )
    try:
        endings = list(generator.endings(parse_pieces(seen, "--seen", 1000) + queue, unknown))
    except ValueError as error:
        raise InvalidQuestion(str(error)) from None
    return as_array([queue + ending for ending, _ in endings]), np.array([each for _, each in endings])


def _fewest(board: int) -> int:
    """The fewest pieces that can clear the board."""
    for pieces in range(1, MOST_PIECES):
        try:
            lines_for(board, pieces, None)
        except InvalidQuestion:
            continue
        return pieces
    return MOST_PIECES


def _as_json(result: Percent, by_hold: dict[str, Share]) -> dict[str, object]:
    share = result.share()
    return {
        "lines": result.lines,
        "queues": len(result.queues),
        "decided": result.known,
        "cleared": result.cleared,
        "fraction": share.fraction,
        "by_first_piece": {piece: one.fraction for piece, one in result.by_first_piece().items()},
        "by_hold": {piece: one.fraction for piece, one in by_hold.items()},
        "impossible": result.impossible(1000),
    }


def _as_text(result: Percent, by_hold: dict[str, Share], hold: str | None) -> list[str]:
    share = result.share()
    held = f" with {hold} in hold" if hold else ""
    lines = [
        f"{result.cleared:,} of {result.known:,} queues clear the board in {result.lines} lines{held}: "
        f"{share.fraction:.2%}"
    ]
    rows = [
        ("first", "cleared"),
        *((piece, f"{one.fraction:.2%}") for piece, one in result.by_first_piece().items()),
    ]
    lines += aligned(rows)
    if by_hold:
        lines += aligned(
            [("hold", "cleared"), *((piece, f"{one.fraction:.2%}") for piece, one in by_hold.items())]
        )
    if failed := result.impossible(_SHOWN):
        more = int((result.answers == 0).sum()) - len(failed)
        lines.append("impossible: " + " ".join(failed) + (f" and {more:,} more" if more else ""))
    return lines
