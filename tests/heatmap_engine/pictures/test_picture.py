"""A picture shows what its report says: fills, numbers, boxes, arrows, words; as SVG and as PNG."""

import io
import itertools
import subprocess
import sys
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import chess
import console
import pytest
from hypothesis import given, settings
from PIL import Image, ImageFont
from strategies import boards

import heatmap_engine as he
from heatmap_engine.drawing.palette import ORANGE_BLUE, Scale, rgb
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.pictures.arrows import different_arrows, placed_arrows
from heatmap_engine.pictures.picture import Picture, Style, picture_of
from heatmap_engine.pictures.raster import IN_THE_FONT
from heatmap_engine.pictures.shapes import SQUARE, corner
from heatmap_engine.reports.report import Report
from qtable import Entry, QTable

RUY_LOPEZ = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
SVG = "{http://www.w3.org/2000/svg}"


def report_on(board: chess.Board | str) -> Report:
    with he.Engine(mode="classic", record="off") as engine:
        return engine.report(board, candidates=True)


def parsed(picture: Picture) -> Element:
    return ElementTree.fromstring(picture.svg)


def part(svg: Element, name: str) -> Element:
    found = svg.find(f".//{SVG}g[@class='{name}']")
    assert found is not None, f"no {name}"
    return found


def words(element: Element) -> list[str]:
    return ["".join(text.itertext()) for text in element.iter(f"{SVG}text")]


def fills(svg: Element, bottom: chess.Color = chess.WHITE) -> dict[chess.Square, str]:
    """The fill of each square: the last rectangle drawn at its place before anything else."""
    places = {corner(square, bottom): square for square in chess.SQUARES}
    found = {}
    for rectangle in svg.findall(f"{SVG}rect"):
        place = float(rectangle.get("x", 0)), float(rectangle.get("y", 0))
        if place in places and rectangle.get("class") != "check":
            found[places[place]] = rectangle.get("fill", "")
    return found


@pytest.mark.parametrize("flip", [False, True])
def test_squares_are_filled_by_the_reports_heat(flip: bool) -> None:
    report = report_on(RUY_LOPEZ)
    scale = Scale(ORANGE_BLUE, 5.0)
    expected = {
        "both": report.heat[chess.WHITE] - report.heat[chess.BLACK],
        "white": report.heat[chess.WHITE],
        "black": -report.heat[chess.BLACK],
    }
    for side, heat in expected.items():
        svg = parsed(he.picture(report, side=side, limit=5.0, flip=flip))  # type: ignore[arg-type]
        drawn = fills(svg, chess.BLACK if flip else chess.WHITE)
        assert drawn == {square: scale.square_colour(heat[square], square) for square in chess.SQUARES}


def test_numbers_are_those_of_the_report() -> None:
    report = report_on(RUY_LOPEZ)
    black = words(part(parsed(he.picture(report, side="black", arrows="none")), "numbers"))
    assert black == [f"{value:.1f}" for value in report.heat[chess.BLACK] if value >= 0.05]
    both = words(part(parsed(he.picture(report, arrows="none")), "numbers"))
    heat = report.heat[chess.WHITE] - report.heat[chess.BLACK]
    assert both == [f"{value:+.1f}".replace("-", "\N{MINUS SIGN}") for value in heat if abs(value) >= 0.05]


def test_king_boxes_are_outlined_where_the_report_has_them() -> None:
    report = report_on("8/8/8/8/8/8/6k1/K7 w - - 0 1")
    outlines = list(part(parsed(he.picture(report)), "king-boxes").iter(f"{SVG}polygon"))
    drawn = {}
    for outline in outlines:
        points = [tuple(map(float, point.split(","))) for point in outline.get("points", "").split()]
        drawn[outline.get("stroke", "")] = min(points), max(points)
    for color, squares in report.king_boxes.items():
        (left, top), (right, low) = drawn[ORANGE_BLUE.inks[color]]
        for square in chess.SQUARES:
            x, y = corner(square, chess.WHITE)
            is_inside = left < x + SQUARE / 2 < right and top < y + SQUARE / 2 < low
            assert is_inside == (square in squares)


def test_arrows_are_the_best_moves_with_their_values() -> None:
    report = report_on(RUY_LOPEZ)
    svg = parsed(he.picture(report))
    assert len(part(svg, "candidates")) == 3
    best = [
        (report.board.san(candidate.move), f"{candidate.score:+.2f}".replace("-", "\N{MINUS SIGN}"))
        for candidate in report.candidates[:3]
    ]
    assert sorted(words(part(svg, "values"))) == sorted(value for _, value in best)
    assert words(part(svg, "moves")) == [f"{i} {san} {value}" for i, (san, value) in enumerate(best, 1)]
    without = parsed(he.picture(report, arrows="none"))
    assert not part(without, "candidates")
    assert without.find(f".//{SVG}g[@class='moves']") is None


def test_of_promotions_to_one_square_only_the_best_has_an_arrow() -> None:
    # Four arrows lay on top of each other, and so did their values.
    report = report_on("8/2P2k2/8/3K4/8/8/6p1/8 w - - 0 1")
    moves = different_arrows(report.outlook)
    assert [move.san for move in moves[:1]] == ["c8=Q"]
    assert len({(move.move.from_square, move.move.to_square) for move in moves}) == 3


def test_values_of_the_table_are_shown_as_such() -> None:
    board = chess.Board()
    after = board.copy()
    after.push_san("a3")
    with QTable.in_memory() as table, he.Engine(table, mode="classic", record="off") as engine:
        table.record(
            {
                he.key_of(board): Entry(12.5, depth=2, source="search"),
                he.key_of(after): Entry(-33.25, depth=1, source="search"),
            }
        )
        svg = parsed(he.picture(engine.report(board)))
    assert words(part(svg, "moves"))[0] == "1 a3 +33.25 table"
    assert "mode classic, Q-value +12.50" in words(part(svg, "header"))


@pytest.mark.parametrize(
    ("fen", "moves", "title"),
    [
        ("startpos", [], "White to move"),
        ("startpos", ["e4"], "1. e4 \N{MIDDLE DOT} Black to move"),
        ("startpos", ["e4", "e5"], "1... e5 \N{MIDDLE DOT} White to move"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", [], "1-0, checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", [], "1/2-1/2, stalemate"),
        ("7k/8/8/8/8/8/8/KB6 w - - 0 1", [], "1/2-1/2, insufficient material"),
    ],
)
def test_header_says_what_happened(fen: str, moves: list[str], title: str) -> None:
    board = chess.Board() if fen == "startpos" else chess.Board(fen)
    for move in moves:
        board.push_san(move)
    report = report_on(board)
    for width in (640, 300):
        assert words(part(parsed(he.picture(report, width=width)), "header"))[0] == title


@pytest.mark.parametrize("width", [300, 640])
def test_long_words_stay_beside_each_other(width: int) -> None:
    # "1/2-1/2, threefold repetition" ran into the score, and a long move's value into the next move.
    board = chess.Board("6nk/8/8/8/8/8/8/KN6 w - - 0 130")
    for _ in range(2):
        for move in ("b1c3", "g8f6", "c3b1", "f6g8"):
            board.push_uci(move)
    for report in (report_on(board), report_of_known_moves("2r3n1/kP1P3P/8/8/8/8/6K1/8 w - - 0 1")):
        svg = parsed(he.picture(report, width=width))
        for name in ("header", "moves"):
            row = svg.find(f".//{SVG}g[@class='{name}']")
            for one, other in itertools.pairwise(sorted(row if row is not None else [], key=place_of)):
                if one.get("y") == other.get("y"):
                    assert extent(one)[1] < extent(other)[0]


def report_of_known_moves(fen: str) -> Report:
    """Every move is known, with a value as long as values get."""
    board = chess.Board(fen)
    entries = {}
    for number, move in enumerate(board.legal_moves):
        board.push(move)
        entries[he.key_of(board)] = Entry(-1024.5 - number, depth=1, source="search")
        board.pop()
    with QTable.in_memory() as table, he.Engine(table, mode="classic", record="off") as engine:
        table.record(entries)
        return engine.report(board, candidates=True)


def place_of(text: Element) -> float:
    return float(text.get("x", 0))


def extent(text: Element) -> tuple[float, float]:
    """Where a text begins and ends, in a font a tenth wider than ours."""
    size, x = float(text.get("font-size", 0)), place_of(text)
    length = ImageFont.load_default(100).getlength("".join(text.itertext()).translate(IN_THE_FONT)) / 100
    width = 1.1 * length * size
    return (x - width, x) if text.get("text-anchor") == "end" else (x, x + width)


def marks(board: chess.Board) -> list[str | None]:
    """The four corners in each of the two squares of the last move."""
    return [triangle.get("points") for triangle in part(parsed(he.picture(board)), "last-move")]


def test_castling_in_chess960_marks_where_the_king_lands() -> None:
    chess960 = chess.Board("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", chess960=True)
    same = chess.Board("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    for board in (chess960, same):
        board.push_san("O-O")
    assert chess960.peek() != same.peek()
    assert marks(chess960) == marks(same)
    assert len(marks(same)) == 8


def test_null_move_has_a_picture() -> None:
    board = chess.Board()
    board.push(chess.Move.null())
    svg = parsed(he.picture(board))
    assert svg.find(f".//{SVG}g[@class='last-move']") is None
    assert words(part(svg, "header"))[0] == "1. -- \N{MIDDLE DOT} Black to move"


def test_small_pictures_leave_out_what_could_not_be_read() -> None:
    svg = parsed(he.picture(RUY_LOPEZ, width=300))
    assert svg.find(f".//{SVG}g[@class='numbers']") is None
    assert svg.find(f".//{SVG}g[@class='values']") is None
    assert len(part(svg, "candidates")) == 3
    scale_of_units = 300 / float(svg.get("viewBox", "").split()[2])
    texts = [text for name in ("header", "legend") for text in part(svg, name).iter(f"{SVG}text")]
    assert all(float(text.get("font-size", 0)) * scale_of_units >= 11 for text in texts)


@settings(max_examples=60, deadline=None)
@given(boards())
def test_values_of_arrows_do_not_hide_each_other_and_stay_on_the_board(board: chess.Board) -> None:
    moves = different_arrows(report_on(board).outlook)
    for bottom in chess.COLORS:
        labels = [arrow.label for arrow in placed_arrows(moves, chess.SquareSet(board.occupied), bottom)]
        for one, other in itertools.combinations(labels, 2):
            assert one.overlap(other) == 0
        for label in labels:
            assert label.x - label.width / 2 >= 15
            assert label.x + label.width / 2 <= 375
            assert label.y - label.height / 2 >= 15
            assert label.y + label.height / 2 <= 375


@settings(max_examples=40, deadline=None)
@given(boards())
def test_every_position_has_a_picture(board: chess.Board) -> None:
    svg = parsed(picture_of(report_on(board), Style(flip=board.turn == chess.BLACK)))
    assert len(list(svg.iter(f"{SVG}use"))) == len(board.piece_map())
    assert set(fills(svg, not board.turn if board.turn == chess.BLACK else chess.WHITE)) == set(chess.SQUARES)


def test_picture_needs_nothing_from_elsewhere_and_shows_itself_in_a_notebook() -> None:
    picture = he.picture("startpos")
    assert picture._repr_svg_() == picture.svg
    svg = parsed(picture)
    links = [value for element in svg.iter() for name, value in element.attrib.items() if "href" in name]
    assert links
    assert all(link.startswith("#") for link in links)
    assert "http" not in picture.svg.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("width", [300, 640, 1200])
def test_png_has_the_asked_width_and_the_pictures_colours(width: int) -> None:
    picture = he.picture(RUY_LOPEZ, width=width, arrows="none")
    image = Image.open(io.BytesIO(picture.png()))
    assert image.size == (width, picture.height)
    left, top, across, _ = map(float, parsed(picture).get("viewBox", "").split())
    for square, fill in fills(parsed(picture)).items():
        x, y = corner(square, chess.WHITE)  # its upper right part, where no man and no mark reaches
        pixel = image.getpixel(
            (round((x + 38 - left) * width / across), round((y + 16 - top) * width / across))
        )
        assert pixel[:3] == rgb(fill)  # type: ignore[index]


def test_png_has_words_on_a_machine_without_fonts() -> None:
    # The system's fonts are never asked: with words, the header's strip has ink; without, only paper.
    picture = he.picture(RUY_LOPEZ)
    header = Image.open(io.BytesIO(picture.png())).convert("L").crop((20, 8, 620, 55))
    assert sum(header.histogram()[:100]) > 500


def test_the_font_has_every_sign_that_pictures_use() -> None:
    font = ImageFont.load_default(16)
    missing = bytes(font.getmask("\N{WHITE CHESS KING}"))
    board = chess.Board(RUY_LOPEZ)
    for move in ("Qh4", "O-O", "Qxf2+"):
        board.push_san(move)
    written = "".join(text for fen in (board, RUY_LOPEZ) for text in words(parsed(he.picture(fen))))
    assert "\N{MINUS SIGN}" in written
    for sign in set(written.translate(IN_THE_FONT)) - {" "}:
        assert bytes(font.getmask(sign)) != missing, f"{sign!r} has no glyph"


def test_without_the_extra_one_line_names_the_command() -> None:
    code = (
        "import sys\nsys.modules['resvg_py'] = None\n"
        "import heatmap_engine as he\n"
        "try:\n    he.picture('startpos').png()\nexcept he.MissingExtra as error:\n    print(error)"
    )
    assert console.run_python(code) == (
        "PNG and GIF need resvg_py, which is not installed; "
        'in the folder of Heatmap Engine, run: pip install ".[pictures]"\n'
    )


def test_drawing_svg_needs_no_extra() -> None:
    code = (
        "import sys\nsys.modules['resvg_py'] = sys.modules['PIL'] = None\n"
        "import heatmap_engine as he; print(he.picture('startpos').svg[:4])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "<svg\n"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"side": "red"}, "side must be one of both, white, black, got 'red'"),
        ({"arrows": "all"}, "arrows must be one of candidates, none, got 'all'"),
        ({"width": 99}, "width must be from 100 to 4000 pixels, got 99"),
        ({"width": True}, "width must be from 100"),
        ({"width": 640.0}, "width must be from 100"),
        ({"limit": 0.0}, "limit must be a number above 0 heat units, got 0.0"),
        ({"limit": float("nan")}, "limit must be a number above 0 heat units, got nan"),
        ({"limit": float("inf")}, "limit must be a number above 0 heat units, got inf"),
        ({"limit": "5"}, "limit must be a number above 0 heat units, got '5'"),
        ({"colours": "pink"}, "colours must be one of"),
    ],
    ids=str,
)
def test_wrong_styles_are_refused_in_words(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidSettings, match=message):
        he.picture("startpos", **wrong)  # type: ignore[arg-type]


def test_no_position_has_no_picture() -> None:
    with pytest.raises(he.InvalidPosition, match="the board is empty"):
        he.picture("8/8/8/8/8/8/8/8 w - - 0 1")
