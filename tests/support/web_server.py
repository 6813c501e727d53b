"""The installed `heatmap-engine web` in a process of its own, with a user's files of its own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import console


class WebServer:
    """Can be killed and started again on the same port."""

    def __init__(self, home: Path, *options: str) -> None:
        self.home = home
        self._options = options
        self._port = "0"
        self.address = ""
        self._process: subprocess.Popen[str] | None = None

    @property
    def host(self) -> str:
        """Name and port, as in an address."""
        return self.address.removeprefix("http://").partition("/")[0]

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def _data(self) -> Path:
        return self.home / ".local" / "share"

    @property
    def played(self) -> Path:
        return self._data / "heatmap-engine" / "played.pgn"

    @property
    def table(self) -> Path:
        return self._data / "heatmap-engine" / "default.deep.table"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [console.HEATMAP_ENGINE, "web", "--no-browser", "--port", self._port, *self._options],
            env={**os.environ, "HOME": str(self.home), "XDG_DATA_HOME": str(self._data)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith("The board is at http://"), line
        self.address = line.rpartition(" ")[2].strip()
        self._port = self.host.rpartition(":")[2]

    def kill(self) -> None:
        """As a power cut does."""
        assert self._process is not None
        self._process.kill()
        self._close()

    def end(self) -> int:
        """Ctrl-C; the exit code."""
        assert self._process is not None
        self._process.terminate()
        return self._close()

    def _close(self) -> int:
        assert self._process is not None
        code = self._process.wait(30)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process = None
        return code

    @property
    def is_running(self) -> bool:
        return self._process is not None


@contextmanager
def web_server(home: Path, *options: str) -> Iterator[WebServer]:
    server = WebServer(home, *options)
    server.start()
    try:
        yield server
    finally:
        if server.is_running:
            server.end()
