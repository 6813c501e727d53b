"""One game is taken back out of a table: what only it has made, its result, and a word on the rest."""

from pathlib import Path

import chess
import pytest

import heatmap_engine as he
from games.chess.journal import learned_games
from games.chess.record import GameRecord
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.learning.forgetting import Forgotten, forget_game
from heatmap_engine.memory.tables import table_settings
from qtable import Entry, QTable

MODES = pytest.mark.parametrize("mode", ["deep", "classic"])
NO_SHOW = GameRecord(("d2d4", "g8f6"), "0-1")
OTHER = GameRecord(("d2d4", "d7d5", "c2c4"), "1-0")


def forget(table: QTable, record: GameRecord) -> Forgotten:
    [game] = [game for game in learned_games(table.journal()) if game.record == record]
    return forget_game(table, game)


def open_engine(path: Path, mode: str, now: list[int]) -> tuple[QTable, he.Engine]:
    """A table whose clock shows what is in `now`, and an engine that learns into it."""
    given = {"learning_nodes": 1_000} if mode == "deep" else {}
    settings = mode_named(mode).settings(**given)
    table = QTable(path, settings=table_settings(settings), clock=lambda: now[0])
    return table, he.Engine(table, settings=settings)


@MODES
def test_the_only_game_of_a_table_leaves_next_to_nothing(mode: str, tmp_path: Path) -> None:
    table, engine = open_engine(tmp_path / "t.table", mode, [100])
    with table, engine:
        engine.learn_game(NO_SHOW)
        learned = len(table)
        forgotten = forget(table, NO_SHOW)
        assert table.journal_length() == 0
        assert (forgotten.results, forgotten.later) == (3, 0)
        assert len(table) == learned - forgotten.removed
        assert forgotten.removed > 0
        assert table.stats().losses == table.stats().wins == 0
        board = NO_SHOW.board()
        board.pop()
        assert table.get(he.key_of(board)) is None
        assert table.get(he.key_of(chess.Board())) is None
        assert table.check() == []


@MODES
def test_what_others_have_made_stays_and_is_counted(mode: str, tmp_path: Path) -> None:
    now = [100]
    table, engine = open_engine(tmp_path / "t.table", mode, now)
    with table, engine:
        engine.learn_game(OTHER)
        alone = dict(table)
        now[0] = 200
        engine.learn_game(NO_SHOW)
        now[0] = 300
        forgotten = forget(table, NO_SHOW)
        left = dict(table)
        shared = he.key_of(chess.Board())
        assert alone.keys() <= left.keys()
        assert (left[shared].wins, left[shared].draws, left[shared].losses) == (1, 0, 0)
        assert forgotten.kept > 0
        assert [game.record for game in learned_games(table.journal())] == [OTHER]


@MODES
def test_games_learned_later_are_named(mode: str, tmp_path: Path) -> None:
    now = [100]
    table, engine = open_engine(tmp_path / "t.table", mode, now)
    with table, engine:
        engine.learn_game(NO_SHOW)
        now[0] = 200
        engine.learn_game(OTHER)
        assert forget(table, NO_SHOW).later == 1
        entry = table.get(he.key_of(chess.Board()))
    assert entry is not None
    assert (entry.wins, entry.losses) == (1, 0)


@MODES
def test_of_games_learned_in_one_second_only_what_is_surely_the_ones_is_removed(
    mode: str, tmp_path: Path
) -> None:
    table, engine = open_engine(tmp_path / "t.table", mode, [100])
    with table, engine:
        engine.learn_game(OTHER)
        alone = dict(table)
        engine.learn_game(NO_SHOW)
        forget(table, NO_SHOW)
        assert alone.keys() <= dict(table).keys()


def test_a_search_of_a_position_of_the_game_keeps_its_value(tmp_path: Path) -> None:
    now = [100]
    table, engine = open_engine(tmp_path / "t.table", "deep", now)
    with table, engine:
        engine.learn_game(NO_SHOW)
        now[0] = 200
        key = he.key_of(chess.Board())
        table.record({key: Entry(17.0, 30)})
        forget(table, NO_SHOW)
        entry = table.get(key)
    assert entry is not None
    assert (entry.value, entry.depth, entry.losses) == (17.0, 30, 0)
