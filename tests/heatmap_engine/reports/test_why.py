"""Reasons are those of the pick itself, and their parts add up; in classic mode and in general."""

import chess
import pytest
from hypothesis import given, settings
from reported_positions import WORKED, table_in_memory
from strategies import boards

from heatmap_engine import Engine, GameOver, InvalidMove, Limits, reference
from heatmap_engine.engines.mode import MODE_NAMES
from qtable import QTable

HANGING_QUEEN = "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"


@settings(max_examples=25)
@given(boards(max_plies=60))
def test_every_reason_is_that_of_the_pick_and_its_parts_add_up(board: chess.Board) -> None:
    if not any(board.legal_moves):
        return
    engine = Engine(mode="classic", record="off")
    ranked = sorted(engine.pick_move(board).candidates, key=lambda candidate: candidate.move.uci())
    for candidate in ranked[:3]:
        reason = engine.why(board, candidate.move).asked
        assert (reason.score, reason.line) == (candidate.score, candidate.line)
        assert reason.learned == 0.0
        assert reason.over == reason.leaf.silence
        there = reason.score if reason.leaf.value is None else reason.leaf.value
        assert there == pytest.approx(reference.score(reason.leaf.board))
        if reason.change is not None:
            change = sum(part.change for part in reason.parts)
            assert reason.root.value is not None
            assert reason.root.value + change == pytest.approx(reason.leaf.value)
        if reason.leaf.value is not None:
            assert reason.leaf.value == pytest.approx(reason.score)


def test_the_next_best_reply_is_what_the_specification_finds() -> None:
    board = chess.Board()
    reason = Engine(mode="classic").why(board, chess.Move.from_uci("e2e4")).asked
    assert reason.reply == chess.Move.from_uci("e7e5")
    board.push_uci("e2e4")
    replies = reference.candidates(board, plies=1)
    del replies["e7e5"]
    assert reason.next_reply is not None
    assert reason.next_reply.score == pytest.approx(min(replies.values()))


def test_what_learning_changed_is_said() -> None:
    with Engine(table_in_memory(), record="off") as engine:
        why = engine.why(WORKED, chess.Move.from_uci("c6b6"))
        waiting = engine.why(WORKED, chess.Move.from_uci("h1b1"))
    # docs/design/worked-game.md: 16.0526 before the game was learned, 384 after it.
    assert why.is_best
    assert why.asked.without_table is not None
    assert (round(why.asked.without_table, 4), why.asked.score) == (16.0526, 384.0)
    assert why.asked.learned == pytest.approx(384 - why.asked.without_table)
    assert why.asked.from_table
    assert why.asked.next_reply is None
    assert not waiting.is_best
    assert waiting.asked.rank is not None
    assert (waiting.best.move, waiting.asked.rank > 1) == (why.asked.move, True)
    between = sum(part.change for part in waiting.parts)
    assert waiting.best.leaf.value is not None
    assert waiting.best.leaf.value + between == pytest.approx(waiting.asked.leaf.value)


@pytest.mark.parametrize("mode", MODE_NAMES)
def test_what_the_ends_of_two_lines_differ_in_adds_up(mode: str) -> None:
    board = chess.Board(HANGING_QUEEN)
    with Engine(mode=mode, record="off") as engine:
        why = engine.why(board, board.parse_san("a3"), Limits(depth=2))
    assert (why.unit.mode, why.weights, why.table) == (mode, engine.settings.weights_name, None)
    assert why.asked.leaf.value is not None
    assert why.best.leaf.value is not None
    between = sum(part.change for part in why.parts)
    assert between == pytest.approx(why.asked.leaf.value - why.best.leaf.value)


@pytest.mark.parametrize("mode", MODE_NAMES)
def test_who_asks_for_no_move_is_told_of_the_best(mode: str) -> None:
    with Engine(mode=mode, record="off") as engine:
        why = engine.why(HANGING_QUEEN, limits=Limits(depth=2))
    assert (why.asked, why.is_best, why.parts) == (why.best, True, ())
    assert why.asked.rank == 1


@pytest.mark.parametrize("mode", MODE_NAMES)
def test_asking_records_nothing(mode: str) -> None:
    table = QTable.in_memory()
    Engine(table, mode=mode).why("startpos", chess.Move.from_uci("e2e4"))
    assert len(table) == 0


@pytest.mark.parametrize("mode", MODE_NAMES)
def test_moves_that_are_not_legal_are_refused(mode: str) -> None:
    with pytest.raises(InvalidMove, match="e2e5 is not a legal move"):
        Engine(mode=mode).why("startpos", chess.Move.from_uci("e2e5"))
    with pytest.raises((InvalidMove, GameOver)):
        Engine(mode=mode).why("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", chess.Move.from_uci("h8h7"))
    with pytest.raises(GameOver):
        Engine(mode=mode).why("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
