"""`heatmap-engine wood-block play`: games of a player, and how long it lives."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from games.wood_block.fields import Field
from games.wood_block.players import EFFORTS, Player, RandomPlayer, SearchPlayer, TreePlayer
from games.wood_block.playing import Interval, Lives, Outcome, Placed, mean_of, play_game
from games.wood_block.rules import Rules
from games.wood_block.weights import Weights
from heatmap_engine.cli.long_task import progress_bar, stoppable
from heatmap_engine.cli.wood_block.options import (
    effort_option,
    json_option,
    rules_of,
    seed_option,
    set_option,
    size_option,
    tree_of,
    tree_options,
    weights_of,
    weights_option,
)
from heatmap_engine.cli.wood_block.view import board_rows, console, placed_rows, side_by_side
from heatmap_engine.start import STOPPED

PLAYERS = ("search", "mcts", "random")


@click.command("play")
@click.option(
    "--player", "name", type=click.Choice(PLAYERS), default="search", show_default=True, help="Who plays."
)
@click.option(
    "--games", default=1, show_default=True, type=click.IntRange(1), metavar="N", help="How many games."
)
@click.option(
    "--max-hands",
    default=1000,
    show_default=True,
    type=click.IntRange(0),
    metavar="N",
    help="End a game after so many hands; 0 plays it to its end.",
)
@click.option("--show", is_flag=True, help="Draw every hand.")
@click.option(
    "--delay", default=0, type=click.IntRange(0), metavar="MS", help="With --show: wait after each hand."
)
@set_option
@size_option
@effort_option
@weights_option
@tree_options
@seed_option
@json_option
def command(
    name: str,
    games: int,
    max_hands: int,
    show: bool,
    delay: int,
    blocks: str,
    size: int,
    effort: str,
    weights: Path | None,
    seed: int,
    as_json: bool,
    **tree: Any,
) -> None:
    """Play games, and say what they scored and how long the player lives.

    A life is geometric: each hand is as likely to be the last one. So a few deaths among many hands tell how
    long it lives on average, with an interval of 95 %. The same seed brings the same hands to every player.
    Ctrl-C ends after the hand and prints what is known by then.

    \b
    Examples:
      heatmap-engine wood-block play --show --delay 500 --max-hands 5
      heatmap-engine wood-block play --player mcts --simulations 200 --games 20
      heatmap-engine wood-block play --set 47 --games 10 --max-hands 10000
    """
    if show and as_json:
        raise click.UsageError("--show draws for people, and does not go with --json")
    rules = rules_of(blocks, size)
    field = Field(rules)
    player = _player(name, field, effort, weights_of(weights), tree)
    outcomes: list[Outcome] = []
    played = 0
    with stoppable() as should_stop, progress_bar("playing", "hands") as draw:

        def placed(hand: Placed) -> None:
            nonlocal played
            played += 1
            draw(played, games * max_hands or None)
            if show:
                _show(field, hand, delay)

        for number in range(games):
            if not should_stop():
                outcomes.append(
                    play_game(field, player, seed + number, max_hands or None, placed, should_stop)
                )
        is_stopped = should_stop()
    decisions = {"number": player.decisions, **player.metrics()} if isinstance(player, TreePlayer) else None
    if as_json:
        click.echo(json.dumps(_as_json(rules, name, outcomes, decisions)))
    else:
        _print(outcomes, decisions)
    if is_stopped:
        sys.exit(STOPPED)


def _player(name: str, field: Field, effort: str, weights: Weights | None, tree: dict[str, Any]) -> Player:
    if name == "random":
        return RandomPlayer()
    if name == "mcts":
        return TreePlayer(field, tree_of(tree), weights)
    return SearchPlayer(field, EFFORTS[effort], weights)


def _show(field: Field, placed: Placed, delay: int) -> None:
    names = ", ".join(str(field.source.blocks.blocks[block]) for block in placed.hand if block is not None)
    console().print(f"{names}", style="bold")
    console().print(
        side_by_side(
            [
                ("order", placed_rows(field, placed.board, placed.hand, placed.actions)),
                (f"score {placed.score:,}", board_rows(field, placed.after)),
            ]
        )
    )
    click.echo("no block that is left fits: the game is over\n" if placed.is_over else "")
    time.sleep(delay / 1000)


def _print(outcomes: list[Outcome], decisions: dict[str, float] | None) -> None:
    lives = Lives.of(outcomes)
    seconds = sum(one.seconds for one in outcomes)
    ended = f"{lives.deaths} of {lives.games} games ended" if lives.games > 1 else "the game ended"
    if not lives.deaths:
        ended = "no game ended"
    click.echo(
        f"{lives.hands:,} hands, {lives.score:,} points, {ended}; "
        f"{lives.hands / max(seconds, 1e-9):,.0f} hands/s, slowest hand "
        f"{1000 * max(one.slowest for one in outcomes):.1f} ms of the processor"
    )
    hazard = lives.hazard
    click.echo(f"deaths per hand: {hazard.value:.3g} (95 %: {hazard.low:.3g} to {hazard.high:.3g})")
    click.echo(f"hands of a life: {_interval(lives.mean_hands)}")
    if lives.deaths == lives.games > 1:
        click.echo(f"score of a game: {_interval(mean_of([one.score for one in outcomes]))}")
    else:
        click.echo(f"score of a life: {_interval(lives.mean_score)}")
    if decisions:
        click.echo(
            f"a decision: {decisions['simulations']:,.0f} simulations, depth {decisions['depth']:.1f}, "
            f"{decisions['nodes']:,.0f} nodes, {1000 * decisions['seconds']:.3f} ms, "
            f"{decisions['mean_visits']:.1f} visits per action"
        )


def _interval(one: Interval) -> str:
    if one.value == float("inf"):
        return f"at least {one.low:,.0f} (nobody died)"
    if one.low == float("-inf"):
        return f"{one.value:,.0f}"
    return f"{one.value:,.0f} (95 %: {one.low:,.0f} to {one.high:,.0f})"


def _data(one: Interval) -> dict[str, float | None]:
    """The interval for JSON, which knows no infinity."""
    values = {"value": one.value, "low": one.low, "high": one.high}
    return {name: value if abs(value) != float("inf") else None for name, value in values.items()}


def _as_json(
    rules: Rules, name: str, outcomes: list[Outcome], decisions: dict[str, float] | None
) -> dict[str, object]:
    lives = Lives.of(outcomes)
    return {
        "player": name,
        "size": rules.size,
        "set": rules.blocks.name,
        "hands": lives.hands,
        "deaths": lives.deaths,
        "score": lives.score,
        "hazard": _data(lives.hazard),
        "hands_of_a_life": _data(lives.mean_hands),
        "score_of_a_life": _data(lives.mean_score),
        "games": [
            {
                "hands": one.hands,
                "score": one.score,
                "over": one.is_over,
                "seconds": round(one.seconds, 6),
                "slowest_ms": round(1000 * one.slowest, 3),
            }
            for one in outcomes
        ],
        "decisions": decisions,
    }
