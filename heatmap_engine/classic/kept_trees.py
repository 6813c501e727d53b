"""Trees of searches that are kept while a game is played and walked back.

The walk searches every position of a game once more. Its tree is the same one, the keys of its leaves are,
and so is what the leaves are worth by themselves; only what the table and the walk know is new.
"""

from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.classic.tree import Tree

# Nodes that are kept, 136 bytes each and 90 for a leaf's key. A game of 150 plies has some 150,000.
_MOST_NODES = 200_000

# The position's key, how many positions are in its history, plies, tactical plies.
_Place = tuple[str, int, int, int]


class GrownTree:
    """A tree that is fully expanded, and the keys of its leaves in parts."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._keys: dict[tuple[int, int], list[str]] = {}

    def keys(self, start: int, stop: int) -> list[str]:
        """The table's keys of the leaves from `start` to before `stop`."""
        part = start, stop
        if part not in self._keys:
            self._keys[part] = self.tree.leaf_keys(start, stop)
        return self._keys[part]


class KeptTrees:
    """The last trees of one game's positions, all for the same heat and weights. For one thread at a time."""

    def __init__(self) -> None:
        self._trees: dict[_Place, GrownTree] = {}
        self._nodes = 0

    def find(
        self, root: PackedPosition, history: list[PackedPosition], plies: int, tactical: int
    ) -> GrownTree | None:
        grown = self._trees.get((key_of(root), len(history), plies, tactical))
        return grown if grown is not None and grown.tree.is_of(root, history) else None

    def keep(
        self, grown: GrownTree, root: PackedPosition, history: list[PackedPosition], plies: int, tactical: int
    ) -> None:
        """Keep this one, and let go of the oldest ones if there are too many; a walk begins at the end."""
        place = key_of(root), len(history), plies, tactical
        self._let_go(place)
        self._trees[place] = grown
        self._nodes += grown.tree.nodes
        while self._nodes > _MOST_NODES:
            self._let_go(next(iter(self._trees)))

    def _let_go(self, place: _Place) -> None:
        old = self._trees.pop(place, None)
        if old is not None:
            self._nodes -= old.tree.nodes
