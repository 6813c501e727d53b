"""The deep search for Python: one position, its limits, and what each iteration found."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import chess

from heatmap_engine.errors import GameOver, InvalidSettings, shown
from heatmap_engine.heat_weights import CMHM2, DeepWeights
from heatmap_engine.kernel.deep import DEEPEST, MATE_VALUE, TECHNIQUES, Searcher
from heatmap_engine.kernel.nearby import Nearby
from heatmap_engine.kernel.packed import PackedPosition
from heatmap_engine.kernel.transpositions import TranspositionTable
from heatmap_engine.positions import BoardLike, as_board, pack

EVERY_TECHNIQUE = tuple(TECHNIQUES)
_NO_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class DeepLimits:
    """When a search ends: at the first of these that is given and reached.

    No new iteration begins after `soft_ms`; a running one is broken off at `hard_ms` or `nodes`.
    """

    depth: int = DEEPEST
    nodes: int | None = None
    soft_ms: float | None = None
    hard_ms: float | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= DEEPEST:
            raise InvalidSettings(f"depth must be from 1 to {DEEPEST}, got {shown(self.depth)}")
        for name in ("nodes", "soft_ms", "hard_ms"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InvalidSettings(f"{name} must be above zero, got {shown(value)}")


@dataclass(frozen=True, slots=True)
class DeepResult:
    """What a search, or one iteration of it, found. `value` is for the side to move."""

    move: chess.Move
    value: int
    depth: int
    deepest: int
    nodes: int
    seconds: float
    line: tuple[chess.Move, ...]

    @property
    def mate_in(self) -> int | None:
        """Moves to mate, negative if the side to move is mated; None if no mate is in sight."""
        plies = MATE_VALUE - abs(self.value)
        if plies > 2 * DEEPEST:
            return None
        return (plies + 1) // 2 if self.value > 0 else -(plies // 2)


class DeepSearch:
    """Searches one position after another, remembering between them what `clear` forgets.

    `stop` may be called from another thread; all else belongs to one thread at a time.
    """

    def __init__(
        self,
        weights: DeepWeights = CMHM2,
        *,
        hash_mib: int = 16,
        threads: int = 1,
        techniques: Sequence[str] = EVERY_TECHNIQUE,
    ) -> None:
        if hash_mib < 1 or threads < 1:
            raise InvalidSettings(f"expected at least 1 MiB and 1 thread, got {hash_mib} and {threads}")
        switches = sum(TECHNIQUES[name] for name in set(techniques))
        self._table = TranspositionTable(hash_mib)
        self._searchers = [Searcher(self._table, weights.table, switches) for _ in range(threads)]

    def clear(self) -> None:
        """Forget all that earlier searches found."""
        self._table.clear()
        for searcher in self._searchers:
            searcher.clear()

    def stop(self) -> None:
        """Make a search that runs in another thread end within a few milliseconds."""
        for searcher in self._searchers:
            searcher.stop()

    def put(self, nearby: Nearby, known: dict[str, tuple[int, int]]) -> int:
        """Let the next search know values and depths by key; says of how many positions."""
        return nearby.put(self._table, known)

    def exact(self, position: PackedPosition) -> tuple[int, int, bool] | None:
        """The value, for the side to move, that is known of a position, its depth, and whether `put` gave it.

        None where only a bound is known, or nothing.
        """
        return self._table.exact(position)

    @property
    def permille_used(self) -> int:
        """How much of the hash this search has filled."""
        return self._table.permille_used

    def search(
        self,
        board: BoardLike,
        limits: DeepLimits,
        on_iteration: Callable[[DeepResult], None] = lambda result: None,
    ) -> DeepResult:
        """The best move; raises `GameOver` if there is none. `on_iteration` hears of each finished depth."""
        board = as_board(board)
        if not any(board.legal_moves):
            raise GameOver(f"no legal move in {board.fen()}: {board.result(claim_draw=False)}")
        started_ns = time.monotonic_ns()
        deadline_ns = started_ns + int(limits.hard_ms * 1e6) if limits.hard_ms is not None else 0
        root, history = pack(board), _history(board)
        self._table.next_search()
        for searcher in self._searchers:
            searcher.begin(root, history, limits.nodes or _NO_LIMIT, deadline_ns)
        helpers = self._searchers[1:]
        if not helpers:
            return self._iterate(board, limits, started_ns, on_iteration)
        with ThreadPoolExecutor(len(helpers)) as pool:
            running = [pool.submit(_help, helper, number) for number, helper in enumerate(helpers)]
            try:
                result = self._iterate(board, limits, started_ns, on_iteration)
            finally:
                for helper in helpers:
                    helper.stop()
            for future in running:
                future.result()
        return result

    def _iterate(
        self, board: chess.Board, limits: DeepLimits, started_ns: int, heard: Callable[[DeepResult], None]
    ) -> DeepResult:
        """Search deeper and deeper in this thread, until a limit is reached."""
        searcher = self._searchers[0]
        best: DeepResult | None = None
        value = 0
        for depth in range(1, limits.depth + 1):
            found = searcher.iterate(depth)
            seconds = (time.monotonic_ns() - started_ns) / 1e9
            line = tuple(chess.Move.from_uci(name) for name in searcher.line())
            value = value if found is None else found
            nodes = sum(each.nodes for each in self._searchers)
            if line:  # also of an iteration that was broken off: its first move was the best before
                best = DeepResult(line[0], value, depth, searcher.deepest, nodes, seconds, line)
            if found is None:
                break
            assert best is not None
            heard(best)
            if limits.soft_ms is not None and seconds * 1e3 >= limits.soft_ms:
                break
        # A limit may end the first iteration before any move is found.
        move = next(iter(board.legal_moves))
        return best or DeepResult(move, 0, 0, 0, searcher.nodes, seconds, (move,))


def _help(searcher: Searcher, number: int) -> None:
    """Search the same root into the shared table; every other helper a ply ahead, so that work differs."""
    for depth in range(1 + number % 2, DEEPEST + 1):
        if searcher.iterate(depth) is None:
            return


def _history(board: chess.Board) -> list[PackedPosition]:
    """The positions since the last capture or pawn move, the oldest first, without the board's own."""
    board = board.copy(stack=min(board.halfmove_clock, len(board.move_stack)))
    positions = []
    while board.move_stack:
        board.pop()
        positions.append(PackedPosition(board))
    return positions[::-1]
