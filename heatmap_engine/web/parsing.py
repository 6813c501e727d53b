"""Reading messages: whatever is not exactly of the shape of one of them raises BadMessage."""

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Union, get_args, get_origin, get_type_hints

from heatmap_engine.errors import shown
from heatmap_engine.web.messages import KINDS, BadMessage, Message, TreeNode

# Longer than any game that was played.
MOST_PLIES = 1000
MOST_NODES = 10_000
MOST_TEXT = 500_000
_MOST_SHORT_TEXT = 200
_MOST_HEADERS = 60
_MOST_NUMBER = 2**31
_BARE_NODE = TreeNode(0, "")

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
