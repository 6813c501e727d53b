"""What a search that is held back overlooks: the same moves in all of it, and plain ones least."""

import chess
import pytest

from heatmap_engine.deep.search import DeepSearch, Oversight
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.limits import Limits


def times_unseen(fen: str, move: str, share: float) -> int:
    """In how many of 300 searches of one ply the loss of a queen after this move is not seen."""
    search = DeepSearch(hash_mib=1)

    def value(oversight: Oversight | None) -> int:
        search.clear()
        moves = [chess.Move.from_uci(move)]
        return search.search(fen, Limits(depth=1), moves=moves, oversight=oversight).value

    lost = value(None) + 200
    return sum(value(Oversight(share, seed)) > lost for seed in range(300))


def test_a_blunder_is_a_threat_that_was_overlooked_and_plain_ones_are_overlooked_less() -> None:
    """A queen on d4 is attacked by the pawn beside it, by a bishop from behind, or goes there to take."""
    by_pawn = "1k6/ppp5/2p5/4p3/3Q4/8/PPP5/1K6 w - - 0 1"
    by_bishop = "1k6/ppp5/2p5/8/3Q4/8/PPP5/1K4b1 w - - 0 1"
    assert times_unseen(by_pawn, "a2a3", 0.0) == times_unseen(by_bishop, "a2a3", 0.0) == 0
    assert 30 < times_unseen(by_pawn, "a2a3", 0.3) < times_unseen(by_pawn, "a2a3", 0.8)
    assert times_unseen(by_pawn, "a2a3", 0.8) < times_unseen(by_bishop, "a2a3", 0.8) < 300
    takes = "1k6/ppp5/2p5/4p3/3p4/8/PPP5/1K1Q4 w - - 0 1"
    assert 0 < times_unseen(takes, "d1d4", 0.8) < times_unseen(by_pawn, "a2a3", 0.8)


def test_what_is_overlooked_follows_from_the_seed_and_grows_with_the_share() -> None:
    """A queen is left where a knight takes it, if the knight's move is not seen."""
    search, fen = DeepSearch(hash_mib=1), "4k3/8/8/3p4/5n2/8/3P1PPP/3QK3 w - - 0 1"

    def values(share: float) -> list[int]:
        found = []
        for seed in range(60):
            search.clear()
            found.append(search.search(fen, Limits(depth=3), oversight=Oversight(share, seed)).value)
        return found

    assert values(0.6) == values(0.6)
    assert len(set(values(0.0))) == 1 < len(set(values(0.3)))
    search.clear()
    assert values(0.0)[0] == search.search(fen, Limits(depth=3)).value


@pytest.mark.parametrize(
    ("share", "seed"), [(-0.1, 1), (1.1, 1), (float("nan"), 1), (0.5, -1), (0.5, 1 << 64)]
)
def test_a_share_is_from_0_to_1(share: float, seed: int) -> None:
    with pytest.raises(InvalidSettings, match="a share from 0 to 1 and a seed of 64 bits"):
        Oversight(share, seed)
