"""Probabilities against trying everything that can come."""

import random
from functools import cache

import pytest
from perfect_clear_boards import OPENER, OPENER_WITHOUT_I

from games.perfect_clear.board import cleared, parse_board
from games.perfect_clear.chance import Chance, ranked
from games.perfect_clear.errors import InvalidQuestion
from games.perfect_clear.movement import Movement
from games.perfect_clear.reference import Inactive, Settings, chance
from games.tetrominoes.bags import GENERATORS
from games.tetrominoes.kicks import KICK_TABLES
from games.tetrominoes.pieces import PIECES

_MOVEMENT = Movement(KICK_TABLES["srs"])
FIVE_LEFT = parse_board("###.....##/##.....###/##.....###/##.....###")


@cache
def boards_after(board: int, lines: int, piece: str) -> frozenset[tuple[int, int]]:
    return frozenset(cleared(board | cells, lines) for cells in _MOVEMENT.landings(piece, board, lines))


@cache
def by_trying(
    board: int, lines: int, hold: str | None, queue: str, endings: tuple[tuple[str, float], ...]
) -> float:
    if lines == 0:
        return 1.0
    options = [(queue[0], hold, queue[1:])] if queue else []
    if hold is not None:
        options.append((hold, queue[:1] or None, queue[1:]))
    elif len(queue) > 1:
        options.append((queue[1], queue[0], queue[2:]))
    groups: dict[str, list[tuple[str, float]]] = {}
    for ending, probability in endings:
        groups.setdefault(ending[:1], []).append((ending[1:], probability))
    best = 0.0
    for piece, rest, later in options:
        for after, left in boards_after(board, lines, piece):
            value = 0.0
            for seen, group in groups.items():
                total = sum(each for _, each in group)
                shares = tuple((ending, each / total) for ending, each in group)
                value += total * by_trying(after, left, rest, later + seen, shares)
            best = max(best, value)
    return best


@pytest.mark.parametrize(
    ("board", "queue", "hold", "bag", "seen"),
    [
        (OPENER, "TI", None, "7-bag", ""),
        (OPENER, "T", "I", "7-bag", "SZ"),
        (OPENER, "TJ", "S", "random", ""),
        (OPENER_WITHOUT_I, "TJ", "I", "7-bag", ""),
        (OPENER_WITHOUT_I, "TJ", "I", "14-bag", "TIOSZLJ"),
        (OPENER_WITHOUT_I, "T", "I", "7-bag", ""),
        (OPENER_WITHOUT_I, "SZ", None, "7-bag", "TIOSZLJ"),
        (FIVE_LEFT, "TJL", "I", "7-bag", ""),
        (FIVE_LEFT, "SO", "L", "7-bag", "IT"),
    ],
)
def test_chance_is_what_trying_everything_finds(
    board: int, queue: str, hold: str | None, bag: str, seen: str
) -> None:
    question = Chance(queue, generator=GENERATORS[bag], board=board, hold=hold, seen=seen)
    assert question.unknown > 0
    placements = ranked(list(question.placements()))
    best = placements[0].probability if placements else 0.0
    wanted = by_trying(board, question.lines, hold, queue, tuple(question.endings.items()))
    assert best == pytest.approx(wanted, abs=1e-9)
    by_trying.cache_clear()


def test_chance_is_that_of_the_specification() -> None:
    """With two pieces left the specification itself is fast enough."""
    board = parse_board("####....##/####....##")
    cells = frozenset((bit % 10, bit // 10) for bit in range(60) if board >> bit & 1)
    question = Chance("T", generator=GENERATORS["7-bag"], board=board, hold="J", seen="OIS")
    assert question.pieces_left == 2
    settings = Settings(KICK_TABLES["srs"], height=9)
    wanted = chance(Inactive(cells, question.lines, "J", "T"), question.endings, settings)
    found = [one.probability for one in question.placements()]
    assert max(found, default=0.0) == pytest.approx(wanted)


def test_every_placement_has_its_own_probability() -> None:
    """The probability of a placement is that of the board after it, over the pieces that are seen then."""
    question = Chance("TJ", generator=GENERATORS["7-bag"], board=OPENER_WITHOUT_I, hold="I")
    groups: dict[str, list[str]] = {}
    for ending in question.endings:
        groups.setdefault(ending[0], []).append(ending[1:])
    for one in question.placements():
        rest = "I" if not one.is_held else "T"
        later = "J"
        lines = 4 - ((OPENER_WITHOUT_I | one.cells).bit_count() - one.board.bit_count()) // 10
        wanted = sum(
            len(group)
            / len(question.endings)
            * by_trying(one.board, lines, rest, later + seen, tuple((each, 1 / len(group)) for each in group))
            for seen, group in groups.items()
        )
        assert one.probability == pytest.approx(wanted)


def test_all_pieces_known_is_certain_or_impossible() -> None:
    for queue in ("TOSZ", "TTTT"):
        question = Chance(queue, generator=GENERATORS["random"], board=OPENER)
        assert question.unknown == 0
        assert {one.probability for one in question.placements()} <= {1.0}


def test_bag_that_cannot_bring_these_pieces_is_an_error() -> None:
    with pytest.raises(InvalidQuestion, match="a T too many"):
        Chance("TT", generator=GENERATORS["7-bag"], board=OPENER)
    with pytest.raises(InvalidQuestion, match="at least 2 pieces that are seen"):
        Chance("T", generator=GENERATORS["7-bag"], board=OPENER)


def test_generators() -> None:
    assert GENERATORS["7-bag"].odds("TIOSZL") == {"J": 1.0}
    assert GENERATORS["7-bag"].odds("TIOSZLJ") == pytest.approx(dict.fromkeys(PIECES, 1 / 7))
    assert GENERATORS["14-bag"].odds("TTI")["I"] == pytest.approx(1 / 11)
    assert "T" not in GENERATORS["14-bag"].odds("TTI")
    assert GENERATORS["random"].odds("TTTT") == pytest.approx(dict.fromkeys(PIECES, 1 / 7))
    choices = random.Random(1)
    for generator in GENERATORS.values():
        seen = "".join(choices.sample(PIECES, 3))
        endings = list(generator.endings(seen, 3))
        assert sum(probability for _, probability in endings) == pytest.approx(1.0)
        assert len({ending for ending, _ in endings}) == len(endings)
