"""Learning patterns from the games of a table's journal, all together, every so many games.

Nothing is kept but the outcome, a note of the table: what the journal holds is learned, each game once,
however often a writer was killed on the way and whoever played it.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

import numpy as np

from games.chess.journal import LearnedGame
from games.chess.record import RANDOM, WHITES_POINTS
from heatmap_engine.board.reading import pack
from heatmap_engine.classic.pattern_fit import Samples, fit
from heatmap_engine.classic.patterns import NOTE, Patterns, patterns_of, piece_values, square_extremes
from heatmap_engine.classic.settings import ClassicSettings, settings_of_game
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.classic.patterns import PATTERN_COUNT
from heatmap_engine.winning_chances import expected_points
from qtable import JournalLine, QTable
from qtable.errors import TableBusy

# Every so many games they are learned anew, and games that are older by so many count half as much.
ROUND = 250
# With fewer games in all, their chances would be taken for knowledge.
_FEWEST_GAMES = 50
# Older games count less than a hundredth.
_ROUNDS_KEPT = 8
# How much of what a position is learned to be worth comes from those after it, and at last the result.
_TRACE = 0.9


class PatternLearner:
    """Learns the patterns of one table, whose one writer holds it."""

    def __init__(self, table: QTable) -> None:
        self._table = table
        self._settings = _settings_of(table)
        self._lots: deque[Samples] = deque(maxlen=_ROUNDS_KEPT)
        self._rounds_read = 0

    def game_recorded(self) -> None:
        """Learn, if enough games have come in since the last time."""
        if self._settings is not None and self._table.journal_length() - self._games_learned() >= ROUND:
            self.learn()

    def finish(self) -> None:
        """Learn from the games that have come in since the last time, however few."""
        if self._settings is not None and self._table.journal_length() != self._games_learned():
            self.learn()

    def described(self) -> list[str]:
        known = patterns_of(self._table)
        if known is None:
            return []
        pieces = ", ".join(f"{name} {value:+.0f}" for name, value in piece_values(known).items())
        best, worst = (", ".join(squares) for squares in square_extremes(known))
        return [
            f"{len(known)} patterns, learned from {known.games:,} games; what pieces are worth: {pieces}",
            f"best squares: {best}",
            f"worst squares: {worst}",
        ]

    def learn(self) -> None:
        """Learn from the journal as it is now; where another process writes meanwhile, the next call does."""
        learned = self._learned()
        text = None if learned is None else learned.to_text()
        if text is not None or self._table.note_stamp(NOTE) is not None:
            with suppress(TableBusy):
                self._table.set_note(NOTE, text)

    def _learned(self) -> Patterns | None:
        with self._table.snapshot():
            games = self._table.journal_length()
            if games < _FEWEST_GAMES:
                return None
            lots = self._samples(games)
        known = patterns_of(self._table)
        start = np.zeros(PATTERN_COUNT) if known is None else known.values
        shares = [0.5 ** (len(lots) - 1 - number) for number in range(len(lots))]
        return Patterns(fit(lots, shares, start), games)

    def _games_learned(self) -> int:
        known = patterns_of(self._table)
        return 0 if known is None else known.games

    def _samples(self, games: int) -> list[Samples]:
        """The samples of the latest games, a lot for each whole round and one for the games of the last."""
        whole = games // ROUND
        first = max(self._rounds_read, whole - _ROUNDS_KEPT)
        lines = self._table.journal(skip=first * ROUND)
        for _ in range(first, whole):
            self._lots.append(self._read(islice(lines, ROUND)))
        self._rounds_read = max(whole, self._rounds_read)
        rest = [*lines]
        return [*self._lots, *([self._read(rest)] if rest else [])]

    def _read(self, lines: "Sequence[JournalLine] | islice[JournalLine]") -> Samples:
        positions: list[PackedPosition] = []
        expected: list[float] = []
        for line in lines:
            for position, worth in samples_of(LearnedGame.from_line(line)):
                positions.append(position)
                expected.append(worth)
        assert self._settings is not None
        return Samples.of(positions, expected, self._settings.heat_depth, self._settings.weights.table)


def _settings_of(table: QTable) -> ClassicSettings | None:
    """How the table's positions are scored; None with weights that only the program knows that made them."""
    try:
        return settings_of_game({}, table.settings)
    except InvalidSettings:
        return None


def samples_of(game: LearnedGame) -> list[tuple[PackedPosition, float]]:
    """The positions of a game without those in check, and what each is learned to be worth to White.

    That is mostly what the next one is worth, and a little what learning the game found it to be worth.
    After a random move the next one says nothing.
    """
    record = game.record
    if not game.steps:
        return []
    board = record.board(check=False)  # checked when the game was learned
    expected = expected_points(game.steps[-1].new_value)
    if record.judges_position:
        expected = WHITES_POINTS[record.result]
    comments = [*record.comments, *[""] * len(record.moves)]
    found = []
    for step, comment in zip(reversed(game.steps), reversed(comments[: len(game.steps)]), strict=True):
        board.pop()
        trace = 0.0 if comment.endswith(RANDOM) else _TRACE
        expected = (1 - trace) * expected_points(step.new_value) + trace * expected
        if not board.is_check():
            found.append((pack(board), expected))
    return found
