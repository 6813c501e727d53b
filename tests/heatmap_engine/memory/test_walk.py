"""Walking games backwards: what flows where, what is counted, what is not."""

import math

import chess
import chess.pgn
import pytest

import heatmap_engine as he
from games.chess.errors import InvalidGame
from games.chess.record import GameRecord
from heatmap_engine.memory.finished_game import as_record
from qtable import Entry, QTable

# The worked game of docs/design/worked-game.md: 1. Kb6 Kb8 2. Rh8#.
START = "k7/8/2K5/8/8/8/8/7R w - - 0 1"
MOVES = ["c6b6", "a8b8", "h1h8"]
MATE = 3 * 2 * 64


def played(fen: str = START, moves: list[str] = MOVES) -> chess.Board:
    board = chess.Board(fen)
    for uci in moves:
        board.push_uci(uci)
    return board


def entry_of(table: QTable, board: chess.Board) -> Entry:
    entry = table.get(he.key_of(board))
    assert entry is not None
    return entry


def score_of(pick: he.Pick, uci: str) -> float:
    return next(candidate.score for candidate in pick.candidates if candidate.move.uci() == uci)


def test_the_worked_game_value_by_value() -> None:
    with QTable.in_memory() as table, he.Engine(table, record="off", mode="classic") as engine:
        before = engine.pick_move(START)
        # White's 19 moves less Black's (45 in all, 11 of them into the box of the king on b6) after them.
        assert score_of(before, "c6b6") == pytest.approx(19 - (45 + 11) / 19)
        assert score_of(before, "h1h7") == pytest.approx(20.7)
        assert before.score == pytest.approx(20.7)
        learned = engine.learn_game(played())
        after = engine.pick_move(START)

        assert [(step.ply, step.played.uci(), step.new_value) for step in learned.steps] == [
            (2, "h1h8", MATE),
            (1, "a8b8", MATE),
            (0, "c6b6", MATE),
        ]
        assert [step.new_pick.uci() for step in learned.steps] == ["h1h8", "a8b8", "c6b6"]
        assert all(step.old_value is None and step.old_pick is None for step in learned.steps)
        assert (after.move.uci(), after.score) == ("c6b6", MATE)
        assert score_of(after, "h1h7") == pytest.approx(20.7)

        board = chess.Board(START)
        expected = [
            ("search", MATE, 2, (1, 0, 0)),
            ("search", -MATE, 2, (0, 0, 1)),
            ("search", MATE, 2, (1, 0, 0)),
        ]
        for uci, (source, value, depth, results) in zip(MOVES, expected, strict=True):
            entry = entry_of(table, board)
            assert (entry.source, entry.value, entry.depth) == (source, value, depth)
            assert (entry.wins, entry.draws, entry.losses) == results
            board.push_uci(uci)
        final = entry_of(table, board)
        assert (final.source, final.value, final.wins, final.draws, final.losses) == ("game", -MATE, 0, 0, 1)


def test_a_second_look_says_what_changed() -> None:
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        first = engine.pick_move(START)
        learned = engine.learn_game(played())
    step = learned.steps[-1]
    assert step.old_value == pytest.approx(first.score) == pytest.approx(20.7)
    assert step.old_pick in (chess.Move.from_uci("h1b1"), chess.Move.from_uci("h1h7"))
    assert (step.new_value, step.new_pick.uci()) == (MATE, "c6b6")


def test_a_game_is_learned_once_unless_forced_and_its_result_counts_once() -> None:
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        engine.learn_game(played())
        size = len(table)
        with pytest.raises(he.AlreadyLearned):
            engine.learn_game(played())
        engine.learn_game(played(), force=True)
        entry = entry_of(table, chess.Board(START))
        assert (entry.wins, entry.draws, entry.losses) == (1, 0, 0)
        assert table.journal_length() == 1
        assert len(table) == size


@pytest.mark.parametrize(("result", "counted"), [("0-1", (0, 0, 1)), ("1/2-1/2", (0, 1, 0))])
def test_who_resigns_or_agrees_to_a_draw_in_a_won_position_does_not_make_it_less(
    result: str, counted: tuple[int, int, int]
) -> None:
    """White has a mate in one: the result was the position's value, and searches took it from the table."""
    board = played(moves=MOVES[:2])
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        engine.learn_game(board, result)
        final = entry_of(table, board)
        assert (final.source, final.value) == ("search", MATE)
        assert (final.wins, final.draws, final.losses) == counted
        assert score_of(engine.pick_move(START), "c6b6") == MATE


@pytest.mark.parametrize("termination", ["time forfeit", "abandoned"])
def test_a_loss_on_time_only_counts_as_a_result(termination: str) -> None:
    board = played(moves=MOVES[:2])
    record = GameRecord.from_board(board, result="0-1", termination=termination)
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        engine.learn_game(record)
        final = entry_of(table, board)
        # White lost on time, and yet the position is won: that is what the walk's own search says of it.
        assert (final.losses, final.source, final.value) == (1, "search", MATE)


def test_an_unfinished_game_is_walked_but_counts_nothing() -> None:
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        learned = engine.learn_game(played(moves=MOVES[:2]))
        assert len(learned.steps) == 2
        assert all((entry.wins, entry.draws, entry.losses) == (0, 0, 0) for _, entry in table)


def test_a_draw_by_repetition_is_seen_in_the_game_but_not_kept_for_the_position() -> None:
    board = chess.Board(START)
    for uci in ["h1h2", "a8a7", "h2h1", "a7a8"] * 2:
        board.push_uci(uci)
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        engine.learn_game(board)
        final = entry_of(table, board)
    assert final.draws == 3  # the position occurred three times, each time with White to move
    assert final.value != 0.0


def test_every_position_counts_the_result_for_its_side_to_move() -> None:
    board = chess.Board()
    for san in ["f3", "e5", "g4", "Qh4#"]:
        board.push_san(san)
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        engine.learn_game(board)
        while True:
            entry = entry_of(table, board)
            results = (0, 0, 1) if board.turn == chess.WHITE else (1, 0, 0)
            assert (entry.wins, entry.draws, entry.losses) == results, board.fen()
            if not board.move_stack:
                break
            board.pop()


def test_a_game_of_pgn_brings_its_own_result() -> None:
    board = played(moves=MOVES[:2])
    game = chess.pgn.Game.from_board(board)
    game.headers["Result"] = "1-0"
    assert as_record(game).result == "1-0"
    assert as_record(game, "0-1").result == "0-1"


def test_results_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidGame, match="1-0"):
        as_record(played(), "0-1")
    with pytest.raises(InvalidGame, match="expected a result"):
        as_record(played(), "2-0")
    with pytest.raises(InvalidGame, match="GameRecord"):
        as_record("1. e4")  # type: ignore[arg-type] # that is the point


def test_all_of_a_game_is_recorded_or_nothing() -> None:
    class Torn(Exception):
        pass

    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:

        def values(keys: object) -> dict[str, float]:
            raise Torn

        reading, engine._memory.values = engine._memory.values, values  # type: ignore[method-assign] # the fault
        with pytest.raises(Torn):
            engine.learn_game(played())
        assert len(table) == table.journal_length() == 0
        engine._memory.values = reading  # type: ignore[method-assign] # the fault is gone
        assert len(engine.learn_game(played()).steps) == 3


def test_values_are_finite_whatever_is_learned() -> None:
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        engine.learn_game(played())
        assert all(math.isfinite(entry.value) for _, entry in table)


def test_a_pgn_game_without_a_result_has_the_one_its_board_shows() -> None:
    # A game put together move by move says `*`: the mate was learned, but nobody had won.
    game = chess.pgn.Game()
    game.setup(chess.Board(START))
    game.add_line(map(chess.Move.from_uci, MOVES))
    assert game.headers["Result"] == "*"
    assert as_record(game) == as_record(game, "1-0")
    assert as_record(game, "*").result == "*"
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        engine.learn_game(game)
        assert entry_of(table, chess.Board(START)).wins == 1
