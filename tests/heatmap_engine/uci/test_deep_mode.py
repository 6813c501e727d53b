"""Deep mode as a GUI meets it: who searches changes with `Mode`, and nothing else does."""

import json
import os
import re
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.engine
import pytest
from process_groups import wait_until
from uci_dialogue import HEATMAP_ENGINE_UCI, Dialogue, field, in_process, line_of, move_of, process, scored

from games.chess.journal import learned_games
from heatmap_engine.deep.adopted import adopt
from heatmap_engine.deep.levels import elo_range, level_of
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.deep.weights import CMHM2, save_weights
from heatmap_engine.limits import Limits
from heatmap_engine.tuning.starts import starting_weights
from heatmap_engine.uci.bench import POSITIONS
from heatmap_engine.uci.options import Options
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


def test_stop_is_heard_before_the_search_has_begun_and_never_by_the_next(gui: Dialogue) -> None:
    gui.send(f"position fen {KIWIPETE}")
    for _ in range(20):
        gui.send("go infinite", "stop", "ucinewgame", "go depth 6 searchmoves e1g1 a2a4")
        gui.until("bestmove")
        depths = [field(line, "depth") for line in scored(gui.until("bestmove"))]
        assert depths == ["1", "2", "3", "4", "5", "6"]


def test_ponderhit_starts_the_clock(gui: Dialogue) -> None:
    gui.send("position startpos moves e2e4", "go ponder wtime 2000 btime 2000")
    gui.until("info depth 4")
    assert move_of(gui.go("ponderhit"))


@pytest.mark.parametrize("mode", ["deep", "classic"])
def test_a_single_legal_move_is_played_at_once_after_ponderhit(mode: str, gui: Dialogue) -> None:
    """It was thought about for as long as any other: 144 of 180 minutes on this clock."""
    gui.ask(f"setoption name Mode value {mode}", "isready")
    gui.send(
        "position fen 6k1/8/8/8/8/7q/8/R6K w - - 0 1", "go ponder wtime 10800000 btime 10800000 movestogo 1"
    )
    gui.until("info depth")
    assert move_of(gui.go("ponderhit")) == "h1g1"


def test_the_games_history_counts_for_repetition(gui: Dialogue) -> None:
    # Qb2+ would bring the position for the third time; the won game is not thrown away.
    moves = "b1b2 h8g8 b2b1 g8h8 " * 2
    lines = gui.go(f"position fen 7k/8/8/8/8/8/8/KQ6 w - - 0 1 moves {moves}", "go depth 6")
    assert move_of(lines) != "b1b2"
    assert int(field(lines[-2], "cp")) > 0


def test_clear_hash_and_a_new_game_forget(gui: Dialogue) -> None:
    def nodes() -> int:
        return int(field(scored(gui.go(f"position fen {KIWIPETE}", "go depth 10"))[-1], "nodes"))

    first = nodes()
    assert nodes() < first
    gui.ask("setoption name Clear Hash")
    assert nodes() == first
    gui.ask("ucinewgame")
    assert nodes() == first
    gui.ask("setoption name Hash value 8", "setoption name Hash value 4")
    assert nodes() == first
    for same in ("Hash value 4", "Mode value deep", "Plies value 2", "SyzygyPath value <empty>"):
        gui.ask(f"setoption name {same}")
        assert nodes() < first, same


def test_as_many_threads_search_as_were_asked_for(tmp_path: Path) -> None:
    """A helper may begin long after the first depths are told: where others need the processors, it waits."""

    def threads_of(engine: "subprocess.Popen[bytes]") -> int:
        return len([*Path(f"/proc/{engine.pid}/task").iterdir()])

    with process(home=tmp_path) as (gui, engine):
        gui.ask("setoption name QTable value <none>", "setoption name Hash value 1")
        gui.send(f"position fen {KIWIPETE}", "go infinite")
        gui.until("info depth 6")
        alone = threads_of(engine)
        assert move_of(gui.go("stop"))
        gui.ask("setoption name Threads value 4")
        gui.send("go infinite")
        gui.until("info depth 6")
        wait_until(lambda: threads_of(engine) >= alone + 3, engine)
        gui.until("info depth")
        assert threads_of(engine) == alone + 3
        assert move_of(gui.go("stop")) in {move.uci() for move in chess.Board(KIWIPETE).legal_moves}


def test_classic_answers_the_same_before_and_after_deep() -> None:
    asked = f"position fen {KIWIPETE}", "go depth 2"

    def shown(lines: list[str]) -> list[tuple[str, str, list[str]]]:
        return [(field(line, "score"), field(line, "nodes"), line_of(line)) for line in scored(lines)]

    with in_process("<none>", "Mode value classic", "Random Seed value 1", "MultiPV value 5") as gui:
        before = shown(gui.go(*asked))
        assert "hashfull" not in " ".join(gui.go(*asked))
        deep = gui.go(
            "setoption name Mode value deep", "ucinewgame", f"position fen {KIWIPETE}", "go depth 6"
        )
        assert "hashfull" in deep[-2]
        assert shown(gui.go("setoption name Mode value classic", "ucinewgame", *asked)) == before


def test_only_searchmoves_are_searched_and_answered(gui: Dialogue) -> None:
    lines = gui.go("position startpos", "go depth 4 searchmoves a2a3 h2h4")
    assert {line_of(line)[0] for line in scored(lines)} <= {"a2a3", "h2h4"}
    assert move_of(lines) in {"a2a3", "h2h4"}
    lines = gui.go("setoption name MultiPV value 5", "go depth 4 searchmoves a2a3 h2h4")
    assert [field(line, "multipv") for line in scored(lines)[-2:]] == ["1", "2"]


def test_lines_come_in_order_and_begin_with_different_moves(gui: Dialogue) -> None:
    lines = scored(gui.go("setoption name MultiPV value 4", f"position fen {KIWIPETE}", "go depth 5"))
    assert len(lines) == 20
    for start in range(0, 20, 4):
        block = lines[start : start + 4]
        assert [field(line, "multipv") for line in block] == ["1", "2", "3", "4"]
        assert len({line_of(line)[0] for line in block}) == 4
        assert len({field(line, "depth") for line in block}) == 1
        values = [int(field(line, "cp")) for line in block]
        assert values == sorted(values, reverse=True)


def test_chances_are_shown_when_asked_for_and_add_up(gui: Dialogue) -> None:
    assert " wdl " not in " ".join(gui.go(f"position fen {KIWIPETE}", "go depth 3"))
    gui.send("setoption name UCI_ShowWDL value true")
    for fen in (KIWIPETE, "7k/8/8/8/8/8/8/KQ6 w - - 0 1", "7k/8/8/8/8/8/8/KQ6 b - - 0 1"):
        last = scored(gui.go(f"position fen {fen}", "go depth 3"))[-1].split()
        won, drawn, lost = map(int, last[last.index("wdl") + 1 :][:3])
        assert won + drawn + lost == 1000
    assert (won, lost) < (50, 950)
    mate = gui.go(f"position fen {MATE_IN_TWO}", "go depth 8")[-2]
    assert "score mate 2 wdl 1000 0 0" in mate


def test_a_long_search_says_which_move_it_looks_at(gui: Dialogue) -> None:
    gui.send(f"position fen {KIWIPETE}", "go infinite")
    words = gui.until("info currmove")[-1].split()
    assert words[1::2] == ["currmove", "currmovenumber"]
    assert words[2] in {move.uci() for move in chess.Board(KIWIPETE).legal_moves}
    gui.go("stop")
    assert not any("currmove" in line for line in gui.ask("position startpos"))


def test_epsilon_plays_any_move_and_shows_it(gui: Dialogue) -> None:
    gui.send("setoption name Epsilon value 1", "setoption name Random Seed value 3")
    played = []
    for _ in range(8):
        lines = gui.go("position startpos", "go depth 2")
        assert line_of(scored(lines)[-1])[0] == move_of(lines)
        played.append(move_of(lines))
    assert len(set(played)) > 3


def test_weights_come_from_a_file_and_a_bad_one_changes_nothing(gui: Dialogue, tmp_path: Path) -> None:
    def values() -> list[str]:
        shown = scored(gui.go("ucinewgame", f"position fen {KIWIPETE}", "go depth 4"))
        return [field(line, "cp") for line in shown]

    learned = values()
    save_weights(tmp_path / "other weights.json", CMHM2.scaled(8))
    gui.ask(f"setoption name Weights value {tmp_path / 'other weights.json'}")
    others = values()
    assert others != learned
    (tmp_path / "bad.json").write_text("{}")
    save_weights(tmp_path / "huge.json", CMHM2)
    text = (tmp_path / "huge.json").read_text().replace(": [1, 1]", f": [1, {10**400}]", 1)
    (tmp_path / "huge.json").write_text(text)  # its number ended the process
    os.mkfifo(tmp_path / "fifo.json")  # waited for without end
    for name in ("bad.json", "missing.json", "huge.json", "fifo.json"):
        said = gui.ask(f"setoption name Weights value {tmp_path / name}")
        assert [line.startswith("info string ") and name in line for line in said] == [True]
        assert values() == others
    said = gui.ask("setoption name Weights value ~nobody-of-this-name/w.json")  # once the process ended here
    assert ["~nobody-of-this-name/w.json" in line for line in said] == [True]
    for name in ("<package>", "<empty>"):
        assert gui.ask(f"setoption name Weights value {name}") == []
        assert values() == learned


def test_what_a_search_found_is_in_the_table_and_is_shown(tmp_path: Path) -> None:
    table = tmp_path / "deep.table"
    with in_process(table, "Hash value 1") as gui:
        gui.ask("position startpos")
        gui.go("go depth 6")
        answer: list[str] = []
        while not any(line.startswith("- ") for line in answer):  # another thread records
            answer = gui.ask("q")
        assert any("centipawns" in line for line in answer)
        assert int(next(line for line in answer if line.startswith("- ")).split()[3]) == 6
        assert any("mode deep, weights td 10" in line for line in gui.ask("eval"))


def test_a_search_of_chosen_moves_leaves_the_table_alone(tmp_path: Path) -> None:
    table = tmp_path / "deep.table"
    with in_process(table) as gui:
        gui.go("position startpos", "go depth 5 searchmoves a2a4")
        gui.ask("setoption name Save Table")
    with QTable(table, readonly=True) as opened:
        assert len(opened) == 0


def test_a_classic_table_is_refused_in_deep_mode_and_the_game_goes_on(tmp_path: Path) -> None:
    table = tmp_path / "games.table"
    with in_process(table, "Mode value classic") as gui:
        gui.go("position startpos", "go depth 2")
    with in_process(table, "Mode value deep") as gui:
        lines = gui.ask() + gui.go("position startpos", "go depth 2")
        assert any(line.startswith("info string playing without a table") for line in lines)
        assert move_of(lines)


LOWEST, HIGHEST = elo_range()


def test_a_limited_engine_keeps_its_nodes_and_analysis_is_not_limited(gui: Dialogue) -> None:
    gui.send("setoption name UCI_LimitStrength value true", f"setoption name UCI_Elo value {LOWEST}")
    lines = scored(gui.go(f"position fen {KIWIPETE}", "go wtime 3000 btime 3000"))
    assert len(lines) == 1
    assert int(field(lines[0], "nodes")) <= level_of(LOWEST).nodes
    gui.send("go infinite")
    gui.until("info depth 8")
    gui.go("stop")
    gui.send("setoption name UCI_LimitStrength value false")
    assert len(scored(gui.go("go depth 4"))) == 4


def test_a_level_that_nobody_measured_is_refused(gui: Dialogue) -> None:
    said = gui.ask(f"setoption name UCI_Elo value {HIGHEST + 1}")
    assert f"UCI_Elo must be a number from {LOWEST} to {HIGHEST}" in " ".join(said)


def test_a_limited_engine_with_a_seed_plays_the_same_again() -> None:
    def game() -> list[chess.Move]:
        limited = {"UCI_LimitStrength": True, "UCI_Elo": LOWEST, "Random Seed": 5}
        board = chess.Board()
        with client(**limited) as engine:
            for _ in range(10):
                played = engine.play(board, chess.engine.Limit(white_clock=3, black_clock=3)).move
                assert played is not None
                board.push(played)
        return board.move_stack

    assert game() == game()


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


def test_a_session_of_python_chess_leaves_no_stray_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It read `default <default>` as the value `>`, and setting that back made a table named so."""
    home, folder = tmp_path / "home", tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    with chess.engine.SimpleEngine.popen_uci([HEATMAP_ENGINE_UCI], cwd=folder) as engine:
        defaults = {
            name: option.default
            for name, option in engine.options.items()
            if option.type != "button" and not option.is_managed()
        }
        assert defaults["QTable"] == "<own>"
        engine.configure(defaults)
        engine.play(chess.Board(), chess.engine.Limit(depth=2))
        engine.play(chess.Board(), chess.engine.Limit(depth=2), options={"QTable": "<memory>"})
        engine.play(chess.Board(), chess.engine.Limit(depth=2))  # which sets the option back
        engine.quit()
    assert [path.name for path in folder.iterdir()] == []
    assert {path.name for path in (home / "heatmap-engine").iterdir()} == {"default.deep.table"}


def test_no_declaration_holds_the_word_default_twice() -> None:
    for line in Options().declarations():
        assert line.count("default") <= 1, line


def test_a_hash_that_memory_does_not_hold_is_told(tmp_path: Path) -> None:
    with process(home=tmp_path) as (gui, engine):
        gui.ask("position startpos", "setoption name Mode value deep", "setoption name Hash value 1")
        room = 600 << 20
        resource.prlimit(engine.pid, resource.RLIMIT_AS, (room, room))
        said = gui.ask("setoption name Hash value 4096")
        assert any("no memory for a Hash of 4096 MiB; it has 1 MiB now" in line for line in said)
        assert move_of(gui.go("position startpos", "go depth 3"))


def test_bench_has_a_signature_which_changes_with_any_change_of_the_search(gui: Dialogue) -> None:
    """Who changes it on purpose changes this number."""
    gui.send("bench")
    assert gui.until("signature")[-1] == "signature 50827"


def test_speed_of_bench_is_that_of_more_than_its_signature(gui: Dialogue) -> None:
    """It was that of some 39,000 nodes in 0.05 s, of which much was the clearing of memory."""
    gui.send("bench")
    gui.until("signature")
    speed = gui.until("")[-1]
    found = re.fullmatch(r"(\d+) nodes in (\d+\.\d+) s, (\d+) per second", speed)
    assert found is not None, speed
    nodes, seconds, rate = map(float, found.groups())
    assert nodes > 25 * 50827
    assert rate == pytest.approx(nodes / seconds, rel=0.01)


def test_bench_ends_with_stop(gui: Dialogue) -> None:
    gui.send("bench")
    gui.until("signature")
    gui.send("stop")
    assert not any("per second" in line for line in gui.ask())


def test_the_last_time_to_depth_that_was_recorded_is_this_search_s() -> None:
    """Who changes the search adds a line: `python benchmarks/deep_bench.py`, as the design notes say."""
    records = Path(__file__).parents[3] / "benchmarks" / "records" / "deep_bench.jsonl"
    last = json.loads(records.read_text(encoding="utf-8").splitlines()[-1])
    search, nodes = DeepSearch(hash_mib=16), 0
    for fen in POSITIONS:
        search.clear()
        nodes += search.search(fen, Limits(depth=last["depth"])).nodes
    assert (last["threads"], last["bench"]["nodes"]) == (1, nodes)


@contextmanager
def without_room_for_threads(gui: Dialogue, pid: int) -> Iterator[None]:
    """No stack of another thread fits into the memory of the process."""
    gui.ask()
    used = re.search(r"VmSize:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert used is not None
    room = (int(used[1]) << 10) + (4 << 20)
    unlimited = resource.prlimit(pid, resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
    yield
    resource.prlimit(pid, resource.RLIMIT_AS, unlimited)


def test_threads_that_cannot_be_had_are_done_without(tmp_path: Path) -> None:
    with process(home=tmp_path) as (gui, engine):
        gui.ask("position startpos", "setoption name Hash value 1", "setoption name Threads value 8")
        with without_room_for_threads(gui, engine.pid):
            assert field(scored(gui.go("go depth 6"))[-1], "depth") == "6"


def test_a_gui_sees_whole_lines_from_a_table_too(tmp_path: Path) -> None:
    for game in range(2):
        with in_process(str(tmp_path / "t.table"), "Mode value deep", "Hash value 4") as gui:
            lines = scored(gui.go("position startpos moves d2d4 d7d5", "go depth 11"))
        board = chess.Board()
        for move in ("d2d4", "d7d5", *line_of(lines[-1])):
            board.push_uci(move)
        assert len(line_of(lines[-1])) >= 8, game
        # Nodes without a move in the hash are searched less deep: on the way a line may be a little shorter.
        assert all(len(line_of(line)) >= min(int(field(line, "depth")), 8) - 2 for line in lines[:-1])


def test_adopted_weights_play_and_leave_the_signature_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    def evaluation_and_signature(*options: str) -> tuple[str, str]:
        with in_process("<none>", "Mode value deep", *options) as gui:
            said = gui.ask("position startpos", "eval")
            gui.send("bench")
            signature = gui.until("signature")[-1]
            gui.send("stop")
            return next(line for line in said if "weights" in line), signature

    before, signature = evaluation_and_signature()
    assert "weights td 10" in before
    path = adopt(starting_weights("cmhm2"), "", {})
    after, same = evaluation_and_signature()
    assert f"weights own {path.stem}" in after
    assert same == signature
    assert evaluation_and_signature("Weights value <package>") == (before, signature)
    assert evaluation_and_signature(f"Weights value {path}")[1] != signature  # which asks for it


def test_damaged_weights_of_ones_own_are_told_and_a_gui_still_finds_an_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    adopt(starting_weights("cmhm2"), "", {}).write_text("{")
    with in_process("<none>", "Mode value deep") as gui:
        said = gui.ask("position startpos")
        assert next(line for line in said if "--unadopt" in line).startswith(
            "info string playing with the package's weights: your own weights cannot be used"
        )
        assert gui.go("go nodes 50")[-1].startswith("bestmove ")
