from pathlib import Path

import pytest
from game_strategies import records, settings
from hypothesis import given
from hypothesis import strategies as st

from games.chess.errors import InvalidGame
from games.chess.journal import LearnedGame, learned_games
from games.chess.record import GameRecord, Scalar
from qtable import JournalLine, QTable

GAME = GameRecord(("e2e4", "e7e5"), "1-0")


@given(records(), settings, st.integers(1, 9))
def test_a_line_gives_the_learned_game_back(record: GameRecord, how: dict[str, Scalar], walks: int) -> None:
    learned = LearnedGame(record, how, walks)
    line = learned.to_line()
    assert line.id == record.game_id
    assert line.text.splitlines() == [line.text]
    assert LearnedGame.from_line(line) == learned


def test_a_table_keeps_the_games_in_the_order_of_learning(tmp_path: Path) -> None:
    games = [GameRecord(("e2e4", "e7e5"), result) for result in ("1-0", "0-1", "*", "1/2-1/2")]
    with QTable(tmp_path / "table") as table:
        for game in games:
            table.record({}, [LearnedGame(game, {"plies": 2}).to_line()])
        assert table.has_journal_line(games[2].game_id)
        assert table.forget(games[2].game_id)
    with QTable(tmp_path / "table") as table:
        learned = list(learned_games(table.journal()))
    assert [game.record for game in learned] == [games[0], games[1], games[3]]
    assert all(game.added is not None and game.settings == {"plies": 2} for game in learned)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (JournalLine("7", "nonsense"), "journal line '7': expected one line of JSON"),
        (JournalLine("7", '{"version":9}'), "expected version 1, got 9"),
        (JournalLine("7", '{"version":1}'), "journal line '7'"),
        (JournalLine("7", LearnedGame(GAME).to_line().text), "holds another game"),
    ],
)
def test_a_line_of_something_else_is_refused(line: JournalLine, message: str) -> None:
    with pytest.raises(InvalidGame, match=message):
        list(learned_games([line]))


def test_a_game_is_walked_at_least_once() -> None:
    with pytest.raises(InvalidGame, match="at least one walk"):
        LearnedGame(GAME, walks=0)
