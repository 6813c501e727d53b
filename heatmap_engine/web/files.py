"""What the server serves: a handful of files that are read once. Nothing else has an address."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from string import Template

from heatmap_engine.drawing.parts import pieces, shared_parts

_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class File:
    kind: str
    body: bytes


def page_files() -> Mapping[str, File]:
    """Every address with its file."""
    own = {
        path.name: path.read_text(encoding="utf-8")
        for path in (resources.files(__package__) / "page").iterdir()
        if path.name.rpartition(".")[2] in _TYPES
    }
    scripts = {**shared_parts(), **{name: text for name, text in own.items() if name.endswith(".js")}}
    preloads = "\n".join(
        f'<link rel="modulepreload" href="/{html.escape(name)}">' for name in sorted(scripts)
    )
    page = Template(own["index.html"]).substitute(pieces=pieces(), preloads=preloads)
    served = {"/": page, "/style.css": own["style.css"], "/icon.svg": own["icon.svg"]}
    served |= {f"/{name}": text for name, text in scripts.items()}
    return {
        address: File(_TYPES["html" if address == "/" else address.rpartition(".")[2]], text.encode())
        for address, text in served.items()
    }
