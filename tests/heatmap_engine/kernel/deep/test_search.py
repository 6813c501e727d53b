"""The deep search keeps the contract of its central function."""

import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import cache
from subprocess import PIPE

import chess
import pytest
from hypothesis import assume, given, settings
from strategies import boards

from heatmap_engine.board.reading import pack
from heatmap_engine.deep.constants import USUAL
from heatmap_engine.deep.search import EVERY_TECHNIQUE, DeepResult, DeepSearch
from heatmap_engine.deep.weights import CMHM2, learned_weights
from heatmap_engine.errors import GameOver, InvalidMove, InvalidSettings
from heatmap_engine.kernel.deep.evaluation import weigh
from heatmap_engine.kernel.deep.ordering import MoveHistories
from heatmap_engine.kernel.deep.search import MATE_VALUE, TECHNIQUES, Searcher
from heatmap_engine.kernel.deep.transpositions import TranspositionTable
from heatmap_engine.limits import Limits
from heatmap_engine.uci.bench import POSITIONS

WEIGHTS = CMHM2.scaled(8)
CONSTANTS = dict(USUAL.values)
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


class Plain:
    """Minimax over the same tree, as plainly as it can be said, cut off only where the value is settled."""

    def __init__(self, board: chess.Board) -> None:
        self.board = board
        self.keys: list[object] = []

    def drawn(self) -> bool:
        board = self.board
        repeated = board._transposition_key() in self.keys
        return repeated or board.is_insufficient_material() or board.is_fifty_moves()

    def after(self, move: chess.Move, depth: int, alpha: int, beta: int) -> int:
        self.keys.append(self.board._transposition_key())
        self.board.push(move)
        found = -self.value(depth, -beta, -alpha)
        self.board.pop()
        self.keys.pop()
        return found

    def value(self, depth: int, alpha: int = -MATE_VALUE, beta: int = MATE_VALUE) -> int:
        """The value `depth` plies deep, with captures and answers to checks played out below."""
        board, quiescent = self.board, depth <= 0 and not self.board.is_check()
        moves = sorted(board.legal_moves, key=lambda move: -(board.piece_type_at(move.to_square) or 0))
        if self.keys and self.drawn():
            return 0
        if not moves and not quiescent:  # a stalemate is not looked for among captures
            return len(self.keys) - MATE_VALUE if board.is_check() else 0
        best = -MATE_VALUE
        if quiescent:
            best = int(weigh(pack(board), WEIGHTS.table))
            moves = [move for move in moves if board.is_capture(move) or move.promotion]
        for move in moves:
            if best >= beta:
                break
            best = max(best, self.after(move, depth - 1, max(alpha, best), beta))
        return best


def found(board: chess.Board, depth: int, techniques: Sequence[str] = EVERY_TECHNIQUE) -> DeepResult:
    return DeepSearch(WEIGHTS, hash_mib=1, techniques=techniques).search(board, Limits(depth=depth))


def playable(board: chess.Board) -> chess.Board:
    """The position without its history, which plain minimax does not know."""
    assume(any(board.legal_moves))
    return board.copy(stack=False)


@settings(max_examples=40)
@given(boards())
def test_without_selective_techniques_it_is_minimax(board: chess.Board) -> None:
    board = playable(board)
    depth = 3 if len(list(board.legal_moves)) < 8 else 2
    expected = Plain(board.copy()).value(depth)
    assert found(board, depth, ()).value == expected, board.fen()


@settings(max_examples=150)
@given(boards())
def test_the_table_changes_no_value(board: chess.Board) -> None:
    board = playable(board)
    board.halfmove_clock = 0  # the table knows no history
    assert found(board, 2, ("hash",)).value == found(board, 2, ()).value, board.fen()


@settings(max_examples=100)
@given(boards())
def test_colour_flipped_twin_gets_the_same_search(board: chess.Board) -> None:
    board = playable(board)
    one, twin = found(board, 2, ()), found(board.mirror(), 2, ())
    assert one.value == twin.value, board.fen()


@settings(max_examples=100)
@given(boards())
def test_line_is_legal_and_begins_with_the_move(board: chess.Board) -> None:
    board = playable(board)
    result = found(board, 6)
    assert result.line[0] == result.move
    for move in result.line:
        assert board.is_legal(move), board.fen()
        board.push(move)


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 1),
        ("k7/8/8/8/8/8/1R6/2R3K1 w - - 0 1", 1),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
        ("8/8/8/8/8/5k2/6q1/7K w - - 0 1", None),
        ("6k1/8/6K1/8/8/8/8/5R2 b - - 0 1", -1),
    ],
)
def test_mates_are_found_and_counted(fen: str, moves: int | None) -> None:
    board = chess.Board(fen)
    if not any(board.legal_moves):
        with pytest.raises(GameOver, match="no legal move"):
            found(board, 1)
        return
    assert moves is not None
    assert found(board, 2 * abs(moves) + 6).mate_in == moves


def test_a_known_mate_does_not_hide_a_shorter_one() -> None:
    """Futility left out the quiet Rh1 mate in two once a mate in three was known."""
    search = DeepSearch(learned_weights(), hash_mib=1)
    assert search.search("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", Limits(depth=8)).mate_in == 2


def test_repetition_is_seen_in_the_tree() -> None:
    # Black is lost but for the perpetual check.
    board = chess.Board("6k1/R1Q5/8/8/4q3/8/6P1/6K1 b - - 0 1")
    assert found(board, 8).value == 0


def test_third_occurrence_counts_the_games_own_positions() -> None:
    board = chess.Board("7k/8/8/8/8/8/8/KQ6 w - - 0 1")
    for text in ("Qb2+", "Kg8", "Qb1", "Kh8") * 2:
        board.push_san(text)
    result = found(board, 6)
    # Qb2+ would be the third time; the won game is not thrown away.
    assert result.move != chess.Move.from_uci("b1b2")
    assert result.value > 0


def test_fifty_moves_end_the_game_unless_the_last_mates() -> None:
    drawn = chess.Board("7k/8/8/8/8/8/8/KQ6 w - - 99 80")
    assert found(drawn, 5).value == 0
    mating = chess.Board("7k/8/6K1/8/8/8/8/1Q6 w - - 99 80")
    assert found(mating, 5).mate_in == 1


def searcher_of(board: chess.Board, techniques: int, nodes: int = 1 << 62) -> Searcher:
    searcher = Searcher(TranspositionTable(1), MoveHistories(), WEIGHTS.table, CONSTANTS, techniques)
    searcher.begin(pack(board), [], nodes, 0)
    return searcher


@settings(max_examples=15)
@given(boards())
def test_a_wrong_guess_changes_no_value(board: chess.Board) -> None:
    """From depth 5 on the root is searched in a window around the guess, and again where it was wrong."""
    board = playable(board)
    value = searcher_of(board, 0).iterate(5, 0)
    assert value is not None
    for guess in (value, value + 400, value - 400):
        assert searcher_of(board, 0).iterate(5, max(-20_000, min(20_000, guess))) == value, board.fen()


def value_with(
    fen: str, depth: int, techniques: int, histories: MoveHistories, table: TranspositionTable
) -> int:
    searcher = Searcher(table, histories, learned_weights().table, CONSTANTS, techniques)
    searcher.begin(pack(fen), [], 1 << 62, 0)
    value = searcher.iterate(depth, 0)
    assert value is not None
    return value


def test_a_corrected_evaluation_is_nearer_to_what_a_search_finds() -> None:
    raw_errors = corrected_errors = 0
    for fen in POSITIONS:
        histories = MoveHistories()
        deep = value_with(fen, 10, sum(TECHNIQUES.values()), histories, TranspositionTable(1))
        raw = value_with(fen, 1, 0, histories, TranspositionTable(1))
        corrected = value_with(fen, 1, TECHNIQUES["correction"], histories, TranspositionTable(1))
        raw_errors += abs(deep - raw)
        corrected_errors += abs(deep - corrected)
    assert corrected_errors < 0.8 * raw_errors


def test_the_table_keeps_evaluations_as_they_were_before_they_were_corrected() -> None:
    """A correction would be applied twice, and stay when what it rests on has been forgotten."""
    histories, table = MoveHistories(), TranspositionTable(1)
    value_with(KIWIPETE, 8, sum(TECHNIQUES.values()), histories, TranspositionTable(1))
    corrected = value_with(KIWIPETE, 2, TECHNIQUES["correction"], histories, table)
    alone = value_with(KIWIPETE, 2, 0, MoveHistories(), TranspositionTable(1))
    assert value_with(KIWIPETE, 2, 0, MoveHistories(), table) == alone != corrected


def nodes_to_a_line(board: chess.Board, guess: int) -> int:
    """After how many nodes a search that expects `guess` has a move to play."""
    for nodes in range(1, 20_000, 5):
        searcher = searcher_of(board, sum(TECHNIQUES.values()), nodes)
        value = searcher.iterate(5, guess)
        if searcher.line():
            assert value is None
            assert searcher.line_value > guess - 25  # the first window's lower end: below it no move is kept
            return nodes
    raise AssertionError("no line at all")


def test_a_move_that_is_better_than_expected_is_kept_while_its_value_is_searched() -> None:
    """It was forgotten, so that a search whose nodes ran out then played the old move."""
    board = chess.Board(KIWIPETE)
    value = searcher_of(board, sum(TECHNIQUES.values())).iterate(5, 0)
    assert value is not None
    assert nodes_to_a_line(board, value - 2000) < nodes_to_a_line(board, value - 20)


ENDLESS = """
import signal
from threading import Thread
from heatmap_engine.deep.weights import CMHM2
from heatmap_engine.kernel.deep.search import Searcher
from heatmap_engine.kernel.deep.ordering import MoveHistories
from heatmap_engine.kernel.deep.transpositions import TranspositionTable
from heatmap_engine.board.reading import pack
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
searcher = Searcher(TranspositionTable(1), MoveHistories(), CMHM2.table, dict(CMHM2.search.values))
searcher.begin(pack("startpos"), [], 1 << 62, 0)
def tell():
    while not searcher.nodes:
        pass
    print("searching", flush=True)
Thread(target=tell).start()
searcher.iterate(60, 0)
"""


def test_ctrl_c_ends_a_depth_that_would_take_for_ever() -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "searching\n"
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert errors.rstrip().endswith("KeyboardInterrupt")


def test_node_limit_is_kept_and_a_move_is_there() -> None:
    for nodes in (1, 10, 1000, 50_000):
        result = DeepSearch(WEIGHTS, hash_mib=1).search(KIWIPETE, Limits(nodes=nodes))
        assert result.nodes <= nodes
        assert result.move in chess.Board(KIWIPETE).legal_moves


def test_same_search_twice_gives_the_same_nodes() -> None:
    search = DeepSearch(WEIGHTS, hash_mib=1)
    first = search.search(KIWIPETE, Limits(depth=9))
    search.clear()
    again = search.search(KIWIPETE, Limits(depth=9))
    assert (first.nodes, first.value, first.line) == (again.nodes, again.value, again.line)


@cache
def nodes_with(techniques: tuple[str, ...]) -> int:
    """How many nodes a search with these techniques visits in all positions."""
    searches = (
        DeepSearch(hash_mib=1, techniques=techniques).search(fen, Limits(depth=11)) for fen in POSITIONS
    )
    return sum(result.nodes for result in searches)


@pytest.mark.parametrize("technique", EVERY_TECHNIQUE)
def test_every_technique_can_be_switched_off(technique: str) -> None:
    others = tuple(name for name in EVERY_TECHNIQUE if name != technique)
    assert nodes_with(EVERY_TECHNIQUE) != nodes_with(others)


def test_a_search_without_limits_ends_when_another_thread_says_so() -> None:
    search = DeepSearch(WEIGHTS, hash_mib=1, threads=2)
    heard = threading.Event()
    results: list[DeepResult] = []

    def run() -> None:
        results.append(search.search(KIWIPETE, Limits(), lambda result: heard.set()))

    thread = threading.Thread(target=run)
    thread.start()
    assert heard.wait(60)
    search.stop()
    thread.join(60)
    assert not thread.is_alive()
    assert results[0].move in chess.Board(KIWIPETE).legal_moves


@settings(max_examples=40)
@given(boards())
def test_lines_are_the_moves_by_the_value_that_each_has_alone(board: chess.Board) -> None:
    board = playable(board)
    legal = list(board.legal_moves)
    search = DeepSearch(WEIGHTS, hash_mib=1, techniques=())
    ranked = search.search(board, Limits(depth=2), lines=500).ranked
    assert {result.move for result in ranked} == set(legal)
    assert [result.value for result in ranked] == sorted((r.value for r in ranked), reverse=True)
    for result in (ranked[0], ranked[-1]):
        alone = search.search(board, Limits(depth=2), moves=[result.move])
        assert (alone.move, alone.value) == (result.move, result.value), board.fen()
    assert ranked[0].value == found(board, 2, ()).value, board.fen()


def test_a_position_deserves_less_time_once_its_move_is_clear() -> None:
    mate_in_two, limits = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1", Limits(depth=14)
    search = DeepSearch(learned_weights(), hash_mib=1)
    assert search.deserved == 1
    heard: list[float] = []
    for _ in range(2):  # the second search begins anew
        heard.clear()
        search.search(mate_in_two, limits, lambda result: heard.append(search.deserved))
        assert heard[0] > 1 > heard[-1] == search.deserved


def test_moves_left_out_leave_no_trace_in_the_table() -> None:
    """The value of the root without its best move must not be taken for the root's own."""
    board = chess.Board("k7/8/8/3q4/4P3/8/8/K7 w - - 0 1")
    capture = chess.Move.from_uci("e4d5")
    search = DeepSearch(learned_weights(), hash_mib=1)
    others = [move for move in board.legal_moves if move != capture]
    without = search.search(board, Limits(depth=6), moves=others)
    assert without.move in others
    assert without.value < 0
    for _ in range(2):
        assert search.search(board, Limits(depth=6)).move == capture
        assert search.search(board, Limits(depth=6), lines=3).move == capture


def test_every_depth_tells_all_lines_and_helpers_change_no_rank() -> None:
    heard: list[DeepResult] = []
    search = DeepSearch(learned_weights(), hash_mib=1, threads=3)
    search.search(KIWIPETE, Limits(depth=5), heard.append, lines=4)
    assert [result.depth for result in heard] == [1, 2, 3, 4, 5]
    for result in heard:
        assert len({line.move for line in result.ranked}) == 4
        assert [line.value for line in result.ranked] == sorted(
            (line.value for line in result.ranked), reverse=True
        )


@pytest.mark.parametrize("nodes", [1, 60, 700, 9000])
def test_lines_that_were_broken_off_are_still_all_there(nodes: int) -> None:
    heard: list[DeepResult] = []
    search = DeepSearch(WEIGHTS, hash_mib=1)
    result = search.search(KIWIPETE, Limits(nodes=nodes), heard.append, lines=3)
    assert result.nodes <= nodes
    assert not heard or len(result.ranked) == 3
    assert len({line.move for line in result.ranked}) == len(result.ranked)


def test_a_move_that_is_not_legal_cannot_be_searched() -> None:
    with pytest.raises(InvalidMove, match="e2e5 is not legal"):
        DeepSearch(hash_mib=1).search("startpos", Limits(depth=1), moves=[chess.Move.from_uci("e2e5")])
    with pytest.raises(InvalidSettings, match="at least one line"):
        DeepSearch(hash_mib=1).search("startpos", Limits(depth=1), lines=0)


def test_black_and_promotions_are_told_apart_among_the_moves() -> None:
    board = chess.Board("7k/8/8/8/8/8/K6p/8 b - - 0 1")
    knight = chess.Move.from_uci("h2h1n")
    assert DeepSearch(WEIGHTS, hash_mib=1).search(board, Limits(depth=3), moves=[knight]).move == knight
    rest = DeepSearch(WEIGHTS, hash_mib=1).search(board, Limits(depth=3), lines=500)
    assert {r.move for r in rest.ranked} == set(board.legal_moves)


def test_wrong_settings_are_named() -> None:
    with pytest.raises(InvalidSettings, match="at least 1 MiB"):
        DeepSearch(hash_mib=0)
    with pytest.raises(InvalidSettings, match=r"expected techniques of hash, .*, got 'razoring'"):
        DeepSearch(techniques=["hash", "razoring"])
    with pytest.raises(InvalidSettings, match="depth must be a number of at least 1"):
        Limits(depth=0)
    with pytest.raises(InvalidSettings, match="nodes must be a number of at least 0"):
        Limits(nodes=-1)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_all_threads_together_search_no_more_than_the_nodes(threads: int) -> None:
    """Each thread had all of the nodes for itself, so that four of them searched three times as many."""
    search = DeepSearch(WEIGHTS, hash_mib=1, threads=threads)
    assert search.search(KIWIPETE, Limits(nodes=20_000)).nodes <= 20_000


@pytest.mark.parametrize("limits", [Limits(2, float("inf")), Limits(2, 1e11), Limits(2, nodes=1 << 63)])
def test_limits_beyond_any_number_of_the_kernel_are_none(limits: Limits) -> None:
    assert DeepSearch(WEIGHTS, hash_mib=1).search(KIWIPETE, limits).depth == 2


def test_an_overtaken_depth_ends_and_the_search_goes_on() -> None:
    searcher = Searcher(TranspositionTable(1), MoveHistories(), WEIGHTS.table, CONSTANTS, is_alone=False)
    searcher.begin(pack(KIWIPETE), [], 1 << 62, 0)
    searcher.overtake(40)
    assert searcher.iterate(40, 0) is None  # it would take for ever
    assert searcher.is_beaten
    assert not searcher.stopped
    searcher.overtake(0)
    assert searcher.iterate(3, 0) is not None
    assert not searcher.is_beaten


def test_threads_tell_each_depth_once_whoever_finishes_it() -> None:
    search = DeepSearch(WEIGHTS, hash_mib=1, threads=3)
    board = chess.Board(KIWIPETE)
    heard: list[DeepResult] = []
    search.search(board, Limits(depth=8), heard.append)
    assert [result.depth for result in heard] == [*range(1, 9)]
    for result in heard:
        line = board.copy()
        for move in result.line:
            line.push(move)
        assert result.line[0] == result.move


def test_without_any_technique_threads_find_the_value_of_one() -> None:
    """What is put off is searched in the end."""
    for fen in (chess.STARTING_FEN, KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"):
        board = chess.Board(fen)
        search = DeepSearch(WEIGHTS, hash_mib=1, threads=3, techniques=())
        assert search.search(board, Limits(depth=4)).value == found(board, 4, ()).value
