"""A side's place in one game: who thinks for it, and whose clock runs meanwhile."""

from dataclasses import dataclass

import chess

from heatmap_engine.players.external_mover import EngineMover
from heatmap_engine.players.game_loop import Choice, Forfeit, eval_comment
from heatmap_engine.players.movers import TIME_FORFEIT, Clocks, Mover, OurMover
from heatmap_engine.players.sides import OurSide, Side


@dataclass(frozen=True, slots=True)
class ClockedPlayer:
    """Lets a side think, and takes the time off its clock."""

    mover: Mover
    clocks: Clocks

    def choose(self, board: chess.Board) -> Choice:
        answer = self.mover.think(board, self.clocks)
        if not self.clocks.of(board.turn).spend(answer.seconds):
            raise Forfeit(TIME_FORFEIT)
        if answer.centipawns is None:
            return Choice(answer.move)
        return Choice(answer.move, answer.centipawns, eval_comment(answer.centipawns))


def mover_of(side: Side) -> Mover:
    """Who thinks for a side, game after game; tables and engines are opened here."""
    return OurMover(side) if isinstance(side, OurSide) else EngineMover(side)
