"""Small runs of evolution toward a known goal; a module of its own, because worker processes must find it."""

import sys
import time
from pathlib import Path
from typing import Any

from games.evolution_folder import EvolutionFolder, EvolutionSettings, Line
from games.evolution_run import EvolutionRun, EvolutionTask
from heatmap_engine.workers.local import SameProcess
from heatmap_engine.workers.processes import Workers

GOAL = (1.0, -2.0, 0.5)


def nearness(task: EvolutionTask) -> Line:
    """Points for being near the goal, with some luck that depends on the task's seed alone."""
    time.sleep(task.game.get("sleep", 0.0))
    far = sum((value - goal) ** 2 for value, goal in zip(task.row, GOAL, strict=True))
    return {"points": -far + task.seed % 1000 * 1e-6, "seconds": 0.001, "far": far}


def created(path: Path, method: str = "cem", **changes: Any) -> EvolutionFolder:
    settings: dict[str, Any] = {"generations": 4, "candidates": 12, "best": 0.25, "looks": 2, "seed": 5}
    return EvolutionFolder.create(
        path, EvolutionSettings(method=method, start=(0.0, 0.0, 0.0), **{**settings, **changes})
    )


def as_text(row: tuple[float, ...], generation: int) -> str:
    return f"{generation} {[*row]}\n"


def go_on(folder: EvolutionFolder, workers: int = 1, **hearers: Any) -> EvolutionRun:
    with folder.locked():
        run = EvolutionRun(folder, as_text, **hearers)
        run.go_on(SameProcess(nearness) if workers == 1 else Workers(nearness, workers))
    return run


if __name__ == "__main__":
    go_on(EvolutionFolder.open(Path(sys.argv[1])), int(sys.argv[2]))
