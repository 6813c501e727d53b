"""`score` prints one number for each position, in order."""

import json

import pytest
from click.testing import CliRunner

import heatmap_engine as he
from heatmap_engine.cli.score import command

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.mark.parametrize("fen", [[AFTER_E4], AFTER_E4.split(), [AFTER_E4.removesuffix(" 0 1")]])
def test_fen_may_be_quoted_bare_words_or_epd(fen: list[str]) -> None:
    result = CliRunner().invoke(command, fen)
    assert (result.exit_code, result.output) == (0, "10.0\n")


def test_no_fen_is_the_start_position() -> None:
    assert CliRunner().invoke(command, []).output == "0.0\n"


def test_number_is_exact() -> None:
    result = CliRunner().invoke(command, ["--depth", "2", "--weights", "cmhm2-static", AFTER_E4])
    assert float(result.output) == he.score(AFTER_E4, 2, he.CMHM2_STATIC)


def test_json() -> None:
    result = CliRunner().invoke(command, ["--json", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
    assert json.loads(result.output) == {
        "fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "depth": 1,
        "weights": "cmhm2",
        "terminal": "stalemate",
        "score": 0.0,
    }


def test_lines_of_stdin_may_be_json_too() -> None:
    result = CliRunner().invoke(command, ["--json", "-"], input=f"startpos\n{AFTER_E4}\n")
    assert [json.loads(line)["score"] for line in result.stdout.splitlines()] == [0.0, 10.0]


@pytest.mark.parametrize("arguments", [["--depth", "one"], ["--weights", "mine"], ["--fast"]])
def test_wrong_usage_is_exit_code_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(command, arguments).exit_code == 2
