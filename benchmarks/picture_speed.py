"""How long pictures take and how large they are: `python benchmarks/picture_speed.py [--table FILE]`.

The game has 80 plies of random moves, more legal moves to list than most games have. Commands are started
afresh each time, as people start them; the middle of five runs counts.
"""

import argparse
import random
import statistics
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path

import chess
import click

from games.chess.record import GameRecord

COMMAND = Path(sysconfig.get_path("scripts")) / "heatmap-engine"
PLIES = 80
RUNS = 5


def random_game(seed: int) -> chess.Board:
    choices = random.Random(seed)
    board = chess.Board()
    while len(board.move_stack) < PLIES:
        if board.is_game_over():
            board = chess.Board()
        board.push(choices.choice(list(board.legal_moves)))
    return board


def measured(*words: str | Path) -> float:
    seconds = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run([COMMAND, "show", *words, "--force"], check=True)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", help="the table to ask")
    table = parser.parse_args().table
    asked = ["--table", table] if table else ["--no-table"]
    with tempfile.TemporaryDirectory() as folder:
        game = Path(folder) / "game.pgn"
        game.write_text(GameRecord.from_board(random_game(3)).to_pgn())
        nothing = measured("-o", Path(folder) / "start.svg", "--no-table")
        click.echo(f"a position as .svg: {nothing:.2f} s, most of it the start of Python")
        for ending in (".svg", ".png", ".html", ".gif"):
            picture = Path(folder) / f"game{ending}"
            seconds = measured(game, "-o", picture, *asked)
            size = picture.stat().st_size
            click.echo(
                f"{PLIES} plies as {ending}: {seconds:.2f} s, {seconds / nothing:.2f} x that, {size:,} bytes"
            )


if __name__ == "__main__":
    main()
