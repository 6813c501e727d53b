"""Searches give exactly what plain minimax over the reference gives."""

import json
from collections.abc import Iterable
from pathlib import Path

import chess
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import ENDGAMES, STARTS, boards, playout

import heatmap_engine as he
from heatmap_engine import reference
from heatmap_engine.classic.search import search
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.stop import Stopped

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "pick.json").read_text())

# Few moves each, so that the reference can look several plies ahead; the third repeats easily, the last
# is about to be drawn by fifty moves.
NARROW = (
    "8/8/8/3k4/8/3K4/3P4/8 w - - 0 1",
    "k7/p7/P7/8/8/7p/7P/7K w - - 0 1",
    "7k/6pp/8/8/8/8/6PP/7K w - - 0 1",
    "k7/2p5/K1P5/8/8/8/6pp/7B b - - 0 1",
    "5rk1/5ppp/8/8/8/8/5PPP/5RK1 w - - 0 1",
    "8/8/8/8/8/1k6/1p6/1K6 w - - 96 120",
)


class RandomTable:
    """A table that knows about a third of all positions, by values that follow from their keys."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def values(self, keys: Iterable[str]) -> dict[str, float]:
        return {key: value for key in keys if (value := self._value(key)) is not None}

    def _value(self, key: str) -> float | None:
        number = int.from_bytes(f"{self.seed}{key}".encode(), "little") % 1_000_003
        return None if number % 3 else (number - 500_000) / 8192

    def known(self, board: chess.Board) -> float | None:
        value = self._value(he.key_of(board))
        return value if value is None or board.turn == chess.WHITE else -value


def check(board: chess.Board, wanted: ClassicSettings, table: RandomTable | None) -> None:
    result = search(board, wanted, table)
    known = table.known if table is not None else lambda position: None
    expected = reference.candidates(
        board, wanted.plies, wanted.tactical_plies, wanted.heat_depth, wanted.weights, known
    )
    assert {c.move.uci(): c.score for c in result.candidates} == pytest.approx(expected, abs=1e-9), (
        board.fen()
    )
    best = max(expected.values()) if board.turn == chess.WHITE else min(expected.values())
    assert result.score == result.candidates[0].score == pytest.approx(best, abs=1e-9)
    for candidate in result.candidates:
        follow(board, candidate.line)


def follow(board: chess.Board, line: tuple[chess.Move, ...]) -> None:
    board = board.copy()
    for move in line:
        assert board.is_legal(move)
        board.push(move)


@pytest.mark.parametrize("fen", GOLDEN, ids=lambda fen: GOLDEN[fen]["name"])
def test_golden_candidates(fen: str) -> None:
    result = search(chess.Board(fen), ClassicSettings())
    scores = {candidate.move.uci(): candidate.score for candidate in result.candidates}
    assert scores == pytest.approx(GOLDEN[fen]["candidates"], abs=1e-9)
    assert result.score == pytest.approx(GOLDEN[fen]["best_score"], abs=1e-9)


tables = st.none() | st.builds(RandomTable, st.integers(0, 1000))


@settings(max_examples=40)
@given(boards(ENDGAMES), tables)
def test_the_base_search_is_minimax(board: chess.Board, table: RandomTable | None) -> None:
    assume(any(board.legal_moves))
    assume(he.perft(board, 3) < 3_000)
    check(board, ClassicSettings(), table)


@settings(max_examples=60)
@given(boards(STARTS), tables)
def test_the_base_search_is_minimax_in_crowded_positions(
    board: chess.Board, table: RandomTable | None
) -> None:
    assume(any(board.legal_moves))
    assume(he.perft(board, 2) < 800)
    check(board, ClassicSettings(plies=2, tactical_plies=1, heat_depth=0), table)


@settings(max_examples=120)
@given(
    boards(NARROW, max_plies=40),
    st.sampled_from([(1, 0), (1, 1), (1, 3), (2, 0), (2, 2), (3, 0), (3, 1), (3, 2), (4, 1), (4, 2), (5, 0)]),
    tables,
)
def test_larger_searches_are_the_same_function(
    board: chess.Board, plies: tuple[int, int], table: RandomTable | None
) -> None:
    assume(any(board.legal_moves))
    assume(he.perft(board, plies[0]) < 1_500)
    check(board, ClassicSettings(*plies, heat_depth=0), table)


@settings(max_examples=40)
@given(st.integers(0, 10_000), tables)
def test_repetition_counts_the_games_own_history(seed: int, table: RandomTable | None) -> None:
    board = playout("k7/8/8/8/8/8/8/K6R w - - 0 1", 0, 0)
    shuffle = ["h1h2", "a8a7", "h2h1", "a7a8"]
    for ply in range(4 + seed % 5):
        board.push_uci(shuffle[ply % 4])
    check(board, ClassicSettings(plies=2, tactical_plies=1, heat_depth=0), table)
    # Without the history nothing is repeated.
    check(board.copy(stack=False), ClassicSettings(plies=2, tactical_plies=1, heat_depth=0), table)


@pytest.mark.parametrize(("before", "plies"), [(["h8h7"], 7), (["h8h7", "f7f8"], 6)])
def test_a_short_history_counts_in_a_deep_search(before: list[str], plies: int) -> None:
    # The game's only positions, one or two, were left out; a deep tree comes back to them twice.
    board = chess.Board("7k/5K2/7p/7P/8/8/8/8 b - - 0 1")
    for move in before:
        board.push_uci(move)
    drawn = next(c for c in search(board, ClassicSettings(plies, 0, 0)).candidates if c.score == 0.0)
    assert len(drawn.line) == plies
    check(board, ClassicSettings(plies, 0, 0), None)


def test_nodes_are_counted_alike_in_one_tree_and_in_many() -> None:
    # Without the roots of its parts, a search of one ply more could have as many nodes as the one before,
    # which deepening takes for the end of the game on every line.
    board = chess.Board("k7/8/2K5/8/8/8/8/7R w - - 0 1")
    for plies in (3, 4):
        assert search(board, ClassicSettings(plies, 0, 0)).nodes == _nodes(board, plies)


def _nodes(board: chess.Board, plies: int) -> int:
    if plies == 0 or reference.terminal(board) is not None:
        return 1
    below = 0
    for move in list(board.legal_moves):
        board.push(move)
        below += _nodes(board, plies - 1)
        board.pop()
    return 1 + below


def test_third_occurrence_is_worth_nothing() -> None:
    board = chess.Board("k7/8/8/8/8/8/8/K6R w - - 0 1")
    for uci in ["h1h2", "a8a7", "h2h1", "a7a8", "h1h2", "a8a7", "h2h1"]:
        board.push_uci(uci)
    repeats = {c.move.uci(): c.score for c in search(board, ClassicSettings()).candidates}["a7a8"]
    fresh = {c.move.uci(): c.score for c in search(board.copy(stack=False), ClassicSettings()).candidates}
    assert repeats == 0.0 != fresh["a7a8"]


def test_no_legal_move_is_game_over_and_says_how() -> None:
    fen = "7k/5KQ1/8/8/8/8/8/8 b - - 0 1"
    with pytest.raises(he.GameOver, match="1-0") as raised:
        search(chess.Board(fen), ClassicSettings())
    assert fen in str(raised.value)
    assert isinstance(raised.value, ValueError)


def test_a_drawn_root_is_searched_all_the_same() -> None:
    board = chess.Board("8/5k2/8/8/8/2K5/4R3/8 w - - 100 120")
    assert len(search(board, ClassicSettings()).candidates) == board.legal_moves.count()


def test_backed_up_positions_say_how_many_plies_lie_below() -> None:
    result = search(chess.Board(), ClassicSettings())
    assert sorted(plies for _, plies in result.backed_up.values()) == [1] * 20 + [2]
    assert result.backed_up[he.key_of("startpos")] == (result.score, 2)
    assert result.nodes == 421
    after_e4 = next(c for c in result.candidates if c.move.uci() == "e2e4")
    board = chess.Board()
    board.push_san("e4")
    assert result.backed_up[he.key_of(board)] == (-after_e4.score, 1)


def test_searched_replies_are_backed_up_with_one_ply() -> None:
    board = chess.Board("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    result = search(board, ClassicSettings())
    board.push_uci("e1d1")
    board.push_uci("d5e4")  # a capture, so its position is expanded
    assert result.backed_up[he.key_of(board)][1] == 1
    board.pop()
    board.push_uci("d5d4")  # neither check nor capture: a leaf
    assert he.key_of(board) not in result.backed_up


def test_deep_searches_hand_back_their_first_three_levels() -> None:
    board = chess.Board(NARROW[0])
    shallow = search(board, ClassicSettings(3, 1))
    assert {plies for _, plies in shallow.backed_up.values()} == {1, 2, 3}
    result = search(board, ClassicSettings(5, 1))
    assert {plies for _, plies in result.backed_up.values()} == {3, 4, 5}
    assert result.backed_up[he.key_of(board)] == (result.score, 5)


def test_leaves_are_handed_back_only_when_asked_for() -> None:
    assert search(chess.Board(), ClassicSettings()).scored == {}
    scored = search(chess.Board(), ClassicSettings(), with_leaves=True).scored
    assert len(scored) == 400
    board = chess.Board()
    board.push_san("e4")
    board.push_san("e5")
    assert scored[he.key_of(board)] == he.score(board)


def test_values_of_the_table_go_before_scores_and_are_counted() -> None:
    board = chess.Board()
    for san in ["e4", "e5"]:
        board.push_san(san)

    class OneValue:
        def values(self, keys: Iterable[str]) -> dict[str, float]:
            return {he.key_of(board): -77.0} if he.key_of(board) in list(keys) else {}

    result = search(chess.Board(), ClassicSettings(), OneValue())
    after_e4 = next(c for c in result.candidates if c.move.uci() == "e2e4")
    assert (after_e4.score, after_e4.from_table, result.table_hits) == (-77.0, True, 1)
    assert after_e4.reply == chess.Move.from_uci("e7e5")
    assert not any(c.from_table for c in result.candidates if c is not after_e4)


def test_the_end_of_the_game_goes_before_the_tables_value() -> None:
    class Nonsense:
        def values(self, keys: Iterable[str]) -> dict[str, float]:
            return dict.fromkeys(keys, 1.0)

    mates = chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    best = search(mates, ClassicSettings(), Nonsense()).candidates[0]
    assert (best.move.uci(), best.score, best.from_table) == ("h1h8", 384.0, False)


def test_a_search_can_be_given_up_at_any_slice() -> None:
    calls = 0

    def give_up_after(slices: int) -> None:
        nonlocal calls
        calls = 0

        def keep_going(moves_visited: int) -> None:
            nonlocal calls
            calls += 1
            if calls > slices:
                raise Stopped

        search(chess.Board(STARTS[1]), ClassicSettings(), RandomTable(1), keep_going)

    give_up_after(10_000)
    slices = calls
    assert slices > 20
    for after in range(slices):
        with pytest.raises(Stopped):
            give_up_after(after)


@pytest.mark.parametrize(
    "wrong",
    [
        {"plies": 0},
        {"plies": 17},
        {"plies": 2.0},
        {"tactical_plies": -1},
        {"heat_depth": True},
        {"weights": 1},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(he.InvalidSettings, match=next(iter(wrong))):
        ClassicSettings(**wrong)  # type: ignore[arg-type] # that is the point


@settings(max_examples=60)
@given(
    boards(STARTS, max_plies=60),
    st.sampled_from([(1, 0), (2, 1), (2, 0), (1, 2), (2, 2)]),
    st.none() | st.integers(0, 5),
)
def test_values_that_decide_nothing_may_be_left_out(
    board: chess.Board, plies: tuple[int, int], seed: int | None
) -> None:
    """The same candidates with the same lines; of all other values those that are given are right."""
    assume(any(board.legal_moves))
    wanted = ClassicSettings(plies=plies[0], tactical_plies=plies[1], heat_depth=0)
    table = None if seed is None else RandomTable(seed)
    whole = search(board, wanted, table)
    quick = search(board, wanted, table, with_all=False)
    assert quick.candidates == whole.candidates, board.fen()
    assert quick.backed_up.items() <= whole.backed_up.items()
    moved = board.copy()
    for candidate in quick.candidates if plies[0] > 1 else ():
        moved.push(candidate.move)
        assert (he.key_of(moved) in quick.backed_up) == (he.key_of(moved) in whole.backed_up)
        moved.pop()


def test_what_decides_nothing_is_not_looked_at() -> None:
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    whole, quick = (search(board, ClassicSettings(), with_all=value) for value in (True, False))
    assert quick.moves_visited < whole.moves_visited / 2
