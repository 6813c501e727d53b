"""What the commands share: the game, and who plays it."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import click

from games.tetris.errors import InvalidSettings
from games.tetris.features import FEATURE_SETS
from games.tetris.network import Network, QPlayer
from games.tetris.network_file import load_network, parse_network
from games.tetris.playing import Player, weights_player
from games.tetris.rules import GENERATORS, RULES
from games.tetris.weights import DEFAULTS, Weights, known_names, known_weights, load_weights
from heatmap_engine.user_files import given_path

Command = TypeVar("Command", bound=Callable[..., object])

PACKAGE = "package"

_GAME = (
    click.option("--width", default=10, show_default=True, metavar="W", help="Columns, 4 to 16."),
    click.option("--height", default=20, show_default=True, metavar="H", help="Rows, 4 to 40."),
    click.option(
        "--rule",
        type=click.Choice(RULES),
        default=RULES[0],
        show_default=True,
        help="Place a piece wherever it fits, or only where it gets to from the top.",
    ),
    click.option(
        "--pieces",
        type=click.Choice(GENERATORS),
        default=GENERATORS[0],
        show_default=True,
        help="Each piece at random, or all seven in turn.",
    ),
)


def game_options(command: Command) -> Command:
    for option in reversed(_GAME):
        command = option(command)
    return command


json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of text."
)


def features_option(text: str) -> Callable[[Command], Command]:
    return click.option("--features", type=click.Choice([*FEATURE_SETS]), help=text)


def weights_named(name: str) -> Weights:
    """Weights of the package, or of a file."""
    if name in known_names():
        return known_weights(name)
    path = given_path(name)
    if not path.exists():
        raise InvalidSettings(f"expected a file or one of {', '.join(known_names())}, got {name!r:.80}")
    return load_weights(path)


def weights_of(features: str | None, name: str | None) -> Weights:
    """The weights that the options mean; those of a file must be of the features that are asked for."""
    if name is None:
        return known_weights(DEFAULTS[features or "published"])
    weights = weights_named(name)
    if features is not None and (others := {*weights.values} - {*FEATURE_SETS[features]}):
        raise InvalidSettings(
            f"expected weights of {', '.join(FEATURE_SETS[features])}, got also {', '.join(sorted(others))}"
        )
    return weights


def network_named(name: str) -> Network:
    """The network of the package, or of a file."""
    if name == PACKAGE:
        text = files("games.tetris").joinpath("network.json").read_text(encoding="utf-8")
        return parse_network(text, PACKAGE)
    return load_network(Path(given_path(name)))


def player_of(
    features: str | None, weights: str | None, network: str | None, known: int, unknown: int, width: int
) -> tuple[Player, str]:
    """Who plays, and what to call it."""
    if network is None:
        found = weights_of(features, weights)
        return weights_player(found, known, unknown), _named(found.name, known, unknown)
    for option, is_given in (
        ("--features", features),
        ("--weights", weights),
        ("--lookahead", known),
        ("--expect", unknown),
    ):
        if is_given:
            raise click.UsageError(f"--network cannot be given with {option}")
    loaded = network_named(network)
    if loaded.width != width:
        raise InvalidSettings(
            f"expected a board as wide as the network's, {loaded.width} columns, got {width}"
        )
    return QPlayer(loaded), "network"


def _named(name: str, known: int, unknown: int) -> str:
    ahead = [
        f"{number} {word}{'' if number == 1 else 's'}"
        for number, word in ((known, "piece seen ahead"), (unknown, "piece expected"))
        if number
    ]
    return (
        ", ".join([name, *ahead])
        .replace("piece seen aheads", "pieces seen ahead")
        .replace("piece expecteds", "pieces expected")
    )
