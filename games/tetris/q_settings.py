"""What a run of Q-learning is set up to do: decided when it begins, kept in its folder."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Self

from games.tetris.errors import InvalidRun, InvalidSettings
from games.tetris.game import Game
from games.tetris.playing import Setting, seeds, weights_player
from games.tetris.rules import GENERATORS, Rules
from games.tetris.weights import Weights
from qtable.json_input import MISSHAPEN, parse_json_object

_VERSION = 1
_DECISIONS, _FIRST = 350, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class QSettings:
    """How a network learns. A reward is what a placement is worth by `reward`, times `scale`, plus `base`."""

    width: int = 10
    height: int = 20
    rule: str = "simplified"
    pieces: str = "uniform"
    rounds: int = 300
    round_pieces: int = 400_000
    """Pieces of a round; each begins with an empty memory."""
    reward: Mapping[str, float] = field(default_factory=dict)
    scale: float = 0.015
    base: float = 0.0
    """So that rewards of good play lie around zero, where targets are not cut off."""
    death: float = -20.0
    """The reward of a game's end."""
    discount: float = 0.5
    epsilon: float = 0.1
    """The share of random placements in the first round; it falls to that of the last, at first quickly."""
    epsilon_last: float = 0.03
    """Without any the memory would hold calm boards alone, and the network forget what to do on others."""
    step: float = 1e-3
    """How far Adam goes; it falls evenly to a hundredth."""
    l2: float = 0.0
    batch: int = 32
    learn_every: int = 8
    """A batch is learned after so many pieces."""
    memory: int = 50_000
    recent: int = 10_000
    recent_share: float = 0.8
    """So much of a batch is of recent play."""
    most_error: float = 10.0
    most_target: float = 100.0
    most_gradient: float = 1.0
    target_every: int = 1000
    """The network that values what comes next is renewed after so many pieces."""
    max_lines: int = 2000
    """A game of training ends after so many lines: at their beginning boards are not yet as in long games."""
    look_every: int = 10
    """After so many rounds the network plays, to be measured."""
    look_games: int = 20
    look_lines: int = 100_000
    """A game of such a look ends after so many lines."""
    seed: int = 0

    def __post_init__(self) -> None:
        Rules(self.width, self.height, self.rule)
        if self.pieces not in GENERATORS:
            raise InvalidSettings(f"expected pieces of {', '.join(GENERATORS)}, got {self.pieces!r:.80}")
        for name in ("rounds", "round_pieces", "batch", "learn_every", "target_every", "max_lines"):
            _require(name, getattr(self, name), getattr(self, name) >= 1, "at least 1")
        for name in ("look_every", "look_games", "look_lines"):
            _require(name, getattr(self, name), getattr(self, name) >= 1, "at least 1")
        _require("memory", self.memory, 1000 <= self.memory <= 10_000_000, "from 1,000 to 10,000,000")
        _require("recent", self.recent, 1 <= self.recent <= self.memory, "from 1 to the memory's size")
        for name in ("recent_share", "epsilon", "epsilon_last"):
            _require(name, getattr(self, name), 0 <= getattr(self, name) <= 1, "from 0 to 1")
        _require("discount", self.discount, 0 <= self.discount < 1, "at least 0 and below 1")
        _require("step", self.step, 0 < self.step <= 1, "above 0 and at most 1")
        _require("l2", self.l2, 0 <= self.l2 <= 1, "from 0 to 1")
        for name in ("most_error", "most_target", "most_gradient"):
            _require(name, getattr(self, name), 0 < getattr(self, name) < math.inf, "above 0")
        for name in ("scale", "base", "death"):
            _require(name, getattr(self, name), math.isfinite(getattr(self, name)), "a finite number")
        _require("seed", self.seed, self.seed >= 0, "at least 0")
        self.rewards()

    def rewards(self) -> Weights:
        return Weights("reward", self.reward)

    def setting(self) -> Setting:
        return Setting(Rules(self.width, self.height, self.rule), self.pieces, self.look_lines)

    def to_json(self) -> str:
        return json.dumps({"version": _VERSION, **asdict(self)}, indent=1) + "\n"

    def epsilon_of(self, number: int) -> float:
        """The share of random placements in a round."""
        left = 1 - (number - 1) / self.rounds
        return self.epsilon_last + (self.epsilon - self.epsilon_last) * left**2

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The settings that were written; raises InvalidRun for anything else."""
        try:
            data = parse_json_object(text)
            if data.pop("version", None) != _VERSION or {*data} != {item.name for item in fields(cls)}:
                raise ValueError(f"got {text[:80]!r}")
            return cls(**data)
        except MISSHAPEN as error:
            raise InvalidRun(f"expected the settings of a run: {error}") from error


def centre_of(reward: Weights, setting: Setting, scale: float) -> float:
    """The base that brings the rewards of a game to around zero that is played by the reward itself."""
    player = weights_player(reward)
    values: list[float] = []
    for seed in seeds(1):
        game: Game = setting.game(seed)
        while len(values) < _DECISIONS and (found := player.candidates(game)):
            values.append(found[0][0])
            game.place(*found[0][1:])
        if len(values) >= _DECISIONS:
            break
    # The first boards are better than those of a long game.
    late = values[_FIRST:]
    return -scale * sum(late) / len(late)


def _require(name: str, value: object, holds: bool, expected: str) -> None:
    if not holds:
        raise InvalidSettings(f"{name.replace('_', ' ')} must be {expected}, got {value!r:.80}")
