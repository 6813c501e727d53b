"""Learning patterns from the games of a table's journal, all together, every so many games.

Nothing is kept but the outcome, a note of the table: what the journal holds is learned, each game once,
however often a writer was killed on the way and whoever played it.
"""

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from zlib import crc32

import chess
import numpy as np

from games.chess.journal import LearnedGame
from games.chess.record import RANDOM, WHITES_POINTS
from heatmap_engine.board.reading import pack
from heatmap_engine.classic.pattern_fit import Samples, fit
from heatmap_engine.classic.patterns import (
    NOTE,
    Patterns,
    greatest_threats,
    patterns_of,
    piece_values,
    square_extremes,
)
from heatmap_engine.classic.settings import ClassicSettings, settings_of_game
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.classic.patterns import PATTERN_COUNT
from heatmap_engine.winning_chances import expected_points
from qtable import JournalLine, QTable
from qtable.errors import TableBusy

# Every so many games they are learned anew, later less often: when one game in so many is new.
ROUND = 250
_ONE_NEW_IN = 20
# At the end of a batch it is enough that one in so many is.
_ONE_NEW_AT_THE_END_IN = 100
# With fewer games in all, their chances would be taken for knowledge.
_FEWEST_GAMES = 50
# A game that was played a quarter of all games ago counts half, but at least those of the last round count:
# the engine that played it had other patterns.
_HALF_AFTER = 1 / 4
# So many positions are kept in memory, some 130 bytes each, fewer of those that count less.
_MOST_POSITIONS = 600_000
# How much of what a position is learned to be worth comes from those after it, and at last the result.
_TRACE = 0.98
# Before a random move that gives away more expected points than this, the moves after it teach nothing.
_MOST_GIVEN_AWAY = 0.15


class _Lot:
    """The positions of one round of games, or about one in so many of them."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples
        self.step = 1

    def thin(self, share_of_all: float) -> None:
        """Keep so many positions as are due to this share; each stands for the others then."""
        while len(self.samples) > share_of_all * _MOST_POSITIONS:
            self.samples = self.samples.every(2)
            self.step *= 2


class PatternLearner:
    """Learns the patterns of one table, whose one writer holds it."""

    def __init__(self, table: QTable) -> None:
        self._table = table
        self._settings = _settings_of(table)
        self._lots: list[_Lot] = []

    def game_recorded(self) -> None:
        """Learn, if enough games have come in since the last time."""
        games = self._table.journal_length()
        if self._new(games) >= max(ROUND, games // _ONE_NEW_IN):
            self.learn()

    def finish(self) -> None:
        """Learn from the games that have come in since the last time, unless they are few among many."""
        games = self._table.journal_length()
        new = self._new(games)
        if new < 0 or new > games // _ONE_NEW_AT_THE_END_IN:
            self.learn()

    def _new(self, games: int) -> int:
        """How many games have come in since the last time; less than 0 where some were forgotten."""
        return 0 if self._settings is None else games - self._games_learned()

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
            f"attacks and passed pawns that count most: {', '.join(greatest_threats(known))}",
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
        shares = [share * lot.step for share, lot in zip(_shares(len(lots)), lots, strict=True)]
        return Patterns(fit([lot.samples for lot in lots], shares, start), games)

    def _games_learned(self) -> int:
        known = patterns_of(self._table)
        return 0 if known is None else known.games

    def _samples(self, games: int) -> list[_Lot]:
        """The samples of all games, a lot for each whole round and one for the games of the last."""
        whole, rest = divmod(games, ROUND)
        shares = _shares(whole + (rest > 0))
        lines = self._table.journal(skip=len(self._lots) * ROUND)
        for number in range(whole):
            if number == len(self._lots):
                self._lots.append(_Lot(self._read(islice(lines, ROUND))))
            self._lots[number].thin(shares[number] / sum(shares))
        return [*self._lots, *([_Lot(self._read([*lines]))] if rest else [])]

    def _read(self, lines: "Sequence[JournalLine] | islice[JournalLine]") -> Samples:
        positions: list[PackedPosition] = []
        expected: list[float] = []
        draws: list[int] = []
        for line in lines:
            # One in so many of them lie evenly in a game, and where they begin is the game's own.
            first = crc32(line.id.encode())
            for place, (position, worth) in enumerate(samples_of(LearnedGame.from_line(line)), first):
                positions.append(position)
                expected.append(worth)
                draws.append(place & 0xFFFFFFFF)
        assert self._settings is not None
        settings = self._settings
        return Samples.of(positions, expected, settings.heat_depth, settings.weights.table, draws)


def _shares(lots: int) -> list[float]:
    """How much each lot counts, the last one counting 1."""
    rounds_to_half = max(1.0, lots * _HALF_AFTER)
    return [0.5 ** ((lots - 1 - number) / rounds_to_half) for number in range(lots)]


def _settings_of(table: QTable) -> ClassicSettings | None:
    """How the table's positions are scored; None with weights that only the program knows that made them."""
    try:
        return settings_of_game({}, table.settings)
    except InvalidSettings:
        return None


def samples_of(game: LearnedGame) -> list[tuple[PackedPosition, float]]:
    """The positions of a game without those in check, and what each is learned to be worth to White.

    That is nearly what the next one is worth, and a little what learning the game found it to be worth. What
    a random move has given away is given back; after one that gave away much the next position says nothing.
    After them come positions that the game did not go to, each worth what the walk found there: such as
    searches meet them, where somebody has just left a piece to be taken.
    """
    record = game.record
    if not game.steps:
        return []
    board = record.board(check=False)  # checked when the game was learned
    found_next = expected = expected_points(game.steps[-1].new_value)
    if record.judges_position:
        expected = WHITES_POINTS[record.result]
    comments = [*record.comments, *[""] * len(record.moves)]
    samples, others = [], []
    for step, comment in zip(reversed(game.steps), reversed(comments[: len(game.steps)]), strict=True):
        board.pop()
        found, trace = expected_points(step.new_value), _TRACE
        if comment.endswith(RANDOM):
            given_away = found - found_next
            expected = min(1.0, max(0.0, expected + given_away))
            trace = _TRACE if abs(given_away) <= _MOST_GIVEN_AWAY else 0.0
        expected = (1 - trace) * found + trace * expected
        found_next = found
        if not board.is_check():
            samples.append((pack(board), expected))
        if (position := _after(board, step.other_move)) is not None:
            others.append((position, expected_points(step.other_value)))
    return samples + others


def _after(board: chess.Board, name: str | None) -> PackedPosition | None:
    """The position after this move, if there is one and the game goes on quietly there."""
    if name is None:
        return None
    move = chess.Move.from_uci(name)
    if not board.is_legal(move):
        return None
    board.push(move)
    is_quiet = not board.is_check() and any(board.generate_legal_moves())
    position = pack(board) if is_quiet else None
    board.pop()
    return position
