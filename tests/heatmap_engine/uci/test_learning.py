"""Which games are noticed, how they end, and that none is lost or learned wrongly."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import pytest
from uci_dialogue import Dialogue, in_process, move_of, process

from games.chess.journal import LearnedGame, learned_games
from games.chess.record import GameRecord
from heatmap_engine.board.keys import key_of
from heatmap_engine.learning.spool import Spool
from heatmap_engine.uci.game_watch import GameWatch
from qtable import QTable

SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8", "b1c3", "b8c6", "c3b1", "c6b8"]
# Before 2... Qh4, the fool's mate; the engine has Black and finds it.
FOOLS = ["f2f3", "e7e5", "g2g4"]
MOST_STARTS = 20
LONG = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7"]


def waiting(table: Path) -> list[GameRecord]:
    """The games that still wait to be learned, all of which can be read."""
    complaints: list[str] = []
    games = Spool(table).games(complaints.append)
    assert complaints == []
    return games


@contextmanager
def playing(table: Path, *options: str) -> Iterator[Dialogue]:
    with in_process(table, f"Mode value {table.stem}", *options) as gui:
        yield gui


def learned(table: Path) -> list[GameRecord]:
    """The games that were learned. One that was not within a moment of the end waits for the next start."""
    for _ in range(MOST_STARTS):
        if not waiting(table):
            break
        with playing(table) as gui:
            gui.ask()
    assert waiting(table) == []
    with QTable(table, readonly=True) as opened:
        assert opened.check() == []
        return [game.record for game in learned_games(opened.journal())]


@pytest.fixture(params=["deep", "classic"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A table for each mode, which is named for it."""
    return tmp_path / f"{request.param}.table"


def position(moves: list[str]) -> str:
    return f"position startpos moves {' '.join(moves)}"


def test_a_mate_by_the_engine_ends_the_game(table: Path) -> None:
    with playing(table) as gui:
        assert move_of(gui.go(position(FOOLS), "go depth 2")) == "d8h4"
    (game,) = learned(table)
    assert game.moves == (*FOOLS, "d8h4")
    assert (game.result, game.termination) == ("0-1", "checkmate")
    assert game.black == "Heatmap Engine"
    with QTable(table, readonly=True) as opened:
        start = opened.get(key_of("startpos"))
    assert start is not None
    assert (start.wins, start.draws, start.losses) == (0, 0, 1)


def test_a_mate_that_a_position_shows_ends_the_game(table: Path) -> None:
    start = "position fen 1r6/8/8/8/8/8/2k5/K7 w - - 0 1"
    with playing(table) as gui:
        assert move_of(gui.go(start, "go depth 2")) == "a1a2"  # the only move
        gui.ask(f"{start} moves a1a2 b8a8")
    (game,) = learned(table)
    assert game.moves == ("a1a2", "b8a8")
    assert (game.result, game.termination) == ("0-1", "checkmate")


@pytest.mark.parametrize("end", [["ucinewgame"], ["quit"], []])
def test_an_unfinished_game_is_learned_without_a_result(table: Path, end: list[str]) -> None:
    with playing(table) as gui:
        answer = move_of(gui.go(position(LONG), "go depth 1"))
        gui.send(*end)
    (game,) = learned(table)
    assert game.moves == (*LONG, answer)
    assert game.result == "*"
    with QTable(table, readonly=True) as opened:
        assert all((entry.wins, entry.draws, entry.losses) == (0, 0, 0) for _, entry in opened)
        assert opened.get(key_of("startpos")) is not None


def test_a_game_of_less_than_ten_plies_is_not(table: Path) -> None:
    with playing(table) as gui:
        gui.go(position(LONG[:8]), "go depth 1")
    assert learned(table) == []


def test_a_game_without_a_move_of_the_engine_is_not(table: Path) -> None:
    with playing(table) as gui:
        gui.ask(position(LONG))
    assert learned(table) == []


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2"])
def test_a_result_that_is_given_counts(table: Path, result: str) -> None:
    with playing(table, "UCI_Opponent value none none human Ann") as gui:
        gui.go(position(LONG), "go depth 1")
        gui.ask(f"setoption name GameResult value {result}", "ucinewgame")
    (game,) = learned(table)
    assert (game.result, game.termination) == (result, "adjudication")
    assert (game.white, game.black) == ("Heatmap Engine", "Ann")


def test_a_loss_on_time_says_nothing_of_the_position(table: Path) -> None:
    with playing(table) as gui:
        gui.go(position(LONG), "go depth 1")
        gui.ask("setoption name GameResult value 0-1 time forfeit")
    (game,) = learned(table)
    assert game.result == "0-1"
    assert not game.judges_position


def test_a_result_that_the_board_contradicts_is_refused(table: Path) -> None:
    with playing(table) as gui:
        # The engine mates; the game is learned at once with the result of the board.
        gui.go(position(FOOLS), "go depth 2")
        gui.ask("setoption name GameResult value 1-0")
    (game,) = learned(table)
    assert game.result == "0-1"


def test_a_game_is_learned_once_whatever_ends_it_again(table: Path) -> None:
    with playing(table) as gui:
        gui.go(position(LONG), "go depth 1")
        gui.ask("setoption name GameResult value 1-0", "setoption name GameResult value 1-0", "ucinewgame")
    assert len(learned(table)) == 1


def test_after_a_take_back_the_game_is_the_one_that_was_played_to_its_end(table: Path) -> None:
    with playing(table) as gui:
        gui.go(position(LONG), "go depth 1")
        # The player takes back the last moves, plays others, and resigns.
        moves = LONG[:6]
        for _ in range(2):
            moves = [*moves, move_of(gui.go(position(moves), "go depth 1"))]
            moves = [*moves, any_reply(moves)]
        gui.ask(position(moves), "setoption name GameResult value 1-0")
    (game,) = learned(table)
    assert game.moves == (*moves[:-1],)


def any_reply(moves: list[str]) -> str:
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    return min(move.uci() for move in board.legal_moves)


def test_jumping_through_games_learns_none_of_them(table: Path) -> None:
    with playing(table) as gui:
        gui.go(position(LONG), "go depth 1")
        gui.go(position([*SHUFFLE, "e2e4", "e7e5"]), "go depth 1")
        gui.go(position(["d2d4", "d7d5", *SHUFFLE]), "go depth 1")
    assert learned(table) == []


@pytest.mark.parametrize(
    "search",
    [
        ["go infinite", "stop"],
        ["go depth 1 searchmoves d2d3"],
        ["go depth 1 searchmoves e2e5"],
        ["go mate 1"],
        ["go ponder", "stop"],
    ],
)
def test_analysis_is_no_game(table: Path, search: list[str]) -> None:
    with playing(table) as gui:
        gui.go(position(LONG), *search)
    assert learned(table) == []


def test_analyse_mode_learns_nothing(table: Path) -> None:
    with playing(table, "UCI_AnalyseMode value true") as gui:
        gui.go(position(FOOLS), "go depth 2")
        gui.go(position(LONG), "go depth 1")
    assert learned(table) == []


def test_a_move_that_was_pondered_on_and_played_belongs_to_the_game(table: Path) -> None:
    with playing(table) as gui:
        answer = move_of(gui.go(position(LONG[:8]), "go depth 1"))
        gui.ask(position([*LONG[:8], answer, "f8e7"]), "go ponder depth 1")
        second = move_of(gui.go("ponderhit"))
    (game,) = learned(table)
    assert game.moves == (*LONG[:8], answer, "f8e7", second)


def test_a_move_that_was_pondered_on_in_vain_does_not(table: Path) -> None:
    with playing(table) as gui:
        answer = move_of(gui.go(position(LONG[:8]), "go depth 1"))
        gui.ask(position([*LONG[:8], answer, "f8e7"]), "go ponder depth 1")
        gui.go("stop")
        second = move_of(gui.go(position([*LONG[:8], answer, "b7b5"]), "go depth 1"))
    (game,) = learned(table)
    assert game.moves == (*LONG[:8], answer, "b7b5", second)


@pytest.mark.parametrize("option", ["Learn value off", "ReadOnly value true"])
def test_what_is_switched_off_is_off(table: Path, option: str) -> None:
    QTable(table, settings={"weights": "cmhm2", "heat_depth": 1, "key_format": 1}).close()
    with playing(table, option) as gui:
        gui.go(position(FOOLS), "go depth 2")
    assert learned(table) == []


def test_a_game_can_be_forgotten(table: Path) -> None:
    with playing(table) as gui:
        gui.go(position(LONG), "go depth 1")
        gui.ask("setoption name Forget This Game", "ucinewgame")
        gui.go(position(FOOLS), "go depth 2")
    (game,) = learned(table)
    assert game.result == "0-1"


def test_searching_goes_on_at_once_while_a_long_game_is_learned(table: Path) -> None:
    moves = LONG + ["f3e1", "f6g8", "e1f3", "g8f6"] * 2
    with playing(table, "Record value off") as gui:
        gui.go(position(moves), "go depth 1")
        gui.send("ucinewgame")
        for _ in range(20):
            assert gui.go("position startpos", "go depth 2")
            assert gui.ask() == []
    (game,) = learned(table)
    assert game.moves[: len(moves)] == tuple(moves)


def test_a_game_that_waits_is_learned_by_the_next_process(table: Path) -> None:
    with playing(table) as gui:
        gui.ask()
    record = GameRecord(moves=(*FOOLS, "d8h4"), result="0-1", termination="checkmate")
    Spool(table).add(record)
    with playing(table) as gui:
        gui.ask()
    assert learned(table) == [record]
    assert not table.with_name(table.name + "-to-learn").exists()


@pytest.mark.parametrize("content", ["not a game", ""])
def test_a_file_that_holds_no_game_is_named_and_left_alone_and_the_others_are_learned(
    content: str, table: Path
) -> None:
    with playing(table) as gui:
        gui.ask()
    record = GameRecord(moves=(*FOOLS, "d8h4"), result="0-1", termination="checkmate")
    Spool(table).add(record)
    other = table.with_name(table.name + "-to-learn") / "0.json"
    other.write_text(content)
    for _ in range(MOST_STARTS):
        with playing(table) as gui:
            gui.ask()
            said = gui.ask()
        assert other.read_text() == content
        assert any("0.json" in line for line in said + gui.transcript)
        if Spool(table).games(lambda complaint: None) == []:
            break
    other.unlink()
    assert learned(table) == [record]


def test_a_killed_process_loses_no_game_and_learns_none_twice(table: Path, tmp_path: Path) -> None:
    for attempt in range(10):
        with process(home=tmp_path) as (gui, engine):
            gui.send(f"setoption name Mode value {table.stem}", f"setoption name QTable value {table}")
            start = chess.Board()
            start.fullmove_number = attempt + 1  # another game each time
            gui.go(f"position fen {start.fen()} moves {' '.join(SHUFFLE + FOOLS)}", "go depth 2")
            time.sleep(0.004 * attempt)  # at another moment of learning each time
            engine.send_signal(signal.SIGKILL)
    games = learned(table)
    assert len(games) == 10
    assert len({game.game_id for game in games}) == 10
    with QTable(table, readonly=True) as opened:
        assert all(LearnedGame.from_line(line).walks == 1 for line in opened.journal())


def test_two_processes_on_one_table_both_learn(table: Path, tmp_path: Path) -> None:
    with process(home=tmp_path) as (first, _), process(home=tmp_path) as (second, _):
        for gui in (first, second):
            gui.send(f"setoption name Mode value {table.stem}", f"setoption name QTable value {table}")
            gui.ask()
        for number in range(6):
            board = chess.Board()
            board.fullmove_number = number + 1
            gui = (first, second)[number % 2]
            gui.go(f"position fen {board.fen()} moves {' '.join(FOOLS)}", "go depth 2")
    assert len(learned(table)) == 6


# White has one legal move, Kf2, which could be played in the other position as well; there Ra8 mates.
ONE_MOVE = "6k1/8/8/8/8/7q/8/6K1 w - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/6PP/R5K1 w - - 0 1"


@pytest.mark.parametrize("between", [(), ("stop",)])
def test_an_answer_is_booked_on_the_board_that_it_was_asked_for(
    table: Path, between: tuple[str, ...]
) -> None:
    """Pushed on the next position's board, it lost an answer, or a game was learned that nobody played."""
    with playing(table) as gui:
        gui.send(f"position fen {ONE_MOVE}", "go movetime 600000 depth 90")
        gui.send(*between, f"position fen {MATE_IN_ONE}", "go movetime 600000 depth 1")
        first, second = gui.until("bestmove"), gui.until("bestmove")
    assert not [line for line in (*first, *second) if "failed" in line]
    assert (move_of(first), move_of(second)) == ("g1f2", "a1a8")
    (game,) = learned(table)
    assert (game.start, game.moves, game.result) == (MATE_IN_ONE, ("a1a8",), "1-0")


def test_a_game_is_its_start_and_its_moves() -> None:
    """With no move played yet, two games were the same whatever they began with."""
    watch = GameWatch()
    one, other = chess.Board(ONE_MOVE), chess.Board(MATE_IN_ONE)
    watch.asks_for_move(other)
    assert watch.answers(one, chess.Move.from_uci("g1f2")) is None
    record = watch.answers(other, chess.Move.from_uci("a1a8"))
    assert record is not None
    assert (record.start, record.moves) == (MATE_IN_ONE, ("a1a8",))
