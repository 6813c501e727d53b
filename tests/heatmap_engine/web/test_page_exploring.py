"""Exploring on the page: analysis, table, why, texts, addresses."""

import time
from pathlib import Path

import pytest
from board_page import BoardPage
from hostile import HOSTILE
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

pytestmark = pytest.mark.xdist_group("web page")


FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


# A mate in one.
TWO_ROOKS = "7k/R7/1R6/8/8/8/8/K7 w - - 0 1"


def test_analysis_on_and_off_and_a_line_is_played_out(explorer: BoardPage) -> None:
    explorer.click("#analysis-on")
    explorer.until("document.querySelectorAll('#lines .value').length === 3")
    Select(explorer.one("#line-count")).select_by_visible_text("5")
    explorer.until("document.querySelectorAll('#lines .value').length === 5")
    explorer.until("document.querySelectorAll('#board .arrow').length === 3")
    assert explorer.one("#bar").is_displayed()
    name = explorer.texts("#lines li:first-child .token")[0].partition(" ")[2]
    explorer.run("document.querySelector('#lines li:first-child .token').click()")
    explorer.until("document.querySelectorAll('#tree .token').length === 1")
    assert explorer.texts("#tree .token") == [name]
    explorer.until("document.querySelectorAll('#lines .value').length === 5")
    explorer.press("a")
    explorer.until("document.querySelectorAll('#lines .value').length === 0")
    assert explorer.all("#board .arrow") == []


def test_a_hidden_page_lets_the_engine_rest(explorer: BoardPage) -> None:
    explorer.press("a")
    explorer.until("document.querySelectorAll('#lines .value').length === 3")
    explorer.run(
        "Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'));"
    )
    seen = -1
    while seen != (seen := explorer.run("return document.body.dataset.nodes")):
        time.sleep(1.0)
    explorer.run(
        "Object.defineProperty(document, 'hidden', {value: false, configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'));"
    )
    explorer.until("document.body.dataset.nodes !== arguments[0]", seen)
    explorer.press("a")


def test_the_tables_panel_shows_what_was_learned_and_leads_on(page: BoardPage) -> None:
    page.begin(fen=TWO_ROOKS)
    page.until_my_move()
    page.drag("b6b8")
    page.until("/Learned/.test(document.getElementById('learned').textContent)")
    page.click("#explore-game")
    page.until("document.body.dataset.place === 'explore'")
    page.press(Keys.HOME)
    page.until_fen(start=TWO_ROOKS)
    page.until("document.querySelectorAll('#rows tr.known').length > 0")
    assert page.one("#rows tr.known").get_attribute("data-uci") == "b6b8"
    assert page.all("#rows tr.unknown")
    assert "Rb8#" in page.one("#best-line").text
    assert page.texts("#rows tr.known:first-child td:nth-child(2)") == ["+#1"]
    page.run("document.querySelector('#rows tr.known .token').click()")
    page.until_fen("b6b8", start=TWO_ROOKS)


def test_why_in_words_bars_and_a_board(explorer: BoardPage) -> None:
    explorer.press("y")
    explorer.until("document.querySelectorAll('#why .parts li').length > 3")
    assert "number 1 of 20 moves" in explorer.one("#why h3").text
    assert len(explorer.all("#why svg.end rect[data-square]")) == 64


def test_pgn_in_variations_and_out(explorer: BoardPage) -> None:
    white = HOSTILE.replace('"', "")
    moves = "1. e4 {<b>best</b>} e5 (1... c5 2. Nf3) 2. Nf3?! {[%eval -0.5]} Nc6 {[%eval 0.2]} *"
    text = f'[White "{white}"]\n\n{moves}'
    explorer.click("#tab-game")
    explorer.run("document.getElementById('pgn').value = arguments[0]", text)
    explorer.click("#load")
    explorer.until("document.querySelectorAll('#tree .token').length === 6")
    assert explorer.texts("#tree .variation .token") == ["c5", "Nf3"]
    assert explorer.texts("#tree .comment") == ["<b>best</b>"]
    assert explorer.run("return document.body.dataset.hacked || null") is None
    assert explorer.one("#curve-figure").is_displayed()
    explorer.press(Keys.END)
    explorer.until_fen("e2e4", "e7e5", "g1f3", "b8c6")
    explorer.run("document.querySelector('#tree .variation .token').click()")
    explorer.until_fen("e2e4", "c7c5")
    explorer.click("#show-pgn")
    explorer.until("/c5/.test(document.getElementById('pgn').value)")
    assert "( 1... c5 2. Nf3 )" in explorer.one("#pgn").get_property("value")


def test_a_game_is_downloaded(explorer: BoardPage, tmp_path: Path) -> None:
    explorer.chromium.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    explorer.drag("e2e4")
    explorer.until_fen("e2e4")
    explorer.click("#tab-game")
    explorer.click("#download")
    file = tmp_path / "heatmap-engine.pgn"
    give_up = time.monotonic() + 60
    while not file.exists() and time.monotonic() < give_up:
        time.sleep(0.05)
    assert file.read_text().endswith("1. e4 *\n\n")


def test_a_text_is_pasted_and_dropped(explorer: BoardPage) -> None:
    fen = "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1"
    explorer.run(
        "const data = new DataTransfer(); data.setData('text', arguments[0]);"
        "document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true}));",
        fen,
    )
    explorer.until_fen(start=fen)
    explorer.run(
        "const data = new DataTransfer(); data.items.add(new File(['1. d4 d5 *'], 'a.pgn'));"
        "const how = {dataTransfer: data, bubbles: true, cancelable: true};"
        "document.body.dispatchEvent(new DragEvent('drop', how));"
    )
    explorer.until("document.querySelectorAll('#tree .token').length === 2")


def test_nonsense_is_said_to_be_none(explorer: BoardPage) -> None:
    explorer.click("#tab-game")
    explorer.run("document.getElementById('fen').value = 'nonsense'")
    explorer.click("#set-fen")
    explorer.until("/expected/.test(document.getElementById('game-trouble').textContent)")


def test_a_game_is_annotated_and_its_curve_leads_there(explorer: BoardPage) -> None:
    explorer.open("#/explore?moves=f2f3+e7e5+g2g4+d8h4")
    explorer.until_fen(*FOOLS_MATE)
    explorer.click("#tab-game")
    explorer.click("#annotate")
    explorer.until("/\\?\\?/.test(document.getElementById('tree').textContent)")
    explorer.until("/accurate/.test(document.getElementById('players').textContent)")
    assert explorer.all("#curve .marked")
    explorer.until("!document.getElementById('annotate').disabled")
    assert "[%eval" in explorer.one("#pgn").get_property("value")
    curve = explorer.one("#curve")
    explorer.run("arguments[0].scrollIntoView({block: 'center'})", curve)
    width = curve.size["width"]
    ActionChains(explorer.chromium).move_to_element_with_offset(
        curve, round(46 + 0.5 * (width - 56) - width / 2), 0
    ).click().perform()
    explorer.until_fen(*FOOLS_MATE[:2])


def test_the_address_holds_the_position(explorer: BoardPage) -> None:
    explorer.drag("e2e4")
    explorer.until_fen("e2e4")
    explorer.drag("c7c5")
    explorer.until_fen("e2e4", "c7c5")
    assert "moves=e2e4+c7c5" in explorer.chromium.current_url
    explorer.chromium.refresh()
    explorer.until_fen("e2e4", "c7c5")
    explorer.chromium.back()
    explorer.until_fen("e2e4")
    explorer.chromium.forward()
    explorer.until_fen("e2e4", "c7c5")


def test_an_address_that_leads_nowhere_is_said_to(explorer: BoardPage) -> None:
    explorer.open("#/explore?moves=e2e5")
    explorer.until("/leads to no position/.test(document.getElementById('trouble').textContent)")
