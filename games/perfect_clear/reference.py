"""The specification: the state machine of perfect clears, slow and obvious.

A board is a set of filled cells, ten wide and twenty-four high. The stages and the actions have the names of
the document that first described this solver:

| stage    | what happens                                                      | here              |
|----------|-------------------------------------------------------------------|-------------------|
| inactive | the next piece is taken from the queue, or guessed                | `Inactive.next`   |
| active   | the piece is moved, turned, dropped, or exchanged with the hold   | `active_stage`    |
| final    | the board is empty, or no piece is left                           | `Final`           |
| decision | of all final stages the best is chosen                            | `decide`          |

In the active stage each position and orientation keeps only from where it was first reached, and by which
action. That is the shortest way, because positions are taken in the order of their distance.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from games.tetrominoes.kicks import KickTable
from games.tetrominoes.pieces import BOXED, Cell

WIDTH = 10

Board = frozenset[Cell]


class Action(StrEnum):
    """What a player can do with a piece; the value is how it is written."""

    LEFT = "left"
    RIGHT = "right"
    TURN_LEFT = "turn left"
    TURN_RIGHT = "turn right"
    HALF_TURN = "half turn"
    SLOW_DROP = "slow drop"
    INSTANT_DROP = "instant drop"
    HOLD = "hold"


@dataclass(frozen=True, slots=True)
class Settings:
    """The rules of a game."""

    kicks: KickTable
    slow_drop: bool = True
    hold: bool = True
    height: int = 24
    """How many rows there are; a piece appears above the lowest rows but four."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where the lower left corner of a piece's box is, and how the piece is turned."""

    x: int
    y: int
    orientation: int


def spawn_position(piece: str, settings: Settings) -> Position:
    """A piece appears in the middle, its lowest cells in the twenty-first of twenty-four rows."""
    return Position(3, settings.height - 4 - min(y for _, y in BOXED[piece][0]), 0)


def cells_of(piece: str, at: Position) -> Board:
    return frozenset((at.x + x, at.y + y) for x, y in BOXED[piece][at.orientation])


def is_free(board: Board, piece: str, at: Position, settings: Settings) -> bool:
    for box_x, box_y in BOXED[piece][at.orientation]:
        x, y = at.x + box_x, at.y + box_y
        if not (0 <= x < WIDTH and 0 <= y < settings.height) or (x, y) in board:
            return False
    return True


# The active stage

_STEPS = {Action.LEFT: (-1, 0), Action.RIGHT: (1, 0), Action.SLOW_DROP: (0, -1)}
_TURNS = {Action.TURN_RIGHT: 1, Action.HALF_TURN: 2, Action.TURN_LEFT: 3}
# In which order actions are tried: of two shortest ways the one with the earlier action is taken.
_ORDER = (*_STEPS, *_TURNS)


def moved(board: Board, piece: str, at: Position, action: Action, settings: Settings) -> Position | None:
    """Where an action takes the piece; None where it is not possible."""
    if action is Action.INSTANT_DROP:
        return dropped(board, piece, at, settings)
    if action in _TURNS:
        return _turned(board, piece, at, _TURNS[action], settings)
    if action is Action.SLOW_DROP and not settings.slow_drop:
        return None
    right, up = _STEPS[action]
    after = Position(at.x + right, at.y + up, at.orientation)
    return after if is_free(board, piece, after, settings) else None


def _turned(board: Board, piece: str, at: Position, turns: int, settings: Settings) -> Position | None:
    orientation = (at.orientation + turns) % 4
    for right, up in settings.kicks.tests[piece].get((at.orientation, orientation), ()):
        after = Position(at.x + right, at.y + up, orientation)
        if is_free(board, piece, after, settings):
            return after
    return None


def dropped(board: Board, piece: str, at: Position, settings: Settings) -> Position:
    """Where the piece is after an instant drop, which also places it."""
    while is_free(board, piece, below := Position(at.x, at.y - 1, at.orientation), settings):
        at = below
    return at


Table = dict[Position, tuple[Position, Action] | None]


def active_stage(board: Board, piece: str, settings: Settings) -> Table:
    """Every position that the piece can reach, each with the position and the action before it."""
    start = spawn_position(piece, settings)
    if not is_free(board, piece, start, settings):
        return {}
    table: Table = {start: None}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for action in _ORDER:
            after = moved(board, piece, at, action, settings)
            if after is not None and after not in table:
                table[after] = (at, action)
                waiting.append(after)
    return table


def way_to(table: Table, at: Position) -> list[Action]:
    """The actions that lead to a position, traced back through the table."""
    actions: list[Action] = []
    while (step := table[at]) is not None:
        at, action = step
        actions.append(action)
    return actions[::-1]


def placements(board: Board, piece: str, settings: Settings) -> dict[Board, list[Action]]:
    """The cells that the piece can come to rest on, each with its shortest way, the instant drop included."""
    table = active_stage(board, piece, settings)
    found: dict[Board, list[Action]] = {}
    for at in table:  # the nearest positions come first
        cells = cells_of(piece, dropped(board, piece, at, settings))
        if cells not in found:
            found[cells] = [*way_to(table, at), Action.INSTANT_DROP]
    return found


def placed(board: Board, cells: Board) -> tuple[Board, int]:
    """The board after the piece was placed and full lines were cleared, and how many these were."""
    filled = board | cells
    rows = {y for _, y in cells}
    full = {y for y in rows if all((x, y) in filled for x in range(WIDTH))}
    return (
        frozenset((x, y - sum(row < y for row in full)) for x, y in filled if y not in full),
        len(full),
    )


# The inactive stage


@dataclass(frozen=True, slots=True)
class Inactive:
    """Between two pieces: what the solver knows."""

    board: Board
    lines: int
    """How many lines are still to be cleared; all pieces must come to rest in these."""
    hold: str | None
    queue: str

    def next(self, settings: Settings) -> Iterator[tuple[str, str | None, str, bool]]:
        """The pieces that can become active: piece, hold, queue after it, and whether it was held for."""
        if self.queue:
            yield self.queue[0], self.hold, self.queue[1:], False
        if not settings.hold:
            return
        if self.hold is not None:
            yield self.hold, (self.queue[:1] or None), self.queue[1:], True
        elif len(self.queue) >= 2:
            yield self.queue[1], self.queue[0], self.queue[2:], True


@dataclass(frozen=True, slots=True)
class Step:
    """One placement of a solution."""

    piece: str
    cells: Board
    is_held: bool
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Final:
    """The end of a branch."""

    steps: tuple[Step, ...]
    is_achieved: bool

    @property
    def inputs(self) -> int:
        return sum(len(step.actions) for step in self.steps)


def branches(state: Inactive, settings: Settings, steps: tuple[Step, ...] = ()) -> Iterator[Final]:
    """Every final stage that follows from a state: all placements of all pieces in all orders."""
    if not state.board and (steps or state.lines == 0):
        yield Final(steps, is_achieved=True)
        return
    is_stuck = True
    for piece, hold, queue, is_held in state.next(settings):
        for cells, way in placements(state.board, piece, settings).items():
            if max(y for _, y in cells) >= state.lines:
                continue
            is_stuck = False
            board, cleared = placed(state.board, cells)
            actions = (*([Action.HOLD] if is_held else []), *way)
            after = Inactive(board, state.lines - cleared, hold, queue)
            yield from branches(after, settings, (*steps, Step(piece, cells, is_held, actions)))
    if is_stuck:
        yield Final(steps, is_achieved=False)


# The decision stage


def decide(finals: Iterator[Final]) -> Final | None:
    """The perfect clear with the fewest inputs; None where every branch has failed."""
    achieved = [final for final in finals if final.is_achieved]
    return min(achieved, key=lambda final: final.inputs, default=None)


def chance(
    state: Inactive, to_come: Mapping[str, float], settings: Settings, length: int | None = None
) -> float:
    """The probability of a perfect clear with best play, where the queue ends in unknown pieces.

    `to_come` are the endings of the queue with their probabilities. With each placement one more of their
    pieces is seen, and every decision knows only what was seen before it.
    """
    if not state.board and state.lines == 0:
        return 1.0
    best = 0.0
    for piece, hold, queue, _ in state.next(settings):
        for cells in placements(state.board, piece, settings):
            if max(y for _, y in cells) >= state.lines:
                continue
            board, cleared = placed(state.board, cells)
            value = 1.0 if not board else 0.0
            if board:
                for seen, endings, probability in _revealed(to_come):
                    after = Inactive(board, state.lines - cleared, hold, queue + seen)
                    value += probability * chance(after, endings, settings)
            best = max(best, value)
    return best


def _revealed(to_come: Mapping[str, float]) -> Iterator[tuple[str, dict[str, float], float]]:
    """What the next unknown piece may be: the piece, the endings after it, and its probability."""
    first: dict[str, dict[str, float]] = {}
    for ending, probability in to_come.items():
        first.setdefault(ending[:1], {})[ending[1:]] = probability
    for piece, endings in first.items():
        total = sum(endings.values())
        yield piece, {ending: each / total for ending, each in endings.items()}, total


def replayed(
    board: Board, hold: str | None, queue: Sequence[str], actions: Sequence[Action], settings: Settings
) -> tuple[Board, str | None, list[str]]:
    """Press the keys one by one and say what is left: board, hold, queue. An impossible key is an error."""
    waiting = list(queue)
    piece: str | None = None
    at: Position | None = None
    is_hold_used = False
    for number, action in enumerate(actions, start=1):
        if piece is None:
            piece = waiting.pop(0) if waiting else None
            is_hold_used = False
        if action is Action.HOLD:
            if not settings.hold or is_hold_used:
                raise ValueError(f"expected a hold that may be used at key {number}")
            is_hold_used = True
            if hold is None:
                hold, piece = piece, waiting.pop(0)
            else:
                hold, piece = piece, hold
            at = None
            continue
        if piece is None:
            raise ValueError(f"expected a piece for key {number}, {action}; none is left")
        at = at or spawn_position(piece, settings)
        after = moved(board, piece, at, action, settings)
        if after is None:
            raise ValueError(f"key {number}, {action}, is not possible with {piece} at {at}")
        at = after
        if action is Action.INSTANT_DROP:
            board, _ = placed(board, cells_of(piece, at))
            piece, at = None, None
    return board, hold, waiting
