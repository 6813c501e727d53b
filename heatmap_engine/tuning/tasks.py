"""What the workers of a tuning run do: games to learn from, and paired games; see also tasks_of_others.py.

A task says all that its outcome depends on, so that it comes to the same on any machine and in any order.
"""

import time
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, TypeAlias

from games.chess.openings import Opening
from heatmap_engine.tuning.lone_king import lone_king, play_to_mate
from heatmap_engine.tuning.players import Searches, TuneSide, play_pair
from heatmap_engine.tuning.training_games import DeepGame, Moment, play_deep_game

Line: TypeAlias = dict[str, Any]
"""What became of a task, as it is written down: plain data."""

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
