"""What a deep table tells a search: nodes to a depth with and without it, and what reading it costs a move.

    python benchmarks/table_told.py nodes T --depth 8 --positions 500
    python benchmarks/table_told.py moves T --nodes 2000 --games 10

`nodes` takes positions out of the table's games, every other one a random move beside it. Around each at
least one entry is too shallow to answer at that depth.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator
from statistics import mean, stdev

import chess
import click

from games.chess.journal import LearnedGame, learned_games
from games.chess.openings import load_openings, split_openings
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.entries import as_known
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.deep.settings import DeepSettings
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.engines.engine import Engine
from heatmap_engine.kernel.deep.table_probe import TableProbe
from heatmap_engine.limits import Limits
from heatmap_engine.memory.tables import open_to_read
from qtable import QTable

_PLIES = (6, 40)
_MOST_PLIES = 120


def boards(games: list[LearnedGame], source: random.Random) -> Iterator[chess.Board]:
    while True:
        record = source.choice(games).record
        board = record.board(check=False).root()
        for move in record.moves[
            : source.randrange(_PLIES[0], max(_PLIES[0] + 1, min(len(record.moves), _PLIES[1])))
        ]:
            board.push_uci(move)
        if source.random() < 0.5 and any(board.legal_moves):
            board.push(source.choice(list(board.legal_moves)))
        if not board.is_game_over():
            yield board.copy(stack=False)


def nodes_to_depth(table: QTable, search: DeepSearch, board: chess.Board, depth: int) -> list[int] | None:
    """Told of nothing, of all, of what answers, of what does not; None if all that is known answers."""
    probe = TableProbe(pack(board), 2)
    known = as_known(table.get_many(dict.fromkeys(probe.keys)))
    children = {*probe.keys[1 : 1 + board.legal_moves.count()]}
    answering = {key: told for key, told in known.items() if told[1] + (1 if key in children else 2) >= depth}
    hinting = {key: told for key, told in known.items() if key not in answering and key != probe.keys[0]}
    if not hinting:
        return None
    found = []
    for told in ({}, known, answering, hinting):
        search.clear()
        search.put(probe, told)
        found.append(search.search(board, Limits(depth=depth)).nodes)
    return found


def ratio(rows: list[list[int]], one: int, other: int) -> str:
    logs = [math.log(row[one] / row[other]) for row in rows]
    middle, error = mean(logs), 1.96 * stdev(logs) / math.sqrt(len(logs))
    low, high = math.exp(middle - error), math.exp(middle + error)
    return f"{math.exp(middle):.3f} ({low:.3f} to {high:.3f})"


def compare_nodes(table: QTable, depth: int, positions: int, seed: int) -> None:
    search = DeepSearch(learned_weights())
    games = [*learned_games(table.journal())]
    rows: list[list[int]] = []
    for board in boards(games, random.Random(seed)):
        row = nodes_to_depth(table, search, board, depth)
        if row is not None:
            rows.append(row)
        if len(rows) == positions:
            break
    click.echo(f"nodes to depth {depth} without the table: {mean(row[0] for row in rows):,.0f}")
    for words, one, other in (
        ("all entries / none", 1, 0),
        ("those that answer / none", 2, 0),
        ("all / those that answer", 1, 2),
        ("those that do not answer / none", 3, 0),
    ):
        click.echo(f"{words}: {ratio(rows, one, other)}")


def time_moves(table: QTable, nodes: int, games: int) -> None:
    settings = DeepSettings(learned_weights())
    for words, source in (("no table", None), ("the table", table)):
        moves = hits = 0
        seconds = 0.0
        engine = Engine(source, settings=settings, record="off", random=random.Random(0))
        for opening in split_openings(load_openings())[0][:games]:
            engine.clear()
            board = opening.board()
            while not board.is_game_over(claim_draw=True) and board.ply() < _MOST_PLIES:
                begin = time.process_time()
                pick = engine.pick_move(board, Limits(nodes=nodes), tells_lines=False)
                seconds += time.process_time() - begin
                moves, hits = moves + 1, hits + (pick.table_hits > 0)
                board.push(pick.move)
        click.echo(
            f"{words}: {1000 * seconds / moves:.2f} ms a move, {hits} of {moves} found something in the table"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("nodes", "moves"))
    parser.add_argument("table")
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seed", type=int, default=2)
    args = parser.parse_args()
    with open_to_read(args.table) as table:
        if args.what == "nodes":
            compare_nodes(table, args.depth, args.positions, args.seed)
        else:
            time_moves(table, args.nodes, args.games)


if __name__ == "__main__":
    main()
