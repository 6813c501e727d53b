"""The page of a game: all in one file, all from reports, and nothing that a PGN could smuggle in."""

import base64
import hashlib
import json
import re
from functools import partial
from html.parser import HTMLParser
from random import Random
from typing import Any

import chess
import pytest
from hostile import HOSTILE, HOSTILE_IMAGE

import heatmap_engine as he
from games.chess.record import GameRecord
from heatmap_engine.pictures.game import PicturedGame, game_of
from heatmap_engine.pictures.page import game_page
from heatmap_engine.pictures.picture import Style
from qtable import Entry, QTable


class _Elements(HTMLParser):
    """Collects the elements of a page, and the text of each script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append((self.elements[-1][0] if self.elements else "", data))

    def scripts(self) -> list[str]:
        return [text for tag, text in self.texts if tag == "script" and text.strip()]


def pictured(*moves: str, record: GameRecord | None = None) -> PicturedGame:
    board = chess.Board()
    for move in moves:
        board.push_san(move)
    with he.Engine(mode="classic", record="off") as engine:
        return game_of(partial(engine.report, candidates=True), board, record)


def data_of(page: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_Elements(page).scripts()[0])
    return found


def long_game(plies: int) -> chess.Board:
    random = Random(3)
    while True:
        board = chess.Board()
        while len(board.move_stack) < plies and not board.is_game_over():
            board.push(random.choice(list(board.legal_moves)))
        if len(board.move_stack) == plies:
            return board


def test_page_says_what_the_reports_say() -> None:
    board = chess.Board()
    for move in ("e4", "e5", "Qh5"):
        board.push_san(move)
    with QTable.in_memory() as table, he.Engine(table, mode="classic", record="off") as engine:
        table.record({he.key_of(board): Entry(7.25, depth=2, source="search")})
        game = game_of(partial(engine.report, candidates=True), board)
    positions = data_of(game_page(game, Style()))["positions"]
    assert [position["score"] for position in positions] == [
        round(report.standing.static, 2) for report in game.reports
    ]
    assert [position["q"] for position in positions] == [None, None, None, -7.25]  # the table has the mover's
    for position, report in zip(positions, game.reports, strict=True):
        assert position["placement"] == report.board.board_fen()
        assert position["white"] == [round(value, 2) for value in report.heat[chess.WHITE].tolist()]
        assert position["black"] == [round(value, 2) for value in report.heat[chess.BLACK].tolist()]
        assert [row[:2] for row in position["moves"]] == [
            [candidate.move.uci(), report.board.san(candidate.move)] for candidate in report.candidates
        ]
        assert [row[2] for row in position["moves"]] == [
            round(candidate.score, 2) for candidate in report.candidates
        ]
        scores = {move.san: round(move.standing.static, 2) for move in report.moves}
        assert {row[1]: row[4] for row in position["moves"]} == scores
    (queen,) = (row for row in positions[2]["moves"] if row[1] == "Qh5")
    assert queen[3] == positions[3]["q"]  # the move before is known by where it leads


def test_page_needs_nothing_from_elsewhere() -> None:
    page = game_page(pictured("e4"), Style())
    for tag, attributes in _Elements(page).elements:
        assert tag not in {"iframe", "img", "object", "embed", "base"}
        for name in ("src", "href", "action", "xlink:href"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))
    assert "@import" not in page
    assert not re.search(r"\bfetch\(|XMLHttpRequest|\bimport\(|url\((?!#)", page)


def test_only_our_script_may_run() -> None:
    page = game_page(pictured(), Style())
    _, script = _Elements(page).scripts()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    ours = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{ours}'" in policy.group(1)
    assert "default-src 'none'" in policy.group(1)


def test_headers_of_a_game_stay_text() -> None:
    record = GameRecord(
        ("e2e4",), white=HOSTILE, black=HOSTILE_IMAGE, event=HOSTILE, site=HOSTILE_IMAGE, termination=HOSTILE
    )
    page = game_page(pictured("e4", record=record), Style())
    plain = game_page(pictured("e4"), Style())
    tags = [tag for tag, _ in _Elements(page).elements]
    assert tags == [tag for tag, _ in _Elements(plain).elements]
    assert data_of(page)["players"] == f"{HOSTILE} \N{EN DASH} {HOSTILE_IMAGE}"
    assert HOSTILE in data_of(page)["occasion"]
    title = [text for tag, text in _Elements(page).texts if tag == "title"]
    assert title[0] == f"{HOSTILE} \N{EN DASH} {HOSTILE_IMAGE}"


def test_all_positions_have_one_scale_for_each_side() -> None:
    game = pictured("e4", "e5", "Qh5", "Nc6", "Bc4")
    limits = data_of(game_page(game, Style()))["limits"]
    assert limits["white"] >= max(report.heat[chess.WHITE].max() for report in game.reports)
    assert limits["black"] >= max(report.heat[chess.BLACK].max() for report in game.reports)
    assert set(data_of(game_page(game, Style(limit=12.5)))["limits"].values()) == {12.5}


def test_eighty_plies_stay_small() -> None:
    with he.Engine(mode="classic", record="off") as engine:
        page = game_page(game_of(partial(engine.report, candidates=True), long_game(80)), Style())
    assert len(data_of(page)["positions"]) == 81
    assert len(page.encode()) < 3_000_000


@pytest.mark.parametrize("moves", [[], ["f3", "e5", "g4", "Qh4"]])
def test_a_position_and_a_finished_game_have_pages(moves: list[str]) -> None:
    positions = data_of(game_page(pictured(*moves), Style()))["positions"]
    assert len(positions) == len(moves) + 1
    assert bool(positions[-1]["moves"]) == (not moves)


def test_what_an_annotator_wrote_is_on_the_page() -> None:
    record = GameRecord(
        ("e2e4", "e7e5", "d1h5", "e8e7", "h5e5"),
        "1-0",
        tags={"WhiteAccuracy": "98", "BlackAccuracy": "40"},
        comments=("[%eval 0.20]", "", "[%clk 0:01:00] early <b>", "[%eval #1] Blunder: it is mated.", ""),
        marks=("", "!", "", "??", ""),
    )
    data = data_of(game_page(pictured("e4", "e5", "Qh5", "Ke7", "Qxe5#", record=record), Style()))
    found = [
        tuple(position.get(name) for name in ("mark", "evaluation", "note")) for position in data["positions"]
    ]
    assert found == [
        (None, None, None),
        (None, "+0.20", None),
        ("!", None, None),
        (None, None, "early <b>"),
        ("??", "#1", "Blunder: it is mated."),
        (None, None, None),
    ]
    assert "C20 King's Pawn Game: Wayward Queen Attack" in data["occasion"]
    assert data["occasion"].endswith("White 98 % accurate \u00b7 Black 40 % accurate")


def test_the_opening_that_the_file_names_is_shown() -> None:
    record = GameRecord(("e2e4",), tags={"ECO": "Z99", "Opening": "Mine"})
    assert data_of(game_page(pictured("e4", record=record), Style()))["occasion"] == "Z99 Mine"
    assert data_of(game_page(pictured("e4"), Style()))["occasion"] == "B00 King's Pawn Game"
