"""Draws who imports whom: rooms that import each other, cycles, the longest chain, what three flows load.

    python benchmarks/import_graph.py                  # of this checkout
    python benchmarks/import_graph.py --root OTHER     # of another one, to compare
    python benchmarks/import_graph.py --dot > rooms.dot

`tests/test_imports.py` reads the graph from here and says what it must be.
"""

import argparse
import ast
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

PACKAGES = ("heatmap_engine", "qtable", "games")
Graph = Mapping[str, set[str]]

_CIMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\b|c?import\s+([\w.]+))", re.MULTILINE)

# What runs in a process of its own, and prints the files of ours that it has executed.
_FLOWS = {
    "uci go -> bestmove -> learned": """
import io, sys
from heatmap_engine.uci.loop import run
from heatmap_engine.uci.wire import Output
said = b"position startpos moves f2f3 e7e5 g2g4\\ngo depth 3\\nisready\\n"
run(io.BytesIO(b"uci\\nsetoption name QTable value <memory>\\nisready\\n" + said), Output(io.BytesIO()))
""",
    "self-play game -> table": """
sys.argv = ["heatmap-engine", "selfplay", "--games", "1", "--max-plies", "12", "--workers", "1",
            "--mode", "classic", "--plies", "1", "--table", "t.table", "--run", "run"]
from heatmap_engine.cli import main
main()
""",
    "query": """
sys.argv = ["heatmap-engine", "query", "--json", "--no-table"]
from heatmap_engine.cli import main
main()
""",
}
_REPORT = """
import atexit, sys
def _report():
    files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
    packages = ("heatmap_engine", "qtable", "games")
    ours = [name for name, file in files.items() if name.split(".")[0] in packages
            and file and (not file.endswith("__init__.py") or len(open(file).readlines()) > 1)]
    print(len(ours), file=sys.stderr)
atexit.register(_report)
"""


def imports_of_python(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """What a module imports, each name with the module it is imported from: of `from a import b` a.b."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if is_package else module.split(".")[:-1]
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imports_of_cython(source: str, module: str) -> Iterator[str]:
    package = module.rpartition(".")[0]
    for match in _CIMPORT.finditer(source):
        base = match[1] or match[2]
        yield package + base if base.startswith(".") else base


def read_graph(root: Path, *, outside: bool = False) -> dict[str, set[str]]:
    """Every module with those of the project that it imports, or with all where `outside` is asked for.

    Imports for type checkers alone count as well: who needs a name knows the module.
    """
    graph: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py*")):
            if path.suffix not in {".py", ".pyi", ".pyx", ".pxd"}:
                continue
            name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
            if path.suffix in {".py", ".pyi"}:
                found = imports_of_python(path.read_text(), name, is_package=path.stem == "__init__")
            else:
                found = imports_of_cython(path.read_text(), name)
            graph.setdefault(name, set()).update(found)
    if outside:
        return graph
    return {
        module: {found for name in names if (found := _module_of(name, graph)) not in (None, module)}
        for module, names in graph.items()
    }


def _module_of(name: str, graph: Graph) -> str | None:
    """The module that a name is, or that it is in."""
    return next((each for each in (name, name.rpartition(".")[0]) if each in graph), None)


def room_of(module: str) -> str:
    """The folder that a module lies in, one below its package; loose files are rooms of their own."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] in {"heatmap_engine", "games"} else parts[0]


def rooms_of(graph: Graph) -> Counter[tuple[str, str]]:
    """How many imports lead from room to room; packages' faces left out."""
    pairs = ((room_of(module), room_of(name)) for module, names in graph.items() for name in names)
    return Counter((one, other) for one, other in pairs if one != other and one not in PACKAGES)


def mutual(rooms: Counter[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted((one, other) for one, other in rooms if one < other and (other, one) in rooms)


def circles(graph: Graph) -> list[str]:
    """The files that lie on a cycle of imports, or lead to one."""
    left = {module: {*names} for module, names in graph.items()}
    while ends := {module for module, names in left.items() if not names & left.keys()}:
        left = {module: names for module, names in left.items() if module not in ends}
    return sorted(left)


def longest_chain(graph: Graph) -> int:
    """How many files stand on the longest way down; files on cycles are counted once."""

    @cache
    def below(module: str, above: frozenset[str] = frozenset()) -> int:
        names = graph[module] - above - {module}
        return 1 + max((below(name) for name in names if name not in on_circle), default=0)

    on_circle = {*circles(graph)}
    return max(below(module) for module in graph if module not in on_circle or len(on_circle) == len(graph))


def executed(root: Path, code: str) -> int:
    """How many files of ours a flow has loaded by its end."""
    with tempfile.TemporaryDirectory() as folder:
        prelude = f"import sys\nsys.path.insert(0, {str(root)!r})\n{_REPORT}"
        done = subprocess.run(
            [sys.executable, "-c", prelude + code], cwd=folder, capture_output=True, text=True, check=False
        )
    return int(done.stderr.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--root", type=Path, default=Path(__file__).parents[1], help="the checkout to look at"
    )
    parser.add_argument("--dot", action="store_true", help="print the rooms as a graph for Graphviz")
    args = parser.parse_args()
    graph = read_graph(args.root)
    rooms = rooms_of(graph)
    say = sys.stdout.write
    if args.dot:
        lines = (f'  "{one}" -> "{other}" [label={count}];' for (one, other), count in sorted(rooms.items()))
        say("\n".join(["digraph rooms {", *lines, "}", ""]))
        return
    say(f"files                       {len(graph)}" + "\n")
    say(f"rooms                       {len({room_of(module) for module in graph})}" + "\n")
    say(f"imports between rooms       {sum(rooms.values())}" + "\n")
    say(
        f"rooms that import each other {len(mutual(rooms))}: {', '.join(map(' and '.join, mutual(rooms)))}"
        + "\n"
    )
    say(f"files on a cycle            {len(circles(graph))}" + "\n")
    say(f"files on the longest chain  {longest_chain(graph)}" + "\n")
    for name, code in _FLOWS.items():
        say(f"files executed, {name}: {executed(args.root, code)}" + "\n")


if __name__ == "__main__":
    main()
