"""A browser, and a server for it, for all tests of the page; they run in one process."""

from collections.abc import Iterator

import browser
import pytest
from board_page import BoardPage
from selenium import webdriver
from web_server import WebServer, web_server


@pytest.fixture(scope="session")
def board_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    home = tmp_path_factory.mktemp("home")
    with web_server(home) as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[webdriver.Chrome]:
    with browser.headless_chromium() as page:
        yield page


@pytest.fixture
def page(chromium: webdriver.Chrome, board_server: WebServer) -> Iterator[BoardPage]:
    found = BoardPage(chromium, board_server)
    found.complaints()
    yield found
    assert found.complaints() == []


@pytest.fixture
def explorer(page: BoardPage) -> BoardPage:
    page.open("#/explore")
    page.until("document.body.dataset.place === 'explore'")
    page.until_fen()
    return page
