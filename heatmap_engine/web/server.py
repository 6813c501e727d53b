"""The server: the page's files over HTTP, and one WebSocket for each page that is open.

`websockets` alone serves both. It is one package without dependencies, and closes what is too large or silent
by itself; an ASGI server and a framework would be five packages more, for a handful of files.
"""

import asyncio
import json
import logging
import signal
import socket
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from heatmap_engine.web.doors import HEADERS, Doors, Refused
from heatmap_engine.web.files import File
from heatmap_engine.web.house import House
from heatmap_engine.web.messages import BadMessage
from heatmap_engine.web.pace import Pace
from heatmap_engine.web.parsing import number_of, parse_message
from heatmap_engine.web.runs import Runs
from heatmap_engine.web.session import EXPECTED, Session, hello

SOCKET = "/socket"

# A game with all that may be written into it fits; nothing else is as large.
_LARGEST_MESSAGE = 1 << 20
# Pages at the same time. Each may search, and a search has some MiB of memory.
_MOST_PAGES = 64
# Messages of one page that are worked on at the same time; those that follow wait in the socket.
_MOST_AT_ONCE = 8
_MESSAGES_A_SECOND = 400.0
_MESSAGES_AT_ONCE = 400
# After so long without a sign of life a page is gone: a closed lid, a lost network.
_SILENCE_S = 20.0

_log = logging.getLogger("heatmap_engine.web")


class Server:
    """Serves pages until it is told to end."""

    def __init__(self, house: House, runs: Runs, doors: Doors, files: Mapping[str, File]) -> None:
        self._house, self._runs, self._doors, self._files = house, runs, doors, files
        self._pages = 0

    async def run(self, listening: socket.socket, when_ready: Callable[[], None]) -> None:
        """Serve on this socket; Ctrl-C and SIGTERM end it."""
        quiet = logging.getLogger("heatmap_engine.web.socket")
        quiet.setLevel(logging.CRITICAL)  # a stranger's broken request is no news
        ends = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ends.set)
        async with serve(
            self._serve_page,
            sock=listening,
            process_request=self._answer_request,
            max_size=_LARGEST_MESSAGE,
            max_queue=_MOST_AT_ONCE,
            ping_interval=_SILENCE_S,
            ping_timeout=_SILENCE_S,
            close_timeout=1.0,
            compression=None,
            server_header=None,
            logger=quiet,
        ):
            when_ready()
            await ends.wait()

    # HTTP

    def _answer_request(self, connection: ServerConnection, request: Request) -> Response | None:
        try:
            return self._answered(request)
        except Refused as refused:
            return _response(refused.status, f"{refused.words}\n".encode(), "text/plain; charset=utf-8")

    def _answered(self, request: Request) -> Response | None:
        """The file that is asked for; None lets a page have its socket."""
        headers, doors = request.headers, self._doors
        host = _only(headers, "Host")
        doors.require_host(host)
        path = urlsplit(request.path).path
        if path == SOCKET:
            doors.require_origin(_only(headers, "Origin"), host)
            self._require_token(headers)
            if self._pages >= _MOST_PAGES:
                raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, f"{_MOST_PAGES} pages are open already")
            return None
        if path == "/" and doors.gives_token(request.path):
            there = {"Location": "/", "Set-Cookie": doors.set_cookie}
            return _response(HTTPStatus.SEE_OTHER, b"", "text/plain", there)
        self._require_token(headers)
        file = self._files.get(path)
        if file is None:
            raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
        return _response(HTTPStatus.OK, file.body, file.kind)

    def _require_token(self, headers: Headers) -> None:
        if not self._doors.has_token(_only(headers, "Cookie")):
            raise Refused(
                HTTPStatus.FORBIDDEN, "open the address that the program has printed, with its token"
            )

    # A page

    async def _serve_page(self, connection: ServerConnection) -> None:
        self._pages += 1
        pushes = _Pushes(connection)
        session = Session(self._house, self._runs, pushes.push)
        pushing = asyncio.create_task(pushes.run())
        try:
            await connection.send(json.dumps({"push": "hello", **hello(self._house)}))
            await self._converse(connection, session)
        except ConnectionClosed:
            pass
        finally:
            self._pages -= 1
            pushing.cancel()
            session.close()

    async def _converse(self, connection: ServerConnection, session: Session) -> None:
        """Answer each message once; who sends too many is read more slowly."""
        pace = Pace(_MESSAGES_A_SECOND, _MESSAGES_AT_ONCE)
        at_once = asyncio.Semaphore(_MOST_AT_ONCE)
        tasks: set[asyncio.Task[None]] = set()

        def end(task: asyncio.Task[None]) -> None:
            tasks.discard(task)
            at_once.release()

        try:
            async for text in connection:
                if (wait_s := pace.wait_s()) > 0:
                    await asyncio.sleep(wait_s)
                await at_once.acquire()
                task = asyncio.create_task(_answer(connection, session, text))
                tasks.add(task)
                task.add_done_callback(end)
        finally:
            for task in [*tasks]:
                task.cancel()


async def _answer(connection: ServerConnection, session: Session, text: str | bytes) -> None:
    answer: dict[str, Any] = {"re": number_of(text)}
    try:
        answer |= await session.answer(parse_message(text))
    except EXPECTED as error:
        answer |= {"error": str(error), "is_bad": isinstance(error, BadMessage)}
    except Exception as error:  # one page's trouble must not end the others
        _log.exception("a message could not be answered")
        answer |= {"error": f"something went wrong: {type(error).__name__}: {error}"}
    try:
        await connection.send(json.dumps(answer, separators=(",", ":")))
    except ConnectionClosed:
        return


class _Pushes:
    """What is told without being asked; of several things of one name only the newest is sent."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[tuple[str, object], dict[str, Any]] = {}
        self._there_is = asyncio.Event()

    def push(self, name: str, data: dict[str, Any]) -> None:
        """From any thread; a page that has gone hears nothing."""
        try:
            self._loop.call_soon_threadsafe(self._add, name, data)
        except RuntimeError:  # the server has ended
            return

    def _add(self, name: str, data: dict[str, Any]) -> None:
        self._waiting[name, data.get("game")] = {"push": name, **data}
        self._there_is.set()

    async def run(self) -> None:
        try:
            while True:
                await self._there_is.wait()
                self._there_is.clear()
                waiting, self._waiting = self._waiting, {}
                for data in waiting.values():
                    await self._connection.send(json.dumps(data, separators=(",", ":")))
        except ConnectionClosed:
            return


def _only(headers: Headers, name: str) -> str | None:
    """The header, None if it is not there; more than one is what no browser sends."""
    found = headers.get_all(name)
    if len(found) > 1:
        raise Refused(HTTPStatus.BAD_REQUEST, f"expected one {name}")
    return found[0] if found else None


def _response(status: HTTPStatus, body: bytes, kind: str, more: Mapping[str, str] | None = None) -> Response:
    headers = Headers(HEADERS)
    headers["Content-Type"] = kind
    headers["Content-Length"] = str(len(body))
    headers["Connection"] = "close"
    for name, value in (more or {}).items():
        headers[name] = value
    return Response(status.value, status.phrase, headers, body)
