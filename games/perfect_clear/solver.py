"""Answers for a known queue: one solution, all of them, or a proof that there is none.

What the document's stages have become: the inactive stage is the choice between the next piece and the one in
hold; the active stage is a table of resting places that is made for all columns at once (`movement`), and
traced back to keys only for what is shown (`keys`); a final stage is a search that has reached an empty board
or is complete without one; and the decision stage compares the solutions by their inputs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from games.perfect_clear.board import (
    WIDTH,
    cells_of,
    cleared,
    pieces_needed,
    possible_lines,
    require_lines,
    require_possible,
)
from games.perfect_clear.errors import InvalidQuestion, Stopped
from games.perfect_clear.keys import Keys
from games.perfect_clear.movement import Movement
from games.perfect_clear.rules import Rules
from games.perfect_clear.search import Search
from games.tetrominoes.pieces import PIECES

_NOBODY = 7
_HOLD, _DROP, _SLOW = "hold", "instant drop", "slow drop"
# No way below a roof is shorter: a piece appears fourteen rows above six lines.
_SHORTEST_TUCK = 14


@dataclass(frozen=True, slots=True)
class Question:
    """A board, what is in hold, and the pieces to come."""

    queue: str
    hold: str | None = None
    board: int = 0
    lines: int | None = None
    """How many lines are to be cleared; None tries every number for which there are pieces."""

    @property
    def pieces(self) -> int:
        return len(self.queue) + (self.hold is not None)

    def line_numbers(self) -> list[int]:
        """In how many lines the board may be cleared, fewest first; raises if there is no way at all."""
        require_possible(self.board)
        if self.lines is not None:
            require_lines(self.board, self.lines)
            found = [self.lines]
            needed = pieces_needed(self.board, self.lines)
        else:
            found = possible_lines(self.board, self.pieces)
            every = possible_lines(self.board, 1000)
            if not every:
                raise InvalidQuestion(
                    "expected an even number of filled cells, so that pieces of four can fill whole rows, "
                    f"got {self.board.bit_count()}"
                )
            needed = pieces_needed(self.board, every[0])
        if needed > self.pieces or not found:
            raise InvalidQuestion(f"expected at least {needed} pieces with the hold, got {self.pieces}")
        return [lines for lines in found if pieces_needed(self.board, lines) > 0] or found


@dataclass(frozen=True, slots=True)
class Placement:
    """One piece of a solution."""

    piece: str
    cells: int
    """Where it comes to rest, on the board as it is then."""
    keys: tuple[str, ...]
    """The shortest way, with the hold before it and the instant drop at its end."""
    is_held: bool
    """Whether the hold key is pressed for it."""
    needs_kick: bool
    """Whether without kicks it would not come there."""
    board: int
    """The board afterwards, its full rows cleared."""
    lines_cleared: int

    @property
    def needs_slow_drop(self) -> bool:
        return _SLOW in self.keys


@dataclass(frozen=True)
class Solution:
    """A way to a perfect clear, piece by piece."""

    start: int
    lines: int
    placements: tuple[Placement, ...]
    states: "tuple[State, ...]"
    """The state before each placement."""

    @property
    def inputs(self) -> int:
        return sum(len(placement.keys) for placement in self.placements)

    @property
    def order(self) -> str:
        return "".join(placement.piece for placement in self.placements)

    @property
    def needs_slow_drop(self) -> bool:
        return any(placement.needs_slow_drop for placement in self.placements)

    @property
    def needs_kick(self) -> bool:
        return any(placement.needs_kick for placement in self.placements)

    @cached_property
    def picture(self) -> "Picture":
        rows = tuple(range(self.lines))
        found = []
        for placement in self.placements:
            found.append((placement.piece, in_first_rows(placement.cells, rows)))
            rows = rows_after(placement.cells, rows, self.start, found)
        return tuple(sorted(found, key=lambda one: one[1]))


Picture = tuple[tuple[str, int], ...]
"""Where each piece lies if no row were ever cleared: what two solutions look like."""


def in_first_rows(cells: int, rows: tuple[int, ...]) -> int:
    """The cells in the rows as they were at the beginning; `rows` says which of these are left."""
    return sum(1 << (WIDTH * rows[y] + x) for x, y in cells_of(cells))


def rows_after(
    cells: int, rows: tuple[int, ...], start: int, placed: "list[tuple[str, int]] | Picture"
) -> tuple[int, ...]:
    """Which of the first rows are left after the last of `placed`."""
    filled = start
    for _, one in placed:
        filled |= one
    touched = {y for _, y in cells_of(cells)}
    return tuple(
        row for y, row in enumerate(rows) if y not in touched or (filled >> (WIDTH * row)) & 0x3FF != 0x3FF
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search has found; without a solution it is a proof that there is none under its rules."""

    solution: Solution | None
    lines_tried: tuple[int, ...]
    states: int
    """How many states were searched."""

    @property
    def is_possible(self) -> bool:
        return self.solution is not None


class State(NamedTuple):
    """What the search stands at between two pieces."""

    board: int
    lines: int
    placed: int
    """How many pieces were placed."""
    other: int
    """The piece that can be placed besides the queue's next one; _NOBODY if there is none."""
    is_in_hold: bool
    """Whether it is in hold; else it is the current one, and the hold is empty."""


@dataclass(slots=True)
class Step:
    """A placement that leads from one state to another."""

    piece: int
    is_held: bool
    """Whether the hold key is pressed for it."""
    cells: int
    after: State
    inputs: int
    is_exact: bool
    """Whether `inputs` is more than a lower bound."""


@dataclass
class Solver:
    """Answers questions under one set of rules."""

    rules: Rules = field(default_factory=Rules)
    _steps: dict[State, list[Step]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._prepare()

    def configure(self, rules: Rules) -> None:
        """Change the rules; everything that was found under other ones is forgotten."""
        if rules != self.rules:
            self.rules = rules
            self._prepare()

    def _prepare(self) -> None:
        self._steps = {}
        self._search = Search(self.rules.kick_table, self.rules.soft_drop)
        self._movement = Movement(self.rules.kick_table, self.rules.soft_drop)
        self._keys = Keys(self.rules.kick_table, self.rules.soft_drop)
        self._unkicked = Keys(Rules("none").kick_table, self.rules.soft_drop)
        self._from_sky = _ways_from_sky(self._keys)

    def stop(self) -> None:
        """End a search that runs in another thread; it raises Stopped."""
        self._search.stop()

    # Questions

    def first(self, question: Question) -> Answer:
        """The first solution that is found, in the fewest lines that are possible."""
        return self._answered(question, self._first_way)

    def fewest_inputs(
        self, question: Question, when_found: Callable[[Solution], None] | None = None
    ) -> Answer:
        """A solution with the fewest inputs among those in the fewest lines.

        `when_found` is told of the first solution, which is there long before all are compared.
        """

        def way(state: State) -> list[tuple[State, Step]]:
            if when_found is not None:
                when_found(self.solution(state, self._first_way(state)))
            return self._cheapest_way(state)

        return self._answered(question, way)

    def _answered(self, question: Question, way: Callable[[State], list[tuple[State, Step]]]) -> Answer:
        tried = []
        states = 0
        for lines in question.line_numbers():
            tried.append(lines)
            state, is_possible = self._begin(question, lines)
            solution = self.solution(state, way(state)) if is_possible else None
            states += self._search.states
            if solution is not None:
                return Answer(solution, tuple(tried), states)
        return Answer(None, tuple(tried), states)

    def is_possible(self, question: Question) -> bool:
        """Whether there is a solution."""
        return any(self._begin(question, lines)[1] for lines in question.line_numbers())

    def count(self, question: Question) -> int:
        """How many ways there are: all orders and places that differ, in the fewest lines possible."""
        for lines in question.line_numbers():
            state, is_possible = self._begin(question, lines)
            if is_possible:
                ways = self._search.ways(state.board, lines, state.other)
                if ways is None:
                    raise Stopped("stopped before all ways were counted")
                return ways
        return 0

    def all(self, question: Question) -> Iterator[Solution]:
        """A solution for each picture that the pieces can make, in the fewest lines that are possible."""
        for lines in question.line_numbers():
            state, is_possible = self._begin(question, lines)
            if is_possible:
                yield from self._pictures(state)
                return

    # The search

    def start(self, question: Question, lines: int) -> tuple[str, State]:
        """The queue as the search takes it, and the first state."""
        if question.hold is not None and not self.rules.hold:
            raise InvalidQuestion("expected no piece in hold, because these rules have none")
        queue, other = question.queue, _NOBODY
        if question.hold is not None:
            other = PIECES.index(question.hold)
        elif self.rules.hold and queue:
            # "The current piece and the next" are at any time what "the held and the current one" would be.
            other, queue = PIECES.index(queue[0]), queue[1:]
        is_in_hold = question.hold is not None or not self.rules.hold
        return queue, State(question.board, lines, 0, other, is_in_hold)

    def _begin(self, question: Question, lines: int) -> tuple[State, bool]:
        queue, state = self.start(question, lines)
        self._steps = {}
        self._search.begin([PIECES.index(piece) for piece in queue])
        is_possible = self._search.is_possible(question.board, lines, state.other)
        if is_possible is None:
            raise Stopped("stopped before a solution was found, or a proof that there is none")
        return state, is_possible

    def _steps_from(self, state: State) -> list[Step]:
        found = self._steps.get(state)
        if found is None:
            found = self._steps[state] = self._found_steps(state)
        return found

    def _found_steps(self, state: State, *, settled_only: bool = False) -> list[Step]:
        steps = self._search.steps(state.board, state.lines, state.placed, state.other, settled_only)
        if steps is None:
            raise Stopped("stopped before all solutions were compared")
        return [self._step(state, *step) for step in steps]

    def every_step(self, queue: str, state: State) -> list[Step]:
        """All placements that are possible in a state, whether they lead to a perfect clear or not."""
        following = queue[state.placed : state.placed + 1]
        next_piece = PIECES.index(following) if following else _NOBODY
        options = {next_piece: (False, state.other), state.other: (True, next_piece)}
        if state.other == next_piece:
            options = {next_piece: (False, state.other)}
        return [
            self._step(state, piece, is_other, cells, *cleared(state.board | cells, state.lines), rest)
            for piece, (is_other, rest) in options.items()
            if piece != _NOBODY
            for cells in self._movement.landings(PIECES[piece], state.board, state.lines)
        ]

    def _step(
        self, state: State, piece: int, is_other: bool, cells: int, board: int, lines: int, rest: int
    ) -> Step:
        # Of two equal pieces the search takes the next one; while none is in hold, it is the current one.
        is_current = not is_other if state.is_in_hold else is_other or piece == state.other
        inputs, is_exact = self._inputs(piece, state.board, cells)
        is_in_hold = state.is_in_hold or not is_current
        after = State(board, lines, state.placed + 1, rest, is_in_hold)
        return Step(piece, not is_current, cells, after, inputs + (not is_current), is_exact)

    def make_exact(self, state: State, step: Step) -> None:
        """Count the inputs of a step key by key."""
        if not step.is_exact:
            keys = self._keys.ways(PIECES[step.piece], state.board, [step.cells])[step.cells]
            step.inputs, step.is_exact = len(keys) + 1 + step.is_held, True

    def _inputs(self, piece: int, board: int, cells: int) -> tuple[int, bool]:
        """How many keys a place takes, and whether that is exact; under a roof it is a lower bound."""
        above = cells
        for _ in range(5):
            above |= above << WIDTH
        if above & board:
            return _SHORTEST_TUCK + 1, False
        lowest = (cells & -cells).bit_length() - 1
        return len(self._from_sky[piece, cells >> (lowest // WIDTH * WIDTH)]) + 1, True

    def _first_way(self, state: State) -> list[tuple[State, Step]]:
        way = []
        while state.lines:
            step = self._found_steps(state, settled_only=True)[0]
            way.append((state, step))
            state = step.after
        return way

    def _cheapest_way(self, state: State) -> list[tuple[State, Step]]:
        """The way with the fewest inputs.

        What lies under a roof is looked at closely only where the lower bound would make it the best: that is
        rare, and finding the keys takes longer than everything else.
        """
        while True:
            best: dict[State, tuple[int, Step | None]] = {}
            self._cost(state, best)
            way, at = [], state
            while (step := best[at][1]) is not None:
                way.append((at, step))
                at = step.after
            if all(step.is_exact for _, step in way):
                return way
            for at, step in way:
                self.make_exact(at, step)

    def _cost(self, state: State, best: dict[State, tuple[int, Step | None]]) -> int:
        known = best.get(state)
        if known is not None:
            return known[0]
        if state.lines == 0:
            best[state] = (0, None)
            return 0
        found = min(
            (
                (step.inputs + self._cost(step.after, best), i)
                for i, step in enumerate(self._steps_from(state))
            )
        )
        best[state] = (found[0], self._steps_from(state)[found[1]])
        return found[0]

    def _pictures(self, start: State) -> Iterator[Solution]:
        """Depth first; a state with the same pieces in the same places is not entered again."""
        seen: set[tuple[State | None, Picture]] = set()
        rows = tuple(range(start.lines))
        waiting: list[tuple[State, tuple[int, ...], Picture, list[tuple[State, Step]]]] = [
            (start, rows, (), [])
        ]
        while waiting:
            state, rows, picture, way = waiting.pop()
            if state.lines == 0:
                yield self.solution(start, way)
                continue
            for step in self._steps_from(state):
                placed = (PIECES[step.piece], in_first_rows(step.cells, rows))
                after = tuple(sorted((*picture, placed), key=lambda one: one[1]))
                # All ends look alike: what is left in hold makes no other picture.
                key = (step.after if step.after.lines else None, after)
                if key not in seen:
                    seen.add(key)
                    left = rows_after(step.cells, rows, start.board, after)
                    waiting.append((step.after, left, after, [*way, (state, step)]))

    def solution(self, start: State, way: list[tuple[State, Step]]) -> Solution:
        """A way from a state with all its keys."""
        placements = []
        for (board, lines, *_), step in way:
            piece = PIECES[step.piece]
            keys = self._keys.ways(piece, board, [step.cells])[step.cells]
            placements.append(
                Placement(
                    piece,
                    step.cells,
                    (*([_HOLD] if step.is_held else []), *keys, _DROP),
                    step.is_held,
                    # The shortest way may use a kick where another one needs none.
                    step.cells not in self._unkicked.ways(piece, board, [step.cells]),
                    step.after.board,
                    lines - step.after.lines,
                )
            )
        return Solution(start.board, start.lines, tuple(placements), tuple(state for state, _ in way))


def _ways_from_sky(keys: Keys) -> dict[tuple[int, int], tuple[str, ...]]:
    """The shortest way to each column and orientation, by piece and by the cells on an empty floor."""
    every = {}
    for number, piece in enumerate(PIECES):
        places = Search.floor_places(number)
        for cells, way in keys.ways(piece, 0, places).items():
            every[number, cells] = way
    return every
