"""A tree that is kept finds what a new one finds, whatever table and patterns have learned in between."""

import random

import chess
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import boards

from heatmap_engine.board.history import game_history
from heatmap_engine.board.reading import pack
from heatmap_engine.classic import kept_trees
from heatmap_engine.classic.kept_trees import KeptTrees
from heatmap_engine.classic.patterns import NAMES
from heatmap_engine.classic.search import SearchResult, search
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.kernel.classic.patterns import PATTERN_COUNT, PatternTable
from heatmap_engine.memory.views import View
from qtable import Entry, QTable


def told(result: SearchResult) -> tuple[object, ...]:
    numbers = result.moves_visited, result.table_hits, result.nodes
    return result.candidates, result.backed_up, result.scored, numbers


def some_patterns(seed: int) -> PatternTable:
    values = np.zeros(PATTERN_COUNT)
    values[sorted(NAMES)] = np.random.default_rng(seed).normal(0, 10, len(NAMES))
    return PatternTable(values)


@settings(max_examples=60)
@given(boards(), st.integers(0, 99), st.booleans(), st.booleans())
def test_a_kept_tree_finds_what_a_new_one_finds(
    board: chess.Board, seed: int, with_all: bool, with_leaves: bool
) -> None:
    """Each time with other patterns, and with other leaves that a table knows."""
    assume(any(board.legal_moves))
    how, kept, rng = ClassicSettings(plies=1), KeptTrees(), random.Random(seed)
    with QTable.in_memory() as table:
        leaves = list(search(board, how, with_leaves=True).scored)
        for turn in range(4):
            view = View(table)
            some = rng.sample(leaves, min(len(leaves), 3 * turn))
            view.record({key: Entry(rng.uniform(-50, 50)) for key in some})
            patterns = some_patterns(turn) if turn % 2 else None
            again, anew = (
                search(
                    board,
                    how,
                    view,
                    with_all=with_all,
                    with_leaves=with_leaves,
                    patterns=patterns,
                    kept=trees,
                )
                for trees in (kept, None)
            )
            assert told(again) == told(anew), board.fen()


def test_a_tree_belongs_to_a_position_with_its_history() -> None:
    """A knight goes out and back: the same position, which may come once less or twice less again."""
    board = chess.Board()
    kept, how = KeptTrees(), ClassicSettings(plies=1)
    places = []
    for _ in range(3):
        search(board, how, kept=kept)
        places.append((pack(board), game_history(board)))
        for uci in ("g1f3", "g8f6", "f3g1", "f6g8"):
            board.push_uci(uci)
    found = [kept.find(root, history, 1, 1) for root, history in places]
    assert len({id(tree) for tree in found if tree is not None}) == 3
    assert kept.find(places[0][0], [], 1, 0) is None  # another search
    other = chess.Board("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 5 4")
    assert kept.find(pack(other), [], 1, 1) is None
    other_way = [pack(chess.Board(f"4k3/8/8/8/8/8/8/R3K3 w - - {clock} 9")) for clock in range(4)]
    assert kept.find(places[1][0], other_way, 1, 1) is None


def test_the_oldest_trees_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    board, how, kept = chess.Board(), ClassicSettings(plies=1, tactical_plies=0), KeptTrees()
    monkeypatch.setattr(kept_trees, "_MOST_NODES", 60)
    roots = []
    for uci in ("e2e4", "e7e5", "g1f3"):
        search(board, how, kept=kept)
        roots.append((pack(board), game_history(board)))
        board.push_uci(uci)
    assert [kept.find(*place, 1, 0) is None for place in roots] == [True, False, False]
