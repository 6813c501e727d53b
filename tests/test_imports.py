"""Imports point downwards only: the rooms in their order, and no cycle of files."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from import_graph import Graph, imports_of_cython, imports_of_python, read_graph  # noqa: E402

# Top to bottom. A room may import from lower lines and itself; rooms of one line know nothing of each other.
ROOMS = (
    "cli",
    "uci pictures web",
    "drawing",
    "tuning",
    "match",
    "learning",
    "players cluster",
    "workers engines",
    "reports",
    "classic deep",
    "memory",
    "board",
    "kernel",
)

# Everybody may use the ground floor, and below it lie the records of play, what games share, and tables.
GROUND = {"errors", "limits", "start", "stop", "user_files", "winning_chances"}
BELOW = (
    "games.chess games.perfect_clear games.tetris games.wood_block",
    "games.tetrominoes",
    "games",
    "qtable",
)

# These print nothing on a terminal.
PRINTS_NOTHING = (
    "engines",
    "learning",
    "match",
    "players",
    "tuning",
    "drawing",
    "pictures",
    "reports",
    "uci",
    "web",
)

# What a room must not import from outside of the project.
NOT_FOR = {
    "chess": ("qtable", "kernel"),
    "numpy": ("kernel",),
    "click": PRINTS_NOTHING,
    "rich": PRINTS_NOTHING,
    "websockets": (
        "cli",
        "engines",
        "learning",
        "match",
        "players",
        "tuning",
        "drawing",
        "pictures",
        "reports",
        "uci",
    ),
}


def room_of(module: str) -> str:
    """A module's room: a folder of the engine, "ground", or one of the packages below."""
    top, _, rest = module.partition(".")
    if top != "heatmap_engine":
        game = ".".join(module.split(".")[:2])
        return game if game in " ".join(BELOW).split() else top
    name = rest.partition(".")[0]
    return "ground" if name in GROUND else name or "face"


def height_of(room: str) -> int:
    """How far up a room lies; the public face names what lies anywhere, and is named by nobody."""
    order = [*(line.split() for line in ROOMS), ["ground"], *(line.split() for line in BELOW)]
    found = [place for place, names in enumerate(reversed(order)) if room in names]
    if room == "face":
        return len(order)
    if not found:
        pytest.fail(f"{room} has no place among the rooms")
    return found[0]


def faults_of(graph: Graph) -> list[str]:
    """Imports of what is not below, and of the specification, which only tests and benchmarks may know."""
    faults = []
    for module, imports in graph.items():
        for imported in imports:
            one, other = room_of(module), room_of(imported)
            is_below = one == other or (other != "reference" and height_of(one) > height_of(other))
            if not is_below:
                faults.append(f"{module} imports {imported}, which is not below it")
    return faults


def test_imports_point_downwards_only() -> None:
    graph = {name: found for name, found in read_graph(ROOT).items() if name != "heatmap_engine.reference"}
    assert faults_of(graph) == []


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = read_graph(ROOT)
    left = {module: {*imports} & graph.keys() for module, imports in graph.items()}
    while ends := {module for module, imports in left.items() if not imports & left.keys()}:
        left = {module: imports for module, imports in left.items() if module not in ends}
    assert sorted(left) == []


def test_rooms_know_no_more_of_the_outside_than_they_need() -> None:
    graph = read_graph(ROOT, outside=True)
    stubs = {
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in ROOT.rglob("*.pyi")
    }
    faults = [
        f"{module} imports {package}"
        for module, imports in graph.items()
        for package, rooms in NOT_FOR.items()
        # The kernel takes a board at its door, and its stubs name the types.
        if room_of(module) in rooms
        and module not in stubs
        and package in {name.partition(".")[0] for name in imports}
    ]
    assert faults == []


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("qtable.table", "heatmap_engine.errors"),
        ("games.chess.archive", "heatmap_engine.board.heat"),
        ("games.lines", "games.chess.archive"),
        ("games.perfect_clear.solver", "games.chess.archive"),
        ("games.tetrominoes.pieces", "games.perfect_clear.solver"),
        ("games.tetris.playing", "games.perfect_clear.solver"),
        ("games.tetris.evolving", "heatmap_engine.workers.pool"),
        ("games.wood_block.players", "games.perfect_clear.solver"),
        ("heatmap_engine.kernel.board.moves", "heatmap_engine.board.heat"),
        ("heatmap_engine.classic.search", "heatmap_engine.deep.search"),
        ("heatmap_engine.deep.search", "heatmap_engine.classic.weights"),
        ("heatmap_engine.memory.lesson", "heatmap_engine.engines.engine"),
        ("heatmap_engine.engines.engine", "heatmap_engine.cli.common"),
        ("heatmap_engine.classic.scoring", "heatmap_engine.reference"),
        ("heatmap_engine.uci.session", "heatmap_engine.pictures.picture"),
        ("heatmap_engine.web.session", "heatmap_engine.pictures.page"),
        ("heatmap_engine.web.house", "heatmap_engine.uci.session"),
        ("heatmap_engine.drawing.parts", "heatmap_engine.pictures.page"),
        ("heatmap_engine.errors", "heatmap_engine.board.heat"),
    ],
)
def test_wrong_ways_are_seen(module: str, imported: str) -> None:
    assert faults_of({module: {imported}})


def test_every_way_of_importing_is_seen() -> None:
    python = (
        "import chess.pgn\nfrom heatmap_engine.board import ends\nfrom . import moves\n"
        "def f():\n    from ..scoring import x"
    )
    assert [*imports_of_python(python, "heatmap_engine.kernel.heat", is_package=False)] == [
        "chess.pgn",
        "heatmap_engine.board.ends",
        "heatmap_engine.kernel.moves",
        "heatmap_engine.scoring.x",
    ]
    cython = "from libc.math cimport exp\ncimport numpy as np\nfrom heatmap_engine.bits cimport (\n    A,\n)"
    assert [*imports_of_cython(cython, "m")] == ["libc.math", "numpy", "heatmap_engine.bits"]
