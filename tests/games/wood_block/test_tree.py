"""Monte Carlo tree search: its phases, its options as they can be observed, and its indicators."""

import math
from collections import Counter

import pytest

from games.wood_block import reference
from games.wood_block.blocks import SETS, parse_block
from games.wood_block.board import board_of, cells_of, parse_board
from games.wood_block.errors import InvalidRules
from games.wood_block.fields import Field
from games.wood_block.mcts import TreeOptions, TreeSearch
from games.wood_block.players import evaluation_of
from games.wood_block.quality import correlation, quality_of
from games.wood_block.rollouts import choose, play_out
from games.wood_block.rules import Rules, points_of
from games.wood_block.tree import POLICIES, Tree

RULES = Rules(6, SETS["47"])
FIELD = Field(RULES)
CROWDED = parse_board("XX.XX. .X.X.X X.XX.. XX..XX .XX.X. X..XX.")[0]
HAND = [RULES.blocks.number_of(parse_block(text)) for text in ("XX", "X/X", "X")]
Nobody = -1


def grown(simulations: int, **options: object) -> Tree:
    tree = Tree(FIELD, evaluation_of(FIELD), **options)  # type: ignore[arg-type]
    tree.begin(CROWDED, HAND, 7)
    tree.run(simulations)
    return tree


def test_each_child_holds_the_state_after_its_action() -> None:
    """In the document all children share their parent's state."""
    nodes = grown(2000, max_depth=6).states()
    deals = 0
    for parent, slot, place, board, hand, _, points, _, _ in nodes[1:]:
        _, _, _, before, hand_before, _, points_before, _, _ = nodes[parent]
        if slot == Nobody:
            deals += 1
            assert hand_before == (Nobody,) * 3
            assert board == before
            assert Nobody not in hand
            continue
        block = RULES.blocks.blocks[hand_before[slot]]
        after, clears = reference.placed(RULES, cells_of(before), block, *divmod(place, 11))
        assert (cells_of(board), points) == (after, points_before + points_of(clears))
        assert hand == tuple(Nobody if number == slot else one for number, one in enumerate(hand_before))
    assert deals > 10


def test_all_valid_actions_are_children_and_unvisited_ones_come_first() -> None:
    actions = reference.actions(RULES, cells_of(CROWDED), [RULES.blocks.blocks[number] for number in HAND])
    for simulations in (1, len(actions) // 2, len(actions)):
        tree = grown(simulations)
        assert len(tree.children()) == simulations
        # A node that has begun with its first child has not counted the others yet.
        assert tree.states()[0][8] in (None, len(actions) - simulations)
    visited = {(slot, row, column) for slot, row, column, *_ in grown(len(actions)).children()}
    assert visited == {tuple(action) for action in actions}
    assert all(visits >= 1 for *_, visits, _ in grown(3 * len(actions)).children())


def test_visits_flow_back_to_the_root() -> None:
    nodes = grown(500).states()
    assert nodes[0][5] == 500
    below = Counter[int]()
    for parent, *_, visits, _, _, _ in nodes[1:]:
        below[parent] += visits
    # A node's own rollout is the only visit that none of its children has.
    assert all(nodes[parent][5] - visits in (0, 1) for parent, visits in below.items())


def test_finished_line_vanishes_in_the_tree_and_is_chosen() -> None:
    rules = Rules(9)
    field = Field(rules)
    hand = [rules.blocks.number_of(parse_block("XXX")), None, None]
    board = board_of((4, column) for column in range(6))
    decision = TreeSearch(field, TreeOptions(2000, 0.2, 1, "random")).decide(board, hand, 1)
    assert decision is not None
    assert decision.action == (0, 4, 6)
    assert decision.candidates[0].visits == max(one.visits for one in decision.candidates)


def test_no_possible_action_is_no_decision() -> None:
    full = board_of((row, column) for row in range(6) for column in range(6) if (row + column) % 2)
    hand = [RULES.blocks.number_of(parse_block("XX")), None, None]
    assert TreeSearch(FIELD, TreeOptions()).decide(full, hand, 1) is None


def test_hands_in_the_tree_are_chance() -> None:
    rules = Rules(5)
    field = Field(rules)
    tree = Tree(field, max_depth=8)
    tree.begin(0, [0, None, None], 3)
    tree.run(4000)
    dealt = Counter(node[0] for node in tree.states() if node[1] == Nobody and node[0] >= 0)
    visits = [node[5] for node in tree.states()]
    assert max(dealt.values()) > 3
    assert all(number <= math.isqrt(visits[parent]) + 1 for parent, number in dealt.items())


def test_end_of_a_game_is_a_leaf() -> None:
    """One cell is open in each row of a chessboard's pattern: dominoes fit nowhere after the single block."""
    board = board_of((row, column) for row in range(6) for column in range(6) if (row + column) % 2)
    hand = [RULES.blocks.number_of(parse_block(text)) for text in ("X", "XX", "XX")]
    tree = Tree(FIELD)
    tree.begin(board, hand, 1)
    tree.run(400)
    assert tree.depth == 1
    assert sum(visits for *_, visits, _ in tree.children()) == 400


def test_depth_is_limited() -> None:
    for depth in (1, 2, 5):
        tree = grown(3000, max_depth=depth)
        assert tree.depth == depth


def test_early_termination() -> None:
    options = TreeOptions(simulations=5000, early_stop=100.0)
    board = board_of((0, column) for column in range(3))
    decision = TreeSearch(FIELD, options).decide(board, [HAND[0], HAND[2], None], 1)
    assert decision is not None
    assert decision.stopped_early
    assert decision.simulations < 5000
    assert any(one.visits > 5 and one.mean >= 100 for one in decision.candidates)


def test_pruning_of_actions_keeps_those_at_nearly_full_regions() -> None:
    rules = Rules(9)
    field = Field(rules)
    board = board_of((8, column) for column in range(7))
    hand = [rules.blocks.number_of(parse_block("XX")), None, None]
    decision = TreeSearch(field, TreeOptions(simulations=200, most_actions=1)).decide(board, hand, 1)
    assert decision is not None
    assert [one.action for one in decision.candidates] == [(0, 8, 7)]
    assert decision.pruned_actions > 50


def test_pruning_of_the_tree_keeps_what_is_visited_most() -> None:
    tree = grown(20_000, most_nodes=400)
    assert tree.pruned_nodes > 0
    assert tree.size <= 400
    assert sum(visits for *_, visits, _ in tree.children()) <= 20_000
    nodes = tree.states()
    assert nodes[0][5] == 20_000
    assert all(parent < number for number, (parent, *_) in enumerate(nodes))
    best = max(grown(20_000).children(), key=lambda child: child[3])
    assert best[:3] in {child[:3] for child in tree.children()}


def test_yielding_tells_how_far_it_is_and_can_end_the_search() -> None:
    heard: list[int] = []
    search = TreeSearch(FIELD, TreeOptions(simulations=100, yield_every=30))
    decision = search.decide(CROWDED, HAND, 1, heard.append)
    assert decision is not None
    assert (heard, decision.yields) == ([30, 60, 90, 100], 4)
    ended = search.decide(CROWDED, HAND, 1, lambda simulations: simulations < 60)
    assert ended is not None
    assert ended.simulations == 60


def test_cleaning_up_keeps_the_part_that_was_played() -> None:
    search = TreeSearch(FIELD, TreeOptions(simulations=3000, keep_tree=True))
    first = search.decide(CROWDED, HAND, 1)
    assert first is not None
    action = first.action
    put = FIELD.put(CROWDED, HAND[action.block], action.row, action.column)
    assert put is not None
    hand = [None if slot == action.block else block for slot, block in enumerate(HAND)]
    second = search.decide(put[0], hand, 2)
    assert second is not None
    assert 0 < second.kept_nodes < first.nodes
    assert sum(one.visits for one in second.candidates) > 3000
    # Rewards are counted from the new root: without points there are none.
    assert all(one.mean >= 0 for one in second.candidates)
    third = search.decide(0, HAND, 3)
    assert third is not None
    assert third.kept_nodes == 0


def test_adaptive_depth_shortens_rollouts_on_full_boards() -> None:
    short, usual = (
        TreeSearch(FIELD, TreeOptions(simulations=300, adaptive_depth=adaptive)) for adaptive in (True, False)
    )
    decisions = [search.decide(CROWDED, HAND, 5) for search in (short, usual)]
    assert None not in decisions
    assert [one.simulations for one in decisions if one] == [300, 300]
    means = [max(candidate.mean for candidate in one.candidates) for one in decisions if one]
    assert means[0] < means[1]


def test_same_seed_same_decision() -> None:
    for policy in POLICIES:
        options = TreeOptions(simulations=300, rollout_policy=policy)
        one, other = (
            TreeSearch(FIELD, options, evaluation_of(FIELD)).decide(CROWDED, HAND, 9) for _ in range(2)
        )
        assert one is not None
        assert other is not None
        assert one.candidates == other.candidates


def test_random_policy_chooses_every_action_equally_often() -> None:
    actions = reference.actions(RULES, cells_of(CROWDED), [RULES.blocks.blocks[number] for number in HAND])
    found = Counter(
        choose(FIELD, CROWDED, HAND, POLICIES["random"], seed) for seed in range(200 * len(actions))
    )
    assert {*found} == {tuple(action) for action in actions}
    # Each comes 200 times but for chance, whose deviation is 14.
    assert all(130 < number < 270 for number in found.values())


def test_heuristic_policy_goes_where_rows_columns_and_boxes_are_nearly_full() -> None:
    """In the document only the block's upper row counts. Here a column is nearly full, and so is its box."""
    rules = Rules(9)
    field = Field(rules)
    board = board_of(
        [*((row, 4) for row in range(6)), *((row, 3) for row in range(3)), *((row, 5) for row in range(2))]
    )
    hand = [rules.blocks.number_of(parse_block("X")), None, None]
    chosen = {choose(field, board, hand, POLICIES["heuristic"], seed) for seed in range(100)}
    assert chosen == {(0, 2, 5), *((0, row, 4) for row in range(6, 9))}


def test_rollouts_score_by_the_rules() -> None:
    board = board_of([*((0, column) for column in range(5)), *((row, 5) for row in range(1, 6))])
    assert play_out(FIELD, board, [HAND[2], None, None], POLICIES["heuristic"], 1, 1) in (
        (400, 0),
        (100, board_of((0, c) for c in range(5))),
    )
    points, after = play_out(FIELD, 0, HAND, POLICIES["random"], 3, 10_000)
    assert points % 50 == 0
    assert after != 0


def test_indicators_of_a_position() -> None:
    options = TreeOptions(simulations=200, rollout_policy="random")
    found = quality_of(FIELD, options, CROWDED, HAND, seeds=6, games=10)
    assert found is not None
    assert 1 / 6 <= found.consistency <= 1
    assert 0 < found.balance <= 1
    assert found.rollout_quality is not None
    assert -1 <= found.rollout_quality <= 1
    assert [*found.convergence] == [50, 200, 800]
    assert 0 < found.convergence[800] <= 1


def test_correlation_of_rows() -> None:
    assert correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert correlation([1, 1, 1], [3, 2, 1]) is None


@pytest.mark.parametrize(
    "options",
    [
        {"simulations": 0},
        {"max_depth": 0},
        {"most_nodes": 3},
        {"rollout_policy": "best"},
        {"exploration": -1},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InvalidRules, match=f"for {next(iter(options))}, got"):
        TreeOptions(**options)  # type: ignore[arg-type]


def test_more_simulations_play_better() -> None:
    """Mean scores of a few games, the same hands for both."""
    from games.wood_block.players import RandomPlayer, TreePlayer
    from games.wood_block.playing import play_game

    field = Field(Rules(6))
    few, many = (
        sum(play_game(field, player, seed).score for seed in range(6))
        for player in (RandomPlayer(), TreePlayer(field, TreeOptions(simulations=300)))
    )
    assert many > 2 * few + 500
