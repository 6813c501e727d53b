"""Results of games decide between moves that a search finds nearly equal, and between no others."""

import chess
import pytest

import heatmap_engine as he
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.favours import MOST_AGAINST, MOST_FOR, TRUST, favour_of, favours_of
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.deep.settings import expected_points
from heatmap_engine.kernel.deep.search import MATE_VALUE
from heatmap_engine.limits import Limits
from heatmap_engine.memory.expectation import Results
from heatmap_engine.winning_chances import value_expecting
from qtable import Entry, QTable

LIMITS = Limits(nodes=3000)


def after(board: chess.Board, san: str) -> str:
    board = board.copy()
    board.push_san(san)
    return he.key_of(board)


def search(favours: dict[str, int], fen: str = chess.STARTING_FEN, depth: int = 7) -> he.Pick:
    return DeepSearch().search(fen, Limits(depth=depth), favours=favours)


def test_expected_points_go_from_the_value_to_the_results() -> None:
    assert Results().expected(0.7) == pytest.approx(0.7)
    assert Results(3, 0, 0).expected(0.5, TRUST) == pytest.approx((TRUST * 0.5 + 3) / (TRUST + 3))
    assert Results(0, 1000, 0).expected(0.9) == pytest.approx(0.5, abs=0.01)
    assert Results.after_move(Entry(0.0, wins=1, draws=2, losses=3)) == Results(3, 2, 1)


@pytest.mark.parametrize("value", [-700.0, -40.0, 0.0, 13.0, 400.0])
def test_a_value_is_found_again_from_its_points(value: float) -> None:
    assert value_expecting(expected_points(value), expected_points) == pytest.approx(value, abs=0.01)


def test_what_results_add_has_a_bound_and_is_nothing_where_they_agree() -> None:
    assert favour_of(0, Results(50, 0, 0)) == MOST_FOR
    assert favour_of(0, Results(0, 0, 50)) == -MOST_AGAINST
    assert favour_of(0, Results(2, 5, 2)) == 0
    assert 0 < favour_of(0, Results(3, 10, 2)) < MOST_FOR
    assert favour_of(MATE_VALUE - 3, Results(0, 0, 9)) == 0


def test_one_game_says_something_and_none_says_nothing() -> None:
    """Who has lost with a move tries another as good: that is how a tree of results grows."""
    board = chess.Board()
    entries = {after(board, "a3"): Entry(0.0, depth=5), after(board, "h3"): Entry(0.0, depth=5, wins=1)}
    favours = favours_of(pack(board), entries)
    assert favours.keys() == {"h2h3"}
    assert -MOST_AGAINST / 2 < favours["h2h3"] < 0


def test_a_favour_turns_a_choice_and_is_not_in_the_value() -> None:
    plain = search({})
    favoured = search({"a2a3": 300})
    assert plain.move.uci() != "a2a3"
    assert favoured.move.uci() == "a2a3"
    assert abs(favoured.value - plain.value) < 60
    against = search({plain.move.uci(): -300})
    assert against.move != plain.move


def test_without_favours_a_search_is_what_it_was() -> None:
    assert search({}).nodes == DeepSearch().search(chess.STARTING_FEN, Limits(depth=7)).nodes


def test_no_favour_hides_a_mate() -> None:
    mate = "3r3k/6pp/8/6N1/2Q5/q7/6PP/6K1 w - - 0 1"
    found = search({"c4c1": 300, "g5f7": -300}, mate, depth=10)
    assert (found.move.uci(), found.mate_in) == ("g5f7", 4)


def test_the_engine_follows_results_where_moves_are_nearly_equal() -> None:
    board = chess.Board()
    with he.Engine(record="off") as untrained:
        pick = untrained.pick_move(board, LIMITS)
    for results, stays in (({"wins": 60}, False), ({"losses": 60}, True)):  # of who is to move after it
        with QTable.in_memory() as table:
            with he.Engine(table) as engine:
                engine.learn_game(chess.Board(), "*")  # so that it is a table of this mode
            value = -untrained_value(pick)
            table.record({after(board, board.san(pick.move)): Entry(value, depth=1, **results)})
            with he.Engine(table, record="off") as engine:
                found = engine.pick_move(board, LIMITS)
        assert (found.move == pick.move) is stays


def untrained_value(pick: he.Pick) -> float:
    return float(pick.score)


def test_results_of_a_losing_move_do_not_make_it_good() -> None:
    """Won a hundred times by luck: a move that loses a queen is not played for that."""
    board = chess.Board("rnbqkbnr/ppp1pppp/8/3p4/8/4P3/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    with QTable.in_memory() as table:
        with he.Engine(table) as engine:
            engine.learn_game(chess.Board(), "*")
        table.record({after(board, "Qg4"): Entry(700.0, depth=1, losses=100)})
        with he.Engine(table, record="off") as engine:
            assert engine.pick_move(board, LIMITS).move.uci() != "d1g4"
