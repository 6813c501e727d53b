"""The Q-player: its network, and the document's search with every count that it names."""

import math
from pathlib import Path

import numpy as np
import pytest
from tetris_boards import bits_of, random_boards

from games.tetris import reference
from games.tetris.errors import InvalidWeights
from games.tetris.game import Game
from games.tetris.network import Network, QPlayer
from games.tetris.network_file import load_network, network_text, new_network, save_network
from games.tetris.playing import Setting, play_games
from games.tetris.rules import ROTATIONS, Rules
from games.tetris.stream import PieceStream
from games.tetrominoes.pieces import BOXED, PIECES, box_size, shape

RULES = Rules()


def game_with(piece: str, following: str = "", rules: Rules = RULES, rows: "list[int] | None" = None) -> Game:
    """A game in which this piece is the current one."""
    wanted = piece + following
    seed = next(seed for seed in range(10_000) if PieceStream("uniform", seed).peek(len(wanted)) == wanted)
    game = Game(rules, "uniform", seed)
    game.put_rows(rows or [0] * rules.height)
    return game


def constant(value: float, width: int = 10) -> Network:
    """A network that values everything alike."""
    network = Network(width)
    network.set_arrays(np.zeros((width + 19, 64)), np.zeros(64), np.zeros(64), value)
    return network


def likes_low_right() -> Network:
    """A network that wants the left columns low most of all."""
    network = Network(10)
    first, second = np.zeros((29, 64)), np.zeros(64)
    for column in range(10):
        first[column, column] = 20.0
        second[column] = -(10.0 - column)
    network.set_arrays(first, np.zeros(64), second, 0.0)
    return network


def outlined(game: Game, placement: tuple[int, int], width: int) -> list[float]:
    """The 29 inputs after a placement, from the specification."""
    board = tuple(tuple(bool(row >> x & 1) for x in range(width)) for row in game.rows)
    after = reference.place(board, game.current, placement).board
    found = reference.board_features(after)
    heights = [reference.height_of(after, x) / 20 for x in range(width)]
    surface = [found["holes"] / 100, found["bumpiness"] / 20, found["height"] / 50]
    following = [float(piece == game.coming[0]) for piece in PIECES]
    lines, level = min(game.lines, 100) / 100, min(1 + game.lines // 10, 20) / 20
    return [*heights, *surface, *[0.0] * 7, *following, lines, level]


def plain_value(network: Network, inputs: "list[float]") -> float:
    """The network by numpy."""
    arrays = network.arrays
    hidden = np.maximum(np.array(inputs, dtype=np.float32) @ arrays["first"] + arrays["first_bias"], 0)
    return float(hidden @ arrays["second"] + arrays["second_bias"])


def test_there_are_29_inputs_for_a_board_ten_wide() -> None:
    assert Network(10).inputs == 29


def test_inputs_and_values_are_those_of_the_specification() -> None:
    network = new_network(7, 3)
    player = QPlayer(network, most_holes=10**6)
    boards = [board for rules, board in random_boards(5, 14, width=7) if rules == Rules(7, rules.height)]
    checked = 0
    for number, board in enumerate(boards[::4]):
        rules = Rules(7, len(board))
        game = Game(rules, "uniform", number)
        game.put_rows(bits_of(board))
        found = player.candidates(game)
        assert sorted((r, x) for _, r, x in found) == sorted(reference.placements(rules, board, game.current))
        assert [value for value, _, _ in found] == sorted((value for value, _, _ in found), reverse=True)
        for value, rotation, column in found[::5]:
            inputs = outlined(game, (rotation, column), 7)
            compiled = player.inputs_after(game, rotation, column)
            assert compiled is not None
            assert compiled.tolist() == pytest.approx(inputs)
            assert value == pytest.approx(plain_value(network, inputs), abs=1e-4)
            assert network.value(inputs) == pytest.approx(value, abs=1e-4)
            checked += 1
    assert checked > 20


def test_lines_and_level_end_at_one() -> None:
    """The document let them grow: after a million lines one input would have been 10,000."""
    game = Game(Rules(10, 20), "uniform", 1)
    from games.tetris.playing import weights_player
    from games.tetris.weights import known_weights

    weights_player(known_weights("bcts")).play(game, 10**9, 500)
    inputs = QPlayer(new_network(10, 1)).inputs_after(game, 0, 0)
    assert inputs is not None
    assert inputs[27:].tolist() == [1.0, 1.0]


def test_no_piece_is_no_move() -> None:
    assert QPlayer(constant(1.0)).find_best_move(None) == {"rotation": 0, "x": 0, "q": -math.inf}


def test_of_equal_moves_the_first_from_the_middle_is_taken() -> None:
    """Positions 5, 4, 6, 3, 7, ... and a later one must be better, not as good."""
    player = QPlayer(constant(1.0))
    assert player.find_best_move(game_with("O")) == {"rotation": 0, "x": 5, "q": 1.0}


def test_the_order_of_positions_decides_where_evaluations_end() -> None:
    """With the limit at n the n-th position from the middle outward is the last that can be best."""
    first = np.zeros((29, 64))
    expected = [5, 4, 6, 3, 7, 2, 8]
    for number in range(1, len(expected) + 1):
        target = expected[number - 1] + 1  # an O lies one column to the right of its box
        first[:] = 0
        first[target, 0] = 20.0
        first[target + 1, 0] = 20.0 if target + 1 < 10 else 0.0
        network = Network(10)
        second = np.zeros(64)
        second[0] = 1.0
        network.set_arrays(first, np.zeros(64), second, 0.0)
        player = QPlayer(network, most_evaluations=number)
        move = player.find_best_move(game_with("O"))
        assert player.counts["evaluations"] == number
        if target < 9:
            assert move["x"] == expected[number - 1]


@pytest.mark.parametrize("piece", PIECES)
def test_every_position_within_two_columns_of_the_walls_is_an_evaluation(piece: str) -> None:
    player = QPlayer(constant(1.0))
    player.find_best_move(game_with(piece))
    counts = player.counts
    expected = bounds = collisions = 0
    for rotation in range(4):
        cells = BOXED[piece][rotation]
        left, right = min(x for x, _ in cells), max(x for x, _ in cells)
        for x in range(-2, 12):
            if x + left < -2 or x + right >= 12:
                bounds += 1
                continue
            expected += 1
            collisions += x + left < 0 or x + right >= 10
    assert counts["evaluations"] == expected
    assert counts["out_of_bounds"] == bounds
    assert counts["collisions"] == collisions
    # Rotations that look alike are looked at, and valued once.
    assert counts["valued"] == len(reference.placements(RULES, reference.empty_board(RULES), piece))
    assert counts["decisions"] == 1
    assert counts["fallbacks"] == 0


def test_the_best_move_is_the_best_candidate() -> None:
    player = QPlayer(new_network(10, 4))
    for seed in range(30):
        game = Game(RULES, "uniform", seed)
        for turn in range(seed % 9):
            game.place(0, 2 * turn % 7)
        value, rotation, column = player.candidates(game)[0]
        move = player.find_best_move(game)
        assert move["q"] == pytest.approx(value)
        piece_left = shape(game.current, int(move["rotation"])).offset[0]
        assert (int(move["rotation"]), int(move["x"]) + piece_left) == (rotation, column)
        assert player.choose(game) == (rotation, column)


def evaluations_of(rotations: range, piece: str = "T") -> int:
    """All positions of these rotations whose cells lie at most two columns beyond the walls."""
    lefts = [(min(x for x, _ in BOXED[piece][r]), max(x for x, _ in BOXED[piece][r])) for r in rotations]
    return sum(x + left >= -2 and x + right < 12 for left, right in lefts for x in range(-2, 12))


def test_an_excellent_move_ends_the_positions_after_more_than_ten_evaluations() -> None:
    """The first rotation has fewer than eleven positions inside; each further one ends with its first."""
    player = QPlayer(constant(100.5))
    player.find_best_move(game_with("T"))
    assert player.counts["evaluations"] == evaluations_of(range(1)) + 3
    assert player.counts["stopped_positions"] == 3


def test_an_excellent_move_ends_the_rotations_after_more_than_twenty_evaluations() -> None:
    player = QPlayer(constant(100.5), stop_positions=1000)
    player.find_best_move(game_with("T"))
    assert player.counts["evaluations"] == evaluations_of(range(2)) > 20
    assert player.counts["stopped_rotations"] == 1
    patient = QPlayer(constant(100.5), stop_positions=1000, stop_rotations=evaluations_of(range(2)))
    patient.find_best_move(game_with("T"))
    assert patient.counts["evaluations"] == evaluations_of(range(3))


def test_a_move_of_exactly_a_hundred_ends_nothing() -> None:
    player = QPlayer(constant(100.0))
    player.find_best_move(game_with("T"))
    assert player.counts["evaluations"] == evaluations_of(range(4))
    assert player.counts["stopped_positions"] == player.counts["stopped_rotations"] == 0


def test_at_most_300_evaluations() -> None:
    """No piece has so many, so that the limit is shown with a smaller one."""
    assert max(4 * (10 + 4) for _ in PIECES) < 300
    player = QPlayer(constant(1.0), most_evaluations=17)
    player.find_best_move(game_with("L"))
    assert player.counts["evaluations"] == 17


def test_a_piece_that_collides_at_the_top_is_skipped() -> None:
    rows = [0b11_1110_0000] * 18 + [0, 0]
    player = QPlayer(constant(1.0))
    move = player.find_best_move(game_with("O", rows=rows))
    # The O's box has an empty row above it, so that it would begin in a filled cell on the right.
    assert player.counts["collisions"] > 0
    assert move["x"] + shape("O", 0).offset[0] + 1 < 5


def test_boards_with_many_holes_are_filtered_early() -> None:
    """16 holes are there already; each placement has at least as many, and the best legal one is taken."""
    rows = [0b01_1111_1110] * 8 + [0b11_1111_1110]
    rows[8] = 0b11_1111_1110 | 0
    game = game_with("O", rows=[0b10_1111_1101] * 8 + [0b11_1111_1110])
    player = QPlayer(constant(1.0), most_holes=7)
    move = player.find_best_move(game)
    assert player.counts["filtered"] > 0
    assert player.counts["fallbacks"] == 1
    assert move["q"] == 1.0
    few = QPlayer(constant(1.0), most_holes=30)
    few.find_best_move(game)
    assert few.counts["filtered"] == 0


def test_after_fifty_lines_nothing_is_filtered() -> None:
    player = QPlayer(constant(1.0), most_holes=-1, early_lines=0)
    player.find_best_move(game_with("O"))
    assert player.counts["filtered"] == 0
    early = QPlayer(constant(1.0), most_holes=-1, early_lines=50)
    early.find_best_move(game_with("O"))
    assert early.counts["filtered"] == 9


def test_random_moves_are_random_and_the_game_goes_on_where_they_are_none() -> None:
    player = QPlayer(likes_low_right(), epsilon=1.0, seed=3)
    moves = [player.find_best_move(game_with("I")) for _ in range(200)]
    assert {move["rotation"] for move in moves} == {0, 1, 2, 3}
    assert {move["x"] for move in moves} == {*range(10)}
    assert {move["q"] for move in moves} == {0.0}
    game = Game(Rules(10, 40), "uniform", 2)
    player.play(game, 30, 10**9)
    assert game.pieces == 30
    assert player.counts["explored"] == 230
    assert 0 < player.counts["impossible"] < 30
    assert player.counts["decisions"] == player.counts["impossible"]


def test_without_training_nothing_is_random() -> None:
    player = QPlayer(likes_low_right())
    player.play(Game(RULES, "uniform", 1), 50, 10**9)
    assert player.counts["explored"] == 0


def test_the_player_plays_what_it_chooses() -> None:
    network = new_network(10, 6)
    one, other, player = Game(RULES, "uniform", 4), Game(RULES, "uniform", 4), QPlayer(network)
    player.play(one, 10**9, 10**9)
    assert one.is_over
    while (chosen := player.choose(other)) is not None:
        assert other.place(*chosen)
    assert (one.rows, one.pieces, one.lines) == (other.rows, other.pieces, other.lines)
    assert player.find_best_move(other)["q"] == -math.inf


def test_it_obeys_the_rule_of_the_game() -> None:
    player, rules = QPlayer(new_network(10, 6)), Rules(rule="dropped")
    game = game_with("O", rules=rules, rows=[0b0000000100] * 19)
    chosen = player.choose(game)
    assert chosen is not None
    assert chosen[1] > 2


def test_a_network_of_another_width_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a board 10 wide, got one of 8"):
        QPlayer(new_network(10, 1)).choose(Game(Rules(8, 20), "uniform", 1))


def test_a_network_comes_back_from_its_file(tmp_path: Path) -> None:
    network = new_network(6, 2)
    save_network(tmp_path / "n.json", network, {"round": 3})
    loaded = load_network(tmp_path / "n.json")
    assert loaded.width == 6
    assert loaded.provenance == {"round": 3}
    assert all(np.array_equal(loaded.arrays[name], value) for name, value in network.arrays.items())


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"width": 6', '"width": 7', "expected 26 inputs and 64 hidden cells"),
        ('"width": 6', '"width": 3', "expected a width from 4 to 16, got 3"),
        ('"second_bias": 0.0', '"second_bias": NaN', "expected numbers from -1e[+]06 to 1e[+]06"),
        ('"second_bias": 0.0', '"second_bias": "x"', "expected a file of a tetris network"),
        ("tetris network", "tetris weights", "expected a file of a tetris network"),
        ("}", "", "expected a file of a tetris network"),
    ],
)
def test_a_spoiled_network_is_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text = network_text(new_network(6, 2), {})
    assert old in text
    path = tmp_path / "n.json"
    path.write_text(text.replace(old, new))
    with pytest.raises(InvalidWeights, match=rf"n\.json: .*{expected}"):
        load_network(path)


def test_every_piece_has_its_four_rotations_in_boxes() -> None:
    assert all(box_size(piece) in (3, 4) for piece in PIECES)
    assert all(rotation in range(4) for piece in PIECES for rotation, _ in ROTATIONS[piece])


def test_games_are_the_same_again() -> None:
    setting = Setting(Rules(10, 12))
    one, other = (play_games(QPlayer(new_network(10, 5)), setting, 5, 3) for _ in range(2))
    assert one == other
