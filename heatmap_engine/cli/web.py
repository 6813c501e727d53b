"""`heatmap-engine web`: a board in the browser."""

import asyncio
import os
import secrets
import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Any

import click

from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.mode_options import chosen_mode, mode_option, settings_of, weights_option
from heatmap_engine.cli.table_options import table_options
from heatmap_engine.errors import HeatmapError, MissingExtra
from heatmap_engine.user_files import runs_path, tunings_path
from heatmap_engine.web.doors import Doors, is_loopback
from heatmap_engine.web.house import Choice, House

_PORT = 8641
_LOOPBACK = "127.0.0.1"


@click.command("web")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    metavar="N",
    help="The port to listen on; 0 for any that is free.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address; open no browser.")
@mode_option
@weights_option
@table_options
@click.option(
    "--runs",
    "runs",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder of runs to watch, or one run, instead of your own. May be given several times.",
)
@click.option(
    "--host",
    default=_LOOPBACK,
    show_default=True,
    metavar="HOST",
    help="The address to listen on. Others than this machine need the token that is then printed.",
)
@click.option("--token", metavar="TOKEN", help="Ask for this token; at least 16 letters and digits.")
@click.pass_context
def command(
    context: click.Context,
    port: int,
    no_browser: bool,
    mode: str | None,
    weights: Path | None,
    table: Path | None,
    no_table: bool,
    runs: tuple[Path, ...],
    host: str,
    token: str | None,
) -> None:
    """Play, explore positions and watch runs on a page in the browser.

    The page is served on this machine only, and asks nothing of the network. Your own table of the mode is
    used, and made if it is missing. A finished game is kept in the file of played games and is learned, as
    one that was played in a chess program. Ctrl-C ends the server; the page says so, and goes on when the
    server is back.

    \b
    Examples:
      heatmap-engine web
      heatmap-engine web --port 9000 --no-browser --table my.table
    """
    if no_table and table is not None:
        raise click.UsageError("--table and --no-table contradict each other")
    serving = _serving()
    chosen = chosen_mode(context, table)
    doors = Doors(host, token if token is not None or is_loopback(host) else secrets.token_urlsafe(24))
    own_runs = (runs_path(), tunings_path())
    choice = Choice(
        mode=chosen,
        settings=settings_of(chosen, weights=weights),
        table=None if no_table else table or chosen.default_table,
        is_named=table is not None,
        runs=runs or own_runs,
    )
    with _listening(host, port) as listening:
        address = _address(host, listening.getsockname()[1], doors.token)
        house = House(choice, warn)
        try:
            asyncio.run(serving(house, doors).run(listening, lambda: _say(address, no_browser)))
        finally:
            house.close()
    click.echo("the server has ended", err=True)


def _serving() -> Any:
    """What makes the server; raises MissingExtra where the extra is not installed."""
    try:
        from heatmap_engine.web.files import page_files
        from heatmap_engine.web.runs import Runs
        from heatmap_engine.web.server import Server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "websockets":
            raise
        raise MissingExtra(
            "the board in the browser needs websockets, which is not installed; "
            'in the folder of Heatmap Engine, run: pip install ".[web]"'
        ) from None
    return lambda house, doors: Server(house, Runs(house.choice.runs), doors, page_files())


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens; raises HeatmapError in words where it cannot."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise HeatmapError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; "
            "--port chooses another port, as in --port 0"
        ) from error


def _address(host: str, port: int, token: str | None) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={token}" if token is not None else "")


def _say(address: str, no_browser: bool) -> None:
    click.echo(f"The board is at {address}")
    click.echo("Ctrl-C ends it.", err=True)
    sys.stdout.flush()
    if not no_browser and _has_screen():
        # A browser that is found may take long to start, and none is no error.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _has_screen() -> bool:
    """Without one, the system would open a browser of text in this very terminal."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
