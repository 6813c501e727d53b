"""Games on the page, by mouse, keyboard and clicks."""

from collections.abc import Callable

import chess
import pytest
from board_page import BoardPage
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from games.chess.archive import Archive
from heatmap_engine.engines.engine import Engine
from heatmap_engine.limits import Limits

pytestmark = pytest.mark.xdist_group("web page")


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


def test_an_answer_that_comes_while_one_explores_stays_in_its_game(page: BoardPage) -> None:
    page.begin()
    page.until_my_move()
    page.drag("e2e4")
    page.run("location.hash = '#/explore'")
    page.until("document.body.dataset.place === 'explore'")
    page.until("JSON.parse(sessionStorage.getItem('heatmap-engine-game')).tree.at.length === 2")
    page.until_fen()
    assert page.texts("#tree .token") == []
    page.drag("d2d4")
    page.until_fen("d2d4")
    page.run("location.hash = '#/play'")
    page.until_my_move()
    assert page.texts("#game-moves .token")[0] == "e4"
    assert len(page.texts("#game-moves .token")) == 2


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
