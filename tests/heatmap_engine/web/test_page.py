"""The board in a real browser, as people use it: by mouse, keyboard and touch, on a desk and on a phone."""

import importlib.util
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import browser
import chess
import pytest
import selfplay_runs
from hostile import HOSTILE
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select
from web_server import WebServer, web_server

from games.chess.archive import Archive
from heatmap_engine.engines.engine import Engine
from heatmap_engine.limits import Limits

pytestmark = pytest.mark.xdist_group("web page")

# Only what hangs takes so long: no test depends on how fast anything is.
_HANGS_AFTER_S = 60.0

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    home = tmp_path_factory.mktemp("home")
    with web_server(home) as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    with browser.headless_chromium() as page:
        yield page


class BoardPage:
    """What a person sees and does."""

    def __init__(self, chromium: webdriver.Chrome, server: WebServer, at: str = "#/play") -> None:
        self.chromium = chromium
        self.server = server
        chromium.get(f"http://{server.host}/style.css")  # where no script keeps anything
        self.run("sessionStorage.clear(); localStorage.clear();")
        self.open(at)

    def open(self, at: str) -> None:
        self.chromium.get("about:blank")
        self.chromium.get(f"http://{self.server.host}/{at}")
        self.until("document.body.dataset.connected")

    def run(self, code: str, *arguments: Any) -> Any:
        return self.chromium.execute_script(code, *arguments)

    def until(self, condition: str, *arguments: Any) -> Any:
        """Wait until this is true."""
        give_up = time.monotonic() + _HANGS_AFTER_S
        while not (found := self.run(f"return {condition}", *arguments)):
            assert time.monotonic() < give_up, f"{condition}: {self.run('return document.body.innerText')}"
            time.sleep(0.03)
        return found

    def one(self, selector: str) -> WebElement:
        return self.chromium.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.chromium.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map(each => each.textContent)", selector
        )
        return found

    def click(self, selector: str) -> None:
        self.run("arguments[0].scrollIntoView({block: 'center'})", self.one(selector))
        self.one(selector).click()

    def press(self, *keys: str) -> None:
        ActionChains(self.chromium).send_keys(*keys).perform()

    def place(self, square: str) -> tuple[int, int]:
        """The middle of a square, from the middle of the board."""
        index, size = chess.parse_square(square), self.one("#board").size["width"] / 390
        column, row = chess.square_file(index), 7 - chess.square_rank(index)
        if self.run("return document.getElementById('flip').getAttribute('aria-pressed')") == "true":
            column, row = 7 - column, 7 - row
        return round((15 + 45 * column + 22.5 - 195) * size), round((15 + 45 * row + 22.5 - 195) * size)

    def drag(self, move: str) -> None:
        board = self.one("#board")
        actions = ActionChains(self.chromium).move_to_element_with_offset(board, *self.place(move[:2]))
        actions.click_and_hold().move_to_element_with_offset(
            board, *self.place(move[2:4])
        ).release().perform()

    def click_square(self, square: str) -> None:
        board = self.one("#board")
        ActionChains(self.chromium).move_to_element_with_offset(board, *self.place(square)).click().perform()

    def click_move(self, move: str) -> None:
        self.click_square(move[:2])
        self.click_square(move[2:4])

    def until_fen(self, *moves: str, start: str | None = None) -> None:
        board = chess.Board() if start is None else chess.Board(start)
        for move in moves:
            board.push_uci(move)
        self.until("document.body.dataset.fen === arguments[0]", board.fen())

    @property
    def board(self) -> chess.Board:
        return chess.Board(self.until("document.body.dataset.fen"))

    def begin(self, *, elo: int = 600, colour: str = "white", fen: str = "") -> None:
        """Begin a game, as with the form."""
        self.run(
            "document.getElementById('elo').value = arguments[0];"
            "document.querySelector(`[name=colour][value=${arguments[1]}]`).checked = true;"
            "document.getElementById('start-fen').value = arguments[2];",
            elo,
            colour,
            fen,
        )
        self.click("#begin")
        self.until("!document.getElementById('game-panel').hidden")

    def until_my_move(self) -> None:
        self.until("document.getElementById('game-state').textContent === 'Your move'")

    def complaints(self) -> list[Any]:
        found: list[Any] = self.chromium.get_log("browser")  # type: ignore[no-untyped-call]
        return found


@pytest.fixture
def page(chromium: webdriver.Chrome, server: WebServer) -> Iterator[BoardPage]:
    found = BoardPage(chromium, server)
    found.complaints()
    yield found
    assert found.complaints() == []


@pytest.fixture
def explorer(page: BoardPage) -> BoardPage:
    page.open("#/explore")
    page.until("document.body.dataset.place === 'explore'")
    page.until_fen()
    return page


# Playing


def play_to_the_end(page: BoardPage, make: Callable[[str], None]) -> None:
    """Play the engine's own moves against a level, each made in this way, until the game is over."""
    with Engine(record="off") as engine:
        while True:
            page.until(
                "document.body.dataset.game === 'over'"
                " || document.getElementById('game-state').textContent === 'Your move'"
            )
            if page.run("return document.body.dataset.game") == "over":
                return
            make(engine.pick_move(page.board, Limits(depth=8)).move.uci())


# A few moves to mate, whatever is answered.
LADDER = "8/8/8/8/4k3/8/R7/1R2K3 w - - 0 1"
# A mate in one.
TWO_ROOKS = "7k/R7/1R6/8/8/8/8/K7 w - - 0 1"


def test_a_whole_game_by_mouse_is_kept_and_learned(page: BoardPage) -> None:
    page.begin(fen=LADDER)
    play_to_the_end(page, page.drag)
    assert page.one("#game-state").text == "1-0, checkmate"
    page.until("/Learned: /.test(document.getElementById('learned').textContent)")
    games = [game for game in Archive(page.server.played) if game.start == LADDER]
    assert [(game.result, game.white) for game in games] == [("1-0", "Player")]
    assert len(games[0].moves) == len(page.texts("#game-moves .token")) > 4


def test_what_was_learned_is_shown_on_the_board(page: BoardPage) -> None:
    for _ in range(2):  # what is known before can change
        page.begin(fen="7k/5Q2/6K1/8/8/8/8/8 w - - 0 1")
        page.until_my_move()
        page.drag("f7f1")
        page.until("document.querySelectorAll('#game-moves .token').length === 2")
        page.until_my_move()
        page.click("#resign")
        page.until("/Learned/.test(document.getElementById('learned').textContent)")
        page.until("document.querySelectorAll('#learned li button').length > 0")
        if page.texts("#learned li button")[0].startswith("At the start"):
            break
        page.click("#again")
    page.run("document.querySelector('#learned li button').click()")
    page.until("document.querySelectorAll('#board .arrow').length > 0")
    assert "best Q" in page.texts("#learned li button")[0]


def test_a_game_of_many_moves_by_clicks_take_back_hint_and_resignation(page: BoardPage) -> None:
    page.begin(elo=600)
    page.until_my_move()
    page.click_move("e2e4")
    page.until("document.querySelectorAll('#game-moves .token').length === 2")
    page.until_my_move()
    page.click("#hint")
    page.until("document.getElementById('game-answer').textContent.startsWith('Hint: ')")
    page.until("document.querySelectorAll('#board .arrow').length === 1")
    page.click("#take-back")
    page.until_fen()
    page.until_my_move()
    assert page.texts("#game-moves .token") == []
    page.click_move("d2d4")
    page.until("document.querySelectorAll('#game-moves .token').length === 2")
    page.until_my_move()
    page.click("#offer-draw")
    page.until(
        "/declines/.test(document.getElementById('game-answer').textContent)"
        " || document.body.dataset.game === 'over'"
    )
    if page.run("return document.body.dataset.game") != "over":
        page.click("#resign")
    page.until("document.body.dataset.game === 'over'")
    page.until("/Learned/.test(document.getElementById('learned').textContent)")


def steps(start: str, end: str) -> list[str]:
    """Arrow keys from one square to another, as White sees the board."""
    one, other = chess.parse_square(start), chess.parse_square(end)
    across = chess.square_file(other) - chess.square_file(one)
    up = chess.square_rank(other) - chess.square_rank(one)
    keys = [Keys.ARROW_RIGHT if across > 0 else Keys.ARROW_LEFT] * abs(across)
    return keys + [Keys.ARROW_UP if up > 0 else Keys.ARROW_DOWN] * abs(up)


def test_a_whole_game_by_keyboard(page: BoardPage) -> None:
    page.begin(fen=LADDER)
    page.run("document.getElementById('board').focus()")
    page.press(Keys.ARROW_UP)  # the cursor comes up on e1
    at = ["e1"]

    def make(move: str) -> None:
        page.press(*steps(at[0], move[:2]), Keys.ENTER, *steps(move[:2], move[2:4]), Keys.ENTER)
        at[0] = move[2:4]

    play_to_the_end(page, make)
    assert page.one("#game-state").text == "1-0, checkmate"


def test_moves_can_be_typed(page: BoardPage) -> None:
    page.begin()
    page.until_my_move()
    page.press("/", "Nf9", Keys.ENTER)
    assert not page.run("return document.getElementById('typed-move').checkValidity()")
    page.one("#typed-move").clear()
    page.one("#typed-move").send_keys("Nf3", Keys.ENTER)
    page.until("document.querySelectorAll('#game-moves .token').length === 2")
    assert page.texts("#game-moves .token")[0] == "Nf3"


def test_black_begins_below_and_the_engine_first(page: BoardPage) -> None:
    page.begin(colour="black")
    page.until_my_move()
    assert page.one("#lower-player .name").text == "You"
    assert page.one("#board rect[data-square='0']").get_attribute("x") == "330"
    assert len(page.texts("#game-moves .token")) == 1


def test_a_clock_runs_out(page: BoardPage) -> None:
    Select(page.one("#clock")).select_by_value("1+0")
    page.begin()
    page.until_my_move()
    page.drag("e2e4")
    page.until("document.querySelectorAll('#game-moves .token').length === 2")
    page.until_my_move()
    assert page.one("#lower-player .clock").text.startswith(("0:", "1:"))
    # A minute is not waited for: the page's own clock is set forward.
    page.run("const now = performance.now.bind(performance); performance.now = () => now() + 61000;")
    page.until("document.body.dataset.game === 'over'")
    assert page.one("#game-state").text == "0-1, time forfeit"


def test_a_game_outlives_a_reload(page: BoardPage) -> None:
    page.begin()
    page.until_my_move()
    page.drag("e2e4")
    page.until("document.querySelectorAll('#game-moves .token').length === 2")
    moves = page.texts("#game-moves .token")
    page.chromium.refresh()
    page.until("document.body.dataset.connected")
    page.until_my_move()
    assert page.texts("#game-moves .token") == moves


def test_play_again_from_here(page: BoardPage) -> None:
    page.begin()
    page.until_my_move()
    page.drag("e2e4")
    page.until("document.querySelectorAll('#game-moves .token').length === 2")
    page.until_my_move()
    page.click("#resign")
    page.until("document.body.dataset.game === 'over'")
    fen = page.board.fen()
    page.click("#from-here")
    page.until("document.body.dataset.game !== 'over'")
    page.until_fen(start=fen)
    page.until_my_move()


# The board


def test_promotion_asks_for_which_piece(explorer: BoardPage) -> None:
    start = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
    explorer.open(f"#/explore?fen={start.replace(' ', '+')}")
    explorer.until_fen(start=start)
    explorer.drag("a7a8")
    explorer.until("document.querySelectorAll('#promotion button').length === 4")
    explorer.press(Keys.ESCAPE)
    explorer.until("document.getElementById('promotion').hidden")
    explorer.until_fen(start=start)
    explorer.click_move("a7a8")
    explorer.click("[data-promotion='n']")
    explorer.until_fen("a7a8n", start=start)


def test_legal_targets_are_shown(explorer: BoardPage) -> None:
    explorer.click_square("b1")
    targets = {
        chess.square_name(int(target.get_attribute("data-target") or -1))
        for target in explorer.all("#board .target")
    }
    assert targets == {"a3", "c3"}
    explorer.click_square("b1")
    assert explorer.all("#board .target") == []


def test_touch_moves(explorer: BoardPage) -> None:
    middle = explorer.run(
        "const box = document.getElementById('board').getBoundingClientRect();"
        "return [box.left + box.width / 2, box.top + box.height / 2]"
    )

    def touched(kind: str, square: str | None = None) -> None:
        points = []
        if square is not None:
            across, down = explorer.place(square)
            points = [{"x": middle[0] + across, "y": middle[1] + down}]
        explorer.chromium.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touched("touchStart", "e2")
    touched("touchMove", "e4")
    touched("touchEnd")
    explorer.until_fen("e2e4")


_RIGHT_DRAG = """
const [board, from, to] = arguments;
const box = board.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
const at = (kind, [dx, dy]) => board.dispatchEvent(
    new PointerEvent(kind, {button: 2, clientX: x + dx, clientY: y + dy, bubbles: true}));
at('pointerdown', from);
at('pointerup', to);
"""


def test_arrows_of_ones_own_and_flipping(explorer: BoardPage) -> None:
    explorer.run(_RIGHT_DRAG, explorer.one("#board"), explorer.place("e2"), explorer.place("e4"))
    assert len(explorer.all("#board .arrow")) == 1
    explorer.press("f")
    assert explorer.one("#board rect[data-square='0']").get_attribute("x") == "330"


def test_heat_is_switched_by_keys(explorer: BoardPage) -> None:
    def fill(square: str) -> str:
        return (
            explorer.one(f"#board rect[data-square='{chess.parse_square(square)}']").get_attribute("fill")
            or ""
        )

    explorer.until("document.querySelectorAll('#board .king-box').length === 4")
    hot = fill("f3")
    assert hot != fill("d3")
    explorer.press("h")
    explorer.until("document.querySelectorAll('#board .king-box').length === 0")
    plain = fill("f3")
    assert hot != plain
    explorer.press("h", "k")
    explorer.until("document.querySelectorAll('#board .king-box').length === 0")
    explorer.press("2")  # without knights f3 is as hot as d3
    assert fill("f3") == fill("d3")
    explorer.press("2", "n")
    explorer.until("document.querySelectorAll('#board .number').length > 8")
    explorer.press("s")
    explorer.until("document.querySelector('[data-side=black]').getAttribute('aria-pressed') === 'true'")
    explorer.press("d")
    explorer.until("document.querySelector('[data-depth=\"2\"]').getAttribute('aria-pressed') === 'true'")
    ActionChains(explorer.chromium).move_to_element_with_offset(
        explorer.one("#board"), *explorer.place("f3")
    ).perform()
    explorer.until(
        "/^f3: White [0-9.]+, Black [0-9.]+$/.test(document.getElementById('hovered').textContent)"
    )


# Exploring


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


# Watching


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


# Around


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


@pytest.mark.parametrize("place", ["play", "explore", "runs"])
@pytest.mark.parametrize(("width", "height"), [(320, 640), (390, 844), (820, 1180)])
def test_nothing_sticks_out_of_a_small_screen(page: BoardPage, width: int, height: int, place: str) -> None:
    page.chromium.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True},
    )
    try:
        page.open(f"#/{place}")
        page.until("document.body.dataset.place === arguments[0]", place)
        assert page.run("return document.documentElement.scrollWidth") <= width
        if place != "runs":
            assert page.one("#board").size["width"] >= min(width, 390) - 60
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
