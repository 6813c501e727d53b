"""The levels of `UCI_Elo`, measured on clocks against engines with published ratings.

    python benchmarks/calibrate_elo.py --yardstick stash-8=1090=PATH --yardstick stash-9=1275=PATH ... \\
        --games 80 --results games.jsonl --write heatmap_engine/deep/levels.json
    python benchmarks/calibrate_elo.py --yardstick ... --levels 800 1200 1600 --games 40 --results check.jsonl

A yardstick is any UCI engine: its name, its rating and its command, as `yardsticks.py` reads them. Each step
of the ladder below is a setting of nodes, oversight and temperature. Round after round every step plays a
pair of games, one opening with both colours, against one of the up to `--neighbours` yardsticks that are
nearest to what the games so far say it is worth, or against the step before it, until it has `--games`. All
results together give each step the Elo that makes them most likely, the yardsticks being worth what was
published, and the error from the curvature there: 95 % is 1.96 times that. In each pairing both sides are
given a tenth of a point, so that nobody who lost all is infinitely weak. A game that a yardstick lost on time
does not count. A step that came out no stronger than one before it is left out of the table.

With `--levels` there are no steps: `heatmap-engine-uci` itself plays at these `UCI_Elo`, and what it
promises is compared with what was measured. Both sides have the clock of `--tc`, kept here from `go` to
`bestmove`; a step searches in this process. Every game is a line of `--results`: killed and started again
with the same file, the script plays what is missing. Several of these files are read with `--more`; games
of levels count for the steps that they lie between, as long as the table is the one that they were played
with.
"""

import argparse
import itertools
import json
import math
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from random import Random

import chess
import chess.engine
import numpy as np
from yardsticks import FAIR, Yardstick, known_to, running

from games.chess.openings import load_openings
from heatmap_engine.deep.levels import FORMAT, Level, measured_levels
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.limits import LIMITED_PACING, clock_budget
from heatmap_engine.match.pace import TimeControl

# Nodes, oversight and temperature, the weakest first, which must only ever get stronger; and about how strong
# each is, which says whom it meets first.
LADDER = (
    (1_800, 0.60, 55.0, 410),
    (2_200, 0.48, 45.0, 650),
    (3_000, 0.36, 36.0, 820),
    (4_500, 0.26, 28.0, 980),
    (7_500, 0.18, 20.0, 1110),
    (10_000, 0.145, 16.0, 1250),
    (14_000, 0.11, 13.0, 1390),
    (4_500, 0.085, 0.0, 1570),
    (8_000, 0.06, 0.0, 1880),
    (16_000, 0.04, 0.0, 2220),
    (25_000, 0.03, 0.0, 2440),
    (40_000, 0.02, 0.0, 2660),
    (150_000, 0.0, 0.0, 3050),
)
_MOST_PLIES = 300
_GIVEN = 0.1
_FAR = 350.0
_PER_ELO = math.log(10) / 400
_MARGIN_S = 0.05  # what the pipes may cost
_PATIENCE_S = 3.0  # beyond its clock, before an engine that says nothing is ended
_MOMENT_S = 0.01  # old versions of Stash miss a `go` that comes at once after their move
_OVERHEAD_MS = 30.0  # as the engine has it
_OPENING_STEP = 7  # openings that are near in the suite are alike
_OPTIONS = {"Hash": 16, **FAIR}


@dataclass(frozen=True)
class Contender:
    """Who is measured: a step of the ladder, or the engine at a level; `guess` is what it may be worth."""

    name: str
    guess: float
    level: Level | None = None
    """A step's; without one it is the engine over UCI, at `guess`."""


@dataclass(frozen=True)
class Game:
    """One game: the first side's points, who had White, and how it ended."""

    first: str
    second: str
    opening: int
    first_is_white: bool
    points: float
    end: str


class NoAnswer(Exception):
    """An engine said nothing long after its clock had run out, and was ended: its game does not count."""


def clock_of(limit: chess.engine.Limit, colour: chess.Color) -> tuple[float, float]:
    """Seconds left, and seconds for each move."""
    if colour == chess.WHITE:
        return limit.white_clock or 0.0, limit.white_inc or 0.0
    return limit.black_clock or 0.0, limit.black_inc or 0.0


class ClockedEngine:
    """A UCI engine that plays on a clock."""

    def __init__(self, command: tuple[str, ...], options: dict[str, str | int | bool]) -> None:
        self._engine = running(command)
        self._engine.configure(known_to(self._engine, options))
        self._game = object()

    def new_game(self, seed: str) -> None:
        self._game = object()

    def move(self, board: chess.Board, limit: chess.engine.Limit) -> chess.Move | None:
        watch = threading.Timer(clock_of(limit, board.turn)[0] + _PATIENCE_S, self._engine.close)
        watch.start()
        try:
            return self._engine.play(board, limit, game=self._game).move
        except chess.engine.EngineTerminatedError as error:
            raise NoAnswer from error
        finally:
            watch.cancel()

    def close(self) -> None:
        self._engine.close()


class Searcher:
    """A step of the ladder, with the clock that it would have over UCI."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self.new_game("")

    def new_game(self, seed: str) -> None:
        self._search = LimitedSearch(learned_weights(), self._level, Random(f"{self._level} {seed}"))

    def move(self, board: chess.Board, limit: chess.engine.Limit) -> chess.Move | None:
        time.sleep(_MOMENT_S)
        left, increment = clock_of(limit, board.turn)
        budget = clock_budget(1000 * left, 1000 * increment, None, _OVERHEAD_MS, LIMITED_PACING)
        return self._search.search(board, budget.limits()).move

    def close(self) -> None:
        pass


Player = ClockedEngine | Searcher


def player_of(who: Contender | Yardstick) -> Player:
    if isinstance(who, Yardstick):
        return ClockedEngine(who.words, _OPTIONS)
    if who.level is not None:
        return Searcher(who.level)
    limited = {"UCI_LimitStrength": True, "UCI_Elo": round(who.guess), "QTable": "<none>", "Learn": "off"}
    command = Path(sysconfig.get_path("scripts")) / "heatmap-engine-uci"
    return ClockedEngine((str(command),), {**_OPTIONS, **limited})


def play(board: chess.Board, white: Player, black: Player, control: TimeControl) -> tuple[float, str]:
    """White's points, and how the game ended; one that does not end is a draw."""
    left = {chess.WHITE: control.base_s, chess.BLACK: control.base_s}
    increment = control.increment_s
    while board.ply() < _MOST_PLIES:
        outcome = board.outcome(claim_draw=True)
        if outcome is not None:
            return {True: 1.0, False: 0.0, None: 0.5}[outcome.winner], outcome.termination.name.lower()
        limit = chess.engine.Limit(
            white_clock=left[chess.WHITE],
            black_clock=left[chess.BLACK],
            white_inc=increment,
            black_inc=increment,
        )
        turn, started = board.turn, time.perf_counter()
        move = (white if turn else black).move(board, limit)
        left[turn] -= time.perf_counter() - started
        if left[turn] < -_MARGIN_S or move is None:
            return float(not turn), "time" if move else "no move"
        left[turn] = max(left[turn], 0.0) + increment
        board.push(move)
    return 0.5, "too long"


class Results:
    """All games so far, in memory and in a file, and those of other files."""

    def __init__(self, path: Path, more: Sequence[Path] = ()) -> None:
        self._path = path
        texts = [each.read_text(encoding="utf-8") for each in (*more, path) if each.exists()]
        self.games = [Game(**json.loads(line)) for text in texts for line in text.splitlines()]

    def add(self, game: Game) -> None:
        self.games.append(game)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(vars(game)) + "\n")

    def count(self, first: str, second: str) -> int:
        return sum((game.first, game.second) == (first, second) for game in self.games)

    def games_of(self, name: str) -> int:
        """Against whomever it met as the first side."""
        return sum(game.first == name for game in self.games)


def places_of(games: Sequence[Game], contenders: Sequence[Contender]) -> dict[str, np.ndarray]:
    """By name, whose Elo it is: a contender has its own, and a level between two steps a share of each.

    Where a level lies, the table says; it must still be the one that the level was played with.
    """
    places = {each.name: np.eye(len(contenders))[index] for index, each in enumerate(contenders)}
    steps = [replace(each.level, elo=0) for each in contenders if each.level is not None]
    elo = [
        next((row.elo for row in measured_levels() if replace(row, elo=0) == step), None) for step in steps
    ]
    for name in {game.first for game in games if game.first.startswith("level ")} - {*places}:
        if not steps or None in elo:
            continue
        level = float(name.split()[1])
        places[name] = np.array([np.interp(level, elo, row) for row in np.eye(len(steps))])
    return places


def fitted(
    games: Sequence[Game], contenders: Sequence[Contender], yardsticks: Sequence[Yardstick]
) -> tuple[np.ndarray, np.ndarray]:
    """The Elo of each contender, and its standard error, by Newton's method."""
    places = places_of(games, contenders)
    rating = {yardstick.name: yardstick.rating for yardstick in yardsticks}
    pairings: dict[tuple[str, str], tuple[float, float]] = {}
    for game in games:
        if game.end == "time" and game.points:
            continue
        if game.first in places and (game.second in places or game.second in rating):
            points, count = pairings.get((game.first, game.second), (_GIVEN, 2 * _GIVEN))
            pairings[game.first, game.second] = points + game.points, count + 1
    size = len(contenders)
    elo = np.array([contender.guess for contender in contenders], dtype=float)
    weak = np.eye(size) * 1e-9  # who has not played yet stays where it was guessed to be
    for _ in range(100):
        slope, curve = np.zeros(size), weak.copy()
        for (first, second), (points, count) in pairings.items():
            row = places[first] - places.get(second, np.zeros(size))
            expected = 1 / (1 + math.exp(-_PER_ELO * (row @ elo - rating.get(second, 0.0))))
            slope += row * _PER_ELO * (points - count * expected)
            curve += np.outer(row, row) * _PER_ELO**2 * count * expected * (1 - expected)
        elo += np.clip(np.linalg.solve(curve, slope), -100, 100)
    return elo, np.sqrt(np.diag(np.linalg.inv(curve)))


def nearest(yardsticks: Sequence[Yardstick], elo: float, neighbours: int) -> list[Yardstick]:
    """The next ones in strength; games against one who is far away tell little, so one of these is enough."""
    ranked = sorted(yardsticks, key=lambda each: abs(each.rating - elo))
    return ranked[:1] + [each for each in ranked[1:neighbours] if abs(each.rating - elo) < _FAR]


def wanted(
    contenders: Sequence[Contender], args: argparse.Namespace, results: Results
) -> Iterator[tuple[Contender, Contender | Yardstick]]:
    """Round after round, whose pair of games comes next."""
    while unfinished := [each for each in contenders if results.games_of(each.name) < args.games]:
        for contender in unfinished:
            elo, _ = fitted(results.games, contenders, args.yardstick)
            place = contenders.index(contender)
            others: list[Contender | Yardstick] = [*nearest(args.yardstick, elo[place], args.neighbours)]
            if place:
                others.append(contenders[place - 1])
            yield contender, min(others, key=lambda other: results.count(contender.name, other.name))


def measure(args: argparse.Namespace, contenders: Sequence[Contender], results: Results) -> None:
    openings, players = load_openings(), dict[str, Player]()
    try:
        for first, second in wanted(contenders, args, results):
            for name in {*players} - {
                first.name,
                second.name,
            }:  # old versions of Stash take time while they wait
                players.pop(name).close()
            for who in (first, second):
                if who.name not in players:
                    players[who.name] = player_of(who)
            pair = players[first.name], players[second.name]
            opening = _OPENING_STEP * (args.seed + len(results.games) // 2) % len(openings)
            try:
                for is_white in (True, False):
                    for player in pair:
                        player.new_game(f"{args.seed} {len(results.games)}")
                    white, black = pair if is_white else reversed(pair)
                    points, end = play(openings[opening].board(), white, black, args.tc)
                    points = points if is_white else 1 - points
                    results.add(Game(first.name, second.name, opening, is_white, points, end))
            except NoAnswer:
                write(f"{first.name} or {second.name} gave no answer")
                for name in (first.name, second.name):
                    players.pop(name).close()
            if len(results.games) % 100 == 0:
                write(f"{len(results.games)} games")
                report(results.games, contenders, args.yardstick)
    finally:
        for player in players.values():
            player.close()


def report(games: Sequence[Game], contenders: Sequence[Contender], yardsticks: Sequence[Yardstick]) -> None:
    elo, error = fitted(games, contenders, yardsticks)
    for contender, level, spread in zip(contenders, elo, error, strict=True):
        own = [game for game in games if game.first == contender.name]
        met: dict[str, list[float]] = {}
        for game in own:
            met.setdefault(game.second, []).append(game.points)
        scored = (f"{sum(points):g} of {len(points)} against {name}" for name, points in sorted(met.items()))
        lost = sum(game.end == "time" and not game.points for game in own)
        write(
            f"{contender.name}: {level:.0f} ({level - 1.96 * spread:.0f} to {level + 1.96 * spread:.0f}), "
            f"{len(own)} games: {', '.join(scored)}" + (f"; {lost} lost on time" if lost else "")
        )


def rows(elo: Sequence[float], error: Sequence[float]) -> list[dict[str, float]]:
    """The table: steps that are stronger than all before them."""
    table: list[dict[str, float]] = []
    for step, (level, spread) in enumerate(zip(elo, error, strict=True)):
        nodes, oversight, temperature, _ = LADDER[step]
        if not table or level > table[-1]["elo"] + 1:
            row = {"elo": round(level), "error": round(1.96 * spread), "nodes": nodes}
            table.append({**row, "oversight": oversight, "temperature": temperature})
    return table


def write_table(args: argparse.Namespace, contenders: Sequence[Contender], results: Results) -> None:
    elo, error = fitted(results.games, contenders, args.yardstick)
    if not all(low < high for low, high in itertools.pairwise(elo)):
        write("not monotone: a step that is no stronger than one before it is left out of the table")
    provenance = {
        "made by": "benchmarks/calibrate_elo.py",
        "games": len(results.games),
        "clock": str(args.tc),
        "yardsticks": {yardstick.name: yardstick.rating for yardstick in args.yardstick},
        "weights": learned_weights().name,
        "version": version("heatmap-engine"),
        "commit": args.commit,
    }
    table = {"format": FORMAT, "provenance": provenance, "levels": rows(list(elo), list(error))}
    args.write.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def contenders_of(args: argparse.Namespace) -> list[Contender]:
    if args.levels:
        return [Contender(f"level {elo}", elo) for elo in args.levels]
    return [
        Contender(f"step {settings[0]} {settings[1]:g} {settings[2]:g}", guess, Level(0, *settings))
        for *settings, guess in LADDER
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--yardstick",
        type=Yardstick.parse_rated,
        action="append",
        required=True,
        metavar="NAME=RATING=COMMAND",
    )
    parser.add_argument("--levels", type=int, nargs="+", default=[], help="check these UCI_Elo")
    parser.add_argument("--games", type=int, default=60, help="of each step or level, as the first side")
    parser.add_argument("--neighbours", type=int, default=3, help="yardsticks that each meets")
    parser.add_argument("--tc", type=TimeControl.parse, default=TimeControl.parse("3+0.03"))
    parser.add_argument("--seed", type=int, default=1, help="the opening to begin with")
    parser.add_argument("--results", type=Path, required=True, help="the games, a line each")
    parser.add_argument("--more", type=Path, action="append", default=[], help="results that count as well")
    parser.add_argument("--commit", default="", help="for the table's provenance")
    parser.add_argument("--write", type=Path, help="the table's file")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    contenders, results = contenders_of(args), Results(args.results, args.more)
    measure(args, contenders, results)
    report(results.games, contenders, args.yardstick)
    if args.write:
        write_table(args, contenders, results)


if __name__ == "__main__":
    main()
