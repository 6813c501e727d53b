"""Solved states in a Q-table file, so that a question is answered at once the second time.

The value of a state is the number of inputs to a perfect clear, the fewest there are, or -1 where there is
none; its depth is the number of pieces to place. The states along a solution are recorded, and the solution
is found again by following the values.
"""

from os import PathLike
from typing import Self

from games.perfect_clear.board import pieces_needed
from games.perfect_clear.rules import Rules
from games.perfect_clear.solver import Answer, Question, Solver, State, Step
from games.tetrominoes.pieces import PIECES
from qtable.entry import Entry
from qtable.table import QTable

_IMPOSSIBLE = -1.0


def key_of(queue: str, state: State) -> str:
    """A state with the pieces that are still to come; `*` marks the current one while none is in hold."""
    other = (PIECES + "-")[state.other] + ("" if state.is_in_hold else "*")
    return f"{state.lines} {state.board:x} {other} {queue[state.placed :]}"


class SolvedTable:
    """Answers to questions for the fewest inputs, kept in a file."""

    def __init__(self, path: str | PathLike[str], solver: Solver) -> None:
        """A missing file becomes a table of the solver's rules; a table of other rules is an error."""
        self._solver = solver
        self._table = QTable(path, settings=settings_of(solver.rules))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._table.close()

    def answer(self, question: Question) -> Answer | None:
        """The answer, if it is known."""
        tried = []
        for lines in question.line_numbers():
            tried.append(lines)
            queue, state = self._solver.start(question, lines)
            entry = self._table.get(key_of(queue, state))
            if entry is None:
                return None
            if entry.value != _IMPOSSIBLE:
                way = self._way(queue, state, entry.value)
                return None if way is None else Answer(self._solver.solution(state, way), tuple(tried), 0)
        return Answer(None, tuple(tried), 0)

    def _way(self, queue: str, state: State, value: float) -> list[tuple[State, Step]] | None:
        """Placements after each of which the table knows the value that fits."""
        way = []
        while state.lines:
            steps = self._solver.every_step(queue, state)
            known = self._table.values({key_of(queue, step.after) for step in steps if step.after.lines})
            for step in steps:
                left = known.get(key_of(queue, step.after), _IMPOSSIBLE) if step.after.lines else 0.0
                if left == _IMPOSSIBLE:
                    continue
                self._solver.make_exact(state, step)
                if step.inputs + left == value:
                    way.append((state, step))
                    state, value = step.after, left
                    break
            else:
                return None
        return way

    def record(self, question: Question, answer: Answer) -> None:
        """Keep an answer of `Solver.fewest_inputs`."""
        changes = {}
        for lines in answer.lines_tried:
            queue, state = self._solver.start(question, lines)
            changes[key_of(queue, state)] = Entry(_IMPOSSIBLE, depth=pieces_needed(question.board, lines))
        if answer.solution is not None:
            queue, _ = self._solver.start(question, answer.solution.lines)
            left = answer.solution.inputs
            for placement, state in zip(answer.solution.placements, answer.solution.states, strict=True):
                depth = pieces_needed(state.board, state.lines)
                changes[key_of(queue, state)] = Entry(float(left), depth=depth)
                left -= len(placement.keys)
        self._table.record(changes)


def settings_of(rules: Rules) -> dict[str, str | bool]:
    """What the values of a table mean."""
    return {"game": "perfect clear", "kicks": rules.kicks, "soft drop": rules.soft_drop, "hold": rules.hold}
