"""How the Q-table's speed and size grow with its rows.

    python benchmarks/table_speed.py [--rows N …] [--folder DIR] [--dictionary]

Every speed is shown beside the best that plain `sqlite3` code does on the same data in the same run, taking
turns, and as the ratio of the two. Tables are made by recording batches of random keys, as learning does,
and kept in DIR for the next run if one is given. `--dictionary` measures one key at a time instead: the
dictionary, QTable, and a plain SqliteDict with JSON for its values.
"""

import argparse
import hashlib
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median

import click
from sqlitedict import SqliteDict

from qtable import Entry, QTable, TableDict, encode

BATCH = 10_000
ROUNDS = 9
_ENTRY = Entry(0.5, 2, 1, "search", updated=1_800_000_000)

# Runs in a process of its own: opens one table, reads one key, says how long it took and what it holds.
_OPEN_AND_READ = """
import json, sys, time
from qtable import QTable
def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
begin = time.perf_counter()
table = QTable(sys.argv[1])
found = table.get(sys.argv[2])
took = time.perf_counter() - begin
print(json.dumps([took * 1000, resident(), found is not None]))
"""


def key_of(number: int) -> str:
    """The key with this number: 32 characters that come in no order."""
    return hashlib.blake2b(number.to_bytes(8, "big"), digest_size=16).hexdigest()


def make_table(path: Path, rows: int) -> None:
    """A table of so many rows, unless an earlier run has left it there."""
    if path.exists():
        return
    begin = time.perf_counter()
    step = 10 * BATCH
    with QTable(path) as table:
        for start in range(0, rows, step):
            table.record({key_of(number): _ENTRY for number in range(start, min(rows, start + step))})
    click.echo(f"made {rows:,} rows in {time.perf_counter() - begin:.0f} s", err=True)


def mixed_keys(rows: int, known: int, fresh: int, seed: int) -> list[str]:
    """Keys spread over the table and others that it lacks, in no order."""
    present = [key_of((seed * 7_368_787 + index * 1_299_709) % rows) for index in range(known)]
    keys = [*present, *(key_of(rows + seed * fresh + index) for index in range(fresh))]
    random.Random(seed).shuffle(keys)
    return keys


def plain_readers(connection: sqlite3.Connection) -> dict[str, Callable[[list[str]], object]]:
    """Ways to look up many keys in plain sqlite3, none of which decodes what it finds."""

    def one_by_one(keys: list[str]) -> object:
        found = {}
        for key in keys:
            row = connection.execute("SELECT value FROM entries WHERE key = ?", (key,)).fetchone()
            if row is not None:
                found[key] = row[0]
        return found

    def in_list(keys: list[str]) -> object:
        found: dict[str, bytes] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            places = ",".join("?" * len(part))
            found.update(
                connection.execute(f"SELECT key, value FROM entries WHERE key IN ({places})", part).fetchall()
            )
        return found

    def json_join(keys: list[str]) -> object:
        query = "SELECT e.key, e.value FROM json_each(?) AS j CROSS JOIN entries AS e ON e.key = j.value"
        return dict(connection.execute(query, (json.dumps(keys),)).fetchall())

    def values_join(keys: list[str]) -> object:
        found: dict[str, bytes] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            places = ",".join(["(?)"] * len(part))
            query = f"WITH w(k) AS (VALUES {places}) SELECT key, value FROM w CROSS JOIN entries ON key = w.k"
            found.update(connection.execute(query, part).fetchall())
        return found

    return {"one by one": one_by_one, "IN": in_list, "json_each": json_join, "VALUES": values_join}


def plain_connection(path: Path) -> sqlite3.Connection:
    """A connection with the pragmas that the Q-table uses."""
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("cache_size = -32768", "journal_mode = WAL", "synchronous = NORMAL"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def seconds(action: Callable[[], object]) -> float:
    """How long the action takes to answer; throwing its answer away is not counted."""
    begin = time.perf_counter()
    answer = action()
    taken = time.perf_counter() - begin
    del answer
    return taken


def measure_reading(path: Path, rows: int) -> dict[str, float]:
    """Microseconds per key of 10,000 keys, half of them missing: the median of several rounds.

    Other keys every time, so that nobody finds in the cache what the one before has left there.
    """
    with QTable(path, readonly=True) as table, closing(plain_connection(path)) as connection:
        ways: dict[str, Callable[[list[str]], object]] = {
            "get_many": table.get_many,
            "values": table.values,
            **plain_readers(connection),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for round_number in range(ROUNDS):
            for number, (name, way) in enumerate(ways.items()):
                keys = mixed_keys(rows, BATCH // 2, BATCH // 2, seed=round_number * len(ways) + number)
                taken[name].append(seconds(partial(way, keys)))
    return {name: median(times) / BATCH * 1e6 for name, times in taken.items()}


def measure_recording(path: Path, rows: int) -> tuple[float, float]:
    """Microseconds per entry of 10,000, half of them known: ours, and executemany without our triggers."""
    ours_path, plain_path = path.with_name("ours.db"), path.with_name("plain.db")
    shutil.copyfile(path, ours_path)
    shutil.copyfile(path, plain_path)
    ours: list[float] = []
    plain: list[float] = []
    upsert = "INSERT INTO entries (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
    with QTable(ours_path) as table, closing(plain_connection(plain_path)) as connection:
        connection.executescript("DROP TRIGGER entry_added; DROP TRIGGER entry_deleted")

        def write_plainly(pairs: list[tuple[str, bytes]]) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(upsert, pairs)
            connection.execute("COMMIT")

        for round_number in range(ROUNDS):
            keys = mixed_keys(rows, BATCH // 2, BATCH // 2, seed=round_number + 2)
            changes = dict.fromkeys(keys, _ENTRY)
            pairs = [(key, encode(key, _ENTRY)) for key in keys]
            ours.append(seconds(partial(table.record, changes)))
            plain.append(seconds(partial(write_plainly, pairs)))
    ours_path.unlink()
    plain_path.unlink()
    return median(ours) / BATCH * 1e6, median(plain) / BATCH * 1e6


def measure_opening(path: Path) -> tuple[float, float]:
    """Milliseconds to open the table and read one key, and the process's resident MiB afterwards."""
    found = []
    for _ in range(5):
        output = subprocess.run(
            [sys.executable, "-c", _OPEN_AND_READ, str(path), key_of(0)], check=True, capture_output=True
        ).stdout
        found.append(json.loads(output))
    return min(row[0] for row in found), max(row[1] for row in found)


COLUMNS = (
    "rows",
    "bytes per entry",
    "`get_many`, µs/key",
    "`values`, µs/key",
    "best plain read, µs/key",
    "plain ÷ `get_many`",
    "`record`, µs/entry",
    "`executemany`, µs/entry",
    "plain ÷ `record`",
    "open and read one, ms",
    "resident MiB over an empty table",
)


def measured_row(path: Path, rows: int, empty_resident: float) -> tuple[str, ...]:
    """One line of the table that is printed."""
    reading = measure_reading(path, rows)
    ours, values = reading.pop("get_many"), reading.pop("values")
    best = min(reading, key=reading.__getitem__)
    recording, plain = measure_recording(path, rows)
    opening, resident = measure_opening(path)
    return (
        f"{rows:,}",
        f"{path.stat().st_size / rows:.1f}",
        f"{ours:.2f}",
        f"{values:.2f}",
        f"{reading[best]:.2f} ({best})",
        f"{reading[best] / ours:.2f}",
        f"{recording:.2f}",
        f"{plain:.2f}",
        f"{plain / recording:.2f}",
        f"{opening:.1f}",
        f"{resident - empty_resident:.1f}",
    )


def measure_single(path: Path, rows: int) -> dict[str, float]:
    """Microseconds per key, one at a time and many at once: the median of several rounds in turns."""
    copy, plain_path = path.with_name("dictionary.db"), path.with_name("sqlitedict.db")
    shutil.copyfile(path, copy)
    with (
        QTable(copy) as table,
        TableDict(copy) as entries,
        SqliteDict(plain_path, encode=json.dumps, decode=json.loads, journal_mode="WAL") as plain,
    ):
        plain.update((key_of(number), _ENTRY) for number in range(rows))
        plain.commit()
        ways: dict[str, Callable[[list[str]], object]] = {
            "SqliteDict[key]": lambda keys: [plain[key] for key in keys],
            "TableDict[key]": lambda keys: [entries[key] for key in keys],
            "table.get(key)": lambda keys: [table.get(key) for key in keys],
            "table.get_many(1,000 keys)": table.get_many,
            "TableDict[key] = entry": lambda keys: [entries.update({key: _ENTRY}) for key in keys],
            "table.record({key: entry})": lambda keys: [table.record({key: _ENTRY}) for key in keys],
            "TableDict.update(1,000 entries)": lambda keys: entries.update(dict.fromkeys(keys, _ENTRY)),
            "table.record(1,000 entries)": lambda keys: table.record(dict.fromkeys(keys, _ENTRY)),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for round_number in range(ROUNDS):
            for number, (name, way) in enumerate(ways.items()):
                keys = mixed_keys(rows, 1000, 0, seed=round_number * len(ways) + number)
                taken[name].append(seconds(partial(way, keys)))
    copy.unlink()
    plain_path.unlink()
    return {name: median(times) / 1000 * 1e6 for name, times in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000, 10_000_000])
    parser.add_argument("--folder", type=Path, help="where tables are made and kept")
    parser.add_argument("--dictionary", action="store_true", help="measure one key at a time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="qtable-benchmark-") as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if options.dictionary:
            path = folder / f"{options.rows[0]}.db"
            make_table(path, options.rows[0])
            for name, taken in measure_single(path, options.rows[0]).items():
                click.echo(f"| `{name}` | {taken:.1f} |")
            return
        make_table(folder / "empty.db", 0)
        _, empty_resident = measure_opening(folder / "empty.db")
        click.echo(f"| {' | '.join(COLUMNS)} |")
        click.echo("|---" * len(COLUMNS) + "|")
        for rows in options.rows:
            path = folder / f"{rows}.db"
            make_table(path, rows)
            click.echo(f"| {' | '.join(measured_row(path, rows, empty_resident))} |")


if __name__ == "__main__":
    main()
