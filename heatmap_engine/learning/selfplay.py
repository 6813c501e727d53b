"""A game of the engine against itself: played with some random moves, walked backwards, handed back.

What one worker does, on anything that knows values; it writes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import chess

from games.chess.openings import Opening
from games.chess.record import RANDOM, GameRecord, Scalar
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import ModeSettings, mode_of
from heatmap_engine.learning.game_loop import Choice, Ends, PlayedMoves, eval_comment, play_game
from heatmap_engine.limits import Limits
from heatmap_engine.memory.lesson import Learned, Lesson
from heatmap_engine.memory.views import EntrySource, View
from heatmap_engine.memory.walk import Walk
from heatmap_engine.winning_chances import Unit

EVENT = "Heatmap Engine self-play"
NAME = "Heatmap Engine"


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How every game of a run is played and learned."""

    run: str
    seed: int
    search: ModeSettings
    movetime_ms: int | None
    """With a time, picks look deeper than `search` says until it has passed; walks do not."""
    ends: Ends
    walks: int
    nodes: int | None = None
    """How many nodes a pick may take."""


@dataclass(frozen=True, slots=True)
class SelfPlayGame:
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


# All legal moves, the pick first.
Think = Callable[[chess.Board], Sequence[Choice]]


class Explorer:
    """Our engine, which at every move plays a random one instead of its pick with probability `epsilon`."""

    def __init__(self, think: Think, random: Random, epsilon: float) -> None:
        self._think = think
        self._random = random
        self._epsilon = epsilon

    def choose(self, board: chess.Board) -> Choice:
        """The engine picks either way: the value that it sees now is the one that learning changes."""
        choices = self._think(board)
        if self._random.random() >= self._epsilon:
            return choices[0]
        choice = self._random.choice(choices)
        return replace(choice, comment=f"{choice.comment} {RANDOM}".lstrip())


class SelfPlay:
    """Plays and learns games on a table as it is at that moment, each with what it found itself over it."""

    def __init__(self, table: EntrySource) -> None:
        self._table = table

    def __call__(self, game: SelfPlayGame) -> Learned:
        view = View(self._table)
        played = _played(game, view)
        settings = game.settings
        mode = mode_of(settings.search)
        reanalysis = mode.reanalysis(settings.search)
        lesson = Lesson(_record(game, played), reanalysis, self._table, walks=settings.walks, view=view)
        return lesson.go_on().with_figures(_measured(mode.unit, played, lesson.walks))


def _played(game: SelfPlayGame, view: View) -> PlayedMoves:
    settings = game.settings
    # Of the seed and the number, not of a source that goes on: games are played in any order, by anyone.
    random = Random(f"{settings.seed} {game.number}")
    think = _thinking(settings, view, random)
    white, black = (Explorer(think, random, epsilon) for epsilon in (game.epsilon_white, game.epsilon_black))
    return play_game(game.opening, white, black, settings.ends)


def _thinking(settings: PlaySettings, view: View, random: Random) -> Think:
    """Our engine: its pick first, then the other moves."""
    engine = Engine(view, settings=settings.search, random=random)
    unit = engine.mode.unit
    seconds = None if settings.movetime_ms is None else settings.movetime_ms / 1000
    limits = Limits(seconds=seconds, nodes=settings.nodes)

    def think(board: chess.Board) -> Sequence[Choice]:
        pick = engine.pick_move(board, limits, tells_lines=False)
        legal = list(board.legal_moves)
        # Where only some scores are known, random moves would agree with the other side's now and then.
        known = pick.candidates if len(pick.candidates) == len(legal) else pick.candidates[:1]
        choices = [Choice(each.move, each.score, eval_comment(unit.centipawns(each.score))) for each in known]
        return choices + [Choice(move) for move in legal if all(move != each.move for each in known)]

    return think


def _record(game: SelfPlayGame, played: PlayedMoves) -> GameRecord:
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


def _settings(game: SelfPlayGame) -> dict[str, Scalar]:
    settings: dict[str, Scalar] = {**game.settings.search.learner}
    for name in ("movetime_ms", "nodes"):
        if getattr(game.settings, name) is not None:
            settings[name] = getattr(game.settings, name)
    ends = game.settings.ends
    return settings | {
        "max_plies": ends.max_plies,
        "adjudicated": ends.adjudication is not None,
        "seed": game.settings.seed,
        "epsilon_white": round(game.epsilon_white, 6),
        "epsilon_black": round(game.epsilon_black, 6),
    }


def _measured(unit: Unit, played: PlayedMoves, walks: list[Walk]) -> Mapping[str, Scalar]:
    """What learning this game came to: how far the walks have moved the values that the players saw."""
    before_and_after = [
        (first.old_value, last.new_value)
        for first, last in zip(walks[0].steps, walks[-1].steps, strict=True)
        if first.old_value is not None
    ]
    # Beside values of hundreds a mate, which counts thousands, would be all.
    changes = [abs(new - old) for old, new in before_and_after if not any(map(unit.is_mate, (old, new)))]
    point_changes = [
        abs(unit.expected_points(new) - unit.expected_points(old)) for old, new in before_and_after
    ]
    return {
        "random_moves": sum(choice.comment.endswith(RANDOM) for choice in played.choices),
        "value_change": _mean(changes),
        "points_change": _mean(point_changes),
        "picks_changed": sum(
            first.old_pick not in (None, last.new_pick)
            for first, last in zip(walks[0].steps, walks[-1].steps, strict=True)
        ),
    }


def _mean(numbers: list[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None
