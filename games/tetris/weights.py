"""Weights of features: those of others and those learned here, with where they come from; and their files."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from games.durable import write_at_once
from games.tetris.errors import InvalidWeights
from games.tetris.features import DEEP_WELLS, FEATURE_SETS, NAMES
from qtable.json_input import MISSHAPEN, InvalidJson, parse_json_object, read_text

_FORMAT = "tetris weights"
_LARGEST = 1e9


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each feature is worth; features without a weight count nothing."""

    name: str
    values: Mapping[str, float]
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.values:
            raise InvalidWeights(f"{self.name}: expected at least one weight, got none")
        for name, value in self.values.items():
            if name not in (*NAMES, DEEP_WELLS):
                raise InvalidWeights(
                    f"{self.name}: expected weights of {', '.join((*NAMES, DEEP_WELLS))}, "
                    f"got one of {name!r:.80}"
                )
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not math.isfinite(value) or abs(value) > _LARGEST:
                raise InvalidWeights(
                    f"{self.name}: expected a number from {-_LARGEST:g} to {_LARGEST:g} as weight of {name}, "
                    f"got {value!r:.80}"
                )

        if self.is_deep and "wells" in self.values:
            raise InvalidWeights(f"{self.name}: expected a weight of wells or of {DEEP_WELLS}, got both")

    @property
    def is_deep(self) -> bool:
        """Whether its wells are deep wells."""
        return DEEP_WELLS in self.values

    @property
    def vector(self) -> list[float]:
        """A number for each feature in the order of the compiled code; deep wells take the place of wells."""
        found = {"wells" if name == DEEP_WELLS else name: value for name, value in self.values.items()}
        return [float(found.get(name, 0.0)) for name in NAMES]

    def to_json(self) -> str:
        data = {"format": _FORMAT, "name": self.name, "weights": dict(self.values)}
        return json.dumps({**data, "provenance": dict(self.provenance)}, indent=1, ensure_ascii=False) + "\n"


def _of(features: str, name: str, source: str, *values: float) -> Weights:
    found = dict(zip(FEATURE_SETS[features], values, strict=True))
    return Weights(name, found, {"source": source})


# Thiery and Scherrer, Building Controllers for Tetris, 2009.
_BCTS = (-12.63, 6.60, -9.22, -19.77, -13.08, -10.49, -1.61, -24.04)
_GABILLON = "Gabillon, Ghavamzadeh and Scherrer, 2013: learned on a board of"
_PUBLISHED = (
    _of("basic", "basic", "the usual values of players with these four features", -0.51, 0.76, -0.36, -0.18),
    _of("dellacherie", "dellacherie", "Pierre Dellacherie, by hand, 2003", -1, 1, -1, -1, -4, -1),
    _of(
        "published",
        "dellacherie-deep",
        "Pierre Dellacherie, by hand, 2003, with the wells of his program",
        *(-1, 1, -1, -1, -4, -1, 0, 0, 0),
    ),
    _of("dellacherie_thiery", "dellacherie_thiery", "the weights bcts with the document's wells", *_BCTS),
    _of("published", "bcts", "Thiery and Scherrer, Building Controllers for Tetris, 2009", *_BCTS, 0.0),
    _of(
        "published",
        "dt-10",
        f"{_GABILLON} 10 x 10",
        *(-2.18, 2.42, -2.17, -3.31, 0.95, -2.22, -0.81, -9.65, 1.27),
    ),
    _of(
        "published",
        "dt-20",
        f"{_GABILLON} 10 x 20",
        *(-2.68, 1.38, -2.41, -6.32, 2.03, -2.71, -0.43, -9.48, 0.89),
    ),
)
DEFAULTS = {
    "basic": "basic",
    "dellacherie": "dellacherie",
    "dellacherie_thiery": "dellacherie_thiery",
    "outline": "outline",
    "published": "dt-20",
}
"""The weights of a set of features where nothing else is said."""

_LEARNED = ("outline", "learned-10x10", "learned-10x12")


def known_names() -> list[str]:
    """The names of all weights of the package."""
    return [*(weights.name for weights in _PUBLISHED), *_LEARNED]


@cache
def known_weights(name: str) -> Weights:
    """Weights of the package by their name; raises InvalidWeights."""
    for weights in _PUBLISHED:
        if weights.name == name:
            return weights
    if name in _LEARNED:
        return parse_weights(files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8"), name)
    raise InvalidWeights(f"expected weights of {', '.join(known_names())}, got {name!r:.80}")


def parse_weights(text: str, place: str) -> Weights:
    """Weights from the text of their file; `place` is how messages call it."""
    try:
        data = parse_json_object(text)
        if data.get("format") != _FORMAT:
            raise ValueError(f"expected a file of {_FORMAT}, got {text[:60]!r}")
        return Weights(str(data["name"]), dict(data["weights"]), dict(data.get("provenance", {})))
    except InvalidWeights as error:
        raise InvalidWeights(f"{place}: {error}") from error
    except MISSHAPEN as error:
        raise InvalidWeights(f"{place}: expected a file of {_FORMAT}: {error}") from error


def load_weights(path: Path) -> Weights:
    """Weights from a file; raises InvalidWeights, or OSError for a file that cannot be read."""
    try:
        return parse_weights(read_text(path), str(path))
    except InvalidJson as error:
        raise InvalidWeights(f"{path}: {error}") from error


def save_weights(path: Path, weights: Weights) -> None:
    write_at_once(path, weights.to_json())
