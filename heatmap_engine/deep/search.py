"""The deep search for Python: one position, its limits, and what each iteration found."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock

import chess

from heatmap_engine.board.history import game_history
from heatmap_engine.board.reading import BoardLike, board_and_root
from heatmap_engine.deep.mates import is_mate, mate_in
from heatmap_engine.deep.weights import DeepWeights, learned_weights
from heatmap_engine.errors import GameOver, InvalidMove, InvalidSettings, shown
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.deep.ordering import MoveHistories
from heatmap_engine.kernel.deep.search import MAX_DEPTH, TECHNIQUES, Searcher
from heatmap_engine.kernel.deep.table_probe import TableProbe
from heatmap_engine.kernel.deep.transpositions import TranspositionTable
from heatmap_engine.limits import Limits, Patience
from heatmap_engine.stop import Stop

EVERY_TECHNIQUE = tuple(TECHNIQUES)
_NO_LIMIT = 1 << 62
_ALWAYS = 1024  # of so many times, as the kernel counts shares


@dataclass(frozen=True, slots=True)
class DeepResult:
    """What a search, or one iteration of it, found. `value` is for the side to move.

    `others` are the best lines after this one, as many as were asked for, best first.
    """

    move: chess.Move
    value: int
    depth: int
    deepest: int
    nodes: int
    seconds: float
    line: tuple[chess.Move, ...]
    others: "tuple[DeepResult, ...]" = ()

    @property
    def ranked(self) -> "tuple[DeepResult, ...]":
        """All lines, the best first."""
        return (self, *self.others)

    @property
    def mate_in(self) -> int | None:
        """Moves to mate, negative if the side to move is mated; None if no mate is in sight."""
        return mate_in(self.value)


@dataclass(frozen=True, slots=True)
class Oversight:
    """What a player who is held back does not see: this share of the quiet replies, and less of plainer ones.

    Which ones follows from `seed`, and is the same in the whole search.
    """

    share: float
    seed: int

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1 or not 0 <= self.seed < 1 << 64:
            raise InvalidSettings(
                "expected a share from 0 to 1 and a seed of 64 bits, "
                f"got {shown(self.share)} and {shown(self.seed)}"
            )


class DeepSearch:
    """Searches one position after another. Its hash table and histories stay until `clear`.

    Without `weights` it values positions with those that come with the package.
    Any thread may call `stop`; all else belongs to one thread at a time.
    """

    def __init__(
        self,
        weights: DeepWeights | None = None,
        *,
        hash_mib: int = 16,
        threads: int = 1,
        techniques: Sequence[str] = EVERY_TECHNIQUE,
    ) -> None:
        if hash_mib < 1 or threads < 1:
            raise InvalidSettings(f"expected at least 1 MiB and 1 thread, got {hash_mib} and {threads}")
        weights = weights or learned_weights()
        if unknown := set(techniques).difference(TECHNIQUES):
            raise InvalidSettings(
                f"expected techniques of {', '.join(TECHNIQUES)}, got {shown(min(unknown))}"
            )
        switches = sum(TECHNIQUES[name] for name in set(techniques))
        self._table = TranspositionTable(hash_mib)
        self._histories = MoveHistories()
        constants = dict(weights.search.values)
        self._searchers = [
            Searcher(self._table, self._histories, weights.table, constants, switches, threads == 1)
            for _ in range(threads)
        ]
        self._deserved = 1.0

    def clear(self) -> None:
        """Forget all that earlier searches found."""
        self._table.clear()
        self._histories.clear()

    def stop(self) -> None:
        """End the running search within a few milliseconds; one that is about to begin needs a `Stop`."""
        for searcher in self._searchers:
            searcher.stop()

    def put(self, probe: TableProbe, known: dict[str, tuple[int, int]]) -> int:
        """Give the next search values and depths by key; returns how many positions it took."""
        return probe.put(self._table, known)

    def exact(self, position: PackedPosition) -> tuple[int, int, bool] | None:
        """A position's known value for the side to move, its depth, and whether it came from `put`.

        None where only a bound is known, or nothing.
        """
        return self._table.exact(position)

    def kept_move(self, position: PackedPosition) -> str | None:
        """The best move that is remembered for a position, by its UCI name, or None."""
        return self._table.move(position)

    @property
    def permille_used(self) -> int:
        """How much of the hash this search has filled."""
        return self._table.permille_used

    @property
    def current(self) -> tuple[str, int]:
        """The root's move that is being searched and its number, 0 before the first; any thread may ask."""
        return self._searchers[0].current

    @property
    def deserved(self) -> float:
        """The factor for the soft time limit after the last depth; any thread may ask."""
        return self._deserved

    def search(
        self,
        board: BoardLike,
        limits: Limits,
        on_iteration: Callable[[DeepResult], None] = lambda result: None,
        lines: int = 1,
        moves: Collection[chess.Move] = (),
        stop: Stop | None = None,
        *,
        root: PackedPosition | None = None,
        oversight: Oversight | None = None,
        favours: Mapping[str, int] | None = None,
    ) -> DeepResult:
        """The best move, of `moves` if any are given; raises `GameOver` if there is none.

        `on_iteration` is called with each finished depth. With several `lines` each depth takes about so many
        times as long, and the result holds the others. `stop` ends this search even if it is set before it
        begins. `root` is the board packed for the kernel, if that is done already.
        With `oversight` replies are overlooked; what stays in the hash then is of no use to who sees them.
        `favours` are added to the values of moves, by their UCI names, when these are compared; the values of
        the result are without them.
        """
        if root is None or isinstance(board, str):
            board, root = board_and_root(board)
        chosen = _root(board, lines, moves, favours or {})
        started_ns = time.monotonic_ns()
        deadline_ns = 0
        if limits.seconds is not None:
            deadline_ns = started_ns + max(int(min(limits.seconds * 1e9, _NO_LIMIT)), 1)
        # Each thread counts its own nodes, so each has its share of them.
        nodes = _NO_LIMIT if limits.nodes is None else min(limits.nodes, _NO_LIMIT)
        share = max(nodes // len(self._searchers), 1)
        history = game_history(board)
        unseen, seed = (0, 0) if oversight is None else (round(oversight.share * _ALWAYS), oversight.seed)
        self._table.next_search()
        for searcher in self._searchers:
            searcher.begin(root, history, share, deadline_ns, unseen, seed, chosen.favours)
        with (stop or Stop()).calls(self.stop):  # not before: what begins forgets earlier stops
            heard = chosen.told_plainly(on_iteration)
            return chosen.plain(self._with_helpers(chosen, limits, started_ns, heard))

    def _with_helpers(
        self, root: "_Root", limits: Limits, started_ns: int, heard: Callable[[DeepResult], None]
    ) -> DeepResult:
        helpers = self._searchers[1:]
        race = _Race(self._searchers if root.lines == 1 else ())
        if not helpers:
            return self._iterate(root, limits, started_ns, heard, race)
        with ThreadPoolExecutor(len(helpers)) as pool:
            running = []
            try:
                with suppress(RuntimeError):  # the system gives no more threads: fewer do as well
                    for helper in helpers:
                        running.append(pool.submit(_help, helper, root, race))
                result = self._iterate(root, limits, started_ns, heard, race)
            finally:
                for helper in helpers:
                    helper.stop()
            for future in running:
                future.result()
        return result

    def _iterate(
        self,
        root: "_Root",
        limits: Limits,
        started_ns: int,
        heard: Callable[[DeepResult], None],
        race: "_Race",
    ) -> DeepResult:
        """Search deeper and deeper in this thread, until a limit is reached."""
        best: DeepResult | None = None
        patience, self._deserved = Patience(), 1.0
        for depth in range(1, min(limits.depth or MAX_DEPTH, MAX_DEPTH) + 1):
            best, is_finished = self._ranked(root, depth, best, started_ns, race)
            if not is_finished or best is None:
                break
            self._deserved = patience.after_depth(best.move, best.value)
            heard(best)
            stretch = self._deserved if limits.is_patient else 1.0
            if limits.soft_seconds is not None and best.seconds >= stretch * limits.soft_seconds:
                break
        # A limit may end the first iteration before any move is found.
        return best or DeepResult(
            root.fallback, 0, 0, 0, self._searchers[0].nodes, _seconds_since(started_ns), (root.fallback,)
        )

    def _ranked(
        self, root: "_Root", depth: int, before: DeepResult | None, started_ns: int, race: "_Race"
    ) -> tuple[DeepResult | None, bool]:
        """The lines of one depth, and whether it was finished; unsearched lines are those of `before`."""
        searcher = self._searchers[0]
        known = before.ranked if before is not None else ()
        left_out = [*root.left_out]
        found: list[DeepResult] = []
        value: int | None = 0
        while len(found) < root.lines and value is not None:
            hint = _first_not_in(left_out, known)
            guess = hint.value if hint else 0
            first = hint.move.uci() if hint and (left_out or root.favours) else ""
            iteration = race.run(searcher, depth, guess, left_out, first)
            value = iteration.value
            line = tuple(map(_move, iteration.line))
            # A best line that was broken off counts too. The best move before may still wait where a window
            # was widened; in 63 such cases what was found instead was better by 33 units on average.
            if (value is None and found) or not line:
                break
            if value is None and hint and line == hint.line[: len(line)]:
                line = hint.line  # found to be worth more than was thought, and broken off before it was told
            nodes = sum(each.nodes for each in self._searchers)
            seconds = _seconds_since(started_ns)
            found.append(DeepResult(line[0], iteration.seen, depth, iteration.deepest, nodes, seconds, line))
            left_out.append(line[0].uci())
        searched = {result.move for result in found}
        found += [result for result in known if result.move not in searched][: root.lines - len(found)]
        if not found:
            return before, False
        found.sort(key=lambda result: -result.value)
        if len(found) == 1 and not found[0].others:
            return found[0], value is not None
        return replace(found[0], others=tuple(replace(r, others=()) for r in found[1:])), value is not None


# The same few hundred moves come again and again, in the lines of each depth.
_move = lru_cache(maxsize=4096)(chess.Move.from_uci)


@dataclass(frozen=True, slots=True)
class _Root:
    """Which root moves are left out or favoured, how many lines are wanted, the move if nothing is found."""

    left_out: tuple[str, ...]
    lines: int
    fallback: chess.Move
    favours: dict[str, int]

    def plain(self, result: DeepResult) -> DeepResult:
        """The result with values that no favour is in."""
        if not self.favours:
            return result
        favour = 0 if is_mate(result.value) else self.favours.get(result.move.uci(), 0)
        others = tuple(map(self.plain, result.others))
        return replace(result, value=result.value - favour, others=others)

    def told_plainly(self, heard: Callable[[DeepResult], None]) -> Callable[[DeepResult], None]:
        return heard if not self.favours else lambda result: heard(self.plain(result))


def _root(board: chess.Board, lines: int, moves: Collection[chess.Move], favours: Mapping[str, int]) -> _Root:
    first = next(board.generate_legal_moves(), None)
    if first is None:
        raise GameOver(f"no legal move in {board.fen()}: {board.result(claim_draw=False)}")
    if lines < 1:
        raise InvalidSettings(f"expected at least one line, got {shown(lines)}")
    if (
        lines == 1 and not moves
    ):  # most searches: at few nodes a list of all moves would take a part of the time
        return _Root((), 1, first, dict(favours))
    legal = list(board.legal_moves)
    for move in moves:
        if move not in legal:
            raise InvalidMove(f"{move.uci()} is not legal in {board.fen()}")
    wanted = set(moves or legal)
    allowed = [move for move in legal if move in wanted]
    left_out = tuple(move.uci() for move in legal if move not in wanted)
    return _Root(left_out, min(lines, len(allowed)), allowed[0], dict(favours))


def _first_not_in(left_out: list[str], results: Sequence[DeepResult]) -> DeepResult | None:
    return next((result for result in results if result.move.uci() not in left_out), None)


def _seconds_since(started_ns: int) -> float:
    return (time.monotonic_ns() - started_ns) / 1e9


@dataclass(frozen=True, slots=True)
class _Iteration:
    """The result of one depth; without a value it was interrupted, and the line is the best so far."""

    value: int | None
    seen: int
    """What the line is worth, or at least where the depth was broken off."""
    line: list[str]
    deepest: int


class _Race:
    """Lets threads search the same depths. The first to finish one answers for all and ends it for them."""

    def __init__(self, searchers: Sequence[Searcher]) -> None:
        self._searchers = searchers
        self._finished: dict[int, _Iteration] = {}
        self._lock = Lock()

    def run(
        self, searcher: Searcher, depth: int, guess: int, left_out: Collection[str] = (), first: str = ""
    ) -> _Iteration:
        """Search a depth, or hear from the thread that was faster."""
        value = searcher.iterate(depth, guess, left_out, first)
        with self._lock:
            # Whatever ended it here, a limit or being overtaken: another thread may have the answer.
            if value is None and self._searchers and depth in self._finished:
                return self._finished[depth]
            seen = searcher.line_value if value is None else value
            iteration = _Iteration(value, seen, searcher.line(), searcher.deepest)
            if value is not None and depth not in self._finished:
                self._finished[depth] = iteration
                for other in self._searchers:
                    if other is not searcher:
                        other.overtake(depth)
            return iteration


def _help(searcher: Searcher, root: _Root, race: _Race) -> None:
    """Search the same root in another thread, with the shared hash table."""
    guess, first = 0, ""
    for depth in range(1, MAX_DEPTH + 1):
        iteration = race.run(searcher, depth, guess, root.left_out, first)
        if iteration.value is None:
            return
        guess = iteration.value
        first = iteration.line[0] if iteration.line else ""
