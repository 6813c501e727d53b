"""Tasks that look through what exists already: finished games, what a table learned of games, and its rows.

None of them depends on weights, so that a source is read alike whatever is learned from it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from games.chess.journal import LearnedGame
from games.chess.record import WHITES_POINTS, GameRecord
from heatmap_engine.board.keys import board_of
from heatmap_engine.deep.settings import expected_points
from heatmap_engine.tuning.learned_games import training_game
from heatmap_engine.tuning.players import Searches
from heatmap_engine.tuning.tasks import Line, line_of_game
from heatmap_engine.tuning.training_games import DeepGame, Moment, is_quiet
from qtable import Entry, JournalLine

# So many finished games, or entries of a table, are one task.
GAMES, ENTRIES = 20, 2000
_FROM_PLY = 8
# A row's value counts as much as so many games through it.
_OF_VALUE = 3


@dataclass(frozen=True)
class GamesOfOthers:
    """Finished games to look through for positions where nothing was about to be taken."""

    number: int
    records: tuple[GameRecord, ...]

    games = 0

    @property
    def key(self) -> str:
        return f"games {self.number}"

    @property
    def place(self) -> str:
        return self.key

    def line(self, searches: Searches) -> Line:
        found = map(game_of_results, self.records)
        return {"number": self.number, "read": [line_of_game(game) for game in found]}


@dataclass(frozen=True)
class GamesOfTable:
    """Games of a table's journal, with what was learned of their positions."""

    number: int
    lines: tuple[JournalLine, ...]

    games = 0

    @property
    def key(self) -> str:
        return f"learned games {self.number}"

    @property
    def place(self) -> str:
        return self.key

    def line(self, searches: Searches) -> Line:
        learned = map(LearnedGame.from_line, self.lines)
        return {"number": self.number, "learned": [found for game in learned for found in _learned(game)]}


def _learned(learned: LearnedGame) -> Iterator[Line]:
    """What the fit takes from a game of a journal; nothing where neither result nor steps say anything."""
    record = learned.record
    if learned.steps:
        game = training_game(learned)
    elif record.judges_position:
        game = game_of_results(record)
    else:
        return
    yield {
        **line_of_game(game),
        "says": record.judges_position,
        "searched": bool(learned.steps),
        "weights": str(learned.settings.get("weights", "?")),
    }


def game_of_results(record: GameRecord) -> DeepGame:
    """A game of which nothing is known but its moves and its result."""
    return DeepGame(tuple(_quiet_moments(record)), WHITES_POINTS[record.result])


def _quiet_moments(record: GameRecord) -> Iterator[Moment]:
    """The positions after the opening that are no check, before moves that neither take nor promote."""
    board = record.board(check=False)
    moves = [*board.move_stack]
    board = board.root()
    for ply, move in enumerate(moves):
        if ply >= _FROM_PLY and is_quiet(board, move):
            yield Moment(board.fen(en_passant="fen"), 0)
        board.push(move)


@dataclass(frozen=True)
class ValuesOfTable:
    """Entries of a deep table, with values for the side to move; kept where there is nothing to take.

    With `counts_results` the games that went through a position have a say beside its value.
    """

    number: int
    entries: tuple[tuple[str, Entry], ...]
    counts_results: bool = False

    games = 0

    @property
    def key(self) -> str:
        return f"entries {self.number}"

    @property
    def place(self) -> str:
        return self.key

    def line(self, searches: Searches) -> Line:
        boards = ((board_of(key), entry) for key, entry in self.entries)  # with White to move
        known = [[board.fen(), round(self._expected(entry), 5)] for board, entry in boards if _is_calm(board)]
        return {"number": self.number, "known": known}

    def _expected(self, entry: Entry) -> float:
        expected = expected_points(entry.value)
        if not self.counts_results:
            return expected
        games = entry.wins + entry.draws + entry.losses
        return (_OF_VALUE * expected + entry.wins + entry.draws / 2) / (_OF_VALUE + games)


def _is_calm(board: chess.Board) -> bool:
    """Whether the side to move has moves, is not in check, and can take nothing."""
    return not board.is_check() and any(board.legal_moves) and not any(board.generate_legal_captures())
