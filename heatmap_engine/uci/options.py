"""The options that a GUI shows and sets. This module loads next to nothing: it answers `uci`."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from heatmap_engine.deep.levels import elo_range
from heatmap_engine.engines.mode import MODE_NAMES

# No value holds the word "default": python-chess would take it for a part of the declaration.
OWN_TABLE, MEMORY_TABLE, NO_TABLE = "<own>", "<memory>", "<none>"
# What GUIs have kept since the own table was called so.
OWN_TABLE_BEFORE = "<default>"
OWN_WEIGHTS, PACKAGE_WEIGHTS = "<own>", "<package>"
RESULTS = ("1-0", "0-1", "1/2-1/2")

_MOST_PLIES = 16
_LOWEST_ELO, _HIGHEST_ELO = elo_range()
_ABOUT = "Sees the board as heat, and remembers what it learned; GPL-3.0-or-later"

Value = str | int | bool


class InvalidOption(ValueError):
    """A name or a value that no option has; the message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option as UCI declares it; `reopens` says that the engine may have to be set up anew for it."""

    name: str
    kind: str
    default: Value = ""
    lowest: int = 0
    highest: int = 0
    choices: tuple[str, ...] = ()
    reopens: bool = False

    def declaration(self) -> str:
        parts = [f"option name {self.name} type {self.kind}"]
        if self.kind != "button":
            parts.append(f"default {_shown(self.default)}")
        if self.kind == "spin":
            parts.append(f"min {self.lowest} max {self.highest}")
        parts += [f"var {choice}" for choice in self.choices]
        return " ".join(parts)

    def parsed(self, text: str) -> Value:
        """The value that a text gives to this option."""
        if self.kind == "spin":
            return self._parsed_number(text)
        if self.kind in ("check", "combo"):
            choices = self.choices or ("true", "false")
            found = [choice for choice in choices if choice.lower() == text.strip().lower()]
            if not found:
                raise InvalidOption(f"{self.name} must be one of {', '.join(choices)}, got {text!r:.80}")
            return found[0] if self.choices else found[0] == "true"
        return "" if text == "<empty>" else text

    def _parsed_number(self, text: str) -> int:
        # Python reads numbers in many scripts and with underscores; a GUI writes none of these.
        if text.isascii() and len(text) < 20 and text.lstrip("-").isdigit():
            number = int(text) if text.count("-") == text.startswith("-") else self.lowest - 1
            if self.lowest <= number <= self.highest:
                return number
        raise InvalidOption(
            f"{self.name} must be a number from {self.lowest} to {self.highest}, got {text!r:.80}"
        )


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if value != "" else "<empty>"


_OPTIONS = (
    Option("Mode", "combo", MODE_NAMES[0], choices=MODE_NAMES, reopens=True),
    Option("Hash", "spin", 64, 1, 4096, reopens=True),
    Option("Threads", "spin", 1, 1, 64, reopens=True),
    Option("Weights", "string", OWN_WEIGHTS, reopens=True),
    Option("SyzygyPath", "string", "", reopens=True),
    Option("Clear Hash", "button"),
    Option("QTable", "string", OWN_TABLE, reopens=True),
    Option("Learn", "combo", "after game", choices=("off", "after game")),
    Option("ReadOnly", "check", False, reopens=True),
    Option("Record", "combo", "useful", choices=("useful", "searched", "all", "off"), reopens=True),
    Option("Plies", "spin", 2, 1, _MOST_PLIES, reopens=True),
    Option("TacticalPlies", "spin", 1, 0, _MOST_PLIES, reopens=True),
    Option("HeatDepth", "spin", 1, 0, 4, reopens=True),
    Option("MultiPV", "spin", 1, 1, 256),
    Option("Epsilon", "string", "0"),
    Option("Random Seed", "spin", -1, -1, 2**31 - 1, reopens=True),
    Option("Move Overhead", "spin", 30, 0, 5000),
    Option("Ponder", "check", False),
    Option("UCI_LimitStrength", "check", False),
    Option("UCI_Elo", "spin", _LOWEST_ELO, _LOWEST_ELO, _HIGHEST_ELO),
    Option("UCI_ShowWDL", "check", False),
    Option("UCI_AnalyseMode", "check", False),
    Option("UCI_Chess960", "check", False),
    Option("UCI_Opponent", "string", ""),
    Option("UCI_EngineAbout", "string", _ABOUT),
    Option("GameResult", "string", ""),
    Option("Save Table", "button"),
    Option("Compact Table", "button"),
    Option("Forget This Game", "button"),
)


class Options:
    """The options' values, by name; names are told apart without regard to case."""

    def __init__(self) -> None:
        self._options = {option.name.lower(): option for option in _OPTIONS}
        self._values = {option.name: option.default for option in _OPTIONS}

    def declarations(self) -> Iterator[str]:
        return (option.declaration() for option in self._options.values())

    def parsed(self, name: str, text: str) -> tuple[Option, Value]:
        """Which option is meant, and the value that the text gives to it; raises InvalidOption."""
        option = self._options.get(name.lower())
        if option is None:
            raise InvalidOption(f"there is no option named {name!r:.80}")
        value = option.parsed(text)
        if option.name == "Epsilon":
            _parsed_share(text)
        return option, value

    def set(self, name: str, text: str) -> Option:
        """Set an option from text and say which it was; raises InvalidOption and changes nothing."""
        option, value = self.parsed(name, text)
        if option.kind != "button":
            self._values[option.name] = value
        return option

    def reopens(self, option: Option, value: Value) -> bool:
        """Whether the engine has to be set up anew for this value; the same one again changes nothing."""
        # But a file may be another one under its name, and a seed begins its numbers anew.
        means_more = (option.kind == "string" and value != "") or option.name == "Random Seed"
        return option.reopens and (means_more or value != self._values[option.name])

    def text(self, name: str) -> str:
        return str(self._values[name])

    def number(self, name: str) -> int:
        return int(self._values[name])

    def is_on(self, name: str) -> bool:
        return self._values[name] is True

    @property
    def epsilon(self) -> float:
        return _parsed_share(self.text("Epsilon"))


def _parsed_share(text: str) -> float:
    try:
        share = float(text)
        if math.isfinite(share) and 0 <= share <= 1:
            return share
    except ValueError:
        pass  # not a number
    raise InvalidOption(f"Epsilon must be a number from 0 to 1, got {text!r:.80}")
