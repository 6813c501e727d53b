"""One page that is open: its messages, each answered once, and what is pushed to it in between."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

import chess

from games.chess.errors import GamesError
from heatmap_engine.deep.levels import elo_range
from heatmap_engine.drawing.palette import DARK_SQUARE_SHARE, ORANGE_BLUE
from heatmap_engine.engines.engine import Engine
from heatmap_engine.errors import HeatmapError, SearchTooLarge
from heatmap_engine.limits import Limits
from heatmap_engine.stop import Stop
from heatmap_engine.web import messages
from heatmap_engine.web.answers import annotated, table_data, why_data
from heatmap_engine.web.games import draw_data, hint_data, opponent_of, record_of, reply_data
from heatmap_engine.web.house import House
from heatmap_engine.web.live import Live
from heatmap_engine.web.positions import Boards, heat_data, legal_move, line_data, position_data
from heatmap_engine.web.runs import Runs
from heatmap_engine.web.searcher import Searcher
from heatmap_engine.web.trees import game_of, read_text, write_pgn
from qtable.errors import TableError

Data = dict[str, Any]
Result = TypeVar("Result")
Push = Callable[[str, Data], None]

# Whatever goes wrong on purpose: the page shows the words.
EXPECTED = (HeatmapError, GamesError, TableError, OSError)


def hello(house: House) -> Data:
    """What the page must know before it asks anything."""
    mode = house.mode
    return {
        "mode": mode.name,
        "unit": mode.unit.words,
        "decimals": mode.unit.decimals,
        "caution": house.caution,
        "table": house.table_name,
        "learns": house.can_learn,
        "trouble": house.trouble,
        "levels": [*elo_range()] if mode.has_levels else None,
        "colours": {
            "arms": {chess.COLOR_NAMES[color]: ORANGE_BLUE.arms[color] for color in chess.COLORS},
            "inks": {chess.COLOR_NAMES[color]: ORANGE_BLUE.inks[color] for color in chess.COLORS},
            "dark_share": DARK_SQUARE_SHARE,
        },
    }


class Session:
    """Answers one page. `push` may be called from any thread; what has the same name replaces it."""

    def __init__(self, house: House, runs: Runs, push: Push) -> None:
        self._house, self._runs, self._push = house, runs, push
        self._boards = Boards()
        self._searcher, self._background = Searcher("searcher"), Searcher("annotator")
        self._engines: dict[str, Engine] = {}
        self._answers: Mapping[type[messages.Message], Callable[[Any], Awaitable[Data]]] = {
            messages.AskPosition: self._position,
            messages.AskLine: self._line,
            messages.AskHeat: self._heat,
            messages.Analyse: self._analyse,
            messages.StopSearch: self._stop,
            messages.AskTable: self._table,
            messages.AskWhy: self._why,
            messages.ReadText: self._read,
            messages.WritePgn: self._write,
            messages.Annotate: self._annotate,
            messages.StopAnnotation: self._stop_annotation,
            messages.AskReply: self._reply,
            messages.AskHint: self._hint,
            messages.OfferDraw: self._draw,
            messages.HurryUp: self._hurry,
            messages.GameIsOver: self._over,
            messages.Ping: self._ping,
            messages.AskRuns: self._list_runs,
            messages.AskRun: self._run,
        }

    async def answer(self, message: messages.Message) -> Data:
        """The answer; raises one of EXPECTED."""
        return await self._answers[type(message)](message)

    def close(self) -> None:
        """End every search; the engines are closed in the threads that use them."""
        self._searcher.close(partial(self._close, ("explorer", "player")))
        self._background.close(partial(self._close, ("annotator",)))
        self._close(("reader",))

    def _close(self, names: tuple[str, ...]) -> None:
        for name in names:
            if (engine := self._engines.pop(name, None)) is not None:
                engine.close()

    def _board(self, asked: messages.AtPosition) -> chess.Board:
        return self._boards.at(asked.start, asked.moves)

    def _engine(self, name: str) -> Engine:
        """Only the thread of the name's jobs calls this; the reader's is the one of all messages."""
        if name not in self._engines:
            self._engines[name] = self._house.engine(records=name == "player")
        return self._engines[name]

    # At once

    async def _ping(self, asked: messages.Ping) -> Data:
        return {}

    async def _position(self, asked: messages.AskPosition) -> Data:
        return position_data(self._board(asked))

    async def _line(self, asked: messages.AskLine) -> Data:
        return {"line": line_data(self._board(asked))}

    async def _heat(self, asked: messages.AskHeat) -> Data:
        return heat_data(self._board(asked), asked.depth)

    async def _read(self, asked: messages.ReadText) -> Data:
        return await asyncio.to_thread(read_text, asked.text)

    async def _write(self, asked: messages.WritePgn) -> Data:
        return await asyncio.to_thread(
            lambda: {"pgn": write_pgn(game_of(asked.start, asked.nodes, asked.headers))}
        )

    async def _list_runs(self, asked: messages.AskRuns) -> Data:
        return await asyncio.to_thread(self._runs.listed)

    async def _run(self, asked: messages.AskRun) -> Data:
        return await asyncio.to_thread(self._runs.run, asked.name)

    # In the thread that searches

    async def _analyse(self, asked: messages.Analyse) -> Data:
        board = self._board(asked)
        if not any(board.generate_legal_moves()):
            self._searcher.stop(only_what_gives_way=True)
            return {"begun": False}

        def push(data: Data) -> None:
            self._push("analysis", {"asked": asked.id, **data})

        def work(stop: Stop) -> None:
            if stop.is_set():
                return
            live = Live(board, self._house.mode.unit, asked.lines, stop, push)
            try:
                limits = Limits(seconds=float("inf"))
                self._engine("explorer").pick_move(board, limits, live, lines=asked.lines)
            except SearchTooLarge as error:
                push({"trouble": str(error)})

        self._searcher.ask(work, gives_way=True).add_done_callback(partial(self._say_if_failed, asked.id))
        return {"begun": True}

    def _say_if_failed(self, asked: int, future: "Future[None]") -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            self._push("analysis", {"asked": asked, "trouble": f"the search failed: {error}"})

    async def _stop(self, asked: messages.StopSearch) -> Data:
        self._searcher.stop(only_what_gives_way=True)
        return {}

    async def _hurry(self, asked: messages.HurryUp) -> Data:
        self._searcher.stop()
        return {}

    async def _table(self, asked: messages.AskTable) -> Data:
        return table_data(self._engine("reader"), self._board(asked))

    async def _why(self, asked: messages.AskWhy) -> Data:
        board = self._board(asked)
        move = None if asked.move is None else legal_move(board, asked.move)
        return await self._searched(lambda stop: why_data(self._engine("explorer"), board, move))

    async def _reply(self, asked: messages.AskReply) -> Data:
        board, house = self._board(asked), self._house

        def work(stop: Stop) -> Data:
            opponent = opponent_of(house, self._engine("player"), asked.elo)
            return reply_data(house, opponent, board, asked, stop)

        return await self._searched(work)

    async def _hint(self, asked: messages.AskHint) -> Data:
        board, house = self._board(asked), self._house

        def work(stop: Stop) -> Data:
            return hint_data(house, opponent_of(house, self._engine("explorer"), None), board, stop)

        return await self._searched(work)

    async def _draw(self, asked: messages.OfferDraw) -> Data:
        board, house = self._board(asked), self._house

        def work(stop: Stop) -> Data:
            opponent = opponent_of(house, self._engine("player"), asked.elo)
            return draw_data(house, opponent, board, asked, not board.turn, stop)

        return await self._searched(work)

    async def _over(self, asked: messages.GameIsOver) -> Data:
        board, house = self._board(asked), self._house

        def work(stop: Stop) -> Data:
            record = record_of(house, self._engine("player"), board, asked)
            return house.keep(record, lambda learned: self._push("learned", learned))

        return await self._searched(work)

    async def _searched(self, work: Callable[[Stop], Result]) -> Result:
        return await asyncio.wrap_future(self._searcher.ask(work))

    # In the background

    async def _annotate(self, asked: messages.Annotate) -> Data:
        plies = sum(1 for _ in game_of(asked.start, asked.nodes, asked.headers).mainline())

        def work(stop: Stop) -> Data:
            engine = self._engine("annotator")

            def keep_going(done: int) -> bool:
                self._push("annotation", {"asked": asked.id, "done": done, "of": plies})
                return not stop.is_set()

            with stop.calls(engine.stop):
                return annotated(engine, asked, keep_going)

        return await asyncio.wrap_future(self._background.ask(work))

    async def _stop_annotation(self, asked: messages.StopAnnotation) -> Data:
        self._background.stop()
        return {}
