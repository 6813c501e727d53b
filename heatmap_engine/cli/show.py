"""`heatmap-engine show`: positions and games as pictures."""

from collections.abc import Callable
from pathlib import Path

import chess
import click

from games.errors import InvalidGame
from games.reading import PlayableGame, SkippedGame, read_games
from games.record import GameRecord
from heatmap_engine.cli.asking import table_options, table_to_read, warn
from heatmap_engine.cli.common import CommandWithMoves, depth_option, fen_argument, fen_text, moves_option
from heatmap_engine.cli.move_text import push_moves
from heatmap_engine.engine import Engine
from heatmap_engine.errors import HeatmapError
from heatmap_engine.pictures.game import PicturedGame, game_of
from heatmap_engine.pictures.page import game_page
from heatmap_engine.pictures.palette import PALETTES
from heatmap_engine.pictures.picture import ARROWS, SIDES, Style, picture_of
from heatmap_engine.positions import as_board
from qtable.file import require_absent
from qtable.schema import draft_of

# How long a move stays in a GIF, and how long the end does.
_FRAME_MS, _LAST_FRAME_MS = 1_500, 5_000

# A game of a thousand plies would take gigabytes to put together.
_MOST_FRAMES = 400

_GAME_ENDINGS = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst")
