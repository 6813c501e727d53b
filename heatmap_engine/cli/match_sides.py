"""The sides of a match in the words of the command line: `table=my.table plies=3`, `engine=gnuchess tc=8`."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from heatmap_engine.cli.table_options import own_table
from heatmap_engine.engines.mode_names import MODES
from heatmap_engine.match.deep_side import DeepSide
from heatmap_engine.match.pace import Pace, TimeControl
from heatmap_engine.match.sides import OurSide, Side, UciSide, XboardSide
from heatmap_engine.user_files import default_table_path, given_path

OWN = "table=own"
UNTRAINED = "untrained"

_OPTION = "option."
_OF_ALL = {"name", "tc", "movetime", "nodes", "plies"}
_OF_CLASSIC = {"tactical", "depth"}
_OF_DEEP = {"hash", "threads"}
_OF_OURS = {"mode", "table", "weights", "learn"} | _OF_CLASSIC | _OF_DEEP
# The words that name an engine by its command, and what is made of it.
_ENGINES = {"engine": UciSide, "xboard": XboardSide}
# The words that stand alone.
_FLAGS = {UNTRAINED, "learn"}


@dataclass(slots=True)
class _Words:
    """The words of one side."""

    given: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> "_Words":
        words = cls()
        try:
            parts = shlex.split(text)
        except ValueError as error:
            raise click.UsageError(f"side {text!r}: {error}") from error
        for part in parts:
            words._add(part)
        return words

    def _add(self, part: str) -> None:
        key, equals, value = part.partition("=")
        if key.startswith(_OPTION) and equals:
            self.options[key.removeprefix(_OPTION)] = value
        elif (key in _FLAGS and not equals) or (key in _OF_ALL | _OF_OURS | set(_ENGINES) and value):
            self.given[key] = value
        else:
            names = ", ".join(f"{name}=…" for name in sorted((_OF_ALL | _OF_OURS | set(_ENGINES)) - _FLAGS))
            raise click.UsageError(
                f"a side is made of {UNTRAINED}, learn, {names} and {_OPTION}NAME=…, got {part!r}"
            )

    def number(self, key: str, default: int | None = None) -> int | None:
        text = self.given.get(key)
        if text is None:
            return default
        try:
            return int(text)
        except ValueError:
            raise click.UsageError(f"expected a whole number in {key}=…, got {text!r}") from None

    def refuse(self, keys: set[str], why: str) -> None:
        if wrong := sorted(keys & set(self.given)):
            raise click.UsageError(f"{wrong[0]} is for {why}")


def sides(first: str, second: str, limits: Mapping[str, Any]) -> tuple[Side, Side]:
    """Both sides; `limits` (tc, movetime, nodes, plies) hold for a side that names none of its own."""
    words = _Words.of(first), _Words.of(second)
    one, other = (_side(each, limits) for each in words)
    if {type(one), type(other)} == {DeepSide, OurSide}:
        one, other = (_named_with_mode(side, each) for side, each in zip((one, other), words, strict=True))
    return one, other if other.name != one.name else replace(other, name=f"{other.name} (2)")


def _mode_of(side: Side) -> str:
    """Of a side of ours."""
    return "deep" if isinstance(side, DeepSide) else "classic"


def _named_with_mode(side: Side, words: _Words) -> Side:
    return side if "name" in words.given else replace(side, name=f"{side.name} ({_mode_of(side)})")


def _side(words: _Words, limits: Mapping[str, Any]) -> Side:
    for key in _ENGINES:
        if key in words.given:
            return _engine(key, words, limits)
    if words.options:
        raise click.UsageError(f"{_OPTION}{next(iter(words.options))} is for engine=… and xboard=…")
    if UNTRAINED in words.given:
        words.refuse({"table", "learn"}, f"a side with a table, which {UNTRAINED} has not")
    mode = words.given.get("mode", limits["mode"])
    if mode not in MODES:
        raise click.UsageError(f"expected mode={' or mode='.join(MODES)}, got {mode!r}")
    return _deep(words, limits) if mode == "deep" else _classic(words, limits)


def _engine(key: str, words: _Words, limits: Mapping[str, Any]) -> UciSide:
    words.refuse(_OF_OURS | {UNTRAINED}, f"our own engine, not for {key}=…")
    words.refuse(set(_ENGINES) - {key}, f"an engine of its own, beside {key}=… it is one too many")
    command = tuple(shlex.split(words.given[key]))
    plies = words.number("plies", limits["plies"])
    name = words.given.get("name", Path(command[0]).name if command else "")
    return _ENGINES[key](name, command, words.options, replace(_pace(words, limits), plies=plies))


def _deep(words: _Words, limits: Mapping[str, Any]) -> DeepSide:
    words.refuse(_OF_CLASSIC, "the mode classic")
    table = _table(words.given.get("table"), "deep")
    weights = words.given.get("weights")
    numbers = {"hash_mib": words.number("hash"), "threads": words.number("threads")}
    return DeepSide(
        words.given.get("name") or _name(table, words),
        table,
        None if weights is None else given_path(weights).resolve(),
        learns="learn" in words.given,
        pace=replace(_pace(words, limits), plies=words.number("plies", limits["plies"])),
        **{name: value for name, value in numbers.items() if value is not None},
    )


def _classic(words: _Words, limits: Mapping[str, Any]) -> OurSide:
    words.refuse(_OF_DEEP, "the mode deep")
    table = _table(words.given.get("table"))
    numbers = {
        "plies": words.number("plies", limits["plies"]),
        "tactical_plies": words.number("tactical"),
        "heat_depth": words.number("depth"),
    }
    settings: dict[str, Any] = {name: value for name, value in numbers.items() if value is not None}
    if "weights" in words.given:
        settings["weights"] = words.given["weights"]
    return OurSide(
        words.given.get("name") or _name(table, words),
        table,
        learns="learn" in words.given,
        pace=_pace(words, limits),
        **settings,
    )


def _table(text: str | None, mode: str = "classic") -> Path | None:
    if text is None:
        return None
    return (default_table_path(mode) if text == "own" else given_path(text)).resolve()


def require_own_table(side: Side) -> None:
    """If the side plays with the user's own table, it must be there, unless the side learns and makes it."""
    if isinstance(side, UciSide) or side.learns:
        return
    mode = _mode_of(side)
    if side.table == _table("own", mode):
        own_table(mode)


def _name(table: Path | None, words: _Words) -> str:
    """The table's name and what else was said of the side; the mode comes in only where both differ in it."""
    of_table = UNTRAINED if table is None else "own table" if words.given["table"] == "own" else table.stem
    rest = {key: value for key, value in words.given.items() if key not in {"table", "mode", UNTRAINED}}
    if "weights" in rest:
        rest["weights"] = Path(rest["weights"]).name
    return " ".join([of_table, *(f"{key}={value}" if value else key for key, value in rest.items())])


def _pace(words: _Words, limits: Mapping[str, Any]) -> Pace:
    own = {key: words.given[key] for key in ("tc", "movetime", "nodes") if key in words.given}
    if own:
        tc = own.get("tc")
        return Pace((tc and TimeControl.parse(tc)) or None, words.number("movetime"), words.number("nodes"))
    tc = limits["tc"]
    return Pace((tc and TimeControl.parse(tc)) or None, limits["movetime"], limits["nodes"])
