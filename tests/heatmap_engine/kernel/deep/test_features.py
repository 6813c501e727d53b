"""Each feature counts what its name says: held against plain counting, and positions counted by hand."""

from collections import Counter
from itertools import combinations_with_replacement

import chess
import numpy as np
import pytest
from hypothesis import assume, given, settings
from strategies import boards

from heatmap_engine.board.reading import pack
from heatmap_engine.kernel.deep.evaluation import NAMES, count_sides
from heatmap_engine.reference import landing_square

PIECES = ("pawn", "knight", "bishop", "rook", "queen", "king")
CENTRE = chess.SquareSet(chess.square(file, rank) for file in range(2, 6) for rank in range(2, 6))  # c3 to f6

# The groups that are counted plainly below.
COUNTED = (
    "man",
    "standing",
    "own-king",
    "their-king",
    "with",
    "against",
    "move",
    "moves",
    "landing",
    "check",
    "on-loose",
    "hanging",
    "loose",
    "pressure",
    "pressers",
    "attack",
    "castle",
)


def sides(board: chess.Board) -> tuple[dict[str, int], dict[str, int]]:
    """What the mover and the other side have of each feature, what is zero left out."""
    counts = np.zeros((1, 2, len(NAMES)), np.int16)
    count_sides([pack(board)], counts, np.zeros(1, np.int16))
    mover, other = ({name: int(n) for name, n in zip(NAMES, row, strict=True) if n} for row in counts[0])
    return mover, other


def name_of(piece: chess.PieceType) -> str:
    return PIECES[piece - 1]


def squares_by_piece(board: chess.Board, color: chess.Color) -> list[tuple[str, chess.Square]]:
    return [
        (name_of(piece.piece_type), at) for at, piece in board.piece_map().items() if piece.color == color
    ]


def box_of(board: chess.Board, color: chess.Color) -> chess.SquareSet:
    king = board.king(color)
    assert king is not None
    return chess.SquareSet(chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king])


def guarded_by(board: chess.Board, color: chess.Color, pieces: tuple[str, ...] = PIECES) -> chess.SquareSet:
    found = chess.SquareSet()
    for piece, square in squares_by_piece(board, color):
        if piece in pieces:
            found |= board.attacks(square)
    return found


def landings(board: chess.Board) -> dict[chess.Square, list[chess.Square]]:
    """Where each piece of the side to move may land; a promotion is four, a step and castling are one."""
    found: dict[chess.Square, list[chess.Square]] = {square: [] for square in board.piece_map()}
    for move in board.legal_moves:
        square = landing_square(board, move)
        if move.promotion or square not in found[move.from_square]:
            found[move.from_square].append(square)
    return found


class Plain:
    """What White, who is to move, has of the counted groups."""

    def __init__(self, board: chess.Board) -> None:
        self.board = board
        self.counts: Counter[str] = Counter()
        self.own = squares_by_piece(board, chess.WHITE)
        self.their = squares_by_piece(board, chess.BLACK)
        self.their_box = box_of(board, chess.BLACK)
        self.their_guards = guarded_by(board, chess.BLACK)
        self.pawn_guards = guarded_by(board, chess.BLACK, PIECES[:1])
        passed = board.copy()
        passed.push(chess.Move.null())
        reached = landings(passed)
        # Pawns are left out: where they may take is among what they guard, where they step takes nothing.
        self.reached, self.without_king = self.pawn_guards.copy(), self.pawn_guards.copy()
        for piece, square in self.their:
            if piece != "pawn":
                self.reached |= chess.SquareSet(reached[square])
            if piece not in ("pawn", "king"):
                self.without_king |= chess.SquareSet(reached[square])
        self.count_pieces()
        self.count_heat()
        self.count_unguarded()

    def count_pieces(self) -> None:
        own, their = (Counter(piece for piece, _ in side) for side in (self.own, self.their))
        for piece, square in self.own:
            if piece != "king":
                self.counts[f"man {piece}"] += 1
                for whose, color, first in (("own", chess.WHITE, -3), ("their", chess.BLACK, -4)):
                    king = self.board.king(color)
                    assert king is not None
                    files = min(abs(chess.square_file(square) - chess.square_file(king)), 4)
                    ranks = chess.square_rank(square) - chess.square_rank(king)
                    self.counts[f"{whose}-king {piece} {files} {min(max(ranks, first), first + 7):+d}"] += 1
            file = min(chess.square_file(square), 7 - chess.square_file(square))
            self.counts[
                f"standing {piece} {chess.square_name(chess.square(file, chess.square_rank(square)))}"
            ] += 1
        for one, other in combinations_with_replacement(PIECES[:5], 2):
            if other != "pawn":
                self.counts[f"with {one} {other}"] = own[one] * own[other]
            if one != other:
                self.counts[f"against {one} {other}"] = own[one] * their[other]
        self.counts["castle short"] = self.board.has_kingside_castling_rights(chess.WHITE)
        self.counts["castle long"] = self.board.has_queenside_castling_rights(chess.WHITE)

    def count_heat(self) -> None:
        pressure = pressers = 0
        for square, targets in landings(self.board).items():
            if self.board.color_at(square) != chess.WHITE:
                continue
            piece = name_of(self.board.piece_type_at(square) or chess.PAWN)
            if piece == "pawn":
                self.counts["move pawn"] += len(targets)
            else:
                self.counts[f"moves {piece} {len(targets)}"] += 1
            boxed = sum(target in self.their_box for target in targets)
            pressure += boxed
            pressers += piece != "pawn" and boxed > 0
            for target in targets:
                self.count_landing(square, piece, target)
        self.counts[f"pressure {min(pressure, 23)}"] = 1
        self.counts[f"pressers {min(pressers, 7)}"] = 1
        self.counts[f"attack {min(pressers, 5)} {min(pressure, 15)}"] = 1

    def count_landing(self, square: chess.Square, piece: str, target: chess.Square) -> None:
        is_taken = self.board.color_at(target) == chess.BLACK  # castling may land on the own rook's square
        victim = self.board.piece_type_at(target) if is_taken else None
        lands_on = {
            "far half": chess.square_rank(target) >= 4,
            "centre": target in CENTRE,
            "own box": target in box_of(self.board, chess.WHITE),
            "their box": target in self.their_box,
            "guarded": target in self.pawn_guards,
        }
        if victim:
            lands_on[name_of(victim)] = True
            self.counts[f"on-loose {piece} {name_of(victim)}"] += target not in self.their_guards
        safe = target not in self.reached
        if piece != "pawn":
            lands_on["safe"] = safe
            lands_on["weak box"] = target in self.their_box and target not in self.without_king
        for where, is_there in lands_on.items():
            self.counts[f"landing {piece} {where}"] += is_there
        if piece in PIECES[1:5] and target in self.seen_from_king(piece):
            self.counts[f"check {piece} any"] += 1
            self.counts[f"check {piece} safe"] += safe

    def seen_from_king(self, piece: str) -> chess.SquareSet:
        """The squares from which such a piece would attack their king as the board stands."""
        king = self.board.king(chess.BLACK)
        assert king is not None
        board = self.board.copy(stack=False)
        board.set_piece_at(king, chess.Piece(PIECES.index(piece) + 1, chess.WHITE))
        return board.attacks(king)

    def count_unguarded(self) -> None:
        guards = guarded_by(self.board, chess.WHITE)
        for piece, square in self.own:
            if piece != "king" and square not in guards:
                self.counts[f"loose {piece}"] += 1
                self.counts[f"hanging {piece}"] += square in self.reached


@settings(max_examples=300)
@given(boards())
def test_features_with_several_indices_count_what_their_names_say(board: chess.Board) -> None:
    assume(not board.is_check())
    board = board if board.turn == chess.WHITE else board.mirror()
    expected = {name: count for name, count in Plain(board).counts.items() if count}
    found = {name: count for name, count in sides(board)[0].items() if name.split()[0] in COUNTED}
    assert found == expected, board.fen()


BY_HAND = {
    "r4rk1/p4p2/1p4p1/3pN3/2PP1B2/P7/PP3PPP/1R2R1K1 w - - 0 1": {
        "shelter 3": 1,
        "supported rank 2": 1,
        "phalanx rank 1": 5,
        "phalanx rank 3": 2,
        "doubled": 1,
        "rook open": 1,
        "cover beside 1": 2,
        "cover 1": 1,
        "storm beside 0": 1,
        "storm beside 6": 1,
        "storm 5": 1,
        "bishop pawns 5": 1,
    },
    "6k1/8/3r4/3P4/4P3/1P1K4/1P6/3R4 w - - 0 1": {
        "shelter 2": 1,
        "passed rank 2": 1,
        "passed rank 3": 1,
        "passed rank 4": 1,
        "passed blocked rank 4": 1,
        "passed own king 2": 1,
        "passed own king 3": 1,
        "passed their king 3": 2,
        "supported rank 4": 1,
        "isolated": 2,
        "doubled": 1,
        "cover beside 0": 1,
        "cover beside 3": 1,
        "cover 4": 1,
        "storm beside 0": 2,
        "storm 0": 1,
        "passed free rank 2": 1,
        "passed free rank 3": 1,
        "rook behind passed": 1,
        "ending pawn rooks": 4,
        "passed guarded rank 4": 1,
    },
    "4k3/1P6/P7/4K3/8/8/8/R7 w - - 0 1": {
        "shelter 0": 1,
        "passed rank 5": 1,
        "passed rank 6": 1,
        "passed own king 3": 1,
        "passed own king 4": 1,
        "passed their king 3": 1,
        "passed their king 4": 1,
        "supported rank 6": 1,
        "cover beside 0": 2,
        "cover 0": 1,
        "storm beside 0": 2,
        "storm 0": 1,
        "passed free rank 5": 1,
        "passed free rank 6": 1,
        "passed open rank 5": 1,
        "passed open rank 6": 1,
        "rook behind passed": 1,
        "lone ring 0": 1,
        "lone near 3": 1,
        "passed guarded rank 6": 1,
    },
}

# Of these only what the position is there for.
BY_HAND_IN_PART = {
    "8/8/8/3NB3/3K4/8/8/k7 w - - 0 1": {
        "lone ring 0": 1,
        "lone near 3": 1,
        "lone corner 0": 1,
        "bishop pawns 0": 1,
    },
    "8/8/7k/7P/2B2K2/7P/8/8 w - - 0 1": {"wrong corner": 1, "wrong pawn": 2, "bishop pawns 2": 1},
    "8/6k1/8/8/2B2K2/7P/8/8 w - - 0 1": {"wrong corner": 1, "wrong pawn": 1, "last pawn": 0},
    "4k3/3pb1p1/8/3p1p2/2B5/3P1P2/1P4P1/2B1K3 w - - 0 1": {
        "bishop pair": 1,
        "bishop pawns 1": 1,
        "bishop pawns 3": 1,
        "storm beside 4": 2,
    },
    "2b1k3/8/8/8/3N4/2P5/8/4K3 w - - 0 1": {"outpost knight": 1, "last pawn": 1, "ending pawn minors": 1},
    "4kb2/8/8/8/3NN3/3K4/8/8 w - - 0 1": {"bare lead": 3, "bare knights": 0},
    "4k3/5p2/8/8/3NN3/3K4/8/8 w - - 0 1": {"bare lead": 0, "bare knights": 1},
    "2q1k3/8/8/8/8/1P1P4/2P5/2Q1K3 w - - 0 1": {"ending pawn queens": 3, "supported rank 2": 2},
    "2r1k3/2b5/8/8/8/1P1P4/1BP5/2R1K3 w - - 0 1": {"ending pawn rooks and minors": 3},
    "4k3/6p1/8/3p4/5p2/3P1P2/1P2P3/4K3 w - - 0 1": {
        "backward": 1,
        "backward open": 1,
        "ending pawn pawns": 4,
    },
    "3k4/6p1/4b3/2BP4/RP6/8/8/5K2 w - - 0 1": {"outpost bishop": 1, "rook open": 1, "rook half open": 0},
    "4k3/p7/8/8/8/8/8/R3K3 w - - 0 1": {"rook open": 0, "rook half open": 1},
    "3bk3/p7/8/8/8/3B4/P1P5/4K3 w - - 0 1": {"ending pawn opposite bishops": 2},
    "r2bk3/p7/8/8/8/3B4/P1P5/R3K3 w - - 0 1": {"ending pawn with opposite bishops": 2},
    "4k3/8/8/3PP3/8/8/8/4K3 w - - 0 1": {"passed rank 4": 2, "passed beside rank 4": 2, "phalanx rank 4": 2},
}


@pytest.mark.parametrize("fen", BY_HAND)
def test_other_features_by_hand(fen: str) -> None:
    found = {
        name: count
        for name, count in sides(chess.Board(fen))[0].items()
        if name.split()[0] not in (*COUNTED, "turn", "tempo")
    }
    assert found == BY_HAND[fen]


@pytest.mark.parametrize("fen", BY_HAND_IN_PART)
def test_features_that_need_a_position_of_their_own(fen: str) -> None:
    found, expected = sides(chess.Board(fen))[0], BY_HAND_IN_PART[fen]
    assert {name: found.get(name, 0) for name in expected} == expected


def test_the_one_on_the_move_has_the_tempo_alone() -> None:
    mover, other = sides(chess.Board())
    assert mover["tempo"] == 1
    assert not [name for name in other if name.startswith(("tempo", "turn"))]


def test_no_group_is_left_out() -> None:
    by_hand = {name for table in (BY_HAND, BY_HAND_IN_PART) for counts in table.values() for name in counts}
    groups = {name.rstrip("0123456789").strip() for name in by_hand}
    missing = [
        name
        for name in NAMES
        if name.split()[0] not in (*COUNTED, "turn", "tempo")
        and name.rstrip("0123456789").strip() not in groups
    ]
    assert missing == []
