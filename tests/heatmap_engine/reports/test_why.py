"""Reasons are those of the pick itself, and their parts add up."""

import chess
import pytest
from hypothesis import given, settings
from reported_positions import WORKED, table_in_memory
from strategies import boards

from heatmap_engine import Engine, GameOver, InvalidMove, reference
from qtable import QTable


@settings(max_examples=25)
@given(boards(max_plies=60))
def test_every_reason_is_that_of_the_pick_and_its_parts_add_up(board: chess.Board) -> None:
    if not any(board.legal_moves):
        return
    engine = Engine(record="off")
    ranked = sorted(engine.pick_move(board).candidates, key=lambda candidate: candidate.move.uci())
    for candidate in ranked[:3]:
        reason = engine.why(board, candidate.move).reason
        assert (reason.score, reason.line) == (candidate.score, candidate.line)
        assert reason.learned == 0.0
        assert reason.leaf.score == pytest.approx(reference.score(reason.end))
        if reason.is_explained_by_terms:
            change = sum(term.change for term in reason.terms)
            assert reason.root.score + change == pytest.approx(reason.leaf.score)
        if reason.leaf.terminal is None:
            assert reason.leaf.score == pytest.approx(reason.score)


def test_the_next_best_reply_is_what_the_specification_finds() -> None:
    board = chess.Board()
    reason = Engine().why(board, chess.Move.from_uci("e2e4")).reason
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
    # docs/worked-game.md: 16.0526 before the game was learned, 384 after it.
    assert why.is_best
    assert (round(why.reason.without_table, 4), why.reason.score) == (16.0526, 384.0)
    assert why.reason.learned == pytest.approx(384 - why.reason.without_table)
    assert why.reason.from_table
    assert why.reason.next_reply is None
    assert not waiting.is_best
    assert (waiting.best.move, waiting.reason.rank > 1) == (why.reason.move, True)
    between = sum(term.change for term in waiting.terms)
    assert waiting.best.leaf.score + between == pytest.approx(waiting.reason.leaf.score)


def test_asking_records_nothing() -> None:
    table = QTable.in_memory()
    Engine(table).why("startpos", chess.Move.from_uci("e2e4"))
    assert len(table) == 0


def test_moves_that_are_not_legal_are_refused() -> None:
    with pytest.raises(InvalidMove, match="e2e5 is not a legal move"):
        Engine().why("startpos", chess.Move.from_uci("e2e5"))
    with pytest.raises((InvalidMove, GameOver)):
        Engine().why("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", chess.Move.from_uci("h8h7"))
