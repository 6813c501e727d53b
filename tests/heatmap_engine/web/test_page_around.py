"""Around the board: runs, tabs, a killed server, small screens, colours, accessibility."""

import importlib.util
import json
import os
import signal
from pathlib import Path

import pytest
import selfplay_runs
from board_page import BoardPage
from selenium import webdriver
from web_server import web_server

pytestmark = pytest.mark.xdist_group("web page")


def test_a_run_is_watched_with_its_newest_game(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    selfplay_runs.go_on(selfplay_runs.created(folder, name="night"))
    with web_server(tmp_path / "home", "--no-table", "--runs", str(folder)) as server:
        page = BoardPage(chromium, server, "#/runs")
        page.complaints()
        page.until("document.getElementById('run-name').textContent === 'night'")
        assert "4 of 4 games" in page.one("#run-words").text
        assert page.all("#chart-results rect")
        assert page.all("#chart-speed circle")
        assert "curve" in page.one("#chart-strength").text
        page.until("/ply 2,/.test(document.getElementById('watched-words').textContent)")
        page.click("#watch-pause")
        at = page.one("#watched-words").text
        selfplay_runs.created(folder, name="another night")
        page.until("document.querySelectorAll('#runs button').length === 2")
        assert page.one("#watched-words").text == at
        assert "run=" not in page.chromium.current_url
        page.run(
            "[...document.querySelectorAll('#runs button')]"
            ".find(button => button.textContent.startsWith('another')).click()"
        )
        page.until("document.getElementById('run-name').textContent === 'another night'")
        assert "run=another+night" in page.chromium.current_url
        page.chromium.refresh()
        page.until("document.getElementById('run-name').textContent === 'another night'")
        page.chromium.back()
        page.run("[...document.querySelectorAll('#runs button')].at(-1).click()")
        page.until("document.getElementById('run-name').textContent === 'night'")
        page.until("/ply/.test(document.getElementById('watched-words').textContent)")
        page.click("#watch-explore")
        page.until("document.querySelectorAll('#tree .token').length > 4")
        assert page.complaints() == []


def test_two_tabs_do_not_disturb_each_other(explorer: BoardPage) -> None:
    explorer.drag("e2e4")
    explorer.until_fen("e2e4")
    first = explorer.chromium.current_window_handle
    explorer.chromium.switch_to.new_window("tab")
    try:
        explorer.open("#/explore")
        explorer.until_fen()
        explorer.drag("d2d4")
        explorer.until_fen("d2d4")
        explorer.press("a")
        explorer.until("document.querySelectorAll('#lines .value').length === 3")
        explorer.chromium.close()
    finally:
        explorer.chromium.switch_to.window(first)
    explorer.until_fen("e2e4")
    explorer.drag("e7e5")
    explorer.until_fen("e2e4", "e7e5")


def test_a_killed_server_is_said_and_comes_back(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    with web_server(tmp_path) as server:
        page = BoardPage(chromium, server)
        page.begin()
        page.until_my_move()
        server.kill()
        page.until("!document.getElementById('lost').hidden")
        page.drag("e2e4")  # played while nobody answers
        server.start()
        page.until("document.getElementById('lost').hidden")
        page.until("document.querySelectorAll('#game-moves .token').length === 2")
        page.until_my_move()
        assert page.texts("#game-moves .token")[0] == "e4"
        page.complaints()  # the browser's own, about the sockets it did not get
        chromium.get("about:blank")


def test_a_server_that_has_fallen_silent_is_noticed_by_whoever_comes_back(
    chromium: webdriver.Chrome, tmp_path: Path
) -> None:
    """As after a lid was closed: the socket is open, and nobody answers."""
    with web_server(tmp_path, "--no-table") as server:
        page = BoardPage(chromium, server, "#/explore")
        os.kill(server.pid, signal.SIGSTOP)
        try:
            page.run("document.dispatchEvent(new Event('visibilitychange'))")
            page.until("!document.getElementById('lost').hidden")
        finally:
            os.kill(server.pid, signal.SIGCONT)
        page.until("document.getElementById('lost').hidden")
        page.drag("e2e4")
        page.until_fen("e2e4")
        page.complaints()  # the browser's own, about the socket that it gave up
        chromium.get("about:blank")


@pytest.mark.parametrize(("width", "height"), [(320, 640), (390, 844), (820, 1180)])
def test_nothing_sticks_out_of_a_small_screen(page: BoardPage, width: int, height: int) -> None:
    page.chromium.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True},
    )
    try:
        for place in ("runs", "explore", "play"):
            page.run("location.hash = arguments[0]", f"#/{place}")
            page.until("document.body.dataset.place === arguments[0]", place)
            assert page.run("return document.documentElement.scrollWidth") <= width
            assert place == "runs" or page.one("#board").size["width"] >= min(width, 390) - 60
    finally:
        page.chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_follows_the_systems_colours(page: BoardPage, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        colour = page.one("body").value_of_css_property("background-color")
        assert (int(colour.partition("(")[2].split(",")[0]) < 60) == (scheme == "dark")
    finally:
        page.chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def axe_core() -> str:
    """The script that looks for faults of accessibility, from the package that ships it."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or not found.submodule_search_locations:
        if os.environ.get("CI"):
            pytest.fail("axe-playwright-python is not installed; it is in the extra `test`")
        pytest.skip("axe-playwright-python is not installed")
    return (Path(found.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


def faults(page: BoardPage) -> list[str]:
    """Serious faults of accessibility, each with where it is."""
    page.run(axe_core())
    text = page.chromium.execute_async_script(
        "const done = arguments[0]; axe.run().then(found => done(JSON.stringify(found.violations)))"
    )
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:200]}"
        for fault in json.loads(text)
        if fault["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(page: BoardPage, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        assert faults(page) == []
        page.begin()
        page.until_my_move()
        assert faults(page) == []
        page.open("#/explore?moves=e2e4+e7e5")
        page.until_fen("e2e4", "e7e5")
        page.press("a", "y")
        page.until("document.querySelectorAll('#why .parts li').length > 3")
        page.until("document.querySelectorAll('#lines .value').length === 3")
        assert faults(page) == []
        page.press("a")
        for tab in ("table", "game"):
            page.click(f"#tab-{tab}")
            assert faults(page) == []
        page.open("#/runs")
        page.until("document.body.dataset.place === 'runs'")
        assert faults(page) == []
    finally:
        page.chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
