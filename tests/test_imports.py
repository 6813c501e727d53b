"""Imports point downwards only: which package may know which, as a table that is walked."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("heatmap_engine", "qtable", "games")

# What stands above the engine may use nearly everything, but never the specification.
GAMES_AND_MATCHES = (
    "engine reports learning.walk learning.deep_walk learning.finished search memory scoring keys positions "
    "weights kernel errors deep deep_engine deep_settings deep_table table_engine observer heat_weights "
    "winning_chances mates clock limited_search strength_limit places modes stop qtable games"
)
PEOPLE = "learning " + GAMES_AND_MATCHES

# The rooms, top to bottom, and the rooms that each may import from. A module belongs to the longest name
# here that it begins with, and may always import from its own room. A new module needs a line.
MAY_IMPORT = {
    # people and protocols: parse, print, nothing else
    "heatmap_engine.cli": f"uci pictures {PEOPLE}",
    "heatmap_engine.uci": PEOPLE,
    "heatmap_engine.web": PEOPLE,
    # reports and games as pictures
    "heatmap_engine.pictures": "engine reports scoring positions errors games",
    # one position, one clock, one answer
    "heatmap_engine.engines.classic": "table_engine observer reports learning.walk search memory positions weights "
    "errors qtable",
    "heatmap_engine.engines.deep": "table_engine observer learning.walk learning.deep_walk deep "
    "deep_settings deep_table heat_weights positions kernel errors qtable reports search stop",
    # a table to remember in and games to learn from, in both modes
    "heatmap_engine.engines.base": "learning.walk learning.finished memory late_table errors qtable games",
    # who hears of a pick while it is made
    "heatmap_engine.engines.observer": "stop",
    # games, batches, matches, cluster
    "heatmap_engine.learning": GAMES_AND_MATCHES,
    # what the engine itself needs to learn from one game
    "heatmap_engine.memory.walk": "search memory scoring positions keys kernel errors qtable games",
    "heatmap_engine.deep.rethinking": "learning.walk deep deep_settings deep_table positions keys kernel "
    "qtable games",
    "heatmap_engine.memory.finished_game": "scoring positions errors games",
    # what is known of a position, for all who print it
    "heatmap_engine.reports": "deep mates heat_weights search scoring positions weights kernel errors "
    "winning_chances qtable",
    # what a search found, kept in a table
    "heatmap_engine.memory.memory": "late_table search keys errors qtable",
    # a table that is made when there is something to write
    "heatmap_engine.memory.lazy_table": "qtable",
    # the tree: expand, ask the table, score the rest, back up
    "heatmap_engine.classic.search": "scoring positions weights kernel errors qtable",
    # the deep search: one position, its limits, what each iteration found
    "heatmap_engine.deep.search": "mates heat_weights clock positions stop kernel errors",
    # the deep search held back to a level
    "heatmap_engine.deep.limited_search": "deep strength_limit heat_weights positions stop",
    "heatmap_engine.deep.levels": "errors",  # what a level means
    # between the deep search and its table
    "heatmap_engine.deep.entries": "deep mates positions kernel qtable",
    "heatmap_engine.deep.mates": "kernel",  # mates among deep values
    "heatmap_engine.deep.settings": "heat_weights errors",
    # the face of the kernel: input is checked here
    "heatmap_engine.classic.scoring": "positions weights kernel errors",
    "heatmap_engine.board.keys": "positions kernel errors",
    "heatmap_engine.board.reading": "kernel errors",
    "heatmap_engine.classic.weights": "kernel errors",
    "heatmap_engine.deep.weights": "kernel errors",
    "heatmap_engine.winning_chances": "",  # what a score means for the result
    "heatmap_engine.clock": "",  # how long to think
    # the executable specification, on python-chess
    "heatmap_engine.reference": "weights",
    # the ground: the kernel knows chess, qtable knows no chess, games keeps records
    "heatmap_engine.kernel": "",
    "heatmap_engine.errors": "",
    "heatmap_engine.user_files": "errors",  # where files live
    "heatmap_engine.stop": "",  # how one thread ends what another does
    "heatmap_engine.engines.mode_names": "",  # the two ways to think, by name
    "qtable": "",
    "games": "qtable",
    # the lazy public face names what it hands on, for type checkers
    "heatmap_engine": "pictures engine table_engine reports learning learning.walk search scoring keys "
    "positions weights errors",
}

# What a room must not import from outside of the project either.
FORBIDDEN_OUTSIDE = {
    "qtable": {"chess"},
    "heatmap_engine.kernel": {"chess", "numpy", "click", "rich"},
    "heatmap_engine.errors": {"chess", "numpy", "click", "rich"},
    "heatmap_engine.classic.scoring": {"click", "rich"},
    "heatmap_engine.classic.search": {"click", "rich"},
    "heatmap_engine.reports": {"click", "rich"},
    "heatmap_engine.engines.classic": {"click", "rich"},
    "heatmap_engine.learning": {"click", "rich"},
    "heatmap_engine.pictures": {"click", "rich"},
}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str:
    rooms = [room for room in MAY_IMPORT if module == room or module.startswith(room + ".")]
    room = max(rooms, key=len)
    if room == "heatmap_engine" and module != "heatmap_engine":
        name = module.split(".")[1]
        pytest.fail(f"{module} has no place among the layers: add heatmap_engine.{name} to MAY_IMPORT")
    return room


def imports_of_python(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if is_package else module.split(".")[:-1]
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            # `from package import module` imports the module; a name in a module stays in its room.
            yield from (f"{base}.{alias.name}" if base in PACKAGES else base for alias in node.names)


_CIMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\b|c?import\s+([\w.]+))", re.MULTILINE)


def imports_of_cython(source: str, module: str) -> Iterator[str]:
    package = module.rpartition(".")[0]
    for match in _CIMPORT.finditer(source):
        base = match[1] or match[2]
        yield package + base if base.startswith(".") else base


def all_imports() -> Iterator[tuple[str, str]]:
    """Every module of the project with each module that it imports."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*")):
            name = module_name(path)
            if path.suffix in {".py", ".pyi"}:
                found = imports_of_python(path.read_text(), name, is_package=path.stem == "__init__")
            elif path.suffix in {".pyx", ".pxd"}:
                found = imports_of_cython(path.read_text(), name)
            else:
                continue
            yield from ((name, imported) for imported in found)


def inside(module: str) -> bool:
    return module.split(".")[0] in PACKAGES


def full_name(room: str) -> str:
    return room if inside(room) else f"heatmap_engine.{room}"


def faults_of(module: str, imported: str, *, is_stub: bool = False) -> str | None:
    room = room_of(module)
    if not inside(imported):
        # The kernel takes a board at its door, and its stubs name the types; nothing else of it does.
        forbidden = FORBIDDEN_OUTSIDE.get(room, set())
        return f"{module} imports {imported}" if imported.split(".")[0] in forbidden and not is_stub else None
    target = "heatmap_engine" if imported.startswith("heatmap_engine.__") else room_of(imported)
    allowed = {room, *map(full_name, MAY_IMPORT[room].split())}
    return None if target in allowed else f"{module} imports {imported}, which is not below it"


def test_imports_point_downwards_only() -> None:
    stubs = {module_name(path) for path in ROOT.glob("heatmap_engine/kernel/*.pyi")}
    faults = {faults_of(module, imported, is_stub=module in stubs) for module, imported in all_imports()} - {
        None
    }
    assert not faults, "\n".join(sorted(filter(None, faults)))


def test_no_room_is_above_itself() -> None:
    below = {room: {*map(full_name, names.split())} for room, names in MAY_IMPORT.items()}
    for room in below:
        reached, waiting = set(), {*below[room]}
        while waiting:
            reached |= waiting
            waiting = set().union(*(below[name] for name in waiting)) - reached
        assert room not in reached, f"{room} is below itself"


def test_reference_is_imported_by_tests_and_benchmarks_only() -> None:
    users = {module for module, imported in all_imports() if imported.startswith("heatmap_engine.reference")}
    assert users == set()


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("qtable.store", "chess"),
        ("qtable.store", "heatmap_engine.errors"),
        ("games.chess.archive", "heatmap_engine.classic.scoring"),
        ("heatmap_engine.kernel.board.moves", "heatmap_engine.classic.scoring"),
        ("heatmap_engine.kernel.board.moves", "numpy"),
        ("heatmap_engine.classic.scoring", "heatmap_engine.classic.search"),
        ("heatmap_engine.classic.search", "heatmap_engine.engines.classic"),
        ("heatmap_engine.engines.classic", "heatmap_engine.cli.common"),
        ("heatmap_engine.classic.scoring", "heatmap_engine.reference"),
        ("heatmap_engine.uci", "heatmap_engine.cli.common"),
    ],
)
def test_wrong_ways_are_seen(module: str, imported: str) -> None:
    assert faults_of(module, imported)


def test_every_way_of_importing_is_seen() -> None:
    python = (
        "import chess.pgn\nfrom heatmap_engine import search\nfrom . import moves\n"
        "def f():\n    from ..scoring import x"
    )
    assert list(imports_of_python(python, "heatmap_engine.kernel.classic.heat", is_package=False)) == [
        "chess.pgn",
        "heatmap_engine.classic.search",
        "heatmap_engine.kernel",
        "heatmap_engine.classic.scoring",
    ]
    cython = (
        "from libc.math cimport exp\ncimport numpy as np\n"
        "from heatmap_engine.kernel.board.bits cimport (\n    A,\n)"
    )
    assert list(imports_of_cython(cython, "m")) == ["libc.math", "numpy", "heatmap_engine.kernel.board.bits"]
