"""Games of the deep search against itself, and what it saw at each position: what weights learn from."""

import random
from dataclasses import dataclass

import chess

from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.ends import terminal
from heatmap_engine.deep.search import DeepResult, DeepSearch
from heatmap_engine.limits import Limits

MAX_GAME_PLIES = 400


@dataclass(frozen=True, slots=True)
class Moment:
    """One position of a game, and what the search from it came to, for White.

    `position` is empty where nothing is learned; the value counts for the positions before it all the same.
    `is_stray`: another move was played than the search's, so that what followed says nothing of the value.
    """

    position: str
    value: int
    is_stray: bool = False


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
    epsilon: float = 0.0,
    is_blind: bool = False,
) -> DeepGame:
    """Play on from `board`, first `random_plies` at random, then each move with probability `epsilon`.

    A blind search, whose weights are all zero, goes on at random until it sees a mate. A game ends by the
    rules, by an announced mate, which is no moment, or without a winner after MAX_GAME_PLIES.
    """
    search.clear()
    _play_at_random(board, random_plies, rng)
    moments: list[Moment] = []
    limits = Limits(nodes=nodes)
    while (end := terminal(board)) is None and board.ply() < MAX_GAME_PLIES:
        found = search.search(board, limits)
        if found.mate_in is not None:
            return DeepGame(tuple(moments), float((found.value > 0) == board.turn))
        is_random = is_blind or rng.random() < epsilon
        move = rng.choice(list(board.legal_moves)) if is_random else found.move
        moments.append(_blind_moment(board) if is_blind else _moment(board, found, move))
        board.push(move)
    return DeepGame(tuple(moments), float(not board.turn) if end == "checkmate" else 0.5)


def _play_at_random(board: chess.Board, plies: int, rng: random.Random) -> None:
    for _ in range(plies):
        moves = list(board.legal_moves)
        if moves:
            board.push(rng.choice(moves))


def _moment(board: chess.Board, found: DeepResult, played: chess.Move) -> Moment:
    value = int(movers_view(board.turn, found.value))
    is_learned = is_quiet(board, found.move) and not _is_drawn_by_history(board, found)
    position = _text(board) if is_learned else ""
    return Moment(position, value, is_stray=played != found.move)


def _is_drawn_by_history(board: chess.Board, found: DeepResult) -> bool:
    """Whether the value is a repetition's or fifty moves': it belongs to the game and not to the position."""
    if found.value != 0:
        return False
    board = board.copy(stack=board.halfmove_clock)
    for move in found.line:
        board.push(move)
    return board.is_fifty_moves() or board.is_repetition(2)


def _blind_moment(board: chess.Board) -> Moment:
    """Its move says nothing of what there is to take, so that only checks are left out."""
    return Moment("" if board.is_check() else _text(board), 0)


def is_quiet(board: chess.Board, best: chess.Move) -> bool:
    """Whether the evaluation alone may be asked: what is best taken, quiescence sees."""
    return not (board.is_check() or board.is_capture(best) or best.promotion)


def _text(board: chess.Board) -> str:
    return board.fen(en_passant="fen")
