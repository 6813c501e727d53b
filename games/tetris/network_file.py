"""Networks as files, and new ones to learn with."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from games.durable import write_at_once
from games.tetris.errors import InvalidWeights
from games.tetris.network import Network
from games.tetris.rules import LEAST_WIDTH, MOST_WIDTH
from qtable.json_input import MISSHAPEN, InvalidJson, parse_json_object, read_text

_FORMAT = "tetris network"
_HIDDEN = 64
_LARGEST = 1e6
_DIGITS = 9  # tell any two float32 apart


def new_network(width: int, seed: int) -> Network:
    """A network that knows nothing, with weights of a size that keeps values alive (Xavier)."""
    network = Network(width)
    rng = np.random.default_rng([seed, 0])
    first = rng.standard_normal((network.inputs, _HIDDEN)) * math.sqrt(2 / (network.inputs + _HIDDEN))
    second = rng.standard_normal(_HIDDEN) * math.sqrt(2 / (_HIDDEN + 1))
    network.set_arrays(first, np.zeros(_HIDDEN), second, 0.0)
    return network


def network_text(network: Network, provenance: dict[str, Any]) -> str:
    """The network as the text of its file."""
    arrays = {name: _rounded(values) for name, values in network.arrays.items()}
    data = {"format": _FORMAT, "width": network.width, "provenance": provenance, **arrays}
    return json.dumps(data, ensure_ascii=False) + "\n"


def _rounded(values: Any) -> Any:
    if isinstance(values, float):
        return float(f"{values:.{_DIGITS}g}")
    return (
        [_rounded(value) for value in values.tolist()]
        if hasattr(values, "tolist")
        else [*map(_rounded, values)]
    )


def save_network(path: Path, network: Network, provenance: dict[str, Any]) -> None:
    write_at_once(path, network_text(network, provenance))


def load_network(path: Path) -> Network:
    """A network from its file; raises InvalidWeights, or OSError for a file that cannot be read."""
    try:
        return parse_network(read_text(path), str(path))
    except InvalidJson as error:
        raise InvalidWeights(f"{path}: {error}") from error


def parse_network(text: str, place: str) -> Network:
    """A network from the text of its file; `place` is how messages call it."""
    try:
        data = parse_json_object(text)
        if data.get("format") != _FORMAT:
            raise ValueError(f"got {text[:60]!r}")
        width = data["width"]
        if not isinstance(width, int) or not LEAST_WIDTH <= width <= MOST_WIDTH:
            raise ValueError(f"expected a width from {LEAST_WIDTH} to {MOST_WIDTH}, got {width!r:.80}")
        network = Network(width, data.get("provenance", {}))
        first, bias, second, last = (
            np.array(data[name], dtype=np.float64)
            for name in ("first", "first_bias", "second", "second_bias")
        )
        expected = ((network.inputs, _HIDDEN), (_HIDDEN,), (_HIDDEN,), ())
        if (first.shape, bias.shape, second.shape, last.shape) != expected:
            raise ValueError(
                f"expected {network.inputs} inputs and {_HIDDEN} hidden cells, got {first.shape}"
            )
        for values in (first, bias, second, last):
            if not np.isfinite(values).all() or np.abs(values).max() > _LARGEST:
                raise ValueError(f"expected numbers from {-_LARGEST:g} to {_LARGEST:g}")
        network.set_arrays(first, bias, second, float(last))
        return network
    except MISSHAPEN as error:
        raise InvalidWeights(f"{place}: expected a file of a {_FORMAT}: {error}") from error
