"""What the engine found, as lines of `info`."""

from collections.abc import Sequence

import chess

from heatmap_engine.classic.search import Candidate
from heatmap_engine.deep.search import DeepResult
from heatmap_engine.engines.classic import Pick
from heatmap_engine.engines.deep import DeepPick
from heatmap_engine.winning_chances import centipawns, chances, deep_chances

# From when on the GUI hears which move is being looked at.
LONG_S = 1.0


def info_lines(
    board: chess.Board,
    pick: Pick,
    candidates: tuple[Candidate, ...],
    visited: int,
    *,
    lines: int,
    with_wdl: bool,
) -> list[str]:
    """A line for each of the first `lines` candidates; `visited` counts the moves of all depths so far."""
    shown = candidates[:lines]
    depth = f"info depth {pick.plies} seldepth {max(len(candidate.line) for candidate in shown)}"
    effort = counts(visited, pick.seconds)
    return [
        f"{depth} multipv {number} {score_text(board, candidate, with_wdl)} {effort} "
        f"pv {' '.join(move.uci() for move in candidate.line)}"
        for number, candidate in enumerate(shown, 1)
    ]


def counts(visited: int, seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    return f"nodes {visited} nps {round(visited / max(seconds, 0.001))} time {milliseconds}"


def currmove_line(move: str, number: int) -> str:
    return f"info currmove {move} currmovenumber {number}"


def deep_lines(ranked: Sequence[DeepPick | DeepResult], hashfull: int, with_wdl: bool) -> list[str]:
    """A line for each of these, the best first; the effort is that of all together."""
    visited = max(result.nodes for result in ranked)
    seconds = max(result.seconds for result in ranked)
    return [
        f"info depth {result.depth} seldepth {result.deepest} multipv {number} "
        f"{_deep_score_text(result, with_wdl)} {counts(visited, seconds)} hashfull {hashfull} "
        f"pv {' '.join(move.uci() for move in result.line)}"
        for number, result in enumerate(ranked, 1)
    ]


def _deep_score_text(result: DeepPick | DeepResult, with_wdl: bool) -> str:
    if result.mate_in is None:
        text, wdl = f"score cp {result.value}", deep_chances(result.value).per_mille()
    else:
        text, wdl = f"score mate {result.mate_in}", (1000, 0, 0) if result.mate_in > 0 else (0, 0, 1000)
    return f"{text} wdl {wdl[0]} {wdl[1]} {wdl[2]}" if with_wdl else text


def score_text(board: chess.Board, candidate: Candidate, with_wdl: bool) -> str:
    """The score for the side to move: a mate where the line ends with one, else centipawns."""
    score = candidate.score if board.turn == chess.WHITE else -candidate.score
    mate = mate_distance(board, candidate)
    if mate is not None:
        wdl = (1000, 0, 0) if mate > 0 else (0, 0, 1000)
        text = f"score mate {mate}"
    else:
        wdl = _drawn_or(board, candidate, chances(score).per_mille())
        text = f"score cp {centipawns(score)}"
    return f"{text} wdl {wdl[0]} {wdl[1]} {wdl[2]}" if with_wdl else text


def mate_distance(board: chess.Board, candidate: Candidate) -> int | None:
    """In how many moves of its own the side to move mates, or, below zero, is mated."""
    if candidate.from_table or not _end(board, candidate).is_checkmate():
        return None
    moves = (len(candidate.line) + 1) // 2
    return moves if len(candidate.line) % 2 else -moves


def shortest_mate_first(board: chess.Board, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The candidates with the shortest mate in front, if the first ones are mates of equal score.

    A mate counts for the men on the board and not for its length: without this, one of equal ones would be
    put off for ever.
    """
    equal = [c for c in candidates if c.score == candidates[0].score]
    mates = [(mate_distance(board, c) or 0, c) for c in equal]
    if min(distance for distance, _ in mates) <= 0:
        return candidates
    first = min(mates, key=lambda mate: mate[0])[1]
    return (first, *(c for c in candidates if c is not first))


def _drawn_or(
    board: chess.Board, candidate: Candidate, estimate: tuple[int, int, int]
) -> tuple[int, int, int]:
    """A line that ends in a draw is no estimate."""
    if not candidate.from_table and _end(board, candidate).outcome(claim_draw=False) is not None:
        return 0, 1000, 0
    return estimate


def _end(board: chess.Board, candidate: Candidate) -> chess.Board:
    end = board.copy(stack=False)
    for move in candidate.line:
        end.push(move)
    return end


def over_lines(board: chess.Board) -> list[str]:
    """The answer where there is no legal move."""
    score = "score mate 0" if board.is_check() else "score cp 0"
    return [f"info depth 0 {score}", "bestmove (none)"]
