"""What a table learned from which game: a line of its journal, holding the game to learn it again."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

from games.errors import InvalidGame
from games.record import GameRecord, Scalar, check_scalars, parse_json_object
from qtable import JournalLine

JSON_VERSION = 1


@dataclass(frozen=True, slots=True)
class LearnedGame:
    """A game that a table has learned from, and how.

    `settings` are the learner's (plies, heat depth, weights, …); those of play are in the record.
    `added` is when, in UTC seconds; None until the table has recorded it.
    """

    record: GameRecord
    settings: Mapping[str, Scalar] = field(default_factory=dict, hash=False)
    walks: int = 1  # how often the game was walked backwards in all
    added: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", dict(self.settings))
        check_scalars(self.settings)
        if type(self.walks) is not int or self.walks < 1:
            raise InvalidGame(f"expected at least one walk, got {self.walks!r}")

    def to_line(self) -> JournalLine:
        """The line for `QTable.record`; its id is the game's."""
        data = {
            "version": JSON_VERSION,
            "game": json.loads(self.record.to_json()),
            "settings": dict(self.settings),
            "walks": self.walks,
        }
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return JournalLine(self.record.game_id, text, self.added)

    @classmethod
    def from_line(cls, line: JournalLine) -> Self:
        """Raises `InvalidGame` for a line of another kind, or filed under another game's id."""
        try:
            data = parse_json_object(line.text, JSON_VERSION, {"game", "settings", "walks"})
            record = GameRecord.from_json(json.dumps(data["game"]))
            learned = cls(record, data["settings"], data["walks"], line.added)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise InvalidGame(f"journal line {line.id!r}: {error}") from error
        if record.game_id != line.id:
            raise InvalidGame(f"journal line {line.id!r} holds another game, {record.game_id!r}")
        return learned


def learned_games(lines: Iterable[JournalLine]) -> Iterator[LearnedGame]:
    """The games of a journal (`QTable.journal()`) in the order in which they were learned."""
    return (LearnedGame.from_line(line) for line in lines)
