"""The deep engine's level: matches on a clock against Stockfish of limited strength and engines of Debian.

    python benchmarks/deep_ladder.py --elo 2200 2400 2600 --games 400 --dir ladder
    python benchmarks/deep_ladder.py --against phalanx glaurung toga2 gnuchess --games 400 --dir ladder
    python benchmarks/deep_ladder.py --reliability 2000 --tc 1+0.01 --margin 0 --dir reliability

Each opponent is a match of `heatmap-engine match`, with its folder in DIR: killed and started again with the
same DIR it plays what is missing, and `games.pgn` has every game. All engines have one thread, 64 MiB and no
book or table of their own; openings come from the whole suite, each with both colours. A game ends by the
rules, when both sides see 1000 centipawns for four moves each, or at most 5 for ten moves each after move 60.

The level is the likeliest one on Stockfish's scale given all matches against it. `--reliability` plays our
engine against itself, or against `--against`, without adjudication. What was lost off the board is counted
for each side, and these games are in `faults.pgn`; `ladder.jsonl` has a line for each match that is over.
"""

import argparse
import json
import sys
import sysconfig
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from games.chess.archive import Archive
from games.chess.openings import load_openings
from heatmap_engine.match.folder import MatchFolder
from heatmap_engine.match.plan import MatchPlan
from heatmap_engine.match.playing import play_match, require_playable
from heatmap_engine.match.scale import FittedLevel, level_of
from heatmap_engine.match.standing import FORFEITS, MatchStanding
from heatmap_engine.match.strength import Pentanomial
from heatmap_engine.players.game_loop import Adjudication, Ends
from heatmap_engine.players.pace import Pace, TimeControl
from heatmap_engine.players.sides import UciSide, XboardSide

OURS = {"Mode": "deep", "Hash": "64", "Threads": "1", "QTable": "<none>", "Learn": "off"}
AGREED = Adjudication(won_score=1000, won_plies=8, drawn_score=5, drawn_plies=20, drawn_from_ply=120)
MOST_PLIES = 600


def heatmap(name: str, args: argparse.Namespace) -> UciSide:
    command = str(Path(sysconfig.get_path("scripts")) / "heatmap-engine-uci")
    given = dict(option.split("=", 1) for option in args.option)
    return UciSide(name, (command,), {**OURS, **given}, args.pace)


def stockfish(level: int, args: argparse.Namespace) -> UciSide:
    options = {"Hash": "64", "Threads": "1", "UCI_LimitStrength": "true", "UCI_Elo": str(level)}
    return UciSide(f"stockfish-{level}", (args.stockfish,), options, args.pace)


def of_debian(name: str, pace: Pace) -> UciSide:
    """The engines as Debian 12 has them; phalanx speaks xboard only, and hears whole seconds of increment."""
    folder = "/usr/games/"
    if name == "phalanx":
        return XboardSide(name, (folder + name, "-b", "-", "-l", "-"), {"memory": "64"}, pace)
    commands = {"gnuchess": (folder + name, "--uci")}
    threads = {"glaurung": {"Threads": "1"}, "toga2": {"Number of Threads": "1"}}
    options = {"Hash": "64", "OwnBook": "false", **threads.get(name, {})}
    return UciSide(name, commands.get(name, (folder + name,)), options, pace)


def opened(first: UciSide, second: UciSide, games: int, args: argparse.Namespace) -> MatchFolder:
    """The match's folder, new or as it was left; with more games if more are wanted."""
    path = args.dir / f"{first.name}-{second.name}-{args.tc}".replace("/", "_")
    ends = Ends(MOST_PLIES, None if args.reliability else AGREED)
    lines = tuple(load_openings())
    plan = MatchPlan(first, second, games, lines=lines, ends=ends, margin_ms=args.margin, seed=args.seed)
    for side in plan.sides:
        require_playable(side)
    if not (path / "match.json").exists():
        return MatchFolder.create(path, plan)
    folder = MatchFolder.open(path)
    if replace(folder.plan, games=games, run=plan.run) != plan:
        sys.exit(f"{path} holds a match with other settings: expected a new --dir")
    folder.change(replace(folder.plan, games=games))
    return folder


def played(folder: MatchFolder, workers: int) -> tuple[MatchStanding, float]:
    """The match at its end, and the games a second of this time."""
    before, started = folder.standing().games, time.perf_counter()
    standing = play_match(folder, workers, report=write, when_done=lambda now: progress(folder, now))
    return standing, (standing.games - before) / (time.perf_counter() - started)


def counted(standing: MatchStanding) -> str:
    return f"{standing.games} games, +{standing.wins} ={standing.draws} -{standing.losses}"


def progress(folder: MatchFolder, standing: MatchStanding) -> None:
    if standing.games % 20 == 0:
        write(f"  {folder.path.name}: {counted(standing)}")


def write_faults(folder: MatchFolder) -> dict[str, int]:
    """How often which side lost off the board and how; these games are copied to a file of their own."""
    path = folder.path / "faults.pgn"
    path.unlink(missing_ok=True)
    faults: dict[str, int] = {}
    for _, record in folder.games():
        if record.termination.startswith(FORFEITS):
            Archive(path).append(record)
            what = f"{record.black if record.result == '1-0' else record.white}: {record.termination}"
            faults[what] = faults.get(what, 0) + 1
    return faults


def opponents(args: argparse.Namespace) -> Iterator[tuple[UciSide, int | None]]:
    """The other sides, with their level where they have one on the scale."""
    yield from ((stockfish(level, args), level) for level in args.elo)
    yield from ((of_debian(name, args.pace), None) for name in args.against)
    if args.reliability and not args.elo and not args.against:
        yield heatmap("itself", args), None


def text_of(level: FittedLevel) -> str:
    if level.elo is None or level.elo_low is None or level.elo_high is None:
        return "not defined: all was won, or all was lost"
    return f"{level.elo:.0f}, 95 % from {level.elo_low:.0f} to {level.elo_high:.0f}"


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--elo", type=int, nargs="+", default=[], help="levels of Stockfish")
    parser.add_argument("--against", nargs="+", default=[], help="engines of Debian")
    parser.add_argument("--reliability", type=int, metavar="GAMES", help="count what is lost off the board")
    parser.add_argument("--games", type=int, default=400, help="against each opponent, an even number")
    parser.add_argument("--tc", default="8+0.08")
    parser.add_argument("--margin", type=float, default=50.0, help="ms beyond the clock that lose no game")
    parser.add_argument("--workers", type=int, default=1, help="games at the same time")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of our engine")
    parser.add_argument("--name", default="heatmap", help="of our engine, for one DIR with several of it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dir", type=Path, required=True)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    args = parser.parse_args()
    args.pace = Pace(TimeControl.parse(args.tc))
    return args


def main() -> None:
    args = arguments()
    on_scale: list[tuple[float, Pentanomial]] = []
    for other, level in opponents(args):
        folder = opened(heatmap(args.name, args), other, args.reliability or args.games, args)
        standing, speed = played(folder, args.workers)
        faults, strength = write_faults(folder), standing.strength
        found = {**standing.as_json(), "level": level, "faults": faults, "games_per_second": round(speed, 4)}
        with (args.dir / "ladder.jsonl").open("a", encoding="utf-8") as record:
            record.write(json.dumps(found) + "\n")
        ends = (strength.elo, strength.elo_low, strength.elo_high)
        elo = " ".join("none" if end is None else f"{end:+.0f}" for end in ends)
        write(
            f"{other.name}: {counted(standing)}, pairs {list(standing.pentanomial.counts)}, "
            f"Elo and its 95 %: {elo}; {speed:.3f} games a second"
        )
        write(f"  lost off the board: {faults or 'nothing'}")
        if level is not None:
            on_scale.append((level, standing.pentanomial))
    if on_scale:
        write(f"level on Stockfish's scale: {text_of(level_of(on_scale))}")


if __name__ == "__main__":
    main()
