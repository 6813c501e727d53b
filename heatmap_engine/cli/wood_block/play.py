"""`heatmap-engine wood-block play`: games of a player, and how long it lives."""

import json
import time
from pathlib import Path
from typing import Any

import click

from games.wood_block.fields import Field
from games.wood_block.mcts import Decision
from games.wood_block.players import EFFORTS, Player, RandomPlayer, SearchPlayer, TreePlayer
from games.wood_block.playing import Interval, Lives, Outcome, Placed, mean_of, play_game
from games.wood_block.rules import Rules
from games.wood_block.weights import Weights
from heatmap_engine.cli.long_task import long_task
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
    total = games * max_hands or None
    with long_task("playing", "hands", "the game that was going on does not count") as progress:
        played = 0

        def placed(hand: Placed) -> None:
            nonlocal played
            played += 1
            progress(played, total or played)
            if show:
                _show(field, hand, delay)

        for number in range(games):
            outcomes.append(play_game(field, player, seed + number, max_hands or None, placed))
    decisions = player.decisions if isinstance(player, TreePlayer) else []
    if as_json:
        click.echo(json.dumps(_as_json(rules, name, outcomes, decisions)))
    else:
        _print(outcomes, decisions)


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


def _print(outcomes: list[Outcome], decisions: list[Decision]) -> None:
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
        number = len(decisions)
        click.echo(
            f"a decision: {sum(one.simulations for one in decisions) / number:,.0f} simulations, "
            f"depth {sum(one.depth for one in decisions) / number:.1f}, "
            f"{sum(one.nodes for one in decisions) / number:,.0f} nodes, "
            f"{1000 * sum(one.seconds for one in decisions) / number:.3f} ms, "
            f"{sum(one.mean_visits for one in decisions) / number:.1f} visits per action"
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
    rules: Rules, name: str, outcomes: list[Outcome], decisions: list[Decision]
) -> dict[str, object]:
    lives = Lives.of(outcomes)
    number = len(decisions)
    metrics = [one.metrics() for one in decisions]
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
        "decisions": None
        if not decisions
        else {
            "number": number,
            **{key: sum(one[key] for one in metrics) / number for key in metrics[0]},
        },
    }
