"""The order of pieces: seeded, looked at ahead, and the same in the compiled game."""

from collections import Counter
from itertools import pairwise

import pytest

from games.tetris.errors import InvalidSettings
from games.tetris.game import Game
from games.tetris.rules import GENERATORS, Rules
from games.tetris.stream import PieceStream, SplitMix
from games.tetrominoes.pieces import PIECES


def test_the_random_numbers_are_those_of_splitmix64() -> None:
    source = SplitMix(1234567)
    assert [source.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_game_draws_the_same_pieces(generator: str) -> None:
    stream, game = PieceStream(generator, 7), Game(Rules(10, 40), generator, 7)
    for number in range(40):
        assert game.current + game.coming == stream.peek(6)
        assert stream.next() == game.current
        assert game.place(0, 3 * number % 7)


def test_a_peek_takes_nothing() -> None:
    stream = PieceStream("7-bag", 3)
    ahead = stream.peek(20)
    assert "".join(stream.next() for _ in range(20)) == ahead


def test_a_bag_has_every_piece_once() -> None:
    stream = PieceStream("7-bag", 1)
    for _ in range(50):
        assert sorted(stream.next() for _ in range(7)) == sorted(PIECES)


def test_uniform_pieces_come_alike_often_and_repeat() -> None:
    stream = PieceStream("uniform", 1)
    pieces = [stream.next() for _ in range(7000)]
    assert all(850 < count < 1150 for count in Counter(pieces).values())
    assert any(one == other for one, other in pairwise(pieces))


def test_other_seeds_bring_other_pieces() -> None:
    assert PieceStream("uniform", 1).peek(30) != PieceStream("uniform", 2).peek(30)


def test_an_unknown_generator_is_named() -> None:
    with pytest.raises(InvalidSettings, match="expected pieces of uniform, 7-bag, got '14-bag'"):
        PieceStream("14-bag", 1)
