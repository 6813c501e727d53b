"""What the engine found, as lines of `info`."""

from collections.abc import Sequence

import chess

from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.engines.pick import FoundDepth
from heatmap_engine.winning_chances import Unit

# From when on the GUI hears which move is being looked at.
LONG_S = 1.0


def info_lines(
    board: chess.Board,
    found: FoundDepth,
    ranked: Sequence[Candidate],
    unit: Unit,
    *,
    hash_permille: int | None,
    with_wdl: bool,
) -> list[str]:
    """A line for each of these candidates, the best first; the effort is that of all together."""
    milliseconds = round(found.seconds * 1000)
    speed = round(found.moves_visited / max(found.seconds, 0.001))
    hash_full = "" if hash_permille is None else f"hashfull {hash_permille} "
    hits = f"tbhits {found.tablebase_hits} " if found.tablebase_hits else ""
    effort = f"nodes {found.moves_visited} nps {speed} time {milliseconds} {hash_full}{hits}"
    return [
        f"info depth {candidate.depth or found.depth} seldepth {found.selective_depth} multipv {number} "
        f"{score_text(board, candidate, unit, with_wdl=with_wdl, is_sure=found.tablebase_hits > 0)} {effort}"
        f"pv {' '.join(move.uci() for move in candidate.line)}"
        for number, candidate in enumerate(ranked, 1)
    ]


def currmove_line(move: str, number: int) -> str:
    return f"info currmove {move} currmovenumber {number}"


def score_text(
    board: chess.Board, candidate: Candidate, unit: Unit, *, with_wdl: bool, is_sure: bool = False
) -> str:
    """The score for the side to move: a mate, or else centipawns. A score of 0 that is sure is a draw."""
    score = movers_view(board.turn, candidate.score)
    if candidate.mate_in is None:
        text = f"score cp {unit.centipawns(score)}"
        is_drawn = (is_sure and not score) or _ends_drawn(board, candidate)
        wdl = (0, 1000, 0) if is_drawn else unit.chances(score).per_mille()
    else:
        text = f"score mate {candidate.mate_in}"
        wdl = (1000, 0, 0) if candidate.mate_in > 0 else (0, 0, 1000)
    return f"{text} wdl {wdl[0]} {wdl[1]} {wdl[2]}" if with_wdl else text


def shortest_mate_first(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """The candidates with the shortest mate in front, if the first ones are mates of equal score.

    In classic mode a mate counts for the pieces on the board and not for its length: without this, one of
    equal ones would be put off for ever.
    """
    equal = [candidate for candidate in candidates if candidate.score == candidates[0].score]
    if min(candidate.mate_in or 0 for candidate in equal) <= 0:
        return candidates
    first = min(equal, key=lambda candidate: candidate.mate_in or 0)
    return (first, *(candidate for candidate in candidates if candidate is not first))


def _ends_drawn(board: chess.Board, candidate: Candidate) -> bool:
    """Whether the line ends with a draw by the rules, which is no estimate."""
    if candidate.score or candidate.from_table:
        return False
    end = board.copy(stack=False)
    for move in candidate.line:
        end.push(move)
    return end.outcome(claim_draw=False) is not None


def over_lines(board: chess.Board) -> list[str]:
    """The answer where there is no legal move."""
    score = "score mate 0" if board.is_check() else "score cp 0"
    return [f"info depth 0 {score}", "bestmove (none)"]
