"""A game of the engine against itself or an opponent: it explores, is walked backwards, and handed back.

What one worker does, on anything that knows values; it writes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

import chess

from games.chess.openings import Opening
from games.chess.record import RANDOM, GameRecord, Scalar
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import ModeSettings
from heatmap_engine.learning.exploring import EPSILON, UCB, RandomMoves, thinking, tree_player
from heatmap_engine.learning.opponents import Opponents
from heatmap_engine.limits import Limits
from heatmap_engine.memory.game_results import LEARNER
from heatmap_engine.memory.lesson import Learned, Lesson
from heatmap_engine.memory.read_once import ReadOnce
from heatmap_engine.memory.views import EntrySource, View
from heatmap_engine.memory.walk import Walk
from heatmap_engine.players.game_loop import Ends, PlayedMoves, Player, play_game
from heatmap_engine.players.sides import Side, described
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
    explore: str = EPSILON
    """How games come to differ: by random moves or by what the tree of results promises."""


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
    opponent: Side | None = None
    """Who plays the other side; None where the engine plays both."""
    learner: chess.Color | None = None
    """The engine's side where there is an opponent."""

    @property
    def place(self) -> str:
        return f"game {self.number}"


class SelfPlay:
    """Plays and learns games on a table as it is at that moment, each with what it found itself over it."""

    def __init__(self, table: EntrySource) -> None:
        self._table = table
        self._opponents = Opponents()

    def __call__(self, game: SelfPlayGame) -> Learned:
        table = ReadOnce(self._table)
        view = View(table)
        settings = game.settings
        # Of the seed and the number, not of a source that goes on: games are played in any order, by anyone.
        random = Random(f"{settings.seed} {game.number}")
        engine = Engine(view, settings=settings.search, random=random)
        reanalysis = engine.reanalysis(settings.search)
        played = self._played(game, engine, view, random)
        lesson = Lesson(_record(game, played), reanalysis, table, walks=settings.walks, view=view)
        return lesson.go_on().with_figures(_measured(engine.mode.unit, played, lesson.walks))

    def _played(self, game: SelfPlayGame, engine: Engine, view: View, random: Random) -> PlayedMoves:
        white, black = _players(game, engine, view, random)
        if game.opponent is None:
            return play_game(game.opening, white, black, game.settings.ends)
        opponent = self._opponents.player(game.opponent, random)
        if game.learner == chess.WHITE:
            black = opponent
        else:
            white = opponent
        played = play_game(game.opening, white, black, game.settings.ends)
        return played if opponent.fault is None else replace(played, result="*")

    def close(self) -> None:
        """Let go of the opponents."""
        self._opponents.close()


def _players(game: SelfPlayGame, engine: Engine, view: View, random: Random) -> tuple[Player, Player]:
    settings = game.settings
    seconds = None if settings.movetime_ms is None else settings.movetime_ms / 1000
    limits = Limits(seconds=seconds, nodes=settings.nodes)
    if settings.explore == UCB:
        return tree_player(engine, view, limits, random), tree_player(engine, view, limits, random)
    think = thinking(engine, limits)
    unit: Unit = engine.mode.unit
    white, black = (
        RandomMoves(think, unit, random, epsilon) for epsilon in (game.epsilon_white, game.epsilon_black)
    )
    return white, black


def _record(game: SelfPlayGame, played: PlayedMoves) -> GameRecord:
    opening = game.opening
    names = {chess.WHITE: NAME, chess.BLACK: NAME}
    if game.opponent is not None:
        names[not game.learner] = game.opponent.name
    tags = {"Opening": opening.name, **({"ECO": opening.eco} if opening.eco else {})}
    return GameRecord.from_board(
        played.board,
        result=played.result,
        termination=played.termination,
        event=EVENT,
        date=game.date,
        round=str(game.number),
        white=names[chess.WHITE],
        black=names[chess.BLACK],
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
        **_explored(game),
        **_opposed(game),
    }


def _explored(game: SelfPlayGame) -> dict[str, Scalar]:
    if game.settings.explore == UCB:
        return {"explore": UCB}
    return {
        "epsilon_white": round(game.epsilon_white, 6),
        "epsilon_black": round(game.epsilon_black, 6),
    }


def _opposed(game: SelfPlayGame) -> dict[str, Scalar]:
    """Who learned, and whom from; nothing where the engine played both sides."""
    if game.opponent is None or game.learner is None:
        return {}
    return {LEARNER: chess.COLOR_NAMES[game.learner], "opponent": described(game.opponent)}


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
