"""Games played to their end, and what many of them say of a player."""

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from games.wood_block.fields import Field
from games.wood_block.game import Game
from games.wood_block.players import Player
from games.wood_block.rules import Action


@dataclass(frozen=True)
class Placed:
    """One hand in play: where the board and the hand were, and what was done."""

    board: int
    hand: tuple[int | None, ...]
    actions: tuple[Action, ...]
    after: int
    score: int
    """After it."""
    is_over: bool


@dataclass(frozen=True)
class Outcome:
    """A game that was played."""

    hands: int
    score: int
    is_over: bool
    """False where it was ended by the number of hands that it may take."""
    seconds: float
    """Of the processor, for thinking and placing."""
    slowest: float
    """The longest time of a hand."""


def play_game(
    field: Field,
    player: Player,
    seed: int,
    max_hands: int | None = None,
    when_placed: Callable[[Placed], None] = lambda placed: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Play a game to its end, until so many hands are placed, or until it should stop."""
    game = Game(field, random.Random(seed), random.Random(f"player {seed}"))
    total = slowest = 0.0
    is_over = False
    while not is_over and (max_hands is None or game.hands < max_hands) and not should_stop():
        begin = time.process_time()
        placed = _play_hand(game, player)
        is_over = placed.is_over
        took = time.process_time() - begin
        total += took
        slowest = max(slowest, took)
        when_placed(placed)
    return Outcome(game.hands, game.score, is_over, total, slowest)


def _play_hand(game: Game, player: Player) -> Placed:
    """Let a player place the blocks of the hand, as far as that is possible."""
    board, hand, hands = game.board, tuple(game.hand), game.hands
    done: list[Action] = []
    is_over = False
    while game.hands == hands and not is_over:
        actions = player.actions(game)
        for action in actions:
            game.play(action)
        done += actions
        is_over = game.hands == hands and (not actions or game.is_over)
    return Placed(board, hand, tuple(done), game.board, game.score, is_over)


@dataclass(frozen=True)
class Interval:
    """A figure, and between which two it is with a probability of 95 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Lives:
    """How long a player lives. Each hand is as likely to be the last one, so that the hazard says it all."""

    hands: int
    deaths: int
    score: int
    games: int

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> "Lives":
        return cls(
            sum(one.hands for one in outcomes),
            sum(one.is_over for one in outcomes),
            sum(one.score for one in outcomes),
            len(outcomes),
        )

    @property
    def hazard(self) -> Interval:
        """Deaths per hand; an upper bound alone where nobody died."""
        low, high = poisson_interval(self.deaths)
        hands = max(1, self.hands)
        return Interval(self.deaths / hands, low / hands, high / hands)

    @property
    def mean_hands(self) -> Interval:
        """Hands of a life."""
        hazard = self.hazard
        return Interval(_inverse(hazard.value), _inverse(hazard.high), _inverse(hazard.low))

    @property
    def mean_score(self) -> Interval:
        """Points of a life: the points of a hand times the hands of a life."""
        points, hands = self.score / max(1, self.hands), self.mean_hands
        if not points:
            return Interval(0.0, 0.0, 0.0)
        return Interval(points * hands.value, points * hands.low, points * hands.high)


def _inverse(rate: float) -> float:
    return 1 / rate if rate > 0 else math.inf


def mean_of(values: Sequence[float]) -> Interval:
    """The mean of independent values, with the usual interval of two standard errors."""
    number = len(values)
    mean = sum(values) / number
    if number < 2:
        return Interval(mean, -math.inf, math.inf)
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / (number - 1) / number)
    return Interval(mean, mean - 1.96 * error, mean + 1.96 * error)


def poisson_interval(events: int, confidence: float = 0.95) -> tuple[float, float]:
    """Between which two the expected number of events is where so many were seen; exact."""
    tail = (1 - confidence) / 2
    low = 0.0 if events == 0 else _solved(lambda mean: 1 - _at_most(events - 1, mean), tail)
    return low, _solved(lambda mean: -_at_most(events, mean), -tail)


def _at_most(events: int, mean: float) -> float:
    """The probability of so many events or fewer."""
    if mean <= 0:
        return 1.0
    logs = [number * math.log(mean) - mean - math.lgamma(number + 1) for number in range(events + 1)]
    return math.fsum(map(math.exp, logs))


def _solved(rising: Callable[[float], float], goal: float) -> float:
    """Where a rising function has a value, by halving."""
    low, high = 0.0, 10.0
    while rising(high) < goal:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < goal else (low, middle)
    return (low + high) / 2
