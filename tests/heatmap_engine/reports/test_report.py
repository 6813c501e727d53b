"""What a report says, against the table, the rules and the specification."""

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from reported_positions import STATES, WORKED, board_of_state, table_in_memory
from strategies import ENDGAMES, boards

from heatmap_engine import Engine, InvalidPosition, Known, MoveReport, Report, State, key_of, reference
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.winning_chances import Chances, chances
from qtable import Entry, QTable
from qtable.errors import TableClosed, TableMissing

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(table_in_memory(), record="off") as engine:
        yield engine


def move_of(report: Report, san: str) -> MoveReport:
    return next(move for move in report.moves if move.san == san)


@pytest.mark.parametrize("name", STATES)
def test_the_states_are_told_apart(name: str, engine: Engine) -> None:
    state, _, reason = name.partition(": ")
    report = engine.report(board_of_state(name))
    assert report.state is State(state)
    assert report.reason == {"checkmate": "checkmate", "stalemate": "stalemate"}.get(state, reason or None)


def test_a_text_that_is_no_position_has_no_report(engine: Engine) -> None:
    with pytest.raises(InvalidPosition, match="expected a FEN"):
        engine.report("nonsense")


def test_the_worked_game_is_reported_as_it_was_worked_out(engine: Engine) -> None:
    report = engine.report(WORKED, line=True)
    assert report.standing.known == Known(384.0, 2, 1, 1, 0, 0, "search", 1_700_000_000)
    best = report.best
    assert best is not None
    assert (best.san, best.rank) == ("Kb6", 1)
    # 384 for White, who is the mover; Black lost there, so the mover has won.
    # Two visits: picking there recorded it, and picking at the start.
    assert best.standing.known == Known(384.0, 2, 2, 1, 0, 0, "search", 1_700_000_000)
    assert best.standing.static == pytest.approx(
        reference.score(chess.Board("k7/8/1K6/8/8/8/8/7R b - - 0 1"))
    )
    assert best.standing.learned == 384.0 - best.standing.static
    assert best.reply is not None
    assert (best.reply.san, best.reply.standing.q) == ("Kb8", 384.0)
    assert report.line is not None
    assert [move.san for move in report.line.moves] == ["Kb6", "Kb8", "Rh8#"]
    assert report.line.end == "checkmate"


def test_values_are_of_whites_view_and_results_of_the_movers() -> None:
    table = QTable.in_memory()
    after = chess.Board(AFTER_E4)
    after.push_uci("e7e5")
    # For White, who is to move after 1...e5: three games lost.
    table.record({key_of(after): Entry(-7.5, depth=1, wins=0, draws=1, losses=3)})
    report = Engine(table, mode="classic").report(AFTER_E4)
    standing = move_of(report, "e5").standing
    assert (standing.q, standing.q_mover) == (-7.5, 7.5)
    assert standing.known is not None
    assert (standing.known.wins, standing.known.draws, standing.known.losses) == (3, 1, 0)
    assert standing.chances == chances(7.5)
    assert report.state is State.KNOWN
    assert report.standing.known is None


def test_a_game_that_is_over_leaves_nothing_to_chance(engine: Engine) -> None:
    chances_of = {name: engine.report(board_of_state(name)).standing.chances for name in STATES}
    assert chances_of["checkmate"] == Chances(0.0, 0.0, 1.0)  # of the side that is to move
    assert chances_of["stalemate"] == chances_of["drawn: fifty moves"] == Chances(0.0, 1.0, 0.0)


def test_known_moves_come_first_and_a_mate_counts_as_known() -> None:
    board = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    king_move = board.copy()
    king_move.push_san("Kf7")
    table = QTable.in_memory()
    table.record({key_of(king_move): Entry(100.0)})  # bad for White, and known
    moves = Engine(table).report(board).moves
    assert [move.san for move in moves[:2]] == ["Ra8#", "Kf7"]
    assert moves[0].standing.value > 0
    assert all(not move.is_known for move in moves[2:])
    statics = [move.standing.static for move in moves[2:]]
    assert statics == sorted(statics, reverse=True)


def test_a_stalemate_does_not_come_before_better_moves_where_nothing_is_known() -> None:
    report = Engine().report("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1")

    drawn = [move for move in report.moves if move.standing.over == "stalemate"]
    assert drawn
    assert drawn[0].rank > 1


@settings(max_examples=25)  # the specification is slow
@given(boards(ENDGAMES, max_plies=60))
def test_statics_ends_and_replies_are_those_of_the_specification(board: chess.Board) -> None:
    report = Engine(mode="classic").report(board)
    assert report.standing.static == pytest.approx(reference.score(board))
    assert report.reason == reference.terminal(board)
    assert {move.uci for move in report.moves} == {move.uci() for move in board.legal_moves}
    sign = 1 if board.turn == chess.WHITE else -1
    statics = [sign * move.standing.static for move in report.moves]
    assert statics == sorted(statics, reverse=True)
    for move in report.moves:
        assert move.san == board.san(move.move)
        board.push(move.move)
        assert move.standing.static == pytest.approx(reference.score(board))
        assert move.standing.over == reference.terminal(board)
        assert (move.reply is None) == (move.standing.over is not None)
        if move.reply is not None and move.rank == 1:
            replies = [sign * score for score in scores_after_moves(board)]
            assert sign * move.reply.standing.static == pytest.approx(min(replies))
        board.pop()


def scores_after_moves(board: chess.Board) -> Iterator[float]:
    for move in list(board.legal_moves):
        board.push(move)
        yield reference.score(board)
        board.pop()


@settings(max_examples=40)
@given(boards(max_plies=40))
def test_the_board_is_left_as_it_was_and_moves_are_looked_up_by_their_keys(board: chess.Board) -> None:
    fen, stack = board.fen(), list(board.move_stack)
    table = QTable.in_memory()
    source = random.Random(fen)
    values: dict[str, float] = {}
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        if source.random() < 0.5:
            values[key_of(after)] = source.uniform(-50, 50)
    table.record({key: Entry(value) for key, value in values.items()})
    report = Engine(table).report(board)
    assert (board.fen(), board.move_stack) == (fen, stack)
    for move in report.moves:
        after = board.copy()
        after.push(move.move)
        value = values.get(key_of(after))
        assert move.standing.q == (None if value is None else value if after.turn == chess.WHITE else -value)


def test_what_another_writer_keeps_from_being_written_is_known(tmp_path: Path) -> None:
    path, heard = tmp_path / "t.table", []
    with Engine(path, mode="classic", report=heard.append) as engine:
        assert engine.table is not None
        with QTable(path) as other, other.transaction():
            engine.pick_move("startpos")
            report = engine.report("startpos")
            assert len(engine.table) == 0
        assert heard
    assert report.state is State.KNOWN
    assert report.standing.known is not None
    assert all(move.is_known for move in report.moves)


def test_a_question_makes_no_table(tmp_path: Path) -> None:
    with pytest.raises(TableMissing), Engine(tmp_path / "t.table", readonly=True) as engine:
        engine.report("startpos")
    assert list(tmp_path.iterdir()) == []


def test_a_line_ends_where_it_repeats() -> None:
    fen = "7k/8/8/8/8/P7/8/K7 w - - 0 1"
    board, table = chess.Board(fen), QTable.in_memory()
    for name in ("a1b1", "h8g8", "b1a1", "g8h8"):
        board.push_uci(name)
        table.record({key_of(board): Entry(1.0)})
    line = Engine(table).report(fen, line=True).line
    assert line is not None
    assert line.end == "repeats"
    assert [move.san for move in line.moves] == ["Kb1", "Kg8", "Ka1", "Kh8"]


def test_a_line_ends_where_nothing_is_known() -> None:
    line = Engine(QTable.in_memory()).report("startpos", line=True).line
    assert line is not None
    assert (line.moves, line.end) == ((), "nothing known")


def test_coverage_counts_different_positions_and_those_that_the_table_has() -> None:
    table = QTable.in_memory()
    with Engine(table, mode="classic") as engine:
        engine.pick_move("startpos")  # records the position and its twenty moves
        engine.pick_move(AFTER_E4)
        levels = engine.report("startpos", plies=3).coverage
    assert [(level.ply, level.positions) for level in levels] == [(1, 20), (2, 400), (3, 5362)]
    assert levels[0].known == 20
    assert levels[1].known == sum(key in table for key in distinct_after_two_plies()) >= 20


def distinct_after_two_plies() -> set[str]:
    board, keys = chess.Board(), set()
    for move in list(board.legal_moves):
        board.push(move)
        for reply in list(board.legal_moves):
            board.push(reply)
            keys.add(key_of(board))
            board.pop()
        board.pop()
    return keys


@pytest.mark.parametrize("plies", [-1, 5, 1.5, True, "2"])
def test_coverage_of_other_depths_is_refused(plies: int) -> None:
    with pytest.raises(InvalidSettings, match="from 0 to 4"):
        Engine().report("startpos", plies=plies)


def test_a_table_that_cannot_be_read_is_an_error_and_not_an_unknown_position() -> None:
    table = QTable.in_memory()
    engine = Engine(table)
    table.close()
    with pytest.raises(TableClosed):
        engine.report("startpos")


def test_the_parts_and_the_heat_are_those_of_the_position(engine: Engine) -> None:
    report = engine.report(AFTER_E4)
    assert report.standing.static == 10.0
    assert report.explanation.white.total - report.explanation.black.total == pytest.approx(10.0)
    assert report.heat[chess.WHITE, chess.A6] == pytest.approx(reference.heatmap(report.board)[1, chess.A6])
    assert set(report.king_boxes[chess.BLACK]) == {chess.D7, chess.D8, chess.E7, chess.E8, chess.F7, chess.F8}
