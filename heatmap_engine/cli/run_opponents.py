"""`selfplay --opponent`: whom the games of a run are played against, and what may be wrong with them."""

from collections.abc import Sequence

import click

from games.chess.openings import Opening
from heatmap_engine.cli.match_sides import opponent, require_own_table
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.match.playing import require_playable
from heatmap_engine.players.sides import OurSide, Side


def opponents_of(texts: Sequence[str], config: RunConfig) -> list[Side]:
    """The sides that the user has named; what a side does not say of itself is as in the run."""
    mode = mode_named(config.mode)
    if texts and config.adjudicates and not mode.plays_by_nodes:
        raise click.UsageError(
            "--adjudicate with --opponent works only with --mode deep: heat is no centipawns"
        )
    play = config.play_settings()
    limits = {
        "mode": None,
        "tc": None,
        "movetime": play.movetime_ms,
        "nodes": play.nodes,
        "depth": None,
        "plies": None if mode.plays_by_nodes else config.plies,
    }
    return [opponent(text, mode, limits) for text in texts]


def require_opponents(sides: Sequence[Side], lines: Sequence[Opening], cluster: str | None) -> None:
    """Raise what is wrong with the opponents before any game: files and programs, and where they are."""
    chess960 = any(line.start is not None and line.board().chess960 for line in lines)
    for side in sides:
        if cluster is not None and not (isinstance(side, OurSide) and side.table is None):
            raise click.UsageError(
                "--opponent with a table or a program is for runs on one machine; got "
                f"{side.name} with --cluster {cluster}"
            )
        require_own_table(side)
        require_playable(side, chess960=chess960)
