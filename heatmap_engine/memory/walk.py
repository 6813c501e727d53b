"""Walking a finished game backwards, so that later, better-informed values flow into earlier positions.

The walk works on a view: the table as it was, and over it what the walk itself has changed. Nothing is
written; whoever asked for the walk records its changes in one transaction.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import chess

from games.chess.journal import LearnedStep
from games.chess.record import GameRecord
from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.keys import key_of
from heatmap_engine.board.reading import pack
from heatmap_engine.kernel.board.keys import key_of as kernel_key_of
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.memory.game_results import GameResults
from heatmap_engine.memory.tables import Settings
from heatmap_engine.memory.views import EntrySource, ValueSource, View
from qtable import Entry


@dataclass(frozen=True, slots=True)
class Step:
    """What the walk changed at one position of the game; values are White minus Black.

    The old value and pick are the table's from before the walk, None where it had none.
    """

    ply: int
    fen: str
    played: chess.Move
    old_value: float | None
    new_value: float
    old_pick: chess.Move | None
    new_pick: chess.Move
    other: tuple[chess.Move, float] | None = None
    """Another move than the one that was played, and what it is worth."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk's steps, last position first, and what there is to record."""

    steps: tuple[Step, ...]
    changes: dict[str, Entry]


def learned_steps(first: Walk, last: Walk) -> tuple[LearnedStep, ...]:
    """What all walks of a game have changed together, in the order of its moves."""
    return tuple(
        LearnedStep(
            old_value=old.old_value,
            new_value=new.new_value,
            old_pick=None if old.old_pick is None else old.old_pick.uci(),
            new_pick=new.new_pick.uci(),
            other_move=None if new.other is None else new.other[0].uci(),
            other_value=0.0 if new.other is None else new.other[1],
        )
        for old, new in zip(reversed(first.steps), reversed(last.steps), strict=True)
    )


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a final position is worth, White minus Black, how deep that goes, and where it comes from."""

    score: float
    depth: int
    source: str


@dataclass(frozen=True, slots=True)
class Reanalysed:
    """The result of searching a position again: its score, the best move, and what to record."""

    score: float
    pick: chess.Move
    entries: dict[str, Entry]
    """What to record; the position's own entry is among them."""
    passing: Mapping[str, Entry] = field(default_factory=dict)
    """What only the rest of the walk is to know."""
    other: tuple[chess.Move, float] | None = None
    """Another move than the one that was played, and what it is worth."""


class Reanalysis(Protocol):
    """How a mode searches the positions of a finished game again, the last one first."""

    @property
    def settings(self) -> Settings: ...

    @property
    def results_choose(self) -> bool:
        """Whether results decide between moves: then a game counts only after its last random move."""
        ...

    def judge(
        self, board: chess.Board, record: GameRecord, view: View, keep_going: Callable[[int], None]
    ) -> Judgement:
        """What the final position is worth: by the board, or by the result as far as a search allows.

        A result that says nothing about the position leaves what is known of it. `keep_going` may raise.
        """
        ...

    def think(
        self, board: chess.Board, played: chess.Move, view: View, keep_going: Callable[[int], None]
    ) -> Reanalysed:
        """Pick again where `played` was played, with all that `view` knows; `keep_going` may raise."""
        ...


class Walker:
    """Walks a game backwards on a view of `table`, and may be interrupted at any time.

    `count_results` is for the first walk of a game: a second one must not count its result again.
    """

    def __init__(
        self, record: GameRecord, reanalysis: Reanalysis, table: EntrySource, *, count_results: bool = True
    ) -> None:
        self._record = record
        self._board = record.board()
        self._reanalysis = reanalysis
        self._table = table
        self._view = View(table)
        self._results = GameResults(record, reanalysis.results_choose) if count_results else None
        self._steps: list[Step] = []
        self._is_judged = False

    def go_on(self, keep_going: Callable[[int], None] = lambda moves_visited: None) -> Walk:
        """Walk to the start of the game. If `keep_going` raises, the next call goes on from there."""
        if not self._is_judged:
            self._judge(keep_going)
        while self._board.move_stack:
            played = self._board.pop()
            try:
                self._steps.append(self._step(self._board, played, keep_going))
            except BaseException:
                self._board.push(played)  # whoever goes on begins with this position again
                raise
        return Walk(tuple(self._steps), self._view.changes)

    def _judge(self, keep_going: Callable[[int], None]) -> None:
        judged = self._reanalysis.judge(self._board, self._record, self._view, keep_going)
        final = Entry(movers_view(self._board.turn, judged.score), judged.depth, source=judged.source)
        self._view.record({key_of(self._board): self._with_result(self._board, final)})
        self._is_judged = True

    def _step(self, board: chess.Board, played: chess.Move, keep_going: Callable[[int], None]) -> Step:
        """Pick again at one position, with the table and all that the walk has found so far."""
        old_value, old_pick = known_pick(board, self._table)
        analysed = self._reanalysis.think(board, played, self._view, keep_going)
        root = key_of(board)
        self._view.pass_on(analysed.passing)
        self._view.record({**analysed.entries, root: self._with_result(board, analysed.entries[root])})
        ply = len(board.move_stack)
        return Step(
            ply, board.fen(), played, old_value, analysed.score, old_pick, analysed.pick, analysed.other
        )

    def _with_result(self, board: chess.Board, entry: Entry) -> Entry:
        if self._results is None:
            return entry
        wins, draws, losses = self._results.at(len(board.move_stack), board.turn)
        return entry._replace(wins=wins, draws=draws, losses=losses)


def known_pick(board: chess.Board, table: ValueSource) -> tuple[float | None, chess.Move | None]:
    """The table's value of a position, and its best known move, without any search."""
    position = pack(board)
    keys = {move: kernel_key_of(child) for move, child in children(position)}
    own = kernel_key_of(position)
    found = table.values([own, *keys.values()])
    known = [(found[key], move) for move, key in keys.items() if key in found]
    # A child's value is for the other side: the lowest is the best.
    pick = chess.Move.from_uci(min(known)[1]) if known else None
    return (movers_view(board.turn, found[own]) if own in found else None), pick
