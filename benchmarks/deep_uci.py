"""The deep search as a UCI engine, no more than a match needs: position, go, setoption, stop.

python benchmarks/deep_uci.py --weights FILE
"""

import argparse
import sys
import threading
from itertools import pairwise

import chess

from heatmap_engine.deep import DeepLimits, DeepResult, DeepSearch
from heatmap_engine.heat_weights import CMHM2, load_weights

MARGIN_MS = 15.0


def limits_of(words: list[str], turn: chess.Color) -> DeepLimits:
    """What `go` asks for."""
    given = {name: int(value) for name, value in pairwise(words) if value.isdigit()}
    if "movetime" in given:
        return DeepLimits(hard_ms=max(1.0, given["movetime"] - MARGIN_MS))
    if "nodes" in given or "depth" in given:
        return DeepLimits(depth=min(given.get("depth", 100), 100), nodes=given.get("nodes"))
    left = given.get("wtime" if turn else "btime")
    if left is None:
        return DeepLimits()
    gain = given.get("winc" if turn else "binc", 0)
    usable = max(1.0, left - MARGIN_MS)
    share = min(usable / max(given.get("movestogo", 25), 2) + 0.75 * gain, 0.5 * usable)
    return DeepLimits(soft_ms=max(1.0, 0.6 * share), hard_ms=max(1.0, min(2.5 * share, 0.6 * usable)))


def show(result: DeepResult) -> None:
    score = f"cp {result.value}" if result.mate_in is None else f"mate {result.mate_in}"
    speed = int(result.nodes / max(result.seconds, 1e-6))
    line = " ".join(move.uci() for move in result.line)
    say(
        f"info depth {result.depth} seldepth {result.deepest} score {score} nodes {result.nodes} nps {speed} "
        f"time {int(result.seconds * 1000)} pv {line}"
    )


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def position_of(words: list[str]) -> chess.Board:
    split = words.index("moves") if "moves" in words else len(words)
    board = chess.Board() if words[0] == "startpos" else chess.Board(" ".join(words[1:split]))
    for text in words[split + 1 :]:
        board.push_uci(text)
    return board


class Session:
    """One search at a time, in a thread of its own, so that `stop` is heard."""

    def __init__(self, weights_file: str | None) -> None:
        self.weights = load_weights(weights_file) if weights_file else CMHM2.scaled(8)
        self.settings = {"Hash": 64, "Threads": 1}
        self.board = chess.Board()
        self.search: DeepSearch | None = None
        self.running: threading.Thread | None = None

    def go(self, words: list[str]) -> None:
        if self.search is None:
            self.search = DeepSearch(
                self.weights, hash_mib=self.settings["Hash"], threads=self.settings["Threads"]
            )
        search, board, limits = self.search, self.board.copy(), limits_of(words, self.board.turn)

        def run() -> None:
            say(f"bestmove {search.search(board, limits, show).move.uci()}")

        self.running = threading.Thread(target=run)
        self.running.start()

    def wait(self, stop: bool = False) -> None:
        if stop and self.search is not None:
            self.search.stop()
        if self.running is not None:
            self.running.join()

    def obey(self, words: list[str]) -> bool:
        """Answer one line; False when it says quit."""
        command, rest = words[0], words[1:]
        if command == "uci":
            say("id name Heatmap Engine deep\noption name Hash type spin default 64 min 1 max 4096")
            say("option name Threads type spin default 1 min 1 max 64\nuciok")
        elif command == "isready":
            say("readyok")
        elif command == "setoption":
            self.wait()
            self.settings[rest[1]] = int(rest[3])
            self.search = None
        elif command == "ucinewgame" and self.search is not None:
            self.search.clear()
        elif command == "position":
            self.wait()
            self.board = position_of(rest)
        elif command == "go":
            self.wait()
            self.go(rest)
        elif command in ("stop", "quit"):
            self.wait(stop=True)
        return command != "quit"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights")
    session = Session(parser.parse_args().weights)
    for line in sys.stdin:
        words = line.split()
        if words and not session.obey(words):
            break


if __name__ == "__main__":
    main()
