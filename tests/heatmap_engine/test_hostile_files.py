"""Whatever a file holds, whoever loads it gets it, or one of our errors: real files, changed at random."""

import os
import random
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import console
import pytest
from match_sides import ours, plan

from games.chess.annotations import GameTree, as_pgn, read_trees
from games.chess.archive import Archive
from games.chess.errors import GamesError
from games.chess.journal import LearnedGame, learned_games
from games.chess.openings import load_openings, openings_as_pgn
from games.chess.reading import read_games
from games.chess.record import GameRecord
from games.durable import write_at_once
from games.lines import LineFile
from heatmap_engine.deep.weights import CMHM2, load_weights, save_weights
from heatmap_engine.errors import HeatmapError
from heatmap_engine.learning.runs import measurement as of_run
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.spool import Spool
from heatmap_engine.match.folder import MatchFolder
from heatmap_engine.tuning import measurement as of_tuning
from heatmap_engine.tuning.config import TuneConfig
from heatmap_engine.tuning.folder import TuneFolder, add_line, lines_of, sorted_lines
from qtable import Entry, QTable
from qtable.errors import TableError
from qtable.transfer import export_rows, import_file, read_settings

OURS = (HeatmapError, GamesError, TableError, OSError)
MUTATIONS = 150

HOSTILE = (
    b"[" * 100_000,
    b'{"a":' * 3000,
    b"1" * 5000,
    b"1" + b"0" * 310,
    rb'"\ud800"',
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\0",
    b'"',
    b"1e999",
    b"-1e999",
    b"NaN",
    b"null",
    b"{}",
    b"[]",
    b"true",
    b"-1",
    b'""',
    b'"x"',
    b"\r",
    b"\n",
    b"\n\n",
    b"[[[[[[1]]]]]]",
    "\u0661\u2028".encode(),
    b",",
    b"9223372036854775808",
)


def mutated(data: bytes, source: random.Random) -> bytes:
    """The data with some bytes of it lost, doubled, changed or replaced by what has made trouble."""
    for _ in range(source.choice((1, 1, 1, 2, 5))):
        start = source.randrange(len(data) + 1)
        end = min(len(data), start + source.choice((0, 1, 4, 40)))
        kind = source.randrange(5)
        if kind == 0:
            data = data[:start] + data[end:]
        elif kind == 1:
            data = data[:end] + data[start:]
        elif kind == 2:
            data = data[:start] + source.randbytes(end - start) + data[end:]
        elif kind == 3:
            data = data[:start] + source.choice(HOSTILE) + data[end:]
        else:
            data = _other_value(data, source)
    return data


def _other_value(data: bytes, source: random.Random) -> bytes:
    """Another value in the place of one: what follows a colon or a comma, up to the next one."""
    marks = [place for place, byte in enumerate(data) if byte in b":,[]{}"]
    if len(marks) < 2:
        return data
    start, end = source.choice([*pairwise(marks)])
    return data[: start + 1] + source.choice(HOSTILE) + data[end:]


Load = Callable[[Path], object]


def record() -> GameRecord:
    return GameRecord(("e2e4", "e7e5"), "1-0", run="r", round="1", settings={"a": 1}, comments=("x", "y"))


def everything(found: Iterable[Any]) -> list[Any]:
    return [*found]


def write_weights(path: Path) -> None:
    save_weights(path, CMHM2)


def write_run(path: Path) -> None:
    RunFolder.create(path.parent, RunConfig(run="r", table="t", games=1), load_openings()[:2])


def write_match(path: Path) -> None:
    folder = MatchFolder.create(path.parent, plan(ours("a"), ours("b")))
    folder.append(record())


def write_tuning(path: Path) -> None:
    folder = TuneFolder.create(path.parent, TuneConfig(method="cem"), CMHM2)
    folder.save_state(1, [[0.5, 1.0], [2.0, 3.0]])
    for number in range(3):
        add_line(folder.round(1), {"key": f"a {number}", "games": 2, "seconds": 0.5, "number": number})


def read_tuning_lines(path: Path) -> None:
    everything(lines_of(LineFile(path)))
    everything(sorted_lines(LineFile(path)))


def write_run_measurements(path: Path) -> None:
    measured = of_run.RunMeasurement.of(LearnedGame(record(), {"new": 3}))
    path.write_text(f"{measured.to_json()}\n" * 2)


def write_tuning_measurements(path: Path) -> None:
    result = of_tuning.MatchResult.of([2.0, 1.0, 0.5])
    measured = of_tuning.TuneMeasurement(round=1, games=3, cpu_seconds=1.0, against_start=result)
    path.write_text(f"{measured.to_json()}\n" * 2)


def read_learned(path: Path) -> None:
    with QTable(path.with_suffix(".table"), readonly=True) as table:
        lines = [line._replace(text=path.read_text(errors="surrogateescape")) for line in table.journal()]
    everything(learned_games(lines))


def write_learned(path: Path) -> None:
    line = LearnedGame(record(), {"plies": 2}).to_line()
    path.write_text(line.text)
    with QTable(path.with_suffix(".table")) as table:
        table.record({}, [line])


def write_export(form: str) -> Load:
    def write(path: Path) -> None:
        with QTable(path.with_name("source.table")) as table, path.open("w", newline="") as text:
            entries = {f"key{number}": Entry(float(number), depth=2, wins=1) for number in range(4)}
            table.record(entries, [LearnedGame(record()).to_line()])
            export_rows(table, text, form)

    return write


def read_import(form: str) -> Load:
    def read(path: Path) -> None:
        with path.open(encoding="utf-8", newline="") as text:
            read_settings(text, form)
        import_file(path.with_suffix(".table"), path, form, replace=True)

    return read


def write_games(path: Path) -> None:
    path.write_text(record().to_pgn() * 2)


def write_tree(path: Path) -> None:
    path.write_text(
        '[Event "A \\"B\\""]\n[Result "*"]\n\n{ first } 1. e4 $1 { [%eval 0.2] good } ( 1. d4 { or ( so ) } '
        "d5 $10 "
        "( 1... Nf6 ; line\n 2. c4 ) 2. c4 ) 1... e5! 2. Nf3 *\n" * 2
    )


def read_tree(path: Path) -> None:
    """What is read is written so that it is read as the same again."""
    with read_trees(path) as games:
        texts = [as_pgn(game.game) for game in games if isinstance(game, GameTree)]
    again = path.with_name("again.pgn")
    again.write_text("".join(texts), encoding="utf-8")
    with read_trees(again) as games:
        assert [as_pgn(game.game) for game in games if isinstance(game, GameTree)] == texts


def write_suite(path: Path) -> None:
    path.write_text(openings_as_pgn(load_openings()[:3], "x"))


def write_epd(path: Path) -> None:
    boards = (opening.board() for opening in load_openings()[:3])
    path.write_text("".join(f'{board.epd()} id "line";\n{board.fen()}\n' for board in boards))


def read_spool(path: Path) -> None:
    assert isinstance(Spool(path.parent.with_name("t")).games(lambda said: None), list)


LOADERS: dict[str, tuple[str, Load, Load]] = {
    "weights": ("w.json", write_weights, load_weights),
    "run.json": ("run.json", write_run, lambda path: RunFolder.open(path.parent)),
    "match.json": ("match.json", write_match, lambda path: MatchFolder.open(path.parent)),
    "games of a match": ("games.pgn", write_match, lambda path: MatchFolder.open(path.parent).standing()),
    "openings of a match": ("openings.pgn", write_match, lambda path: MatchFolder.open(path.parent)),
    "tune.json": ("tune.json", write_tuning, lambda path: TuneFolder.open(path.parent)),
    "state": ("state-1.json", write_tuning, lambda path: TuneFolder.open(path.parent).state(1)),
    "rounds": ("games/round-0001.jsonl", write_tuning, read_tuning_lines),
    "measurements of a run": (
        "measurements.jsonl",
        write_run_measurements,
        lambda path: everything(map(of_run.RunMeasurement.from_json, LineFile(path))),
    ),
    "measurements of a tuning": (
        "measurements.jsonl",
        write_tuning_measurements,
        lambda path: everything(map(of_tuning.TuneMeasurement.from_json, LineFile(path))),
    ),
    "journal": ("line", write_learned, read_learned),
    "table as CSV": ("t.csv", write_export("csv"), read_import("csv")),
    "table as JSON Lines": ("t.jsonl", write_export("jsonl"), read_import("jsonl")),
    "games": ("g.pgn", write_games, lambda path: everything(read_games(path, details=True))),
    "games with variations": ("g.pgn", write_tree, read_tree),
    "archive": ("g.pgn", write_games, lambda path: everything(Archive(path))),
    "openings": ("o.pgn", write_suite, load_openings),
    "positions": ("o.epd", write_epd, load_openings),
    "games to learn": (
        "t-to-learn/x.json",
        lambda path: path.write_text(record().to_json() + "\n"),
        read_spool,
    ),
}


@pytest.fixture(params=LOADERS)
def loader(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Load]:
    """A real file and what loads it."""
    name, write, load = LOADERS[request.param]
    path = tmp_path / "folder" / name
    (tmp_path / "folder").mkdir()
    if "/" in name and write is not write_tuning:
        path.parent.mkdir()
    write(path.parent.parent / "tune.json" if write is write_tuning and "/" in name else path)
    load(path)  # as it was written it can be read
    return path, load


def test_changed_file_is_loaded_or_an_error_of_ours(loader: tuple[Path, Load]) -> None:
    path, load = loader
    data = path.read_bytes()
    for seed in range(MUTATIONS):
        path.unlink(missing_ok=True)
        path.write_bytes(changed := mutated(data, random.Random(seed)))
        try:
            load(path)
        except OURS as error:
            f"{error}".encode(errors="backslashreplace")
        except Exception as error:
            raise AssertionError(f"seed {seed} of {path.name}: {changed[:300]!r}") from error


def test_hostile_file_is_loaded_or_an_error_of_ours(loader: tuple[Path, Load]) -> None:
    path, load = loader
    for data in HOSTILE:
        path.write_bytes(data)
        try:
            load(path)
        except OURS:
            continue


def test_fifo_is_refused_and_not_waited_for(loader: tuple[Path, Load]) -> None:
    path, load = loader
    if path.suffix in (".pgn", ".epd", "") or (path.suffix in (".csv", ".jsonl") and path.stem == "t"):
        pytest.skip("games may come through a pipe, and a command asks what an export is before it is read")
    path.unlink()
    os.mkfifo(path)
    if path.parent.name == "t-to-learn":
        load(path)
        return
    with pytest.raises(OURS, match="FIFO"):
        load(path)


def test_name_of_250_characters_leaves_no_room_for_waiting_games_which_is_told(tmp_path: Path) -> None:
    """The table could be made, but not the folder beside it: a traceback in the UCI process."""
    said: list[str] = []
    assert Spool(tmp_path / ("x" * 250)).games(said.append) == []
    assert ["File name too long" in message for message in said] == [True]


def test_names_that_are_not_utf_8_are_refused_before_a_run_is_begun(tmp_path: Path) -> None:
    """A run's folder keeps names as text; writing them was a traceback, and left half a folder."""
    how = ["--mode", "classic", "--plies", "1", "--tactical", "0", "--max-plies", "20", "--workers", "1"]
    table = os.fsencode(tmp_path) + b"/\xff.table"
    outcome = console.run("selfplay", "--games", "1", *how, "--run", str(tmp_path / "run"), "--table", table)
    assert outcome.returncode == 1
    assert b"expected UTF-8" in outcome.stderr
    assert b"Traceback" not in outcome.stderr
    assert not (tmp_path / "run").exists()


def test_text_that_utf_8_cannot_hold_is_named_and_the_file_stays(tmp_path: Path) -> None:
    write_at_once(tmp_path / "file", "old")
    with pytest.raises(OSError, match="UTF-8"):
        write_at_once(tmp_path / "file", "\udcff")
    with pytest.raises(OSError, match="UTF-8"):
        LineFile(tmp_path / "lines").append("\udcff")
    assert (tmp_path / "file").read_text() == "old"
