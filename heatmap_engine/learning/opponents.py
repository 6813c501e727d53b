"""Whom the games of a run are played against, where that is somebody else than the learner.

What the opponent does wrong off the board costs one game, of which no result counts.
"""

import logging
from dataclasses import replace
from random import Random

import chess

from heatmap_engine.learning.exploring import varied_nodes
from heatmap_engine.players.clocked_player import ClockedPlayer, mover_of
from heatmap_engine.players.game_loop import Choice, Forfeit, Player
from heatmap_engine.players.movers import Clocks, Mover
from heatmap_engine.players.pace import Clock, Pace
from heatmap_engine.players.sides import Side

# How late a move may be before the game is over: a busy machine is not the opponent's fault.
_MARGIN_S = 1.0
_RESIGNATION = "resignation"


class OpponentPlayer:
    """An opponent in one game. `fault` says what it did wrong, if that has ended the game."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.fault: str | None = None

    def choose(self, board: chess.Board) -> Choice:
        try:
            return self._player.choose(board)
        except Forfeit as forfeit:
            if str(forfeit) != _RESIGNATION:
                self.fault = str(forfeit)
            raise


class Opponents:
    """The opponents of a run in the process that plays: each opens its table or starts its program once."""

    def __init__(self) -> None:
        self._movers: list[tuple[Side, Mover]] = []

    def player(self, side: Side, random: Random) -> OpponentPlayer:
        """Who plays this side in a new game, with some more or less nodes if these are its limit."""
        pace = _varied(side.pace, random)
        mover = self._mover(side)
        mover.begin(str(random.random()), pace)
        return OpponentPlayer(ClockedPlayer(mover, Clocks(Clock(pace, _MARGIN_S), Clock(pace, _MARGIN_S))))

    def _mover(self, side: Side) -> Mover:
        for known, mover in self._movers:
            if known == side:
                return mover
        # What python-chess finds odd in an engine's output is not for the user's terminal.
        logging.getLogger("chess.engine").setLevel(logging.CRITICAL)
        mover = mover_of(side)
        self._movers.append((side, mover))
        return mover

    def close(self) -> None:
        """Let go of tables and programs."""
        for _, mover in self._movers:
            mover.close()
        self._movers.clear()


def _varied(pace: Pace, random: Random) -> Pace:
    return pace if pace.nodes is None else replace(pace, nodes=varied_nodes(pace.nodes, random))
