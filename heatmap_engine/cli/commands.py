"""All commands of the command line, and what becomes of their errors."""

import sys
from typing import Any

import click

from heatmap_engine.cli.groups import LateCommand, LateGroup
from heatmap_engine.errors import HeatmapError
from heatmap_engine.start import STOPPED, begin

# The commands in the order of `--help`: under what a person wants to do, each with what it does in a line.
_SECTIONS = {
    "Play": {
        "play": LateCommand("heatmap_engine.cli.play", "Play a game against the engine in the terminal."),
        "web": LateCommand("heatmap_engine.cli.web", "Play, explore and watch on a board in the browser."),
        "uci": LateCommand("heatmap_engine.cli.uci", "Run as a UCI engine for a chess GUI."),
    },
    "Ask about a position": {
        "analyse": LateCommand("heatmap_engine.cli.analyse", "Search a position and rank its moves."),
        "why": LateCommand("heatmap_engine.cli.why", "Explain why a move has its score."),
        "annotate": LateCommand("heatmap_engine.cli.annotate", "Mark the mistakes of games in a PGN file."),
        "query": LateCommand("heatmap_engine.cli.query", "Show what the table knows of a position."),
        "changes": LateCommand("heatmap_engine.cli.changes", "Show what learning has changed in the table."),
        "heat": LateCommand("heatmap_engine.cli.heat", "Print how many moves reach each square."),
        "score": LateCommand("heatmap_engine.cli.score", "Print the heat score of a position."),
        "show": LateCommand("heatmap_engine.cli.show", "Draw a position or a game as a picture or a page."),
        "perft": LateCommand("heatmap_engine.cli.perft", "Count the positions that so many plies lead to."),
    },
    "Learn": {
        "selfplay": LateCommand(
            "heatmap_engine.cli.selfplay", "Play games against itself and learn from them."
        ),
        "learn": LateCommand("heatmap_engine.cli.learn", "Learn from games in PGN files."),
        "tune": LateCommand("heatmap_engine.cli.tune", "Improve the evaluation, or the search, from games."),
    },
    "Measure": {
        "match": LateCommand("heatmap_engine.cli.match", "Play a match and say which side is stronger."),
        "curve": LateCommand("heatmap_engine.cli.curve", "Measure how strong a self-play run has become."),
        "report": LateCommand("heatmap_engine.cli.run_report", "Summarise a run of selfplay or tune."),
    },
    "Tables": {
        "table": LateCommand("heatmap_engine.cli.table", "Inspect, merge, export and repair tables."),
    },
    "Other games": {
        "perfect-clear": LateCommand(
            "heatmap_engine.cli.perfect_clear", "Find perfect clears in Tetris, or prove there is none."
        ),
        "tetris": LateCommand("heatmap_engine.cli.tetris", "Let programs play Tetris, and teach them."),
        "wood-block": LateCommand(
            "heatmap_engine.cli.wood_block", "Play the wood block puzzle, by search and by learning."
        ),
    },
}

# Other spellings of a command's name.
_ALIASES = {"analyze": "analyse"}

# What people call a command in other programs, where it is not spelled alike.
_MEANT = {
    "bench": "uci",
    "best": "analyse",
    "browser": "web",
    "draw": "show",
    "eval": "score",
    "evaluate": "score",
    "explain": "why",
    "forget": "table",
    "help": "--help",
    "picture": "show",
    "search": "analyse",
    "serve": "web",
    "stats": "table",
    "train": "selfplay",
    "version": "--version",
}

# The other packages' error trees. Importing them here would bring chess and sqlite to `--version`.
_ROOT_ERRORS = {"games.chess.errors": "GamesError", "qtable.errors": "TableError"}


class _Commands(LateGroup):
    """All commands."""

    def invoke(self, ctx: click.Context) -> Any:
        """Ctrl-C in a command that makes nothing else of it ends it as it ends any program of a shell."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\nstopped", err=True)
            sys.exit(STOPPED)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        found = super().resolve_command(ctx, args)
        begin()  # the command is imported; what Ctrl-C means is now its own
        return found


@click.group(
    cls=_Commands,
    sections=_SECTIONS,
    aliases=_ALIASES,
    meant=_MEANT,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="heatmap-engine", prog_name="heatmap-engine")
@click.pass_context
def command_line(context: click.Context) -> None:
    """A chess engine that sees the board as heat, and remembers what it has learned.

    Chess GUIs start it without a command: it then speaks UCI, unless its input is a terminal.
    `COMMAND --help` explains a command.
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


def run() -> None:
    """Run the command line; an error of ours or of the system becomes one line on stderr and exit code 1."""
    try:
        command_line()
    except _expected_errors() as error:
        click.echo(f"heatmap-engine: {error}", err=True)
        sys.exit(1)
