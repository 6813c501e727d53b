"""In which order pieces come: at random, or from bags of seven or fourteen."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from games.tetrominoes.pieces import PIECES


@dataclass(frozen=True, slots=True)
class Generator:
    """How a game chooses the next piece."""

    name: str
    of_each: int
    """How many of each piece a bag has; 0 means that there is no bag."""

    def left_in_bag(self, seen: str) -> Counter[str]:
        """What the bag has left after `seen`, of which the first piece began a bag.

        Raises ValueError where the pieces cannot have come in this order.
        """
        size = len(PIECES) * self.of_each
        full = Counter(dict.fromkeys(PIECES, self.of_each))
        left = Counter(full)
        for number, piece in enumerate(seen):
            if number % size == 0:
                left = Counter(full)
            left[piece] -= 1
            if left[piece] < 0:
                bag = seen[number // size * size : number + 1]
                raise ValueError(
                    f"expected pieces as a {self.name} brings them, got {bag}, a bag with a {piece} too many"
                )
        return left if left.total() else full

    def odds(self, seen: str) -> dict[str, float]:
        """The probability of each piece that can come next."""
        if not self.of_each:
            return dict.fromkeys(PIECES, 1 / len(PIECES))
        left = self.left_in_bag(seen)
        return {piece: left[piece] / left.total() for piece in PIECES if left[piece]}

    def endings(self, seen: str, number: int) -> Iterator[tuple[str, float]]:
        """All ways in which so many pieces can go on, each with its probability."""
        if number == 0:
            yield "", 1.0
            return
        for piece, probability in self.odds(seen).items():
            for ending, rest in self.endings(seen + piece, number - 1):
                yield piece + ending, probability * rest


GENERATORS = {
    "7-bag": Generator("7-bag", 1),
    "14-bag": Generator("14-bag", 2),
    "random": Generator("random", 0),
}
