"""The pieces of a game from a seed, one after the other: what the compiled game draws.

The random numbers are those of splitmix64, because they are the same everywhere and take two lines to write.
"""

from collections import deque

from games.tetris.errors import InvalidSettings
from games.tetris.rules import GENERATORS
from games.tetrominoes.pieces import PIECES

_MASK = (1 << 64) - 1


class SplitMix:
    """Random numbers from a seed."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """The next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1."""
        return ((self.next() >> 32) * limit) >> 32


class PieceStream:
    """The pieces that come, by their letters."""

    def __init__(self, generator: str, seed: int) -> None:
        if generator not in GENERATORS:
            raise InvalidSettings(f"expected pieces of {', '.join(GENERATORS)}, got {generator!r:.80}")
        self.generator = generator
        self._random = SplitMix(seed)
        self._bag: list[str] = []
        self._ahead: deque[str] = deque()

    def peek(self, number: int = 1) -> str:
        """The next pieces, which stay to come."""
        while len(self._ahead) < number:
            self._ahead.append(self._draw())
        return "".join(self._ahead[place] for place in range(number))

    def next(self) -> str:
        """The next piece."""
        self.peek()
        return self._ahead.popleft()

    def _draw(self) -> str:
        if self.generator == "uniform":
            return PIECES[self._random.below(len(PIECES))]
        if not self._bag:
            self._bag = [*PIECES]
            for place in range(len(PIECES) - 1, 0, -1):
                other = self._random.below(place + 1)
                self._bag[place], self._bag[other] = self._bag[other], self._bag[place]
        return self._bag.pop()
