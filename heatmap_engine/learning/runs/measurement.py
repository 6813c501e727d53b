"""What is measured of each game of a run, as one line; all of it is in the table's journal as well."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import chess

from games.chess.journal import LearnedGame
from games.chess.record import WHITES_POINTS, GameRecord, Scalar
from heatmap_engine.errors import InvalidRun
from heatmap_engine.memory.game_results import learner_of
from qtable.json_input import MISSHAPEN, parse_json_object


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMeasurement:
    """One game in numbers. None stands where a journal that was rebuilt no longer says it, or nothing was."""

    game: int
    """The game's number in the run, its Round."""
    id: str
    result: str
    termination: str
    plies: int
    """Of the whole game, the opening's with them."""
    epsilon_white: float | None
    epsilon_black: float | None
    random_moves: int | None
    value_change: float | None
    """Mean absolute change of the values of the game's positions, in the mode's unit: the learning signal.

    The old value is what the players saw, the new one what the walk recorded. Mates are worth thousands; in
    deep mode, where they are worth 31,000, they are left out.
    """
    points_change: float | None
    """The same as a change of expected points, where a mate is not worth more than 1."""
    picks_changed: int | None
    """Positions of the game at which another move is now the best known one."""
    new: int | None
    changed: int | None
    """Entries that the table did not have before this game, and those that it had."""
    entries: int | None
    table_bytes: int | None
    """The table's size after the game."""
    seconds: float | None
    """How long the run had been running when the game was recorded, without its pauses."""
    added: int | None
    """When it was recorded, in UTC seconds."""
    points: float | None = None
    """What the engine scored against its opponent; None where it played both sides, or nothing counts."""

    @classmethod
    def of(cls, learned: LearnedGame) -> Self:
        record = learned.record
        found: Mapping[str, Any] = learned.settings
        return cls(
            game=int(record.round),
            id=record.game_id,
            result=record.result,
            termination=record.termination,
            plies=len(record.moves),
            epsilon_white=_number(record.settings, "epsilon_white"),
            epsilon_black=_number(record.settings, "epsilon_black"),
            added=learned.added,
            points=_points(record),
            **{name: found.get(name) for name in _IN_JOURNAL},
        )

    @property
    def is_repetition(self) -> bool:
        return self.termination == "threefold repetition"

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        try:
            return cls(**parse_json_object(text))
        except MISSHAPEN as error:
            raise InvalidRun(f"expected a line of measurements, got {text[:80]!r}: {error}") from error


# What the writer and the worker have measured, under these names in the journal's line.
_IN_JOURNAL = (
    "random_moves",
    "value_change",
    "points_change",
    "picks_changed",
    "new",
    "changed",
    "entries",
    "table_bytes",
    "seconds",
)


def _points(record: GameRecord) -> float | None:
    learner, whites = learner_of(record), WHITES_POINTS.get(record.result)
    if learner is None or whites is None:
        return None
    return whites if learner == chess.WHITE else 1 - whites


def _number(settings: Mapping[str, Scalar], name: str) -> float | None:
    value = settings.get(name)
    return value if isinstance(value, int | float) else None
