"""What endgame tables mean to the deep search: the moves to choose from, their values, what is recorded."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import chess

from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.board.tablebases import Ruling, Standing
from heatmap_engine.deep.entries import entry_of
from heatmap_engine.deep.mates import is_mate
from heatmap_engine.kernel.deep.search import MAX_DEPTH
from heatmap_engine.winning_chances import TABLEBASE_WIN
from qtable import Entry

# What is won or lost but for the rule of fifty moves is a draw.
_VALUES = {Standing.WON: TABLEBASE_WIN, Standing.LOST: -TABLEBASE_WIN}


def ruled(candidate: Candidate, standing: Standing, turn: chess.Color) -> Candidate:
    """The candidate with the value that its move has; a mate that the search has found says more."""
    value = _VALUES.get(standing, 0)
    if value * (candidate.mate_in or 0) > 0:
        return candidate
    return replace(candidate, score=movers_view(turn, float(value)), mate_in=None)


def ruled_lines(
    searched: Iterable[Candidate], ruling: Ruling, turn: chess.Color, lines: int
) -> tuple[Candidate, ...]:
    """The lines that were searched, and then, of other moves, as many as are wanted: these were not."""
    found = [ruled(candidate, ruling.standing, turn) for candidate in searched]
    for move, standing in ruling.others[: max(lines - len(found), 0)]:
        found.append(ruled(Candidate(move, 0.0, (move,), from_table=False), standing, turn))
    return tuple(found)


def ruled_candidates(
    candidates: Iterable[Candidate], ruling: Ruling, turn: chess.Color
) -> tuple[Candidate, ...]:
    """The candidates that the tables know, the best first."""
    known = dict.fromkeys(ruling.moves, ruling.standing) | dict(ruling.others)
    found = [candidate for candidate in candidates if candidate.move in known]
    found.sort(key=lambda candidate: -known[candidate.move])
    return tuple(ruled(candidate, known[candidate.move], turn) for candidate in found)


def ruled_entries(key: str, ruling: Ruling, searched: Mapping[str, Entry]) -> dict[str, Entry]:
    """What there is to record at a root that tables know: what is true at any depth.

    That is a draw, and a mate that the search has found. A win is none: its entry would end every search
    that comes by, before this finds the mate.
    """
    mates = {each: entry for each, entry in searched.items() if is_mate(entry.value)}
    if ruling.standing == Standing.DRAWN and not ruling.is_by_clock:
        return {**mates, key: entry_of(0, MAX_DEPTH)}
    return mates
