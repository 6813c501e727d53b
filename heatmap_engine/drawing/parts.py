"""The JavaScript that all pages share, as files for a server and as one script for a page by itself."""

import re
from collections.abc import Iterable, Mapping
from importlib import resources

import chess.svg

_IMPORT = re.compile(r"^import \{[^}]*\} from \"[^\"]*\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function|class|let) )", re.MULTILINE)
_STYLE = re.compile(r' style="([^"]*)"')

# In the order in which they need each other.
SHARED = ("shapes.js", "values.js", "colours.js", "board.js", "curve.js")


def part(name: str) -> str:
    """One of the shared files."""
    return (resources.files(__package__) / "page" / name).read_text(encoding="utf-8")


def shared_parts() -> Mapping[str, str]:
    return {name: part(name) for name in SHARED}


def as_one_script(scripts: Iterable[str]) -> str:
    """Modules put one after the other into one script: a page opened from disk may import nothing.

    Their imports and exports are one to a line and without other names, which a test makes sure of.
    """
    joined = "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in scripts)
    return f'"use strict";\n(() => {{\n{joined}}})();\n'


def pieces() -> str:
    """The drawings of all pieces, each with an id such as `white-king`.

    Their styles become attributes: a strict policy for pages allows no styles in elements.
    """
    return "".join(_STYLE.sub(_as_attributes, drawing) for drawing in chess.svg.PIECES.values())


def _as_attributes(found: "re.Match[str]") -> str:
    pairs = (pair.split(":") for pair in found[1].split(";") if pair.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in pairs)
