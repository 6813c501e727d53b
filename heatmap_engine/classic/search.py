"""Looking ahead: expand the tree, ask the table for the leaves, score the rest, back up.

A search is two numbers. After `plies` full-width plies a position that was reached by a tactical move
(it gives check or captures) is expanded too, up to `tactical_plies` times in a row; what is not expanded
is a leaf. A search only computes: it reads the table's values and hands back what there is to record.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import chess

from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.board.history import game_history
from heatmap_engine.board.reading import pack
from heatmap_engine.classic.kept_trees import GrownTree, KeptTrees
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.classic.weights import Weights
from heatmap_engine.errors import GameOver, SearchTooLarge
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.kernel.classic.patterns import PatternTable
from heatmap_engine.kernel.classic.tree import Tree, terminal_score
from heatmap_engine.memory.views import ValueSource

# Slices of work, each well under the 10 ms within which a stop is heard: about 1 ms to expand or to score,
# 2 ms to look up (6 ms where the table has every leaf).
_NODES_A_SLICE = 512
_KEYS_A_SLICE = 2_048
_MOVES_A_SLICE = 1_000_000

# A search with more plies in all is split into one tree for each move. That is no faster, but a tree then
# has 1 to 4 MiB and not 50 to 100, which take longer to be given back than a stop may take.
_PLIES_IN_ONE_TREE = 3

# Positions are handed back from the root and so many levels of full-width plies in all. Below the third
# level of a (4, 1) search there are a hundred thousand, known by less than the ones above: they would fill
# memory and disk, and take longer to be given back than a stop may take.
_LEVELS_HANDED_BACK = 3


@dataclass(slots=True)
class SearchResult:
    """What a search found, best candidate first."""

    score: float = 0.0
    candidates: list[Candidate] = field(default_factory=list)
    nodes: int = 0
    moves_visited: int = 0
    table_hits: int = 0
    backed_up: dict[str, tuple[float, int]] = field(default_factory=dict)
    """Key to (value for the side to move, full-width plies below) of the positions whose values are exact.

    The root and its moves are always among them, all that were expanded only where that was asked for; of a
    search of more than three plies those of its first three levels.
    """
    scored: dict[str, float] = field(default_factory=dict)
    """Key to value for the side to move of the leaves that were scored, if these were asked for."""


@dataclass(slots=True)
class _Search:
    """One search: what it was asked for, and what it has found so far."""

    table: ValueSource | None
    heat_depth: int
    weights: Weights
    keep_going: Callable[[int], None]
    with_all: bool
    with_leaves: bool
    on_move: Callable[[int, chess.Move], None]
    least_plies: int
    patterns: PatternTable | None
    kept: KeptTrees | None
    result: SearchResult = field(default_factory=SearchResult)

    def tree(
        self,
        root: PackedPosition,
        history: list[PackedPosition],
        plies: int,
        tactical: int,
        *,
        best_only: bool,
    ) -> Tree:
        """A finished tree of the positions below `root`; with `best_only` its other moves have bounds."""
        grown = self._grown(root, history, plies, tactical, kept=None if best_only else self.kept)
        tree = grown.tree
        if self.table is not None:
            self._look_up(grown, self.table)
        if self.with_all or self.with_leaves:
            self._value_all(tree)
        else:
            self._value_moves(tree, best_only=best_only)
        self._collect(tree)
        return tree

    def _grown(
        self,
        root: PackedPosition,
        history: list[PackedPosition],
        plies: int,
        tactical: int,
        *,
        kept: KeptTrees | None,
    ) -> GrownTree:
        if kept is not None and (known := kept.find(root, history, plies, tactical)) is not None:
            known.tree.begin_again(self.patterns)
            return known
        tree = Tree(root, history, plies, tactical, self.heat_depth, self.weights.table, self.patterns)
        while tree.expand(_NODES_A_SLICE):
            self._listen(tree)
        grown = GrownTree(tree)
        if kept is not None:
            kept.keep(grown, root, history, plies, tactical)
        return grown

    def _value_moves(self, tree: Tree, *, best_only: bool) -> None:
        is_unfinished = True
        while is_unfinished:
            is_unfinished = tree.value_moves(_MOVES_A_SLICE, best_only)
            self._listen(tree)

    def _value_all(self, tree: Tree) -> None:
        """Value every leaf, also those that the moves of the root do not depend on."""
        leaf = 0
        while leaf < tree.leaves:
            leaf = tree.score(leaf, _MOVES_A_SLICE)
            self._listen(tree)
        tree.back_up()

    def _look_up(self, grown: GrownTree, table: ValueSource) -> None:
        tree = grown.tree
        asked: set[str] = set()
        found: dict[str, float] = {}
        for start in range(0, tree.leaves, _KEYS_A_SLICE):
            keys = grown.keys(start, start + _KEYS_A_SLICE)
            # A third of the leaves are transpositions.
            new = set(keys) - asked
            asked |= new
            found |= table.values(new)
            if found:
                tree.take_values(start, keys, found)
            self._listen(tree)

    def _listen(self, tree: Tree) -> None:
        self.keep_going(self.result.moves_visited + tree.moves_visited)

    def _collect(self, tree: Tree) -> None:
        self.result.nodes += tree.nodes
        self.result.moves_visited += tree.moves_visited
        self.result.table_hits += tree.table_hits
        for key, value, plies in tree.backed_up(self.least_plies):
            self._note(key, value, plies)
        if self.with_leaves:
            self.result.scored.update(tree.scored())

    def _note(self, key: str, value: float, plies: int) -> None:
        known = self.result.backed_up.get(key)
        if known is None or known[1] <= plies:
            self.result.backed_up[key] = value, plies

    def candidates(
        self,
        root: PackedPosition,
        history: list[PackedPosition],
        plies: int,
        tactical: int,
        *,
        is_root: bool = False,
    ) -> list[Candidate]:
        """Every legal move with its score; in one tree, or in one for each move.

        Those of the root are exact. Below it only the best one's is, and no other seems as good.
        """
        if plies == 1 or plies + tactical <= _PLIES_IN_ONE_TREE:
            tree = self.tree(root, history, plies, tactical, best_only=not is_root)
            return [_candidate(line, score, known) for line, score, known in tree.candidates()]
        below = [*history, root]
        candidates = []
        for number, (name, child) in enumerate(children(root), 1):
            move = _move(name)
            if is_root:
                self.on_move(number, move)
            candidates.append(self._split_candidate(move, child, below, plies - 1, tactical))
        score = _ranked(candidates, root.black)[0].score
        self._note(key_of(root), -score + 0.0 if root.black else score, plies)
        # In none of the trees below: this position, and those after it where the game is over.
        self.result.nodes += 1 + sum(len(candidate.line) == 1 for candidate in candidates)
        return candidates

    def _split_candidate(
        self,
        move: chess.Move,
        child: PackedPosition,
        history: list[PackedPosition],
        plies: int,
        tactical: int,
    ) -> Candidate:
        over = terminal_score(child, history, self.heat_depth, self.weights.table)
        if over is not None:
            return Candidate(move, over, (move,), False)
        best = _ranked(self.candidates(child, history, plies, tactical), child.black)[0]
        return Candidate(move, best.score, (move, *best.line), best.from_table)


def search(
    board: chess.Board,
    settings: ClassicSettings,
    table: ValueSource | None = None,
    keep_going: Callable[[int], None] = lambda moves_visited: None,
    *,
    root: PackedPosition | None = None,
    with_all: bool = True,
    with_leaves: bool = False,
    on_move: Callable[[int, chess.Move], None] = lambda number, move: None,
    patterns: PatternTable | None = None,
    kept: KeptTrees | None = None,
) -> SearchResult:
    """Every legal move's exact score, best first for the side to move; raises GameOver without one.

    The result has the values of every position that was expanded, `with_leaves` of the leaves as well.
    Without either it has those of the root and of its moves, in a third of the time.

    `keep_going` is called with the moves visited so far every millisecond or so, and may raise to give up.
    Equal candidates stand in the order of their UCI names. In `kept` the root's tree is found if it was
    searched before, and is left there; it changes no result. `on_move` hears of each root move when a search
    that is too large for one tree turns to it.
    """
    if root is None:
        root = pack(board)
    if not any(board.generate_legal_moves()):
        raise GameOver(f"no legal move to pick: {board.result()} ({board.fen()})")
    least_plies = max(1, settings.plies - _LEVELS_HANDED_BACK + 1)
    work = _Search(
        table,
        settings.heat_depth,
        settings.weights,
        keep_going,
        with_all,
        with_leaves,
        on_move,
        least_plies,
        patterns,
        kept,
    )
    try:
        candidates = work.candidates(
            root, game_history(board), settings.plies, settings.tactical_plies, is_root=True
        )
    except OverflowError as error:
        raise SearchTooLarge(
            f"expected fewer plies than {settings.plies} and {settings.tactical_plies} tactical ones "
            f"in this position: {error} ({board.fen()})"
        ) from error
    work.result.candidates = _with_mates(board, _ranked(candidates, root.black), settings)
    work.result.score = work.result.candidates[0].score
    return work.result


@lru_cache(maxsize=8192)
def _move(name: str) -> chess.Move:
    """A search names a hundred moves, nearly all of which were named before."""
    return chess.Move.from_uci(name)


def _candidate(line: list[str], score: float, known: bool) -> Candidate:
    moves = tuple(map(_move, line))
    return Candidate(moves[0], score, moves, known)


def _ranked(candidates: list[Candidate], black: bool) -> list[Candidate]:
    turn = chess.BLACK if black else chess.WHITE
    return sorted(candidates, key=lambda each: (-movers_view(turn, each.score), each.move.uci()))


def _with_mates(board: chess.Board, ranked: list[Candidate], settings: ClassicSettings) -> list[Candidate]:
    """The candidates, those whose lines end with a mate with the moves until then."""
    # Two kings and a piece are the least that a mate counts for; only few scores are as far from zero.
    least = 3 * settings.weights.mate * (settings.heat_depth + 1)
    return [
        replace(candidate, mate_in=_mate_in(board, candidate)) if abs(candidate.score) >= least else candidate
        for candidate in ranked
    ]


def _mate_in(board: chess.Board, candidate: Candidate) -> int | None:
    if candidate.from_table:
        return None
    end = board.copy(stack=False)
    for move in candidate.line:
        end.push(move)
    if not end.is_checkmate():
        return None
    moves = (len(candidate.line) + 1) // 2
    return moves if len(candidate.line) % 2 else -moves
