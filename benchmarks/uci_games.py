"""Games on a clock over UCI: what is lost on time, illegal, or broken off; and the table afterwards.

    python benchmarks/uci_games.py --games 100 --base 0.5 --increment 0.01
    python benchmarks/uci_games.py --games 200 --base 1 --increment 0.01 --opponent stockfish

Without `--opponent` two processes of the engine play on one table and both learn from every game. The clock
is kept here, outside of the engines, from the moment a `go` is written to the moment its `bestmove` is read;
a player whose clock is below zero then has lost, and so has one whose connection breaks or whose move is
illegal.
"""

import argparse
import shutil
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import chess
import chess.engine

from games.chess.openings import load_openings
from qtable import QTable

_ENGINE = str(Path(sysconfig.get_path("scripts")) / "heatmap-engine-uci")
_MOST_PLIES = 600


@dataclass
class Tally:
    """What happened in all games; names of players as in `Player.name`."""

    ends: Counter[str] = field(default_factory=Counter)
    moves: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    longest: dict[str, float] = field(default_factory=dict)
    least_left: dict[str, float] = field(default_factory=dict)

    def note(self, name: str, spent: float, left: float) -> None:
        self.moves[name] += 1
        self.seconds[name] += spent
        self.longest[name] = max(self.longest.get(name, 0.0), spent)
        self.least_left[name] = min(self.least_left.get(name, left), left)


class Player:
    """An engine process with a name and a clock."""

    def __init__(self, name: str, command: list[str], options: dict[str, str]) -> None:
        self.name = name
        self.engine = chess.engine.SimpleEngine.popen_uci(command)
        self.engine.configure({key: value for key, value in options.items() if key in self.engine.options})
        self.left = 0.0


def play(
    players: tuple[Player, Player], board: chess.Board, base: float, increment: float, tally: Tally
) -> str:
    """How the game ended; `players` are White's first."""
    white, black = players
    white.left = black.left = base
    game = object()
    while board.ply() < _MOST_PLIES:
        outcome = board.outcome(claim_draw=True)
        if outcome is not None:
            return outcome.termination.name.lower()
        player = white if board.turn == chess.WHITE else black
        limit = chess.engine.Limit(
            white_clock=max(white.left, 0.001),
            black_clock=max(black.left, 0.001),
            white_inc=increment,
            black_inc=increment,
        )
        started = time.perf_counter()
        try:
            answer = player.engine.play(board, limit, game=game)
        except chess.engine.EngineError as error:
            return f"{player.name}: {type(error).__name__}: {error}"
        spent = time.perf_counter() - started
        player.left -= spent
        tally.note(player.name, spent, player.left)
        if player.left < 0:
            return f"{player.name} lost on time"
        player.left += increment
        if answer.move is None:
            return f"{player.name} gave no move"
        board.push(answer.move)
    return f"stopped after {_MOST_PLIES} plies"


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--base", type=float, default=0.5, help="seconds")
    parser.add_argument("--increment", type=float, default=0.01, help="seconds")
    parser.add_argument("--opponent", help="another UCI engine's command")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    table = folder / "games.table"
    ours = {"QTable": str(table)}
    # A level at which games go on for as long as ours do.
    theirs = {"Threads": "1", "Hash": "16", "UCI_LimitStrength": "true", "UCI_Elo": "1350"}
    players = [Player("first", [_ENGINE], ours)]
    if arguments.opponent:
        players.append(Player("opponent", [arguments.opponent], theirs))
    else:
        players.append(Player("second", [_ENGINE], ours))
    tally = Tally()
    openings = load_openings()
    started = time.perf_counter()
    try:
        for number in range(arguments.games):
            board = openings[number // 2 % len(openings)].board()
            pair = (players[0], players[1]) if number % 2 == 0 else (players[1], players[0])
            tally.ends[play(pair, board, arguments.base, arguments.increment, tally)] += 1
    finally:
        for player in players:
            player.engine.quit()
    seconds = time.perf_counter() - started
    learn_what_waits(table)
    report(tally, table, seconds)
    shutil.rmtree(folder)


def learn_what_waits(table: Path) -> None:
    """Start the engine once more and let it learn the games that it had no time for."""
    waiting = table.with_name(f"{table.name}-to-learn")
    left = len([*waiting.glob("*.json")])
    started = time.perf_counter()
    with chess.engine.SimpleEngine.popen_uci([_ENGINE]) as engine:
        engine.configure({"QTable": str(table)})
        engine.ping()
        while any(waiting.glob("*.json")) and time.perf_counter() - started < 600:
            time.sleep(0.1)
    write(f"{left} games waited to be learned; that took {time.perf_counter() - started:.0f} s")


def report(tally: Tally, table: Path, seconds: float) -> None:
    write(f"{sum(tally.ends.values())} games in {seconds:.0f} s")
    for end, count in tally.ends.most_common():
        write(f"  {count:4}  {end}")
    for name, moves in tally.moves.items():
        write(
            f"{name}: {moves} moves, {1000 * tally.seconds[name] / moves:.1f} ms a move, "
            f"at most {1000 * tally.longest[name]:.0f} ms, least left {1000 * tally.least_left[name]:.0f} ms"
        )
    with QTable(table, readonly=True) as opened:
        problems = opened.check()
        games = opened.journal_length()
        write(f"table: {len(opened)} entries, {games} games learned, {problems or 'sound'}")
    waiting = table.with_name(f"{table.name}-to-learn")
    write(f"games left to learn: {len([*waiting.glob('*.json')])}")


if __name__ == "__main__":
    main()
