"""How fast games are learned: with one worker and with two, and beside the picks that a walk is made of.

    python benchmarks/learning_speed.py [--games N] [--plies N] [--rounds N]

The games are played here first, by the engine against itself from lines of the opening suite, with a random
move now and then. Rounds with one and with two workers take turns, each on a new table.
"""

import argparse
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import chess
import click

from games.chess.openings import Opening, load_openings
from games.chess.record import GameRecord
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.engines.engine import Engine
from heatmap_engine.learning.pgn_files import learn_files
from heatmap_engine.memory.tables import open_table

_EPSILON = 0.1
_PICKED_GAMES = 10


def play(opening: Opening, plies: int, source: random.Random) -> GameRecord:
    """A game of the engine against itself that is broken off after so many plies."""
    board = opening.board()
    with Engine(record="off", random=source) as engine:
        while len(board.move_stack) < plies and not board.is_game_over(claim_draw=True):
            explores = source.random() < _EPSILON
            legal = list(board.legal_moves)
            board.push(source.choice(legal) if explores else engine.pick_move(board).move)
    return GameRecord.from_board(board, event="learning_speed.py")


def played_games(number: int, plies: int) -> list[GameRecord]:
    source = random.Random(2)
    openings = load_openings()
    games = [play(openings[index], plies, source) for index in range(number)]
    lengths = [len(game.moves) for game in games]
    click.echo(
        f"{number} games of {min(lengths)} to {max(lengths)} plies, {statistics.mean(lengths):.0f} on average"
    )
    return games


def seconds_of(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def processor_seconds(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def learned_per_second(archive: Path, folder: Path, workers: int) -> tuple[float, float, float]:
    """Games per second on a new table, and the processor time of this process and of the workers."""
    path = folder / f"workers-{workers}-{time.monotonic_ns()}"
    own, others = processor_seconds(resource.RUSAGE_SELF), processor_seconds(resource.RUSAGE_CHILDREN)
    with open_table(path, ClassicSettings()) as table:
        summary = learn_files([archive], table, workers=workers)
        assert summary.tally.learned == table.journal_length()
    return (
        summary.tally.games_per_second,
        processor_seconds(resource.RUSAGE_SELF) - own,
        processor_seconds(resource.RUSAGE_CHILDREN) - others,
    )


def compare_workers(archive: Path, folder: Path, rounds: int) -> None:
    ratios = []
    for _ in range(rounds):
        one, alone, _none = learned_per_second(archive, folder, workers=1)
        two, writer, walkers = learned_per_second(archive, folder, workers=2)
        ratios.append(two / one)
        # What other programs on the machine take away does not show in the processors' own time.
        undisturbed = alone / max(writer, (writer + walkers) / 2)
        click.echo(
            f"games/s: 1 worker {one:.2f}, 2 workers {two:.2f}, ratio {two / one:.2f}; processor seconds: "
            f"{alone:.1f} alone, {writer:.1f} writing + {walkers:.1f} walking, "
            f"ratio on 2 free cores {undisturbed:.2f}"
        )
    click.echo(f"2 workers to 1: {statistics.median(ratios):.2f} (median of {rounds})")


def pick_all(engine: Engine, record: GameRecord) -> None:
    """A pick at every position of a game, as it was played."""
    board = chess.Board(record.start or chess.STARTING_FEN)
    for move in record.moves:
        engine.pick_move(board)
        board.push_uci(move)


def compare_with_picks(games: list[GameRecord], folder: Path) -> None:
    """A game's walk beside the picks at the same positions, both recording into the same new table."""
    ratios = []
    for number, record in enumerate(games):
        with Engine(folder / f"picks-{number}") as engine:
            picks = seconds_of(partial(pick_all, engine, record))
            walk = seconds_of(partial(engine.learn_game, record))
        ratios.append(walk / picks)
    click.echo(
        f"learning a game to its picks: {statistics.median(ratios):.2f} "
        f"(median of {len(ratios)} games, {min(ratios):.2f} to {max(ratios):.2f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--plies", type=int, default=80)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = played_games(options.games, options.plies)
        archive = folder / "games.pgn"
        archive.write_text("".join(game.to_pgn() for game in games))
        whole = [game for game in games if len(game.moves) == options.plies]
        compare_with_picks(whole[:_PICKED_GAMES], folder)
        compare_workers(archive, folder, options.rounds)


if __name__ == "__main__":  # workers import this file
    main()
