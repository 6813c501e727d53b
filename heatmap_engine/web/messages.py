"""What the page may ask: JSON objects with a number, the name of what is to be done, and typed fields.

No field is a path or becomes one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from heatmap_engine.errors import HeatmapError


class BadMessage(HeatmapError):
    """A message that is none of ours; it is answered with what was expected, and nothing else happens."""


class TreeNode(NamedTuple):
    """A move of a game with variations; the first child of a node is its main line."""

    parent: int
    """The node before, counted from 1; 0 is the start."""
    move: str
    mark: str = ""
    words: str = ""
    centipawns: int | None = None
    mate_in: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Something that the page asks; the answer carries the same number."""

    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AtPosition(Message):
    """Something about a position: where the game began, None for the usual start, and the moves since."""

    start: str | None = None
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPosition(AtPosition):
    """Pieces, legal moves and how the game is over here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskLine(AtPosition):
    """The names of all moves since the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskHeat(AtPosition):
    """Where moves land, by colour and kind of piece."""

    depth: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyse(AtPosition):
    """Search until something else is asked of the search; what is found is pushed depth by depth."""

    lines: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StopSearch(Message):
    """End the analysis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskTable(AtPosition):
    """What the table knows of the moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskWhy(AtPosition):
    """Why a move, or the best one, has its score."""

    move: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText(Message):
    """A text that was pasted or dropped: a FEN, a PGN, or moves."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePgn(Message):
    """A game with variations as PGN."""

    start: str | None = None
    nodes: tuple[TreeNode, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotate(WritePgn):
    """Judge the main line move by move; how far it is, is pushed."""

    positions_nodes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAnnotation(Message):
    """End the annotation; what was done is its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtGame(AtPosition):
    """Something about a game against a person."""

    elo: int | None = None
    """None for full strength."""
    remaining_ms: int | None = None
    """What the engine's clock shows; None without a clock."""
    increment_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskReply(AtGame):
    """The engine's move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskHint(AtGame):
    """What the engine would play for the person at full strength."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferDraw(AtGame):
    """Whether the engine takes a draw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HurryUp(Message):
    """Have the answer that is being thought about at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameIsOver(AtPosition):
    """Keep the game and learn from it; what was learned is pushed."""

    colour: str
    """The person's."""
    result: str
    termination: str
    elo: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping(Message):
    """Whether anybody answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRuns(Message):
    """The runs of self-play and tuning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRun(Message):
    """One run, by its name in the list."""

    name: str


KINDS: Mapping[str, type[Message]] = {
    "position": AskPosition,
    "line": AskLine,
    "heat": AskHeat,
    "analyse": Analyse,
    "stop": StopSearch,
    "table": AskTable,
    "why": AskWhy,
    "read": ReadText,
    "write": WritePgn,
    "annotate": Annotate,
    "stop annotation": StopAnnotation,
    "reply": AskReply,
    "hint": AskHint,
    "draw": OfferDraw,
    "hurry": HurryUp,
    "over": GameIsOver,
    "ping": Ping,
    "runs": AskRuns,
    "run": AskRun,
}
