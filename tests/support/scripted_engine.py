"""A small UCI and xboard program that plays legal moves until it does what it is told to do wrong.

    python scripted_engine.py FAULT MOVE

Its move of that number, counted from 1 in each game, is the one that goes wrong: `crash`, `murder` (ends the
process that has started it), `hang` (never answers, and does not end when its input does), `sleep` (answers
a second late), `illegal`, `nonsense`, `nothing`, `null` or `resign` (in xboard only); `say:LINE` says this
line instead of a move, `info:LINE` before a good one; with `none` all goes well. `mute` says nothing at all,
from the start. With a third argument, `quit` is noted in that file, after half a second: what a program has
to save takes time.
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


def answer(board: chess.Board, fault: str, *, in_xboard: bool = False) -> None:
    if fault == "crash":
        os._exit(3)
    if fault == "murder":
        os.kill(os.getppid(), signal.SIGKILL)
    if fault in ("hang", "sleep"):
        time.sleep(3600 if fault == "hang" else 1)
    if fault == "resign":
        say("resign")
        return
    if fault.startswith("say:"):
        say(fault.removeprefix("say:"))
        return
    if fault.startswith("info:"):
        say(fault.removeprefix("info:"))
    wrong = {"illegal": "a1a1", "nonsense": "checkmate!", "nothing": "(none)", "null": "0000"}
    move = wrong.get(fault) or min(board.legal_moves, key=str).uci()
    if in_xboard:
        if not fault.startswith("info:"):
            say(f"1 13 0 1 {move}")
        say(f"move {move}")
        if move not in wrong.values():
            board.push_uci(move)
    else:
        if not fault.startswith("info:"):
            say("info depth 1 score cp 13")
        say(f"bestmove {move}")


def note_quit() -> None:
    if len(sys.argv) > 3:
        time.sleep(0.5)
        with open(sys.argv[3], "a") as notes:
            notes.write("quit\n")


def speak_xboard(fault: str, at: int) -> None:
    board, moves = chess.Board(), 0
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "protover":
            say('feature ping=1 setboard=1 usermove=1 memory=1 option="Style -spin 3 1 9" done=1')
        elif word == "ping":
            say(f"pong {rest}")
        elif word == "new":
            board, moves = chess.Board(), 0
        elif word == "usermove":
            board.push_uci(rest)
        elif word == "go":
            moves += 1
            answer(board, fault if moves == at else "none", in_xboard=True)
        elif word == "quit":
            note_quit()
            return


def main(fault: str, at: int) -> None:
    if fault == "mute":
        time.sleep(3600)
    board, moves = chess.Board(), 0
    for line in sys.stdin:
        words = line.split()
        if words[0] == "xboard":
            speak_xboard(fault, at)
            return
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
            note_quit()
            return


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
