"""The board itself: promotion, targets, touch, arrows, heat."""

import chess
import pytest
from board_page import BoardPage
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.xdist_group("web page")


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
