"""Games of a person against the engine: the engine's side of the board, and what is kept of a game."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import chess

from games.chess.opening_names import opening_of
from games.chess.record import GameRecord
from heatmap_engine.board.ends import terminal
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import Mode
from heatmap_engine.engines.opponents import Opponent, Reply, full_opponent, limited_opponent
from heatmap_engine.errors import GameOver, InvalidSettings
from heatmap_engine.limits import Limits, clock_budget
from heatmap_engine.memory.finished_game import as_record
from heatmap_engine.stop import Stop
from heatmap_engine.web.house import House
from heatmap_engine.web.live import chances_data, whites_mate
from heatmap_engine.web.messages import AtGame, GameIsOver
from heatmap_engine.web.positions import moves_data

Data = dict[str, Any]

# How long the engine thinks where no clock runs: people do not like to wait.
_SECONDS = 1.0
_HINT_S = 1.0
# The way of an answer to the page, and of a move from it.
_OVERHEAD_MS = 30

# What a page may say of a game that the board does not show.
TERMINATIONS = ("resignation", "draw by agreement", "time forfeit")


def opponent_of(house: House, engine: Engine, elo: int | None) -> Opponent:
    """The engine, or the engine held back; raises InvalidSettings for a level that there is not."""
    if elo is None:
        return full_opponent(engine)
    if not house.mode.has_levels:
        raise InvalidSettings(f"mode {house.mode.name} has no levels, got Elo {elo}")
    return limited_opponent(engine, elo, house.random)


def reply_data(house: House, opponent: Opponent, board: chess.Board, asked: AtGame, stop: Stop) -> Data:
    """The engine's move, after the time that a person would have taken."""
    _require_a_move(board)
    limits, begin = _limits(house.mode, opponent, asked), time.monotonic()
    with house.searching():
        reply = opponent.plan(board, limits, stop)
    wait_s = opponent.seems_to_think_s(board, reply.move, limits) - (time.monotonic() - begin)
    hurry = threading.Event()
    with stop.calls(hurry.set):
        hurry.wait(max(wait_s, 0.0))
    return {**_told(house.mode, board, reply), "seconds": round(time.monotonic() - begin, 3)}


def hint_data(house: House, opponent: Opponent, board: chess.Board, stop: Stop) -> Data:
    """What the engine would play at full strength."""
    _require_a_move(board)
    with house.searching():
        reply = opponent.advise(board, _seconds(house.mode, _HINT_S), stop)
    return _told(house.mode, board, reply)


def draw_data(
    house: House, opponent: Opponent, board: chess.Board, asked: AtGame, color: chess.Color, stop: Stop
) -> Data:
    """Whether the engine, which has this colour, takes a draw."""
    _require_a_move(board)
    with house.searching():
        reply = opponent.plan(board, _limits(house.mode, opponent, asked), stop)
    return {"accepts": reply.accepts_draw(color), **_told(house.mode, board, reply)}


def _require_a_move(board: chess.Board) -> None:
    over = terminal(board)
    if over is not None:
        raise GameOver(f"the game is over: {over} ({board.fen()})")


def _limits(mode: Mode, opponent: Opponent, asked: AtGame) -> Limits:
    if asked.remaining_ms is None:
        return _seconds(mode, _SECONDS)
    budget = clock_budget(asked.remaining_ms, asked.increment_ms, None, _OVERHEAD_MS, opponent.pacing)
    # A level's search is over soon: only the hard limit may end it, and the rest of the time it waits.
    return replace(budget.limits(), is_patient=asked.elo is None)


def _seconds(mode: Mode, seconds: float) -> Limits:
    """In classic mode the depth is the limit, as everywhere."""
    return Limits(seconds=seconds) if mode.plays_by_nodes else Limits()


def _told(mode: Mode, board: chess.Board, reply: Reply) -> Data:
    mate_in = whites_mate(board.turn, reply.mate_in)
    return {
        "move": reply.move.uci(),
        "san": board.san(reply.move),
        "line": moves_data(board, reply.line),
        "score": reply.score,
        "mate_in": mate_in,
        "chances": chances_data(reply.score, mate_in, mode.unit),
    }


def record_of(house: House, engine: Engine, board: chess.Board, over: GameIsOver) -> GameRecord:
    """The finished game; raises InvalidGame for a result that the board contradicts."""
    opponent = opponent_of(house, engine, over.elo)
    is_shown = terminal(board) is not None
    if not is_shown and over.termination not in TERMINATIONS:
        raise InvalidSettings(
            f"expected a game to end by {', '.join(TERMINATIONS)}, got {over.termination!r:.80}"
        )
    record = as_record(board, over.result)
    opening = opening_of(board)
    person = over.colour == "white"
    names = {person: "Player", not person: opponent.name}
    return replace(
        record,
        tags={} if opening is None else {"ECO": opening.eco, "Opening": opening.name},
        termination=record.termination if is_shown else over.termination,
        event="Game in the browser",
        date=f"{datetime.now(UTC):%Y.%m.%d}",
        white=names[chess.WHITE],
        black=names[chess.BLACK],
        settings=dict(opponent.settings),
    )
