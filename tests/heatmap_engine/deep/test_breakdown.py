"""The deep evaluation taken apart: its parts add up exactly, and mirror with the colours."""

from dataclasses import replace

import chess
import pytest
from hypothesis import assume, given, settings
from nets import random_net
from strategies import STARTS, boards, playout

from heatmap_engine.board.breakdown import Part
from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.board.ends import terminal
from heatmap_engine.board.heat import both_sides_heat
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.breakdown import (
    MATERIAL,
    MOBILITY,
    PHASE,
    PRESSURE,
    TEMPO,
    TOGETHER,
    DeepBreakdown,
    group_of,
)
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.engines.engine import Engine
from heatmap_engine.kernel.deep.evaluation import NAMES, weigh
from heatmap_engine.limits import Limits
from heatmap_engine.reports.why import Reason, Verdict, reason_of

WEIGHTS = learned_weights()
HANGING_QUEEN = "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"


def searched(board: chess.Board, depth: int, *moves: chess.Move) -> Reason:
    """Searches all moves: what a selective search leaves out today is not what is tested here."""
    search = DeepSearch(WEIGHTS, hash_mib=1, techniques=())
    found = search.search(board, Limits(depth=depth), moves=moves)
    score = movers_view(board.turn, float(found.value))
    candidate = Candidate(found.move, score, found.line, False, found.mate_in, found.depth)
    verdict = Verdict(candidate=candidate, depth=found.depth, nodes=found.nodes)
    return reason_of(board, verdict, DeepBreakdown(WEIGHTS))


def explained(board: chess.Board, line: tuple[chess.Move, ...]) -> Reason:
    """As if a search had found this line."""
    candidate = Candidate(line[0], 0.0, line, False)
    return reason_of(board, Verdict(candidate=candidate, depth=len(line), nodes=1), DeepBreakdown(WEIGHTS))


def line_in(board: chess.Board, seed: int, plies: int) -> tuple[chess.Move, ...]:
    end = playout(board.fen(en_passant="fen"), plies, seed)
    return tuple(end.move_stack)


def mirrored(move: chess.Move) -> chess.Move:
    return chess.Move(
        chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
    )


def value_without_net(board: chess.Board) -> float:
    return weigh(pack(board), replace(WEIGHTS, net=None).table) * (1 if board.turn else -1)


def value_for_white(board: chess.Board) -> float:
    return weigh(pack(board), WEIGHTS.table) * (1 if board.turn else -1)


@settings(max_examples=150)
@given(boards())
def test_parts_add_up_to_what_the_kernel_says_of_both_ends(board: chess.Board) -> None:
    line = line_in(board, board.ply(), 6)
    assume(line)
    why = explained(board, line)
    assume(why.root.value is not None and why.leaf.value is not None)
    change = value_for_white(why.leaf.board) - value_for_white(board)
    assert sum(part.change for part in why.parts) == pytest.approx(change, abs=1e-9), board.fen()
    assert why.change == pytest.approx(change, abs=1e-9)
    sizes = [abs(part.change) for part in why.parts]
    assert sizes == sorted(sizes, reverse=True)


@settings(max_examples=100)
@given(boards())
def test_what_the_net_adds_is_a_part_of_its_own(board: chess.Board) -> None:
    weights = replace(WEIGHTS, net=random_net(7))
    line = line_in(board, board.ply(), 4)
    assume(line)
    end = board.copy()
    for move in line:
        end.push(move)
    assume(not board.is_check() and not end.is_check() and terminal(board) is None and terminal(end) is None)
    parts = DeepBreakdown(weights).changes(board, end)
    ends = [weigh(pack(at), weights.table) * (1 if at.turn else -1) for at in (board, end)]
    assert sum(part.change for part in parts) == pytest.approx(ends[1] - ends[0], abs=1e-9)
    by_net = [value - value_without_net(at) for value, at in zip(ends, (board, end), strict=True)]
    together = sum(part.change for part in parts if part.name == TOGETHER)
    assert together == pytest.approx(by_net[1] - by_net[0], abs=1e-9)
    without = DeepBreakdown(replace(WEIGHTS, net=None)).changes(board, end)
    assert all(part.name != TOGETHER for part in without)


def test_parts_are_explained_in_most_lines() -> None:
    """The property above would hold of no parts at all, if every line were silent."""
    lines = [
        (board, line_in(board, seed, 6)) for seed in range(40) for board in [playout(STARTS[0], 8, seed)]
    ]
    assert sum(bool(explained(board, line).parts) for board, line in lines) > 25


@settings(max_examples=100)
@given(boards())
def test_mirrored_colours_have_mirrored_parts(board: chess.Board) -> None:
    line = line_in(board, board.ply(), 5)
    assume(line)
    one, other = explained(board, line), explained(board.mirror(), tuple(map(mirrored, line)))

    def as_table(parts: tuple[Part, ...], *, is_mirrored: bool) -> dict[object, tuple[object, ...]]:
        sign = -1 if is_mirrored else 1
        return {
            (None if part.color is None else part.color ^ is_mirrored, part.name): (
                part.before,
                part.after,
                round(sign * part.change, 9) + 0.0,
            )
            for part in parts
            if abs(part.change) > 1e-9 or part.before != part.after
        }

    assert as_table(one.parts, is_mirrored=False) == as_table(other.parts, is_mirrored=True)
    for color in chess.COLORS:
        heat = other.heat_change[not color].reshape(8, 8)[::-1].ravel()
        assert (one.heat_change[color] == heat).all()
        assert one.lost[color] == other.lost[not color]


@settings(max_examples=100)
@given(boards())
def test_numbers_are_the_moves_of_the_heat(board: chess.Board) -> None:
    line = line_in(board, board.ply(), 4)
    assume(line)
    why = explained(board, line)
    for part in why.parts:
        if part.color is None or part.name not in (MOBILITY, PRESSURE, MATERIAL):
            continue
        for evaluation, number in ((why.root, part.before), (why.leaf, part.after)):
            assert number == counted(part, evaluation.board), (part, evaluation.board.fen())


def counted(part: Part, board: chess.Board) -> int:
    """The same number from the board itself."""
    assert part.color is not None
    heat = both_sides_heat(board)[part.color]
    if part.name == MOBILITY:
        return int(heat.sum())
    if part.name == MATERIAL:
        return len(chess.SquareSet(board.occupied_co[part.color])) - 1  # the king is never lost
    king = board.king(not part.color)
    assert king is not None
    return int(sum(heat[square] for square in (king, *chess.SquareSet(chess.BB_KING_ATTACKS[king]))))


def test_every_feature_has_its_words() -> None:
    groups = {group_of(name) for name in NAMES}
    assert {MATERIAL, MOBILITY, PRESSURE, TEMPO} <= groups
    assert PHASE not in groups
    assert group_of("landing rook their box") == PRESSURE
    assert group_of("landing pawn queen") == "attacks on pieces"


def test_a_hanging_queen_is_won() -> None:
    best = searched(chess.Board(HANGING_QUEEN), 3)
    assert best.board.san(best.move) == "Nxh4"
    assert best.lost[chess.BLACK][chess.QUEEN] == 1
    pieces = next(part for part in best.parts if (part.color, part.name) == (chess.BLACK, MATERIAL))
    assert pieces.change > 0
    assert pieces.before is not None
    assert pieces.after is not None
    assert pieces.after < pieces.before


def test_the_search_says_what_its_leaf_is_worth() -> None:
    """Lines end at the positions that were weighed: the value differs by the rounding alone."""
    beyond = []
    for seed in range(12):
        board = playout(STARTS[0], 10, seed)
        why = searched(board, 3)
        if why.beyond is not None:
            beyond.append(abs(why.beyond))
    assert sorted(beyond)[len(beyond) // 2] < 1


def test_another_move_is_explained_beside_the_best() -> None:
    board = chess.Board(HANGING_QUEEN)
    with Engine(record="off") as engine:
        why = engine.why(board, board.parse_san("a3"), Limits(depth=3))
    assert not why.is_best
    assert board.san(why.asked.move) == "a3"
    assert why.asked.line[0] == why.asked.move
    assert why.asked.score < why.best.score
    assert (why.asked.rank, why.asked.next_reply, why.asked.without_table) == (None, None, None)


@pytest.mark.parametrize(
    ("fen", "san", "mate_in"),
    [
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", "Kf7", 2),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra8#", 1),
        ("r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", "Ra1#", 1),
    ],
)
def test_a_mate_has_no_parts_and_says_so(fen: str, san: str, mate_in: int) -> None:
    board = chess.Board(fen)
    why = searched(board, 4, board.parse_san(san))
    assert (why.mate_in, why.leaf.silence, why.parts, why.change) == (mate_in, "checkmate", (), None)
    assert (why.score > 0) == board.turn


def test_a_move_into_mate_counts_the_moves_to_it() -> None:
    board = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2")
    why = searched(board, 3, board.parse_san("g4"))
    assert why.mate_in == -1
    assert why.leaf.silence == "checkmate"


def test_in_check_there_is_no_evaluation() -> None:
    board = chess.Board("4k3/8/8/8/8/8/4r3/4K2R w - - 0 1")
    why = explained(board, (board.parse_san("Kxe2"),))
    assert (why.root.silence, why.root.value, why.parts) == ("check", None, ())
    assert why.leaf.value is not None
    assert both_sides_heat(board)[chess.BLACK].sum() == 0
