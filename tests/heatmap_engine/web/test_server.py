"""The server as programs see it: real sockets, good messages and broken ones, friends and strangers."""

import contextlib
import http.client
import json
import random
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import pytest
from web_server import WebServer, web_server
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from games.chess.archive import Archive
from games.chess.journal import learned_games
from heatmap_engine.board.heat import heatmap_by_piece
from qtable import QTable

pytestmark = pytest.mark.xdist_group("web server")

RUY_LOPEZ = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with web_server(tmp_path_factory.mktemp("home")) as running:
        yield running


class Page:
    """What a page's script sees: answers by number, and pushes."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._number = 0
        self.pushes: list[dict[str, Any]] = []
        self.hello = self._heard()

    def _heard(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._connection.recv(timeout=60))
        return found

    def send(self, do: str, **fields: Any) -> int:
        self._number += 1
        self._connection.send(json.dumps({"id": self._number, "do": do, **fields}))
        return self._number

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        number = self.send(do, **fields)
        return self.until(lambda heard: heard.get("re") == number)

    def until(self, is_meant: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        for push in self.pushes:
            if is_meant(push):
                self.pushes.remove(push)
                return push
        while not is_meant(heard := self._heard()):
            if "push" in heard:
                self.pushes.append(heard)
        return heard

    def push(self, name: str, **fields: Any) -> dict[str, Any]:
        return self.until(lambda heard: heard.get("push") == name and fields.items() <= heard.items())


@contextlib.contextmanager
def opened(server: WebServer, **more: Any) -> Iterator[Page]:
    with connect(
        f"ws://{server.host}/socket", origin=f"http://{server.host}", max_size=None, **more
    ) as connection:  # type: ignore[arg-type] # an Origin is a str
        yield Page(connection)


@pytest.fixture
def page(server: WebServer) -> Iterator[Page]:
    with opened(server) as found:
        yield found


def got(host: str, path: str, **headers: str) -> tuple[int, Any, str]:
    """Status, headers and text of what is at a path."""
    connection = http.client.HTTPConnection(host, timeout=30)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


# HTTP


def test_the_page_is_served_with_a_strict_policy(server: WebServer) -> None:
    status, headers, text = got(server.host, "/")
    assert status == 200
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "<script>" not in text
    assert "style=" not in text
    assert 'id="white-king"' in text


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "/../pyproject.toml", "/%2e%2e/server.py", "//main.js", "/index.html", "/main.js/"],
)
def test_nothing_else_has_an_address(server: WebServer, path: str) -> None:
    assert got(server.host, path)[0] == 404


def test_a_rebound_name_is_not_answered(server: WebServer) -> None:
    assert got(server.host, "/", Host="rebound.example")[0] == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None])
def test_a_page_of_the_internet_gets_no_socket(server: WebServer, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{server.host}/socket", origin=origin)  # type: ignore[arg-type] # an Origin is a str
    assert refused.value.response.status_code == 403


def test_broken_requests_do_not_hurt(server: WebServer) -> None:
    name, _, port = server.host.partition(":")
    for data in (b"\x00\xff\x00\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", b"G" * 20_000):
        with socket.create_connection((name, int(port)), timeout=30) as raw, contextlib.suppress(OSError):
            raw.sendall(data)
            raw.recv(100)
    assert got(server.host, "/")[0] == 200


# Questions


def test_hello_says_what_the_page_must_know(page: Page) -> None:
    assert page.hello["push"] == "hello"
    assert page.hello["mode"] == "deep"
    assert page.hello["learns"] is True
    low, high = page.hello["levels"]
    assert low < high


def test_a_position_has_its_legal_moves_and_what_they_lead_to(page: Page) -> None:
    found = page.ask("position", moves=RUY_LOPEZ)
    board = chess.Board()
    for move in RUY_LOPEZ:
        board.push_uci(move)
    assert found["fen"] == board.fen()
    assert {move[0] for move in found["legal"]} == {move.uci() for move in board.legal_moves}
    for uci, san, start, end, placement in found["legal"]:
        assert (san, start, end) == (
            board.san(board.parse_uci(uci)),
            chess.parse_square(uci[:2]),
            chess.parse_square(uci[2:4]),
        )
        board.push_uci(uci)
        assert placement == board.board_fen()
        board.pop()
    assert found["opening"] == "C60 Ruy Lopez"
    over = page.ask("position", moves=["f2f3", "e7e5", "g2g4", "d8h4"])
    assert (over["over"], over["result"], over["legal"]) == ("0-1, checkmate", "0-1", [])


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_heat_is_that_of_the_engine(page: Page, depth: int) -> None:
    board = chess.Board()
    for move in RUY_LOPEZ:
        board.push_uci(move)
    found = page.ask("heat", moves=RUY_LOPEZ, depth=depth)
    heat = heatmap_by_piece(board, depth)
    for name, color in (("white", chess.WHITE), ("black", chess.BLACK)):
        for kind in range(6):
            assert found[name][kind] == pytest.approx(heat[color][kind].tolist(), abs=0.0005)


def test_analysis_is_pushed_depth_by_depth_and_stops(page: Page) -> None:
    number = page.send("analyse", moves=RUY_LOPEZ, lines=2)
    depths = [page.push("analysis", asked=number)["depth"] for _ in range(2)]
    assert depths == sorted(depths)
    found = page.until(lambda heard: heard.get("asked") == number and heard["depth"] >= 4)
    assert len(found["lines"]) == 2
    best = found["lines"][0]
    assert sum(best["chances"]) == pytest.approx(1.0, abs=0.001)
    board = chess.Board()
    for move in [*RUY_LOPEZ, *(uci for uci, _ in best["line"])]:
        board.push_uci(move)  # legal, or it raises
    page.ask("stop")
    ended = page.until(lambda heard: heard.get("asked") == number and heard.get("ended", False))
    assert ended["nodes"] > 0


def test_a_newer_analysis_replaces_the_older_one(page: Page) -> None:
    old = page.send("analyse", moves=[])
    page.push("analysis", asked=old)
    new = page.send("analyse", moves=RUY_LOPEZ)
    page.push("analysis", asked=new)
    page.ask("stop")


def test_the_table_and_why_are_told(page: Page) -> None:
    table = page.ask("table", moves=RUY_LOPEZ)
    assert len(table["moves"]) == 30
    why = page.ask("why", moves=RUY_LOPEZ, move="a7a6")
    assert why["reason"]["san"] == "a6"
    assert why["reason"]["words"]
    assert len(why["reason"]["end"]["heat"]["white"]) == 64


def test_a_game_comes_and_goes_as_pgn(page: Page) -> None:
    headers = '[White "<script>alert(1)</script>"]\n[Black "\\"B\\" {x}"]'
    text = f"{headers}\n\n1. e4 {{[%eval 0.3] good}} e5 (1... c5! 2. Nf3) 2. Nf3 *"
    found = page.ask("read", text=text)
    assert [node[2] for node in found["nodes"]] == ["e4", "e5", "Nf3", "c5", "Nf3"]
    assert found["nodes"][0] == [0, "e2e4", "e4", "", "good", 30, None]
    assert found["nodes"][3][:4] == [1, "c7c5", "c5", "!"]
    assert found["headers"]["White"] == "<script>alert(1)</script>"
    nodes = [[node[0], node[1], *node[3:]] for node in found["nodes"]]
    pgn = page.ask("write", nodes=nodes, headers=found["headers"])["pgn"]
    again = page.ask("read", text=pgn)
    assert (again["nodes"], again["headers"]["Black"]) == (found["nodes"], '"B" {x}')


def test_a_fen_is_read_and_nonsense_is_not(page: Page) -> None:
    fen = "8/8/8/8/8/4k3/4p3/4K3 b - - 0 1"
    assert page.ask("read", text=f"  {fen}\n")["start"] == fen
    for text in ("", "nonsense", "8/8/8/8/8/8/8/8 w - - 0 1", "1. e4 e4"):
        assert (
            "expected" in page.ask("read", text=text)["error"]
            or "legal" in page.ask("read", text=text)["error"]
        )


def test_a_game_is_annotated_with_progress(page: Page) -> None:
    nodes = [[i, move] for i, move in enumerate(["f2f3", "e7e5", "g2g4", "d8h4"])]
    number = page.send("annotate", nodes=nodes, positions_nodes=2000)
    progress = page.push("annotation", asked=number)
    assert progress["of"] == 4
    found = page.until(lambda heard: heard.get("re") == number)
    assert found["is_whole"]
    marks = [node[3] for node in found["nodes"] if node[1] == "g2g4"]
    assert marks == ["??"]
    assert "[%eval" in found["pgn"]


def test_an_annotation_can_be_stopped(page: Page) -> None:
    moves = [move for _ in range(20) for move in ("g1f3", "g8f6", "f3g1", "f6g8")]
    number = page.send(
        "annotate", nodes=[[i, move] for i, move in enumerate(moves)], positions_nodes=1_000_000
    )
    page.push("annotation", asked=number)
    page.ask("stop annotation")
    assert page.until(lambda heard: heard.get("re") == number)["is_whole"] is False


# A game


def test_a_game_is_answered_kept_and_learned_once(server: WebServer, page: Page) -> None:
    reply = page.ask("reply", moves=["e2e4"], elo=1000, remaining_ms=3000, increment_ms=0)
    assert chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").parse_uci(reply["move"])
    moves = ["f2f3", "e7e5", "g2g4", "d8h4"]
    over = {"moves": moves, "colour": "white", "result": "0-1", "termination": "checkmate", "elo": 1000}
    kept = page.ask("over", **over)
    assert kept["archive"] == "~/.local/share/heatmap-engine/played.pgn"
    learned = page.push("learned", game=kept["game"])
    assert learned["changes"]["positions"] == 4
    assert len(learned["steps"]) == 4
    page.ask("over", **over)  # asked again after a socket was lost
    page.push("learned", game=kept["game"])
    games = [game for game in Archive(server.played) if game.moves == tuple(moves)]
    assert [(game.white, game.black, game.result, game.termination) for game in games] == [
        ("Player", "Heatmap Engine (1000)", "0-1", "checkmate")
    ]
    with QTable(server.table, readonly=True) as table:
        assert [game.record for game in learned_games(table.journal())].count(games[0]) == 1


def test_a_result_that_the_board_contradicts_is_refused(page: Page) -> None:
    over = {"moves": ["f2f3", "e7e5", "g2g4", "d8h4"], "colour": "white", "termination": "resignation"}
    assert "expected 0-1" in page.ask("over", result="1-0", **over)["error"]
    assert (
        "expected a game to end by"
        in page.ask("over", moves=["e2e4"], colour="white", result="1-0", termination="magic")["error"]
    )


def test_a_thinking_engine_can_be_hurried(page: Page) -> None:
    number = page.send("reply", moves=["e2e4"], remaining_ms=3_600_000)
    page.ask("hurry")
    assert page.until(lambda heard: heard.get("re") == number)["move"]


def test_hints_and_draws(page: Page) -> None:
    lost = "6k1/8/8/8/8/8/8/K6q w - - 0 1"
    assert page.ask("hint", start=lost)["move"]
    assert page.ask("draw", start=lost)["accepts"] is False
    won = "6k1/8/8/8/8/8/8/K6Q w - - 0 1"
    assert page.ask("draw", start=won)["accepts"] is True


# Broken messages and many of them


def test_broken_messages_get_an_error_and_nothing_dies(page: Page) -> None:
    random_source = random.Random(1)
    good = json.dumps({"id": 5, "do": "heat", "moves": ["e2e4"], "depth": 1})
    for _ in range(200):
        at = random_source.randrange(len(good))
        broken = (
            good[:at] + random_source.choice('{}[]",:x\x00\ud7ff9') + good[at + random_source.randrange(3) :]
        )
        page._connection.send(broken)
        answer = page.until(lambda heard: "re" in heard)
        assert "error" in answer or "white" in answer
    page._connection.send(b"\x00\x01")
    assert "got bytes" in page.until(lambda heard: "re" in heard)["error"]
    for start in ("8/8/8/8/8/8/8/8 w - - 0 1", "x", "", "9/8/8/8/8/8/8/K6k w - - 0 1"):
        assert "error" in page.ask("position", start=start)
    assert "error" in page.ask("position", moves=["e2e5"])
    assert "error" in page.ask("run", name="../../etc")
    assert "error" in page.ask("reply", elo=99999)
    assert page.ask("ping")["re"]


def test_what_is_too_large_closes_only_its_own_page(server: WebServer, page: Page) -> None:
    with opened(server) as other:
        with contextlib.suppress(ConnectionClosed):
            other._connection.send("x" * (2 << 20))
        with pytest.raises(ConnectionClosed):
            other._heard()
    assert page.ask("ping")["re"]


def memory_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def test_a_thousand_messages_at_once_are_answered_and_take_no_memory(server: WebServer) -> None:
    wanted = heatmap_by_piece(chess.Board(), 1)[chess.WHITE][0].tolist()
    before = 0
    for _ in range(2):
        with opened(server) as page:
            numbers = {page.send("heat") for _ in range(1000)}
            answered = set()
            while answered != numbers:
                heard = page._heard()
                assert heard["white"][0] == pytest.approx(wanted)
                answered.add(heard["re"])
        before = before or memory_kib(server.pid)
    assert memory_kib(server.pid) < before + 8 * 1024


def test_fifty_pages_at_once(server: WebServer) -> None:
    with contextlib.ExitStack() as stack:
        pages = [stack.enter_context(opened(server)) for _ in range(50)]
        numbers = [page.send("position", moves=RUY_LOPEZ[: i % 5]) for i, page in enumerate(pages)]
        for i, (page, number) in enumerate(zip(pages, numbers, strict=True)):
            fen = page.until(lambda heard, number=number: heard.get("re") == number)["fen"]
            board = chess.Board()
            for move in RUY_LOPEZ[: i % 5]:
                board.push_uci(move)
            assert fen == board.fen()
    with opened(server) as page:
        assert page.ask("ping")["re"]


def threads(pid: int) -> int:
    return len([*Path(f"/proc/{pid}/task").iterdir()])


def test_a_search_ends_with_its_page(server: WebServer) -> None:
    with opened(server) as page:
        page.push("analysis", asked=page.send("analyse"))
        during = threads(server.pid)
    for _ in range(600):
        if threads(server.pid) < during:
            return
        time.sleep(0.05)
    pytest.fail("the search of a page that was closed goes on")


# The command


def test_other_machines_need_the_token(tmp_path: Path) -> None:
    with web_server(tmp_path, "--host", "0.0.0.0", "--no-table") as server:
        token = server.address.partition("token=")[2]
        host = f"127.0.0.1:{server.host.rpartition(':')[2]}"
        assert got(host, "/")[0] == 403
        with pytest.raises(InvalidStatus):
            connect(f"ws://{host}/socket", origin=f"http://{host}")  # type: ignore[arg-type] # an Origin is a str
        status, headers, _ = got(host, f"/?token={token}")
        assert (status, headers["Location"]) == (303, "/")
        cookie = headers["Set-Cookie"].partition(";")[0]
        assert got(host, "/", Cookie=cookie)[0] == 200
        with connect(
            f"ws://{host}/socket",
            origin=f"http://{host}",  # type: ignore[arg-type] # an Origin is a str
            additional_headers={"Cookie": cookie},
        ) as connection:
            assert json.loads(connection.recv(timeout=30))["push"] == "hello"
        assert server.end() == 0


def test_classic_mode_plays_and_explores_too(tmp_path: Path) -> None:
    with web_server(tmp_path, "--mode", "classic") as server, opened(server) as page:
        assert (page.hello["mode"], page.hello["levels"]) == ("classic", None)
        assert "does not know what a piece is worth" in page.hello["caution"]
        assert page.ask("reply", moves=["e2e4"])["move"]
        page.push("analysis", asked=page.send("analyse", lines=3))
        assert "has no levels" in page.ask("reply", moves=["e2e4"], elo=1000)["error"]
        assert page.ask("why", moves=["e2e4"])["reason"]["words"]
