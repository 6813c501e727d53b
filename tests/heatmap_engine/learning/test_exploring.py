"""Self-play as a Monte Carlo tree search: the table is the tree, games are its simulations."""

from random import Random

import chess
import pytest
from learning_games import games_learned
from selfplay_runs import created, go_on, positions_that_count

import heatmap_engine as he
from games.chess.openings import load_openings
from games.chess.record import RANDOM
from heatmap_engine.engines.engine import Engine
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.learning.exploring import tree_player
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.folder import games_of_run
from heatmap_engine.limits import Limits
from heatmap_engine.memory.views import View
from qtable import Entry, QTable

DEEP = {"mode": "deep", "nodes": 60, "learning_nodes": 60, "plies": 2, "tactical_plies": 1}


def after(board: chess.Board, move: chess.Move) -> str:
    board = board.copy()
    board.push(move)
    return he.key_of(board)


def chosen(entries: dict[str, Entry], board: chess.Board, mode: str = "deep") -> chess.Move:
    limits = Limits(nodes=400) if mode == "deep" else Limits()
    with QTable.in_memory() as table:
        table.record(entries)
        view = View(table)
        engine = Engine(view, mode=mode, random=Random(1))
        return tree_player(engine, view, limits, Random(1)).choose(board).move


def test_where_nothing_is_known_the_pick_is_played() -> None:
    board = chess.Board()
    move = chosen({}, board)
    with Engine(record="off") as engine:
        effort = Random(1).uniform(0.9, 1.1)
        assert move == engine.pick_move(board, Limits(nodes=round(400 * effort))).move


def test_a_move_that_lost_again_and_again_gives_way() -> None:
    board = chess.Board()
    first = chosen({}, board)
    lost = {after(board, first): Entry(0.0, depth=3, wins=20)}  # for who is to move after it
    won = {after(board, first): Entry(0.0, depth=3, losses=20)}
    assert chosen(lost, board) != first
    assert chosen(won, board) == first


def test_a_losing_move_is_not_tried_whatever_its_results() -> None:
    board = chess.Board("rnbqkbnr/ppp1pppp/8/3p4/8/4P3/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    bad = chess.Move.from_uci("d1g4")
    assert chosen({after(board, bad): Entry(700.0, depth=3, losses=20)}, board) != bad


@pytest.mark.parametrize("seldom", ["e2e3", "d2d4"])
def test_in_classic_mode_seldom_tried_moves_are_tried_again(seldom: str) -> None:
    """As many points from fewer games: there is more to hope for."""
    board = chess.Board()
    games = {move: 2 if move.uci() == seldom else 60 for move in board.legal_moves}
    entries = {after(board, move): Entry(0.0, draws=number) for move, number in games.items()}
    assert chosen(entries, board, "classic").uci() == seldom


def test_every_game_of_a_tree_counts_at_all_its_positions(tmp_path) -> None:  # type: ignore[no-untyped-def]
    folder = created(tmp_path, load_openings()[:1], explore="ucb", games=6, **DEEP)
    go_on(folder)
    with QTable(folder.config.table, readonly=True) as table:
        games = [*games_of_run(table, folder.config.run)]
        assert games_learned(table.path) == 6
        board = load_openings()[0].board()
        at_line = table.get(he.key_of(board))
        assert at_line.wins + at_line.draws + at_line.losses == 6
        stats = table.stats()
        assert stats.wins + stats.draws + stats.losses == sum(len(g.record.moves) + 1 for g in games)
    assert not any(comment.endswith(RANDOM) for game in games for comment in game.record.comments)
    assert all(game.record.settings["explore"] == "ucb" for game in games)
    assert len({game.record.moves for game in games}) > 1


def test_in_deep_mode_results_count_only_after_the_last_random_move(tmp_path) -> None:  # type: ignore[no-untyped-def]
    folder = created(tmp_path, explore="epsilon", epsilon_first=0.3, epsilon_last=0.3, games=4, **DEEP)
    go_on(folder)
    with QTable(folder.config.table, readonly=True) as table:
        games = [*games_of_run(table, folder.config.run)]
        counted = sum(positions_that_count(game.record, "deep") for game in games)
        assert counted < sum(len(game.record.moves) for game in games)
        stats = table.stats()
        assert stats.wins + stats.draws + stats.losses == counted


def test_the_same_seed_plays_the_same_tree(tmp_path) -> None:  # type: ignore[no-untyped-def]
    moves = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        folder = created(tmp_path / name, load_openings()[:2], explore="ucb", games=4, **DEEP)
        go_on(folder)
        with QTable(folder.config.table, readonly=True) as table:
            moves.append([game.record.moves for game in games_of_run(table, folder.config.run)])
    assert moves[0] == moves[1]


def test_an_unknown_way_to_explore_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="explore must be one of ucb, epsilon, got 'greedy'"):
        RunConfig(run="a run", table="t", games=1, explore="greedy")
