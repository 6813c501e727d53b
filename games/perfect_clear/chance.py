"""The best next placement where the end of the queue is not known yet."""

from collections.abc import Iterator
from dataclasses import dataclass

from games.perfect_clear.board import pieces_needed
from games.perfect_clear.chances import Chances
from games.perfect_clear.errors import InvalidQuestion
from games.perfect_clear.keys import Keys
from games.perfect_clear.percent import lines_for
from games.perfect_clear.rules import Rules
from games.tetrominoes.bags import Generator
from games.tetrominoes.pieces import PIECES

_NOBODY = 7
# Six lines and a piece to spare.
_MOST_LINES_PIECES = 16


@dataclass(frozen=True, slots=True)
class NextPlacement:
    """A placement of the first piece, or of the held one, and what it promises."""

    piece: str
    is_held: bool
    """Whether the hold key is pressed for it."""
    cells: int
    keys: tuple[str, ...]
    board: int
    """The board afterwards."""
    probability: float
    """Of a perfect clear, if every later piece is placed in the best way."""


class Chance:
    """A question about the next placement; the pieces that are not seen come from a generator."""

    def __init__(
        self,
        queue: str,
        *,
        generator: Generator,
        board: int = 0,
        hold: str | None = None,
        seen: str = "",
        lines: int | None = None,
        rules: Rules | None = None,
    ) -> None:
        """`seen` are the pieces before the queue, the first of which began a bag."""
        self.rules = rules or Rules()
        self.board = board
        known = len(queue) + (hold is not None)
        if hold is not None and not self.rules.hold:
            raise InvalidQuestion("expected no piece in hold, because these rules have none")
        if known < 1 + self.rules.hold:
            raise InvalidQuestion(
                f"expected at least {1 + self.rules.hold} pieces that are seen, got {known}"
            )
        self.lines = (
            lines_for(board, _MOST_LINES_PIECES, lines) if lines is not None else self._fewest_lines(board)
        )
        self.pieces_left = pieces_needed(board, self.lines)
        self.unknown = max(0, self.pieces_left + self.rules.hold - known)
        try:
            self.endings = dict(generator.endings(seen + queue, self.unknown))
        except ValueError as error:
            raise InvalidQuestion(str(error)) from None
        self._is_in_hold = hold is not None or not self.rules.hold
        self._other, rest = _NOBODY, queue
        if hold is not None:
            self._other = PIECES.index(hold)
        elif self.rules.hold:
            self._other, rest = PIECES.index(queue[0]), queue[1:]
        self._chances = Chances(self.rules.kick_table, self.rules.soft_drop, rest, self.endings)
        self._keys = Keys(self.rules.kick_table, self.rules.soft_drop)

    @staticmethod
    def _fewest_lines(board: int) -> int:
        for most in range(1, _MOST_LINES_PIECES):
            try:
                return lines_for(board, most, None)
            except InvalidQuestion as error:
                problem = error
        raise problem

    @property
    def states(self) -> int:
        """How many states were searched so far."""
        return self._chances.states

    def stop(self) -> None:
        """Let `placements` end in another thread."""
        self._chances.stop()

    def placements(self) -> Iterator[NextPlacement]:
        """Every placement with its probability, as each becomes known; none that makes a clear impossible."""
        for piece, is_other, cells, after, _, probability in self._chances.placements(
            self.board, self.lines, self._other
        ):
            if probability <= 0:
                continue
            # Of two equal pieces the kernel takes the next one; while none is in hold, it is the current one.
            is_current = not is_other if self._is_in_hold else is_other or piece == self._other
            name = PIECES[piece]
            way = self._keys.ways(name, self.board, [cells])[cells]
            keys = (*([] if is_current else ["hold"]), *way, "instant drop")
            yield NextPlacement(name, not is_current, cells, keys, after, min(probability, 1.0))


def ranked(placements: list[NextPlacement]) -> list[NextPlacement]:
    """The best first; of equal ones the one with the fewest inputs."""
    return sorted(placements, key=lambda one: (-round(one.probability, 9), len(one.keys)))
