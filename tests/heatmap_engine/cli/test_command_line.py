"""What holds for every command: help, documentation, errors, streams, and what is not imported."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import console
import pytest

from heatmap_engine.cli.commands import command_line

ROOT = Path(__file__).parents[3]
AFTER_E4 = b"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def walk(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that call it, groups included."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, f"{name} is listed and not there"
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from walk(command, (*words, name))


COMMANDS = dict(walk(command_line))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(words: tuple[str, ...]) -> None:
    command = COMMANDS[words]
    assert command.help, f"{' '.join(words)} has no help"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{' '.join(words)} {parameter.opts[0]} has no help"
    outcome = console.run(*words, "--help")
    assert outcome.returncode == 0
    assert outcome.stdout.startswith(b"Usage: heatmap-engine " + " ".join(words).encode())


def listed(*words: str) -> list[tuple[str, str]]:
    """Every command in the list of a group with what is said of it; wide enough that nothing is broken."""
    outcome = console.run(*words, "--help", COLUMNS="200")
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    _, _, commands = outcome.stdout.decode().partition("Show this message and exit.")
    lines = [line for line in commands.splitlines() if line.startswith("  ")]
    return [(name, text.strip()) for name, _, text in (line.strip().partition(" ") for line in lines)]


@pytest.mark.parametrize("group", [(), ("table",), ("perfect-clear",), ("wood-block",)], ids=" ".join)
def test_every_command_is_listed_with_a_sentence_that_fits(group: tuple[str, ...]) -> None:
    found = listed(*group)
    names = [words[-1] for words in COMMANDS if words[:-1] == group]
    assert [name for name, _ in found] == names
    for name, text in found:
        assert len(text) <= 60, name
        assert re.fullmatch(r"[A-Z].*[^.]\.", text), f"{name}: {text!r} is no sentence, or cut off"
    narrow = console.run(*group, "--help", COLUMNS="80").stdout.decode()
    assert all(text in narrow for _, text in found)


def test_commands_are_listed_under_what_one_wants_to_do() -> None:
    text = console.run("--help").stdout.decode()
    assert re.findall(r"^(\S.*):$", text, re.MULTILINE) == [
        "Options",
        "Play",
        "Ask about a position",
        "Learn",
        "Measure",
        "Tables",
        "Other games",
    ]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["self-play"], "selfplay"),
        (["Query"], "query"),
        (["analize"], "analyse"),
        (["table", "statss"], "stats"),
        (["analysis"], "analyse"),
        (["Evaluate"], "score"),
        (["explain"], "why"),
        (["train"], "selfplay"),
        (["bench"], "uci"),
        (["help"], "--help"),
        (["nonsense"], None),
    ],
)
def test_a_name_that_is_nearly_right_gets_a_suggestion(words: list[str], meant: str | None) -> None:
    outcome = console.run(*words)
    assert (outcome.returncode, outcome.stdout) == (2, b"")
    last = outcome.stderr.decode().splitlines()[-1]
    advice = "" if meant is None else f"; did you mean {meant!r}?"
    assert last == f"Error: there is no command {words[-1]!r}{advice}"


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["why", "e4", "e5"], "'e4'; moves follow --moves, as in: heatmap-engine why e5 --moves e4"),
        (["why", "1. e4 e5", "2.", "Nf3"], "why Nf3 --moves 1. e4 e5 2."),
        (["analyse", "e2e4", "e7e8q"], "heatmap-engine analyse --moves e2e4 e7e8q"),
        (["heat", "e4", "e5", "O-O"], "heatmap-engine heat --moves e4 e5 O-O"),
        (["score", "Nbxd7+!"], "heatmap-engine score --moves Nbxd7+!"),
        (["query", "e4"], "heatmap-engine query --moves e4"),
        (["show", "e4", "-o", "x.svg"], "heatmap-engine show --moves e4"),
        (["perft", "3", "e4"], "heatmap-engine perft 3 --moves e4"),
    ],
    ids=" ".join,
)
def test_moves_in_place_of_a_fen_say_how_to_name_moves(words: list[str], advice: str) -> None:
    outcome = console.run_here(*words)
    assert (outcome.code, outcome.output) == (2, "")
    assert outcome.errors.splitlines()[-1].startswith("Error: expected a FEN, got ")
    assert outcome.errors.endswith(f"{advice}\n")


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("heatmap-engine selfp", ["selfplay"]),
        ("heatmap-engine table sta", ["stats"]),
        ("heatmap-engine analyse --mo", ["--moves", "--mode"]),
        ("heatmap-engine heat --view b", ["blend"]),
    ],
)
def test_bash_completes_what_was_typed(typed: str, completed: list[str]) -> None:
    """With the line of docs/guide/1-install.md, in a real bash."""
    line = 'eval "$(_HEATMAP_ENGINE_COMPLETE=bash_source heatmap-engine)"'
    assert line in (ROOT / "docs" / "guide" / "1-install.md").read_text()
    words = typed.split()
    script = (
        f"{line}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; COMPREPLY=(); "
        f"_heatmap_engine_completion heatmap-engine {words[-1]} {words[-2]}; echo ${{COMPREPLY[@]}}"
    )
    path = f"{console.HEATMAP_ENGINE.parent}:{os.environ['PATH']}"
    outcome = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True, env=console.environment(PATH=path)
    )
    assert outcome.stdout.split() == completed


def test_analyze_is_analyse() -> None:
    context = click.Context(command_line)
    assert command_line.get_command(context, "analyze") is command_line.get_command(context, "analyse")
    assert "analyze" not in command_line.list_commands(context)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_is_documented(words: tuple[str, ...]) -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]
    call = re.compile(rf"\bheatmap-engine {re.escape(' '.join(words))}\b")
    assert any(call.search(page.read_text()) for page in pages), (
        f"no page shows `heatmap-engine {' '.join(words)}`"
    )


def test_version_imports_nothing_that_it_does_not_need() -> None:
    printed = console.run_python(
        "import sys\n"
        "sys.argv = ['heatmap-engine', '--version']\n"
        "from heatmap_engine.cli import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as ended:\n"
        "    print(ended.code, *sys.modules)\n"
    )
    version, modules = printed.splitlines()
    assert re.fullmatch(r"heatmap-engine, version \d+\.\d+\.\d+\S*", version)
    code, *names = modules.split()
    assert code == "0"
    assert "click" in names
    unwanted = {"numpy", "chess", "rich", "sqlitedict", "qtable", "games", "heatmap_engine.kernel"}
    assert not unwanted & set(names)


def test_the_list_of_commands_imports_none_of_them() -> None:
    printed = console.run_python(
        "import sys\n"
        "sys.argv = ['heatmap-engine', '--help']\n"
        "from heatmap_engine.cli import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    print(*sys.modules)\n"
    )
    names = printed.splitlines()[-1].split()
    assert not {"numpy", "chess", "rich", "qtable", "games", "heatmap_engine.kernel"} & {*names}
    ours = {name for name in names if name.startswith("heatmap_engine.cli.")}
    assert ours == {"heatmap_engine.cli.commands", "heatmap_engine.cli.groups"}


def test_import_of_the_package_imports_nothing_else() -> None:
    printed = console.run_python("import sys, heatmap_engine; print(*sys.modules)")
    assert not {"numpy", "chess", "click", "heatmap_engine.kernel"} & set(printed.split())


def test_package_works_without_assertions() -> None:
    assert (
        console.run_python("import heatmap_engine as he; print(he.explain('startpos').score)", "-O")
        == "0.0\n"
    )


def test_error_is_one_line_and_exit_code_1() -> None:
    outcome = console.run("score", "8/8/8/8/8/8/8/8 w - - 0 1")
    assert outcome.returncode == 1
    assert not outcome.stdout
    assert outcome.stderr.startswith(b"heatmap-engine: not a legal position: the board is empty")
    assert outcome.stderr.count(b"\n") == 1
    assert console.run("heat", "--depth", "-1").returncode == 1
    assert console.run("perft", "33").returncode == 1


def test_error_stays_one_line_whatever_the_fen_holds() -> None:
    for fen in (b"8/8/8/8/8/8/8/8\nw\n- - 0 1", b"\xff\x1b[2J", "♔".encode()):
        for locale in ({}, {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
            outcome = console.run("score", fen, **locale)
            assert outcome.returncode == 1
            assert outcome.stderr.count(b"\n") == 1
            assert b"\x1b" not in outcome.stderr


def test_answers_come_in_order_and_bad_lines_are_numbered() -> None:
    outcome = console.run("score", "-", stdin=b"startpos\nnonsense\n" + AFTER_E4 + b"\n\n\xff\xfe\nstartpos")
    assert outcome.returncode == 1
    assert outcome.stdout == b"0.0\n10.0\n0.0\n"
    errors = outcome.stderr.decode().splitlines()
    assert [error.split(": ")[1] for error in errors] == ["line 2", "line 4", "line 5"]


def test_each_answer_comes_before_the_next_question() -> None:
    with subprocess.Popen(
        [console.HEATMAP_ENGINE, "score", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(AFTER_E4 + b"\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"10.0\n"
        process.stdin.close()
        assert process.wait(60) == 0


def test_no_lines_are_no_answers() -> None:
    outcome = console.run("score", "-")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, b"", b"")


@pytest.mark.parametrize("arguments", [["score", "-"], ["perft", "1", "-"], ["heat", "-"]], ids=" ".join)
def test_closed_pipe_ends_quietly(arguments: list[str]) -> None:
    with subprocess.Popen(
        [console.HEATMAP_ENGINE, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"startpos\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        try:
            while process.poll() is None:
                process.stdin.write(b"startpos\n" * 1000)
                process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended, as it should
        assert process.stderr.read() == b""
        assert process.wait(60) in (0, 1)


@pytest.mark.parametrize(
    "arguments", [["heat"], ["perft", "3", "--divide"], ["heat", "--json"]], ids=" ".join
)
def test_pipe_closed_before_the_start_ends_quietly(arguments: list[str]) -> None:
    ours, its = os.pipe()
    os.close(ours)
    outcome = subprocess.run(
        [console.HEATMAP_ENGINE, *arguments], stdout=its, stderr=subprocess.PIPE, check=False
    )
    os.close(its)
    assert outcome.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [["heat"], ["score"], ["score", "--json"]], ids=" ".join)
def test_full_disk_is_one_line(arguments: list[str]) -> None:
    # It used to be a traceback.
    with open("/dev/full", "wb") as full:
        outcome = subprocess.run(
            [console.HEATMAP_ENGINE, *arguments], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(b"heatmap-engine: ")
    assert outcome.stderr.count(b"\n") == 1


def test_closed_stdin_is_one_line() -> None:
    # It used to be a traceback.
    outcome = subprocess.run(
        ["sh", "-c", '"$0" score - <&-', console.HEATMAP_ENGINE], capture_output=True, check=False
    )
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(b"heatmap-engine: expected one FEN per line on standard input")


@pytest.mark.parametrize(
    "endless",
    [
        "he.perft('startpos', 15)",
        "he.score('startpos', 15)",
        "he.heatmap('startpos', 15)",
        "perft.perft_divide('startpos', 15)",
        "he.score_many(['startpos'] * 100_000, 4, threads=2)",
    ],
)
def test_ctrl_c_ends_long_work(endless: str) -> None:
    # What is asked here takes hours; that the process ends at all is the test.
    code = (
        "import heatmap_engine as he; from heatmap_engine.board import perft; print(flush=True); " + endless
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` would have it ignored
    try:
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            try:
                _, errors = process.communicate(timeout=120)
            finally:
                process.kill()
    finally:
        signal.signal(signal.SIGINT, before)
    assert errors.rstrip().endswith("KeyboardInterrupt")
