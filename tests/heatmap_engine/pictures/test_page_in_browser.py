"""The page of a game as people use it: opened from disk in a real browser, by keyboard and by mouse."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import browser
import chess
import pytest
from hostile import HOSTILE, HOSTILE_IMAGE
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

import heatmap_engine as he
from games.chess.annotations import words_in
from games.chess.record import GameRecord
from heatmap_engine.drawing.palette import ORANGE_BLUE, Scale
from heatmap_engine.pictures.game import PicturedGame, game_of
from heatmap_engine.pictures.page import game_page
from heatmap_engine.pictures.picture import Style, side_heat
from heatmap_engine.pictures.values import shown_value

pytestmark = pytest.mark.xdist_group("browser")

OPENING = "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+"
MOVES = OPENING.split()


@pytest.fixture(scope="module")
def game() -> PicturedGame:
    board = chess.Board()
    for move in MOVES:
        board.push_san(move)
    record = GameRecord.from_board(board, white=HOSTILE, black=HOSTILE_IMAGE, event=HOSTILE, result="1-0")
    with he.Engine(mode="classic", record="off") as engine:
        return game_of(partial(engine.report, candidates=True), board, record)


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    with browser.headless_chromium() as page:
        yield page


class GamePage:
    """What a person sees and does on the page."""

    def __init__(self, chromium: webdriver.Chrome, path: Path) -> None:
        self.chromium = chromium
        chromium.get(path.as_uri())

    def one(self, selector: str) -> WebElement:
        return self.chromium.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.chromium.find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys: str) -> None:
        ActionChains(self.chromium).send_keys(*keys).perform()

    def run(self, code: str) -> Any:
        return self.chromium.execute_script(code)

    @property
    def ply(self) -> int:
        return int(self.run("return document.body.dataset.ply"))

    @property
    def title(self) -> str:
        return self.one("#position").text

    def fills(self) -> dict[int, str]:
        return {
            int(number): fill
            for number, fill in self.run(
                "return [...document.querySelectorAll('#board rect[data-square]')]"
                ".map(square => [square.dataset.square, square.getAttribute('fill')])"
            )
        }

    def numbers(self) -> list[str]:
        found: list[str] = self.run(
            "return [...document.querySelectorAll('#board .number')].map(number => number.textContent)"
        )
        return found

    def click_curve(self, ply: int) -> None:
        """Click into the curve, where a ply's value is drawn."""
        left, right, width = 46, 10, self.one("#curve").size["width"]
        x = left + ply / len(MOVES) * (width - left - right)
        ActionChains(self.chromium).move_to_element_with_offset(
            self.one("#curve"), round(x - width / 2), 5
        ).click().perform()


@pytest.fixture
def page(chromium: webdriver.Chrome, game: PicturedGame, tmp_path: Path) -> GamePage:
    path = tmp_path / "a game & more #1.html"
    path.write_text(game_page(game, Style()), encoding="utf-8")
    return GamePage(chromium, path)


def test_keys_go_forward_and_back(page: GamePage) -> None:
    assert (page.ply, page.title) == (0, "White to move")
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert (page.ply, page.title) == (3, "2. Nf3 \N{MIDDLE DOT} Black to move")
    page.press(Keys.ARROW_LEFT)
    assert page.ply == 2
    page.press(Keys.END)
    assert (page.ply, page.title) == (len(MOVES), "11. Bxb5+ \N{MIDDLE DOT} Black to move")
    page.press(Keys.ARROW_RIGHT)
    assert page.ply == len(MOVES)
    page.press(Keys.HOME, Keys.ARROW_LEFT)
    assert page.ply == 0


def test_buttons_go_forward_and_back(page: GamePage) -> None:
    for button, ply in (("next", 1), ("next", 2), ("previous", 1), ("last", len(MOVES)), ("first", 0)):
        page.one(f"#{button}").click()
        assert page.ply == ply
    assert not page.one("#previous").is_enabled()
    assert page.one("#next").is_enabled()


def test_keys_still_work_after_a_click_on_a_button(page: GamePage) -> None:
    page.one("#next").click()
    page.press(Keys.ARROW_RIGHT)
    assert page.ply == 2


def test_click_on_the_curve_jumps(page: GamePage) -> None:
    for ply in (10, len(MOVES), 5, 0):
        page.click_curve(ply)
        assert page.ply == ply


def test_click_on_a_move_jumps_and_marks_it(page: GamePage) -> None:
    page.one("#moves button[data-ply='6']").click()
    assert page.ply == 6
    assert [move.text for move in page.all("#moves button[aria-current]")] == ["Bg4"]
    assert [move.get_attribute("textContent") for move in page.all("#moves button")] == MOVES


@pytest.mark.parametrize("side", ["both", "white", "black"])
def test_squares_have_the_colours_of_the_svg_pictures(page: GamePage, game: PicturedGame, side: Any) -> None:
    page.one(f"button[data-side='{side}']").click()
    scale = Scale(ORANGE_BLUE, game.limit(side))
    for ply in (0, 9, len(MOVES)):
        page.one("#first").click()
        page.press(*[Keys.ARROW_RIGHT] * ply)
        heat = side_heat(game.reports[ply], side)
        drawn = page.fills()
        assert set(drawn) == set(chess.SQUARES)
        for square, fill in drawn.items():
            assert (
                distance(fill, scale.square_colour(heat[square], square)) <= 2
            )  # heat has two decimals here


def distance(one: str, other: str) -> int:
    parts = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (one, other)]
    return max(abs(a - b) for a, b in zip(*parts, strict=True))


def test_values_of_the_position_are_shown(page: GamePage, game: PicturedGame) -> None:
    page.press(*[Keys.ARROW_RIGHT] * 4)
    report = game.reports[4]
    score = f"{report.standing.static:+.2f}".replace("-", "\N{MINUS SIGN}")
    assert page.one("#values").text == f"score {score} \N{MIDDLE DOT} no table"
    assert [row.text for row in page.all("#candidates td:nth-child(2)")[:5]] == [
        report.board.san(candidate.move) for candidate in report.candidates[:5]
    ]
    played = page.all("#candidates tr.played td:nth-child(2)")
    assert [row.get_attribute("textContent") for row in played] == [MOVES[4]]


def test_a_deep_game_shows_whole_numbers_and_mates(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    board = chess.Board()
    for move in ("f3", "e5", "g4", "Qh4"):
        board.push_san(move)
    with he.Engine() as engine:
        game = game_of(partial(engine.report, candidates=True, limits=he.Limits(depth=3)), board)
    (tmp_path / "deep.html").write_text(game_page(game, Style()), encoding="utf-8")
    page = GamePage(chromium, tmp_path / "deep.html")
    found = shown_value(game.reports[0].score, game.reports[0].unit)
    assert "." not in found
    assert page.one("#values").text == f"value {found} \N{MIDDLE DOT} no table"
    page.press(*[Keys.ARROW_RIGHT] * 3)
    mate = "\N{MINUS SIGN}#1"
    assert page.one("#values").text == f"value {mate} \N{MIDDLE DOT} no table"
    cells = [cell.get_attribute("textContent") for cell in page.all("#candidates tr:first-child td")]
    assert cells == ["1", "Qh4#", mate, "\N{EN DASH}", mate]
    page.press(Keys.END)
    assert page.one("#values").text == "value \N{MINUS SIGN}# \N{MIDDLE DOT} no table"


def test_flip_turns_the_board(page: GamePage) -> None:
    def place_of_a1() -> tuple[str, str]:
        square = page.one("#board rect[data-square='0']")
        return square.get_attribute("x") or "", square.get_attribute("y") or ""

    assert place_of_a1() == ("15", "330")
    page.press("f")
    assert place_of_a1() == ("330", "15")
    page.one("#flip").click()
    assert place_of_a1() == ("15", "330")


def test_sides_are_chosen_by_mouse_and_by_key(page: GamePage) -> None:
    both = page.numbers()
    assert any(number.startswith("+") for number in both)
    page.one("button[data-side='white']").click()
    assert not any(number.startswith("+") for number in page.numbers())
    page.press("s")
    assert page.numbers() == both
    assert page.one("button[data-side='both']").get_attribute("aria-pressed") == "true"


def test_hostile_headers_do_nothing_and_are_shown_as_they_are(page: GamePage) -> None:
    assert page.one("#players").text == f"{HOSTILE} \N{EN DASH} {HOSTILE_IMAGE}"
    assert page.chromium.title == f"{HOSTILE} \N{EN DASH} {HOSTILE_IMAGE}"
    assert page.run("return document.body.dataset.hacked || null") is None
    assert page.all("img") == []


def test_nothing_is_asked_of_the_network_and_nothing_is_complained_about(page: GamePage) -> None:
    page.press(Keys.END)
    assert page.run("return performance.getEntriesByType('resource').map(entry => entry.name)") == []
    assert page.chromium.get_log("browser") == []  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(("width", "height"), [(320, 700), (390, 844), (768, 1024), (1280, 900)])
def test_nothing_sticks_out_of_the_page(page: GamePage, width: int, height: int) -> None:
    page.chromium.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True},
    )
    try:
        page.press(Keys.END)
        assert page.run("return document.documentElement.scrollWidth") <= width
        board = page.one("#board").size
        assert board["width"] == pytest.approx(board["height"], abs=1)
        assert board["width"] >= min(width, 300) - 20
    finally:
        page.chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_follows_the_systems_colours(page: GamePage, scheme: str) -> None:
    page.chromium.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    red = int(page.one("body").value_of_css_property("background-color").partition("(")[2].split(",")[0])
    assert (red < 60) == (scheme == "dark")
    page.chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_marks_and_notes_of_the_file_are_shown(
    chromium: webdriver.Chrome, game: PicturedGame, tmp_path: Path
) -> None:
    assert game.record is not None
    plies = len(MOVES)
    marks = ("",) * 5 + ("?",) + ("",) * (plies - 6)
    comments = (
        ("",) * 5 + (f"[%eval -1.25] {HOSTILE}".replace("{", "").replace("}", ""),) + ("",) * (plies - 6)
    )
    record = replace(game.record, marks=marks, comments=comments)
    path = tmp_path / "annotated.html"
    path.write_text(game_page(replace(game, record=record), Style()), encoding="utf-8")
    page = GamePage(chromium, path)
    assert page.one("#note").is_displayed()
    assert page.one("#note").text == ""
    assert page.one("#moves button[data-ply='6']").text == f"{MOVES[5]}?"
    assert len(page.all("#curve .marked")) == 1
    page.one("#moves button[data-ply='6']").click()
    assert page.title == f"3... {MOVES[5]}? \N{MIDDLE DOT} White to move"
    assert page.one("#values").text.endswith("in the file \u22121.25")
    assert " ".join(page.one("#note").text.split()) == words_in(comments[5])


def test_a_game_without_notes_has_no_room_for_them(page: GamePage) -> None:
    assert not page.one("#note").is_displayed()
    assert page.all("#curve .marked") == []
