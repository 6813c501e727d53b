"""What the workers of a tuning run do: games to learn from, games of others to look through, paired games.

A task says all that its outcome depends on, so that it comes to the same on any machine and in any order.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, TypeAlias

import chess

from games.chess.openings import Opening
from games.chess.record import WHITES_POINTS, GameRecord
from heatmap_engine.board.keys import board_of
from heatmap_engine.deep.settings import expected_points
from heatmap_engine.tuning.lone_king import lone_king, play_to_mate
from heatmap_engine.tuning.players import Searches, TuneSide, play_pair
from heatmap_engine.tuning.training_games import DeepGame, Moment, is_quiet, play_deep_game

Line: TypeAlias = dict[str, Any]
"""What became of a task, as it is written down: plain data."""

# So many finished games, or entries of a table, are one task.
GAMES, ENTRIES = 20, 2000
_FROM_PLY = 8
_STRIDE = 3


class TuneTask(Protocol):
    """Something to do in a round; no two of a round have the same key."""

    @property
    def key(self) -> str: ...

    @property
    def place(self) -> str: ...

    @property
    def games(self) -> int:
        """How many games it plays."""
        ...

    def line(self, searches: Searches) -> Line: ...


class Work:
    """Does tasks in one process, and measures what they cost it."""

    def __init__(self) -> None:
        self._searches = Searches()

    def __call__(self, task: TuneTask) -> Line:
        begin = time.process_time()
        line = task.line(self._searches)
        seconds = round(time.process_time() - begin, 4)
        return {"key": task.key, "games": task.games, "seconds": seconds, **line}


@dataclass(frozen=True)
class SelfPlayGame:
    """A game of a player against itself; the number makes it another one than all others of the run."""

    round: int
    number: int
    opening: Opening
    player: TuneSide
    nodes: int
    random_plies: int
    seed: int
    epsilon: float

    games = 1

    @property
    def key(self) -> str:
        return f"game {self.number}"

    @property
    def place(self) -> str:
        return f"round {self.round}, {self.key}"

    def line(self, searches: Searches) -> Line:
        rng = Random(f"{self.seed} {self.round} {self.number}")
        board = self.opening.board()
        plies = rng.randint(0, self.random_plies)
        search = searches.of(self.player)
        is_blind = self.player.is_blind
        game = play_deep_game(search, board, self.nodes, plies, rng, epsilon=self.epsilon, is_blind=is_blind)
        moves = " ".join(move.uci() for move in board.move_stack)
        return {"number": self.number, "start": self.opening.start, "moves": moves, **line_of_game(game)}


@dataclass(frozen=True)
class LoneKingGame:
    """A game of a player against itself from a position in which one side has only its king, to the mate."""

    round: int
    number: int
    player: TuneSide
    nodes: int
    seed: int

    games = 1

    @property
    def key(self) -> str:
        return f"lone king {self.number}"

    @property
    def place(self) -> str:
        return f"round {self.round}, {self.key}"

    def line(self, searches: Searches) -> Line:
        board = lone_king(Random(f"{self.seed} {self.round} lone {self.number}"))
        known = play_to_mate(searches.of(self.player), board, self.nodes)
        return {"number": self.number, "start": board.root().fen(), "lone": known}


@dataclass(frozen=True)
class GamesOfOthers:
    """Finished games to look through for positions where nothing was about to be taken.

    Which positions these are does not depend on weights, of which a run may have none yet.
    """

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
        found = [
            DeepGame(tuple(_quiet_moments(record)), WHITES_POINTS[record.result]) for record in self.records
        ]
        return {"number": self.number, "read": [line_of_game(game) for game in found]}


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
    """Entries of a deep table, keys with values for the side to move; kept where there is nothing to take."""

    number: int
    entries: tuple[tuple[str, float], ...]

    games = 0

    @property
    def key(self) -> str:
        return f"entries {self.number}"

    @property
    def place(self) -> str:
        return self.key

    def line(self, searches: Searches) -> Line:
        boards = ((board_of(key), value) for key, value in self.entries)  # with White to move
        known = [
            [board.fen(), round(expected_points(value), 5)] for board, value in boards if _is_calm(board)
        ]
        return {"number": self.number, "known": known}


def _is_calm(board: chess.Board) -> bool:
    """Whether the side to move has moves, is not in check, and can take nothing."""
    return not board.is_check() and any(board.legal_moves) and not any(board.generate_legal_captures())


@dataclass(frozen=True)
class Pair:
    """Two games of two players from one opening; `match` says which match they belong to."""

    match: str
    number: int
    opening: Opening
    first: TuneSide
    second: TuneSide
    nodes: int
    seed: int

    games = 2

    @property
    def key(self) -> str:
        return f"{self.match}, pair {self.number}"

    @property
    def place(self) -> str:
        return self.key

    def line(self, searches: Searches) -> Line:
        nodes = self.nodes, self.nodes
        seed = f"{self.seed} pair {self.number}"
        points = play_pair(searches, self.first, self.second, self.opening, nodes, seed)
        return {"match": self.match, "number": self.number, "points": points}


def places_of(number: int) -> slice:
    """Which positions learn from a game's result: every third, as neighbours share most of what they show."""
    return slice(number % _STRIDE, None, _STRIDE)


def line_of_game(game: DeepGame) -> Line:
    return {
        "result": game.result,
        "values": [moment.value for moment in game.moments],
        "positions": [moment.position for moment in game.moments],
        "strays": [place for place, moment in enumerate(game.moments) if moment.is_stray],
    }


def game_of_line(line: Line) -> DeepGame:
    strays = {*line["strays"]}
    moments = zip(line["positions"], line["values"], strict=True)
    return DeepGame(
        tuple(Moment(*moment, place in strays) for place, moment in enumerate(moments)), line["result"]
    )
