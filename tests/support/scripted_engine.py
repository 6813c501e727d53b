"""A small UCI program that plays legal moves until it does what it is told to do wrong.

    python scripted_engine.py FAULT MOVE

Its move of that number, counted from 1 in each game, is the one that goes wrong: `crash`, `murder` (ends the
process that has started it), `hang` (never answers, and does not end when its input does), `sleep` (answers
a second late), `illegal`, `nonsense` or `nothing`; with `none` all goes well. `mute` says nothing at all,
from the start.
"""

import os
import signal
import sys
import time

import chess


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def board_of(words: list[str]) -> chess.Board:
    moves = words[words.index("moves") + 1 :] if "moves" in words else []
    board = chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:8]))
    for move in moves:
        board.push_uci(move)
    return board


def answer(board: chess.Board, fault: str) -> None:
    if fault == "crash":
        os._exit(3)
    if fault == "murder":
        os.kill(os.getppid(), signal.SIGKILL)
    if fault in ("hang", "sleep"):
        time.sleep(3600 if fault == "hang" else 1)
    wrong = {"illegal": "a1a1", "nonsense": "checkmate!", "nothing": "(none)"}
    move = wrong.get(fault) or min(board.legal_moves, key=str).uci()
    say("info depth 1 score cp 13")
    say(f"bestmove {move}")


def main(fault: str, at: int) -> None:
    if fault == "mute":
        time.sleep(3600)
    board, moves = chess.Board(), 0
    for line in sys.stdin:
        words = line.split()
        if words[0] == "uci":
            say("option name Style type spin default 3 min 1 max 9")
            say("uciok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "ucinewgame":
            moves = 0
        elif words[0] == "position":
            board = board_of(words)
        elif words[0] == "go":
            moves += 1
            answer(board, fault if moves == at else "none")
        elif words[0] == "quit":
            return


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
