"""Games of a player, one after the other, each with its own seed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from games.tetris.errors import InvalidSettings
from games.tetris.game import Game
from games.tetris.lookahead import WeightsPlayer
from games.tetris.rules import Rules
from games.tetris.stream import SplitMix
from games.tetris.survival import Survival
from games.tetris.weights import Weights

# About so many placements are valued between two looks at whether to stop: some hundredths of a second, with
# lookahead for few pieces and without it for many.
_CHUNK_PLACEMENTS = 500_000
NO_LIMIT = 2**62


class Player(Protocol):
    """Plays on with a game until it is over or has so many pieces or lines."""

    def play(self, game: Game, most_pieces: int, most_lines: int) -> None: ...

    def candidates(self, game: Game) -> list[tuple[float, int, int]]:
        """Possible placements of the current piece: value, rotation and column, the best first."""
        ...

    def choose(self, game: Game) -> tuple[int, int] | None:
        """Rotation and column of what it plays; None where nothing is possible."""
        ...

    @property
    def placements(self) -> int:
        """How many placements it has valued."""
        ...


@dataclass(frozen=True, slots=True)
class Setting:
    """A kind of game: its rules, its pieces, and when it is ended."""

    rules: Rules
    generator: str = "uniform"
    max_lines: int | None = None

    def game(self, seed: int) -> Game:
        return Game(self.rules, self.generator, seed)


MOST_KNOWN, MOST_UNKNOWN, MOST_AHEAD = 3, 2, 3


def weights_player(weights: Weights, known: int = 0, unknown: int = 0) -> WeightsPlayer:
    """A player that looks at `known` coming pieces, and takes the mean over `unknown` further ones."""
    if not 0 <= known <= MOST_KNOWN:
        raise InvalidSettings(f"expected a lookahead of 0 to {MOST_KNOWN} pieces, got {known}")
    if not 0 <= unknown <= MOST_UNKNOWN:
        raise InvalidSettings(f"expected a mean over 0 to {MOST_UNKNOWN} unknown pieces, got {unknown}")
    if known + unknown > MOST_AHEAD:
        raise InvalidSettings(f"expected at most {MOST_AHEAD} pieces ahead in all, got {known + unknown}")
    return WeightsPlayer(weights.vector, weights.is_deep, known, unknown)


def seeds(seed: int) -> Iterator[int]:
    """The seeds of a row of games."""
    source = SplitMix(seed)
    while True:
        yield source.next()


def play_game(
    player: Player,
    game: Game,
    max_lines: int | None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Survival:
    """Play a game to its end, to so many lines, or until it shall stop."""
    most = NO_LIMIT if max_lines is None else max_lines
    chunk = 1
    while not game.is_over and game.lines < most and not should_stop():
        pieces, placements = game.pieces, player.placements
        player.play(game, pieces + chunk, most)
        cost = (player.placements - placements) / max(1, game.pieces - pieces)
        chunk = max(1, int(_CHUNK_PLACEMENTS / max(cost, 1)))
    return Survival(1, int(game.is_over), game.lines, game.pieces)


def play_games(
    player: Player,
    setting: Setting,
    number: int,
    seed: int,
    should_stop: Callable[[], bool] = lambda: False,
) -> Survival:
    """So many games in a row."""
    total = Survival()
    for _, game_seed in zip(range(number), seeds(seed), strict=False):
        total = total.plus(play_game(player, setting.game(game_seed), setting.max_lines, should_stop))
        if should_stop():
            break
    return total
