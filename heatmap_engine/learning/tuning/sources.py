"""Games that are there already, for `--method results --from`: a run's folder or a PGN."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from games.reading import PlayableGame, read_games
from games.record import GameRecord
from heatmap_engine.errors import InvalidRun
from heatmap_engine.learning.runs.folder import RunFolder

# So many games are one task.
CHUNK = 20


def games_file(source: str) -> Path:
    """The PGN that the source means; raises InvalidRun if there is none."""
    path = Path(source)
    if path.is_dir():
        path = RunFolder.open(path).games_pgn
    if not path.is_file():
        raise InvalidRun(f"expected a PGN or the folder of a run of self-play, got {path}, which is no file")
    return path


def chunks_of(source: str) -> Iterator[tuple[GameRecord, ...]]:
    """The games whose results say something about their positions, some at a time."""
    with read_games(games_file(source)) as reader:
        records = (
            game.record
            for game in reader
            if isinstance(game, PlayableGame) and game.record.moves and game.record.judges_position
        )
        while chunk := tuple(islice(records, CHUNK)):
            yield chunk
