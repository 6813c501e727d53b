"""Simultaneous perturbation stochastic approximation: numbers tuned all at once, each iteration by one match.

An iteration draws a sign for each number and lets two players meet: plus has each number moved by its step in
the direction of its sign, minus in the other. Whoever wins, the numbers move a little towards. The signs of
all other numbers are noise to each one, which evens out over many iterations; so hundreds of games tell of
forty numbers nearly as much as of one (Spall, 1992).

Numbers count in steps of their own, so that one gain is right for all of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

# How fast gains and distances fall with the iterations: those that Spall recommends.
ALPHA = 0.602
GAMMA = 0.101

Point: TypeAlias = tuple[float, ...]
"""Where the numbers are, each in steps of its own."""

Signs: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Spsa:
    """The rule, with its three numbers: usually called a, A and c. Iterations count from 1."""

    gain: float
    delay: float
    """As if so many iterations had gone before: the first ones must not move too far."""
    spread: float

    def rate(self, iteration: int) -> float:
        """How far the slope moves the numbers."""
        return self.gain / math.pow(iteration + self.delay, ALPHA)

    def distance(self, iteration: int) -> float:
        """How far plus and minus lie from where the numbers are, in steps."""
        return self.spread / math.pow(iteration, GAMMA)

    def ends(self, point: Point, signs: Signs, iteration: int) -> tuple[Point, Point]:
        """The numbers of plus and of minus."""
        distance = self.distance(iteration)
        pairs = [*zip(point, signs, strict=True)]
        plus = tuple(number + sign * distance for number, sign in pairs)
        return plus, tuple(number - sign * distance for number, sign in pairs)

    def moved(self, point: Point, signs: Signs, score: float, iteration: int) -> Point:
        """Where the numbers go if plus has made `score` points a game more than minus, from -1 to 1."""
        slope = score / (2 * self.distance(iteration))
        change = self.rate(iteration) * slope
        return tuple(number + sign * change for number, sign in zip(point, signs, strict=True))


def signs_of(seed: int, iteration: int, numbers: Sequence[object]) -> Signs:
    """A sign for each number, the same whenever this is asked."""
    rng = Random(f"{seed} {iteration} signs")
    return tuple(rng.choice((-1, 1)) for _ in numbers)
