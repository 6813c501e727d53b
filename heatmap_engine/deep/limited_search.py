"""The deep search limited to a level."""

from dataclasses import replace
from random import Random

from heatmap_engine.board.reading import BoardLike
from heatmap_engine.deep.levels import Level, choice
from heatmap_engine.deep.search import DeepResult, DeepSearch
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.limits import Limits
from heatmap_engine.stop import Stop

_HASH_MIB = 1


class LimitedSearch:
    """Picks moves as a player of one level does.

    It knows no table, begins each search with an empty hash, and searches in one thread: what it plays
    depends on the position, the level and the random source only, unless the clock runs out.
    """

    def __init__(self, weights: DeepWeights, level: Level, source: Random) -> None:
        self.level = level
        self._source = source
        self._search = DeepSearch(weights, hash_mib=_HASH_MIB)

    @property
    def permille_used(self) -> int:
        """How much of its hash the last search has filled."""
        return self._search.permille_used

    def search(self, board: BoardLike, limits: Limits | None = None, stop: Stop | None = None) -> DeepResult:
        """The move that this level plays, with the value that it sees; raises `GameOver` if there is none."""
        limits = limits if limits is not None else Limits()
        nodes = self.level.nodes if limits.nodes is None else min(limits.nodes, self.level.nodes)
        self._search.clear()
        best = self._search.search(board, replace(limits, nodes=nodes), lines=self.level.lines, stop=stop)
        values = [result.value for result in best.ranked]
        return replace(best.ranked[choice(values, self.level.temperature, self._source)], others=())
