"""A game of the engine against itself: played with some random moves, walked backwards, handed back.

What one worker does, on anything that knows values; it writes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import chess

from games.openings import Opening
from games.record import GameRecord, Scalar
from heatmap_engine.engine import Engine, Limits
from heatmap_engine.learning.playing import Choice, Ends, PlayedMoves, eval_comment, play_game
from heatmap_engine.learning.tasks import FinishedGame, GameToLearn, finished, walk_game
from heatmap_engine.learning.walk import View, Walk
from heatmap_engine.memory import Known
from heatmap_engine.search import SearchSettings
from heatmap_engine.winning_chances import expected_points

EVENT = "Heatmap Engine self-play"
NAME = "Heatmap Engine"
RANDOM = "random"


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How every game of a run is played and learned."""

    run: str
    seed: int
    search: SearchSettings
    movetime_ms: int | None
    """With a time, picks look deeper than `search` says until it has passed; walks do not."""
    ends: Ends
    walks: int


@dataclass(frozen=True, slots=True)
class GameToPlay:
    """One game of a run. The same number, seed and table make the same game, unless a clock is in it."""

    number: int
    """Counts the games of the run from 1: the PGN's Round."""
    opening: Opening
    epsilon_white: float
    epsilon_black: float
    date: str
    """As in a PGN."""
    settings: PlaySettings

    @property
    def place(self) -> str:
        return f"game {self.number}"


class Explorer:
    """Our engine, which at every move plays a random one instead of its pick with probability `epsilon`."""

    def __init__(self, engine: Engine, limits: Limits, random: Random, epsilon: float) -> None:
        self._engine = engine
        self._limits = limits
        self._random = random
        self._epsilon = epsilon

    def choose(self, board: chess.Board) -> Choice:
        """The engine picks either way: the value that it sees now is the one that learning changes."""
        pick = self._engine.pick_move(board, self._limits)
        if self._random.random() >= self._epsilon:
            return Choice(pick.move, pick.score, eval_comment(pick.score))
        candidate = self._random.choice(pick.candidates)
        return Choice(candidate.move, candidate.score, f"{eval_comment(candidate.score)} {RANDOM}")


class SelfPlay:
    """Plays and walks games on a table as it is at that moment, each with what it found itself over it."""

    def __init__(self, table: Known) -> None:
        self._table = table

    def __call__(self, game: GameToPlay) -> FinishedGame:
        view = View(self._table)
        played = _played(game, view)
        task = GameToLearn(_record(game, played), game.settings.search, walks=game.settings.walks)
        walks = walk_game(task, self._table, view)
        return finished(task, view, walks, _measured(played, walks))


def _played(game: GameToPlay, view: View) -> PlayedMoves:
    settings = game.settings
    # Of the seed and the number, not of a source that goes on: games are played in any order, by anyone.
    random = Random(f"{settings.seed} {game.number}")
    search = settings.search
    engine = Engine(
        view, search.plies, search.tactical_plies, search.heat_depth, search.weights, random=random
    )
    seconds = None if settings.movetime_ms is None else settings.movetime_ms / 1000
    white, black = (
        Explorer(engine, Limits(seconds=seconds), random, epsilon)
        for epsilon in (game.epsilon_white, game.epsilon_black)
    )
    return play_game(game.opening, white, black, settings.ends)


def _record(game: GameToPlay, played: PlayedMoves) -> GameRecord:
    opening = game.opening
    tags = {"Opening": opening.name, **({"ECO": opening.eco} if opening.eco else {})}
    return GameRecord.from_board(
        played.board,
        result=played.result,
        termination=played.termination,
        event=EVENT,
        date=game.date,
        round=str(game.number),
        white=NAME,
        black=NAME,
        run=game.settings.run,
        tags=tags,
        settings=_settings(game),
        comments=played.comments,
    )


def _settings(game: GameToPlay) -> dict[str, Scalar]:
    settings: dict[str, Scalar] = {**game.settings.search.learner}
    if game.settings.movetime_ms is not None:
        settings["movetime_ms"] = game.settings.movetime_ms
    ends = game.settings.ends
    return settings | {
        "max_plies": ends.max_plies,
        "adjudicated": ends.adjudication is not None,
        "seed": game.settings.seed,
        "epsilon_white": round(game.epsilon_white, 6),
        "epsilon_black": round(game.epsilon_black, 6),
    }


def _measured(played: PlayedMoves, walks: list[Walk]) -> Mapping[str, Scalar]:
    """What learning this game came to: how far the walks have moved the values that the players saw."""
    before_and_after = [
        (first.old_value, last.new_value)
        for first, last in zip(walks[0].steps, walks[-1].steps, strict=True)
        if first.old_value is not None
    ]
    changes = [abs(new - old) for old, new in before_and_after]
    point_changes = [abs(expected_points(new) - expected_points(old)) for old, new in before_and_after]
    return {
        "random_moves": sum(choice.comment.endswith(RANDOM) for choice in played.choices),
        "value_change": _mean(changes),
        "points_change": _mean(point_changes),
        "picks_changed": sum(
            first.old_pick not in (None, last.new_pick)
            for first, last in zip(walks[0].steps, walks[-1].steps, strict=True)
        ),
    }


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
