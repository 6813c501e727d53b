"""The deep engine's level: matches on a clock against engines of known strength, all fitted together.

    python benchmarks/deep_ladder.py --opponent stash-30=3166=PATH stash-33=3286=PATH --games 200 --dir ladder
    python benchmarks/deep_ladder.py --opponent toga2 glaurung gnuchess phalanx pygin==PATH --dir ladder
    python benchmarks/deep_ladder.py --elo 2200 2400 2600 --games 400 --dir ladder
    python benchmarks/deep_ladder.py --reliability 2000 --tc 1+0.01 --margin 0 --dir reliability

An opponent is any engine: NAME=RATING=COMMAND with a published rating, NAME==COMMAND without one; the four
engines of Debian need no command (yardsticks.py). `--elo` are levels of Stockfish, which are on a scale of
their own. Each opponent is a match of `heatmap-engine match`, with its folder in DIR: killed and started
again with the same DIR the ladder plays what is missing, and `games.pgn` has every game. `--fit-only` starts
no engine: it fits the games that are in DIR.

All engines have one thread, 64 MiB and no book or table of their own; openings come from the whole suite,
each with both colours. A game ends by the rules, when both sides see 1000 centipawns for four moves each, or
at most 5 for ten moves each after move 60.

The level is the likeliest one given all matches against rated opponents, which are taken to be worth what
was published. Other opponents get a difference in Elo. `--reliability` plays our engine against itself, or
against the opponents, without adjudication. What was lost off the board is counted for each side, and these
games are in `faults.pgn`; `ladder.jsonl` has a line for each match, and one for each level.
"""

import argparse
import json
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from yardsticks import DEBIAN, FAIR, Yardstick, known_to, running

from games.chess.archive import Archive
from games.chess.openings import load_openings
from heatmap_engine.errors import MatchError
from heatmap_engine.match.folder import MatchFolder
from heatmap_engine.match.plan import MatchPlan
from heatmap_engine.match.playing import play_match, require_playable
from heatmap_engine.match.scale import FittedLevel, level_of
from heatmap_engine.match.standing import FORFEITS, MatchStanding
from heatmap_engine.match.strength import Pentanomial
from heatmap_engine.players.game_loop import Adjudication, Ends
from heatmap_engine.players.pace import Pace, TimeControl
from heatmap_engine.players.sides import UciSide, XboardSide

MEMORY_MIB = "64"
OURS = {"Mode": "deep", "Hash": MEMORY_MIB, "Threads": "1", "QTable": "<none>", "Learn": "off"}
AGREED = Adjudication(won_score=1000, won_plies=8, drawn_score=5, drawn_plies=20, drawn_from_ply=120)
MOST_PLIES = 600


def heatmap(name: str, args: argparse.Namespace) -> UciSide:
    command = str(Path(sysconfig.get_path("scripts")) / "heatmap-engine-uci")
    given = dict(option.split("=", 1) for option in args.option)
    return UciSide(name, (command,), {**OURS, **given}, args.pace)


def stockfish(level: int, args: argparse.Namespace) -> UciSide:
    options = {"Hash": MEMORY_MIB, "Threads": "1", "UCI_LimitStrength": "true", "UCI_Elo": str(level)}
    return UciSide(f"stockfish-{level}", (args.stockfish,), options, args.pace)


def foreign(engine: Yardstick, pace: Pace) -> UciSide:
    """The opponent with those of the ladder's options that it has."""
    if engine.speaks_xboard:
        return XboardSide(engine.name, engine.words, {"memory": MEMORY_MIB}, pace)
    with running(engine.words) as process:
        options = known_to(process, {"Hash": MEMORY_MIB, **FAIR})
    return UciSide(engine.name, engine.words, options, pace)


def folder_of(opponent: str, args: argparse.Namespace) -> Path:
    """Where the match against this opponent is."""
    return args.dir / f"{args.name}-{opponent}-{args.tc}".replace("/", "_")


def opened(second: UciSide, games: int, args: argparse.Namespace) -> MatchFolder:
    """The match's folder, new or as it was left; with more games if more are wanted."""
    path, first = folder_of(second.name, args), heatmap(args.name, args)
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


def left(opponent: str, args: argparse.Namespace) -> MatchFolder:
    """The match's folder as it was left."""
    try:
        return MatchFolder.open(folder_of(opponent, args))
    except MatchError as error:
        sys.exit(f"{error}; without --fit-only it is played")


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


def opponents(args: argparse.Namespace) -> Iterator[tuple[str, Callable[[], UciSide], float | None, str]]:
    """The others' names and what makes their sides, their level where they have one, and its scale."""
    for level in args.elo:
        yield f"stockfish-{level}", partial(stockfish, level, args), level, "Stockfish's UCI_Elo"
    for each in args.opponent:
        yield each.name, partial(foreign, each, args.pace), each.rating, args.list
    if args.reliability and not args.elo and not args.opponent:
        yield "itself", partial(heatmap, "itself", args), None, ""


def text_of(level: FittedLevel) -> str:
    """A level in words; where all was won or lost it has one end only."""
    low, high = (None if end is None else f"{end:.0f}" for end in (level.elo_low, level.elo_high))
    if level.elo is None:
        return f"at least {low}, all was won" if low else f"at most {high}, all was lost"
    return f"{level.elo:.0f}, 95 % from {low} to {high}"


def show(folder: MatchFolder, standing: MatchStanding, level: float | None, scale: str) -> dict[str, Any]:
    """Print how a match stands, and hand back its line of the record."""
    faults, strength, name = write_faults(folder), standing.strength, folder.plan.second.name
    ends = (strength.elo, strength.elo_low, strength.elo_high)
    elo = " ".join("none" if end is None else f"{end:+.0f}" for end in ends)
    write(f"{name}: {counted(standing)}, pairs {list(standing.pentanomial.counts)}, Elo and its 95 %: {elo}")
    if level is not None and standing.pentanomial.pairs:
        alone = level_of([(level, standing.pentanomial)])
        write(f"  against {level:.0f} this alone is a level of {text_of(alone)}")
    write(f"  lost off the board: {faults or 'nothing'}")
    return {**standing.as_json(), "level": level, "scale": scale, "faults": faults}


def show_level(scale: str, matches: Sequence[tuple[float, Pentanomial]]) -> dict[str, Any]:
    """Print the level that all matches on one scale give together, and hand back its line of the record."""
    level, games = level_of(matches), 2 * sum(pairs.pairs for _, pairs in matches)
    met = ", ".join(f"{each:g}" for each, _ in matches)
    write(f"level on the scale of {scale} by {games} games against {met}: {text_of(level)}")
    return {"scale": scale, "games": games, "opponents": [each for each, _ in matches], **asdict(level)}


def note(args: argparse.Namespace, found: dict[str, Any]) -> None:
    with (args.dir / "ladder.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(found) + "\n")


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--elo", type=int, nargs="+", default=[], help="levels of Stockfish")
    parser.add_argument(
        "--opponent",
        "--against",
        type=Yardstick.parse,
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=RATING=COMMAND",
        help=f"an engine; of Debian: {', '.join(DEBIAN)}",
    )
    parser.add_argument("--list", default="the ratings given", help="where the ratings are from")
    parser.add_argument("--fit-only", action="store_true", help="start no engine, fit the games in DIR")
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
    by_scale: dict[str, list[tuple[float, Pentanomial]]] = {}
    for name, side, level, scale in opponents(args):
        if args.fit_only:
            folder = left(name, args)
            standing, speed = folder.standing(), 0.0
        else:
            folder = opened(side(), args.reliability or args.games, args)
            standing, speed = played(folder, args.workers)
        note(args, {**show(folder, standing, level, scale), "games_per_second": round(speed, 4)})
        if level is not None and standing.pentanomial.pairs:
            by_scale.setdefault(scale, []).append((level, standing.pentanomial))
    for scale, matches in by_scale.items():
        note(args, show_level(scale, matches))


if __name__ == "__main__":
    main()
