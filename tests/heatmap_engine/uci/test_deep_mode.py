"""Deep mode as a GUI meets it: who searches changes with `Mode`, and nothing else does."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.engine
import pytest
from uci_dialogue import HEATMAP_ENGINE_UCI, Dialogue, field, in_process, line_of, move_of, process, scored

from games.journal import learned_games
from qtable import QTable

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_TWO = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


@pytest.fixture
def gui() -> Iterator[Dialogue]:
    with in_process("<none>", "Mode value deep", "Hash value 4") as dialogue:
        yield dialogue


@contextmanager
def client(**options: str | int) -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci([HEATMAP_ENGINE_UCI]) as engine:
        engine.configure({"QTable": "<none>", "Mode": "deep", "Hash": 4, **options})
        yield engine


@pytest.mark.parametrize(
    "limits",
    [
        "wtime 100 btime 100",
        "wtime -500 btime -500 winc 0 binc 0",
        "wtime 1000 btime 1000 winc 10 binc 10 movestogo 1",
        "movetime 50",
        "movetime 0",
        "nodes 1",
        "nodes 0",
        "nodes 5000",
        "depth 0",
        "depth 7",
        "mate 1",
    ],
)
def test_every_limit_ends_with_a_legal_move_that_the_last_line_began_with(gui: Dialogue, limits: str) -> None:
    lines = gui.go(f"position fen {KIWIPETE}", f"go {limits}")
    shown = scored(lines)
    assert line_of(shown[-1])[0] == move_of(lines)
    for line in shown:
        board = chess.Board(KIWIPETE)
        for move in line_of(line):
            board.push_uci(move)  # raises ValueError where it is not legal
        for name in ("depth", "seldepth", "nodes", "nps", "hashfull", "time"):
            assert int(field(line, name)) >= 0


def test_depth_is_searched_in_full_and_no_further(gui: Dialogue) -> None:
    lines = scored(gui.go(f"position fen {KIWIPETE}", "go depth 7"))
    assert [int(field(line, "depth")) for line in lines] == [1, 2, 3, 4, 5, 6, 7]


def test_nodes_are_kept(gui: Dialogue) -> None:
    lines = scored(gui.go(f"position fen {KIWIPETE}", "go nodes 5000"))
    assert int(field(lines[-1], "nodes")) <= 5000
    assert int(field(lines[-1], "depth")) > 3


def test_a_mate_is_shown_in_moves(gui: Dialogue) -> None:
    lines = gui.go(f"position fen {MATE_IN_TWO}", "go depth 8")
    assert "score mate 2" in lines[-2]
    assert move_of(lines) == "f6f7"


def test_go_mate_ends_with_the_mate(gui: Dialogue) -> None:
    assert move_of(gui.go(f"position fen {MATE_IN_TWO}", "go mate 4")) == "f6f7"


def test_no_move_at_all_is_said_so(gui: Dialogue) -> None:
    assert gui.go(f"position fen {STALEMATE}", "go depth 3") == ["info depth 0 score cp 0", "bestmove (none)"]


@pytest.mark.parametrize("go", ["go infinite", "go", "go ponder wtime 1000 btime 1000"])
def test_an_endless_search_answers_only_when_told(gui: Dialogue, go: str) -> None:
    gui.send(f"position fen {KIWIPETE}", go)
    gui.until("info depth 5")
    assert not any(line.startswith("bestmove") for line in gui.ask())
    assert move_of(gui.go("stop"))


def test_stop_is_heard_before_the_search_has_begun(gui: Dialogue) -> None:
    for _ in range(20):
        assert move_of(gui.go(f"position fen {KIWIPETE}", "go infinite", "stop"))


def test_ponderhit_starts_the_clock(gui: Dialogue) -> None:
    gui.send("position startpos moves e2e4", "go ponder wtime 2000 btime 2000")
    gui.until("info depth 4")
    assert move_of(gui.go("ponderhit"))


def test_the_games_history_counts_for_repetition(gui: Dialogue) -> None:
    # Qb2+ would bring the position for the third time; the won game is not thrown away.
    moves = "b1b2 h8g8 b2b1 g8h8 " * 2
    lines = gui.go(f"position fen 7k/8/8/8/8/8/8/KQ6 w - - 0 1 moves {moves}", "go depth 6")
    assert move_of(lines) != "b1b2"
    assert int(field(lines[-2], "cp")) > 0


def test_clear_hash_and_a_new_game_forget(gui: Dialogue) -> None:
    def nodes() -> int:
        return int(field(scored(gui.go(f"position fen {KIWIPETE}", "go depth 8"))[-1], "nodes"))

    first = nodes()
    assert nodes() < first
    gui.ask("setoption name Clear Hash")
    assert nodes() == first
    gui.ask("ucinewgame")
    assert nodes() == first
    gui.ask("setoption name Hash value 8", "setoption name Hash value 4")
    assert nodes() == first


def test_threads_share_the_work(gui: Dialogue) -> None:
    lines = gui.go("setoption name Threads value 2", f"position fen {KIWIPETE}", "go depth 8")
    assert move_of(lines) in {move.uci() for move in chess.Board(KIWIPETE).legal_moves}


def test_classic_answers_the_same_before_and_after_deep() -> None:
    asked = f"position fen {KIWIPETE}", "go depth 2"

    def shown(lines: list[str]) -> list[tuple[str, str, list[str]]]:
        return [(field(line, "score"), field(line, "nodes"), line_of(line)) for line in scored(lines)]

    with in_process("<none>", "Random Seed value 1", "MultiPV value 5") as gui:
        before = shown(gui.go(*asked))
        assert "hashfull" not in " ".join(gui.go(*asked))
        deep = gui.go(
            "setoption name Mode value deep", "ucinewgame", f"position fen {KIWIPETE}", "go depth 6"
        )
        assert "hashfull" in deep[-2]
        assert shown(gui.go("setoption name Mode value classic", "ucinewgame", *asked)) == before


def test_searchmoves_is_said_to_be_ignored(gui: Dialogue) -> None:
    lines = gui.go("position startpos", "go depth 2 searchmoves a2a3")
    assert any("searchmoves is not heeded in deep mode" in line for line in lines)


def test_a_deep_game_is_learned_like_any_other(tmp_path: Path) -> None:
    table = tmp_path / "games.table"
    with in_process(table, "Mode value deep", "Hash value 1") as gui:
        assert move_of(gui.go("position startpos moves f2f3 e7e5 g2g4", "go depth 4")) == "d8h4"
    with QTable(table, readonly=True) as opened:
        (game,) = learned_games(opened.journal())
    assert (game.record.result, game.record.termination) == ("0-1", "checkmate")


def test_python_chess_plays_a_whole_game_on_a_short_clock() -> None:
    board = chess.Board()
    with client() as engine:
        while not board.is_game_over(claim_draw=True):
            limit = chess.engine.Limit(white_clock=0.5, black_clock=0.5, white_inc=0.002, black_inc=0.002)
            played = engine.play(board, limit, info=chess.engine.INFO_ALL)
            assert played.move is not None
            assert played.info["pv"][0] == played.move
            board.push(played.move)
    assert board.ply() > 20


def test_python_chess_analyses_and_stops() -> None:
    with client() as engine:
        with engine.analysis(chess.Board(KIWIPETE)) as analysis:
            for info in analysis:
                if info.get("depth", 0) >= 6:
                    break
        assert analysis.info["pv"]
        mate = engine.analyse(chess.Board(MATE_IN_TWO), chess.engine.Limit(depth=8))
        assert mate["score"].white() == chess.engine.Mate(2)


def test_a_hash_that_memory_does_not_hold_is_told(tmp_path: Path) -> None:
    with process(home=tmp_path) as (gui, engine):
        gui.ask("position startpos", "setoption name Mode value deep", "setoption name Hash value 1")
        room = 600 << 20
        resource.prlimit(engine.pid, resource.RLIMIT_AS, (room, room))
        said = gui.ask("setoption name Hash value 4096")
        assert any("no memory for a Hash of 4096 MiB; it has 1 MiB now" in line for line in said)
        assert move_of(gui.go("position startpos", "go depth 3"))
