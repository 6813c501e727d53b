"""`heatmap-engine wood-block solve`: how to place a hand on a board."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from games.wood_block.blocks import Block, BlockSet, parse_block
from games.wood_block.board import parse_board, rows_of
from games.wood_block.errors import InvalidQuestion
from games.wood_block.fields import Field
from games.wood_block.mcts import Decision, TreeSearch
from games.wood_block.players import EFFORTS, evaluation_of, hand_search
from games.wood_block.quality import quality_of
from games.wood_block.rules import HAND, Action, Rules, points_of
from games.wood_block.weights import Weights, learned_weights
from heatmap_engine.cli.wood_block.options import (
    effort_option,
    json_option,
    rules_of,
    seed_option,
    set_option,
    tree_of,
    tree_options,
    weights_of,
    weights_option,
)
from heatmap_engine.cli.wood_block.view import (
    block_text,
    board_rows,
    console,
    placed_rows,
    side_by_side,
    step_text,
)
from heatmap_engine.errors import HeatmapError

# More bytes are no board.
_LARGEST_FILE = 10_000
_SHOWN = 5


@click.command("solve")
@click.argument("rows", nargs=-1)
@click.option(
    "--hand", "hand_text", required=True, metavar="BLOCKS", help='The blocks, such as "XX/X. XXX X".'
)
@click.option(
    "--board",
    "board_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A board from a file; - reads it from standard input.",
)
@click.option(
    "--player",
    type=click.Choice(("search", "mcts")),
    default="search",
    show_default=True,
    help="Who decides.",
)
@click.option(
    "--quality", is_flag=True, help="mcts: measure how consistent it is, and what its rollouts tell."
)
@set_option
@effort_option
@weights_option
@tree_options
@seed_option
@json_option
def command(
    rows: tuple[str, ...],
    hand_text: str,
    board_file: Path | None,
    player: str,
    quality: bool,
    blocks: str,
    effort: str,
    weights: Path | None,
    seed: int,
    as_json: bool,
    **tree: Any,
) -> None:
    """Say in which order to place the blocks of a hand, and where.

    ROWS are the board, the upper row first: 5 to 10 rows with as many cells each, X for a filled cell and .
    for an empty one. Without them the board is empty. A block is its rows from above, with / between them.
    With --player mcts the answer is one block, because a tree search decides block by block. The exit code is
    1 if not all blocks can be placed.

    \b
    Example:
      heatmap-engine wood-block solve --hand "XXX X/X XX/XX" \\
        XXXXXX... ......... ......... ......... ......... ......... ......... ......... .........
    """
    if quality and player != "mcts":
        raise click.UsageError("--quality is for --player mcts")
    board, size = _board_of(rows, board_file)
    chosen = [parse_block(word) for word in hand_text.replace(",", " ").split()]
    if not 1 <= len(chosen) <= HAND:
        raise InvalidQuestion(f"expected a hand of 1 to {HAND} blocks, got {len(chosen)}")
    usual = rules_of(blocks, size)
    field = Field(_with_blocks(usual, chosen))
    hand = [field.source.blocks.number_of(block) for block in chosen]
    own = weights_of(weights) or learned_weights(usual)
    if player == "mcts":
        _decide(field, board, hand, seed, tree, own, quality=quality, as_json=as_json)
        return
    search = hand_search(field, EFFORTS[effort], own, deal=range(len(usual.blocks.blocks)))
    is_whole, steps, after, points, cost = search.answer(board, hand, seed)
    actions = [Action(*step) for step in steps]
    if as_json:
        click.echo(json.dumps(_as_json(field, hand, board, actions, after, points, cost, is_whole=is_whole)))
    else:
        _print(field, hand, board, actions, after, points, is_whole=is_whole)
    if not is_whole:
        sys.exit(1)


def _board_of(rows: tuple[str, ...], board_file: Path | None) -> tuple[int, int]:
    if rows and board_file is not None:
        raise click.UsageError("expected a board as rows or with --board, got both")
    if board_file is not None:
        return parse_board(_read(board_file))
    return parse_board(" ".join(rows)) if rows else (0, 9)


def _read(path: Path) -> str:
    if str(path) == "-":
        text = sys.stdin.read(_LARGEST_FILE + 1) if sys.stdin is not None else ""
    else:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(_LARGEST_FILE + 1)
    if len(text) > _LARGEST_FILE:
        raise HeatmapError(
            f"expected a board of at most ten rows in {path}, got more than {_LARGEST_FILE:,} bytes"
        )
    return text


def _with_blocks(rules: Rules, blocks: list[Block]) -> Rules:
    """The rules with blocks that the set does not have; they are in the hand, but never dealt."""
    new = tuple(block for block in dict.fromkeys(blocks) if block not in rules.blocks.blocks)
    return Rules(rules.size, BlockSet(rules.blocks.name, (*rules.blocks.blocks, *new))) if new else rules


def _print(
    field: Field,
    hand: list[int],
    board: int,
    actions: list[Action],
    after: int,
    points: int,
    *,
    is_whole: bool,
) -> None:
    if not actions:
        click.echo("no block of this hand fits: the game is over")
        return
    what = "all blocks placed" if is_whole else "not all blocks can be placed; the most points are these"
    click.echo(f"{what}: {points:,} points")
    _draw(field, hand, board, actions, after)


def _draw(field: Field, hand: list[int], board: int, actions: list[Action], after: int) -> None:
    pictures = [("order", placed_rows(field, board, hand, actions)), ("after", board_rows(field, after))]
    console().print(side_by_side(pictures))
    for number, action in enumerate(actions, start=1):
        click.echo(step_text(field, hand, number, action))


def _as_json(
    field: Field,
    hand: list[int],
    board: int,
    actions: list[Action],
    after: int,
    points: int,
    cost: int,
    *,
    is_whole: bool,
) -> dict[str, object]:
    return {
        "all_placed": is_whole,
        "points": points,
        "cost": cost / 1000,
        "steps": [
            {
                "action": action.number,
                "slot": action.block,
                "block": block_text(field, hand[action.block]),
                "row": action.row,
                "column": action.column,
            }
            for action in actions
        ],
        "board": rows_of(board, field.source.size),
        "after": rows_of(after, field.source.size),
    }


def _decide(
    field: Field,
    board: int,
    hand: list[int],
    seed: int,
    tree: dict[str, Any],
    weights: Weights,
    *,
    quality: bool,
    as_json: bool,
) -> None:
    """Print what a tree search thinks of a hand."""
    options = tree_of(tree)
    evaluation = evaluation_of(field, weights)
    filled_hand = [*hand, *[None] * (HAND - len(hand))]
    decision = TreeSearch(field, options, evaluation).decide(board, filled_hand, seed)
    if decision is None:
        click.echo(
            json.dumps({"action": None}) if as_json else "no block of this hand fits: the game is over"
        )
        sys.exit(1)
    found = (
        quality_of(field, options, board, filled_hand, evaluation=evaluation, seed=seed) if quality else None
    )
    if as_json:
        click.echo(json.dumps(_decision_json(field, hand, decision, asdict(found) if found else None)))
        return
    chosen = decision.action
    put = field.put(board, hand[chosen.block], chosen.row, chosen.column)
    assert put is not None
    click.echo(f"the action with the most visits: {points_of(put[1]):,} points")
    _draw(field, hand, board, [chosen], put[0])
    for one in decision.candidates[:_SHOWN]:
        where = step_text(field, hand, one.action.block + 1, one.action)
        click.echo(f"{one.visits:6,} visits, mean {one.mean:,.1f}: block{where}")
    for name, value in decision.metrics().items():
        click.echo(f"  {name.replace('_', ' ')}: {value:,.6g}")
    if found:
        for name, figure in asdict(found).items():
            click.echo(
                f"  {name.replace('_', ' ')}: {figure if isinstance(figure, dict) else _figure(figure)}"
            )


def _figure(value: float | None) -> str:
    return "unknown: all actions are alike" if value is None else f"{value:.3f}"


def _decision_json(
    field: Field, hand: list[int], decision: Decision, quality: dict[str, object] | None
) -> dict[str, object]:
    return {
        "action": decision.action.number,
        **decision.metrics(),
        "quality": quality,
        "candidates": [
            {
                "action": one.action.number,
                "block": block_text(field, hand[one.action.block]),
                "row": one.action.row,
                "column": one.action.column,
                "visits": one.visits,
                "mean": one.mean,
            }
            for one in decision.candidates
        ],
    }
