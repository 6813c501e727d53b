"""Who plays with a set of weights, and the paired games of two of them at fixed nodes."""

from dataclasses import dataclass, field
from random import Random

import chess

from games.chess.openings import Opening
from games.chess.record import WHITES_POINTS
from heatmap_engine.board.candidate import movers_view
from heatmap_engine.deep.search import EVERY_TECHNIQUE, DeepSearch
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.limits import Limits
from heatmap_engine.players.game_loop import Adjudication, Choice, Ends, play_game

HASH_MIB = 4
# A game is won after four plies in a row beyond this evaluation. No draw is agreed on: an evaluation that
# knows nothing yet finds every game level.
_ENDS = Ends(300, Adjudication(won_score=1200, won_plies=4, drawn_score=0, drawn_from_ply=300))


@dataclass(frozen=True)
class TuneSide:
    """Weights under a name that no other weights of the run have."""

    name: str
    weights: DeepWeights
    techniques: tuple[str, ...] = EVERY_TECHNIQUE

    @property
    def is_blind(self) -> bool:
        """Whether nothing counts anything, so that only mates are seen."""
        return not any(one or other for one, other in self.weights.values.values())


@dataclass
class Searches:
    """The searches of a process, kept from task to task for those who played last."""

    _kept: dict[str, DeepSearch] = field(default_factory=dict)

    def of(self, player: TuneSide) -> DeepSearch:
        """The player's search, which remembers nothing of games before."""
        search = self._kept.pop(player.name, None)
        if search is None:
            search = DeepSearch(player.weights, hash_mib=HASH_MIB, techniques=player.techniques)
        self._kept[player.name] = search
        if len(self._kept) > 2:
            del self._kept[next(iter(self._kept))]
        search.clear()
        return search


class TunePlayer:
    """A player in one game of a match. One that is blind moves at random until it sees a mate."""

    def __init__(self, player: TuneSide, search: DeepSearch, nodes: int, rng: Random) -> None:
        self._search = search
        self._limits = Limits(nodes=nodes)
        self._rng = rng if player.is_blind else None

    def choose(self, board: chess.Board) -> Choice:
        found = self._search.search(board, self._limits)
        if self._rng is not None and found.mate_in is None:
            return Choice(self._rng.choice([*board.legal_moves]), 0.0)
        return Choice(found.move, movers_view(board.turn, found.value))


def play_pair(
    searches: Searches, first: TuneSide, second: TuneSide, opening: Opening, nodes: tuple[int, int], seed: str
) -> float:
    """The points of the first player, 0 to 2, in two games from the opening with the colours swapped."""
    points = 0.0
    for first_is_white in (True, False):
        rng = Random(seed)  # the same chances for everybody who plays this pair
        one, two = (
            TunePlayer(player, searches.of(player), own, rng)
            for player, own in zip((first, second), nodes, strict=True)
        )
        white, black = (one, two) if first_is_white else (two, one)
        played = play_game(opening, white, black, _ENDS)
        whites = WHITES_POINTS.get(played.result, 0.5)
        points += whites if first_is_white else 1 - whites
    return points
