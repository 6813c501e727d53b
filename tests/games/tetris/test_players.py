"""Players by weights: what they choose, with and without a look ahead, and how long they survive."""

import random

import pytest
from tetris_boards import bits_of, random_boards

from games.tetris import reference
from games.tetris.errors import InvalidSettings
from games.tetris.features import OF_THE_PLACEMENT
from games.tetris.game import Game
from games.tetris.playing import Setting, play_game, play_games, weights_player
from games.tetris.reference import Rows
from games.tetris.rules import Rules
from games.tetris.stream import PieceStream
from games.tetris.survival import Survival
from games.tetris.weights import Weights, known_names, known_weights
from games.tetrominoes.pieces import PIECES

LOST = -1e15
DELLACHERIE = known_weights("dellacherie")


def value(weights: Weights, found: dict[str, float], names: "set[str] | None" = None) -> float:
    return sum(
        found[name] * weight for name, weight in weights.values.items() if names is None or name in names
    )


def best_value(weights: Weights, rules: Rules, board: Rows, known: str, unknown: int, kinds: str) -> float:
    """The value of the best placement of the first known piece, as slow and obvious as the specification."""
    possible = reference.placements(rules, board, known[0])
    return max((worth(weights, rules, board, p, known, unknown, kinds) for p in possible), default=LOST)


def worth(
    weights: Weights,
    rules: Rules,
    board: Rows,
    placement: tuple[int, int],
    known: str,
    unknown: int,
    kinds: str,
) -> float:
    found = reference.features(board, known[0], placement)
    if len(known) == 1 and not unknown:
        return value(weights, found)
    after = reference.place(board, known[0], placement).board
    own = value(weights, found, {*OF_THE_PLACEMENT})
    if len(known) > 1:
        rest = best_value(weights, rules, after, known[1:], unknown, kinds)
        return value(weights, found) + LOST if rest <= LOST / 2 else own + rest
    return own + sum(best_value(weights, rules, after, kind, unknown - 1, PIECES) for kind in kinds) / len(
        kinds
    )


@pytest.mark.parametrize(("known", "unknown"), [(0, 0), (1, 0), (0, 1)])
@pytest.mark.parametrize("name", ["dellacherie", "basic", "dt-20"])
def test_values_are_those_of_the_specification(name: str, known: int, unknown: int) -> None:
    """Also the terms of the first placement count, which the document's lookahead forgot."""
    weights, source = known_weights(name), random.Random(known + unknown)
    boards = [(rules, board) for rules, board in random_boards(6, 3, width=5) if source.random() < 0.06]
    for rules, board in boards[:5]:
        game = Game(rules, "uniform", source.randrange(1000))
        game.put_rows(bits_of(board))
        pieces = game.current + game.coming[:known]
        found = weights_player(weights, known, unknown).candidates(game)
        assert sorted(found, key=lambda one: one[1:]) == [
            (pytest.approx(worth(weights, rules, board, p, pieces, unknown, PIECES)), *p)
            for p in sorted(reference.placements(rules, board, game.current))
        ]


def test_after_a_bag_has_shown_its_pieces_the_rest_is_expected() -> None:
    """After the current piece of a bag six can follow, and with the last piece of a bag in hand all seven."""
    weights, rules = known_weights("dellacherie"), Rules(4, 8)
    game, board = Game(rules, "7-bag", 1), reference.empty_board(rules)
    stream = PieceStream("7-bag", 1)
    seen = ""
    for _ in range(9):
        seen += stream.next()
        kinds = "".join(piece for piece in PIECES if piece not in seen[(len(seen) - 1) // 7 * 7 :]) or PIECES
        found = weights_player(weights, 0, 1).candidates(game)
        best = max(
            worth(weights, rules, board, p, game.current, 1, kinds)
            for p in reference.placements(rules, board, game.current)
        )
        assert found[0][0] == pytest.approx(best)
        game.put_rows([0] * rules.height)
        assert game.place(0, 0)
        game.put_rows([0] * rules.height)


def test_lookahead_does_not_change_the_pieces() -> None:
    """In the document the lookahead also switched to a bag of seven."""
    setting = Setting(Rules(6, 10))
    for known in (0, 1):
        game, stream = setting.game(5), PieceStream("uniform", 5)
        weights_player(DELLACHERIE, known).play(game, 30, 10**9)
        assert game.pieces == 30
        assert [stream.next() for _ in range(31)][30] == game.current


def test_where_every_placement_loses_the_game_goes_on() -> None:
    """The document gave up here, with legal moves left: an O fits, and after it no O fits any more."""
    rules = Rules(4, 4)
    game = Game(rules, "uniform", next(s for s in range(999) if PieceStream("uniform", s).peek(2) == "OO"))
    game.put_rows([0b0111, 0b1110, 0b0010, 0])
    player = weights_player(DELLACHERIE, 1)
    assert player.candidates(game)[0][0] < LOST / 2
    player.play(game, 1, 10**9)
    assert (game.pieces, game.is_over) == (1, False)
    player.play(game, 2, 10**9)
    assert (game.pieces, game.is_over) == (1, True)


def test_a_game_by_choices_is_the_game_that_is_played() -> None:
    one, other = (Game(Rules(8, 10), "uniform", 3) for _ in range(2))
    player = weights_player(known_weights("basic"), 1)
    player.play(one, 10**9, 300)
    while not other.is_over and other.lines < 300:
        chosen = player.choose(other)
        if chosen is None:
            break
        assert chosen == player.candidates(other)[0][1:]
        assert other.place(*chosen)
    assert (one.rows, one.lines, one.pieces) == (other.rows, other.lines, other.pieces)


def test_play_is_the_same_with_the_same_seed_and_in_parts() -> None:
    setting, player = Setting(Rules(10, 10)), weights_player(known_weights("basic"))
    whole, parts = setting.game(9), setting.game(9)
    player.play(whole, 10**9, 10**9)
    while not parts.is_over:
        player.play(parts, parts.pieces + 7, 10**9)
    assert (whole.lines, whole.pieces) == (parts.lines, parts.pieces)
    assert play_games(player, setting, 20, 1) == play_games(player, setting, 20, 1)


def test_a_game_ends_by_lines_without_a_death() -> None:
    setting = Setting(Rules(), max_lines=500)
    found = play_game(weights_player(known_weights("bcts")), setting.game(1), 500)
    assert (found.deaths, found.games) == (0, 1)
    assert 500 <= found.lines < 504


def test_a_game_stops_when_it_is_asked() -> None:
    asked = iter([False, False, True])
    found = play_game(
        weights_player(known_weights("bcts")), Setting(Rules()).game(1), None, lambda: next(asked)
    )
    assert found.deaths == 0
    assert found.pieces > 0


# Lines for each death on a board of 10 x 10, from benchmarks/records/measurements.md.
@pytest.mark.parametrize(("name", "mean"), [("dellacherie", 2361), ("bcts", 3996), ("dt-10", 5053)])
def test_published_weights_survive_as_long_as_they_did(name: str, mean: float) -> None:
    """A regression of a feature would show: the seed is fixed, so 80 deaths always scatter alike."""
    found = play_games(weights_player(known_weights(name)), Setting(Rules(10, 10)), 80, 11)
    assert found.deaths == 80
    assert 0.75 < found.lines / found.deaths / mean < 1.25


def test_rules_and_pieces_matter_as_one_expects() -> None:
    player = weights_player(known_weights("bcts"))
    simplified, dropped, bags = (
        play_games(player, setting, 60, 2).lines
        for setting in (
            Setting(Rules(10, 8)),
            Setting(Rules(10, 8, "dropped")),
            Setting(Rules(10, 8), "7-bag"),
        )
    )
    assert dropped < simplified < bags


@pytest.mark.parametrize(
    ("known", "unknown", "expected"),
    [
        (4, 0, "expected a lookahead of 0 to 3 pieces, got 4"),
        (-1, 0, "expected a lookahead of 0 to 3 pieces, got -1"),
        (0, 3, "expected a mean over 0 to 2 unknown pieces, got 3"),
        (3, 2, "expected at most 3 pieces ahead in all, got 5"),
    ],
)
def test_too_far_a_look_is_refused(known: int, unknown: int, expected: str) -> None:
    with pytest.raises(InvalidSettings, match=expected):
        weights_player(DELLACHERIE, known, unknown)


def test_every_name_of_the_package_plays() -> None:
    for name in known_names():
        found = play_games(weights_player(known_weights(name)), Setting(Rules(10, 20), max_lines=100), 3, 1)
        assert found.deaths == 0 or name == "basic", name
        assert isinstance(found, Survival)
