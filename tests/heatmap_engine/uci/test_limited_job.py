"""A search at a limited strength that is ended before it has begun."""

import io
import random

import chess

from heatmap_engine.deep_engine import DeepEngine
from heatmap_engine.strength_limit import elo_range
from heatmap_engine.uci.go_job import Asked
from heatmap_engine.uci.limited_job import LimitedJob
from heatmap_engine.uci.options import Options
from heatmap_engine.uci.parsing import parse_go
from heatmap_engine.uci.wire import Output


def test_a_stop_before_the_search_has_begun_is_heard() -> None:
    """It was lost, and the search went on to all of the level's nodes."""
    stream, options = io.BytesIO(), Options()
    highest = elo_range()[1]
    options.set("UCI_Elo", str(highest))
    go, _ = parse_go(["wtime", "1000000", "btime", "1000000"])
    job = LimitedJob(Asked(chess.Board(), go, options, Output(stream), lambda move: None))
    job.finish()
    with DeepEngine(hash_mib=1) as engine:
        job.run(engine, random.Random(1))
    words = stream.getvalue().decode().split()
    assert words[words.index("depth") + 1] == "1" or int(words[words.index("nodes") + 1]) <= 1024
    assert words[-4] == "bestmove"
