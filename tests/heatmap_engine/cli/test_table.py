"""`heatmap-engine table …`, run as people run it: in a process of its own."""

import json
import os
import pty
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qtable import Entry, JournalLine, QTable
from qtable.errors import TableMismatch

_RUN = [sys.executable, "-c", "from heatmap_engine.cli import main; main()", "table"]


def _run(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*_RUN, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def _error(*arguments: str | Path) -> str:
    """The one line that a failing command leaves on stderr."""
    done = _run(*arguments, code=1)
    assert done.stdout == ""
    assert done.stderr.startswith("heatmap-engine: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.db"
    with QTable(path, settings={"preset": "cmhm2", "depth": 1}) as table:
        entries = {f"{number:032}": Entry(number / 10 - 5, number % 3, number) for number in range(100)}
        entries["result"] = Entry(0.25, 4, 1, "game", 3, 2, 1, 86400)
        table.record(entries, [JournalLine("game 1", "{}")])
    return path


def _contents(path: Path) -> dict[str, Entry]:
    with QTable(path, readonly=True) as table:
        return dict(table)


def test_every_command_has_help() -> None:
    listed = re.findall(r"^  (\w+) ", _run("--help").stdout.partition("Commands:")[2], re.MULTILINE)
    assert set(listed) == {"stats", "check", "compact", "migrate", "backup", "recover", "merge", "export"} | {
        "import",
        "get",
        "put",
        "prune",
        "path",
        "forget",
    }
    for name in listed:
        assert len(_run(name, "--help").stdout.splitlines()) > 4


def test_stats_tells_what_the_table_holds(path: Path) -> None:
    text = _run("stats", path).stdout
    for line in (
        f"table             {path}",
        'settings          depth=1, preset="cmhm2"',
        "entries           101",
        "journal lines     1",
        "visits            4,951",
        "results           3 won, 2 drawn, 1 lost",
        "source search     100",
        "source game       1",
        "depth 4           1",
    ):
        assert line in text.splitlines()
    assert "oldest, newest    1970-01-02 00:00:00 UTC, " in text
    assert re.search(r"^ +2 to 5 +30 #{50}$", text, re.MULTILINE)


def test_stats_as_json_counts_every_value_once(path: Path) -> None:
    found = json.loads(_run("stats", path, "--json").stdout)
    assert found["settings"] == {"preset": "cmhm2", "depth": 1}
    assert found["entries"] == sum(found["histogram"]) == sum(found["by_depth"].values()) == 101
    assert len(found["histogram"]) == len(found["edges"]) + 1


def test_stats_of_an_empty_table_says_so(tmp_path: Path) -> None:
    QTable(tmp_path / "empty.db").close()
    assert "entries           0\n" in _run("stats", tmp_path / "empty.db").stdout


@pytest.mark.parametrize("command", ["stats", "check", "compact", "migrate"])
def test_question_about_a_missing_table_does_not_make_one(tmp_path: Path, command: str) -> None:
    assert "there is no table at" in _error(command, tmp_path / "missing.db")
    assert list(tmp_path.iterdir()) == []


def test_check_succeeds_only_for_a_sound_table(path: Path) -> None:
    assert _run("check", path).stdout == f"{path} is sound\n"
    assert json.loads(_run("check", path, "--json").stdout) == {"sound": True, "problems": []}
    with path.open("r+b") as file:
        file.seek(-4096, os.SEEK_END)
        file.write(bytes(4096))
    assert "heatmap-engine table recover" in _error("check", path)
    found = json.loads(_run("check", path, "--json", code=1).stdout)
    assert found["sound"] is False
    assert found["problems"]


def test_backup_recover_and_compact_keep_every_entry(path: Path, tmp_path: Path) -> None:
    copy, saved = tmp_path / "copy.db", tmp_path / "saved.db"
    _run("backup", path, copy)
    assert "left alone" in _error("backup", path, copy)
    _run("backup", path, copy, "--force")
    found = json.loads(_run("recover", copy, saved, "--json").stdout)
    assert (found["entries"], found["lost"], found["journal_lines"]) == (101, 0, 1)
    assert "lost 0 entries" in _run("recover", copy, saved, "--force").stdout
    assert "bytes now" in _run("compact", saved).stdout
    assert _contents(saved) == _contents(copy) == _contents(path)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_export_and_import_give_the_same_table(path: Path, tmp_path: Path, form: str) -> None:
    text, copy = tmp_path / f"table.{form}", tmp_path / "copy.db"
    _run("export", path, text)
    assert "left alone" in _error("export", path, text)
    assert _run("export", path, "-", "--format", form).stdout == text.read_text()
    settings = [] if form == "jsonl" else ["--setting", "preset=cmhm2", "--setting", "depth=1"]
    assert _run("import", copy, text, *settings).stdout == f"imported 101 entries into {copy}\n"
    assert _contents(copy) == _contents(path)
    with QTable(copy, readonly=True, settings={"preset": "cmhm2", "depth": 1}) as table:
        assert table.journal_length() == (1 if form == "jsonl" else 0)


def test_import_that_fails_leaves_no_new_table_and_no_change(path: Path, tmp_path: Path) -> None:
    text = tmp_path / "bad.csv"
    text.write_text("key,value\ngood,1\nbad,one\n")
    before = _contents(path)
    for target in (tmp_path / "new.db", path):
        assert "line 3" in _error("import", target, text)
    assert not (tmp_path / "new.db").exists()
    assert _contents(path) == before


def test_get_says_what_a_table_holds_for_a_key(path: Path) -> None:
    text = _run("get", path, "result").stdout
    for line in ("value      0.25", "depth      4", "source     game", "wins       3"):
        assert line in text.splitlines()
    assert "updated    1970-01-02 00:00:00 UTC" in text
    found = json.loads(_run("get", path, "result", "--json").stdout)
    assert (found["key"], found["value"], found["updated"]) == ("result", 0.25, 86400)
    assert "has no entry for 'nothing'" in _error("get", path, "nothing")


def test_put_sets_the_value_of_a_key_and_keeps_its_results(path: Path) -> None:
    assert _run("put", path, "result", "-1.5").stdout == f"'result' is now -1.5 in {path}, before 0.25\n"
    assert _run("put", path, "new", "2").stdout == f"'new' is now 2 in {path}\n"
    found = _contents(path)
    assert found["result"]._replace(updated=0) == Entry(-1.5, 4, 1, "import", 3, 2, 1, 0)
    assert found["new"].value == 2.0
    assert "value must be a finite number" in _error("put", path, "result", "nan")
    assert "'much' is not a valid float" in _run("put", path, "result", "much", code=2).stderr


@pytest.mark.parametrize("command", ["get", "put"])
def test_get_and_put_refuse_what_is_no_table(tmp_path: Path, command: str) -> None:
    other = tmp_path / "other"
    value = ["1"] if command == "put" else []
    assert "there is no table" in _error(command, other, "a", *value)
    os.mkfifo(other)
    assert "is a FIFO (a named pipe), not a file" in _error(command, other, "a", *value)


@pytest.fixture
def own(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own table of deep mode, which has the entries of `path`."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    own = tmp_path / "data" / "heatmap-engine" / "default.deep.table"
    own.parent.mkdir(parents=True)
    with QTable(path, readonly=True) as table:
        table.backup(own)
    return own


def test_path_is_that_of_your_own_table(own: Path) -> None:
    assert _run("path").stdout == f"{own}\n"
    classic = own.with_name("default.table")
    assert _run("path", "--mode", "classic").stdout == f"{classic}\n"
    assert not classic.exists()


def test_a_command_that_names_no_table_means_your_own(own: Path, path: Path, tmp_path: Path) -> None:
    assert _run("stats").stdout == _run("stats", own).stdout
    assert _run("check").stdout == f"{own} is sound\n"
    assert str(own) in _run("compact").stdout
    assert _run("migrate").stdout == f"{own} is up to date\n"
    assert "wins       3" in _run("get", "result").stdout
    assert _run("put", "result", "-1.5").stdout == f"'result' is now -1.5 in {own}, before 0.25\n"
    assert (
        _run("prune", "--visits-below", "50", "--dry-run").stdout
        == _run("prune", own, "--visits-below", "50", "--dry-run").stdout
    )
    for command, name in (("backup", "copy.db"), ("export", "rows.csv"), ("recover", "saved.db")):
        _run(command, tmp_path / name)
    assert _contents(tmp_path / "copy.db") == _contents(tmp_path / "saved.db") == _contents(own)
    assert _contents(path)["result"].value == 0.25
    assert "now has 101" in _run("merge", path, "--allow-duplicates").stdout
    assert _contents(own)["result"].wins == 6
    assert f"into {own}\n" in _run("import", tmp_path / "rows.csv").stdout


def test_mode_says_which_own_table_and_none_that_is_missing_is_made(own: Path, tmp_path: Path) -> None:
    classic = own.with_name("default.table")
    assert f"there is no table yet at {classic}" in _error("stats", "--mode", "classic")
    assert not classic.exists()
    rows = tmp_path / "rows.csv"
    rows.write_text("key,value\nnew,1\n")
    assert _run("import", rows, "--mode", "classic").stdout == f"imported 1 entries into {classic}\n"
    assert [*_contents(classic)] == ["new"]
    assert "a table was named" in _run("stats", own, "--mode", "deep", code=2).stderr


def test_forgotten_argument_never_has_your_own_table_overwrite_another_one(own: Path, path: Path) -> None:
    """`backup TABLE --force` without a target would be a copy of the own table over that one."""
    before = path.read_bytes()
    for command in ("backup", "recover", "export"):
        assert "name the table, too" in _run(command, path, "--force", code=2).stderr
    assert path.read_bytes() == before


def test_import_names_a_source_that_is_no_file(path: Path, tmp_path: Path) -> None:
    source = tmp_path / "rows.csv"
    os.mkfifo(source)
    assert "rows.csv is a FIFO (a named pipe), not a file" in _error("import", path, source)


def test_merge_refuses_games_twice_unless_told(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    _run("backup", path, copy)
    before = _contents(path)
    assert "--allow-duplicates" in _error("merge", path, copy)
    assert _contents(path) == before
    assert "now has 101" in _run("merge", path, copy, "--allow-duplicates").stdout
    assert _contents(path)["result"] == Entry(0.25, 4, 2, "game", 6, 4, 2, 86400)


def test_prune_says_what_it_would_do_and_does_it(path: Path) -> None:
    expected = f"would remove 50 of 101 entries of {path}; 51 are left\n"
    options = ["--visits-below", "50", "--depth-below", "3"]
    assert _run("prune", path, *options, "--dry-run").stdout == expected
    assert len(_contents(path)) == 101
    found = json.loads(_run("prune", path, *options, "--json").stdout)
    assert found == {"removed": 50, "kept": 51, "dry_run": False}
    assert len(_contents(path)) == 51
    removed = f"removed 1 of 51 entries of {path}; 50 are left\n"
    assert _run("prune", path, "--older-than", "1").stdout == removed


@pytest.mark.parametrize(
    "arguments",
    [
        ["prune"],
        ["prune", "--to-size", "big"],
        ["export", "table.txt"],
        ["import", "no such file.csv"],
        ["dance"],
    ],
)
def test_wrong_usage_is_exit_code_2(path: Path, arguments: list[str]) -> None:
    name, *others = arguments
    assert "Error: " in _run(name, path, *others, code=2).stderr


def _many(path: Path) -> None:
    source = random.Random(1)
    with QTable(path) as table:
        table.record({f"{source.getrandbits(128):032x}": Entry(0.5) for _ in range(60_000)})


def test_progress_is_shown_on_a_terminal_and_not_when_piped(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    _many(path)
    assert _run("stats", path).stderr == ""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*_RUN, "stats", str(path)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the terminal's other end was closed
                break
        assert process.stdout is not None
        assert b"entries           60,000" in process.stdout.read()
    os.close(ours)
    text = shown.decode()
    assert "reading" in text
    assert re.search(r"60,000 of 60,000 entries", text)
    assert "entries/s" in text


def test_ctrl_c_leaves_the_table_as_it_was_and_says_so(tmp_path: Path) -> None:
    path, source = tmp_path / "table.db", tmp_path / "rows.csv"
    with QTable(path) as table:
        table.record({"a": Entry(1.0)})
    before = _contents(path)
    # So long that a third of them fills SQLite's cache: the log then grows as rows are being written.
    source.write_text("key,value\n" + "".join(f"{number:0300},1\n" for number in range(300_000)))
    with subprocess.Popen(
        [*_RUN, "import", str(path), str(source)], stderr=subprocess.PIPE, text=True
    ) as process:
        log = tmp_path / "table.db-wal"
        while process.poll() is None and not (log.exists() and log.stat().st_size > 1_000_000):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.read() == f"stopped: {path} is as it was\n"
    assert process.returncode == 130
    assert _contents(path) == before
    assert "is sound" in _run("check", path).stdout


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("bytes.csv", b"key,value\n\xff,1\n", "UTF-8"),
        ("huge.jsonl", b'{"key": "a", "value": 1' + b"0" * 400 + b"}\n", "line 1"),
        ("deep.jsonl", b"[" * 100_000, "line 1"),
    ],
)
def test_text_that_no_table_holds_is_refused_in_one_line(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert reason in _error("import", tmp_path / "new.db", tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("days", ["nan", "1e308"])
def test_age_that_is_no_number_of_days_is_wrong_usage(path: Path, days: str) -> None:
    assert "Error: " in _run("prune", path, "--older-than", days, code=2).stderr


def test_source_that_is_merged_twice_is_refused(path: Path, tmp_path: Path) -> None:
    source = tmp_path / "source.db"
    with QTable(source, settings={"preset": "cmhm2", "depth": 1}) as table:
        table.record({"result": Entry(1.0)})
    before = _contents(path)
    assert "nor twice" in _error("merge", path, source, source)
    assert _contents(path) == before


def test_commands_of_a_mismatch_work_when_pasted(tmp_path: Path) -> None:
    path, text, target = tmp_path / "old table.db", tmp_path / "rows.csv", tmp_path / "new.db"
    with QTable(path, settings={"a": 1}) as table:
        table.record({"key": Entry(0.5)})
    wanted: dict[str, str | int | float | bool] = {"a": "1", "preset": "it's mine", "exact": True}
    with pytest.raises(TableMismatch) as caught:
        QTable(path, settings=wanted)
    exporting, importing = str(caught.value).partition("move them: ")[2].split(", then ")
    for command in (exporting, importing.replace("NEW_TABLE", str(target))):
        _run(*shlex.split(command.replace("FILE.csv", str(text)))[2:])
    with QTable(target, settings=wanted) as table:
        assert "key" in table
