"""The games of a deep table's journal as training games: what was learned of each position, and the result.

The journal has all that learning weights needs of a game, so that rows of positions need not repeat it:

| wanted of a position          | where it is                                                            |
|-------------------------------|------------------------------------------------------------------------|
| its value, by its own search  | the game's step: found with what was then known of the next position   |
| how far the end was, and what | the moves that follow, and the result                                  |
| whether its best move takes   | the game's step, which names that move                                 |
| where it came from            | the game's record, and with which weights and nodes it was learned     |
"""

from collections.abc import Iterator

import chess

from games.chess.journal import LearnedGame
from games.chess.record import WHITES_POINTS
from heatmap_engine.deep.mates import is_mate
from heatmap_engine.deep.settings import expected_points
from heatmap_engine.tuning.training_games import DeepGame, Moment, is_quiet


def training_game(learned: LearnedGame) -> DeepGame:
    """The game with what was learned of its positions, which has steps.

    Where its result says nothing, as that of a game that was left, it ends in what its last value promises.
    """
    record = learned.record
    result = (
        WHITES_POINTS[record.result]
        if record.judges_position
        else expected_points(learned.steps[-1].new_value)
    )
    return DeepGame(tuple(_moments(learned)), result)


def _moments(learned: LearnedGame) -> Iterator[Moment]:
    board = learned.record.board(check=False).root()
    for name, step in zip(learned.record.moves, learned.steps, strict=True):
        move, best = chess.Move.from_uci(name), chess.Move.from_uci(step.new_pick)
        value = round(step.new_value)
        # A mate is seen by the search and not by the evaluation.
        is_learned = is_quiet(board, best) and not is_mate(value)
        yield Moment(board.fen(en_passant="fen") if is_learned else "", value, is_stray=move != best)
        board.push(move)
