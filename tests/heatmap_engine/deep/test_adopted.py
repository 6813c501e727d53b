"""Weights that a user has adopted: used where none are named, and left again without a trace."""

import json
from pathlib import Path

import pytest

import heatmap_engine as he
from heatmap_engine.deep.adopted import (
    adopt,
    adopted_path,
    fingerprint,
    fixed_weights,
    unadopt,
    weights_in_use,
    weights_of,
)
from heatmap_engine.deep.settings import DeepSettings
from heatmap_engine.deep.weights import CMHM2, learned_weights, save_weights
from heatmap_engine.errors import InvalidWeights
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.players.sides import OurSide


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the weights of a user who has adopted none yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "heatmap-engine" / "weights"


def test_whoever_names_no_weights_gets_those_in_use() -> None:
    assert DeepSettings().weights == learned_weights()
    path = adopt(CMHM2, "they won\n", {"elo": 12.0})
    own = weights_in_use()
    assert fingerprint(own) == fingerprint(CMHM2)
    assert own.name == f"own {path.stem}"
    assert own.provenance["adopted after"] == {"elo": 12.0}
    assert DeepSettings().weights == DeepSettings.named().weights == own
    assert DeepSettings.named(weights="package").weights == learned_weights()
    assert he.Engine().settings.weights == own
    assert path.with_suffix(".md").read_text() == "they won\n"


def test_a_journal_says_by_the_name_which_weights_found_its_values() -> None:
    """Each run of tuning calls its weights `td 1`."""
    one = adopt(CMHM2, "", {})
    other = adopt(CMHM2.scaled(2.0), "", {})
    assert one != other
    assert DeepSettings().learner["weights"] == f"own {other.stem}" != f"own {one.stem}"


def test_unadopt_goes_back_and_keeps_the_file() -> None:
    path = adopt(CMHM2, "", {})
    assert unadopt()
    assert adopted_path() is None
    assert weights_in_use() == learned_weights()
    assert path.exists()
    assert not unadopt()


@pytest.mark.parametrize("damage", ["pointer", "no pointer's shape", "other folder", "file", "no file"])
def test_what_is_damaged_names_the_way_back(data: Path, damage: str) -> None:
    path = adopt(CMHM2, "", {})
    pointer = data / "in-use.json"
    if damage == "pointer":
        pointer.write_bytes(b'{"format": 1, "fi')
    elif damage == "no pointer's shape":
        pointer.write_text('["in-use"]')
    elif damage == "other folder":
        pointer.write_text(json.dumps({"format": 1, "file": "../elsewhere.json"}))
    elif damage == "file":
        path.write_text(path.read_text()[:100])
    else:
        path.unlink()
    with pytest.raises(
        InvalidWeights, match="heatmap-engine tune --unadopt goes back to the package's weights"
    ):
        DeepSettings()
    assert weights_of("package") == learned_weights()  # whoever names weights needs no others
    unadopt()
    assert DeepSettings().weights == learned_weights()


def test_what_was_begun_goes_on_with_the_weights_of_its_beginning(tmp_path: Path) -> None:
    """A run or a match that is resumed must not change with what is adopted meanwhile."""
    run = RunConfig(run="r", table="t", games=1, mode="deep", deep_weights=fixed_weights(None))
    side = OurSide("untrained")
    first = adopt(CMHM2, "", {})
    assert run.search.weights_name == side.settings.weights_name == learned_weights().name
    assert fixed_weights(None) == str(first)
    assert fixed_weights("package") is None
    run = RunConfig(run="r", table="t", games=1, mode="deep", deep_weights=fixed_weights(None))
    adopt(CMHM2.scaled(2.0), "", {})
    assert run.search.weights_name == f"own {first.stem}"


def test_a_fingerprint_is_of_what_plays_and_survives_a_file(tmp_path: Path) -> None:
    weights = learned_weights()
    save_weights(tmp_path / "w.json", weights)
    assert fingerprint(weights_of(tmp_path / "w.json")) == fingerprint(weights)
    assert fingerprint(CMHM2) != fingerprint(CMHM2.scaled(2.0)) != fingerprint(weights)
