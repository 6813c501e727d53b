"""Games of the deep search against itself, and what each of its searches foresaw: what weights learn from."""

import random
from collections.abc import Container
from dataclasses import dataclass, replace

import chess

from heatmap_engine import scoring
from heatmap_engine.deep import DeepLimits, DeepResult, DeepSearch
from heatmap_engine.heat_weights import DeepWeights
from heatmap_engine.kernel.evaluation import weigh
from heatmap_engine.positions import pack

MOST_PLIES = 400
CALM = 50  # how far a search from a calm position may see from the evaluation, in units


@dataclass(frozen=True, slots=True)
class Moment:
    """One position of a game: what its search foresaw, for White, and where the expected line ends.

    `leaf` is empty where the evaluation had no say: in check, or where the line ends the game. `seen` is what
    a search from the leaf itself came to, for White; None where there was none, or the leaf was not calm.
    """

    leaf: str
    value: int
    seen: int | None = None


@dataclass(frozen=True, slots=True)
class DeepGame:
    """A game, and how it ended: 1 for White, 0 for Black, a half for neither."""

    moments: tuple[Moment, ...]
    result: float


def play_deep_game(
    search: DeepSearch,
    board: chess.Board,
    nodes: int,
    random_plies: int,
    rng: random.Random,
    *,
    is_blind: bool = False,
) -> DeepGame:
    """Play on from `board`, first `random_plies` at random.

    A blind search, whose weights are all zero, goes on at random until it sees a mate. A game ends by the
    rules, by an announced mate, or without a winner after MOST_PLIES.
    """
    search.clear()
    for _ in range(random_plies):
        moves = list(board.legal_moves)
        if moves:
            board.push(rng.choice(moves))
    moments: list[Moment] = []
    limits = DeepLimits(nodes=nodes)
    while (end := scoring.terminal(board)) is None and board.ply() < MOST_PLIES:
        found = search.search(board, limits)
        if found.mate_in is not None:
            return DeepGame(tuple(moments), float((found.value > 0) == board.turn))
        if is_blind:  # its line leads anywhere, and its game elsewhere
            moments.append(Moment("" if board.is_check() else _text(board), 0))
            board.push(rng.choice(list(board.legal_moves)))
        else:
            moments.append(Moment(leaf_of(board, found), found.value if board.turn else -found.value))
            board.push(found.move)
    return DeepGame(tuple(moments), float(not board.turn) if end == "checkmate" else 0.5)


def leaf_of(board: chess.Board, found: DeepResult) -> str:
    """Where the line ends that the search expects, if the evaluation speaks there."""
    board = board.copy(stack=board.halfmove_clock if found.value == 0 else False)
    for move in found.line:
        board.push(move)
    if board.is_check() or not any(board.generate_legal_moves()):
        return ""
    if found.value == 0 and (scoring.terminal(board) is not None or board.is_repetition(2)):
        return ""
    return _text(board)


def look_again(
    search: DeepSearch, weights: DeepWeights, game: DeepGame, nodes: int, numbers: Container[int]
) -> DeepGame:
    """The game with a search from each of these leaves, counted from 0, that turns out to be calm.

    Where the search, which begins with an empty memory, sees something quite different from the evaluation
    there are tactics that no feature tells, and `seen` stays None.
    """
    moments: list[Moment] = []
    leaves = 0
    for moment in game.moments:
        if moment.leaf:
            if leaves in numbers:
                moment = replace(moment, seen=_seen_from(moment.leaf, search, weights, nodes))
            leaves += 1
        moments.append(moment)
    return replace(game, moments=tuple(moments))


def _seen_from(leaf: str, search: DeepSearch, weights: DeepWeights, nodes: int) -> int | None:
    board = chess.Board(leaf)
    search.clear()
    value = search.search(board, DeepLimits(nodes=nodes)).value
    if abs(value - weigh(pack(board), weights.table)) > CALM:
        return None
    return value if board.turn else -value


def _text(board: chess.Board) -> str:
    return board.fen(en_passant="fen")
