"""A game as GIF: a frame for each position, all of one size and on one scale."""

import io
from functools import partial

import chess
from PIL import Image

import heatmap_engine as he
from heatmap_engine.drawing.palette import ORANGE_BLUE, Scale, rgb
from heatmap_engine.pictures.animation import game_gif
from heatmap_engine.pictures.game import game_of
from heatmap_engine.pictures.picture import Style, side_heat
from heatmap_engine.pictures.shapes import corner

FOOLS_MATE = ("f3", "e5", "g4", "Qh4#")


def test_frames_are_the_positions_of_the_game() -> None:
    board = chess.Board()
    for move in FOOLS_MATE:
        board.push_san(move)
    with he.Engine(mode="classic", record="off") as engine:
        game = game_of(partial(engine.report, candidates=True), board)
    gif = Image.open(io.BytesIO(game_gif(game, Style(width=480, arrows="none"))))
    assert gif.n_frames == 5  # type: ignore[attr-defined]
    assert gif.info["loop"] == 0
    scale = Scale(ORANGE_BLUE, game.limit("both"))
    durations = []
    for number, report in enumerate(game.reports):
        gif.seek(number)
        durations.append(gif.info["duration"])
        frame = gif.convert("RGB")
        assert frame.size == gif.size
        heat = side_heat(report, "both")
        for square in (chess.E4, chess.G5, chess.A6, chess.C3):  # empty in all positions
            x, y = corner(square, chess.WHITE)
            pixel = frame.getpixel((round((x + 38 + 4) * 480 / 398), round((y + 16 + 47) * 480 / 398)))
            expected = rgb(scale.square_colour(heat[square], square))
            assert max(abs(a - b) for a, b in zip(pixel, expected, strict=True)) <= 8  # 256 colours in all
    assert durations[:-1] == [durations[0]] * 4
    assert durations[-1] > durations[0]
