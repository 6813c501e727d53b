"""What a method of learning is: the tasks of a round, and what is learned from their outcomes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Protocol

from games.chess.openings import Opening, load_openings, split_openings
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.tuning.tasks import TuneTask


@dataclass(frozen=True)
class RoundOutcome:
    """The weights after a round, and what belongs into their provenance and their measurement."""

    weights: DeepWeights
    figures: dict[str, Any] = field(default_factory=dict)
    state: Any = None
    """What the method needs to go on, as plain data."""


class Method(Protocol):
    """One round after the other. All chances come from the seed and the round's number."""

    def batches(self, round_number: int) -> Iterator[Iterator[TuneTask]]:
        """What is to be played, in the order in which it is to begin.

        The next batch is asked for once the outcomes of all batches before it are in the folder.
        """
        ...

    def count(self, round_number: int) -> int | None:
        """How many tasks the round has, if that is known."""
        ...

    def learn(self, round_number: int) -> RoundOutcome:
        """What follows from all outcomes of a round, which are in the folder."""
        ...


def shuffled(lines: Sequence[Opening], seed: int) -> list[Opening]:
    return Random(f"{seed} openings").sample(lines, len(lines))


@cache
def _parts() -> tuple[list[Opening], list[Opening]]:
    """Our suite's lines to learn from, and those held out; to split them takes a while."""
    return split_openings(load_openings())


def openings_to_learn(seed: int) -> list[Opening]:
    """The training part of our suite, in an order of the seed's."""
    return shuffled(_parts()[0], seed)


def openings_to_measure(seed: int) -> list[Opening]:
    """The part that nothing was learned from; the same lines for every checkpoint."""
    return shuffled(_parts()[1], seed)
