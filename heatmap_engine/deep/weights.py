"""The weights of the evaluation, with the search's constants and where they were learned; kept as JSON."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from heatmap_engine.deep.constants import USUAL, SearchConstants
from heatmap_engine.deep.net import Net
from heatmap_engine.errors import InvalidWeights, shown
from heatmap_engine.kernel.deep.evaluation import NAMES, HeatWeights
from qtable.json_input import MISSHAPEN, InvalidJson, parse_json, read_text

FORMAT = 1
FORMAT_WITH_SEARCH = 2
"""A file with constants of the search. A program that knows none must refuse it, not play without them."""
FORMAT_WITH_NET = 3
"""A file with a net, and perhaps with constants of the search."""
FORMATS = (FORMAT, FORMAT_WITH_SEARCH, FORMAT_WITH_NET)
PIECES = ("pawn", "knight", "bishop", "rook", "queen", "king")
LARGEST = 30_000.0

Pair = tuple[float, float]
Six = tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class DeepWeights:
    """What each feature adds to the evaluation, in the middlegame and in the endgame, by its name.

    A missing name counts as zero. `worth` is what a piece of each kind is worth in an exchange. `search` are
    the constants of the search that uses them. `net` adds to the sum of the features, if there is one.
    """

    name: str
    values: Mapping[str, Pair]
    worth: Six
    provenance: Mapping[str, Any] = field(default_factory=dict)
    search: SearchConstants = USUAL
    net: Net | None = None

    def __post_init__(self) -> None:
        unknown = sorted(set(self.values) - set(NAMES))
        if unknown:
            raise InvalidWeights(f"weights {self.name!r}: no feature is called {unknown[0]!r:.80}")
        for name, pair in self.values.items():
            if len(pair) != 2 or not all(abs(value) <= LARGEST for value in pair):
                raise InvalidWeights(
                    f"weights {self.name!r}: expected two numbers from {-LARGEST:g} to {LARGEST:g} "
                    f"for {name!r}, got {shown(pair)}"
                )
        if len(self.worth) != 6 or not all(0 <= worth <= LARGEST for worth in self.worth):
            raise InvalidWeights(
                f"weights {self.name!r}: expected the worth of six pieces, got {shown(self.worth)}"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Everything except the kernel's table, which a worker makes again."""
        return {name: value for name, value in vars(self).items() if name != "table"}

    @cached_property
    def table(self) -> HeatWeights:
        """The same weights laid out for the kernel."""
        net = None if self.net is None else self.net.table
        return HeatWeights([self.values.get(name, (0.0, 0.0)) for name in NAMES], self.worth, net)

    def scaled(self, factor: float) -> "DeepWeights":
        """The same weights in another unit."""
        values = {name: (factor * one, factor * other) for name, (one, other) in self.values.items()}
        worth = tuple(factor * worth for worth in self.worth)
        net = None if self.net is None else self.net.scaled(factor)
        return replace(self, name=f"{self.name} x {factor:g}", values=values, worth=worth, net=net)  # type: ignore[arg-type]  # six again


def _cmhm2() -> DeepWeights:
    values: dict[str, Pair] = {"move pawn": (1.0, 1.0)}
    for piece in PIECES[1:]:
        values |= {f"moves {piece} {count}": (float(count), float(count)) for count in range(28)}
    values |= {f"landing {piece} their box": (1.0, 1.0) for piece in PIECES}
    # A search must decide exchanges before anything is learned of pieces: roughly their numbers of moves.
    return DeepWeights("cmhm2", values, worth=(1.0, 4.0, 6.0, 7.0, 13.0, 4.0))


CMHM2 = _cmhm2()
"""A move counts one, a move into the other king's box one more: the heat of depth 0 of both sides.

Where neither side is in check this is score(P, 0), which counts the moves of the side to move, added to the
same with the turn passed, White minus Black.
"""


def load_weights(path: str | Path) -> DeepWeights:
    """The weights in a file that `save_weights` wrote; raises `InvalidWeights`."""
    try:
        data = parse_json(read_text(path))
    except OSError as error:
        raise InvalidWeights(f"{path}: expected weights as JSON: {error.strerror or error}") from error
    except InvalidJson as error:
        raise InvalidWeights(f"{path}: expected weights as JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") not in FORMATS:
        raise InvalidWeights(
            f"{path}: expected weights of format {', '.join(map(str, FORMATS[:-1]))} or {FORMATS[-1]}, "
            f"got {shown(data)}"
        )
    _require_parts(path, data)
    try:
        values = {name: (float(one), float(other)) for name, (one, other) in data["weights"].items()}
        worth = tuple(float(data["worth"][piece]) for piece in PIECES)
        search = SearchConstants(dict(data.get("search", {})))
        net = Net.of_json(data["net"]) if "net" in data else None
        return DeepWeights(str(data["name"]), values, worth, dict(data["provenance"]), search, net)  # type: ignore[arg-type]  # six
    except InvalidWeights as error:
        raise InvalidWeights(f"{path}: {error}") from error
    except MISSHAPEN as error:
        raise InvalidWeights(f"{path}: expected name, weights, worth and provenance: {error!r}") from error


def _require_parts(path: str | Path, data: Mapping[str, Any]) -> None:
    """A file has the parts that its format says, so that no program leaves one out unknowingly."""
    has_net, has_search, its_format = "net" in data, "search" in data, data["format"]
    if has_net != (its_format == FORMAT_WITH_NET):
        raise InvalidWeights(
            f"{path}: expected a net in format {FORMAT_WITH_NET} and in no other, "
            f"got format {its_format} with{'' if has_net else 'out'} one"
        )
    if not has_net and has_search != (its_format == FORMAT_WITH_SEARCH):
        raise InvalidWeights(
            f"{path}: expected constants of the search in format {FORMAT_WITH_SEARCH} and in no other, "
            f"got format {its_format} with{'' if has_search else 'out'} them"
        )


def save_weights(path: str | Path, weights: DeepWeights) -> None:
    """Write weights to a file."""
    Path(path).write_text(weights_as_text(weights), encoding="utf-8")


def weights_as_text(weights: DeepWeights) -> str:
    """What a file of weights holds: JSON, one feature a line, and one row of the net.

    Constants are in it if any is not as usual, and then all of them: what is usual may change.
    """
    data = {
        "format": _format_of(weights),
        "name": weights.name,
        "provenance": dict(weights.provenance),
        "worth": dict(zip(PIECES, weights.worth, strict=True)),
        **({"search": dict(weights.search.values)} if weights.search.changed else {}),
    }
    head = json.dumps(data, indent=1).removesuffix("\n}")
    rows = [
        f"  {json.dumps(name)}: [{one:.6g}, {other:.6g}]"
        for name, (one, other) in weights.values.items()
        if one or other
    ]
    net = "" if weights.net is None else ',\n "net": {\n' + ",\n".join(_net_lines(weights.net)) + "\n }"
    return head + ',\n "weights": {\n' + ",\n".join(rows) + "\n }" + net + "\n}\n"


def _format_of(weights: DeepWeights) -> int:
    if weights.net is not None:
        return FORMAT_WITH_NET
    return FORMAT_WITH_SEARCH if weights.search.changed else FORMAT


def _net_lines(net: Net) -> Iterator[str]:
    for name, rows in net.as_json().items():
        if isinstance(rows, dict):
            lines = ",\n".join(
                f"   {json.dumps(its_name)}: {json.dumps(row)}" for its_name, row in rows.items()
            )
            yield f"  {json.dumps(name)}: {{\n{lines}\n  }}"
        else:
            yield f"  {json.dumps(name)}: {json.dumps(rows)}"


def learned_weights() -> DeepWeights:
    """The weights that come with the package."""
    with resources.as_file(resources.files("heatmap_engine.deep") / "weights.json") as path:
        return load_weights(path)
