"""`perft` counts move sequences."""

import pytest
from click.testing import CliRunner

from heatmap_engine.cli.perft import command

PROMOTES = "7k/P7/8/8/8/8/8/K7 w - - 0 1"


def test_count() -> None:
    assert CliRunner().invoke(command, ["3"]).output == "8902\n"
    assert CliRunner().invoke(command, ["1", *PROMOTES.split()]).output == "7\n"


def test_divide_names_moves_and_adds_up() -> None:
    result = CliRunner().invoke(command, ["1", PROMOTES, "--divide"])
    moves = ["a1a2", "a1b1", "a1b2", "a7a8b", "a7a8n", "a7a8q", "a7a8r"]
    assert result.output == "".join(f"{move}: 1\n" for move in moves) + "total: 7\n"


def test_lines_of_stdin() -> None:
    result = CliRunner().invoke(command, ["2", "-"], input=f"startpos\n{PROMOTES}\n")
    assert result.output.splitlines()[0] == "400"
    assert len(result.output.splitlines()) == 2


@pytest.mark.parametrize("arguments", [[], ["deep"], ["2", "-", "--divide"]])
def test_wrong_usage_is_exit_code_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(command, arguments).exit_code == 2
