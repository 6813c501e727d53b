"""The constants of the search: each reaches the kernel, and what is none is named."""

import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from heatmap_engine.deep.adopted import fingerprint
from heatmap_engine.deep.constants import RANGES, USUAL, SearchConstants
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.deep.weights import CMHM2, DeepWeights, learned_weights, load_weights, save_weights
from heatmap_engine.errors import InvalidWeights
from heatmap_engine.limits import Limits
from heatmap_engine.uci.bench import POSITIONS

# How deep each position is searched; some constants make a difference in few positions that are not deep.
DEPTHS = (8, 11)


PLAIN = replace(learned_weights(), net=None)


def weights_with(**constants: int) -> DeepWeights:
    return replace(PLAIN, search=SearchConstants(constants))


def nodes(weights: DeepWeights, fen: str, depth: int) -> int:
    return DeepSearch(weights, hash_mib=1).search(fen, Limits(depth=depth)).nodes


@cache
def usual_nodes(fen: str, depth: int) -> int:
    return nodes(weights_with(), fen, depth)


@pytest.mark.parametrize("name", RANGES)
def test_each_constant_changes_the_search(name: str) -> None:
    allowed = RANGES[name]
    assert any(
        nodes(weights_with(**{name: value}), fen, depth) != usual_nodes(fen, depth)
        for depth in DEPTHS
        for fen in POSITIONS
        for value in (allowed.least, allowed.most)
    )


def test_usual_constants_that_are_named_visit_the_same_nodes() -> None:
    named = weights_with(**{name: allowed.usual for name, allowed in RANGES.items()})
    for fen in POSITIONS:
        assert nodes(named, fen, DEPTHS[0]) == nodes(PLAIN, fen, DEPTHS[0])


def test_searches_with_other_constants_do_not_disturb_each_other() -> None:
    """The table of reductions was one for all searches of a process."""
    fen, limits = POSITIONS[1], Limits(depth=DEPTHS[0])
    usual = DeepSearch(weights_with(), hash_mib=1)
    other = DeepSearch(weights_with(reduction_base=120), hash_mib=1)
    assert other.search(fen, limits).nodes != usual_nodes(fen, DEPTHS[0])
    assert usual.search(fen, limits).nodes == usual_nodes(fen, DEPTHS[0])


@pytest.mark.parametrize("end", ["least", "most"])
def test_a_search_with_all_constants_at_their_ends_ends(end: str) -> None:
    weights = weights_with(**{name: getattr(allowed, end) for name, allowed in RANGES.items()})
    search = DeepSearch(weights, hash_mib=1)
    for fen in POSITIONS[:8]:
        assert search.search(fen, Limits(nodes=5000)).depth > 1


def test_usual_constants_lie_between_their_limits_and_their_steps_are_small() -> None:
    for name, allowed in RANGES.items():
        assert allowed.least <= allowed.usual <= allowed.most, name
        assert 0 < allowed.step <= (allowed.most - allowed.least) / 8, name


def test_constants_that_are_not_named_are_as_usual() -> None:
    assert SearchConstants() == SearchConstants({"futility_margin": 90}) == USUAL
    other = SearchConstants({"futility_margin": 80})
    assert other.changed == {"futility_margin": 80}
    assert other.values == {**USUAL.values, "futility_margin": 80}


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"futility": 90}, "no constant of the search is called 'futility'"),
        ({"futility_margin": 10}, "expected a whole number from 20 to 300 for .* futility_margin, got 10"),
        ({"futility_margin": 90.0}, r"from 20 to 300 for the search's futility_margin, got 90\.0"),
        ({"futility_margin": True}, "futility_margin, got True"),
        ({"null_move_step": 0}, "from 50 to 800 for the search's null_move_step, got 0"),
    ],
)
def test_wrong_constants_are_named(tmp_path: Path, constants: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidWeights, match=message):
        SearchConstants(constants)
    path = tmp_path / "w.json"
    save_weights(path, weights_with(deeper_margin=30))
    text = path.read_text().replace('"deeper_margin": 30', ", ".join(map(_json_member, constants.items())))
    path.write_text(text)
    with pytest.raises(InvalidWeights, match=rf"w\.json: .*{message}"):
        load_weights(path)


def _json_member(item: tuple[str, Any]) -> str:
    return f'"{item[0]}": {str(item[1]).lower()}'


def test_a_file_gives_back_constants_that_differ_and_all_others_with_them(tmp_path: Path) -> None:
    """What is usual may change, and a player whom games have tuned must stay who it was."""
    path = tmp_path / "w.json"
    weights = weights_with(futility_margin=80, null_move_from=4)
    save_weights(path, weights)
    assert load_weights(path) == weights
    text = path.read_text()
    assert '"format": 2' in text
    assert all(f'"{name}": {value}' in text for name, value in weights.search.values.items())


def test_a_file_without_constants_is_what_it_was_and_has_usual_ones(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    save_weights(path, weights_with())
    assert '"format": 1' in path.read_text()
    assert '"search"' not in path.read_text()
    assert load_weights(path).search == USUAL


def test_constants_in_a_file_of_the_format_that_knows_none_are_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    save_weights(path, weights_with(futility_margin=80))
    path.write_text(path.read_text().replace('"format": 2', '"format": 1'))
    with pytest.raises(
        InvalidWeights, match="constants of the search in format 2 and in no other, got format 1 with"
    ):
        load_weights(path)


def test_constants_travel_with_weights_to_other_processes() -> None:
    weights = weights_with(futility_margin=80)
    assert weights.table  # which is made again where it arrives
    arrived = pickle.loads(pickle.dumps(weights))
    assert arrived == weights
    assert nodes(arrived, POSITIONS[1], 8) == nodes(weights, POSITIONS[1], 8)


def test_the_fingerprint_tells_constants_apart_and_usual_ones_change_none() -> None:
    """Journals of tables have fingerprints from before there were constants."""
    assert fingerprint(CMHM2) == "2d9c2631"  # as it was before
    assert fingerprint(weights_with()) == fingerprint(PLAIN)
    assert fingerprint(weights_with(futility_margin=80)) != fingerprint(PLAIN)


def test_weights_in_another_unit_keep_their_constants() -> None:
    assert weights_with(futility_margin=80).scaled(2.0).search.changed == {"futility_margin": 80}
