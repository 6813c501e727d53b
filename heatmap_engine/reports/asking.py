"""Making a report: the position, its moves and their replies are asked of the table in one batch."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import chess
import numpy as np

from heatmap_engine import scoring
from heatmap_engine.kernel import heat as kernel
from heatmap_engine.kernel.keys import key_of
from heatmap_engine.kernel.packed import PackedPosition
from heatmap_engine.kernel.tree import children, terminal_score
from heatmap_engine.positions import BoardLike, as_board, pack
from heatmap_engine.reports.report import Known, MoveReport, Reply, Report, Standing, State
from heatmap_engine.reports.walking import coverage_of, line_of
from heatmap_engine.search import SearchSettings, game_history
from qtable import Entry

# Reads the entries that a table has of some keys.
Read = Callable[[Iterable[str]], dict[str, Entry]]


@dataclass(frozen=True, slots=True)
class _Child:
    """A position after a move."""

    uci: str
    position: PackedPosition
    key: str


def report_on(
    board: BoardLike,
    read: Read,
    settings: SearchSettings,
    table: str | None = None,
    *,
    line: bool = False,
    plies: int = 0,
) -> Report:
    """What is known of a position; a board with moves on its stack brings its history along.

    `line` adds the table's principal line, `plies` the coverage so many plies deep. Raises InvalidPosition
    for what is no position, and TableError where the table cannot be read.
    """
    board = as_board(board).copy()
    asked = _Question(board, read, settings)
    over = scoring.terminal(board)
    explanation = scoring.explain(board, settings.heat_depth, settings.weights)
    moves = asked.moves()
    standing = Standing(board.turn, asked.known(asked.key, board.turn), explanation.score, over)
    return Report(
        board=board,
        key=asked.key,
        state=_state(over, standing, moves),
        reason=over,
        standing=standing,
        moves=moves,
        explanation=explanation,
        heat=scoring.heatmap(board, settings.heat_depth),
        king_boxes={color: tuple(scoring.king_box(board, color)) for color in chess.COLORS},
        settings=settings,
        table=table,
        line=line_of(board, read, settings) if line else None,
        coverage=coverage_of(board, read, plies),
    )


def _state(over: str | None, standing: Standing, moves: Iterable[MoveReport]) -> State:
    if over in (State.CHECKMATE, State.STALEMATE):
        return State(over)
    if over is not None:
        return State.DRAWN
    if standing.known is not None or any(move.is_known for move in moves):
        return State.KNOWN
    return State.UNKNOWN


class _Question:
    """One position with its moves and their replies, and what the table has of all of them."""

    def __init__(self, board: chess.Board, read: Read, settings: SearchSettings) -> None:
        self._board = board
        self._settings = settings
        root = pack(board)
        self.key = key_of(root)
        self._history = [*game_history(board), root]
        self._children = _children(root)
        self._replies = [_children(child.position) for child in self._children]
        keys = {child.key for generation in (self._children, *self._replies) for child in generation}
        self._entries = read({self.key, *keys})

    def known(self, key: str, turn: chess.Color) -> Known | None:
        """What the table has of the key of a position in which `turn` is to move."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        value, depth, visits, source, wins, draws, losses, updated = entry
        is_movers = turn == self._board.turn
        return Known(
            q=value if turn == chess.WHITE else -value + 0.0,
            depth=depth,
            visits=visits,
            wins=wins if is_movers else losses,
            draws=draws,
            losses=losses if is_movers else wins,
            source=source,
            updated=updated or 0,
        )

    def moves(self) -> tuple[MoveReport, ...]:
        """All legal moves, the best first."""
        standings = self._standings(self._children, not self._board.turn, self._history)
        reports = []
        for rank, number in enumerate(ranked(standings, self._board.turn), start=1):
            move = chess.Move.from_uci(self._children[number].uci)
            san = self._board.san(move)
            standing = standings[number]
            reply = None if standing.over is not None else self._reply(number, move)
            reports.append(MoveReport(move, san, rank, standing, reply))
        return tuple(reports)

    def _reply(self, number: int, move: chess.Move) -> Reply | None:
        replies = self._replies[number]
        history = [*self._history, self._children[number].position]
        standings = self._standings(replies, self._board.turn, history)
        best = ranked(standings, not self._board.turn)[0]
        reply = chess.Move.from_uci(replies[best].uci)
        self._board.push(move)
        san = self._board.san(reply)
        self._board.pop()
        return Reply(reply, san, standings[best])

    def _standings(
        self, after: Sequence[_Child], turn: chess.Color, history: list[PackedPosition]
    ) -> list[Standing]:
        """What the positions after some moves are worth; `turn` is to move in each."""
        depth, weights = self._settings.heat_depth, self._settings.weights.table
        positions = [child.position for child in after]
        scores = np.empty(len(positions))
        kernel.score_all(positions, depth, weights, scores)
        standings = []
        for child, score in zip(after, scores.tolist(), strict=True):
            end = terminal_score(child.position, history, depth, weights)
            over = None if end is None else scoring.state_in_words(child.position) or scoring.REPETITION
            static = score if end is None else end
            standings.append(Standing(self._board.turn, self.known(child.key, turn), static, over))
        return standings


def _children(position: PackedPosition) -> list[_Child]:
    return [_Child(uci, child, key_of(child)) for uci, child in children(position)]


def ranked(standings: Sequence[Standing], turn: chess.Color) -> list[int]:
    """The numbers of the standings, the best first for `turn`.

    What the table knows comes before what it does not: a score without looking ahead cannot be compared
    with a value that rests on it. Where the game is over counts as known, if anything is.
    """
    sign = -1 if turn == chess.WHITE else 1
    is_any_known = any(standing.known is not None for standing in standings)

    def place(number: int) -> tuple[bool, float]:
        standing = standings[number]
        is_settled = standing.known is not None or standing.over is not None
        return is_any_known and not is_settled, sign * standing.value

    return sorted(range(len(standings)), key=place)
