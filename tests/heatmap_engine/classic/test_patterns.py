"""Patterns: counted as the obvious code counts them, added to leaves, read back, and nothing without them."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import chess
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import ENDGAMES, boards

import heatmap_engine as he
from heatmap_engine import reference
from heatmap_engine.board.reading import pack
from heatmap_engine.classic.patterns import (
    NAMES,
    NOTE,
    NUMBERS,
    Patterns,
    greatest_threats,
    patterns_of,
    piece_values,
)
from heatmap_engine.classic.search import search
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.errors import InvalidPatterns
from heatmap_engine.kernel.classic.patterns import PATTERN_COUNT, count_patterns
from qtable import QTable
from qtable.errors import TableCorrupt


def of_side(board: chess.Board, color: chess.Color) -> Iterator[str]:
    """The patterns of one side, each as often as it has them; the slow way, square by square."""
    pieces = board.piece_map()
    own = {square: piece.piece_type for square, piece in pieces.items() if piece.color == color}
    few = sum(piece.piece_type not in (chess.PAWN, chess.KING) for piece in pieces.values()) <= 6
    kings = {"other": board.king(not color), "own": board.king(color)}
    for square, kind in own.items():
        name = chess.piece_name(kind)
        seen = chess.square_name(square if color == chess.WHITE else chess.square_mirror(square))
        yield f"{name} on {seen}"
        if few:
            yield f"{name} on {seen}, few pieces"
        if kind != chess.KING:
            for whose, words in (("other", "the other king"), ("own", "its own king")):
                distance = chess.square_distance(square, kings[whose])
                yield f"{name} {distance} square{'s' if distance > 1 else ''} from {words}"
    yield from _together(sorted(own.values()))
    yield from _attacked(board, color)
    yield from _reached(board, color)
    yield from _passed(board, color)
    if color == board.turn:
        yield "the move"


def _together(kinds: list[int]) -> Iterator[str]:
    """Every two pieces of a side beside its king; of more than eight of a kind no more are counted."""
    counted = [kind for kind in range(1, 6) for _ in range(min(8, kinds.count(kind)))]
    for first, second in combinations(counted, 2):
        yield f"{chess.piece_name(first)} with {chess.piece_name(second)}"


def _attacked(board: chess.Board, color: chess.Color) -> Iterator[str]:
    for square, piece in board.piece_map().items():
        attackers = [board.piece_type_at(each) or 0 for each in board.attackers(color, square)]
        if piece.color == color or piece.piece_type == chess.KING or not attackers:
            continue
        guarded = bool(board.attackers(not color, square))
        if min(attackers) == chess.KING and guarded:
            continue
        verb = "can take" if color == board.turn else "attacks"
        how = "guarded" if guarded else "loose"
        yield f"{chess.piece_name(min(attackers))} {verb} a {how} {chess.piece_name(piece.piece_type)}"


def _reached(board: chess.Board, color: chess.Color) -> Iterator[str]:
    """A square that two pawns attack is reached once; by two pieces of another kind twice."""
    king = board.king(not color)
    assert king is not None
    reached = [
        (board.piece_type_at(piece) or 0, square)
        for square in chess.SQUARES
        for piece in board.attackers(color, square)
    ]
    pawns = {(kind, square) for kind, square in reached if kind == chess.PAWN}
    for kind, square in [*pawns, *(each for each in reached if each[0] != chess.PAWN)]:
        name = chess.piece_name(kind)
        if board.color_at(square) != color:
            yield f"a square that a {name} reaches"
        if chess.square_distance(square, king) == 1:
            yield f"a square next to the other king that a {name} reaches"
    for square, piece in board.piece_map().items():
        alone = not any(board.attackers(side, square) for side in chess.COLORS)
        if alone and piece.color == color and piece.piece_type != chess.KING:
            yield f"{chess.piece_name(piece.piece_type)} neither guarded nor attacked"


def _passed(board: chess.Board, color: chess.Color) -> Iterator[str]:
    """On the board as the side sees it: its pawns go up."""
    seen = board if color == chess.WHITE else board.mirror()
    own, their = seen.pieces(chess.PAWN, chess.WHITE), seen.pieces(chess.PAWN, chess.BLACK)
    for pawn in own:
        file, rank = chess.square_file(pawn), chess.square_rank(pawn)
        ahead = [square for square in chess.SQUARES if chess.square_rank(square) > rank]
        before = [square for square in ahead if chess.square_file(square) == file]
        near = [square for square in ahead if abs(chess.square_file(square) - file) <= 1]
        if any(square in own for square in before) or any(square in their for square in near):
            continue
        yield f"passed pawn, rank {rank + 1}"
        king = seen.king(chess.BLACK)
        assert king is not None
        moves = min(5, 7 - rank)
        late = chess.square_distance(king, before[-1]) - (seen.turn == chess.BLACK) > moves
        if seen.piece_at(before[0]):
            yield f"passed pawn behind a piece, rank {rank + 1}"
        elif late and seen.occupied_co[chess.BLACK] == seen.pieces_mask(chess.KING, chess.BLACK) | int(their):
            yield f"passed pawn that no king can catch, rank {rank + 1}"


def counted(board: chess.Board) -> dict[str, int]:
    """How often White has each pattern, less how often Black has it."""
    found = Counter(of_side(board, chess.WHITE))
    found.subtract(Counter(of_side(board, chess.BLACK)))
    for kind in chess.PIECE_TYPES[:5]:
        white, black = (min(8, len(board.pieces(kind, color))) for color in (chess.WHITE, chess.BLACK))
        if white != black:
            more, fewer = max(white, black), min(white, black)
            name = f"{more} {chess.piece_name(kind)}{'s' if more > 1 else ''} against {fewer or 'none'}"
            found[name] = 1 if white > black else -1
    return {name: times for name, times in found.items() if times}


def random_patterns(seed: int) -> Patterns:
    values = np.zeros(PATTERN_COUNT)
    numbers = sorted(NAMES)
    values[numbers] = np.random.default_rng(seed).normal(0, 10, len(numbers))
    return Patterns(values, games=100)


def worth(board: chess.Board, patterns: Patterns) -> float:
    return sum(times * patterns.values[NUMBERS[name]] for name, times in counted(board).items())


@settings(max_examples=300)
@given(boards())
def test_the_kernel_counts_as_the_obvious_code_does(board: chess.Board) -> None:
    counts = np.zeros((1, PATTERN_COUNT), dtype=np.int16)
    count_patterns([pack(board)], counts)
    found = {NAMES[int(number)]: int(counts[0, number]) for number in np.flatnonzero(counts[0])}
    assert found == counted(board), board.fen()


@settings(max_examples=100)
@given(boards(), st.integers(0, 99))
def test_values_add_up_and_turn_round_with_the_colours(board: chess.Board, seed: int) -> None:
    patterns = random_patterns(seed)
    total = patterns.table.sum(pack(board))
    assert total == pytest.approx(worth(board, patterns), abs=1e-9)
    assert total == pytest.approx(sum(part.value for part in patterns.parts(pack(board))), abs=1e-9)
    assert patterns.table.sum(pack(board.mirror())) == pytest.approx(-total, abs=1e-9)


@settings(max_examples=30)
@given(boards(ENDGAMES), st.integers(0, 99), st.sampled_from([(1, 0), (1, 1), (2, 1)]))
def test_a_search_is_minimax_over_scores_and_patterns(
    board: chess.Board, seed: int, plies: tuple[int, int]
) -> None:
    assume(any(board.legal_moves))
    assume(he.perft(board, 3) < 3_000)
    patterns = random_patterns(seed)
    found = search(board, ClassicSettings(*plies, heat_depth=0), patterns=patterns.table)
    for candidate in found.candidates:
        after = board.copy()
        after.push(candidate.move)
        value = reference.minimax(
            after,
            plies[0] - 1,
            plies[1],
            lambda leaf: reference.score(leaf, 0) + worth(leaf, patterns),
            lambda leaf: reference.terminal_score(leaf, 0),
        )
        assert candidate.score == pytest.approx(value, abs=1e-9), (board.fen(), candidate.move)


@settings(max_examples=30)
@given(boards())
def test_patterns_that_are_worth_nothing_change_nothing(board: chess.Board) -> None:
    assume(any(board.legal_moves))
    nothing = Patterns(np.zeros(PATTERN_COUNT), games=1).table
    with_them, without = (search(board, ClassicSettings(plies=1), patterns=each) for each in (nothing, None))
    assert with_them.candidates == without.candidates


def test_text_comes_back() -> None:
    patterns = random_patterns(1)
    again = Patterns.from_text(patterns.to_text())
    assert (again.games, len(again)) == (100, len(NAMES))
    assert np.abs(again.values - patterns.values).max() < 1e-4


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 3, "games": 1, "values": {}}',
        '{"version": 1, "games": -1, "values": {}}',
        '{"version": 1, "games": 1, "values": {"pawn on a1": 1.0}}',
        '{"version": 1, "games": 1, "values": {"pawn on a2": "much"}}',
        '{"version": 1, "games": 1, "values": {"pawn on a2": 1e9}}',
        '{"version": 1, "games": 1, "values": {"pawn on a2": NaN}}',
        '{"version": 1, "games": 1, "values": {"pawn on a2": 1%s}}' % ("0" * 400),
        '{"version": 1, "games": 1, "values": {"pawn on a2": true}}',
        "[" * 100_000,
    ],
)
def test_a_text_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidPatterns, match="expected"):
        Patterns.from_text(text)


def test_patterns_of_the_first_version_are_read() -> None:
    text = '{"version": 1, "games": 7, "values": {"queen on d4": 2.5, "1 queen against none": 30.0}}'
    patterns = Patterns.from_text(text)
    assert (patterns.games, len(patterns)) == (7, 2)
    parts = patterns.parts(pack(chess.Board("4k3/8/8/8/3Q4/8/8/4K3 w - - 0 1")))
    assert [tuple(part) for part in parts] == [("1 queen against none", 1, 30.0), ("queen on d4", 1, 2.5)]


@pytest.mark.parametrize(
    ("fen", "has", "times"),
    [
        ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "pawn can take a loose queen", 1),
        ("4k3/8/8/3q4/4P3/8/8/4K3 b - - 0 1", "pawn attacks a loose queen", 1),
        ("4k3/8/2p5/3q4/4P3/8/8/4K3 w - - 0 1", "pawn can take a guarded queen", 1),
        ("4k3/8/8/8/8/8/r7/1K6 w - - 0 1", "king can take a loose rook", 1),
        ("8/2P5/8/8/8/k7/8/4K3 w - - 0 1", "passed pawn that no king can catch, rank 7", 1),
        ("8/8/8/7k/2P5/8/8/4K3 b - - 0 1", "passed pawn that no king can catch, rank 4", 0),
        ("4k3/8/2p5/2P5/8/8/8/4K3 b - - 0 1", "passed pawn behind a piece, rank 5", 0),
        ("2n1k3/2P5/8/8/8/8/8/4K3 b - - 0 1", "passed pawn behind a piece, rank 7", 1),
        ("4k3/8/8/8/8/8/8/BB2K3 b - - 0 1", "bishop with bishop", 1),
        ("4k3/8/8/3n4/8/8/8/4K3 b - - 0 1", "knight 4 squares from the other king", -1),
        ("4k3/8/8/8/8/8/8/4K3 b - - 0 1", "the move", -1),
        ("4k3/8/8/8/8/8/8/N3K3 b - - 0 1", "a square that a knight reaches", 2),
        ("4k3/8/8/8/8/8/8/3RK3 b - - 0 1", "rook neither guarded nor attacked", 0),
        ("4k3/8/8/8/8/8/R7/4K3 b - - 0 1", "rook neither guarded nor attacked", 1),
        ("4k3/R7/8/8/8/8/8/4K3 b - - 0 1", "a square next to the other king that a rook reaches", 3),
        ("4k3/7p/8/8/8/8/8/4K3 b - - 0 1", "pawn on h2, few pieces", -1),
    ],
)
def test_what_the_names_say(fen: str, has: str, times: int) -> None:
    board = chess.Board(fen)
    assert counted(board).get(has, 0) == times
    counts = np.zeros((1, PATTERN_COUNT), dtype=np.int16)
    count_patterns([pack(board)], counts)
    assert counts[0, NUMBERS[has]] == times


def test_a_tables_patterns_are_read_again_when_they_have_changed() -> None:
    with QTable.in_memory() as table:
        assert patterns_of(table) is None
        table.set_note(NOTE, random_patterns(1).to_text())
        first = patterns_of(table)
        assert first is patterns_of(table)
        table.set_note(NOTE, random_patterns(2).to_text())
        second = patterns_of(table)
        assert first is not None
        assert second is not None
        assert np.abs(first.values - second.values).max() > 1
        table.set_note(NOTE, None)
        assert patterns_of(table) is None


def test_an_engine_plays_without_patterns_that_cannot_be_used_and_says_so_once() -> None:
    reports: list[str] = []
    with QTable.in_memory() as table:
        table.set_note(NOTE, "[]")
        with he.Engine(table, mode="classic", record="off", report=reports.append) as engine:
            for _ in range(2):
                assert engine.pick_move(chess.Board()).score == pytest.approx(0.0, abs=20)
        with pytest.raises(TableCorrupt, match="learn --rebuild"):
            patterns_of(table)
    (said,) = reports
    assert "note 'patterns' that cannot be used" in said


def test_piece_values_are_read_off() -> None:
    values = np.zeros(PATTERN_COUNT)
    values[NUMBERS["1 queen against none"]] = 30.0
    values[[NUMBERS["queen on d1"], NUMBERS["queen on d2"]]] = 2.0, 4.0
    assert piece_values(Patterns(values, games=1))["queen"] == pytest.approx(33.0)


def test_what_counts_most_of_attacks_and_passed_pawns_is_read_off() -> None:
    values = np.zeros(PATTERN_COUNT)
    values[NUMBERS["pawn can take a loose queen"]] = 30.0
    values[NUMBERS["passed pawn that no king can catch, rank 7"]] = 50.0
    values[NUMBERS["queen on d1"]] = 90.0
    assert greatest_threats(Patterns(values, games=1), most=2) == [
        "passed pawn that no king can catch, rank 7 +50.0",
        "pawn can take a loose queen +30.0",
    ]


def test_an_engine_plays_by_its_tables_patterns_and_says_so() -> None:
    values = np.zeros(PATTERN_COUNT)
    values[NUMBERS["pawn on a3"]] = 500.0
    with QTable.in_memory() as table:
        table.set_note(NOTE, Patterns(values, games=1).to_text())
        with he.Engine(table, mode="classic", record="off", plies=1) as engine:
            assert engine.pick_move(chess.Board()).move == chess.Move.from_uci("a2a3")
            after = chess.Board()
            after.push_uci("a2a3")
            report = engine.report(after)
            assert [tuple(part) for part in report.patterns] == [("pawn on a3", 1, 500.0)]
            assert report.standing.static == pytest.approx(he.score(after) + 500.0)
            why = engine.why(chess.Board(), chess.Move.from_uci("a2a3"))
            assert [part.change for part in why.asked.parts if part.name == "pawn on a3"] == [500.0]
