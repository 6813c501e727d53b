"""How fast perfect clears are found: `python benchmarks/perfect_clear_speed.py [--openers] [--everything]`.

Times are of the processor, in one thread. `--openers` decides all 4,233,600 queues that begin a game with a
7-bag. `--everything` counts the queues that cannot clear four lines, among all queues of ten pieces that a
7-bag can bring after any piece in hold; it takes minutes and 8 GB.
"""

import argparse
import itertools
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import click
import numpy as np
import numpy.typing as npt

from games.perfect_clear.board import parse_board, pieces_needed
from games.perfect_clear.orders import Orders
from games.perfect_clear.patterns import expand
from games.perfect_clear.percent import percent
from games.perfect_clear.playing import drawn_pieces
from games.perfect_clear.queues import Queues
from games.perfect_clear.search import Search
from games.perfect_clear.solver import Question, Solver
from games.tetrominoes.bags import GENERATORS
from games.tetrominoes.kicks import KICK_TABLES
from games.tetrominoes.pieces import PIECES

SRS = KICK_TABLES["srs"]
OPENER = parse_board("XXXX....XX/XXXX...XXX/XXXX..XXXX/XXXX...XXX")
OPENER_WITHOUT_I = parse_board("XXX.....XX/XXX....XXX/XXX...XXXX/XXX....XXX")
NOBODY = 7

Array = npt.NDArray[np.uint8]
Answer = TypeVar("Answer")


def timed(ask: Callable[[], Answer]) -> tuple[Answer, float]:
    begin = time.process_time()
    answer = ask()
    return answer, time.process_time() - begin


def memory_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def spread(seconds: list[float]) -> str:
    return f"mean {1000 * statistics.mean(seconds):.2f} ms, worst {1000 * max(seconds):.1f} ms"


def random_queues(number: int, seed: int) -> list[str]:
    choices = random.Random(seed)
    streams = (drawn_pieces(GENERATORS["7-bag"], choices) for _ in range(number))
    return ["".join(itertools.islice(stream, 11)) for stream in streams]


def one_solution(queues: list[str]) -> None:
    search = Search(SRS)
    seconds, solved = [], 0
    for queue in queues:
        numbers = [PIECES.index(piece) for piece in queue]

        def ask(numbers: list[int] = numbers) -> bool | None:
            search.begin(numbers[1:])
            return search.is_possible(0, 4, numbers[0])

        is_possible, took = timed(ask)
        solved += bool(is_possible)
        seconds.append(took)
    click.echo(f"first solution, {len(queues)} queues, {solved} solved, the search alone: {spread(seconds)}")
    solver = Solver()
    seconds = [timed(lambda queue=queue: solver.first(Question(queue, lines=4)))[1] for queue in queues]  # type: ignore[misc]
    click.echo(f"first solution with all its keys: {spread(seconds)}")


def all_solutions(queues: list[str]) -> None:
    solver = Solver()
    seconds, counts = [], []
    for queue in queues:
        question = Question(queue, lines=4)
        seconds.append(timed(lambda question=question: solver.count(question))[1])  # type: ignore[misc]
        counts.append(solver.count(question))
    click.echo(
        f"all solutions, {len(queues)} queues, {statistics.mean(counts):,.0f} ways each: {spread(seconds)}; "
        f"{memory_mb()} MB"
    )


def opener_shares() -> None:
    every = expand("*p4")
    for name, board, hold in (("placed", OPENER, None), ("in hold", OPENER_WITHOUT_I, "I")):
        runs = [
            timed(lambda board=board, hold=hold: percent(every, board=board, hold=hold)) for _ in range(5)
        ]  # type: ignore[misc]
        took = statistics.median(seconds for _, seconds in runs)
        click.echo(
            f"840 queues after the opener, I {name}: {runs[0][0].cleared} cleared, {1000 * took:.1f} ms"
        )


def two_lines() -> None:
    """Every piece in hold and every five that a 7-bag can bring; which of the first two is in hold is one."""

    def decided(judge: Queues) -> list[Array]:
        found = []
        for hold, queues, _ in held_queues(5):
            answers = np.full(len(queues), 2, np.uint8)
            judge.decide(queues, hold, True, answers, 0)
            found.append(answers)
        return found

    by_search = Queues(SRS, True, 0, 2, 5)
    searched, took = timed(lambda: decided(by_search))
    orders, took_orders = timed(lambda: Orders(SRS).clearing(0, 2)[0])
    by_orders = Queues(SRS, True, 0, 2, 5)
    by_orders.adopt(np.frombuffer(orders, np.uint8))
    looked_up, took_again = timed(lambda: decided(by_orders))
    agree = all((one == other).all() for one, other in zip(searched, looked_up, strict=True))
    total, cleared = sum(map(len, searched)), sum(int(one.sum()) for one in searched)
    click.echo(
        f"{total:,} queues of two lines: {cleared:,} cleared, {took:.2f} s by search, "
        f"{took_orders + took_again:.2f} s by all orders at once; {'they agree' if agree else 'THEY DIFFER'}"
    )


def can_come(columns: list[Array]) -> npt.NDArray[np.bool_]:
    """For each queue whether some way to cut it into bags leaves no piece twice in a bag."""
    found = np.zeros(len(columns[0]), bool)
    for first_bag in range(1, 8):
        is_right = np.ones(len(found), bool)
        for start, end in itertools.pairwise((0, *range(first_bag, len(columns) + 7, 7))):
            seen = np.zeros(len(found), np.uint8)
            for column in columns[start:end]:
                bit = np.left_shift(np.uint8(1), column)
                is_right &= seen & bit == 0
                seen |= bit
        found |= is_right
    return found


def held_queues(length: int) -> Iterator[tuple[int, Array, Array]]:
    """Each hold with the queues behind it, and how many queues each stands for: one, or two.

    Whether X is in hold and Y comes next or the other way round is the same question.
    """
    tail = np.array(list(itertools.product(range(7), repeat=min(6, length - 1))), np.uint8)
    for head in itertools.product(range(7), repeat=max(0, length - 7)):
        rest = [np.full(len(tail), piece, np.uint8) for piece in head] + list(tail.T)
        if not can_come(rest).any():
            continue
        after = [can_come([np.full(len(tail), piece, np.uint8), *rest]) for piece in range(7)]
        for hold, first in itertools.combinations_with_replacement(range(7), 2):
            weights = after[first].astype(np.uint8) + (after[hold] if hold != first else 0)
            chosen = weights > 0
            queues = np.column_stack([np.full(int(chosen.sum()), first, np.uint8), np.stack(rest, 1)[chosen]])
            yield hold, np.ascontiguousarray(queues), weights[chosen]


def openers() -> None:
    ends = expand("*p4")
    judge = Queues(SRS, True, 0, 4, pieces_needed(0, 4))
    total = cleared = 0
    begin = time.process_time()
    for bag in expand("*p7"):
        queues = np.hstack([np.repeat(bag[None, :], len(ends), 0), ends])
        answers = np.full(len(queues), 2, np.uint8)
        judge.decide(np.ascontiguousarray(queues), NOBODY, True, answers, 0)
        total, cleared = total + len(answers), cleared + int(answers.sum())
    click.echo(
        f"{total:,} queues of a game's beginning: {cleared:,} cleared, {time.process_time() - begin:.1f} s"
    )


def everything() -> None:
    begin = time.process_time()
    orders, length = Orders(SRS, bits=27).clearing(0, 4)
    click.echo(f"all orders of {length} pieces: {time.process_time() - begin:.0f} s, {memory_mb()} MB")
    judge = Queues(SRS, True, 0, 4, length)
    judge.adopt(np.frombuffer(orders, np.uint8))
    total = impossible = 0
    for hold, queues, weights in held_queues(length):
        answers = np.full(len(queues), 2, np.uint8)
        judge.decide(queues, hold, True, answers, 0)
        total, impossible = total + int(weights.sum()), impossible + int(weights[answers == 0].sum())
    click.echo(f"{total:,} queues: {impossible:,} impossible, {time.process_time() - begin:.0f} s in all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openers", action="store_true")
    parser.add_argument("--everything", action="store_true")
    options = parser.parse_args()
    one_solution(random_queues(200, seed=1))
    all_solutions(random_queues(20, seed=2))
    opener_shares()
    two_lines()
    if options.openers:
        openers()
    if options.everything:
        everything()


if __name__ == "__main__":
    main()
