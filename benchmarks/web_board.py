"""How fast the board in the browser is: first paint, heat, analysis beside `analyse`, a game annotated.

    python benchmarks/web_board.py [paint] [heat] [analysis] [annotate]

Needs the extra `test`, and for `paint` and `heat` Debian's chromium and chromium-driver. Speeds of searches
are nodes for each second of processor time, which other work on the machine disturbs little.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import browser  # noqa: E402
import chess  # noqa: E402
from web_server import WebServer, web_server  # noqa: E402
from websockets.sync.client import ClientConnection, connect  # noqa: E402

from games.chess.openings import load_openings  # noqa: E402
from heatmap_engine import Engine, Limits  # noqa: E402

PROGRAM = Path(sysconfig.get_path("scripts")) / "heatmap-engine"
TIMES = 10
SECONDS = 4
RUY_LOPEZ = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]
PLIES = 80


def say(words: str) -> None:
    print(words, flush=True)  # noqa: T201


def paint(server: WebServer) -> None:
    painted, ready = [], []
    with browser.headless_chromium() as page:
        for _ in range(TIMES):
            page.get("about:blank")
            page.get(server.address)
            while not page.execute_script(
                "return document.body.dataset.connected && document.body.dataset.heatMs && performance.now()"
            ):
                time.sleep(0.005)
            entries = page.execute_script(
                "return performance.getEntriesByName('first-contentful-paint').map(each => each.startTime)"
            )
            painted += entries
            ready.append(page.execute_script("return performance.now()"))
    say(f"first paint: median {statistics.median(painted):.0f} ms, longest {max(painted):.0f} ms")
    say(f"the board with its heat: median {statistics.median(ready):.0f} ms, longest {max(ready):.0f} ms")


def heat(server: WebServer) -> None:
    moves = "+".join(move.uci() for move in played_game(40).move_stack)
    with browser.headless_chromium() as page:
        for depth in (0, 1, 2):
            page.get("about:blank")
            page.get(f"{server.address}#/explore?moves={moves}")
            while not page.execute_script("return document.body.dataset.heatMs"):
                time.sleep(0.01)
            page.execute_script(f"document.querySelector('[data-depth=\"{depth}\"]').click()")
            taken = []
            for _ in range(40):
                page.execute_script(
                    "delete document.body.dataset.heatMs; document.getElementById('previous').click()"
                )
                while not (ms := page.execute_script("return document.body.dataset.heatMs")):
                    time.sleep(0.002)
                taken.append(float(ms))
            say(
                f"heat of depth {depth}, 40 positions: median {statistics.median(taken):.1f} ms, "
                f"longest {max(taken):.1f} ms"
            )


def played_game(plies: int) -> chess.Board:
    """A game of the engine against itself, at few nodes."""
    board = load_openings()[0].board()
    with Engine(record="off") as engine:
        while len(board.move_stack) < plies:
            board.push(engine.pick_move(board, Limits(nodes=2000)).move)
    return board


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until(connection: ClientConnection, is_meant: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    while not is_meant(heard := json.loads(connection.recv())):
        pass
    found: dict[str, Any] = heard
    return found


def analysis(server: WebServer) -> None:
    """Turn about, so that what else the machine does disturbs both alike."""
    shares = []
    for lines in (1, 3):
        for _ in range(2):
            ours, theirs = page_speed(server, lines), command_speed(lines)
            shares.append(ours / theirs)
            say(
                f"{lines} lines: page {ours:,.0f} nodes a second, analyse {theirs:,.0f}, "
                f"share {ours / theirs:.3f}"
            )
    say(f"median share {statistics.median(shares):.3f}")


def page_speed(server: WebServer, lines: int) -> float:
    with connect(f"ws://{server.host}/socket", origin=f"http://{server.host}") as connection:  # type: ignore[arg-type] # a str
        connection.recv()
        before = processor_s(server.pid)
        connection.send(json.dumps({"id": 1, "do": "analyse", "moves": RUY_LOPEZ, "lines": lines}))
        time.sleep(SECONDS)
        connection.send('{"id": 2, "do": "stop"}')
        ended = until(connection, lambda heard: heard.get("ended", False))
        return float(ended["nodes"]) / (processor_s(server.pid) - before)


def command_speed(lines: int) -> float:
    def spent(*limit: str) -> tuple[int, float]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [PROGRAM, "analyse", "--no-table", "--json", "--top", str(lines), *limit]
        found = subprocess.run([*command, "--moves", *RUY_LOPEZ], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return json.loads(found.stdout)["nodes"], seconds

    few, start_s = spent("--nodes", "1")
    nodes, seconds = spent("--seconds", str(SECONDS))
    return (nodes - few) / (seconds - start_s)


def annotate(server: WebServer) -> None:
    moves = [move.uci() for move in played_game(PLIES).move_stack]
    asked = {"id": 1, "do": "annotate", "nodes": [[i, move] for i, move in enumerate(moves)]}
    with connect(
        f"ws://{server.host}/socket",
        origin=f"http://{server.host}",  # type: ignore[arg-type] # a str
        max_size=None,
    ) as connection:
        connection.recv()
        begin, spent = time.monotonic(), processor_s(server.pid)
        connection.send(json.dumps({**asked, "positions_nodes": 100_000}))
        told = 0
        while "re" not in (heard := json.loads(connection.recv())):
            told += heard.get("push") == "annotation"
        say(
            f"{PLIES} plies at 100,000 nodes: {time.monotonic() - begin:.1f} s, "
            f"{processor_s(server.pid) - spent:.1f} s of processor time, progress told {told} times"
        )


PARTS = {"paint": paint, "heat": heat, "analysis": analysis, "annotate": annotate}

if __name__ == "__main__":
    with TemporaryDirectory() as home, web_server(Path(home)) as running:
        for name in sys.argv[1:] or PARTS:
            PARTS[name](running)
