"""The compiled grid, evaluation and search against the specification, on random boards and games."""

import random
from collections.abc import Iterator

import pytest

from games.wood_block import reference
from games.wood_block.blocks import SETS, BlockSet, parse_block
from games.wood_block.board import board_of, cells_of
from games.wood_block.evaluation import NAMES, Evaluation
from games.wood_block.fields import Field, plan
from games.wood_block.game import Game
from games.wood_block.hands import Search
from games.wood_block.rules import Action, Rules

# Blocks with holes, gaps and many cells, which no set has.
ODD = BlockSet(
    "odd", tuple(map(parse_block, ("X...X", "X.X/.../X.X", "XXXXX/X...X/XXXXX", "X/./X/./X", "XXX/X.X/XXX")))
)
RULES = [Rules(size, blocks) for size in range(5, 11) for blocks in (*SETS.values(), ODD)]


def ids(rules: Rules) -> str:
    return f"{rules.size}-{rules.blocks.name}"


def boards(rules: Rules, number: int, seed: int = 1) -> Iterator[reference.Board]:
    choices = random.Random(seed)
    grid = [(row, column) for row in range(rules.size) for column in range(rules.size)]
    for _ in range(number):
        fullness = choices.random() * 0.95
        yield frozenset(cell for cell in grid if choices.random() < fullness)


@pytest.mark.parametrize("rules", RULES, ids=ids)
def test_places_and_vanishing_regions_on_random_boards(rules: Rules) -> None:
    field = Field(rules)
    for board in boards(rules, 6):
        for number, block in enumerate(rules.blocks.blocks):
            places = [*reference.places(rules, board, block)]
            assert field.places(board_of(board), number) == places
            for row, column in places[::7]:
                after, clears = reference.placed(rules, board, block, row, column)
                assert field.put(board_of(board), number, row, column) == (board_of(after), clears)
    assert field.put(0, 0, rules.size - 1, rules.size) is None


@pytest.mark.parametrize("rules", RULES, ids=ids)
def test_features_on_random_boards(rules: Rules) -> None:
    weights = [1 + number / 10 for number in range(len(NAMES))]
    evaluation = Evaluation(Field(rules), weights)
    for board in boards(rules, 6, seed=2):
        expected = reference.features(rules, board)
        assert dict(zip(NAMES, evaluation.features(board_of(board)), strict=True)) == expected
        whole = round(
            1000 * sum(weight * expected[name] for name, weight in zip(NAMES, weights, strict=True))
        )
        assert evaluation.cost(board_of(board)) == pytest.approx(whole, abs=30)


def test_cost_is_left_out_only_where_it_would_reach_the_limit() -> None:
    rules = Rules(9)
    evaluation = Evaluation(Field(rules), [1.0] * len(NAMES))
    for board in boards(rules, 20, seed=3):
        whole = evaluation.cost(board_of(board))
        assert evaluation.cost(board_of(board), whole + 1) == whole
        assert whole >= evaluation.cost(board_of(board), whole // 2) >= min(whole, whole // 2)


@pytest.mark.parametrize("size", [5, 8, 9, 10])
def test_random_games_are_those_of_the_specification(size: int) -> None:
    rules = Rules(size, SETS["47"])
    choices = random.Random(size)
    slow = reference.Game(rules, random.Random(0))
    fast = Game(Field(rules), random.Random(0))
    for _ in range(60):
        numbers = [choices.randrange(len(rules.blocks.blocks)) for _ in range(3)]
        slow.hand, fast.hand = [rules.blocks.blocks[number] for number in numbers], [*numbers]
        for _ in range(3):
            actions = slow.actions()
            assert fast.actions() == actions
            assert fast.is_over == slow.is_over == (not actions)
            if not actions:
                slow.board, fast.board = frozenset(), 0
                break
            action = choices.choice(actions)
            slow.play(action)
            fast.play(action)
            assert (cells_of(fast.board), fast.score) == (slow.board, slow.score)


def test_action_that_is_not_possible_is_refused() -> None:
    game = Game(Field(Rules()), random.Random(1))
    first = game.actions()[0]
    game.play(first)
    for wrong in (first, Action(3, 0, 0), Action(1, 9, 9)):
        with pytest.raises(ValueError, match=f"got {wrong.number}"):
            game.play(wrong)


def test_plan_finds_every_block_by_steps_of_known_parts() -> None:
    for blocks in (SETS["21"], SETS["47"], ODD):
        steps = plan(blocks.blocks)
        assert sorted(step[4] for step in steps if step[4] >= 0) == [*range(len(blocks.blocks))]
        assert all(0 <= step[0] <= number >= step[2] for number, step in enumerate(steps))


@pytest.mark.parametrize("name", SETS)
def test_search_of_a_hand_finds_the_cheapest_of_all_boards(name: str) -> None:
    rules = Rules(6, SETS[name])
    choices = random.Random(5)
    field = Field(rules)
    evaluation = Evaluation(field, [choices.random() for _ in NAMES])
    search = Search(evaluation)
    found = 0
    for board in boards(rules, 25, seed=4):
        hand = [choices.randrange(len(rules.blocks.blocks)) for _ in range(3)]
        ways = reference.ways(rules, board, [rules.blocks.blocks[number] for number in hand])
        is_whole, steps, after, points, cost = search.answer(board_of(board), hand)
        assert is_whole == bool(ways)
        game = Game(field, random.Random(0), board=board_of(board), hand=[*hand])
        for step in steps:
            game.play(Action(*step))
        assert (game.board, game.score) == (after, points)
        if ways:
            found += 1
            assert cost == min(evaluation.cost(board_of(way)) for way in ways)
    assert 5 < found < 25


def test_beam_never_loses_a_hand_that_can_be_placed() -> None:
    rules = Rules(5, SETS["21"])
    choices = random.Random(6)
    search = Search(Evaluation(Field(rules), [1.0] * len(NAMES)), width=(1, 1))
    for board in boards(rules, 40, seed=7):
        hand = [choices.randrange(len(rules.blocks.blocks)) for _ in range(3)]
        ways = reference.ways(rules, board, [rules.blocks.blocks[number] for number in hand])
        assert search.answer(board_of(board), hand)[0] == bool(ways)


def test_of_two_ways_to_a_board_the_one_with_more_points_is_taken() -> None:
    rules = Rules(9)
    field = Field(rules)
    # A row and a column lack one cell together, and a row lacks another: one block fills two regions at once.
    text = [(0, column) for column in range(1, 9)] + [(row, 0) for row in range(1, 9)]
    search = Search(Evaluation(field, [1.0] * len(NAMES)))
    single = rules.blocks.number_of(parse_block("X"))
    _, steps, after, points, _ = search.answer(board_of(text), [single, None, None])
    assert steps == [(0, 0, 0)]
    assert (points, after) == (400, 0)


def test_next_hand_is_looked_at_only_on_dangerous_boards() -> None:
    rules = Rules(9)
    field = Field(rules)
    evaluation = Evaluation(field, [1.0] * len(NAMES))
    for danger, looks in ((0, 5), (1_000_000_000, 0)):
        search = Search(evaluation, width=(4, 4), danger=danger, samples=2, kept=3, death=10**6)
        assert search.play(0, 1, 5)[0] == 5
        assert search.dangers == looks


def test_the_greater_the_danger_the_more_next_hands_are_tried() -> None:
    evaluation = Evaluation(Field(Rules(9)), [1.0] * len(NAMES))

    def leaves(samples: int, doubling: int) -> int:
        search = Search(
            evaluation, width=(4, 4), danger=0, samples=samples, kept=3, death=10**6, doubling=doubling
        )
        search.play(0, 1, 5)
        return search.leaves

    assert 4 * leaves(2, 10**9) < leaves(2, 1) <= 20 * leaves(2, 10**9)  # doubled four times at most
    assert leaves(256, 1) == leaves(256, 10**9)


@pytest.mark.parametrize("deal", [[], [21], [-1], [0] * 257])
def test_only_blocks_of_the_rules_are_dealt(deal: list[int]) -> None:
    evaluation = Evaluation(Field(Rules(9)), [1.0] * len(NAMES))
    for place in ("deal", "next_deal"):
        with pytest.raises(ValueError, match="expected 1 to 256 numbers of 21 blocks"):
            Search(evaluation, **{place: deal})  # type: ignore[arg-type]  # any of the two


def test_game_of_the_kernel_is_a_game_by_the_rules() -> None:
    """Its hands are drawn in the kernel, so that only its figures can be checked."""
    rules = Rules(6, SETS["47"])
    search = Search(Evaluation(Field(rules), [1.0] * len(NAMES)), width=(2, 2))
    played = search.play(0, 3, 10**6)
    again = search.play(0, 3, 10**6)
    assert played == again
    hands, points, _, _, is_over = played
    assert is_over
    assert hands > 0
    assert points % 50 == 0
    assert search.play(0, 3, hands)[4] is False
