"""What classic mode records of picks and of games, by the setting `record`."""

import chess
import pytest

import heatmap_engine as he
from games.chess.openings import load_openings
from heatmap_engine.classic.settings import PLIES_OF_BEGINNINGS, ClassicSettings
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.selfplay import SelfPlay, SelfPlayGame
from heatmap_engine.memory.lesson import Learned, Lesson
from heatmap_engine.memory.views import View
from qtable import Entry, QTable

MIDDLEGAME = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 9"
LATE = MIDDLEGAME.replace("0 9", "0 30")


def played(record: str | None = None, *, max_plies: int = 60) -> Learned:
    """A game of self-play on an empty table, without random moves."""
    given = {} if record is None else {"record": record}
    config = RunConfig(run="a run", table="none", games=1, mode="classic", max_plies=max_plies, **given)
    with QTable.in_memory() as table:
        game = SelfPlayGame(1, load_openings()[0], 0.0, 0.0, "2026.11.19", config.play_settings())
        return SelfPlay(table)(game)


def positions(game: Learned) -> set[str]:
    board = game.game.record.board()
    keys = {he.key_of(board)}
    while board.move_stack:
        board.pop()
        keys.add(he.key_of(board))
    return keys


@pytest.mark.parametrize("record", [None, "searched"])
def test_every_position_of_a_game_is_recorded(record: str | None) -> None:
    game = played(record)
    assert positions(game) <= game.changes.keys()


def test_a_game_records_its_positions_and_the_moves_of_its_beginning() -> None:
    game = played()
    plies = len(game.game.record.moves)
    assert plies > PLIES_OF_BEGINNINGS
    beyond = game.changes.keys() - positions(game)
    board = load_openings()[0].board()
    while board.move_stack:
        board.pop()
    moves = set()
    for move in game.game.record.moves[:PLIES_OF_BEGINNINGS]:
        for child in board.legal_moves:
            board.push(child)
            moves.add(he.key_of(board))
            board.pop()
        board.push_uci(move)
    assert beyond <= moves
    assert len(beyond) > 10 * PLIES_OF_BEGINNINGS


def test_a_long_game_records_at_most_a_thousand_entries() -> None:
    game = played(max_plies=240)
    assert len(game.changes) <= 1000


def test_all_that_was_searched_is_recorded_where_that_is_asked_for() -> None:
    assert len(played("searched").changes) > 3 * len(played().changes)


def test_the_journal_says_what_was_recorded_beyond_the_usual() -> None:
    assert "record" not in played().game.settings
    assert played("searched").game.settings["record"] == "searched"


@pytest.mark.parametrize(("fen", "recorded"), [(MIDDLEGAME, 1 + 51), (LATE, 1)])
def test_a_pick_records_its_moves_only_in_the_beginning_of_a_game(fen: str, recorded: int) -> None:
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        engine.pick_move(fen)
        assert len(table) == recorded


def test_the_walk_knows_more_than_it_records() -> None:
    """A quiet mate of the last move is seen two plies before, through values that are not recorded."""
    board = chess.Board("k7/8/2K5/8/8/8/8/7R w - - 0 41")
    for san in ("Kb6", "Kb8", "Rh8#"):
        board.push_san(san)
    with QTable.in_memory() as table, he.Engine(table, mode="classic") as engine:
        learned = engine.learn_game(board)
        assert len(table) == 4
    assert [step.new_value for step in learned.steps] == [384.0, 384.0, 384.0]


def test_a_view_forgets_what_passes() -> None:
    with QTable.in_memory() as table:
        view = View(table)
        view.pass_on({"a": Entry(1.0, 1), "b": Entry(2.0, 1)})
        view.record({"a": Entry(3.0, 2)})
        assert view.values(["a", "b", "c"]) == {"a": 3.0, "b": 2.0}
        assert view.get_many(["b"])["b"].value == 2.0
        assert view.changes.keys() == {"a"}


def test_a_lesson_that_is_interrupted_goes_on_where_it_was() -> None:
    game = played()
    with QTable.in_memory() as table:
        lesson = Lesson(
            game.game.record, he.Engine(table, mode="classic").mode.reanalysis(ClassicSettings()), table
        )
        calls = 0

        def interrupting(_visited: int) -> None:
            nonlocal calls
            calls += 1
            if calls in (3, 40, 41, 100):
                raise KeyboardInterrupt

        learned = None
        while learned is None:
            try:
                learned = lesson.go_on(interrupting)
            except KeyboardInterrupt:
                continue
    assert learned.changes.keys() >= positions(game)


def test_an_unknown_way_to_record_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="record must be one of useful, searched, all, got 'some'"):
        ClassicSettings(record="some")
