"""How fast the parts are, in time of the processor."""

import random
import time
from dataclasses import dataclass

from games.wood_block.fields import Field
from games.wood_block.game import Game
from games.wood_block.mcts import TreeOptions, TreeSearch
from games.wood_block.players import Effort, evaluation_of, hand_search
from games.wood_block.tree import POLICIES, Tree

_POSITIONS = 300
_ROUNDS = 10
_LEAVES = 400_000


@dataclass(frozen=True)
class Speed:
    """How much of something is done in a second."""

    name: str
    unit: str
    per_second: float
    slowest_ms: float | None = None
    signature: int = 0


def positions(field: Field, number: int, seed: int) -> list[tuple[int, list[int | None]]]:
    """Boards and hands as a tree search of 50 simulations meets them, game after game."""
    search = TreeSearch(field, TreeOptions(rollout_policy="random"))
    found: list[tuple[int, list[int | None]]] = []
    choices = random.Random(seed)
    while len(found) < number:
        game = Game(field, choices)
        while not game.is_over:
            found.append((game.board, [*game.hand]))
            decision = search.decide(game.board, game.hand, choices.randrange(1 << 60))
            assert decision is not None
            game.play(decision.action)
    return found[:number]


def measure_simulations(field: Field, policy: str, simulations: int, seed: int) -> Speed:
    """Simulations of decisions, each with a tree of its own."""
    tree = Tree(field, policy=POLICIES[policy])
    boards = positions(field, _POSITIONS, seed)
    done = 0
    begin = time.process_time()
    for number in range(_ROUNDS):
        for board, hand in boards:
            tree.begin(board, hand, seed + number)
            done += tree.run(simulations)
    took = time.process_time() - begin
    return Speed(f"tree search, {policy} rollouts", "simulations", done / took)


def measure_leaves(field: Field, seed: int) -> Speed:
    """Boards that are valued with all features, none left out by a bound."""
    evaluation = evaluation_of(field)
    boards = positions(field, 10, seed)
    begin = time.process_time()
    for board, _ in boards:
        evaluation.cost_many(board, _LEAVES // len(boards))
    return Speed("whole evaluation", "leaves", _LEAVES / (time.process_time() - begin))


def measure_hands(field: Field, name: str, effort: Effort, hands: int, seed: int) -> Speed:
    """Hands in a row; a new game begins where one ends."""
    search = hand_search(field, effort)
    board, slowest, total = 0, 0.0, 0.0
    for _ in range(hands):
        begin = time.process_time()
        _, _, board, seed, is_over = search.play(board, seed, 1)
        took = time.process_time() - begin
        total += took
        slowest = max(slowest, took)
        if is_over:
            board = 0
    return Speed(f"hands, {name}", "hands", hands / total, 1000 * slowest, search.leaves)
