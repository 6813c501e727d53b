"""A match as data: sides, openings, rules; everything that its games depend on, and nothing that happened."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Self

import chess

from games.chess.openings import Opening, chess960_starts, load_openings, split_openings
from heatmap_engine.errors import InvalidSettings, MatchError
from heatmap_engine.match.sprt import Sprt
from heatmap_engine.players.game_loop import Adjudication, Ends
from heatmap_engine.players.sides import Side, side_as_json, side_of_json

VERSION = 1

# The words for our own suite, whole or in parts, and for the starts of Chess960; anything else names a file.
PARTS = ("all", "training", "held-out", "chess960")

# Where the settings in a game's record say what was in the table of the side with this colour.
TABLE_OF = {chess.WHITE: "white_table", chess.BLACK: "black_table"}


def openings_named(name: str) -> Sequence[Opening]:
    """The lines of a part of our own suite, or of a file, or the starts of Chess960."""
    if name not in PARTS:
        return load_openings(name)
    if name == "chess960":
        return chess960_starts()
    suite = load_openings()
    if name == "all":
        return suite
    training, held_out = split_openings(suite)
    return {"all": suite, "training": training, "held-out": held_out}[name]


@dataclass(frozen=True, slots=True)
class MatchGame:
    """A game of a match; games 2 k and 2 k + 1 are a pair, with the first side White in the even one."""

    number: int
    opening: Opening

    @property
    def place(self) -> str:
        return f"game {self.number + 1}"

    @property
    def first_is_white(self) -> bool:
        return self.number % 2 == 0

    @property
    def colours(self) -> tuple[chess.Color, chess.Color]:
        """The first side's, then the second's."""
        return self.first_is_white, not self.first_is_white


@dataclass(frozen=True)
class MatchPlan:
    """What is to be played."""

    first: Side
    second: Side
    games: int
    """How many games at most, two for each pair."""
    sprt: Sprt | None = None
    openings: str = "all"
    """Where `lines` are from: a part of our own suite, or a file."""
    lines: tuple[Opening, ...] = ()
    ends: Ends = field(default_factory=Ends)
    margin_ms: float = 50.0
    """What a move may take beyond the clock before the game is lost on time."""
    seed: int = 0
    run: str = field(default_factory=lambda: f"match-{secrets.token_hex(4)}")
    """Keeps equal games of two matches apart."""

    def __post_init__(self) -> None:
        if self.games < 2 or self.games % 2:
            raise InvalidSettings(
                f"expected an even number of games, each opening with both colours, got {self.games}"
            )
        if not self.lines:
            raise InvalidSettings("expected openings to play from, got none")
        if self.first.name == self.second.name:
            raise InvalidSettings(
                f"expected two names to tell the sides apart, got {self.first.name!r} twice"
            )
        if not 0 <= self.margin_ms <= 60_000:
            raise InvalidSettings(f"expected a margin from 0 to 60000 ms, got {self.margin_ms:g}")

    @property
    def is_chess960(self) -> bool:
        """Whether a game may be one of Chess960."""
        return any(line.start is not None and line.board().chess960 for line in self.lines)

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.first, self.second

    @property
    def learns(self) -> bool:
        return self.first.learns or self.second.learns

    @cached_property
    def _order(self) -> Sequence[Opening]:
        """The lines shuffled by the seed, so that a match of few pairs is not always about the same lines."""
        return Random(self.seed).sample(self.lines, len(self.lines))

    def game(self, number: int) -> MatchGame:
        return MatchGame(number, self._order[number // 2 % len(self._order)])

    def to_json(self) -> dict[str, Any]:
        """Plain data that `of_json` makes the same plan of; the lines are kept elsewhere."""
        return {
            "version": VERSION,
            "run": self.run,
            "first": side_as_json(self.first),
            "second": side_as_json(self.second),
            "games": self.games,
            "sprt": self.sprt and asdict(self.sprt),
            "ends": asdict(self.ends),
            "margin_ms": self.margin_ms,
            "seed": self.seed,
            "openings": self.openings,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any], lines: Sequence[Opening]) -> Self:
        if data.get("version") != VERSION:
            raise MatchError(f"expected a match of version {VERSION}, got {data.get('version')!r}")
        ends = dict(data["ends"])
        adjudication = ends.pop("adjudication")
        return cls(
            first=side_of_json(data["first"]),
            second=side_of_json(data["second"]),
            games=data["games"],
            sprt=data["sprt"] and Sprt(**data["sprt"]),
            openings=data["openings"],
            lines=tuple(lines),
            ends=Ends(adjudication=adjudication and Adjudication(**adjudication), **ends),
            margin_ms=data["margin_ms"],
            seed=data["seed"],
            run=data["run"],
        )
