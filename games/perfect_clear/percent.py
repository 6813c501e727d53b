"""How many of many queues clear a board."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from games.perfect_clear.board import pieces_needed, possible_lines, require_lines, require_possible
from games.perfect_clear.errors import InvalidQuestion
from games.perfect_clear.patterns import Queues as QueueArray
from games.perfect_clear.patterns import as_text
from games.perfect_clear.queues import Queues
from games.perfect_clear.rules import Rules
from games.tetrominoes.pieces import PIECES

Progress = Callable[[int, int], None]

_NOBODY = 7
_UNDECIDED = 2
# A queue that needs more is searched at the end: together, hard queues cost less.
_FEW_STATES = 20_000
# Between two reports.
_BATCH = 2048


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many queues, each counted by its weight."""

    cleared: float
    total: float

    @property
    def fraction(self) -> float:
        return self.cleared / self.total if self.total else 0.0


@dataclass
class Percent:
    """What was found out about a set of queues; whoever is interrupted finds here what is known so far."""

    queues: QueueArray
    lines: int
    weights: npt.NDArray[np.float64] | None = None
    answers: npt.NDArray[np.uint8] = field(init=False)
    """For each queue: 1 cleared, 0 impossible, 2 not known yet."""

    def __post_init__(self) -> None:
        self.answers = np.full(len(self.queues), _UNDECIDED, np.uint8)

    @property
    def is_complete(self) -> bool:
        return not (self.answers == _UNDECIDED).any()

    @property
    def known(self) -> int:
        return int((self.answers != _UNDECIDED).sum())

    @property
    def cleared(self) -> int:
        return int((self.answers == 1).sum())

    def share(self, among: npt.NDArray[np.bool_] | None = None) -> Share:
        """The share that is cleared, of those that are decided."""
        decided = self.answers != _UNDECIDED
        if among is not None:
            decided &= among
        weights = np.ones(len(self.queues)) if self.weights is None else self.weights
        return Share(float(weights[decided & (self.answers == 1)].sum()), float(weights[decided].sum()))

    def by_first_piece(self) -> dict[str, Share]:
        shares = {piece: self.share(self.queues[:, 0] == i) for i, piece in enumerate(PIECES)}
        return {piece: share for piece, share in shares.items() if share.total}

    def impossible(self, most: int) -> list[str]:
        """The first few queues that cannot clear the board."""
        return [as_text(self.queues[i]) for i in np.flatnonzero(self.answers == 0)[:most]]


def lines_for(board: int, pieces: int, lines: int | None) -> int:
    """In how many lines queues of so many pieces are to clear the board: as many as they have pieces for."""
    require_possible(board)
    if lines is not None:
        require_lines(board, lines)
        needed = pieces_needed(board, lines)
    else:
        found = [lines for lines in possible_lines(board, pieces) if pieces_needed(board, lines)]
        if found:
            return found[-1]
        every = [lines for lines in possible_lines(board, 1000) if pieces_needed(board, lines)]
        if not every:
            raise InvalidQuestion(
                "expected an even number of filled cells, so that pieces of four can fill whole rows, "
                f"got {board.bit_count()}"
            )
        lines = every[0]
        needed = pieces_needed(board, lines)
    if needed > pieces:
        raise InvalidQuestion(f"expected at least {needed} pieces with the hold, got {pieces}")
    return lines


def percent(
    queues: QueueArray,
    *,
    board: int = 0,
    hold: str | None = None,
    lines: int | None = None,
    rules: Rules | None = None,
    weights: npt.NDArray[np.float64] | None = None,
    report: Progress | None = None,
    into: "list[Percent] | None" = None,
) -> Percent:
    """Decide every queue. `report` may raise to stop; what is known then is in the object put `into`."""
    rules = rules or Rules()
    lines = lines_for(board, queues.shape[1] + (hold is not None), lines)
    if hold is not None and not rules.hold:
        raise InvalidQuestion("expected no piece in hold, because these rules have none")
    result = Percent(queues, lines, weights)
    if into is not None:
        into.append(result)
    judge = Queues(rules.kick_table, rules.soft_drop, board, lines, pieces_needed(board, lines))
    held = PIECES.index(hold) if hold is not None else _NOBODY

    def decide(order: npt.NDArray[np.intp], most_states: int, batch: int) -> None:
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            answers = np.full(len(chosen), _UNDECIDED, np.uint8)
            judge.decide(np.ascontiguousarray(queues[chosen]), held, rules.hold, answers, most_states)
            result.answers[chosen] = answers
            if report is not None:
                report(result.known, len(queues))

    decide(np.arange(len(queues)), _FEW_STATES, _BATCH)
    hard = np.flatnonzero(result.answers == _UNDECIDED)
    # Queues that end alike share what was found out about their ends, if they follow each other.
    decide(hard[np.lexsort(queues[hard].T)], 0, 1)
    return result
