"""Which weights deep mode uses where nobody names any: the user's own, once `tune --adopt` has tried them.

They are kept in the folder `weights` of the user's data:

| file          | holds                                                                            |
|---------------|----------------------------------------------------------------------------------|
| `in-use.json` | the name of the file of weights in use; without it these are the package's       |
| `NAME.json`   | weights that were adopted once. It stays: runs and matches that began with it use it |
| `NAME.md`     | the report of the match that they won                                            |
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from games.durable import write_at_once
from heatmap_engine.deep.weights import DeepWeights, learned_weights, load_weights, weights_as_text
from heatmap_engine.errors import InvalidWeights
from heatmap_engine.user_files import weights_path
from qtable.json_input import InvalidJson, parse_json_object, read_text

PACKAGE = "package"
"""The word for the weights that come with the package, where the name of a file may stand."""

_POINTER = "in-use.json"
_FORMAT = 1
_WAY_BACK = "heatmap-engine tune --unadopt goes back to the package's weights"
_DIGITS = 8


def weights_in_use() -> DeepWeights:
    """The user's own weights, or the package's; raises InvalidWeights if the user's cannot be read."""
    path = adopted_path()
    return learned_weights() if path is None else load_adopted(path)


def load_adopted(path: Path) -> DeepWeights:
    """The weights in a file that was adopted; the error names the way back."""
    try:
        return load_weights(path)
    except InvalidWeights as error:
        raise InvalidWeights(f"your own weights cannot be used: {error}; {_WAY_BACK}") from error


def adopted_path() -> Path | None:
    """The file of the user's own weights, if any are in use; it may be damaged."""
    pointer = weights_path() / _POINTER
    try:
        data = parse_json_object(read_text(pointer))
        name = data["file"]
        if data["format"] != _FORMAT or not isinstance(name, str) or Path(name).name != name:
            raise ValueError(f"got {data!r:.80}")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, InvalidJson, KeyError, ValueError) as error:
        raise InvalidWeights(
            f"{pointer}: expected the name of a file of weights: {error}; {_WAY_BACK}"
        ) from error
    return pointer.with_name(name)


def weights_of(path: str | Path | None) -> DeepWeights:
    """The weights in a file, the package's by the word `package`, or without either those in use."""
    if path is None:
        return weights_in_use()
    return learned_weights() if str(path) == PACKAGE else load_weights(path)


def fixed_weights(path: str | Path | None) -> str | None:
    """What means the same weights tomorrow, whatever is adopted until then; None are the package's.

    For runs and matches, which go on with what they began with.
    """
    if path is None:
        path = adopted_path()
    return None if path is None or str(path) == PACKAGE else str(Path(path).resolve())


def fingerprint(weights: DeepWeights) -> str:
    """What tells weights from all others, whatever they are called.

    Constants of the search as usual say nothing, so that fingerprints in journals stay what they were.
    """
    values = sorted((name, pair) for name, pair in weights.values.items() if any(pair))
    rows = [(name, f"{one:.6g}", f"{other:.6g}") for name, (one, other) in values]
    changed = sorted(weights.search.changed.items())
    net = [] if weights.net is None else [weights.net.as_json()]
    text = json.dumps([rows, weights.worth, *([changed] if changed else []), *net])
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def adopt(weights: DeepWeights, report: str, match: Mapping[str, Any]) -> Path:
    """Use these weights from now on; gives the file where they are kept, beside the report.

    They get a name that no others have, because journals of tables say by that name who found their values.
    """
    name = f"{date.today()}-{fingerprint(weights)}"
    provenance = {**weights.provenance, "learned as": weights.name, "adopted after": dict(match)}
    folder = weights_path()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    write_at_once(path, weights_as_text(replace(weights, name=f"own {name}", provenance=provenance)))
    write_at_once(path.with_suffix(".md"), report)
    write_at_once(folder / _POINTER, json.dumps({"format": _FORMAT, "file": path.name}) + "\n")
    return path


def unadopt() -> bool:
    """Use the package's weights again; says whether others were in use. The adopted file stays."""
    pointer = weights_path() / _POINTER
    was_there = pointer.is_symlink() or pointer.exists()
    pointer.unlink(missing_ok=True)
    return was_there
