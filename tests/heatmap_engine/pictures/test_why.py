"""A move and the end of its line as a picture, in both modes."""

from xml.etree import ElementTree

import chess
import pytest
from hypothesis import assume, given, settings
from strategies import boards

import heatmap_engine as he
from heatmap_engine.engines.mode import MODE_NAMES
from heatmap_engine.pictures.picture import Style
from heatmap_engine.pictures.why import why_page, why_picture

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("mode", MODE_NAMES)
@settings(max_examples=15)
@given(board=boards())
def test_every_move_has_a_picture(mode: str, board: chess.Board) -> None:
    assume(any(board.legal_moves))
    with he.Engine(mode=mode, record="off") as engine:
        why = engine.why(board, limits=he.Limits(depth=1))
    picture = why_picture(why, Style())
    svg = ElementTree.fromstring(picture.svg)
    assert len(svg.findall(f"{SVG}svg")) == 2
    written = "".join(svg.itertext())
    assert "None" not in written
    assert ("for White in all" in written) == (why.asked.change is not None)


def test_page_is_whole_and_names_the_move() -> None:
    with he.Engine(record="off") as engine:
        why = engine.why("startpos", chess.Move.from_uci("e2e4"), he.Limits(depth=2))
    page = why_page(why, Style())
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>Why 1. e4</title>" in page
    assert why_picture(why, Style()).svg in page
