"""The deep engine's promises: its table and the search, what is recorded, what a game teaches."""

import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import chess
import pytest
from table_processes import start_python

import heatmap_engine as he
from games.chess.openings import load_openings
from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.reading import pack
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.deep.mates import is_mate
from heatmap_engine.deep.settings import WON, DeepSettings, expected_points
from heatmap_engine.deep.weights import CMHM2, learned_weights
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.observer import Observer
from heatmap_engine.engines.pick import FoundDepth
from heatmap_engine.kernel.deep.search import MATE_VALUE, MAX_DEPTH
from heatmap_engine.limits import Limits
from heatmap_engine.memory.finished_game import as_record
from heatmap_engine.memory.tables import table_settings
from heatmap_engine.memory.views import View
from qtable import Entry, QTable
from qtable.errors import TableMismatch

WEIGHTS = learned_weights()
ITALIAN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
QUEEN_HANGS = "rnb1kbnr/ppp1pppp/8/3q4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3"
MATE_IN_TWO = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"


@pytest.fixture
def table() -> Iterator[QTable]:
    with QTable.in_memory(settings=table_settings(DeepSettings(WEIGHTS))) as table:
        yield table


def after(fen: str, *moves: str) -> chess.Board:
    board = chess.Board() if fen == "startpos" else chess.Board(fen)
    for move in moves:
        board.push_san(move)
    return board


def put(table: QTable, board: chess.Board, value: float, depth: int) -> None:
    table.put({he.key_of(board): Entry(value, depth)})


# What the table does to a search


def test_a_stored_value_decides_and_the_move_is_not_searched(table: QTable) -> None:
    limits = Limits(depth=6)
    with Engine(table, record="off") as engine:
        plain = engine.pick_move(ITALIAN, limits)
        for move in chess.Board(ITALIAN).legal_moves:
            put(table, after(ITALIAN, chess.Board(ITALIAN).san(move)), 7.0, 30)
        put(table, after(ITALIAN, "a4"), -55.0, 30)
        engine.clear()
        known = engine.pick_move(ITALIAN, limits)
    assert (known.move.uci(), known.score) == ("a2a4", 55)
    assert known.selective_depth == 0 < plain.selective_depth
    assert known.table_hits == len(list(chess.Board(ITALIAN).legal_moves))


def test_a_stored_value_that_is_too_shallow_is_not_taken(table: QTable) -> None:
    put(table, after(QUEEN_HANGS, "a3"), -900.0, 2)
    with Engine(table, record="off") as engine:
        assert engine.pick_move(QUEEN_HANGS, Limits(depth=6)).move.uci() == "e4d5"
        put(table, after(QUEEN_HANGS, "a3"), -5000.0, 12)
        assert engine.pick_move(QUEEN_HANGS, Limits(depth=6)).move.uci() == "a2a3"


def test_a_stored_loss_is_avoided_two_plies_ahead(table: QTable) -> None:
    board = after(QUEEN_HANGS, "exd5", "Nf6")
    put(table, board, -3000.0, 20)  # after this reply the capture is a disaster, says the table
    put(table, after(QUEEN_HANGS, "exd5"), -500.0, 1)  # too shallow to be taken, but the reply comes first
    with Engine(table, record="off") as engine:
        pick = engine.pick_move(QUEEN_HANGS, Limits(depth=5))
    assert pick.move.uci() != "e4d5"


def require_playable(board: chess.Board, line: Iterable[chess.Move]) -> None:
    """No move of the line is illegal, none repeats a position, and none comes after the end."""
    end = board.copy()
    for move in line:
        assert not end.is_game_over()
        assert end.is_legal(move)
        end.push(move)
        assert not end.is_repetition(2)


def test_a_line_that_the_table_ends_is_told_on_by_the_table(table: QTable) -> None:
    board = after(ITALIAN, "a4")
    put(table, board, -400.0, 30)
    for san in ("h5", "h4", "Nf6"):
        board.push_san(san)
        put(table, board, 400.0 if board.turn == chess.WHITE else -400.0, 25)
    with Engine(table, record="off") as engine:
        pick = engine.pick_move(ITALIAN, Limits(depth=5))
        untold = engine.pick_move(ITALIAN, Limits(depth=5), tells_lines=False)
    assert [move.uci() for move in pick.line[:4]] == ["a2a4", "h7h5", "h2h4", "g8f6"]
    assert pick.reply == chess.Move.from_uci("h7h5")
    assert (pick.score, pick.best.from_table, len(pick.line) >= 8) == (400.0, True, True)
    assert (untold.score, [move.uci() for move in untold.line]) == (400.0, ["a2a4", "h7h5"])
    require_playable(chess.Board(ITALIAN), pick.line)


def test_a_line_that_nothing_goes_on_from_is_searched_on(table: QTable) -> None:
    put(table, after(ITALIAN, "a4"), -400.0, 30)
    with Engine(table, record="off") as engine:
        pick = engine.pick_move(ITALIAN, Limits(depth=5))
    assert (pick.move.uci(), pick.score, len(pick.line) >= 8) == ("a2a4", 400.0, True)
    require_playable(chess.Board(ITALIAN), pick.line)


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, ITALIAN])
@pytest.mark.parametrize("limits", [Limits(depth=11), Limits(nodes=60_000), Limits(seconds=0.3)])
def test_what_is_remembered_does_not_cut_the_line(fen: str, limits: Limits, tmp_path: Path) -> None:
    """The first search showed twenty plies, the second one, which had the table, three at every depth."""

    class Lines(Observer):
        def on_depth(self, found: FoundDepth) -> None:
            heard.append(found)

    heard: list[FoundDepth] = []
    for _ in range(3):
        heard.clear()
        with Engine(tmp_path / "t.table") as engine:
            pick = engine.pick_move(fen, limits, Lines())
        # Nodes without a move in the hash are searched less deep: on the way a line may be shorter. When a
        # clock breaks a search off is chance, and so is whether the table knows how its last move goes on.
        shorter = 0 if limits.seconds is None else 2
        assert len(pick.line) >= min(pick.depth, 8) - shorter, pick.line
        for found in [*heard, pick]:
            if limits.seconds is None:
                assert len(found.line) >= min(found.depth, 8) - 2, found.line
            require_playable(chess.Board(fen), found.line)
    assert pick.table_hits > 0


def test_a_line_that_is_told_on_stops_where_the_game_ends(table: QTable) -> None:
    """Scholar's mate, known move by move: nothing comes after it."""
    board = after("startpos", "e4", "e5", "Bc4", "Nc6", "Qh5")
    put(table, board, -(MATE_VALUE - 2), MAX_DEPTH)
    root = after("startpos", "e4", "e5", "Bc4", "Nc6")
    for san in ("Nf6", "Qxf7#"):
        board.push_san(san)
        put(table, board, MATE_VALUE - 1 if san == "Nf6" else -MATE_VALUE, MAX_DEPTH)
    with Engine(table, record="off") as engine:
        pick = engine.pick_move(root, Limits(depth=3))
    assert [move.uci() for move in pick.line] == ["d1h5", "g8f6", "h5f7"]


def test_candidates_are_those_whose_values_are_known(table: QTable) -> None:
    put(table, after(ITALIAN, "a4"), 31.0, 30)
    with Engine(table, record="off") as engine:
        pick = engine.pick_move(ITALIAN, Limits(depth=5))
    assert pick.candidates[0].move == pick.move
    assert pick.candidates[0].score == pick.score
    found = {candidate.move.uci(): candidate for candidate in pick.candidates}
    assert (found["a2a4"].score, found["a2a4"].depth, found["a2a4"].from_table) == (-31, 31, True)


def test_where_the_game_repeats_itself_the_table_is_not_asked(table: QTable) -> None:
    board = after(ITALIAN, "Ng1", "Nb8", "Nf3", "Nc6")
    put(table, after(ITALIAN, "a4"), -5000.0, 30)
    with Engine(table, record="off") as engine:
        assert engine.pick_move(ITALIAN, Limits(depth=4)).move.uci() == "a2a4"
        assert engine.pick_move(board, Limits(depth=4)).table_hits == 0


def test_the_table_is_read_once_for_a_pick() -> None:
    reads: list[int] = []

    class Counted(View):
        def get_many(self, keys: Iterable[str]) -> dict[str, Entry]:
            wanted = list(keys)
            reads.append(len(wanted))
            return super().get_many(wanted)

    with QTable.in_memory() as table, Engine(Counted(table)) as engine:
        engine.pick_move("startpos", Limits(depth=5))
        assert reads == [1 + 20 + 400]
        engine.pick_move("startpos", Limits(depth=5, seconds=0.02))
        assert reads[1:] == [1 + 20]
        engine.pick_move("startpos", Limits(depth=5, seconds=0.0005))
        assert len(reads) == 2


def test_what_an_import_holds_beyond_a_search_is_cut_to_it(table: QTable) -> None:
    put(table, after(ITALIAN, "a4"), -1e9, 10**6)
    with Engine(table, record="off") as engine:
        assert engine.pick_move(ITALIAN, Limits(depth=3)).move.uci() == "a2a4"


# What is recorded


def test_root_line_and_candidates_are_recorded_for_the_side_to_move(table: QTable) -> None:
    with Engine(table) as engine:
        finished: list[FoundDepth] = []
        observer = Observer()
        observer.on_depth = finished.append  # type: ignore[assignment,method-assign] # listens
        pick = engine.pick_move(ITALIAN, Limits(depth=6), observer)
    assert [each.depth for each in finished] == [1, 2, 3, 4, 5, 6]
    assert (finished[-1].move, finished[-1].score) == (pick.move, pick.score)
    board = chess.Board(ITALIAN)
    for ply, move in enumerate(pick.line[:6]):
        entry = table.get(he.key_of(board))
        assert entry is not None
        assert (entry.value, entry.depth) == (-pick.score if ply % 2 else pick.score, 6 - ply)
        board.push(move)
    for candidate in pick.candidates[1:]:
        entry = table.get(he.key_of(after(ITALIAN, chess.Board(ITALIAN).san(candidate.move))))
        if candidate.score and candidate.depth > 1:
            assert entry is not None
            assert entry.value == -candidate.score
    assert table.check() == []


def test_a_move_that_a_broken_off_depth_found_is_not_recorded_with_the_value_of_another() -> None:
    """The depth before had valued another move; its value was recorded for the new one."""
    changed = 0
    for board in (opening.board() for opening in load_openings()[:100]):
        finished: list[FoundDepth] = []
        observer = Observer()
        observer.on_depth = finished.append  # type: ignore[assignment,method-assign] # listens
        with QTable.in_memory() as table, Engine(table, hash_mib=1) as engine:
            pick = engine.pick_move(board, Limits(nodes=2_500), observer)
            if not finished or finished[-1].move == pick.move:
                continue
            changed += 1
            after_the_move = board.copy()
            after_the_move.push(pick.move)
            entry = table.get(he.key_of(after_the_move))
            known = engine._thinker._search.exact(pack(after_the_move))  # type: ignore[attr-defined] # looks inside
            assert entry is None or (known is not None and (entry.value, entry.depth) == known[:2])
    assert changed


@pytest.mark.parametrize("forget", [True, False])
def test_mates_come_back_with_their_distance(table: QTable, forget: bool) -> None:
    with Engine(table) as engine:
        first = engine.pick_move(MATE_IN_TWO, Limits(depth=12))
        assert (first.mate_in, first.score) == (2, MATE_VALUE - 3)
        root = table.get(he.key_of(MATE_IN_TWO))
        assert root is not None
        assert (root.value, root.depth) == (MATE_VALUE - 3, MAX_DEPTH)
        if forget:
            engine.clear()
        again = engine.pick_move(MATE_IN_TWO, Limits(depth=3))
        assert (again.mate_in, again.score) == (2, MATE_VALUE - 3)
        board = chess.Board(MATE_IN_TWO)
        board.push(first.line[0])
        assert engine.pick_move(board, Limits(depth=3)).mate_in == -1
        board.push(first.line[1])
        assert engine.pick_move(board, Limits(depth=3)).mate_in == 1


def test_a_draw_by_repetition_is_not_recorded(table: QTable) -> None:
    board = chess.Board("5k2/8/8/q7/8/8/8/6K1 b - - 0 1")
    for move in ("Kg8", "Kh1", "Kf8", "Kg1", "Kg8", "Kh1", "Kf8"):
        board.push_san(move)
    with Engine(table) as engine:
        pick = engine.pick_move(board, Limits(depth=6))
        assert (pick.move.uci(), pick.score) == ("h1g1", 0)  # the third time
        assert table.get(he.key_of(board)) is None
        assert engine.pick_move(board.fen(), Limits(depth=6)).score < -100
    assert table.get(he.key_of(board)) is not None


def test_a_draw_that_the_board_shows_is_recorded(table: QTable) -> None:
    fen = "7k/8/8/8/8/8/6q1/6K1 w - - 0 1"  # only Kxg2, and nobody can mate
    with Engine(table) as engine:
        assert engine.pick_move(fen, Limits(depth=4)).score == 0
    entry = table.get(he.key_of(fen))
    assert entry is not None
    assert entry.value == 0.0


def test_nothing_is_recorded_where_fifty_moves_come_into_reach(table: QTable) -> None:
    with Engine(table) as engine:
        engine.pick_move("3k4/8/8/8/8/8/4R3/4K3 w - - 97 80", Limits(depth=6))
    assert len(table) == 0


def test_a_shallower_search_does_not_overwrite_a_deeper_one(table: QTable) -> None:
    with Engine(table) as engine:
        engine.pick_move(ITALIAN, Limits(depth=7))
        engine.clear()
        before = table.get(he.key_of(ITALIAN))
        engine.pick_move(ITALIAN, Limits(depth=2))
    entry = table.get(he.key_of(ITALIAN))
    assert before is not None
    assert entry is not None
    assert (entry.value, entry.depth, entry.visits) == (before.value, 7, before.visits + 1)


# Tables


def test_tables_of_the_other_mode_are_refused(tmp_path: Path) -> None:
    with Engine(tmp_path / "deep.table") as engine:
        engine.pick_move("startpos", Limits(depth=2))
    with pytest.raises(TableMismatch, match="holds values of mode deep, expected those of mode classic"):
        Engine(tmp_path / "deep.table", mode="classic")
    with QTable(tmp_path / "deep.table") as table, pytest.raises(TableMismatch, match="another unit"):
        Engine(table, mode="classic")
    with Engine(tmp_path / "classic.table", mode="classic") as engine_of_old:
        engine_of_old.pick_move("startpos")
    with pytest.raises(TableMismatch, match="holds values of mode classic, expected those of mode deep"):
        Engine(tmp_path / "classic.table", mode="deep")


def test_a_table_decides_the_mode_by_what_it_holds(tmp_path: Path) -> None:
    for mode in ("classic", "deep"):
        path = tmp_path / f"{mode}.table"
        with Engine(path, mode=mode) as engine:
            engine.pick_move("startpos", Limits(depth=2))
        with Engine(path) as again, QTable(path) as table, Engine(table) as on_table:
            assert (again.mode.name, on_table.mode.name) == (mode, mode)
    with Engine(tmp_path / "missing.table") as fresh, QTable.in_memory() as empty:
        assert (fresh.mode.name, Engine(empty).mode.name) == ("deep", "deep")


def test_settings_of_the_other_mode_are_refused() -> None:
    with pytest.raises(he.InvalidSettings, match=r"mode deep has the settings .*, got 'plies'"):
        Engine(plies=3)
    with pytest.raises(he.InvalidSettings, match=r"mode classic has the settings .*, got 'threads'"):
        Engine(mode="classic", threads=2)
    with pytest.raises(he.InvalidSettings, match="mode must be one of deep, classic, got 'fast'"):
        Engine(mode="fast")


def test_a_table_outlives_a_change_of_weights(tmp_path: Path) -> None:
    with Engine(tmp_path / "t.table") as engine:
        engine.pick_move(ITALIAN, Limits(depth=4))
    with Engine(tmp_path / "t.table", weights=CMHM2.scaled(8)) as engine:
        assert engine.pick_move(ITALIAN, Limits(depth=3)).table_hits > 0


def test_a_missing_table_is_made_when_there_is_something_to_record(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    with Engine(path) as engine:
        assert not path.exists()
        engine.pick_move("startpos", Limits(depth=2))
        assert path.exists()


def test_a_failing_table_never_stops_a_pick(tmp_path: Path) -> None:
    path, heard = tmp_path / "t.table", list[str]()
    with Engine(path) as engine:
        engine.pick_move("startpos", Limits(depth=4))
    page = path.stat().st_size // 2
    with Engine(path, report=heard.append) as engine:
        assert engine.table is not None
        content = path.read_bytes()
        path.write_bytes(content[:100] + b"\xff" * (2 * page - 100))
        picks = [engine.pick_move("startpos", Limits(depth=3)) for _ in range(2)]
    assert all(pick.move in chess.Board().legal_moves for pick in picks)
    assert len(heard) == len(set(heard)) >= 1


def test_a_read_only_table_is_read_and_not_written(tmp_path: Path) -> None:
    with Engine(tmp_path / "t.table") as engine:
        engine.pick_move(ITALIAN, Limits(depth=4))
    before = (tmp_path / "t.table").read_bytes()
    with Engine(tmp_path / "t.table", readonly=True) as engine:
        assert engine.pick_move(ITALIAN, Limits(depth=5)).table_hits > 0
    assert (tmp_path / "t.table").read_bytes() == before


def test_two_engines_on_one_table_see_what_the_other_found(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    with Engine(path) as one, Engine(path) as other:
        one.pick_move(ITALIAN, Limits(depth=6))
        assert other.pick_move(ITALIAN, Limits(depth=4)).table_hits > 0
        other.pick_move("startpos", Limits(depth=4))
        assert one.pick_move("startpos", Limits(depth=3)).table_hits > 0
    with QTable(path) as table:
        assert table.check() == []


_PICK_FOR_EVER = """
import sys
import chess
from heatmap_engine.limits import Limits
from heatmap_engine.engines.engine import Engine
with Engine(sys.argv[1]) as engine:
    for number in range(10_000):
        board = chess.Board()
        for ply in range(6):
            pick = engine.pick_move(board, Limits(depth=3 + number % 3))
            moves = sorted(board.legal_moves, key=lambda move: move.uci())
            board.push(moves[(number * 7 + ply) % len(moves)])
        print(number, flush=True)
"""


def test_a_process_killed_while_it_records_leaves_a_sound_table(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    for games in (1, 3):
        with start_python(_PICK_FOR_EVER, path) as process:
            assert process.stdout is not None
            for _ in range(games):
                process.stdout.readline()
            os.kill(process.pid, signal.SIGKILL)
    with QTable(path) as table:
        assert table.check() == []
        assert len(table) > 10
    with Engine(path) as engine:
        assert engine.pick_move("startpos", Limits(depth=3)).table_hits > 0


# Learning


def lost_game(engine: Engine, strong: Engine, board: chess.Board) -> str:
    """Plays on with White against one that looks further, until that one has won; gives the result."""
    while board.ply() < 200:
        if board.is_checkmate():
            return "0-1" if board.turn == chess.WHITE else "1-0"
        if board.turn == chess.WHITE:
            board.push(engine.pick_move(board, Limits(nodes=600)).move)
            continue
        pick = strong.pick_move(board, Limits(nodes=50_000))
        if -pick.score > 2 * WON:
            return "0-1"
        board.push(pick.move)
    return "1/2-1/2"


def with_move(board: chess.Board, game: chess.Board) -> chess.Board:
    """The board after the next move of a game that it belongs to."""
    after_it = board.copy()
    after_it.push(game.move_stack[len(board.move_stack)])
    return after_it


def test_a_game_that_was_lost_is_not_lost_the_same_way_again(tmp_path: Path) -> None:
    first, second = chess.Board(), chess.Board()
    with Engine(tmp_path / "t.table", learning_nodes=4_000) as engine, Engine() as strong:
        assert lost_game(engine, strong, first) == "0-1"
        assert engine.table is not None
        engine.learn_game(first, "0-1" if not first.is_checkmate() else None)
        engine.clear()
        strong.clear()
        lost_game(engine, strong, second)
        known = dict(iter(engine.table))
    same = 0
    while first.move_stack[same] == second.move_stack[same]:
        same += 1
    assert same % 2 == 0, "the other side plays as before"
    before_they_part = first.copy()
    while len(before_they_part.move_stack) > same:
        before_they_part.pop()
    lost = known[he.key_of(with_move(before_they_part, first))]
    other = known.get(he.key_of(with_move(before_they_part, second)))
    assert lost.wins, "the move after which the other side won gave way to another one"
    assert other is None or not other.wins


def test_a_mated_game_flows_back_to_the_mistake(table: QTable) -> None:
    board = after("startpos", "f3", "e5", "g4", "Qh4#")
    mistake = after("startpos", "f3", "e5")
    with Engine(table, learning_nodes=2_000) as engine:
        learned = engine.learn_game(board)
        steps = {step.ply: step for step in learned.steps}
        assert steps[3].new_value == -(MATE_VALUE - 1)
        assert steps[2].new_pick.uci() != "g2g4"
        lost = table.get(he.key_of(after("startpos", "f3", "e5", "g4")))
        assert lost is not None
        assert (lost.value, lost.depth) == (MATE_VALUE - 1, MAX_DEPTH)
        assert (lost.wins, lost.losses) == (1, 0)
        assert engine.pick_move(mistake, Limits(depth=1)).move.uci() != "g2g4"


def test_a_no_show_does_not_make_the_first_move_lost(tmp_path: Path) -> None:
    """`1. d4 Nf6 0-1` from a database: from then on 1. d4 was worth -1200 at depth 21, for every search."""
    game, first, limits = after("startpos", "d4", "Nf6"), after("startpos", "d4"), Limits(depth=8)
    with Engine(tmp_path / "t.table") as engine, Engine() as fresh:
        engine.learn_game(game, "0-1")
        assert engine.table is not None
        for position in (first, game):
            entry = engine.table.get(he.key_of(position))
            assert entry is not None
            assert entry.depth < 20
            expected = fresh.pick_move(position, limits).score
            assert movers_view(position.turn, entry.value) == pytest.approx(expected, abs=40)
            assert engine.pick_move(position, limits).score == pytest.approx(expected, abs=40)


def test_a_value_from_a_result_never_answers_for_a_search(table: QTable) -> None:
    board, told = after("startpos", "e4", "e5", "Nf3"), after("startpos", "e4", "e5", "Nf3", "Nc6")
    with Engine() as fresh, Engine(table, record="off") as engine:
        expected = fresh.pick_move(board, Limits(depth=6))
        table.put({he.key_of(told): Entry(WON, MAX_DEPTH, source="game")})
        pick = engine.pick_move(board, Limits(depth=6))
    assert (pick.move, pick.score, pick.table_hits) == (expected.move, expected.score, 0)


def test_a_game_is_learned_exactly_once(table: QTable) -> None:
    board = after("startpos", "e4", "e5", "Qh5", "Ke7", "Qxe5#")
    with Engine(table, learning_nodes=500) as engine:
        learned = engine.learn_game(board)
        with pytest.raises(he.AlreadyLearned):
            engine.learn_game(board)
        forced = engine.learn_game(board, force=True)
    assert learned.game_id == forced.game_id
    [line] = table.journal()
    assert line.id == learned.game_id
    assert '"mode":"deep"' in line.text
    assert '"walks":2' in line.text
    stats = table.stats()
    assert (stats.wins, stats.draws, stats.losses) == (3, 0, 3)


def test_a_lesson_may_be_interrupted_at_any_time(table: QTable) -> None:
    class Enough(Exception):
        pass

    def now_and_then(nodes: int) -> None:
        calls.append(nodes)
        if len(calls) % 20 == 0:
            raise Enough

    board = after("startpos", "e4", "e5", "Qh5", "Ke7", "Qxe5#")
    calls: list[int] = []
    with Engine(table, learning_nodes=500) as engine:
        lesson = engine.begin_lesson(as_record(board))
        interruptions = 0
        learned = None
        while learned is None:
            try:
                learned = lesson.go_on(now_and_then)
            except Enough:
                interruptions += 1
                assert table.journal_length() == 0
    assert interruptions > 0
    assert len(learned.steps) == 5
    assert table.journal_length() == 1


def test_where_many_games_have_been_a_position_is_learned_by_a_longer_search() -> None:
    def longest_search(entries: dict[str, Entry]) -> int:
        with QTable.in_memory() as table, Engine(table, learning_nodes=500) as engine:
            table.put(entries)
            nodes: list[int] = []
            engine.begin_lesson(as_record(after("startpos", "e4", "e5"))).go_on(nodes.append)
            return max(nodes)

    start = he.key_of(chess.Board())
    assert longest_search({start: Entry(0.0, 1)}) <= 500
    assert 500 < longest_search({start: Entry(0.0, 1, wins=40, draws=20, losses=39)}) <= 5_000
    assert 5_000 < longest_search({start: Entry(0.0, 1, wins=40_000)}) <= 8_000


def test_a_repeated_loss_counts_for_more_each_time(table: QTable) -> None:
    """So that a longer think, too, hears of it after a while."""
    board = after("startpos", "f3", "e5", "g4", "Qh4#")
    with Engine(table, learning_nodes=500) as engine:
        engine.learn_game(board)
        first = table.get(he.key_of(after("startpos", "f3")))
        for _ in range(3):
            engine.learn_game(board, force=True)
        last = table.get(he.key_of(after("startpos", "f3")))
    assert first is not None
    assert last is not None
    assert last.depth >= first.depth


def test_expected_points_are_tenfold_at_400() -> None:
    assert expected_points(400) / (1 - expected_points(400)) == pytest.approx(10)
    assert expected_points(-1e9) + expected_points(1e9) == pytest.approx(1)


def test_a_game_drawn_by_fifty_moves_does_not_teach_that_its_positions_are_drawn() -> None:
    """The walk saw the clock, and recorded a won ending as a draw of the greatest depth."""
    board = chess.Board("8/8/4k3/8/8/3QK3/8/8 w - - 94 90")
    for move in ("d3d4", "e6f5", "d4d5", "f5f6", "d5d4", "f6e6"):
        board.push_uci(move)
    table = QTable.in_memory(settings=table_settings(DeepSettings()))
    with Engine(table, learning_nodes=3000) as engine:
        engine.learn_game(as_record(board, "1/2-1/2"))
    position = board.copy()
    while True:
        entry = table.get_many([he.key_of(position)])[he.key_of(position)]
        ahead = entry.value if position.turn else -entry.value
        assert ahead > 100, position.fen()
        if not position.move_stack:
            break
        position.pop()


@pytest.mark.parametrize("nodes", [5, 2_000])
@pytest.mark.parametrize(
    "moves",
    [
        "Nc3 d5 e3 e5",
        "Nf3 Nf6 Ng1 Ng8 Nc3 d5 e3 e5",
        "Nf3 Nf6 Ng1 Ng8 f3 e5 g4 d5 Kf2 Nf6",
        "e4 e5 Nf3 Nc6 Bb5 a6",
    ],
)
def test_what_the_walk_takes_for_the_truth_is_recorded_with_the_depth_that_stands_behind_it(
    moves: str, nodes: int, table: QTable
) -> None:
    """What a search of the walk was told, one of an earlier position recorded as its own."""
    with Engine(table, learning_nodes=nodes) as engine:
        engine.learn_game(after("startpos", *moves.split()), "0-1")
    depths = [entry.depth for _, entry in table if not is_mate(round(entry.value))]
    assert max(depths) < 40


def test_what_the_table_gave_one_search_later_ones_do_not_believe(table: QTable) -> None:
    """Nor is it recorded again as something searched, where the table is not asked any more."""
    board, told = after("startpos", "e4", "e5", "Nf3"), after("startpos", "e4", "e5", "Nf3", "Nc6")
    table.put({he.key_of(told): Entry(500, 90)})
    limits = Limits(depth=8)
    with Engine(table) as engine:
        assert board.san(engine.pick_move(board, limits).move) != "Nc6"
        for move in ("Nf6", "Ng1", "Ng8", "Nf3"):
            board.push_san(move)
        repeated = engine.pick_move(board, limits)
        assert repeated.table_hits == 0
        assert board.san(repeated.move) == "Nc6"
        entry = table.get(he.key_of(told))
        assert entry is not None
        assert (entry.value, entry.depth, entry.source) == (500, 90, "search")


# What a table holds, and what was asked


def test_a_view_has_the_mode_of_its_table() -> None:
    """Heat units were taken for centipawns, without a word."""
    with QTable.in_memory(settings=table_settings(ClassicSettings())) as table:
        assert Engine(table).mode.name == Engine(View(View(table))).mode.name == "classic"


def test_limits_that_limit_nothing_are_the_modes_own() -> None:
    with Engine(record="off") as engine:
        for limits in (Limits(strict=True), Limits(is_patient=True), Limits()):
            assert engine.pick_move("startpos", limits).depth == 10


@pytest.mark.parametrize("mode", ["deep", "classic"])
def test_moves_that_are_not_legal_are_refused(mode: str) -> None:
    with Engine(mode=mode) as engine, pytest.raises(he.InvalidMove, match="e2e5 is not legal in"):
        engine.pick_move("startpos", Limits(depth=1), moves=[chess.Move.from_uci("e2e5")])


def test_settings_say_the_mode_and_all_else() -> None:
    settings = ClassicSettings(plies=1)
    assert Engine(settings=settings).mode.name == "classic"
    for wrong in ({"mode": "deep"}, {"plies": 3}):
        with pytest.raises(he.InvalidSettings, match="settings of mode classic say it all"):
            Engine(settings=settings, **wrong)  # type: ignore[arg-type] # that is the point


def test_the_effort_of_several_lines_is_that_of_all(table: QTable) -> None:
    """A GUI heard of the nodes of the best line and of the time of all."""
    with Engine(table, record="off") as engine:
        one = engine.pick_move(ITALIAN, Limits(depth=9))
        engine.clear()
        assert engine.pick_move(ITALIAN, Limits(depth=9), lines=5).nodes > 2 * one.nodes


@pytest.mark.parametrize("mode", ["deep", "classic"])
def test_asking_does_not_change_what_is_picked(mode: str) -> None:
    def picked(*, asks: bool) -> list[chess.Move]:
        with Engine(mode=mode, random=Random(1), record="off") as engine:
            if asks:
                engine.report("startpos", candidates=True)
                engine.why("startpos", limits=Limits(depth=1))
            mates = "8/8/8/8/8/6k1/4q3/7K b - - 0 1"
            return [engine.pick_move(mates, Limits(depth=1)).move for _ in range(4)]

    assert picked(asks=True) == picked(asks=False)


def _played(moves: str) -> chess.Board:
    board = chess.Board()
    for san in moves.split():
        board.push_san(san)
    return board


def test_annotating_a_game_records_nothing_and_gives_the_same_again() -> None:
    board = _played("e4 e5 Qh5 Ke7 Qxe5#")
    with QTable.in_memory() as table, Engine(table) as engine:
        once, twice = (engine.annotate(board, Limits(nodes=3000)) for _ in range(2))
        assert len(table) == 0
    assert [(move.san, move.mark, move.after.value) for move in once.moves] == [
        (move.san, move.mark, move.after.value) for move in twice.moves
    ]
    assert once.moves[3].mark == "??"
    assert once.moves[3].board.move_stack == board.move_stack[:3]
    assert len(board.move_stack) == 5


def test_stop_ends_an_annotation_and_keeps_its_last_moves() -> None:
    board = _played("e4 e5 Nf3 Nc6 Bb5")
    with Engine() as engine:

        def two(done: int) -> bool:
            if done == 2:
                engine.stop()
            return True

        annotation = engine.annotate(board, Limits(nodes=1000), two)
    assert [move.san for move in annotation.moves] == ["Nc6", "Bb5"]
    assert not annotation.is_whole


def test_lines_of_an_annotation_go_on_where_a_later_value_was_remembered() -> None:
    """They ended after one ply, because the search knew the value of the position there."""
    immortal = _played(
        "e4 e5 f4 exf4 Bc4 Qh4+ Kf1 b5 Bxb5 Nf6 Nf3 Qh6 d3 Nh5 Nh4 Qg5 Nf5 c6 g4 Nf6 Rg1 cxb5 h4 Qg6 h5 Qg5 "
        "Qf3 Ng8 Bxf4 Qf6 Nc3 Bc5 Nd5 Qxb2 Bd6 Bxg1 e5 Qxa1+ Ke2 Na6"
    )
    with Engine() as engine:
        annotation = engine.annotate(immortal, Limits(nodes=1000))
    lines = [move.best.line for move in annotation.moves if move.best.mate_in is None]
    assert min(map(len, lines)) >= 6


class CountingView(View):
    """A table that notes how many positions it was asked of at a time."""

    def __init__(self, table: QTable) -> None:
        super().__init__(table)
        self.asked: list[int] = []

    def get_many(self, keys: Iterable[str]) -> dict[str, Entry]:
        wanted = list(keys)
        self.asked.append(len(wanted))
        return super().get_many(wanted)


def test_far_from_what_a_table_knows_one_ply_is_read(table: QTable) -> None:
    """Two plies were read for each move of a game: 0.9 ms of 2.2 at 2,000 nodes, mostly for nothing."""
    put(table, after("startpos", "e4", "e5"), 30.0, 5)
    view = CountingView(table)
    limits = Limits(nodes=200)
    with Engine(view, record="off") as engine:

        def asked(*moves: str) -> tuple[list[int], int]:
            view.asked.clear()
            hits = engine.pick_move(after("startpos", *moves), limits, tells_lines=False).table_hits
            return list(view.asked), hits

        near, hits = asked()
        assert (len(near), hits) == (1, 1)  # two plies at once: how a game begins
        assert near[0] > 200
        away = ("Nf3", "a6", "Ng1", "a5")
        assert asked(*away)[0][0] > 200  # nothing is known here, which nobody could know
        assert asked(*away, "h4", "h5") == (
            [1 + len(list(after("startpos", *away, "h4", "h5").legal_moves))],
            0,
        )
        # What is known comes near again: one ply finds it, so two are read.
        first, second = asked("e4")[0]
        assert (first, second > 200) == (21, True)
        assert asked("e4")[1] == 1
        asked(*away)
        engine.clear()
        assert asked(*away)[0][0] > 200
