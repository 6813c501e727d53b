"""A result that the board does not show is believed as far as a search of the final position allows."""

import chess
import pytest

import heatmap_engine as he
from games.chess.record import GameRecord
from heatmap_engine.classic.settings import WON
from heatmap_engine.deep.settings import expected_points
from heatmap_engine.memory.results import believed, is_judged
from qtable import QTable

# White is a rook ahead, or nobody is: without knights White would stand better at the end. Kings and a
# pawn walk for so long that it is no short game.
ROOK_AHEAD = "6k1/p5p1/8/8/8/8/P2R2P1/6K1 w - - 0 1"
LEVEL = "2n3k1/p5p1/8/8/8/8/P5P1/2N3K1 w - - 0 1"
WALK = ("g1f1", "g8f8", "f1e1", "f8e8", "e1f1", "e8f8", "f1g1", "f8g8", "a2a3")
AND_BACK = ("g8f8", "g1f1", "f8e8", "f1e1", "e8f8", "e1f1", "f8g8", "f1g1", "g7g6", "a3a4", "g8f8")


def record(fen: str, result: str, plies: int = 20, termination: str = "") -> GameRecord:
    return GameRecord((WALK + AND_BACK)[:plies], result, termination, fen)


@pytest.mark.parametrize(
    ("result", "searched", "value"),
    [
        ("1-0", 700, 1200),
        ("1-0", 400, None),  # ahead, but not as good as won
        ("1-0", 1500, None),  # won all the more
        ("1-0", -30, None),
        ("0-1", -700, -1200),
        ("0-1", 31_000, None),
        ("1/2-1/2", 30, 0),
        ("1/2-1/2", -30, 0),
        ("1/2-1/2", 80, None),
    ],
)
def test_a_result_is_believed_where_it_hardly_contradicts_the_search(
    result: str, searched: float, value: float | None
) -> None:
    assert believed(record(LEVEL, result), searched, 1200, expected_points) == value


@pytest.mark.parametrize(
    ("plies", "termination", "expected"),
    [(20, "", True), (20, "Normal", True), (19, "", False), (20, "time forfeit", False)],
)
def test_short_games_and_losses_on_time_judge_nothing(plies: int, termination: str, expected: bool) -> None:
    game = record(LEVEL, "1-0", plies, termination)
    assert is_judged(game.board(), game) is expected


@pytest.mark.parametrize(
    ("fen", "result", "source"),
    [
        (ROOK_AHEAD, "1-0", "game"),
        (ROOK_AHEAD, "0-1", "search"),
        (ROOK_AHEAD, "1/2-1/2", "search"),
        (LEVEL, "1-0", "search"),
        (LEVEL, "0-1", "search"),
        (LEVEL, "1/2-1/2", "game"),
    ],
)
@pytest.mark.parametrize("mode", ["deep", "classic"])
def test_a_final_position_is_worth_what_a_search_finds_unless_the_result_says_the_same(
    mode: str, fen: str, result: str, source: str
) -> None:
    game = record(fen, result)
    board = game.board()
    with QTable.in_memory() as table, he.Engine(table, mode=mode) as engine:
        engine.learn_game(game)
        entry = table.get(he.key_of(board))
        assert entry is not None
        # A fresh one, as deep: a won ending is worth more with every ply that is seen.
        searched = he.Engine(mode=mode).pick_move(board, he.Limits(depth=entry.depth)).score
    value = entry.value if board.turn == chess.WHITE else -entry.value
    if mode == "classic" and fen == ROOK_AHEAD:
        source = "search"  # a rook more is little heat in an ending
    assert entry.source == source
    if source == "search":
        assert value == pytest.approx(searched, abs=60)
    else:
        assert value == {"1-0": 1200, "1/2-1/2": 0}[result]
    assert entry.wins + entry.losses + entry.draws == 1


def test_a_no_show_teaches_a_classic_table_nothing_by_its_result() -> None:
    """`1. d4 Nf6 0-1` was worth a mate, 4,096 heat units, and the two plies before it saw that."""
    board = chess.Board()
    for san in ("d4", "Nf6"):
        board.push_san(san)
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        engine.learn_game(board, "0-1")
        values = [entry.value for _, entry in table]
        first = engine.pick_move(chess.Board())
    assert max(map(abs, values)) < WON
    assert abs(first.score) < 20
