"""`play`: whole games typed at it, on a pipe and on a real terminal."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import chess
import console
import pytest
from click.testing import CliRunner, Result

import heatmap_engine as he
from games.chess.archive import Archive
from games.chess.journal import learned_games
from games.chess.record import GameRecord
from heatmap_engine.cli.play import command
from heatmap_engine.cli.terminal_game import Keyboard
from heatmap_engine.errors import GameOver
from qtable import QTable
from qtable.errors import TableMissing

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
# Black's king can only go to and fro between a8 and a7.
FORCED = "k7/8/8/8/8/8/8/1R3B1K w - - 0 1"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own data, which must not be that of whoever runs the tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "heatmap-engine"


def play(typed: list[str], *options: str) -> Result:
    return CliRunner().invoke(
        command, ["--mode", "classic", "--seed", "1", *options], input="".join(f"{line}\n" for line in typed)
    )


def output_of(typed: list[str], *options: str) -> str:
    result = play(typed, *options)
    assert result.exit_code == 0, result.output
    return result.output


def saved(path: Path) -> GameRecord:
    (record,) = Archive(path)
    return record


@pytest.mark.parametrize("spelling", ["g1f3", "Nf3", "nf3", "G1F3", "1.Nf3", "Nf3!"])
def test_moves_are_understood_as_people_write_them(spelling: str, tmp_path: Path) -> None:
    output_of([spelling, "quit"], "--pgn", str(tmp_path / "game.pgn"))
    assert saved(tmp_path / "game.pgn").moves[0] == "g1f3"


@pytest.mark.parametrize("spelling", ["O-O", "o-o", "0-0", "e1g1"])
def test_castling_is_understood(spelling: str, tmp_path: Path) -> None:
    output_of([spelling], "--fen", "7k/7p/8/8/8/8/8/4K2R w K - 0 1", "--pgn", str(tmp_path / "game.pgn"))
    assert saved(tmp_path / "game.pgn").moves[0] == "e1g1"


@pytest.mark.parametrize("spelling", ["O-O", "0-0", "f1g1"])
def test_castling_is_understood_in_chess960(spelling: str, tmp_path: Path) -> None:
    output = output_of(
        [spelling], "--fen", "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", "--pgn", str(tmp_path / "game.pgn")
    )
    assert "1  .   R   .   .   .   R   K   ." in output
    assert saved(tmp_path / "game.pgn").moves[0] == "f1g1"


def test_chess960_starts_from_the_number_or_from_any(tmp_path: Path) -> None:
    pgn = tmp_path / "game.pgn"
    assert "Chess960, start 12\n" in output_of(["e4", "quit"], "--chess960", "12", "--pgn", str(pgn))
    assert saved(pgn).start == chess.Board.from_chess960_pos(12).fen()
    seeds = [output_of(["quit"], "--chess960", "--seed", str(seed)).split("\n")[0] for seed in (1, 2, 3, 1)]
    assert all(re.fullmatch(r"Chess960, start \d{1,3}", line) for line in seeds)
    assert seeds[0] == seeds[3]
    assert len(set(seeds)) > 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--chess960", "960"], "expected a start from 0 to 959, or nothing, got '960'"),
        (["--chess960", "1.5"], "got '1.5'"),
        (["--chess960", "x"], "got 'x'"),
        (["--chess960", "1", "--fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"], "--fen and --chess960 both"),
    ],
)
def test_a_start_of_chess960_that_is_none_is_refused(options: list[str], words: str) -> None:
    result = play(["quit"], *options)
    assert result.exit_code == 2
    assert words in result.output


@pytest.mark.parametrize(
    ("typed", "fen", "answer"),
    [
        ("e5", chess.STARTING_FEN, "'e5' is not a legal move; help lists"),
        ("--", chess.STARTING_FEN, "'--' is not a legal move"),
        ("Nd2", "k7/8/8/8/8/1N6/8/K4N2 w - - 0 1", "'Nd2' is more than one move"),
        ("g8", "k7/6P1/8/8/8/8/8/K7 w - - 0 1", "must say what the pawn becomes, as in g8q"),
        # Lower-case spellings are tried too; this one must not become the pawn's move.
        ("Bxc3", "4k3/8/8/8/8/2p5/1P6/4K2B w - - 0 1", "'Bxc3' is not a legal move"),
    ],
)
def test_wrong_input_is_answered_and_the_game_goes_on(typed: str, fen: str, answer: str) -> None:
    output = output_of([typed, "moves"], "--fen", fen)
    assert answer in output
    assert "Heatmap Engine:" not in output


def test_illegal_bytes_and_empty_lines_are_no_moves() -> None:
    outcome = console.run("play", "--no-table", "--seed", "1", stdin=b"\xff\xfe\n\n   \n\x00\nquit\n")
    assert outcome.returncode == 0
    assert outcome.stdout.count(b"is not a legal move") == 2
    assert not outcome.stderr


def test_engine_moves_first_if_it_is_its_turn(tmp_path: Path) -> None:
    output = output_of([], "--colour", "black", "--pgn", str(tmp_path / "game.pgn"))
    assert re.search(r"^Heatmap Engine: 1\. \w+  \(score [+-]\d", output, re.MULTILINE)
    record = saved(tmp_path / "game.pgn")
    assert (record.white, record.black, record.result) == ("Heatmap Engine", "Player", "*")
    assert len(record.moves) == 1


def test_board_is_seen_from_the_person_s_side() -> None:
    assert output_of([]).index("8  r") < output_of([]).index("1  R")
    black = output_of([], "--color", "black")
    assert black.index("1  R") < black.index("8  r")
    assert "h   g   f   e   d   c   b   a" in black


def test_same_seed_plays_the_same_game() -> None:
    assert output_of(["a3", "b3"], "--colour", "random") == output_of(["a3", "b3"], "--colour", "random")


@pytest.mark.parametrize(
    ("fen", "moves", "ended"),
    [
        (MATE_IN_ONE, ["Ra8#"], "1-0, checkmate"),
        ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", ["Qf7"], "1/2-1/2, stalemate"),
        ("7k/8/8/8/8/8/6p1/6K1 w - - 0 1", ["Kxg2"], "1/2-1/2, insufficient material"),
        ("7k/8/8/8/8/8/R7/K7 w - - 99 80", ["Ra3"], "1/2-1/2, fifty moves"),
        (FORCED, ["Kh2", "Kh1", "Kh2", "Kh1"], "1/2-1/2, threefold repetition"),
    ],
)
def test_end_of_the_game_is_seen_and_saved(fen: str, moves: list[str], ended: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    output = output_of([*moves, "Kb2", f"save {path}", "quit"], "--fen", fen)
    assert f"The game is over: {ended}." in output
    assert "the game is over; undo takes the end back" in output
    assert f"appended to {path}" in output
    record = saved(path)
    assert f"{record.result}, {record.termination}" == ended


def test_undo_takes_back_moves_and_resignations() -> None:
    output = output_of(["undo", "e4", "undo", "moves", "resign", "undo", "d4"])
    assert "there is no move of yours to take back" in output
    assert "Na3 Nc3 Nf3 Nh3 a3 a4" in output  # White's moves at the start
    assert "0-1, resignation" in output
    assert "White, move 1: d4\nOpening: A40 Queen's Pawn Game\nHeatmap Engine: 1..." in output


def test_undo_after_a_mate_lets_the_game_go_on(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    output_of(["Ra8", "undo", "Ra7", "quit"], "--fen", MATE_IN_ONE, "--pgn", str(path))
    assert saved(path).moves[0] == "a1a7"
    assert saved(path).result == "*"


def test_hint_is_the_engine_s_pick_and_plays_nothing() -> None:
    output = output_of(["hint", "moves"], "--fen", MATE_IN_ONE)
    assert "hint: Ra8#, expecting 1. Ra8# (score White mates in 1)\n" in output
    assert "Heatmap Engine:" not in output


def test_heat_is_drawn_until_it_is_no_more() -> None:
    output = output_of(["heat", "e4", "heat"])
    assert output.count("White's heat") == 2


def test_draw_is_accepted_only_by_an_engine_that_sees_nothing_better() -> None:
    accepted = output_of(["draw", "quit"], "--fen", "3qk3/8/8/8/8/8/8/QQQ1K3 w - - 0 1")
    assert "The game is over: 1/2-1/2, draw by agreement." in accepted
    declined = output_of(["draw", "quit"], "--fen", "qqq1k3/8/8/8/8/8/8/3QK3 w - - 0 1")
    assert "Heatmap Engine declines" in declined


def test_commands_after_the_end_do_nothing() -> None:
    output = output_of(["resign", "resign", "draw", "hint", "quit"])
    assert output.count("resignation") == 1
    assert output.count("game over> ") == 4


def test_save_that_fails_is_said_and_the_game_goes_on(tmp_path: Path) -> None:
    output = output_of(["save", f"save {tmp_path}/none/game.pgn", f"save {tmp_path}", "e4"])
    assert "save needs the name of a file" in output
    assert output.count("not saved: ") == 2
    assert "Heatmap Engine: 1..." in output


def test_saving_twice_appends(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    output_of(["e4", f"save {path}", "d4", f"save {path}"])
    assert [len(record.moves) for record in Archive(path)] == [2, 4]


def test_help_names_every_command() -> None:
    output = output_of(["help"])
    for word in ("undo", "hint", "heat", "board", "moves", "draw", "resign", "save FILE", "quit"):
        assert re.search(rf"^{word}  ", output, re.MULTILINE), word


def test_finished_game_is_learned_from(tmp_path: Path) -> None:
    table, path = tmp_path / "learned.table", tmp_path / "game.pgn"
    words = ["--fen", MATE_IN_ONE, "--learn", "--table", str(table), "--pgn", str(path)]
    assert "Learned from the game: " in output_of(["Ra8"], *words)
    record = saved(path)
    with QTable(table, readonly=True) as opened:
        assert [learned.record.game_id for learned in learned_games(opened.journal())] == [record.game_id]
        final = opened.get(he.key_of(record.board()))
    assert final is not None
    assert (final.source, final.losses) == ("game", 1)
    assert "has learned from this very game before" in output_of(["Ra8"], *words)


def test_resignation_after_a_move_counts_as_a_loss_but_the_position_is_not_lost(tmp_path: Path) -> None:
    table, path = tmp_path / "learned.table", tmp_path / "game.pgn"
    output_of(["e4", "resign"], "--learn", "--table", str(table), "--pgn", str(path))
    record = saved(path)
    assert (record.result, record.termination, record.judges_position) == ("0-1", "resignation", True)
    with QTable(table, readonly=True) as opened:
        final = opened.get(he.key_of(record.board()))
    assert final is not None
    # It was worth a mate with all pieces on the board.
    assert (final.source, final.losses) == ("search", 1)
    assert abs(final.value) < 20


def test_unfinished_game_is_not_learned_from(tmp_path: Path) -> None:
    table = tmp_path / "learned.table"
    assert "nothing was learned" in output_of(["e4"], "--learn", "--table", str(table))
    with QTable(table, readonly=True) as opened:
        assert list(opened.journal()) == []
        assert len(opened) > 0  # the engine's own pick was recorded


def test_without_learn_a_table_is_only_read(tmp_path: Path) -> None:
    table = tmp_path / "t.table"
    with he.Engine(table, mode="classic") as engine:
        engine.pick_move("startpos")
    before = table.read_bytes()
    assert f"The engine reads {table}" in output_of(["e4", "resign"], "--table", str(table))
    assert table.read_bytes() == before


def test_learn_makes_the_user_s_own_table_and_later_games_read_it(data: Path) -> None:
    output_of(["e4", "resign"])
    assert not data.exists()
    output_of(["e4", "resign"], "--learn")
    assert f"The engine reads {data / 'default.table'}" in output_of([])
    assert "The engine reads" not in output_of([], "--no-table")


def test_missing_table_is_not_made_without_learn(tmp_path: Path) -> None:
    assert isinstance(play([], "--table", str(tmp_path / "none")).exception, TableMissing)
    assert not (tmp_path / "none").exists()


def test_error_does_not_cost_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    unreadable = os.open(tmp_path / "input", os.O_WRONLY | os.O_CREAT)
    outcome = subprocess.run(
        [console.HEATMAP_ENGINE, "play", "--no-table", "--colour", "black", "--pgn", path],
        stdin=unreadable,
        capture_output=True,
        check=False,
    )
    os.close(unreadable)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(b"heatmap-engine: [Errno 9]")
    assert len(saved(path).moves) == 1


def test_finished_position_is_no_game() -> None:
    result = play([], "--fen", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert isinstance(result.exception, GameOver)


def test_learn_without_a_table_is_a_usage_error() -> None:
    assert play([], "--learn", "--no-table").exit_code == 2


def test_game_on_a_terminal_until_ctrl_c(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    process, terminal = console.start_on_terminal(
        "play", "--no-table", "--pgn", str(path), keyboard=True, TERM="dumb"
    )
    console.read_until(terminal, "White, move 1: ")
    console.type_keys(terminal, "e4\r")
    console.read_until(terminal, "White, move 2: ")
    console.type_keys(terminal, "\x03\x03\x03")  # the first one leaves, and none of them costs the game
    assert f"appended to {path}".encode() in console.read_to_end(terminal).replace(b"\r\n", b"")
    assert process.wait() == 130
    assert saved(path).moves[0] == "e2e4"
    assert len(saved(path).moves) == 2


def test_ctrl_c_keeps_the_game_and_says_where(data: Path) -> None:
    """Only a game with --pgn was kept: Ctrl-C threw the others away."""
    for games in (1, 2):
        process, terminal = console.start_on_terminal(
            "play", "--no-table", "--nodes", "500", keyboard=True, TERM="dumb"
        )
        console.read_until(terminal, "White, move 1: ")
        console.type_keys(terminal, "e4\r")
        console.read_until(terminal, "White, move 2: ")
        console.type_keys(terminal, "\x03")
        said = console.read_to_end(terminal).replace(b"\r\n", b"")
        assert f"appended to {data / 'played.pgn'}".encode() in said
        assert process.wait() == 130
        kept = [*Archive(data / "played.pgn")]
        assert len(kept) == games
        assert [(game.result, game.moves[0], len(game.moves)) for game in kept] == games * [("*", "e2e4", 2)]
        assert kept[0].tags["ECO"]


# Presses Ctrl-C when the prompt is there and no key is waited for yet.
_PRESSED_TOO_EARLY = """
import os, readline, signal, sys
readline.set_pre_input_hook(lambda: os.kill(os.getpid(), signal.SIGINT))
from heatmap_engine.cli import main
main()
"""


def test_ctrl_c_right_after_the_prompt_is_heard(data: Path) -> None:
    """It was noted, and not heard before the next key."""
    process, terminal = console.start_on_terminal(
        "play", "--no-table", keyboard=True, program=(sys.executable, "-c", _PRESSED_TOO_EARLY), TERM="dumb"
    )
    assert b"White, move 1: " in console.read_to_end(terminal)
    assert process.wait() == 130


@pytest.mark.parametrize(
    "limit", [["--nodes", "500"], ["--seconds", "1000000"]], ids=["at the prompt", "thinking"]
)
def test_a_terminal_that_is_closed_does_not_cost_the_game(limit: list[str], data: Path) -> None:
    process, terminal = console.start_on_terminal("play", "--no-table", *limit, keyboard=True, TERM="dumb")
    console.read_until(terminal, "White, move 1: ")
    console.type_keys(terminal, "e4\r")
    console.read_until(
        terminal, "White, move 2: " if "--nodes" in limit else "thinking; Ctrl-C answers at once"
    )
    os.close(terminal)
    process.wait()
    (kept,) = Archive(data / "played.pgn")
    assert kept.moves[0] == "e2e4"
    assert kept.result == "*"


def test_ctrl_c_does_not_keep_a_game_twice(tmp_path: Path, data: Path) -> None:
    path = tmp_path / "mine.pgn"
    process, terminal = console.start_on_terminal(
        "play", "--no-table", "--nodes", "500", keyboard=True, TERM="dumb"
    )
    console.read_until(terminal, "White, move 1: ")
    console.type_keys(terminal, f"e4\rsave {path}\r")
    console.read_until(terminal, f"appended to {path}\nWhite, move 2: ")
    console.type_keys(terminal, "\x03")
    assert f"the game is in {path}".encode() in console.read_to_end(terminal).replace(b"\r\n", b"")
    assert process.wait() == 130
    assert not data.exists()


def test_a_game_that_cannot_be_written_is_printed(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    process, terminal = console.start_on_terminal(
        "play", "--no-table", "--nodes", "500", keyboard=True, TERM="dumb", XDG_DATA_HOME=str(blocked)
    )
    console.read_until(terminal, "White, move 1: ")
    console.type_keys(terminal, "e4\r")
    console.read_until(terminal, "White, move 2: ")
    console.type_keys(terminal, "\x03")
    said = console.read_to_end(terminal).decode()
    assert process.wait() == 1
    assert "the game could not be written to" in said
    assert "1. e4 " in said.partition('[Result "*"]')[2]
    assert "Traceback" not in said


def test_ctrl_c_before_a_move_leaves_nothing(data: Path) -> None:
    process, terminal = console.start_on_terminal("play", "--no-table", keyboard=True, TERM="dumb")
    console.read_until(terminal, "White, move 1: ")
    console.type_keys(terminal, "\x03")
    console.read_to_end(terminal)
    assert process.wait() == 130
    assert not data.exists()


def test_ctrl_c_while_moves_are_shown_is_heard_at_the_next_line() -> None:
    """It must not fall into a move: what is kept has all moves that were shown."""
    keyboard, before = Keyboard(), signal.getsignal(signal.SIGINT)
    done = []

    def press_and_go_on() -> None:
        with keyboard.hears_ctrl_c():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("a move")
            keyboard.read("")

    with pytest.raises(KeyboardInterrupt):
        press_and_go_on()
    assert done == ["a move"]
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # another one must not cost the game
    signal.signal(signal.SIGINT, before)


def test_prompt_says_whose_move_it_is() -> None:
    output = output_of(["e4"])
    assert "White, move 1: e4\n" in output
    assert output.endswith("White, move 2: \n")
    assert "Black, move 1: " in output_of([], "--colour", "black")


def test_last_move_is_marked_on_the_board() -> None:
    marked = output_of(["Kg1", "heat"], "--fen", FORCED)
    before, after = marked.split("White, move 1: ")
    assert "[" not in before
    assert "8 [.]  " in after
    assert "7 [k]  " in after
    assert after.count("[") == 2 + 4  # once, and once more on both boards of heat


def test_last_move_has_a_colour_of_its_own_on_a_terminal() -> None:
    process, terminal = console.start_on_terminal(
        "play", "--no-table", "--nodes", "500", keyboard=True, TERM="xterm-256color", COLORTERM="truecolor"
    )
    first = console.read_until(terminal, "White, move 1: ")
    console.type_keys(terminal, "e4\r")
    then = console.read_until(terminal, "White, move 2: ")
    marks = ("48;2;190;176;92", "48;2;158;144;60")
    assert not any(mark in first for mark in marks)
    assert any(mark in then for mark in marks)
    assert "[." not in then
    console.type_keys(terminal, "quit\r")
    console.read_to_end(terminal)
    assert process.wait() == 0


def test_openings_are_named_when_the_name_changes(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    output = output_of(["e4", "undo", "d4", "undo", "d4"], "--pgn", str(path))
    assert output.count("Opening: B00 King's Pawn Game\n") == 1
    assert output.count("Opening: A40 Queen's Pawn Game\n") == 2
    assert {"ECO", "Opening"} <= saved(path).tags.keys()
    again = output_of(["Nc3"], "--fen", "rnbqkbnr/pppp1ppp/4p3/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3")
    assert "Opening: C00" not in again  # it had that name before


def test_ctrl_d_leaves_a_terminal() -> None:
    process, terminal = console.start_on_terminal("play", "--no-table", keyboard=True, TERM="dumb")
    console.read_until(terminal, "White, move 1: ")
    console.type_keys(terminal, "\x04")
    console.read_to_end(terminal)
    assert process.wait() == 0


def test_ctrl_c_makes_a_thinking_engine_move() -> None:
    process, terminal = console.start_on_terminal(
        "play", "--no-table", "--seconds", "1000000", keyboard=True, TERM="dumb"
    )
    console.read_until(terminal, "White, move 1: ")
    console.type_keys(terminal, "e4\r")
    console.read_until(terminal, "thinking; Ctrl-C answers at once\n")
    console.type_keys(terminal, "\x03")
    assert "Heatmap Engine: 1..." in console.read_until(terminal, "White, move 2: ")
    console.type_keys(terminal, "quit\r")
    console.read_to_end(terminal)
    assert process.wait() == 0


def test_closed_stdin_is_one_line() -> None:
    outcome = subprocess.run(
        ["sh", "-c", '"$0" play --no-table <&-', console.HEATMAP_ENGINE], capture_output=True, check=False
    )
    assert outcome.returncode == 1
    assert outcome.stderr == b"heatmap-engine: expected moves on standard input, which is closed\n"
