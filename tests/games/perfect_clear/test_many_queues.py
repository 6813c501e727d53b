"""Many queues: patterns, shares, covers, and the orders that are found all at once."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from perfect_clear_boards import OPENER, OPENER_WITHOUT_I

from games.perfect_clear.board import parse_board
from games.perfect_clear.cover import smallest_cover, solutions_of
from games.perfect_clear.errors import InvalidQuestion
from games.perfect_clear.orders import Orders
from games.perfect_clear.patterns import as_text, expand
from games.perfect_clear.percent import percent
from games.perfect_clear.queues import Queues
from games.perfect_clear.rules import Rules
from games.perfect_clear.solver import Question, Solver
from games.tetrominoes.kicks import KICK_TABLES
from games.tetrominoes.pieces import PIECES


@pytest.mark.parametrize(
    ("pattern", "number", "first"),
    [
        ("*p4", 840, "TIOS"),
        ("T,[SZ]p2", 2, "TSZ"),
        ("[^TIO]!", 24, "SZLJ"),
        ("*!", 5040, "TIOSZLJ"),
        ("I * [TT]", 7, "ITT"),
    ],
)
def test_patterns(pattern: str, number: int, first: str) -> None:
    queues = [as_text(queue) for queue in expand(pattern)]
    assert (len(set(queues)), queues[0]) == (number, first)


@pytest.mark.parametrize("pattern", ["", "X", "[", "[SZ]p3", "*p8", "*p7*p7*p7", "*p7*p7", "p4"])
def test_patterns_that_are_none(pattern: str) -> None:
    with pytest.raises(InvalidQuestion, match="expected"):
        expand(pattern)


def test_share_of_the_opener_with_and_without_the_long_piece_in_hold() -> None:
    """Both are known from other programs."""
    every = expand("*p4")
    assert percent(every, board=OPENER).cleared == 514
    assert percent(every, board=OPENER_WITHOUT_I, hold="I").cleared == 711


def test_share_by_first_piece_adds_up() -> None:
    result = percent(expand("*p4"), board=OPENER)
    shares = result.by_first_piece()
    assert sum(share.cleared for share in shares.values()) == result.cleared
    assert [share.total for share in shares.values()] == [120] * 7
    assert shares["T"].fraction == pytest.approx(103 / 120)


def test_share_by_weight() -> None:
    queues = expand("[TZ],[OS],[LZ]")
    answers = percent(queues, board=OPENER).answers
    weights = np.arange(1.0, 1 + len(queues))
    share = percent(queues, board=OPENER, weights=weights).share()
    assert share.cleared == weights[answers == 1].sum()
    assert share.total == weights.sum()


def test_many_queues_are_answered_as_one_by_one() -> None:
    """What one queue tells of another must be true of it, with and without hold."""
    choices = random.Random(5)
    for rules in (Rules(), Rules(hold=False), Rules(soft_drop=False)):
        solver = Solver(rules)
        queues = np.array([[choices.randrange(7) for _ in range(5)] for _ in range(150)], np.uint8)
        answers = percent(queues, board=OPENER_WITHOUT_I, rules=rules).answers
        for queue, answer in zip(queues, answers, strict=True):
            assert answer == solver.is_possible(Question(as_text(queue), None, OPENER_WITHOUT_I, 4))


def test_hard_queues_share_what_is_known_of_their_ends() -> None:
    """Without a limit the memory of the queue before is kept as far as both end alike."""
    queues = np.array(list(itertools.product((0, 5, 2), repeat=6)), np.uint8)
    board = parse_board("##....####/##....####")
    order = np.lexsort(queues.T)
    kicks = KICK_TABLES["srs"]
    shared, alone = (np.full(len(queues), 2, np.uint8) for _ in range(2))
    Queues(kicks, True, board, 4, 7).decide(np.ascontiguousarray(queues[order]), 1, True, shared, 0)
    for i, queue in enumerate(queues[order]):
        one = np.full(1, 2, np.uint8)
        Queues(kicks, True, board, 4, 7).decide(queue[None, :].copy(), 1, True, one, 0)
        alone[i] = one[0]
    assert (shared == alone).all()
    assert set(Counter(shared.tolist())) == {0, 1}


@pytest.mark.parametrize(("board", "lines"), [(OPENER, 4), (0, 2), (parse_board("##....####/##....####"), 4)])
def test_orders_are_those_that_a_search_without_hold_clears(board: int, lines: int) -> None:
    bitmap, length = Orders(KICK_TABLES["srs"]).clearing(board, lines)
    known = np.unpackbits(np.frombuffer(bitmap, np.uint8), bitorder="little")
    solver = Solver(Rules(hold=False))
    choices = random.Random(1)
    possible = [int(code) for code in choices.sample(list(np.flatnonzero(known)), 15)]
    for code in possible + [choices.randrange(7**length) for _ in range(12)]:
        queue = "".join(PIECES[code // 7 ** (length - 1 - i) % 7] for i in range(length))
        assert solver.is_possible(Question(queue, None, board, lines)) == bool(known[code]), queue


def test_orders_decide_queues_with_hold() -> None:
    kicks = KICK_TABLES["srs"]
    bitmap, length = Orders(kicks).clearing(OPENER_WITHOUT_I, 4)
    judge = Queues(kicks, True, OPENER_WITHOUT_I, 4, length)
    judge.adopt(np.frombuffer(bitmap, np.uint8))
    answers = np.full(840, 2, np.uint8)
    judge.decide(expand("*p4"), PIECES.index("I"), True, answers, 0)
    assert int(answers.sum()) == 711
    assert judge.searched == 0
    with pytest.raises(ValueError, match="all orders of 4 pieces, got 9 bytes"):
        judge.adopt(np.zeros(9, np.uint8))


def test_solutions_that_look_different_and_the_fewest_that_serve_all() -> None:
    """The numbers are those of another program."""
    questions = [Question(as_text(queue), None, OPENER, 4) for queue in expand("*p4")]
    shown = solutions_of(Solver(), questions)
    assert len(shown) == 18
    cover = smallest_cover({picture: one.queues for picture, one in shown.items()})
    assert (len(cover.names), cover.is_smallest) == (16, True)
    assert len(frozenset().union(*(shown[name].queues for name in shown if name in cover.names))) == 514


def test_smallest_cover_is_smallest() -> None:
    choices = random.Random(9)
    for _ in range(60):
        sets = {i: frozenset(choices.sample("abcdefgh", choices.randint(1, 4))) for i in range(8)}
        everything = frozenset().union(*sets.values())
        fewest = next(
            number
            for number in range(1, 9)
            for some in itertools.combinations(sets.values(), number)
            if frozenset().union(*some) == everything
        )
        cover = smallest_cover(sets)
        assert frozenset().union(*(sets[name] for name in sets if name in cover.names)) == everything
        assert (len(cover.names), cover.is_smallest) == (fewest, True)
