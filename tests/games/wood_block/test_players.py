"""Players, games played to their end, and what few deaths tell of long lives."""

import json
import math
from pathlib import Path

import pytest

from games.wood_block.blocks import SETS, BlockSet, parse_block
from games.wood_block.board import parse_board
from games.wood_block.errors import InvalidRules, InvalidWeights
from games.wood_block.evaluation import NAMES, Evaluation
from games.wood_block.fields import Field
from games.wood_block.hands import Search
from games.wood_block.mcts import TreeOptions
from games.wood_block.players import (
    EFFORTS,
    Effort,
    RandomPlayer,
    SearchPlayer,
    TreePlayer,
    hard_blocks,
)
from games.wood_block.playing import Lives, Outcome, Placed, mean_of, play_game, poisson_interval
from games.wood_block.rules import Rules
from games.wood_block.weights import Weights, learned_weights, read_weights

FIELD = Field(Rules())


def test_every_player_gets_the_same_hands() -> None:
    seen: list[list[tuple[int | None, ...]]] = []
    for player in (RandomPlayer(), SearchPlayer(FIELD, EFFORTS["quick"])):
        hands: list[Placed] = []
        play_game(FIELD, player, 5, 3, hands.append)
        seen.append([one.hand for one in hands][:2])
    assert seen[0] == seen[1]


def test_random_games_end_and_say_so() -> None:
    placed: list[Placed] = []
    outcome = play_game(FIELD, RandomPlayer(), 1, None, placed.append)
    assert outcome.is_over
    assert placed[-1].is_over
    assert not any(one.is_over for one in placed[:-1])
    assert outcome.score == placed[-1].score
    assert outcome.hands == len(placed) - 1
    left = [
        block
        for slot, block in enumerate(placed[-1].hand)
        if slot not in {one.block for one in placed[-1].actions}
    ]
    assert all(block is not None and not FIELD.places(placed[-1].after, block) for block in left)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("effort", ["quick", "fast"])
def test_search_with_learned_weights_lives_long(name: str, effort: str) -> None:
    field = Field(Rules(9, SETS[name]))
    outcome = play_game(field, SearchPlayer(field, EFFORTS[effort]), 3, 60)
    assert (outcome.hands, outcome.is_over) == (60, False)
    assert outcome.score > 60 * 100


def test_hard_blocks_are_the_largest_and_at_least_a_fifth() -> None:
    def sizes(text: str) -> list[int]:
        rules = Rules(9, BlockSet("some", tuple(map(parse_block, text.split()))))
        numbers = hard_blocks(rules, range(len(rules.blocks.blocks)))
        return [len(rules.blocks.blocks[number].cells) for number in numbers]

    assert sizes("X") == [1]
    assert sizes("X XX XXX XXXX XXXXX") == [5]
    assert sizes("X XX XXX XXXX XXXXX X") == [4, 5]
    assert sizes("X XX XX X X X") == [2, 2]
    for name, number in {"21": 5, "47": 15}.items():
        rules = Rules(9, SETS[name])
        assert len(hard_blocks(rules, range(len(rules.blocks.blocks)))) == number
    assert hard_blocks(Rules(), [0, 1, 2]) == [1, 2]


def test_a_board_is_kept_open_for_the_blocks_of_the_next_hand() -> None:
    """All boards cost the same, and three blocks of two cells in a row have room in the upper row only."""
    field = Field(Rules(9, SETS["47"]))
    board, _ = parse_board("......X.X " + "X.X.X.X.X .X.X.X.X. " * 4)
    one, two = (field.source.blocks.number_of(parse_block(text)) for text in ("X", "XX"))
    evaluation = Evaluation(field, [0.0] * len(NAMES))
    places = {
        next_block: Search(
            evaluation, danger=-1, kept=32, samples=4, death=1000, next_deal=[next_block]
        ).answer(board, [one])[1][0][1:]
        for next_block in (one, two)
    }
    assert places[one] == (0, 0)
    assert places[two] not in {(0, column) for column in range(6)}


def test_tree_search_with_the_evaluation_lives_longer_than_with_rollouts() -> None:
    hands = [
        sum(
            play_game(
                FIELD, TreePlayer(FIELD, TreeOptions(400, exploration, rollout_policy=policy)), seed, 100
            ).hands
            for seed in range(2)
        )
        for policy, exploration in (("random", 1.4), ("evaluation", 0.1))
    ]
    assert hands[1] > 2 * hands[0]


def test_lives_are_geometric() -> None:
    outcomes = [Outcome(900, 140_000, True, 1.0, 0.1), Outcome(1000, 160_000, False, 1.0, 0.1)]
    lives = Lives.of(outcomes)
    assert (lives.hands, lives.deaths, lives.games) == (1900, 1, 2)
    assert lives.mean_hands.value == 1900
    assert lives.mean_score.value == pytest.approx(300_000)
    assert lives.hazard.low < lives.hazard.value < lives.hazard.high
    assert lives.mean_hands.low == pytest.approx(1900 / 5.5716, rel=1e-4)


def test_nobody_died_is_a_bound() -> None:
    lives = Lives(1000, 0, 150_000, 1)
    assert lives.mean_hands.value == lives.mean_hands.high == math.inf
    assert lives.mean_hands.low == pytest.approx(1000 / 3.6889, rel=1e-4)


def test_exact_intervals_of_counts() -> None:
    """The usual table of Poisson intervals."""
    table = {
        0: (0, 3.689),
        1: (0.0253, 5.572),
        5: (1.623, 11.668),
        20: (12.217, 30.888),
        100: (81.364, 121.627),
    }
    for events, (low, high) in table.items():
        assert poisson_interval(events) == pytest.approx((low, high), abs=6e-4)


def test_mean_of_values() -> None:
    one = mean_of([1.0, 2.0, 3.0])
    assert (one.value, one.low) == pytest.approx((2, 2 - 1.96 / math.sqrt(3)))
    assert mean_of([7.0]).low == -math.inf


def test_weights_are_written_and_read(tmp_path: Path) -> None:
    weights = learned_weights(Rules())
    file = tmp_path / "weights.json"
    file.write_text(weights.text())
    assert read_weights(file) == weights
    assert learned_weights(Rules(7, SETS["47"])) == learned_weights(Rules(9, SETS["47"])) != weights


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version 1, got 2"),
        ({"weights": {"cells": 1}}, "a weight for each of"),
        ({"weights": {**dict.fromkeys(NAMES, 1), "holes": -1}}, "0 to 100 for holes, got -1"),
        ({"weights": {**dict.fromkeys(NAMES, 1), "holes": "x"}}, "numbers as weights"),
        ({"danger": 1e300}, "a number for danger"),
    ],
)
def test_files_that_are_no_weights_are_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    file = tmp_path / "weights.json"
    file.write_text(json.dumps({**json.loads(learned_weights(Rules()).text()), **change}))
    with pytest.raises(InvalidWeights, match=message):
        read_weights(file)


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidRules, match="at most 32 boards"):
        Effort(kept=33)
    with pytest.raises(InvalidWeights, match="got nan"):
        Weights((math.nan,) * len(NAMES), 1.0)
