"""Each rule of the protocol as a conversation."""

import re
from collections.abc import Iterator

import chess
import pytest
from uci_dialogue import Dialogue, field, in_process, line_of, move_of, scored

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
MATED_IN_ONE = "7k/R7/6K1/8/8/8/8/8 b - - 0 1"


@pytest.fixture
def gui() -> Iterator[Dialogue]:
    with in_process("<none>", "Mode value classic") as dialogue:
        yield dialogue


def test_uci_is_answered_with_name_options_and_uciok(gui: Dialogue) -> None:
    gui.send("uci")
    lines = gui.until("uciok")
    assert lines[0].startswith("id name Heatmap Engine ")
    assert lines[1].startswith("id author ")
    declared = re.compile(
        r"option name [\w ]+? type (check default (true|false)|spin default -?\d+ min -?\d+ max \d+"
        r"|combo default [\w ]+?( var [\w ]+)+|string default .+|button)"
    )
    assert len(lines) == 32
    assert all(declared.fullmatch(line) for line in lines[2:-1])
    for name in [
        "Mode",
        "Hash",
        "Threads",
        "Weights",
        "SyzygyPath",
        "Clear Hash",
        "QTable",
        "Learn",
        "ReadOnly",
        "Record",
        "Plies",
        "TacticalPlies",
        "HeatDepth",
        "MultiPV",
        "Epsilon",
        "Random Seed",
        "Move Overhead",
        "Ponder",
        "UCI_LimitStrength",
        "UCI_Elo",
        "UCI_ShowWDL",
        "UCI_AnalyseMode",
        "UCI_Chess960",
        "UCI_Opponent",
        "UCI_EngineAbout",
        "GameResult",
        "Save Table",
        "Compact Table",
        "Forget This Game",
    ]:
        assert any(line.startswith(f"option name {name} type ") for line in lines), name


def test_readyok_comes_during_a_search(gui: Dialogue) -> None:
    gui.send("go infinite")
    gui.until("info depth 2")
    assert not any(line.startswith("bestmove") for line in gui.ask())
    assert move_of(gui.go("stop"))


@pytest.mark.parametrize(
    "limits",
    [
        "wtime 100 btime 100",
        "wtime 0 btime 0",
        "wtime -500 btime -500 winc 0 binc 0",
        "wtime 1000 btime 1000 winc 10 binc 10 movestogo 1",
        "wtime 300000 btime 300000 movestogo 40 depth 2",
        "movetime 100",
        "movetime 1",
        "movetime 0",
        "movetime -7",
        "nodes 1",
        "nodes 0",
        "depth 1",
        "depth 0",
        "depth 3",
        "mate 1",
    ],
)
@pytest.mark.parametrize("fen", [chess.STARTING_FEN, KIWIPETE, MATE_IN_ONE])
def test_a_score_comes_before_every_bestmove_which_begins_the_last_line(
    gui: Dialogue, fen: str, limits: str
) -> None:
    lines = gui.go(f"position fen {fen}", f"go {limits}")
    shown = scored(lines)
    assert shown
    assert not re.search("lowerbound|upperbound", " ".join(shown))
    assert line_of(shown[-1])[0] == move_of(lines)
    board = chess.Board(fen)
    for line in shown:
        after = board.copy()
        for move in line_of(line):
            after.push_uci(move)  # raises ValueError where it is not legal
        for name in ("depth", "seldepth", "multipv", "nodes", "nps", "time"):
            assert int(field(line, name)) >= 0


def test_nothing_is_said_between_bestmove_and_the_next_command(gui: Dialogue) -> None:
    for _ in range(5):
        gui.go("go depth 2")
        assert gui.ask() == []


def test_the_expected_reply_is_offered_for_pondering(gui: Dialogue) -> None:
    lines = gui.go("go depth 2")
    assert lines[-1].split()[2:] == ["ponder", line_of(scored(lines)[-1])[1]]


@pytest.mark.parametrize(("fen", "score"), [(MATED, "mate 0"), (STALEMATE, "cp 0")])
@pytest.mark.parametrize("limits", ["depth 3", "movetime 10", "wtime 1000 btime 1000"])
def test_without_a_legal_move_the_score_says_why(gui: Dialogue, fen: str, score: str, limits: str) -> None:
    assert gui.go(f"position fen {fen}", f"go {limits}") == [f"info depth 0 score {score}", "bestmove (none)"]


def test_without_a_legal_move_an_infinite_search_still_waits_for_stop(gui: Dialogue) -> None:
    assert gui.ask(f"position fen {MATED}", "go infinite") == []
    assert gui.go("stop")[-1] == "bestmove (none)"


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        (MATE_IN_ONE, "score mate 1 "),
        ("7k/R7/6K1/8/8/8/8/8 w - - 0 1", "score mate 1 "),
        # Kg8 is the only move, and Ra8 mates.
        (MATED_IN_ONE, "score mate -1 "),
        # 1. Rb7, whatever the king does, and 2. Ra8: two rooks.
        ("7k/8/R7/1R6/8/8/8/K7 w - - 0 1", "score mate 2 "),
    ],
)
def test_a_mate_in_the_tree_is_shown_as_a_mate(gui: Dialogue, fen: str, score: str) -> None:
    lines = gui.go(f"position fen {fen}", "go depth 3")
    assert score in scored(lines)[-1]


def test_mate_ends_the_search_as_soon_as_one_is_found(gui: Dialogue) -> None:
    lines = gui.go(f"position fen {MATE_IN_ONE}", "go mate 5")
    assert "score mate 1 " in scored(lines)[-1]
    assert move_of(lines) == "d1d8"


def test_searchmoves_restricts_the_answer(gui: Dialogue) -> None:
    lines = gui.go("go depth 2 searchmoves a2a3 h2h3")
    assert move_of(lines) in ("a2a3", "h2h3")
    assert {line_of(line)[0] for line in scored(lines)} <= {"a2a3", "h2h3"}


def test_searchmoves_that_are_not_legal_are_named_and_left_out(gui: Dialogue) -> None:
    lines = gui.go("go searchmoves e2e5 a2a3 depth 2")
    assert any(line.startswith("info string") and "e2e5" in line for line in lines)
    assert move_of(lines) == "a2a3"
    assert move_of(gui.go("go searchmoves e2e5 depth 2")) in {
        move.uci() for move in chess.Board().legal_moves
    }


def test_every_depth_is_shown(gui: Dialogue) -> None:
    depths = [int(field(line, "depth")) for line in scored(gui.go("go depth 3"))]
    assert depths == [2, 3]


def test_an_infinite_search_that_has_found_everything_waits_for_stop(gui: Dialogue) -> None:
    # Every line ends after Black's one move: there is nothing to look for any more.
    gui.send(f"position fen {MATED_IN_ONE}", "go infinite")
    gui.until("info depth 2")
    assert not any(line.startswith("bestmove") for line in gui.ask())
    assert move_of(gui.go("stop")) == "h8g8"


def test_a_bare_go_searches_until_stop(gui: Dialogue) -> None:
    gui.send("go")
    gui.until("info depth 2")
    assert not any(line.startswith("bestmove") for line in gui.ask())
    assert gui.go("stop")


@pytest.mark.parametrize("limits", ["wtime 200 btime 200", "movetime 50", "depth 2", "nodes 1000"])
def test_pondering_gives_no_move_before_ponderhit(gui: Dialogue, limits: str) -> None:
    gui.send("position startpos moves e2e4 e7e5", f"go ponder {limits}")
    gui.until("info depth")
    assert not any(line.startswith("bestmove") for line in gui.ask())
    lines = gui.go("ponderhit")
    assert chess.Move.from_uci(move_of(lines))


def test_pondering_on_the_wrong_move_ends_with_stop(gui: Dialogue) -> None:
    gui.send("position startpos moves e2e4 e7e5", "go ponder wtime 60000 btime 60000")
    assert gui.go("stop")
    lines = gui.go("position startpos moves e2e4 c7c5", "go depth 2")
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci("c7c5")
    assert chess.Move.from_uci(move_of(lines)) in board.legal_moves


def test_ponderhit_without_pondering_is_answered_with_what_is_wrong(gui: Dialogue) -> None:
    assert gui.ask("ponderhit") == ["info string ponderhit without go ponder"]


def test_go_during_a_search_answers_both(gui: Dialogue) -> None:
    gui.send("go infinite", "position startpos moves e2e4", "go depth 2")
    first, second = gui.until("bestmove"), gui.until("bestmove")
    assert any("a search was running" in line for line in first)
    assert chess.Move.from_uci(move_of(first)) in chess.Board().legal_moves
    board = chess.Board()
    board.push_uci("e2e4")
    assert chess.Move.from_uci(move_of(second)) in board.legal_moves


@pytest.mark.parametrize(
    "wrong",
    [
        "position startpos moves e2e4 e2e4",
        "position startpos moves e2e9",
        "position startpos moves 0000",
        "position startpos moves e2e4\0",
        "position fen not a fen",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 extra words",
        "position fen",
        "position",
        "position nonsense",
        "position startpos extra",
    ],
)
def test_after_a_wrong_position_the_last_valid_one_stays(gui: Dialogue, wrong: str) -> None:
    said = gui.ask("position startpos moves d2d4", wrong)
    assert len(said) == 1
    assert said[0].startswith("info string ")
    board = chess.Board()
    board.push_uci("d2d4")
    assert f"FEN {board.fen()}" in gui.ask("d")


def test_a_position_may_be_the_last_one_with_more_moves_or_fewer(gui: Dialogue) -> None:
    moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]
    for count in (0, 1, 3, 5, 4, 2, 5, 0):
        board = chess.Board()
        for move in moves[:count]:
            board.push_uci(move)
        assert f"FEN {board.fen()}" in gui.ask(f"position startpos moves {' '.join(moves[:count])}", "d")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("xyzzy", "xyzzy"),
        ("go depth", "depth"),
        ("setoption", "setoption name"),
        ("setoption name Nonsense value 1", "Nonsense"),
        ("setoption name MultiPV value 0", "from 1 to 256"),
        ("setoption name MultiPV value 1e3", "from 1 to 256"),
        ("setoption name Plies value ٣", "from 1 to 16"),
        ("setoption name ReadOnly value maybe", "true, false"),
        ("setoption name Record value some", "searched, all, off"),
        ("setoption name Epsilon value 2", "from 0 to 1"),
        ("setoption name Epsilon value nan", "from 0 to 1"),
        ("setoption name GameResult value 2-0", "1-0"),
        ("debug maybe", "debug on"),
        ("perft", "perft N"),
        ("perft 21", "perft N"),
        ("table", "there is no table"),
        ("q", "there is no table"),
        ("\0\0", "unknown command"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(gui: Dialogue, line: str, word: str) -> None:
    said = [text for text in gui.ask(line, "stop") if text.startswith("info string ")]
    assert len(said) == 1
    assert word in said[0]


def test_wrong_parts_of_go_are_named_and_the_rest_holds(gui: Dialogue) -> None:
    lines = gui.go("go depth two nonsense movetime 50")
    assert sum(line.startswith("info string expected") for line in lines) == 2
    assert scored(lines)


def test_a_line_of_megabytes_is_taken_as_one(gui: Dialogue) -> None:
    said = gui.ask("x" * 2_000_000)
    assert len(said) == 1
    assert len(said[0]) < 1100
    said = gui.ask("y" * 9_000_000)
    assert said == ["info string expected a line of at most 4,194,304 bytes, got a longer one"]


def test_a_position_of_very_many_moves_is_refused_at_once(gui: Dialogue) -> None:
    said = gui.ask(f"position startpos moves {'g1f3 g8f6 f3g1 f6g8 ' * 6_000}")
    assert said == ["info string expected at most 20,000 moves, got 24,000"]


def test_multipv_shows_so_many_lines_best_first(gui: Dialogue) -> None:
    lines = scored(gui.go("setoption name MultiPV value 5", f"position fen {KIWIPETE}", "go depth 2"))
    assert [field(line, "multipv") for line in lines] == ["1", "2", "3", "4", "5"]
    scores = [int(field(line, "cp")) for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert len({line_of(line)[0] for line in lines}) == 5


def test_multipv_beyond_the_legal_moves_shows_all(gui: Dialogue) -> None:
    lines = scored(gui.go("setoption name MultiPV value 256", "go depth 2"))
    assert {line_of(line)[0] for line in lines} == {move.uci() for move in chess.Board().legal_moves}


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, KIWIPETE, MATE_IN_ONE, MATED_IN_ONE])
def test_wdl_comes_if_it_is_wanted_and_adds_up(gui: Dialogue, fen: str) -> None:
    assert " wdl " not in " ".join(gui.go(f"position fen {fen}", "go depth 2"))
    for line in scored(gui.go("setoption name UCI_ShowWDL value true", "go depth 2")):
        words = line.split()
        wdl = [int(word) for word in words[words.index("wdl") + 1 :][:3]]
        assert sum(wdl) == 1000
        assert min(wdl) >= 0
        if " mate " in line:
            assert wdl == ([1000, 0, 0] if int(field(line, "mate")) > 0 else [0, 0, 1000])


def test_the_score_is_that_of_the_side_to_move(gui: Dialogue) -> None:
    white = gui.go("position fen 4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1", "go depth 1")
    black = gui.go("position fen qqq1k3/8/8/8/8/8/8/4K3 b - - 0 1", "go depth 1")
    assert field(scored(white)[-1], "score") == field(scored(black)[-1], "score")
    assert scored(white)[-1].split()[7:10] == scored(black)[-1].split()[7:10]


def test_the_same_seed_plays_the_same_moves() -> None:
    def moves() -> list[str]:
        with in_process("<none>", "Mode value classic", "Random Seed value 7", "Epsilon value 1") as gui:
            return [move_of(gui.go("position startpos", "go depth 2")) for _ in range(8)]

    first = moves()
    assert first == moves()
    assert len(set(first)) > 1


def test_a_move_that_is_explored_is_shown_before_it_is_played() -> None:
    with in_process("<none>", "Mode value classic", "Epsilon value 1", "Random Seed value 3") as gui:
        for _ in range(5):
            lines = gui.go("go depth 2")
            assert line_of(scored(lines)[-1])[0] == move_of(lines)


def test_options_may_be_set_during_a_search_and_hold_for_the_next(gui: Dialogue) -> None:
    gui.send("go infinite")
    gui.until("info depth")
    gui.ask("setoption name Plies value 1", "setoption name QTable value <memory>")
    gui.go("stop")
    assert [field(line, "depth") for line in scored(gui.go("go depth 2"))] == ["1", "2"]
    assert any(line.startswith("entries  ") for line in gui.go("table", "go movetime 1") + gui.ask("stop"))


def test_names_of_options_are_told_apart_without_case(gui: Dialogue) -> None:
    assert gui.ask("setoption name multipv value 2") == []
    assert len(scored(gui.go("go depth 2"))) == 2


def test_moves_looked_at_are_named_in_a_long_search(gui: Dialogue) -> None:
    gui.send(f"position fen {KIWIPETE}", "go infinite")
    line = gui.until("info currmove")[-1]
    assert chess.Move.from_uci(field(line, "currmove")) in chess.Board(KIWIPETE).legal_moves
    assert int(field(line, "currmovenumber")) > 0
    gui.go("stop")


@pytest.mark.parametrize("is_searching", [False, True])
def test_people_are_answered_also_in_the_middle_of_a_search(is_searching: bool) -> None:
    with in_process("<memory>", "Mode value classic") as gui:
        gui.go("position startpos moves e2e4", "go depth 2")
        if is_searching:
            gui.send("go infinite")
            gui.until("info depth")
        answers = {name: gui.ask(name) for name in ("d", "eval", "heat", "q", "help")}
        gui.send("perft 3")
        gui.until("total 13160")
        gui.send("table")
        gui.until("file ")
        gui.send("bench")
        gui.until("signature 2364884861")
        if is_searching:
            gui.go("stop")
    assert "FEN rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1" in answers["d"]
    assert any(line.startswith("score +10.0000") for line in answers["eval"])
    assert any(
        line.startswith("4   1.00  1.00  2.00  1.00     .  1.00  2.00  1.00 ") for line in answers["heat"]
    )
    rows = [line for line in answers["q"] if re.search("  search  ", line)]
    assert len(rows) == 21  # the position itself and its twenty moves
    assert all(any(line.startswith(name) for line in answers["help"]) for name in answers)


def test_a_long_count_ends_with_stop(gui: Dialogue) -> None:
    gui.send("perft 12", "stop")
    assert gui.until("info string stopped")
    assert gui.ask() == []
