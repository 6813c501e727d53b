"""Blocks and sets of blocks, as data."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from games.wood_block.errors import InvalidRules

# A block is no longer and no wider than the smallest grid.
LONGEST = 5
# More blocks in a set than the kernel has room for.
MOST_BLOCKS = 64
# More bytes are no set of blocks.
_LARGEST_FILE = 20_000

Cell = tuple[int, int]


@dataclass(frozen=True)
class Block:
    """A block by its rows from above, such as `XX/X.`; it is never turned."""

    rows: tuple[str, ...]

    @cached_property
    def cells(self) -> frozenset[Cell]:
        """Row and column of each cell, from the upper left corner."""
        return frozenset(
            (row, column)
            for row, text in enumerate(self.rows)
            for column, mark in enumerate(text)
            if mark == "X"
        )

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0])

    def __str__(self) -> str:
        return "/".join(self.rows)


@dataclass(frozen=True)
class BlockSet:
    """The blocks of which each one of a hand is drawn, all with the same probability."""

    name: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.blocks) <= MOST_BLOCKS:
            raise InvalidRules(
                f"expected a set of 1 to {MOST_BLOCKS} blocks, got {len(self.blocks)} in {self.name!r:.80}"
            )

    def number_of(self, block: Block) -> int:
        """Where a block is in the set."""
        if block not in self.blocks:
            raise InvalidRules(f"expected a block of the set {self.name}, got {block}")
        return self.blocks.index(block)


def parse_block(text: str) -> Block:
    """A block such as `XX/X.`: rows from above, `X` or `#` for a cell, `.` or `_` for none.

    Empty rows and columns around the cells are left out.
    """
    marks = {"X": "X", "x": "X", "#": "X", ".": ".", "_": "."}
    rows = text.strip().split("/")
    if any(mark not in marks for row in rows for mark in row):
        raise InvalidRules(f"expected a block of X and . with / between its rows, got {text!r:.60}")
    cells = [
        (row, column)
        for row, line in enumerate(rows)
        for column, mark in enumerate(line)
        if marks[mark] == "X"
    ]
    if not cells:
        raise InvalidRules(f"expected a block with at least one cell, got {text!r:.60}")
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    height, width = max(row for row, _ in cells) - top + 1, max(column for _, column in cells) - left + 1
    if max(height, width) > LONGEST:
        raise InvalidRules(
            f"expected a block of at most {LONGEST} rows and columns, got {height} by {width} in {text!r:.60}"
        )
    filled = {(row - top, column - left) for row, column in cells}
    return Block(
        tuple(
            "".join("X" if (row, column) in filled else "." for column in range(width))
            for row in range(height)
        )
    )


def _set(name: str, text: str) -> BlockSet:
    return BlockSet(name, tuple(map(parse_block, text.split())))


SETS = {
    # Those of the game that the first description of this search was written for.
    "21": _set(
        "21",
        "X XX X/X XXX X/X/X X./X./XX XXX/X.. XX/.X/.X ..X/XXX XXX/.X. .X/XX/.X .X./XXX X./XX/X. XX/XX "
        "XX./.XX .X/XX/X. .X./XXX/.X. X../X../XXX XXX/X../X.. XXX/..X/..X ..X/..X/XXX",
    ),
    # Those of Blockudoku, as the solver blokie lists them.
    "47": _set(
        "47",
        "X XX X/X X./.X .X/X. XXX X/X/X X../.X./..X ..X/.X./X.. XX/X. X./XX .X/XX XX/.X XXXX X/X/X/X XX/XX "
        "X./X./XX ..X/XXX XX/.X/.X XXX/X.. XX/X./X. XXX/..X .X/.X/XX X../XXX .X./XXX X./XX/X. .X/XX/.X "
        "XXX/.X. XX./.XX .X/XX/X. X./XX/.X .XX/XX. XXXXX X/X/X/X/X X../XXX/X.. XXX/.X./.X. .X./.X./XXX "
        "..X/XXX/..X XXX/X.X XX/.X/XX XX/X./XX X.X/XXX XXX/X../X.. XXX/..X/..X ..X/..X/XXX X../X../XXX "
        ".X./XXX/.X.",
    ),
}


def read_set(name: str) -> BlockSet:
    """The set of that name, or the one in a file of that name: blocks in words, `#` begins a comment.

    A block that is there twice comes twice as often.
    """
    if name in SETS:
        return SETS[name]
    path = Path(name)
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        raise InvalidRules(
            f"expected one of the sets {', '.join(SETS)} or a file with blocks, got {name!r:.80}"
        ) from None
    if len(text) > _LARGEST_FILE:
        raise InvalidRules(f"expected a file with blocks in {path}, got more than {_LARGEST_FILE:,} bytes")
    lines = [line.partition("# ")[0] for line in text.splitlines() if not line.startswith("#")]
    return BlockSet(str(path), tuple(map(parse_block, " ".join(lines).split())))
