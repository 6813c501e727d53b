"""Settings of a run as JSON: a version and the fields of a dataclass, no more and no fewer."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from heatmap_engine.errors import InvalidRun

Settings = TypeVar("Settings")


def settings_to_json(version: int, values: Mapping[str, Any]) -> str:
    return json.dumps({"version": version, **values}, indent=1, ensure_ascii=False) + "\n"


def settings_from_json(kind: type[Settings], version: int, text: str) -> Settings:
    """The settings that `settings_to_json` wrote; raises InvalidRun."""
    data = _parsed(version, text)
    known = {item.name for item in fields(kind)}  # type: ignore[arg-type]  # a dataclass
    if unknown := set(data) - known:
        raise InvalidRun(f"expected the settings of a run, got also {', '.join(sorted(unknown))}")
    try:
        return kind(**data)
    except (TypeError, ValueError) as error:
        raise InvalidRun(f"expected the settings of a run: {error}") from error


def _parsed(version: int, text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise InvalidRun(f"expected the settings of a run as JSON: {error}") from error
    if not isinstance(data, dict) or data.pop("version", None) != version:
        raise InvalidRun(f"expected the settings of a run, version {version}, got {text[:80]!r}")
    return data
