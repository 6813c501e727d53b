"""Perfect clear after perfect clear from one stream of pieces."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from games.perfect_clear.board import pieces_needed
from games.perfect_clear.solver import Question, Solution, Solver
from games.tetrominoes.bags import Generator


@dataclass(frozen=True, slots=True)
class Turn:
    """One empty board: what could be seen, and how it was cleared, if it could."""

    hold: str | None
    queue: str
    solution: Solution | None
    seconds: float
    """How long the search took, on the clock."""


def drawn_pieces(generator: Generator, choices: random.Random) -> Iterator[str]:
    """Pieces without end, as a game brings them."""
    seen = ""
    while True:
        odds = generator.odds(seen)
        piece = choices.choices(list(odds), list(odds.values()))[0]
        # A bag of fourteen is the longest that has to be remembered, and 28 is where both bags begin anew.
        seen = (seen + piece)[len(seen) // 28 * 28 :]
        yield piece


def cleared_in_turn(
    solver: Solver, generator: Generator, choices: random.Random, lines: int
) -> Iterator[Turn]:
    """Clear the board again and again; the last turn is one without a solution."""
    pieces = drawn_pieces(generator, choices)
    needed = pieces_needed(0, lines) + solver.rules.hold
    hold: str | None = None
    queue = ""
    while True:
        while len(queue) + (hold is not None) < needed:
            queue += next(pieces)
        question = Question(queue, hold, 0, lines)
        begin = time.perf_counter()
        solution = solver.first(question).solution
        yield Turn(hold, queue, solution, time.perf_counter() - begin)
        if solution is None:
            return
        hold, queue = _left_over(hold, queue, solution)


def _left_over(hold: str | None, queue: str, solution: Solution) -> tuple[str | None, str]:
    """Hold and queue after a solution was played."""
    for placement in solution.placements:
        if not placement.is_held:
            queue = queue[1:]
        elif hold is None:
            hold, queue = queue[0], queue[2:]
        else:
            hold, queue = (queue[0] if queue else None), queue[1:]
    return hold, queue
