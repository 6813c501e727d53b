"""The installed commands as GUIs start them."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import chess
import chess.engine
import console
import pytest
from uci_dialogue import HEATMAP_ENGINE_UCI, move_of, process

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
COMMANDS = [
    [HEATMAP_ENGINE_UCI],
    [console.HEATMAP_ENGINE],
    [console.HEATMAP_ENGINE, "uci"],
]


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: " ".join(Path(word).name for word in command)
)
@pytest.mark.parametrize("end", ["quit\n", ""])
def test_every_command_speaks_uci_and_ends_quietly(
    command: list[str | Path], end: str, tmp_path: Path
) -> None:
    with process(*command, home=tmp_path) as (gui, engine):
        gui.send("uci")
        gui.until("uciok")
        assert gui.ask() == []
        assert move_of(gui.go("position startpos moves e2e4", "go movetime 50"))
        if end:
            gui.send("quit")
        assert gui.end() == []
        assert engine.wait() == 0


@pytest.mark.parametrize("option", ["Mode value deep", "Mode value classic", "UCI_LimitStrength value true"])
def test_the_other_sides_clock_is_used_where_the_own_one_is_missing(option: str, tmp_path: Path) -> None:
    """The engine searched until `stop`, and who had typed `go wtime 1000` waited for ever."""
    with process(home=tmp_path) as (gui, _):
        gui.send("setoption name QTable value <none>", f"setoption name {option}")
        for position, given, missing in (
            ("startpos moves e2e4", "wtime", "btime"),
            ("startpos", "btime", "wtime"),
        ):
            told = f"info string expected {missing} for the side to move, got only {given}, which is used"
            assert gui.go(f"position {position}", f"go {given} 400")[0] == told
            gui.send(f"go ponder {given} 400")
            assert told in gui.go("ponderhit")
            assert not any("string" in line for line in gui.go(f"go {given} 400 movetime 20"))
            assert not any("string" in line for line in gui.go(f"go {given} 400 {missing} 400"))
            assert not any("string" in line for line in gui.go(f"go infinite {given} 400", "stop"))


def test_uci_alone_loads_no_numpy_and_opens_no_table(tmp_path: Path) -> None:
    with process(home=tmp_path) as (gui, _):
        gui.send("uci")
        gui.until("uciok")
    assert not list(tmp_path.iterdir())
    names = console.run_python(
        "import io, sys\n"
        "from heatmap_engine.uci.loop import identification\n"
        "from heatmap_engine.uci.options import Options\n"
        "identification(Options())\n"
        "print(*sys.modules)"
    ).split()
    assert not {"chess", "numpy", "rich", "sqlite3", "sqlitedict", "heatmap_engine.kernel"} & set(names)


def test_the_default_table_is_in_the_users_folder(tmp_path: Path) -> None:
    with process(home=tmp_path) as (gui, _):
        gui.go("position startpos", "go depth 2")
        assert not (tmp_path / "heatmap-engine" / "default.table").exists()
        gui.go("setoption name Mode value classic", "go depth 2")
    folder = tmp_path / "heatmap-engine"
    assert {path.name for path in folder.glob("*.table")} == {"default.table", "default.deep.table"}


def test_without_a_command_a_person_gets_help(tmp_path: Path) -> None:
    # On a terminal nobody wants to speak UCI unasked; standard input is one here.
    ours, its = os.openpty()
    outcome = subprocess.run(
        [console.HEATMAP_ENGINE], stdin=its, capture_output=True, env=console.environment(), check=False
    )
    os.close(ours)
    os.close(its)
    assert outcome.returncode == 2
    assert b"Usage: heatmap-engine" in outcome.stderr


@pytest.mark.parametrize("when", ["at once", "in a search"])
def test_a_gui_that_goes_away_leaves_no_process_and_no_complaint(when: str, tmp_path: Path) -> None:
    engine = subprocess.Popen(
        [HEATMAP_ENGINE_UCI],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=console.environment(XDG_DATA_HOME=str(tmp_path)),
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    assert engine.stderr is not None
    if when == "in a search":
        engine.stdin.write(b"go infinite\n")
        engine.stdin.flush()
        engine.stdout.readline()
    else:
        engine.stdin.write(b"uci\n" * 2000 + b"isready\n")
    engine.stdout.close()
    try:
        engine.stdin.write(b"isready\n" * 10)
        engine.stdin.close()
    except BrokenPipeError:
        pass  # the engine has noticed already
    assert engine.wait(timeout=60) == 0
    with engine.stderr as stderr:
        assert stderr.read() == b""


def test_ctrl_c_ends_the_session(tmp_path: Path) -> None:
    with process(home=tmp_path) as (gui, engine):
        gui.send("go infinite")
        gui.until("info depth")
        engine.send_signal(signal.SIGINT)
        assert engine.wait(timeout=60) == 130


def test_bytes_of_every_kind_are_survived(tmp_path: Path) -> None:
    with process(home=tmp_path) as (gui, engine):
        assert engine.stdin is not None
        engine.stdin.write(bytes(range(256)) * 50 + b"\n\xff\xfe\x00\x00\n" + b"position fen \x00\n")
        assert gui.ask()
        gui.send("quit")
        gui.end()
        assert engine.wait() == 0


# python-chess as GUI


def test_python_chess_plays_a_game_and_analyses(tmp_path: Path) -> None:
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci([HEATMAP_ENGINE_UCI]) as engine:
        engine.configure({"QTable": str(tmp_path / "t"), "Random Seed": 5})
        assert engine.id["name"].startswith("Heatmap Engine")
        for _ in range(20):
            played = engine.play(board, chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.02))
            assert played.move is not None
            board.push(played.move)
            if board.is_game_over():
                break
        lines = engine.analyse(chess.Board(KIWIPETE), chess.engine.Limit(depth=2), multipv=4)
        assert [line["multipv"] for line in lines] == [1, 2, 3, 4]
        scores = [line["score"].relative for line in lines]
        assert scores == sorted(scores, reverse=True)
        info = engine.analyse(board, chess.engine.Limit(time=0.1), root_moves=[*board.legal_moves][:1])
        assert info["pv"][0] == next(iter(board.legal_moves))


def test_python_chess_ponders_stops_and_gets_wdl(tmp_path: Path) -> None:
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci([HEATMAP_ENGINE_UCI]) as engine:
        engine.configure({"QTable": "<memory>", "UCI_ShowWDL": True})
        limit = chess.engine.Limit(white_clock=1, black_clock=1)
        for _ in range(6):
            played = engine.play(board, limit, ponder=True, info=chess.engine.INFO_ALL)
            assert played.move is not None
            assert sum(played.info["wdl"].relative) == 1000
            board.push(played.move)
            # Half of the time what the engine ponders on, half of the time something else.
            replies = [*board.legal_moves]
            expected = played.ponder if board.ply() % 4 == 1 else replies[0]
            board.push(expected or replies[0])
        with engine.analysis(board) as analysis:
            for info in analysis:
                if info.get("depth", 0) >= 2:
                    break
        assert analysis.info["pv"]
        assert engine.play(board, chess.engine.Limit(depth=1)).move in board.legal_moves


def test_python_chess_at_its_asynchronous_face(tmp_path: Path) -> None:
    async def talk() -> list[chess.Move | None]:
        transport, engine = await chess.engine.popen_uci(HEATMAP_ENGINE_UCI)
        await engine.configure({"QTable": "<none>"})
        analysis = await engine.analysis(chess.Board(KIWIPETE))
        await analysis.get()
        await engine.ping()
        analysis.stop()
        best = await analysis.wait()
        played = await engine.play(chess.Board(), chess.engine.Limit(nodes=100_000))
        await engine.quit()
        transport.close()
        return [best.move, played.move]

    best, played = asyncio.run(talk())
    assert best in chess.Board(KIWIPETE).legal_moves
    assert played in chess.Board().legal_moves
