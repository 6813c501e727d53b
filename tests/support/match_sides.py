"""Sides and plans for tests of matches: quick, and without a clock unless a test is about it."""

import sys
from pathlib import Path
from typing import Any

from games.chess.openings import load_openings
from heatmap_engine.match.plan import MatchPlan
from heatmap_engine.players.game_loop import Ends
from heatmap_engine.players.pace import Pace
from heatmap_engine.players.sides import OurSide, Side, UciSide, XboardSide

SCRIPTED_ENGINE = str(Path(__file__).with_name("scripted_engine.py"))
# A small opening book: the first lines of our own suite.
FEW_OPENINGS = Path(__file__).with_name("few_openings.pgn")


def ours(name: str, **settings: Any) -> OurSide:
    """Our side in classic mode, which looks as little ahead as it can."""
    return OurSide(name, mode="classic", given={"plies": 1, "tactical_plies": 0}, **settings)


def scripted(fault: str, at: int = 1, pace: Pace | None = None, *notes: str) -> UciSide:
    command = (sys.executable, SCRIPTED_ENGINE, fault, str(at), *notes)
    return UciSide("scripted", command, pace=pace or Pace(plies=1))


def scripted_xboard(fault: str, at: int = 1, pace: Pace | None = None, *notes: str) -> XboardSide:
    command = (sys.executable, SCRIPTED_ENGINE, fault, str(at), *notes)
    return XboardSide("scripted", command, {"memory": "8"}, pace or Pace(plies=1))


def plan(first: Side, second: Side, games: int = 2, **settings: Any) -> MatchPlan:
    lines = tuple(load_openings()[:20])
    return MatchPlan(first, second, games, **{"lines": lines, "ends": Ends(40), "seed": 1, **settings})
