"""What a cluster of so many cores would come to, from what its parts cost on this machine.

    python benchmarks/cluster_model.py [--games N] [--entries N] [--max-plies N] [--cores-per-node N] [--ray]

Measured: games a second and core, what a game changes, how long the writer takes over it, and how long a node
takes to bring its copy of the table up to date. Modelled from that: the table that is printed. With --ray the
same games are also played by one and by two workers of a Ray cluster of this machine.
"""

import argparse
import pickle
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from games.chess.openings import load_openings
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.cluster.node_table import NodeTable, build
from heatmap_engine.cluster.packed_entries import PackedValues, pack
from heatmap_engine.learning.batch import run_batch
from heatmap_engine.learning.pools import pool_for
from heatmap_engine.learning.selfplay import PlaySettings, SelfPlay, SelfPlayGame
from heatmap_engine.memory.lesson import Learned, record_lesson
from heatmap_engine.memory.tables import open_table
from heatmap_engine.players.game_loop import Ends
from qtable import Entry, QTable

_SETTINGS = ClassicSettings()
_CORES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_FILLED_AT_A_TIME = 100_000


@dataclass(slots=True)
class Costs:
    """Seconds, rows and bytes, added up over the games."""

    games: int = 0
    play: float = 0.0
    write: float = 0.0
    """In the writer: to take the result apart, to record it, to read it back and to pack it."""
    record: float = 0.0
    catch_up: float = 0.0
    rows: int = 0
    bytes_sent: int = 0


class Model(NamedTuple):
    """What a cluster has in common with this machine."""

    games_a_core: float
    write_seconds: float
    catch_up_seconds: float

    def games_a_second(self, cores: int, cores_a_node: int) -> float:
        """Each node spends `catch_up_seconds` on every game of the whole cluster, instead of playing."""
        nodes = max(1, cores // cores_a_node)
        played = cores * self.games_a_core
        return min(played / (1 + nodes * self.games_a_core * self.catch_up_seconds), self.most_games)

    @property
    def most_games(self) -> float:
        """What the writer can take."""
        return 1 / self.write_seconds


def tasks(number: int, max_plies: int) -> list[SelfPlayGame]:
    settings = PlaySettings("cluster_model.py", 1, _SETTINGS, None, Ends(max_plies), 1)
    openings = load_openings()
    return [
        SelfPlayGame(index + 1, openings[index % len(openings)], 0.1, 0.1, "????.??.??", settings)
        for index in range(number)
    ]


def fill(table: QTable, entries: int) -> None:
    """Rows like a key's in length and order, among which those of the games will be."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for start in range(0, entries, _FILLED_AT_A_TIME):
        numbers = range(start, min(entries, start + _FILLED_AT_A_TIME))
        mixed = (number * 2654435761 % 2**30 for number in numbers)
        keys = (
            "".join(alphabet[number >> shift & 63] for shift in range(24, -6, -6)) * 6 for number in mixed
        )
        table.put(dict.fromkeys(keys, Entry(0.0, updated=0)))


def seconds_of(action: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    answer = action()
    return time.perf_counter() - begin, answer


def measured(games: list[SelfPlayGame], table: QTable, folder: Path) -> Costs:
    """The games played one by one, and each written into the table and into a node's copy of it."""
    table.backup(folder / "snapshot")
    build(folder, [(folder / "snapshot").read_bytes()], 0, _SETTINGS)
    copy = NodeTable(folder, _SETTINGS)
    costs = Costs()
    work = SelfPlay(table)
    for number, task in enumerate(games, 1):
        played, game = seconds_of(lambda: work(task))  # noqa: B023 # called at once
        blob = pickle.dumps(game)

        def fetched(blob: bytes = blob) -> Learned:
            answer: Learned = pickle.loads(blob)
            return answer

        unpickled, game = seconds_of(fetched)
        recorded, _ = seconds_of(lambda: record_lesson(game, table))  # noqa: B023
        packed, changes = seconds_of(lambda: pack(table.get_many(game.changes)))  # noqa: B023
        caught_up, _ = seconds_of(lambda: copy.catch_up([(number, changes)], _same))  # noqa: B023
        costs.games += 1
        costs.play += played
        costs.record += recorded
        costs.write += unpickled + recorded + packed
        costs.catch_up += caught_up
        costs.rows += len(game.changes)
        blocks = (changes.values, changes.depths, changes.results)
        costs.bytes_sent += len(changes.keys) + sum(block.nbytes for block in blocks)
    copy.table.close()
    return costs


def _same(changes: PackedValues) -> PackedValues:
    return changes


def compare_workers(games: list[SelfPlayGame], folder: Path, entries: int) -> None:
    """One worker and two on a cluster of this machine; starting it and its copies is not counted."""
    speeds = []
    for workers in (1, 2):
        with open_table(folder / f"workers-{workers}", _SETTINGS) as table:
            fill(table, entries)
            moments: list[float] = []
            pool = pool_for(SelfPlay, table, _SETTINGS, workers, "auto")
            run_batch(games, pool, table, when_done=lambda _: moments.append(time.perf_counter()))  # noqa: B023
        speeds.append((len(moments) - 1) / (moments[-1] - moments[0]))
    one, two = speeds
    click.echo(f"on Ray: {one:.2f} games/s with 1 worker, {two:.2f} with 2, ratio {two / one:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=30)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--max-plies", type=int, default=300)
    parser.add_argument("--cores-per-node", type=int, default=16)
    parser.add_argument("--ray", action="store_true")
    options = parser.parse_args()
    games = tasks(options.games, options.max_plies)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open_table(folder / "table", _SETTINGS) as table:
            fill(table, options.entries)
            costs = measured(games, table, folder)
        report(costs, options.cores_per_node)
        if options.ray:
            compare_workers(games, folder, options.entries)


def report(costs: Costs, cores_a_node: int) -> None:
    number = costs.games
    model = Model(number / costs.play, costs.write / number, costs.catch_up / number)
    click.echo(
        f"a game: {costs.play / number:.2f} s of one core, {costs.rows / number:,.0f} entries, "
        f"{costs.bytes_sent / number / 1024:,.0f} KiB to each node\n"
        f"the writer: {costs.write / number * 1000:.1f} ms a game, of which QTable.record "
        f"{costs.record / number * 1000:.1f} ms, {costs.rows / costs.record:,.0f} rows/s\n"
        f"a node: {costs.catch_up / number * 1000:.1f} ms for each game of the cluster\n"
        f"the writer is full at {model.most_games:.1f} games/s, the games of "
        f"{model.most_games / model.games_a_core:.0f} cores\n"
    )
    click.echo(
        f"{'cores':>6} {'nodes':>6} {'games/s':>8} {'of ideal':>9} {'writer busy':>12} {'MiB/s sent':>11}"
    )
    for cores in _CORES:
        nodes = max(1, cores // cores_a_node)
        speed = model.games_a_second(cores, cores_a_node)
        sent = speed * costs.bytes_sent / number * nodes / 2**20
        click.echo(
            f"{cores:>6} {nodes:>6} {speed:>8.1f} {speed / (cores * model.games_a_core):>9.0%} "
            f"{speed / model.most_games:>12.0%} {sent:>11.1f}"
        )


if __name__ == "__main__":
    main()
