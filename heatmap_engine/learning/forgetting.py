"""Taking one game back out of a table, as far as the table can tell what came from it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import chess

from games.chess.journal import LearnedGame, LearnedStep, learned_games
from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.keys import key_of
from heatmap_engine.board.reading import pack
from heatmap_engine.engines.mode import mode_of_meaning
from heatmap_engine.kernel.deep.table_probe import TableProbe
from heatmap_engine.memory.game_results import GameResults
from qtable import Entry, QTable

# Plies around the positions of a game within which values rest on what the game has taught.
_PLIES_AROUND = 2
# Digits after the point of the values in a journal line, less one that rounding may change.
_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting a game came to."""

    results: int
    """At how many positions its result was taken away."""
    removed: int
    """How many entries were removed, because nothing else has made them."""
    kept: int
    """How many values could not be taken back, because others may have had a part in them."""
    later: int
    """How many games were learned after it, whose values may rest on it."""


@dataclass(slots=True)
class _Place:
    """One position of the game, however often it occurred, and what the journal says of its value."""

    board: chess.Board
    results: tuple[int, int, int]
    times: int = 0
    step: LearnedStep | None = None  # None for the final position


def forget_game(table: QTable, game: LearnedGame) -> Forgotten:
    """Take a game out of the journal, its result off its positions, and away what only it has made.

    An entry is the game's alone where nobody else has ever recorded it: it was visited no more often than the
    game was walked, or it was unknown before the game was learned and has not been touched since. All of it
    is one transaction.
    """
    with table.transaction():
        lines = list(learned_games(table.journal()))
        others = any(other.added == game.added and not _is_same(other, game) for other in lines)
        mode = mode_of_meaning(table.settings)
        places = _places(game, mode.results_choose)
        known = table.get_many(places)
        left = {key: _without_result(entry, places[key].results) for key, entry in known.items()}
        alone = {key for key, entry in left.items() if _is_alone(entry, places[key], game)}
        kept = sum(_has_value_of(left[key], places[key]) for key in left.keys() - alone)
        around = _recorded_with(table, _around(game) - places.keys(), game)
        # A search records its line to the end, so what another game of that second made may be anywhere.
        removed = set() if others else {key for key, entry in around.items() if entry.visits == 1}
        table.put({key: left[key] for key in left.keys() - alone})
        table.delete(*alone, *removed)
        table.forget(game.record.game_id)
    mode.generalizer(table).finish()
    return Forgotten(
        results=sum(left[key][4:7] != known[key][4:7] for key in known),
        removed=len(alone) + len(removed),
        kept=kept + len(around) - len(removed),
        later=_later(lines, game),
    )


def _is_same(one: LearnedGame, other: LearnedGame) -> bool:
    return one.record.game_id == other.record.game_id


def _later(lines: list[LearnedGame], game: LearnedGame) -> int:
    ids = [line.record.game_id for line in lines]
    return len(ids) - 1 - ids.index(game.record.game_id)


def _places(game: LearnedGame, results_choose: bool) -> dict[str, _Place]:
    """The game's positions by their keys."""
    results = GameResults(game.record, results_choose)
    steps: list[LearnedStep | None] = [*(game.steps or [None] * len(game.record.moves)), None]
    places: dict[str, _Place] = {}
    for ply, (board, step) in enumerate(zip(_positions(game), steps, strict=True)):
        place = places.setdefault(key_of(board), _Place(board, (0, 0, 0), step=step))
        more = results.at(ply, board.turn)
        place.results = place.results[0] + more[0], place.results[1] + more[1], place.results[2] + more[2]
        place.times += 1
    return places


def _positions(game: LearnedGame) -> list[chess.Board]:
    """Every position of the game, the first one first."""
    board = game.record.board()
    boards = [board.copy(stack=False)]
    while board.move_stack:
        board.pop()
        boards.append(board.copy(stack=False))
    return boards[::-1]


def _without_result(entry: Entry, results: Iterable[int]) -> Entry:
    """The entry without these results; a table that was imported or merged may have fewer."""
    wins, draws, losses = (
        max(0, had - less) for had, less in zip((entry.wins, entry.draws, entry.losses), results, strict=True)
    )
    return entry._replace(wins=wins, draws=draws, losses=losses)


def _is_alone(entry: Entry, place: _Place, game: LearnedGame) -> bool:
    """Whether nothing but this game has made the entry, which has its result no more."""
    if entry.wins or entry.draws or entry.losses:
        return False
    if entry.visits <= place.times * game.walks:
        return True
    if place.step is None:
        return entry.source == "game"  # no other game ended here with a result
    return place.step.old_value is None and entry.updated == game.added


def _has_value_of(entry: Entry, place: _Place) -> bool:
    """Whether the entry still has the value that the game gave it; a final position has one by the result."""
    if place.step is None:
        return entry.source == "game"
    return abs(movers_view(place.board.turn, entry.value) - place.step.new_value) < _TOLERANCE


def _around(game: LearnedGame) -> set[str]:
    """The keys of the game's positions and of all that can be reached from them in a few moves."""
    found: set[str] = set()
    for board in _positions(game):
        found.update(TableProbe(pack(board), _PLIES_AROUND).keys)
    return found


def _recorded_with(table: QTable, keys: Iterable[str], game: LearnedGame) -> Mapping[str, Entry]:
    """Of these entries those that were last recorded in the second in which the game was."""
    return {key: entry for key, entry in table.get_many(keys).items() if entry.updated == game.added}
