"""What the page may ask: JSON objects with a number, the name of what is to be done, and typed fields.

No field is a path or becomes one. Whatever is not exactly of this shape raises BadMessage.
"""

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from heatmap_engine.errors import HeatmapError, shown

# Longer than any game that was played.
MOST_PLIES = 1000
MOST_NODES = 10_000
MOST_TEXT = 500_000
_MOST_SHORT_TEXT = 200
_MOST_HEADERS = 60
_MOST_NUMBER = 2**31


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


_BARE_NODE = TreeNode(0, "")


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

_RANGES = {
    "depth": (0, 2),
    "lines": (1, 5),
    "positions_nodes": (1_000, 10_000_000),
    "remaining_ms": (0, 24 * 3_600_000),
    "increment_ms": (0, 600_000),
}
_CHOICES = {"colour": ("white", "black"), "result": ("1-0", "0-1", "1/2-1/2")}
_LENGTHS = {"text": MOST_TEXT}


def number_of(text: str | bytes) -> int | None:
    """The number of a message, however broken the rest of it is; None where it has none."""
    try:
        number = json.loads(text)["id"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return number if type(number) is int and 0 <= number < _MOST_NUMBER else None


def parse_message(text: str | bytes) -> Message:
    """The message; raises BadMessage for anything else."""
    if isinstance(text, bytes):
        raise BadMessage("expected a message of text, got bytes")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadMessage(f"expected an object of JSON, got {text!r:.80}") from error
    if not isinstance(data, dict):
        raise BadMessage(f"expected an object of JSON, got {text!r:.80}")
    name = data.pop("do", None)
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise BadMessage(f"expected `do` to be one of {', '.join(KINDS)}, got {shown(name)}")
    return _made(kind, data)


def _made(kind: type[Message], data: Mapping[str, Any]) -> Message:
    known = {item.name: item for item in fields(kind)}
    if unknown := sorted(set(data) - set(known)):
        raise BadMessage(f"expected only the fields {', '.join(known)}, got also {unknown[0]!r:.80}")
    missing = [
        name
        for name, item in known.items()
        if name not in data and item.default is MISSING and item.default_factory is MISSING
    ]
    if missing:
        raise BadMessage(f"expected also the field {missing[0]!r}")
    hints = get_type_hints(kind)
    return kind(**{name: _checked(name, value, hints[name]) for name, value in data.items()})


def _checked(name: str, value: Any, hint: Any) -> Any:
    """The value as its field's type says; JSON's lists become tuples."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in get_args(hint):
            return None
        return _checked(name, value, next(one for one in get_args(hint) if one is not type(None)))
    if origin is tuple:
        return _checked_list(name, value, get_args(hint)[0])
    return _CHECKS[origin or hint](name, value)


def _checked_list(name: str, value: Any, kind: Any) -> tuple[Any, ...]:
    most = MOST_NODES if kind is TreeNode else MOST_PLIES
    if not isinstance(value, list) or len(value) > most:
        raise BadMessage(f"expected {name} to be a list of at most {most:,}, got {shown(value)}")
    if kind is TreeNode:
        return tuple(_node(number, each) for number, each in enumerate(value, 1))
    return tuple(_text(name, each) for each in value)


def _node(number: int, value: Any) -> TreeNode:
    hints = get_type_hints(TreeNode)
    if not isinstance(value, list) or not 2 <= len(value) <= len(hints):
        raise BadMessage(f"expected a node as a list of 2 to {len(hints)} fields, got {shown(value)}")
    checked = [
        _long_text(name, one) if name == "words" else _checked(name, one, hint)
        for (name, hint), one in zip(hints.items(), value, strict=False)
    ]
    node = TreeNode._make([*checked, *_BARE_NODE[len(checked) :]])
    if not 0 <= node.parent < number:
        raise BadMessage(f"expected the parent of node {number} to be one before it, got {node.parent}")
    return node


def _text(name: str, value: Any) -> str:
    most = _LENGTHS.get(name, _MOST_SHORT_TEXT)
    if not isinstance(value, str) or len(value) > most:
        raise BadMessage(f"expected {name} to be a text of at most {most:,} characters, got {shown(value)}")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise BadMessage(f"expected {name} to be one of {', '.join(_CHOICES[name])}, got {value!r:.80}")
    return value


def _long_text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise BadMessage(f"expected {name} to be a text, got {shown(value)}")
    return value


def _number(name: str, value: Any) -> int:
    low, high = _RANGES.get(name, (-_MOST_NUMBER if name in ("centipawns", "mate_in") else 0, _MOST_NUMBER))
    if type(value) is not int or not low <= value <= high:
        raise BadMessage(f"expected {name} to be a whole number from {low} to {high}, got {shown(value)}")
    return value


def _headers(name: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > _MOST_HEADERS:
        raise BadMessage(f"expected {name} to be at most {_MOST_HEADERS} texts by name, got {shown(value)}")
    return {_text("a header", key): _long_text("a header", text) for key, text in value.items()}


_CHECKS: Mapping[Any, Callable[[str, Any], Any]] = {str: _text, int: _number, Mapping: _headers}
