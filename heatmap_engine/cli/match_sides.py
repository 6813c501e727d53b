"""The sides of a match in the words of the command line: `table=my.table hash=64`, `engine=gnuchess tc=8`."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from heatmap_engine.cli.table_options import own_table
from heatmap_engine.deep.adopted import fixed_weights
from heatmap_engine.engines.engine import mode_of_file
from heatmap_engine.engines.mode import DEFAULT, MODE_NAMES, Mode, mode_named
from heatmap_engine.match.pace import Pace, TimeControl
from heatmap_engine.match.sides import WORDS, OurSide, Side, UciSide, XboardSide
from heatmap_engine.user_files import given_path
from qtable.errors import TableMismatch

OWN = "table=own"
UNTRAINED = "untrained"

_OPTION = "option."
# What any side may be given; the depth has two names, as on the command line.
_OF_ALL = {"name", "tc", "movetime", "nodes", "depth", "plies"}
_OF_OURS = {"mode", "table", "learn", *WORDS.values()} - _OF_ALL
# The words that name an engine by its command, and what is made of it.
_ENGINES = {"engine": UciSide, "xboard": XboardSide}
# The words that stand alone.
_FLAGS = {UNTRAINED, "learn"}
# Words that mean a mode where nothing else says which, as options do: in classic mode plies are a setting.
_MODE_OF_WORD = {"plies": "classic", "depth": "deep"} | {
    word: name
    for name in MODE_NAMES
    for setting, word in WORDS.items()
    if all((setting in mode_named(each).setting_names) == (each == name) for each in MODE_NAMES)
}


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

    @property
    def is_ours(self) -> bool:
        return not self.given.keys() & _ENGINES.keys()

    def number(self, key: str) -> int | None:
        return _whole_number(key, self.given[key]) if key in self.given else None

    def refuse(self, keys: set[str], why: str) -> None:
        if wrong := sorted(keys & set(self.given)):
            raise click.UsageError(f"{wrong[0]} is for {why}")


def _whole_number(key: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise click.UsageError(f"expected a whole number in {key}=…, got {text!r}") from None


def sides(first: str, second: str, limits: Mapping[str, Any]) -> tuple[Side, Side]:
    """Both sides; `limits` (mode, tc, movetime, nodes, depth, plies) hold where a side names none itself."""
    words = _Words.of(first), _Words.of(second)
    modes = [_mode_said(each, limits) if each.is_ours else None for each in words]
    one, other = (
        _ours(each, own or opponents or mode_named(DEFAULT), limits)
        if each.is_ours
        else _engine(each, limits)
        for each, own, opponents in zip(words, modes, reversed(modes), strict=True)
    )
    if isinstance(one, OurSide) and isinstance(other, OurSide) and one.mode != other.mode:
        one, other = (
            side if "name" in each.given else replace(side, name=f"{side.name} ({side.mode})")
            for side, each in zip((one, other), words, strict=True)
        )
    return one, other if other.name != one.name else replace(other, name=f"{other.name} (2)")


def _mode_said(words: _Words, limits: Mapping[str, Any]) -> Mode | None:
    """The mode that is named, else that of the table or of words of one mode; None if nothing tells it."""
    own = words.given.get("mode")
    if own is not None and own not in MODE_NAMES:
        raise click.UsageError(f"expected mode={' or mode='.join(MODE_NAMES)}, got {own!r}")
    named = own or limits["mode"]
    table = words.given.get("table")
    held = None if table in (None, "own") else mode_of_file(given_path(str(table)))
    if named is not None and held is not None and held.name != named:
        raise TableMismatch(f"{table} is a table of mode {held.name}, but mode {named} was asked for")
    if named is not None:
        return mode_named(named)
    if held is not None:
        return held
    limiting = [name for name in ("plies", "depth") if limits[name] is not None]
    implied = [_MODE_OF_WORD[word] for word in (*words.given, *limiting) if word in _MODE_OF_WORD]
    return mode_named(implied[0]) if implied else None


def _engine(words: _Words, limits: Mapping[str, Any]) -> UciSide:
    key = next(name for name in _ENGINES if name in words.given)
    words.refuse(_OF_OURS | {UNTRAINED}, f"our own engine, not for {key}=…")
    words.refuse(set(_ENGINES) - {key}, f"an engine of its own, beside {key}=… it is one too many")
    command = tuple(shlex.split(words.given[key]))
    name = words.given.get("name", Path(command[0]).name if command else "")
    pace = replace(_pace(words, limits), plies=_depth(words, limits))
    return _ENGINES[key](name, command, words.options, pace)


def _ours(words: _Words, mode: Mode, limits: Mapping[str, Any]) -> OurSide:
    if words.options:
        raise click.UsageError(f"{_OPTION}{next(iter(words.options))} is for engine=… and xboard=…")
    if UNTRAINED in words.given:
        words.refuse({"table", "learn"}, f"a side with a table, which {UNTRAINED} has not")
    settings = _settings(words, mode)
    pace = _pace(words, limits)
    if "plies" not in mode.setting_names:
        pace = replace(pace, plies=_depth(words, limits))
    elif "depth" in words.given:  # which once was the depth of heat
        raise click.UsageError("in mode classic, plies=… is the search depth and heat-depth=… the heat's")
    elif (plies := _depth(words, limits)) is not None:
        settings["plies"] = plies
    table = _table(words.given.get("table"), mode)
    name = words.given.get("name") or _name(table, words)
    return OurSide(name, table, mode.name, settings, "learn" in words.given, pace)


def _settings(words: _Words, mode: Mode) -> dict[str, str | int]:
    """The settings of the mode that were given; raises for those of the other mode."""
    found: dict[str, str | int] = {}
    if mode.takes_weights_file and "weights" not in words.given:
        own = fixed_weights(None)
        found |= {} if own is None else {"weights": own}
    for setting, word in WORDS.items():
        if word not in words.given or word in _OF_ALL:
            continue
        if setting not in mode.setting_names:
            raise click.UsageError(
                f"{word}=… works only with mode={_MODE_OF_WORD[word]}, and the mode is {mode.name}"
            )
        if word == "syzygy":
            found[setting] = folders(words.given[word])
        elif word != "weights":
            found[setting] = _whole_number(word, words.given[word])
        elif mode.takes_weights_file:
            weights = fixed_weights(given_path(words.given[word]))
            found |= {} if weights is None else {setting: weights}
        else:
            found[setting] = words.given[word]
    return found


def folders(paths: str) -> str:
    """The same folders, wherever the match is resumed."""
    return os.pathsep.join(str(given_path(path).resolve()) for path in paths.split(os.pathsep) if path)


def _depth(words: _Words, limits: Mapping[str, Any]) -> int | None:
    """How deep the side searches: by its own words, else by the options; either may be called plies."""
    named = (words.number("depth"), words.number("plies"), limits["depth"], limits["plies"])
    return next((each for each in named if each is not None), None)


def _table(text: str | None, mode: Mode) -> Path | None:
    if text is None:
        return None
    return (mode.default_table if text == "own" else given_path(text)).resolve()


def require_own_table(side: Side) -> None:
    """If the side plays with the user's own table, it must be there, unless the side learns and makes it."""
    if not isinstance(side, OurSide) or side.learns:
        return
    mode = mode_named(side.mode)
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
    """The limits of time and nodes: the side's own, if it has any, else those for both."""
    if {"tc", "movetime", "nodes"} & set(words.given):
        tc, movetime, nodes = words.given.get("tc"), words.number("movetime"), words.number("nodes")
    else:
        tc, movetime, nodes = limits["tc"], limits["movetime"], limits["nodes"]
    return Pace(TimeControl.parse(tc) if tc else None, movetime, nodes)
