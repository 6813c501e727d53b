"""What evolution asks of Tetris: a task is a row of weights, its points are how long it survives."""

import time
from typing import Any

from games.evolution_folder import EvolutionSettings, Line
from games.evolution_run import EvolutionTask
from games.tetris.features import FEATURE_SETS
from games.tetris.playing import Setting, play_games, weights_player
from games.tetris.rules import Rules
from games.tetris.weights import Weights


def game_settings(setting: Setting, features: str, games: int, known: int = 0) -> dict[str, Any]:
    """What travels with each task, as plain data."""
    rules = setting.rules
    return {
        "game": "tetris",
        "width": rules.width,
        "height": rules.height,
        "rule": rules.rule,
        "pieces": setting.generator,
        "max_lines": setting.max_lines,
        "features": features,
        "games": games,
        "lookahead": known,
    }


def weights_of(row: tuple[float, ...], features: str, name: str = "candidate") -> Weights:
    return Weights(name, dict(zip(FEATURE_SETS[features], row, strict=True)))


def as_weights(row: tuple[float, ...], settings: EvolutionSettings, generation: int) -> Weights:
    """A generation's result as weights with where they come from."""
    found = weights_of(row, settings.game["features"], f"{settings.method} {generation}")
    names = ("method", "start", "candidates", "best", "deviation", "noise", "decay", "seed")
    learned = {name: getattr(settings, name) for name in names}
    provenance = {**learned, "generation": generation, "game": dict(settings.game)}
    return Weights(found.name, found.values, provenance)


def survive(task: EvolutionTask) -> Line:
    """Play a candidate's games. Points are lines for each death, counted as if one more had died.

    So a candidate of which no game has died is still better the longer it has lived.
    """
    settings = task.game
    rules = Rules(settings["width"], settings["height"], settings["rule"])
    setting = Setting(rules, settings["pieces"], settings["max_lines"])
    player = weights_player(weights_of(task.row, settings["features"]), settings["lookahead"])
    begin = time.process_time()
    found = play_games(player, setting, settings["games"], task.seed)
    return {
        "points": found.lines / (found.deaths + 1),
        "seconds": round(time.process_time() - begin, 4),
        "games": found.games,
        "deaths": found.deaths,
        "lines": found.lines,
        "pieces": found.pieces,
    }
