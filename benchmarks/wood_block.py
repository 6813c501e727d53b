"""How well and how fast the wood block puzzle is played: `python benchmarks/wood_block.py PART …`.

| part                              | prints                                                         |
|-----------------------------------|----------------------------------------------------------------|
| `document [GAMES]`                | scores of the document's search, and how they grow              |
| `equal-time [MS]`                 | tree searches and the search of hands with the same time a hand |
| `lives SET EFFORT SECONDS [SEED]` | hands, deaths and points of the search of hands, with intervals |

Times are of the processor, in one thread.
"""

import sys
import time

import click

from games.wood_block.blocks import SETS
from games.wood_block.fields import Field
from games.wood_block.mcts import TreeOptions
from games.wood_block.players import EFFORTS, Effort, Player, SearchPlayer, TreePlayer, hand_search
from games.wood_block.playing import Interval, Lives, mean_of, play_game
from games.wood_block.rules import Rules


def shown(one: Interval) -> str:
    return f"{one.value:,.0f} ({one.low:,.0f} to {one.high:,.0f})"


def document(games: int) -> None:
    field = Field(Rules())
    for policy in ("random", "heuristic"):
        for simulations in (50, 200, 800, 3200):
            number = max(20, min(games, games * 100 // simulations))
            player = TreePlayer(field, TreeOptions(simulations, rollout_policy=policy))
            outcomes = [play_game(field, player, seed) for seed in range(number)]
            click.echo(
                f"{policy} rollouts, {simulations} simulations, {number} games: mean score "
                f"{shown(mean_of([one.score for one in outcomes]))}, hands "
                f"{shown(mean_of([one.hands for one in outcomes]))}, "
                f"{1000 * player.metrics()['seconds']:.3f} ms for a decision"
            )


def equal_time(ms: float) -> None:
    """Simulations and widths are chosen so that a hand takes about `ms`; what it took is printed."""
    field = Field(Rules())
    players: dict[str, Player] = {
        "search of hands, quick": SearchPlayer(field, EFFORTS["quick"]),
        "search of hands, 40 and 120 boards": SearchPlayer(field, Effort(width=(40, 120), samples=0)),
    }
    for name, policy, exploration, rate in (
        ("tree search, heuristic rollouts", "heuristic", 2**0.5, 500.0),
        ("tree search, heuristic rollouts, C 0.3", "heuristic", 0.3, 500.0),
        ("tree search, evaluation", "evaluation", 2**0.5, 2000.0),
        ("tree search, evaluation, C 0.1", "evaluation", 0.1, 2000.0),
        ("tree search, evaluation, C 0.02", "evaluation", 0.02, 2000.0),
    ):
        simulations = max(1, round(ms * rate / 3))
        players[f"{name}, {simulations} simulations"] = TreePlayer(
            field, TreeOptions(simulations, exploration, rollout_policy=policy)
        )
    for name, player in players.items():
        outcomes = [play_game(field, player, seed, 400) for seed in range(8)]
        lives = Lives.of(outcomes)
        took = 1000 * sum(one.seconds for one in outcomes) / max(1, lives.hands)
        click.echo(
            f"{name}: {took:.2f} ms a hand, {lives.hands} hands, {lives.deaths} of 8 games ended, "
            f"hands of a life {shown(lives.mean_hands)}"
        )


def lives(name: str, effort: str, seconds: float, seed: int) -> None:
    """Games one after the other for so long; the last one is not over."""
    field = Field(Rules(9, SETS[name]))
    search = hand_search(field, EFFORTS[effort])
    hands = deaths = score = board = 0
    slowest = 0.0
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        start = time.process_time()
        placed, points, board, seed, is_over = search.play(board, seed, 1)
        slowest = max(slowest, time.process_time() - start)
        hands, score, deaths = hands + placed, score + points, deaths + is_over
        if is_over:
            board = 0
    found = Lives(hands, deaths, score, deaths + 1)
    took = time.process_time() - begin
    click.echo(
        f"{name} blocks, {effort}: {hands:,} hands, {deaths} deaths, {score:,} points, "
        f"{score / hands:.0f} a hand; "
        f"hazard {found.hazard.value:.3g} ({found.hazard.low:.3g} to {found.hazard.high:.3g}); "
        f"hands of a life {shown(found.mean_hands)}; points of a life {shown(found.mean_score)}; "
        f"{hands / took:,.0f} hands/s, slowest {1000 * slowest:.1f} ms; looked at the next hand "
        f"{search.dangers / hands:.1%}; {search.leaves / took / 1e6:.2f} M leaves/s"
    )


def main(words: list[str]) -> None:
    part = words[0] if words else ""
    if part == "document":
        document(int(words[1]) if len(words) > 1 else 200)
    elif part == "equal-time":
        equal_time(float(words[1]) if len(words) > 1 else 1.0)
    elif part == "lives" and len(words) > 3:
        lives(words[1], words[2], float(words[3]), int(words[4]) if len(words) > 4 else 1)
    else:
        click.echo(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
