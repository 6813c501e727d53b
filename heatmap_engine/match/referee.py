"""Plays the games of a match, one after the other, and keeps the clocks; what a worker process does."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date

from games.chess.record import GameRecord
from heatmap_engine.board.tablebases import Tablebases
from heatmap_engine.errors import AlreadyLearned
from heatmap_engine.learning.runs.folder import games_of_run
from heatmap_engine.match.plan import TABLE_OF, MatchGame, MatchPlan
from heatmap_engine.players.clocked_player import ClockedPlayer, mover_of
from heatmap_engine.players.game_loop import PlayedMoves, play_game
from heatmap_engine.players.movers import Clocks, Mover, OurMover
from heatmap_engine.players.pace import Clock
from heatmap_engine.players.sides import OurSide, Side, described

EVENT = "Heatmap Engine match"


class Referee:
    """Plays games of a plan. It is copied to the process that works, and opens tables and engines there."""

    def __init__(self, plan: MatchPlan) -> None:
        self._plan = plan
        self._movers: tuple[Mover, Mover] | None = None
        self._tables: Tablebases | None = None
        self._learned_before: dict[str, GameRecord] = {}

    def __call__(self, game: MatchGame) -> GameRecord:
        """The game's record; sides that learn have learned it when it is handed back."""
        first, second = self._ready_movers()
        first.begin(f"{self._plan.seed} {game.number} first")
        second.begin(f"{self._plan.seed} {game.number} second")
        sides = self._plan.sides
        record = self._learned_before.get(str(game.number + 1))
        if record is None:
            tables = self._frozen_tables(game)
            played = self._played(game, (first, second), sides)
            record = self._record(game, played, _both(tables, self._frozen_tables(game)))
        for mover in self._learners():
            with suppress(AlreadyLearned):
                mover.engine.learn_game(record)
        return record

    def _ready_movers(self) -> tuple[Mover, Mover]:
        if self._movers is None:
            # What python-chess finds odd in an engine's output is not for the user's terminal.
            logging.getLogger("chess.engine").setLevel(logging.CRITICAL)
            folders = self._plan.ends.syzygy
            self._tables = Tablebases.open(folders) if folders else None
            self._movers = mover_of(self._plan.first), mover_of(self._plan.second)
            self._learned_before = {record.round: record for record in self._games_in_journals()}
        return self._movers

    def _learners(self) -> Iterator[OurMover]:
        for mover, side in zip(self._movers or (), self._plan.sides, strict=True):
            if side.learns:
                assert isinstance(mover, OurMover)
                yield mover

    def _games_in_journals(self) -> Iterator[GameRecord]:
        """Games that were learned by a process that was killed before it could hand them back.

        They are not played again: with what the table has learned from them they might go another way.
        """
        for mover in self._learners():
            assert mover.engine.table is not None
            for learned in games_of_run(mover.engine.table, self._plan.run):
                yield learned.record

    def _played(self, game: MatchGame, movers: tuple[Mover, Mover], sides: tuple[Side, Side]) -> PlayedMoves:
        margin_s = self._plan.margin_ms / 1000
        order = (0, 1) if game.first_is_white else (1, 0)
        clocks = Clocks(*(Clock(sides[place].pace, margin_s) for place in order))
        white, black = (ClockedPlayer(movers[place], clocks) for place in order)
        return play_game(game.opening, white, black, self._plan.ends, self._tables)

    def _record(self, game: MatchGame, played: PlayedMoves, tables: Mapping[str, str]) -> GameRecord:
        plan, opening = self._plan, game.opening
        white, black = plan.sides if game.first_is_white else plan.sides[::-1]
        return GameRecord.from_board(
            played.board,
            result=played.result,
            termination=played.termination,
            event=EVENT,
            date=f"{date.today():%Y.%m.%d}",
            round=str(game.number + 1),
            white=white.name,
            black=black.name,
            run=plan.run,
            tags={"Opening": opening.name, **({"ECO": opening.eco} if opening.eco else {})},
            settings={
                "seed": plan.seed,
                "white": described(white),
                "black": described(black),
                **tables,
            },
            comments=played.comments,
        )

    def _frozen_tables(self, game: MatchGame) -> dict[str, str]:
        """What is in the tables that nobody should write to now; by the names in a record's settings."""
        seats = zip(game.colours, self._ready_movers(), self._plan.sides, strict=True)
        return {
            TABLE_OF[colour]: mover.table_state()
            for colour, mover, side in seats
            if isinstance(side, OurSide) and isinstance(mover, OurMover) and side.table and not side.learns
        }

    def close(self) -> None:
        """Let go of tables and engines."""
        for mover in self._movers or ():
            mover.close()
        self._movers = None
        if self._tables is not None:
            self._tables.close()
            self._tables = None


def _both(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """The states before a game, with those after it where they are others."""
    return {
        name: state if state == after[name] else f"{state}, then {after[name]}"
        for name, state in before.items()
    }
