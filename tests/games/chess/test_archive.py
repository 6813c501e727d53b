import fcntl
import io
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import chess
import chess.pgn
import pytest
from game_strategies import records
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.chess.archive import Archive
from games.chess.errors import ArchiveError, InvalidGame
from games.chess.record import GameRecord

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")

# Appends games without end and says each one's id only after `append` has returned.
WRITER = """
import sys
from games.chess.archive import Archive
from games.chess.record import GameRecord
path, run = sys.argv[1:]
archive = Archive(path)
number = 0
while True:
    number += 1
    record = GameRecord(
        ("f2f3", "e7e5", "g2g4", "d8h4"), "0-1", run=run, round=str(number),
        comments=("1-0 *", "", "note " * (number % 40), ""),
        settings={"text": "x" * (number % 3000)},
    )
    archive.append(record)
    sys.stdout.write(record.game_id + "\\n")
    sys.stdout.flush()
"""


def game(number: int, **fields: str) -> GameRecord:
    return GameRecord(MATE, "0-1", "checkmate", run="test", round=str(number), **fields)


def read_by_python_chess(path: Path) -> list[chess.pgn.Game]:
    with open(path, encoding="utf-8") as file:
        return list(iter(lambda: chess.pgn.read_game(file), None))


@given(games=st.lists(records(max_plies=10), max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_games_come_back_in_order(tmp_path: Path, games: list[GameRecord]) -> None:
    path = tmp_path / "games.pgn"
    path.unlink(missing_ok=True)
    archive = Archive(path)
    assert [archive.append(record) for record in games] == games
    assert [record.game_id for record in Archive(path)] == [record.game_id for record in games]
    assert archive.count() == len(games)
    assert all(record.game_id in archive for record in games)
    assert "0" * 32 not in archive
    assert archive.repairs == []


def test_an_archive_is_made_by_its_first_game(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "games.pgn")
    assert (list(archive), archive.count(), "x" in archive) == ([], 0, False)
    assert not archive.path.exists()
    archive.append(game(1))
    assert list(archive) == [game(1)]


def test_games_of_python_chess_can_be_appended(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "games.pgn")
    played = chess.pgn.read_game(io.StringIO('[White "me"]\n\n1. f3 { bad } e5 (1... d5) 2. g4 Qh4# 0-1'))
    assert played is not None
    archive.append(played)
    (record,) = archive
    assert (record.moves, record.white, record.comments[0]) == (MATE, "me", "bad")


def test_ids_appended_by_another_archive_object_are_seen(tmp_path: Path) -> None:
    one, two = Archive(tmp_path / "games.pgn"), Archive(tmp_path / "games.pgn")
    for number in range(6):
        (one, two)[number % 2].append(game(number))
        assert game(number).game_id in one
        assert game(number).game_id in two
        assert game(number + 1).game_id not in one


@pytest.mark.parametrize("whole_games", [0, 1, 3])
def test_a_game_cut_anywhere_is_repaired_and_kept_beside(tmp_path: Path, whole_games: int) -> None:
    whole = "".join(game(number).to_pgn() for number in range(whole_games)).encode()
    last = game(99, white='a 1-0 "b" *', event="*").to_pgn().encode()
    for cut in range(1, len(last) - 1):
        path = tmp_path / f"{cut}.pgn"
        path.write_bytes(whole + last[:cut])
        archive = Archive(path)
        complete = last[:cut].endswith(b" 0-1") or last[:cut].endswith(b" 0-1\n")
        assert archive.count() == whole_games + complete, last[:cut]
        if not complete:
            (repair,) = archive.repairs
            assert repair.cut_bytes == cut
            assert repair.kept_in.read_bytes() == last[:cut] + b"\n\n"
        archive.append(game(100))
        assert [record.round for record in archive][-1] == "100"
        assert len(read_by_python_chess(path)) == whole_games + complete + 1


def test_a_reader_leaves_out_what_a_living_writer_has_not_finished(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "games.pgn")
    archive.append(game(1))
    with open(archive.path, "ab") as file:
        file.write(game(2).to_pgn().encode()[:-20])
    assert list(archive) == [game(1)]
    assert archive.count() == 1
    assert game(2).game_id not in archive


@pytest.mark.parametrize("ending", ["", "\n", "\n\n", "\r\n\r\n", "\n\n\n\n"])
def test_a_file_of_another_program_is_continued_not_cut(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "games.pgn"
    foreign = '[Event "x"]\n\n1. e4 *\n\n[Event "y"]\n\n1. d4 1/2-1/2' + ending
    path.write_bytes(foreign.encode())
    archive = Archive(path)
    archive.append(game(1))
    assert path.read_bytes().startswith(foreign.encode())
    assert [record.moves for record in archive] == [("e2e4",), ("d2d4",), MATE]
    assert archive.repairs == []


def test_a_file_that_is_no_archive_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n")
    with pytest.raises(ArchiveError, match="expected a PGN archive"):
        Archive(path)
    assert path.read_text() == "my notes\n"


def test_a_game_that_would_not_come_back_is_refused(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "games.pgn")
    for record in (
        GameRecord(MATE, "*"),
        GameRecord(MATE, "1-0"),
        GameRecord(("e2e5",)),
        GameRecord(MATE, "0-1", comments=("x" * 5_000_000, "", "", "")),
    ):
        with pytest.raises(InvalidGame):
            archive.append(record)
    assert not archive.path.exists()


def test_an_archive_held_by_another_process_is_waited_for_only_so_long(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "games.pgn", lock_timeout_s=0.05)
    archive.append(game(1))
    with open(archive.path, "rb") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(ArchiveError, match="another process has held it"):
            archive.append(game(2))
    archive.append(game(3))
    assert list(archive) == [game(1), game(3)]


def test_a_missing_folder_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"games\.pgn: cannot be used: No such file"):
        Archive(tmp_path / "nowhere" / "games.pgn").append(game(1))


def test_a_game_that_does_not_fit_on_the_disk_is_not_left_half_written(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys\n"
        "from games.chess.archive import Archive\n"
        "from games.chess.errors import ArchiveError\n"
        "from games.chess.record import GameRecord\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "archive = Archive(sys.argv[1])\n"
        "archive.append(GameRecord(('e2e4',)))\n"
        "limit = archive.path.stat().st_size + 50\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))\n"
        "try: archive.append(GameRecord(('d2d4',)))\n"
        "except ArchiveError as error: print(error)\n"
    )
    path = tmp_path / "games.pgn"
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert "File too large" in run.stdout
    assert path.read_text() == GameRecord(("e2e4",)).to_pgn()


def test_what_append_returned_for_survives_every_kill(tmp_path: Path) -> None:
    """Two writers share one file; both are killed without warning, 15 times."""
    path = tmp_path / "games.pgn"
    chance = random.Random(5)
    promised: list[str] = []
    for kill in range(15):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(path), f"{kill}{name}"], stdout=subprocess.PIPE
            )
            for name in "ab"
        ]
        lines = [b"", b""]
        for index, writer in enumerate(writers):
            assert writer.stdout is not None
            for _ in range(chance.randrange(1, 12)):
                lines[index] += writer.stdout.readline()
            os.kill(writer.pid, signal.SIGKILL)
            rest, _ = writer.communicate()
            lines[index] += rest
        promised += [line for text in lines for line in text.decode().split("\n")[:-1]]
    archive = Archive(path)
    found = [record.game_id for record in archive]
    assert len(set(found)) == len(found)
    assert len(promised) >= 50
    assert set(promised) <= set(found)
    read = read_by_python_chess(path)
    assert not any(played.errors for played in read)
    assert [GameRecord.from_game(played).game_id for played in read] == found
    assert archive.count() == len(found)
