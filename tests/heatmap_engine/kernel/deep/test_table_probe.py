"""What lies near a root: the same keys as position by position, and values that reach the search's table."""

import chess
from hypothesis import given, settings
from strategies import boards

from heatmap_engine.board.keys import key_of
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.kernel.deep.table_probe import TableProbe
from heatmap_engine.kernel.deep.transpositions import TranspositionTable
from heatmap_engine.limits import Limits


def below(board: chess.Board, plies: int) -> list[str]:
    """The keys of the positions after so many moves, transpositions each time."""
    if plies == 0:
        return [key_of(board)]
    keys = []
    for move in board.legal_moves:
        board.push(move)
        keys += below(board, plies - 1)
        board.pop()
    return keys


@settings(max_examples=40)
@given(boards())
def test_keys_are_those_of_every_move_and_reply(board: chess.Board) -> None:
    keys = TableProbe(pack(board), 2).keys
    assert keys[0] == key_of(board)
    assert sorted(keys[1:]) == sorted(below(board, 1) + below(board, 2)), board.fen()


def test_what_is_put_is_exact_for_the_search_to_come_and_the_root_is_left_out() -> None:
    board = chess.Board()
    root, table = pack(board), TranspositionTable(1)
    probe = TableProbe(root, 2)
    known = {key: (number % 700 - 350, number % 60) for number, key in enumerate(dict.fromkeys(probe.keys))}
    assert probe.put(table, known) == 420
    table.next_search()
    assert table.exact(root) is None
    for move in board.legal_moves:
        board.push(move)
        assert table.exact(pack(board)) == (*known[key_of(board)], True), move
        board.pop()
    table.next_search()
    board.push_san("e4")
    assert table.exact(pack(board)) is None, "a value is given for one search"


def test_what_was_searched_deeper_stays() -> None:
    """A shallow entry of the table had thrown away what many times the nodes had found."""
    board, search = chess.Board(), DeepSearch()
    probe = TableProbe(pack(board), 1)
    board.push(search.search(board, Limits(depth=8)).move)
    found = search.exact(pack(board))
    assert found is not None
    _, depth, is_learned = found
    assert (depth, is_learned) == (7, False)
    for put, told in (((-10, 5), found), ((-20, depth), (-20, depth, True))):
        search.put(probe, {key_of(board): put})
        search.search("8/8/8/8/8/5k2/5p2/5K2 b - - 0 1", Limits(depth=1))  # what was put is for this one
        assert search.exact(pack(board)) == told


def test_what_was_learned_gives_way_to_what_is_learned_now_however_deep_it_was() -> None:
    board, table = chess.Board(), TranspositionTable(1)
    probe = TableProbe(pack(board), 1)
    board.push_san("e4")
    for value, depth in ((40, 100), (-10, 5), (-20, 12)):
        probe.put(table, {key_of(board): (value, depth)})
        table.next_search()
        assert table.exact(pack(board)) == (value, depth, True)


def test_the_best_known_reply_is_told() -> None:
    board = chess.Board()
    probe = TableProbe(pack(board), 2)
    replies = {}
    for reply, value in (("e5", 30), ("c5", -20), ("a5", 90)):
        for move in ("e4", reply):
            board.push_san(move)
        replies[key_of(board)] = (value, 5)
        board.pop()
        board.pop()
    probe.put(TranspositionTable(1), replies)
    assert probe.reply_to("e2e4") == "c7c5"
    assert probe.reply_to("d2d4") is None
    assert probe.reply_to("e2e5") is None


@settings(max_examples=40)
@given(boards())
def test_the_kept_move_is_the_searchs_and_legal(board: chess.Board) -> None:
    """Castling, promotions and Black's moves included: a slot holds them as the side to move sees them."""
    if not any(board.generate_legal_moves()):
        return
    search = DeepSearch(hash_mib=1)
    assert search.kept_move(pack(board)) is None
    line = search.search(board, Limits(depth=3)).line
    for move in line[:2]:
        kept = search.kept_move(pack(board))
        assert kept is None or board.is_legal(chess.Move.from_uci(kept)), board.fen()
        board.push(move)


def test_the_kept_move_of_a_root_is_the_best_one() -> None:
    for fen in ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", "8/8/8/8/8/5k2/3p4/7K b - - 0 1", chess.STARTING_FEN):
        search, board = DeepSearch(hash_mib=1), chess.Board(fen)
        assert search.kept_move(pack(board)) is None
        best = search.search(board, Limits(depth=5)).move
        assert search.kept_move(pack(board)) == best.uci()
