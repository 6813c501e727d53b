"""A chess engine that scores positions by heat. See README.md for a first session.

Names are imported when they are first used: the command line and the UCI loop start without numpy,
the compiled kernel or a table until they need one.
"""

import importlib

# As in `typing`, whose import takes longer than all else that is done before a Ctrl-C is heard.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from heatmap_engine.board.candidate import Candidate as Candidate
    from heatmap_engine.board.heat import Heat as Heat
    from heatmap_engine.board.heat import heatmap as heatmap
    from heatmap_engine.board.heat import heatmap_by_piece as heatmap_by_piece
    from heatmap_engine.board.keys import board_of as board_of
    from heatmap_engine.board.keys import key_of as key_of
    from heatmap_engine.board.perft import perft as perft
    from heatmap_engine.classic.scoring import Explanation as Explanation
    from heatmap_engine.classic.scoring import Side as Side
    from heatmap_engine.classic.scoring import explain as explain
    from heatmap_engine.classic.scoring import score as score
    from heatmap_engine.classic.scoring import score_many as score_many
    from heatmap_engine.classic.weights import CMHM2 as CMHM2
    from heatmap_engine.classic.weights import CMHM2_STATIC as CMHM2_STATIC
    from heatmap_engine.classic.weights import Weights as Weights
    from heatmap_engine.engines.engine import Engine as Engine
    from heatmap_engine.engines.pick import Pick as Pick
    from heatmap_engine.errors import AlreadyLearned as AlreadyLearned
    from heatmap_engine.errors import GameOver as GameOver
    from heatmap_engine.errors import HeatmapError as HeatmapError
    from heatmap_engine.errors import InvalidKey as InvalidKey
    from heatmap_engine.errors import InvalidMove as InvalidMove
    from heatmap_engine.errors import InvalidPosition as InvalidPosition
    from heatmap_engine.errors import InvalidSettings as InvalidSettings
    from heatmap_engine.errors import MissingExtra as MissingExtra
    from heatmap_engine.errors import SearchTooLarge as SearchTooLarge
    from heatmap_engine.limits import Limits as Limits
    from heatmap_engine.memory.lesson import Learned as Learned
    from heatmap_engine.memory.walk import Step as Step
    from heatmap_engine.pictures.make import picture as picture
    from heatmap_engine.pictures.picture import Picture as Picture
    from heatmap_engine.reports.annotation import Annotation as Annotation
    from heatmap_engine.reports.annotation import JudgedMove as JudgedMove
    from heatmap_engine.reports.report import Coverage as Coverage
    from heatmap_engine.reports.report import Known as Known
    from heatmap_engine.reports.report import Line as Line
    from heatmap_engine.reports.report import MoveReport as MoveReport
    from heatmap_engine.reports.report import Report as Report
    from heatmap_engine.reports.report import Standing as Standing
    from heatmap_engine.reports.report import State as State
    from heatmap_engine.reports.why import Why as Why

    __version__: str

# Each public name and the module that defines it.
_PUBLIC = {
    "AlreadyLearned": "heatmap_engine.errors",
    "Annotation": "heatmap_engine.reports.annotation",
    "CMHM2": "heatmap_engine.classic.weights",
    "CMHM2_STATIC": "heatmap_engine.classic.weights",
    "Candidate": "heatmap_engine.board.candidate",
    "Coverage": "heatmap_engine.reports.report",
    "Engine": "heatmap_engine.engines.engine",
    "Explanation": "heatmap_engine.classic.scoring",
    "GameOver": "heatmap_engine.errors",
    "Heat": "heatmap_engine.board.heat",
    "HeatmapError": "heatmap_engine.errors",
    "InvalidKey": "heatmap_engine.errors",
    "InvalidMove": "heatmap_engine.errors",
    "InvalidPosition": "heatmap_engine.errors",
    "InvalidSettings": "heatmap_engine.errors",
    "JudgedMove": "heatmap_engine.reports.annotation",
    "Known": "heatmap_engine.reports.report",
    "Learned": "heatmap_engine.memory.lesson",
    "Limits": "heatmap_engine.limits",
    "Line": "heatmap_engine.reports.report",
    "MissingExtra": "heatmap_engine.errors",
    "MoveReport": "heatmap_engine.reports.report",
    "Pick": "heatmap_engine.engines.pick",
    "Picture": "heatmap_engine.pictures.picture",
    "Report": "heatmap_engine.reports.report",
    "SearchTooLarge": "heatmap_engine.errors",
    "Side": "heatmap_engine.classic.scoring",
    "Standing": "heatmap_engine.reports.report",
    "State": "heatmap_engine.reports.report",
    "Step": "heatmap_engine.memory.walk",
    "Weights": "heatmap_engine.classic.weights",
    "Why": "heatmap_engine.reports.why",
    "board_of": "heatmap_engine.board.keys",
    "explain": "heatmap_engine.classic.scoring",
    "heatmap": "heatmap_engine.board.heat",
    "heatmap_by_piece": "heatmap_engine.board.heat",
    "key_of": "heatmap_engine.board.keys",
    "perft": "heatmap_engine.board.perft",
    "picture": "heatmap_engine.pictures.make",
    "score": "heatmap_engine.classic.scoring",
    "score_many": "heatmap_engine.classic.scoring",
}

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> "Any":
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("heatmap-engine")
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC, "__version__"])
