"""The evaluation's weights: sets of numbers with the names of the features, and files of them."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from games.wood_block.errors import InvalidWeights
from games.wood_block.evaluation import NAMES, SCALE, SIGNED
from games.wood_block.rules import Rules
from qtable.json_input import MISSHAPEN, parse_json_object, read_text

_VERSION = 1
# Beyond it a cost could leave the kernel's numbers.
_GREATEST = 100.0


@dataclass(frozen=True)
class Weights:
    """What each feature costs, and which cost of a board is dangerous."""

    values: tuple[float, ...]
    danger: float
    """From this cost on the next hand is looked at."""

    def __post_init__(self) -> None:
        for name, value in zip(NAMES, self.values, strict=True):
            least = -_GREATEST if name in SIGNED else 0.0
            if not (math.isfinite(value) and least <= value <= _GREATEST):
                raise InvalidWeights(
                    f"expected a weight of {least:g} to {_GREATEST:g} for {name}, got {value!r}"
                )
        if not (math.isfinite(self.danger) and abs(self.danger) * SCALE < 1e9):
            raise InvalidWeights(f"expected a number for danger, got {self.danger!r}")

    def as_data(self) -> dict[str, object]:
        return {"danger": self.danger, "weights": dict(zip(NAMES, self.values, strict=True))}

    def text(self) -> str:
        """The weights as a file."""
        return json.dumps({"version": _VERSION, **self.as_data()}, indent=1) + "\n"


def _weights_of(data: Mapping[str, object]) -> Weights:
    weights = data.get("weights")
    if not isinstance(weights, dict) or {*weights} != {*NAMES} or "danger" not in data:
        raise ValueError(f"expected danger, and a weight for each of {', '.join(NAMES)}")
    numbers = [weights[name] for name in NAMES] + [data["danger"]]
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        raise ValueError("expected numbers as weights")
    return Weights(tuple(float(number) for number in numbers[:-1]), float(numbers[-1]))


@cache
def _learned() -> Mapping[str, Weights]:
    data = json.loads(files("games.wood_block").joinpath("weights.json").read_text(encoding="utf-8"))
    return {name: _weights_of(one) for name, one in data.items()}


def learned_weights(rules: Rules) -> Weights:
    """The weights that come with the package: those of the set, or of the one with the larger blocks."""
    return _learned().get(rules.blocks.name, _learned()["47"])


def read_weights(path: Path) -> Weights:
    """The weights of a file that training wrote."""
    try:
        data = parse_json_object(read_text(path))
        if data.get("version") != _VERSION:
            raise ValueError(f"expected version {_VERSION}, got {data.get('version')!r:.40}")
        return _weights_of(data)
    except InvalidWeights as error:
        raise InvalidWeights(f"{path}: {error}") from error
    except MISSHAPEN as error:
        raise InvalidWeights(f"expected weights of the wood block puzzle in {path}: {error}") from error
