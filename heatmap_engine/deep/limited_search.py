"""The deep search limited to a level."""

from collections.abc import Collection
from dataclasses import replace
from random import Random

import chess

from heatmap_engine.board.reading import BoardLike, as_board
from heatmap_engine.deep.habits import considered, naturalness
from heatmap_engine.deep.levels import Level, choice
from heatmap_engine.deep.search import DeepResult, DeepSearch, Oversight
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.limits import Limits
from heatmap_engine.stop import Stop

_HASH_MIB = 1
_SEED_BITS = 63

# Those that there were when levels were measured. "late moves" is none of them: in a shallow search it leaves out
# the quiet retreat of a queen, and any threat to her seems to win her. A level must overlook what its
# settings say, and nothing else.
_TECHNIQUES = (
    *("hash", "remembered", "null move", "reverse futility"),
    *("futility", "exchanges", "reductions", "singular"),
)


class LimitedSearch:
    """Picks moves as a player of one level does: it looks ahead, and overlooks some of what is there.

    It knows no table, begins each search with an empty hash, and searches in one thread: what it plays
    depends on the position, the level and the random source only, unless the clock runs out.
    """

    def __init__(self, weights: DeepWeights, level: Level, source: Random) -> None:
        self.level = level
        self._source = source
        self._search = DeepSearch(weights, hash_mib=_HASH_MIB, techniques=_TECHNIQUES)

    @property
    def permille_used(self) -> int:
        """How much of its hash the last search has filled."""
        return self._search.permille_used

    def search(
        self,
        board: BoardLike,
        limits: Limits | None = None,
        stop: Stop | None = None,
        moves: Collection[chess.Move] = (),
    ) -> DeepResult:
        """The move that this level plays, of `moves` if any are given, with the value that it sees.

        Raises `GameOver` if there is no move.
        """
        limits = limits if limits is not None else Limits()
        nodes = self.level.nodes if limits.nodes is None else min(limits.nodes, self.level.nodes)
        board, level = as_board(board), self.level
        blind = Oversight(level.oversight, self._source.getrandbits(_SEED_BITS)) if level.oversight else None
        seen = considered(board, [*(moves or board.legal_moves)], level.oversight, self._source)
        self._search.clear()
        best = self._search.search(
            board, replace(limits, nodes=nodes), lines=level.lines, moves=seen, stop=stop, oversight=blind
        )
        if best.mate_in is not None and best.mate_in > 0:
            return replace(best, others=())  # any other of several mates could put it off for ever
        liked = [self._liked(board, result) for result in best.ranked]
        return replace(best.ranked[choice(liked, level.temperature, self._source)], others=())

    def _liked(self, board: chess.Board, result: DeepResult) -> float:
        """What a line seems worth to a player who also goes by looks, if the level does."""
        if result.mate_in is not None:
            return result.value
        return result.value + self.level.temperature * naturalness(board, result.move)
