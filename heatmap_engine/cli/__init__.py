"""The command line: parse, print, nothing else.

Each command lives in a module of its own here and is imported only when it is run, so that
`heatmap-engine --version` and the UCI loop start without loading what they do not need.
"""

import importlib
import sys
from typing import Any

import click

from heatmap_engine.errors import HeatmapError

# A command's name and the module that holds it as `command`.
_COMMANDS = {
    "analyse": "heatmap_engine.cli.analyse",
    "query": "heatmap_engine.cli.query",
    "why": "heatmap_engine.cli.why",
    "changes": "heatmap_engine.cli.changes",
    "play": "heatmap_engine.cli.play",
    "heat": "heatmap_engine.cli.heat",
    "show": "heatmap_engine.cli.show",
    "score": "heatmap_engine.cli.score",
    "perft": "heatmap_engine.cli.perft",
    "selfplay": "heatmap_engine.cli.selfplay",
    "tune": "heatmap_engine.cli.tune",
    "report": "heatmap_engine.cli.run_report",
    "learn": "heatmap_engine.cli.learn",
    "match": "heatmap_engine.cli.match",
    "curve": "heatmap_engine.cli.curve",
    "table": "heatmap_engine.cli.table",
    "uci": "heatmap_engine.cli.uci",
}

# The other packages' error trees. Importing them here would bring chess and sqlite to `--version`.
_ROOT_ERRORS = {"games.chess.errors": "GamesError", "qtable.errors": "TableError"}


class _LazyGroup(click.Group):
    """A group that imports a command's module when the command is looked up."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(_COMMANDS[cmd_name])
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Ctrl-C in a command that makes nothing else of it ends it as it ends any program of a shell."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            from heatmap_engine.cli.long_task import STOPPED

            click.echo("\nstopped", err=True)
            sys.exit(STOPPED)


@click.group(
    cls=_LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="heatmap-engine", prog_name="heatmap-engine")
@click.pass_context
def command_line(context: click.Context) -> None:
    """A chess engine that sees the board as heat, and remembers what it learned.

    Without a command it speaks UCI if its input is not a terminal, as chess GUIs start it.
    """
    if context.invoked_subcommand is not None:
        return
    if sys.stdin is None or sys.stdin.isatty():
        click.echo(context.get_help(), err=True)
        context.exit(2)
    from heatmap_engine import uci

    uci.main()


def _expected_errors() -> tuple[type[Exception], ...]:
    """The errors whose message is for the user; what was never imported cannot have been raised."""
    loaded = [
        getattr(sys.modules[module], name) for module, name in _ROOT_ERRORS.items() if module in sys.modules
    ]
    return (HeatmapError, OSError, *loaded)


def main() -> None:
    """Run the command line; an error of ours or of the system becomes one line on stderr and exit code 1."""
    try:
        command_line()
    except _expected_errors() as error:
        click.echo(f"heatmap-engine: {error}", err=True)
        sys.exit(1)
