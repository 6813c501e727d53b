"""What a table learned from which game: a line of its journal, holding the game to learn it again."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from games.chess.errors import InvalidGame
from games.chess.record import GameRecord, Scalar, check_scalars, parse_json_object
from qtable import JournalLine
from qtable.json_input import MISSHAPEN

JSON_VERSION = 1


# Digits after the point of the values in a line: a journal is read for what changed, not to compute with.
_DIGITS = 4
# How many numbers and moves a step has that says nothing of another move.
_WITHOUT_OTHER = 4


class LearnedStep(NamedTuple):
    """What learning a game changed at one of its positions; values are White minus Black, moves UCI text.

    The old ones are those known before the game was walked, None where nothing was. The walk may have found
    what another move than the one that was played is worth; lines without that have four items for a step.
    """

    old_value: float | None
    new_value: float
    old_pick: str | None
    new_pick: str
    other_move: str | None = None
    other_value: float = 0.0


@dataclass(frozen=True, slots=True)
class LearnedGame:
    """A game that a table has learned from, and how.

    `settings` are the learner's (plies, heat depth, weights, …); those of play are in the record.
    `added` is when, in UTC seconds; None until the table has recorded it. `steps` has one step for each
    move, or nothing: lines written before there were steps do not say what learning changed.
    """

    record: GameRecord
    settings: Mapping[str, Scalar] = field(default_factory=dict, hash=False)
    walks: int = 1  # how often the game was walked backwards in all
    added: int | None = None
    steps: tuple[LearnedStep, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", dict(self.settings))
        check_scalars(self.settings)
        if type(self.walks) is not int or self.walks < 1:
            raise InvalidGame(f"expected at least one walk, got {self.walks!r}")
        object.__setattr__(self, "steps", tuple(_checked(LearnedStep(*step)) for step in self.steps))
        if self.steps and len(self.steps) != len(self.record.moves):
            raise InvalidGame(f"expected {len(self.record.moves)} steps or none, got {len(self.steps)}")

    def to_line(self) -> JournalLine:
        """The line for `QTable.record`; its id is the game's."""
        data = {
            "version": JSON_VERSION,
            "game": json.loads(self.record.to_json()),
            "settings": dict(self.settings),
            "walks": self.walks,
        }
        if self.steps:
            data["steps"] = [step if step.other_move else step[:_WITHOUT_OTHER] for step in self.steps]
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return JournalLine(self.record.game_id, text, self.added)

    @classmethod
    def from_line(cls, line: JournalLine) -> Self:
        """Raises `InvalidGame` for a line of another kind, or filed under another game's id."""
        try:
            data = parse_json_object(line.text, JSON_VERSION, {"game", "settings", "walks", "steps"})
            record = GameRecord.from_json(json.dumps(data["game"]))
            learned = cls(record, data["settings"], data["walks"], line.added, data.get("steps", ()))
        except MISSHAPEN as error:
            raise InvalidGame(f"journal line {line.id!r}: {error}") from error
        if record.game_id != line.id:
            raise InvalidGame(f"journal line {line.id!r} holds another game, {record.game_id!r}")
        return learned


def _checked(step: LearnedStep) -> LearnedStep:
    """The step with its values rounded; raises InvalidGame for one that says nothing."""
    values = (step.new_value, 0.0 if step.old_value is None else step.old_value, step.other_value)
    moves = (step.new_pick, *(move for move in (step.old_pick, step.other_move) if move is not None))
    if not all(isinstance(value, float) and math.isfinite(value) for value in values):
        raise InvalidGame(f"expected finite values in a step, got {step!r:.80}")
    if not all(isinstance(move, str) for move in moves):
        raise InvalidGame(f"expected moves as text in a step, got {step!r:.80}")
    old = None if step.old_value is None else round(step.old_value, _DIGITS)
    new, other = round(step.new_value, _DIGITS), round(step.other_value, _DIGITS)
    return step._replace(old_value=old, new_value=new, other_value=other)


def learned_games(lines: Iterable[JournalLine]) -> Iterator[LearnedGame]:
    """The games of a journal (`QTable.journal()`) in the order in which they were learned."""
    return (LearnedGame.from_line(line) for line in lines)
