"""Fit the winning chances that scores stand for to the results of games of the engine against itself.

    python benchmarks/fit_winning_chances.py --games 400 --seed 1
    python benchmarks/fit_winning_chances.py --deep MATCH/games.pgn
    python benchmarks/fit_winning_chances.py --deep RUN/games/round-*.jsonl

Every game begins with a line of our own opening suite. The engine picks with (2, 1) and no table; one move in
ten is a random one, so that scores of all sizes occur and are played on from. Each position of a game that
ended by the rules counts with the score of its pick, for the side to move, and with that side's result.
With --deep the values and results are those of games of the deep search: in the PGN of a match of it with
itself, or in the files of games of a run of `heatmap-engine tune`; each position counts from both sides.
The two numbers that it prints stand in `heatmap_engine/winning_chances.py`.
"""

import argparse
import itertools
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt

from games.chess.archive import Archive
from games.chess.openings import Opening, load_openings
from games.lines import LineFile
from heatmap_engine.engines.engine import Engine
from heatmap_engine.tuning.folder import lines_of
from heatmap_engine.tuning.tasks import game_of_line

_RANDOM_MOVES = 0.1
_MOST_PLIES = 500
# Beyond this a score is that of a mate in the tree, which is shown as a mate and not through the mapping.
_LARGEST_SCORE = 300.0
_LARGEST_DEEP_VALUE = 1500.0
_EVAL = re.compile(r"\[%eval (-?[0-9.]+)\]")
_POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}

Floats = npt.NDArray[np.float64]


def positions_of_a_game(engine: Engine, opening: Opening, source: random.Random) -> list[tuple[float, float]]:
    """Score and result (1, 0.5 or 0) for the side to move; nothing if the game did not end."""
    board = opening.board()
    scores = []
    while not board.is_game_over(claim_draw=True):
        if board.ply() > _MOST_PLIES:
            return []
        pick = engine.pick_move(board)
        scores.append((board.turn, pick.score if board.turn == chess.WHITE else -pick.score))
        is_random = source.random() < _RANDOM_MOVES
        board.push(source.choice([*board.legal_moves]) if is_random else pick.move)
    result = _POINTS[board.result(claim_draw=True)]
    return [(score, result if turn == chess.WHITE else 1.0 - result) for turn, score in scores]


def all_positions(games: int, seed: int) -> Iterator[list[tuple[float, float]]]:
    source = random.Random(seed)
    openings = load_openings()
    engine = Engine(record="off", random=source)
    for number in range(games):
        yield positions_of_a_game(engine, openings[number % len(openings)], source)


def deep_positions(paths: list[Path]) -> Iterator[list[tuple[float, float]]]:
    """Value and result for White, and the same for Black, of each position of each game."""
    for path in paths:
        for seen in _of_match(path) if path.suffix == ".pgn" else _of_tuning(path):
            yield seen + [(-value, 1.0 - result) for value, result in seen]


def _of_match(path: Path) -> Iterator[list[tuple[float, float]]]:
    """Of each game that was played to its end; a mate in view is no value, and left out."""
    for game in Archive(path):
        result = _POINTS.get(game.result)
        if result is not None and game.judges_position:
            evals = (_EVAL.fullmatch(comment) for comment in game.comments)
            yield [(100 * float(found[1]), result) for found in evals if found]


def _of_tuning(path: Path) -> Iterator[list[tuple[float, float]]]:
    for game in map(game_of_line, lines_of(LineFile(path))):
        yield [(float(moment.value), game.result) for moment in game.moments]


def probabilities(scores: Floats, half: float, spread: float) -> tuple[Floats, Floats, Floats]:
    """Win, draw and loss: a win is as likely as not at `half`, a loss at minus `half`."""
    win = 1.0 / (1.0 + np.exp((half - scores) / spread))
    loss = 1.0 / (1.0 + np.exp((half + scores) / spread))
    return win, 1.0 - win - loss, loss


def surprise(scores: Floats, results: Floats, half: float, spread: float) -> float:
    """Mean negative logarithm of the probability of what happened."""
    win, draw, loss = probabilities(scores, half, spread)
    happened = np.where(results == 1.0, win, np.where(results == 0.5, draw, loss))
    return float(-np.log(np.maximum(happened, 1e-12)).mean())


def fitted(scores: Floats, results: Floats) -> tuple[float, float]:
    """The pair of least surprise, by halving the steps of a search along both coordinates."""
    best = (20.0, 20.0)
    least = surprise(scores, results, *best)
    step = 2.0
    while step > 1.0005:
        for half, spread in (
            (best[0] * step, best[1]),
            (best[0] / step, best[1]),
            (best[0], best[1] * step),
            (best[0], best[1] / step),
        ):
            found = surprise(scores, results, half, spread)
            if found < least:
                best, least = (half, spread), found
                break
        else:
            step = step**0.5
    return best


def report(scores: Floats, results: Floats, half: float, spread: float) -> None:
    shares = (results == 1.0).mean(), (results == 0.5).mean(), (results == 0.0).mean()
    blind = -sum(share * np.log(share) for share in shares if share)
    write(f"half {half:.2f}  spread {spread:.2f}")
    write(f"surprise {surprise(scores, results, half, spread):.4f}, without looking at scores {blind:.4f}")
    write("      scores          positions   won  drawn  lost   fitted won  drawn  lost")
    edges = np.quantile(scores, np.linspace(0, 1, 13))
    for low, high in itertools.pairwise(edges):
        here = (scores >= low) & (scores <= high)
        win, draw, loss = (float(part.mean()) for part in probabilities(scores[here], half, spread))
        seen = [float((results[here] == result).mean()) for result in (1.0, 0.5, 0.0)]
        write(
            f"{low:8.1f} to {high:8.1f}  {here.sum():9,}  {seen[0]:.2f}   {seen[1]:.2f}  {seen[2]:.2f}"
            f"         {win:.2f}   {draw:.2f}  {loss:.2f}"
        )


def write(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deep", type=Path, nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    found = (
        deep_positions(arguments.deep) if arguments.deep else all_positions(arguments.games, arguments.seed)
    )
    played = [game for game in found if game]
    pairs = np.array([pair for game in played for pair in game])
    kept = pairs[np.abs(pairs[:, 0]) <= (_LARGEST_DEEP_VALUE if arguments.deep else _LARGEST_SCORE)]
    scores, results = kept[:, 0], kept[:, 1]
    write(f"{len(played)} games that ended, {len(pairs):,} positions, {len(kept):,} kept")
    report(scores, results, *fitted(scores, results))


if __name__ == "__main__":
    main()
