"""Makes the pictures of docs/guide/9-browser.md and of the README from the running program.

    python docs/make_board_screenshots.py

Needs Debian's chromium and chromium-driver, and the extra `test`. It plays a small run of self-play and its
curve first (about two minutes), then a game against a level, and takes pictures of what the page shows.
"""

import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import browser  # noqa: E402
from selenium import webdriver  # noqa: E402
from web_server import WebServer, web_server  # noqa: E402

IMAGES = Path(__file__).parent / "images"
PROGRAM = Path(sysconfig.get_path("scripts")) / "heatmap-engine"

# Kasparov - Topalov, Wijk aan Zee 1999, as far as the famous sacrifice.
IMMORTAL = (
    "e2e4 d7d6 d2d4 g8f6 b1c3 g7g6 c1e3 f8g7 d1d2 c7c6 f2f3 b7b5 g1e2 b8d7 e3h6 "
    "g7h6 d2h6 c8b7 a2a3 e7e5 e1c1 d8e7 c1b1 a7a6 e2c1 e8c8 c1b3 e5d4 d1d4 c6c5 "
    "d4d1 d7b6 g2g3 c8b8 b3a5 b7a8 f1h3 d6d5 h6f4 b8a7 h1e1 d5d4 c3d5 b6d5 e4d5 "
    "e7d6"
)
RUN = ("--games", "200", "--mode", "classic", "--plies", "1", "--seed", "7", "--checkpoints", "25,50,100,200")


class Camera:
    """A browser's window, and pictures of it."""

    def __init__(self, chromium: webdriver.Chrome, server: WebServer) -> None:
        self._chromium, self._server = chromium, server

    def look(self, width: int, height: int, *, dark: bool = False, mobile: bool = False) -> None:
        metrics = {
            "width": width,
            "height": height,
            "deviceScaleFactor": 2 if mobile else 1,
            "mobile": mobile,
        }
        self._chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def open(self, at: str) -> None:
        self._chromium.get("about:blank")
        self._chromium.get(f"http://{self._server.host}/{at}")
        self.until("document.body.dataset.connected")

    def run(self, code: str) -> object:
        return self._chromium.execute_script(code)

    def until(self, condition: str) -> None:
        give_up = time.monotonic() + 120
        while not self.run(f"return {condition}"):
            if time.monotonic() > give_up:
                raise SystemExit(f"waited too long for {condition}")
            time.sleep(0.05)

    def take(self, name: str) -> None:
        time.sleep(0.4)  # until bars have come to rest
        self._chromium.save_screenshot(str(IMAGES / name))
        print(IMAGES / name)  # noqa: T201


def explore(camera: Camera) -> None:
    camera.open(f"#/explore?moves={IMMORTAL.replace(' ', '+')}")
    camera.until("document.querySelectorAll('#rows tr').length > 5")
    camera.run("document.getElementById('analysis-on').click()")
    camera.until("Number(document.body.dataset.depth) >= 18")
    camera.run("document.getElementById('tab-why').click(); document.getElementById('why-best').click()")
    camera.until("document.querySelectorAll('#why .parts li').length > 3")
    camera.until("Number(document.body.dataset.depth) >= 18")
    camera.take("board-explore.png")


def play(camera: Camera) -> None:
    camera.open("#/play")
    camera.run("document.getElementById('elo').value = 700; document.getElementById('begin').click()")
    for move in ("e4", "Nf3", "Bc4", "d3"):
        camera.until("document.getElementById('game-state').textContent === 'Your move'")
        camera.run(
            f"document.getElementById('typed-move').value = '{move}';"
            "document.getElementById('typed').requestSubmit();"
        )
        camera.until("document.getElementById('game-state').textContent !== 'Your move'")
    camera.until("document.getElementById('game-state').textContent === 'Your move'")


def learn(camera: Camera) -> None:
    camera.run("document.getElementById('resign').click()")
    camera.until("/Learned/.test(document.getElementById('learned').textContent)")
    camera.until("document.querySelectorAll('#learned li button').length > 0")
    camera.run("document.querySelector('#learned li button').click()")
    camera.until("document.querySelectorAll('#board .arrow').length > 0")


def watch(camera: Camera) -> None:
    camera.open("#/runs")
    camera.until("document.querySelectorAll('#chart-strength circle').length > 2")
    camera.until("/ply 1[0-9]/.test(document.getElementById('watched-words').textContent)")
    camera.take("board-runs.png")


def with_run(folder: Path, take: Callable[[Path], None]) -> None:
    run = folder / "runs" / "first night"
    table = folder / "learned.table"
    subprocess.run([PROGRAM, "selfplay", "--run", run, "--table", table, *RUN], check=True)
    subprocess.run([PROGRAM, "curve", run, "--games", "30"], check=True)
    take(folder)


def take_all(folder: Path) -> None:
    with (
        web_server(folder / "home", "--runs", str(folder / "runs")) as server,
        browser.headless_chromium() as chromium,
    ):
        camera = Camera(chromium, server)
        camera.look(1320, 860)
        explore(camera)
        watch(camera)
        camera.look(1320, 860, dark=True)
        play(camera)
        learn(camera)
        camera.take("board-play.png")
        camera.look(390, 844, mobile=True)
        camera.run("sessionStorage.clear()")
        camera.open("#/explore?moves=e2e4+e7e5+g1f3+b8c6+f1b5")
        camera.run("document.getElementById('analysis-on').click()")
        camera.until("document.querySelectorAll('#lines .value').length === 3")
        camera.run("scrollTo(0, 0)")
        camera.take("board-phone.png")


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        with_run(Path(made), take_all)
