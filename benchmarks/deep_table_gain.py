"""What the deep table adds: lost lines that are not lost again, and Elo of a learned table over an empty one.

    python benchmarks/deep_table_gain.py replays --openings 20
    python benchmarks/deep_table_gain.py match --openings 10 --learn 100 --pairs 100 --nodes 2000
    python benchmarks/deep_table_gain.py match --openings 50 --table learned.table --pairs 500 --nodes 2000
    python benchmarks/deep_table_gain.py read

`replays` plays lines of the opening suite against an opponent that looks further, learns each lost game, and
plays the same line again at the same nodes. `match` learns games of self-play on some lines of the suite,
then plays pairs with and without that table, which is only read, on these lines and on others. With --table
it takes one that has learned these lines before; --keep says where a new one goes. Every pair has its own
number of nodes, within a tenth of --nodes, the same for both sides: with fixed nodes a line has only one
game. Pairs of one line are still not independent, and the intervals too narrow where lines are few.
`read` measures what asking the table before a move costs.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import chess
import click

from games.chess.openings import Opening, load_openings
from heatmap_engine.board.reading import pack
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.kernel.deep.table_probe import TableProbe
from heatmap_engine.learning.pools import pool_for
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.running import Run, open_run_table
from heatmap_engine.learning.selfplay import SelfPlay
from heatmap_engine.limits import Limits
from heatmap_engine.match.strength import Pentanomial, strength_of
from heatmap_engine.memory.finished_game import as_record
from heatmap_engine.players.game_loop import Choice, Ends, PlayedMoves, adjudication, play_game
from heatmap_engine.players.pace import Pace
from heatmap_engine.players.sides import OurSide, side_as_json

_ENDS = Ends(300, adjudication(mode_named("deep")))
_POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_JITTER = 0.1


class Player:
    """A deep engine at a fixed number of nodes."""

    def __init__(self, engine: Engine, nodes: int) -> None:
        self._engine = engine
        self._limits = Limits(nodes=nodes)

    def choose(self, board: chess.Board) -> Choice:
        pick = self._engine.pick_move(board, self._limits)
        return Choice(pick.move, pick.score)


def played(opening: Opening, white: tuple[Engine, int], black: tuple[Engine, int]) -> PlayedMoves:
    """A game of engines that remember nothing but their tables."""
    for engine, _ in (white, black):
        engine.clear()
    return play_game(opening, Player(*white), Player(*black), _ENDS)


# Replays


@dataclass(frozen=True)
class Replay:
    """A lost game and its repetition: our points in both, and after how many plies they part."""

    first: float
    second: float
    parted: int | None


def replay(opening: Opening, is_white: bool, nodes: int, strong_nodes: int, learning_nodes: int) -> Replay:
    with tempfile.TemporaryDirectory() as folder:
        ours = Engine(Path(folder) / "table", learning_nodes=learning_nodes)
        with ours, Engine() as strong:
            sides = [(ours, nodes), (strong, strong_nodes)]
            white, black = sides if is_white else sides[::-1]
            first = played(opening, white, black)
            ours.learn_game(as_record(first.board, None if first.board.is_game_over() else first.result))
            second = played(opening, white, black)
    points = [_POINTS[game.result] if is_white else 1 - _POINTS[game.result] for game in (first, second)]
    moves = zip(first.moves, second.moves, strict=False)
    parted = next((ply for ply, (one, other) in enumerate(moves) if one != other), None)
    return Replay(points[0], points[1], None if parted is None else parted - len(opening.moves))


def replays(args: argparse.Namespace) -> Iterator[str]:
    openings = _lines(args)[0]
    jobs = [(opening, is_white) for opening in openings for is_white in (True, False)]
    do = partial(replay, nodes=args.nodes, strong_nodes=args.strong_nodes, learning_nodes=args.learning_nodes)
    with ProcessPoolExecutor(args.workers) as pool:
        found = [*pool.map(do, *zip(*jobs, strict=True))]
    lost = [each for each in found if each.first == 0.0]
    same = sum(each.parted is None for each in lost)
    parted = [each.parted for each in lost if each.parted is not None]
    yield f"{len(found)} games, {len(lost)} lost and played again after learning"
    yield f"lost the same way again: {same}; the others part after {statistics.median(parted or [0]):g} plies"
    yield f"points of the second games: {sum(each.second for each in lost):g} of {len(lost)}"


# A match


def learn(args: argparse.Namespace, openings: Sequence[Opening], folder: Path) -> Path:
    """A table with games of self-play on these lines."""
    path = folder / "learned.table"
    config = RunConfig(
        run="deep_table_gain.py",
        table=str(path),
        games=args.learn,
        seed=args.seed,
        epsilon_first=args.epsilon,
        epsilon_last=0.0,
        explore=args.explore,
        opponents=[] if args.twin else [_untrained(args.nodes)],
        mode="deep",
        nodes=args.nodes,
        learning_nodes=args.learning_nodes,
        adjudicates=True,
        checkpoints="none",
    )
    run_folder = RunFolder.create(folder / "run", config, openings)
    with open_run_table(config, must_exist=False) as table:
        run = Run(run_folder, table)
        begin = time.monotonic()
        run.play(pool_for(SelfPlay, table, config.search, args.workers))
        seconds = time.monotonic() - begin
        click.echo(f"learned {run.summary.games} games in {seconds:.0f} s: {len(table):,} entries")
    return path


def _untrained(nodes: int) -> dict[str, Any]:
    return side_as_json(OurSide("untrained", pace=Pace(nodes=nodes)))


def pair(opening: Opening, nodes: int, table: Path) -> float:
    """The points of the side with the table in two games, the colours swapped."""
    with Engine(table, readonly=True, record="off") as learned, Engine() as empty:
        first = played(opening, (learned, nodes), (empty, nodes))
        second = played(opening, (empty, nodes), (learned, nodes))
    return _POINTS[first.result] + 1 - _POINTS[second.result]


def match(args: argparse.Namespace) -> Iterator[str]:
    seen, unseen = _lines(args)
    with tempfile.TemporaryDirectory() as folder:
        table = args.table or learn(args, seen, args.keep or Path(folder))
        for name, openings in (("seen", seen), ("unseen", unseen)):
            random = Random(f"{args.seed} {name}")
            jitter = [random.uniform(1 - _JITTER, 1 + _JITTER) for _ in range(args.pairs)]
            jobs = [
                (openings[number % len(openings)], round(args.nodes * factor))
                for number, factor in enumerate(jitter)
            ]
            with ProcessPoolExecutor(args.workers) as pool:
                points = [*pool.map(partial(pair, table=table), *zip(*jobs, strict=True))]
            yield f"{name}, {len(openings)} lines: {described(points)}"


def described(points: Sequence[float]) -> str:
    """Elo with its 95 % interval, by the statistics of matches."""
    pairs = Pentanomial()
    for each in points:
        pairs = pairs.plus(each)
    found = strength_of(pairs)
    elo, low, high = (
        "-" if each is None else f"{each:+.0f}" for each in (found.elo, found.elo_low, found.elo_high)
    )
    return f"{2 * len(points)} games, pairs {list(pairs.counts)}, Elo {elo} ({low} to {high})"


def _lines(args: argparse.Namespace) -> tuple[list[Opening], list[Opening]]:
    """Some lines of the suite to be seen, and as many others."""
    openings = [*load_openings()]
    Random(args.seed).shuffle(openings)
    return openings[: args.openings], openings[args.openings : 2 * args.openings]


# What reading costs


def read(args: argparse.Namespace) -> Iterator[str]:
    boards = [opening.board() for opening in _lines(args)[0]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.table"
        with Engine(path) as engine:
            for board in boards:
                engine.pick_move(board, Limits(depth=8))
            table = engine.table
            assert table is not None
            for plies in (1, 2):
                times = {"make": 0.0, "read": 0.0}
                keys = 0
                for board in boards:
                    begin = time.perf_counter()
                    probe = TableProbe(pack(board), plies)
                    made = time.perf_counter()
                    wanted = dict.fromkeys(probe.keys)
                    table.get_many(wanted)
                    times["make"] += made - begin
                    times["read"] += time.perf_counter() - made
                    keys += len(wanted)
                number = len(boards)
                made_ms, read_ms = (1e3 * times[name] / number for name in ("make", "read"))
                yield f"{plies} plies: {keys / number:.0f} keys, made {made_ms:.2f} ms, read {read_ms:.2f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["replays", "match", "read"])
    parser.add_argument("--openings", type=int, default=10)
    parser.add_argument("--nodes", type=int, default=2_000)
    parser.add_argument("--strong-nodes", type=int, default=50_000)
    parser.add_argument("--learning-nodes", type=int, default=4_000)
    parser.add_argument("--learn", type=int, default=100)
    parser.add_argument("--epsilon", type=float, default=0.1)
    parser.add_argument("--explore", choices=["ucb", "epsilon"], default="ucb")
    parser.add_argument("--twin", action="store_true", help="learn against itself, not the untrained engine")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for line in {"replays": replays, "match": match, "read": read}[args.what](args):
        click.echo(line)


if __name__ == "__main__":
    main()
