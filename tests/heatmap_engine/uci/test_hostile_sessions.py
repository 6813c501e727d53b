"""Whatever a GUI sends: no crash, no hang, nothing but UCI, and an answer for every `go` and `isready`."""

import io
import re

import chess
from hypothesis import given, settings
from hypothesis import strategies as st

from heatmap_engine.uci.loop import run
from heatmap_engine.uci.wire import Output

WORDS = st.sampled_from(
    [
        "uci",
        "isready",
        "ucinewgame",
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "depth",
        "movetime",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "nodes",
        "mate",
        "infinite",
        "ponder",
        "searchmoves",
        "stop",
        "ponderhit",
        "setoption",
        "name",
        "value",
        "debug",
        "on",
        "off",
        "register",
        "e2e4",
        "e7e5",
        "MultiPV",
        "UCI_ShowWDL",
        "Epsilon",
        "GameResult",
        "UCI_AnalyseMode",
        "Learn",
        "0",
        "1",
        "2",
        "-1",
        "99999999999999999999",
        "0.5",
        "true",
        "false",
        "1-0",
        "d",
        "eval",
        "heat",
        "q",
        "table",
        "perft",
        "help",
        "8/8/8/8/8/8/8/8",
        "w",
        "-",
        "\x00",
        "é",
    ]
)
# Limits that end soon, so that thousands of sessions can be tried.
GO = st.sampled_from(
    [
        "go depth 1",
        "go movetime 1",
        "go nodes 1",
        "go wtime 0 btime 0",
        "go infinite",
        "go ponder",
        "go mate 1",
    ]
)
POSITIONS = st.sampled_from(
    [
        "position startpos",
        "position startpos moves e2e4 e7e5",
        "position startpos moves f2f3 e7e5 g2g4 d8h4",
        "position startpos moves e2e5",
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/4K2R w K - 99 80",
        "position fen x",
    ]
)
LINES = st.one_of(
    st.lists(WORDS, max_size=12).map(" ".join),
    GO,
    POSITIONS,
    st.sampled_from(
        [
            "stop",
            "ponderhit",
            "isready",
            "ucinewgame",
            "setoption name QTable value <memory>",
            "setoption name Mode value deep",
            "setoption name Mode value classic",
            "setoption name Hash value 1",
            "setoption name Clear Hash",
            "setoption name QTable value \0",
            "setoption name Weights value \0",
        ]
    ),
    st.text(max_size=60).filter(lambda text: "\n" not in text),
).filter(lambda line: line.split()[:1] != ["quit"])

ANSWER = re.compile(
    r"id (name|author) .+|option name .+|uciok|readyok|info .+"
    r"|bestmove ([a-h][1-8][a-h][1-8][qrbn]?|\(none\))"
    r"( ponder [a-h][1-8][a-h][1-8][qrbn]?)?"
)
# What only people ask for is answered for people.
FOR_PEOPLE = {"d", "eval", "heat", "q", "table", "perft", "bench", "help"}


def answers(data: bytes) -> list[str]:
    output = io.BytesIO()
    run(io.BytesIO(b"setoption name QTable value <none>\n" + data), Output(output))
    return output.getvalue().decode().splitlines()


@settings(max_examples=150)
@given(st.lists(LINES, max_size=25))
def test_any_session_is_answered_in_uci(lines: list[str]) -> None:
    said = answers("\n".join(lines).encode("utf-8", "surrogatepass"))
    words = [line.split() for line in lines if line.split()]
    commands = [line[0] for line in words]
    if not FOR_PEOPLE & {*commands}:
        assert all(ANSWER.fullmatch(line) for line in said)
    assert said.count("readyok") == commands.count("isready")
    assert sum(line.startswith("bestmove") for line in said) == commands.count("go")


@settings(max_examples=150)
@given(st.binary(max_size=400))
def test_any_bytes_are_survived(data: bytes) -> None:
    said = answers(data + b"\nisready\n")
    assert "readyok" in said or b"quit" in data


@settings(max_examples=40)
@given(st.lists(st.sampled_from(sorted(move.uci() for move in chess.Board().legal_moves)), max_size=30))
def test_any_moves_leave_a_legal_position(moves: list[str]) -> None:
    said = answers(f"position startpos moves {' '.join(moves)}\nd\ngo depth 1\n".encode())
    fen = next(line.removeprefix("FEN ") for line in said if line.startswith("FEN "))
    best = chess.Move.from_uci(said[-1].split()[1])
    assert best in chess.Board(fen).legal_moves
