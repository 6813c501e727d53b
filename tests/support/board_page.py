"""The board in a real browser: what a person sees and does there."""

import time
from typing import Any

import chess
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from web_server import WebServer

# Only what hangs takes so long: no test depends on how fast anything is.
_HANGS_AFTER_S = 60.0


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
