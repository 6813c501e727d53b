"""What the journal says of what learning changed, against the table itself."""

import json
from pathlib import Path

import chess
import pytest
from learning_games import short_games

from games.chess.errors import InvalidGame
from games.chess.journal import LearnedGame, LearnedStep, learned_games
from games.chess.record import GameRecord
from heatmap_engine import Engine, key_of
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.learning.changes import changes_of, games_since, last_game
from heatmap_engine.learning.pgn_files import learn_files
from heatmap_engine.memory.tables import open_table, table_settings
from heatmap_engine.memory.walk import known_pick
from qtable import JournalLine, QTable

WORKED = "k7/8/2K5/8/8/8/8/7R w - - 0 1"


def value_of(table: QTable, board: chess.Board) -> float:
    value = table.values([key_of(board)])[key_of(board)]
    return value if board.turn == chess.WHITE else -value


def test_changes_are_the_tables_own_before_and_after() -> None:
    table = QTable.in_memory(settings=table_settings(ClassicSettings()))
    before: dict[str, tuple[float | None, chess.Move | None]] = {}
    games = [*short_games(3)]
    with Engine(table) as engine:
        for game in games:
            for board in positions_of(game):
                before.setdefault(board.epd(), known_pick(board, table))
            engine.learn_game(game)
    found = changes_of(learned_games(table.journal()), top=1000)
    assert (found.games, found.silent_games, found.positions) == (3, 0, len(before))
    assert found.known_before == sum(value is not None for value, _ in before.values())
    assert found.greatest
    for change in found.greatest:
        old_value, old_pick = before[change.board.epd()]
        assert change.old_value == pytest.approx(old_value, abs=1e-4)
        assert change.old_pick == old_pick
        assert change.new_value == pytest.approx(value_of(table, change.board), abs=1e-4)
    distances = [abs(change.value_change) for change in found.greatest]
    assert distances == sorted(distances, reverse=True)


def positions_of(game: GameRecord) -> list[chess.Board]:
    board = game.board()
    positions = []
    while board.move_stack:
        board.pop()
        positions.append(board.copy())
    return positions


def test_a_best_move_that_changes_is_found() -> None:
    table = QTable.in_memory(settings=table_settings(ClassicSettings()))
    with Engine(table) as engine:
        engine.pick_move(WORKED)
        _, pick = known_pick(chess.Board(WORKED), table)
        engine.learn_game(GameRecord(("c6b6", "a8b8", "h1h8"), "1-0", "checkmate", start=WORKED))
    found = changes_of(last_game(table))
    assert found.picks_changed == 1
    change = found.other_picks[0]
    assert (change.board.fen(), change.old_pick, change.new_pick.uci()) == (WORKED, pick, "c6b6")
    assert (round(change.old_value, 2), change.new_value, change.line) == (20.7, 384.0, "")


def test_both_ways_of_learning_keep_the_same_steps(tmp_path: Path) -> None:
    games = [*short_games(2)]
    pgn = tmp_path / "games.pgn"
    pgn.write_text("".join(game.to_pgn() for game in games))
    with open_table(tmp_path / "a.table", ClassicSettings()) as one, Engine(one) as engine:
        for game in games:
            engine.learn_game(game)
        steps = [learned.steps for learned in learned_games(one.journal())]
    with open_table(tmp_path / "b.table", ClassicSettings()) as other:
        learn_files([str(pgn)], other, ClassicSettings())
        assert [learned.steps for learned in learned_games(other.journal())] == steps
    assert all(steps)


def test_games_are_chosen_by_time_and_the_last_is_the_one_learned_last() -> None:
    times = iter([*[100] * 20, *[200] * 20, *[300] * 20])
    table = QTable.in_memory(clock=lambda: next(times))
    games = [*short_games(3)]
    for game, added in zip(games, (100, 300, 200), strict=True):
        table.record({}, [LearnedGame(game, added=added).to_line()])
    assert [learned.record for learned in last_game(table)] == [games[1]]
    assert [learned.record for learned in games_since(table, 200)] == games[1:]
    assert last_game(QTable.in_memory()) == []


def test_games_learned_before_there_were_steps_are_counted_and_not_guessed() -> None:
    old_line = LearnedGame(next(short_games(1))).to_line()
    assert "steps" not in json.loads(old_line.text)
    found = changes_of([LearnedGame.from_line(old_line)])
    assert (found.games, found.silent_games, found.positions, found.mean_change) == (1, 1, 0, 0.0)


STEP = (0.5, 1.5, "e2e4", "d2d4")


@pytest.mark.parametrize(
    "steps",
    [
        (STEP,),
        (STEP, (None, None, None, "e7e5")),
        (STEP, (float("nan"), 1.0, None, "e7e5")),
        (STEP, (None, 1.0, 7, "e7e5")),
        (STEP, (None, 1.0, None, None)),
        (STEP, (1.0, 2.0)),
        (STEP, 5),
    ],
)
def test_steps_that_say_nothing_are_refused(steps: object) -> None:
    game = GameRecord(("e2e4", "e7e5"), "1-0")
    line = LearnedGame(game).to_line()
    text = json.dumps({**json.loads(line.text), "steps": steps})
    with pytest.raises(InvalidGame):
        LearnedGame.from_line(JournalLine(line.id, text, 1))


def test_steps_come_back_with_four_digits() -> None:
    game = GameRecord(("e2e4",), "1-0")
    learned = LearnedGame(game, steps=(LearnedStep(None, 1.23456789, None, "e2e4"),))
    assert learned.steps == (LearnedStep(None, 1.2346, None, "e2e4"),)
    assert LearnedGame.from_line(learned.to_line()).steps == learned.steps


def test_a_journal_with_moves_that_nobody_can_play_is_an_error() -> None:
    game = GameRecord(("e2e4",), "1-0")
    learned = LearnedGame(game, steps=(LearnedStep(0.0, 1.0, "e2e4", "e2e5"),))
    with pytest.raises(InvalidGame, match="legal moves"):
        changes_of([learned])
