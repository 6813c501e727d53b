"""A game of self-play: what playing it has found is used again when it is walked back."""

from random import Random

import pytest

from games.chess.openings import load_openings
from games.chess.record import GameRecord
from heatmap_engine.classic.reanalysis import ClassicReanalysis
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.deep.settings import DeepSettings
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.engines.engine import Engine
from heatmap_engine.learning.exploring import RandomMoves, thinking
from heatmap_engine.learning.selfplay import PlaySettings, SelfPlay, SelfPlayGame
from heatmap_engine.limits import Limits
from heatmap_engine.memory.lesson import Learned, Lesson
from heatmap_engine.memory.views import View
from heatmap_engine.memory.walk import Reanalysis
from heatmap_engine.players.game_loop import Ends, PlayedMoves, play_game
from qtable import QTable

SEARCH = ClassicSettings(plies=1)
ENDS = Ends(max_plies=60)


def played(view: View) -> tuple[PlayedMoves, Reanalysis]:
    random = Random("1 1")
    engine = Engine(view, settings=SEARCH, random=random)
    reanalysis = engine.reanalysis(SEARCH)
    players = [RandomMoves(thinking(engine, Limits()), engine.mode.unit, random, 0.1) for _ in "12"]
    return play_game(load_openings()[3], players[0], players[1], ENDS), reanalysis


def walked(table: QTable, *, anew: bool) -> Learned:
    view = View(table)
    game, reanalysis = played(view)
    record = GameRecord.from_board(game.board, result=game.result, termination=game.termination)
    how = ClassicReanalysis(SEARCH) if anew else reanalysis
    return Lesson(record, how, table, view=view).go_on()


def values(learned: Learned) -> dict[str, tuple[object, ...]]:
    return {key: entry[:-1] for key, entry in learned.changes.items()}


def test_a_walk_that_knows_what_play_has_found_learns_the_same() -> None:
    with QTable.in_memory() as table:
        for _ in range(2):
            alone, knowing = walked(table, anew=True), walked(table, anew=False)
            assert knowing.game.steps == alone.game.steps
            assert values(knowing) == values(alone)
            table.record(knowing.changes)


@pytest.mark.parametrize("mode", ["classic", "deep"])
def test_a_game_of_self_play_is_the_same_each_time(mode: str) -> None:
    search = SEARCH if mode == "classic" else DeepSettings(learned_weights(), learning_nodes=50)
    play = PlaySettings(
        run="a", seed=1, search=search, movetime_ms=None, ends=Ends(max_plies=30), walks=1, nodes=50
    )
    game = SelfPlayGame(1, load_openings()[3], 0.1, 0.1, "2026.11.20", play)
    with QTable.in_memory() as table:
        first, second = SelfPlay(table)(game), SelfPlay(table)(game)
    assert first.game.record.moves == second.game.record.moves
    assert values(first) == values(second)
