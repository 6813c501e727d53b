"""Patterns: counted as the obvious code counts them, added to leaves, read back, and nothing without them."""

import chess
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import ENDGAMES, boards

import heatmap_engine as he
from heatmap_engine import reference
from heatmap_engine.board.reading import pack
from heatmap_engine.classic.patterns import NAMES, NOTE, NUMBERS, Patterns, patterns_of, piece_values
from heatmap_engine.classic.search import search
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.errors import InvalidPatterns
from heatmap_engine.kernel.classic.patterns import PATTERN_COUNT, count_patterns
from qtable import QTable
from qtable.errors import TableCorrupt


def counted(board: chess.Board) -> dict[str, int]:
    """How often White has each pattern, less how often Black has it."""
    found: dict[str, int] = {}
    for square, piece in board.piece_map().items():
        seen = square if piece.color == chess.WHITE else chess.square_mirror(square)
        name = f"{chess.piece_name(piece.piece_type)} on {chess.square_name(seen)}"
        found[name] = found.get(name, 0) + (1 if piece.color == chess.WHITE else -1)
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
    counts = np.zeros((1, PATTERN_COUNT), dtype=np.int8)
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
        '{"version": 2, "games": 1, "values": {}}',
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
