"""How the annotation of games compares with Stockfish: the scale of its centipawns, and its marks.

    python benchmarks/annotation_scale.py GAME.pgn [...] [--nodes 100000]

Stockfish must be installed. Each position of the games is searched by both. The scale is the factor on our
centipawns with which both see the same chances, on the curve that lichess.org publishes, by least squares;
`winning_chances.py` has it. Below it are the marks: ours in rows, those by Stockfish's values in columns.
"""

import argparse
import math
from collections import Counter
from collections.abc import Iterator

import chess
import chess.engine
import chess.pgn

import heatmap_engine as he
from heatmap_engine.reports.annotation import Annotation, mark_of

CURVE = 0.00368208
FACTORS = [factor / 20 for factor in range(16, 49)]
NAMES = ("??", "?", "?!", "")
MOST = 1000


def share(centipawns: float) -> float:
    return 1 / (1 + math.exp(-CURVE * max(-MOST, min(MOST, centipawns))))


def games(paths: list[str]) -> Iterator[chess.Board]:
    for path in paths:
        with open(path, encoding="utf-8") as file:
            while game := chess.pgn.read_game(file):
                yield game.end().board()


def stockfish_on(
    board: chess.Board, stockfish: chess.engine.SimpleEngine, nodes: int
) -> list[tuple[int, str]]:
    """Its value for White, a mate as a great one, and its move, at each position but a final one."""
    here, found = board.root(), []
    for move in [*board.move_stack, None]:
        if any(here.generate_legal_moves()):
            info = stockfish.analyse(here, chess.engine.Limit(nodes=nodes))
            found.append((info["score"].white().score(mate_score=100_000), info["pv"][0].uci()))
        if move is not None:
            here.push(move)
    return found


def compare(annotation: Annotation, theirs: list[tuple[int, str]]) -> tuple[list[tuple[int, int]], Counter]:
    """Pairs of values that are no mates, and pairs of marks."""
    values, marks = [], Counter()
    for judged in annotation.moves:
        if judged.ply >= len(theirs):
            continue
        (before, best), (after, _) = theirs[judged.ply - 1], theirs[judged.ply]
        sign = 1 if judged.color == chess.WHITE else -1
        lost = sign * (share(before) - share(after))
        mark = "" if best == judged.move.uci() else mark_of(lost)
        marks[judged.mark, mark] += 1
        if judged.after.centipawns is not None and abs(after) < 50_000:
            values.append((judged.after.centipawns, after))
    return values, marks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="+")
    parser.add_argument("--nodes", type=int, default=100_000)
    arguments = parser.parse_args()
    values: list[tuple[int, int]] = []
    marks: Counter = Counter()
    stockfish = chess.engine.SimpleEngine.popen_uci("stockfish")
    with he.Engine(record="off") as engine:
        for board in games(arguments.games):
            annotation = engine.annotate(board, he.Limits(nodes=arguments.nodes))
            more, counted = compare(annotation, stockfish_on(board, stockfish, arguments.nodes))
            values += more
            marks += counted
    stockfish.quit()

    def error(factor: float) -> float:
        return math.sqrt(sum((share(factor * ours) - share(its)) ** 2 for ours, its in values) / len(values))

    best = min(FACTORS, key=error)
    say(f"{len(values)} positions: factor {best:.2f}, error {error(best):.3f}; at 1: {error(1):.3f}")
    say("ours / its" + "".join(f"{name or 'none':>6}" for name in NAMES))
    for row in NAMES:
        say(f"{row or 'none':>10}" + "".join(f"{marks[row, column]:>6}" for column in NAMES))


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a script prints


if __name__ == "__main__":
    main()
