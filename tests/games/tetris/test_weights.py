"""Files of weights: they come back as they were, and what is wrong with one is said in a line."""

import json
from pathlib import Path
from typing import Any

import pytest

from games.tetris.errors import InvalidWeights
from games.tetris.features import NAMES
from games.tetris.weights import Weights, known_names, known_weights, load_weights, save_weights


def test_weights_come_back_from_their_file(tmp_path: Path) -> None:
    weights = Weights("mine", {"holes": -1.5, "lines": 2.0}, {"seed": 3})
    save_weights(tmp_path / "w.json", weights)
    assert load_weights(tmp_path / "w.json") == weights


def test_the_documents_weights_are_as_it_has_them() -> None:
    assert known_weights("dellacherie").values == {
        "landing_height": -1,
        "eroded_cells": 1,
        "row_transitions": -1,
        "column_transitions": -1,
        "holes": -4,
        "wells": -1,
    }
    thiery = known_weights("dellacherie_thiery").values
    assert [thiery[name] for name in NAMES[:8]] == [
        -12.63,
        6.60,
        -9.22,
        -19.77,
        -13.08,
        -10.49,
        -1.61,
        -24.04,
    ]
    assert known_weights("basic").values == {
        "height": -0.51,
        "lines": 0.76,
        "holes": -0.36,
        "bumpiness": -0.18,
    }


def test_all_weights_of_the_package_say_where_they_are_from() -> None:
    for name in known_names():
        assert known_weights(name).provenance, name


def test_vector_is_in_the_order_of_the_compiled_code() -> None:
    vector = Weights("mine", {"deep_wells": 5, "bumpiness": 7}).vector
    assert {name: value for name, value in zip(NAMES, vector, strict=True) if value} == {
        "wells": 5,
        "bumpiness": 7,
    }


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "expected at least one weight, got none"),
        ({"hole": 1.0}, "expected weights of landing_height, .*, got one of 'hole'"),
        ({"holes": float("nan")}, "expected a number from -1e[+]09 to 1e[+]09 as weight of holes, got nan"),
        ({"holes": "x"}, "as weight of holes, got 'x'"),
        ({"holes": True}, "as weight of holes, got True"),
        ({"wells": 1.0, "deep_wells": 1.0}, "expected a weight of wells or of deep_wells, got both"),
    ],
)
def test_bad_weights_are_named(values: dict[str, Any], expected: str) -> None:
    with pytest.raises(InvalidWeights, match=expected):
        Weights("mine", values)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "tetris weights"}',
        '{"format": "tetris weights", "name": "x", "weights": 3}',
        json.dumps({"format": "tetris weights", "name": "x", "weights": {"holes": 1}})[:-1],
        '{"format": "tetris weights", "name": "x", "weights": {"holes": NaN}}',
        "[" * 100_000,
    ],
)
def test_a_file_that_holds_no_weights_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "w.json"
    path.write_text(text)
    with pytest.raises(InvalidWeights, match=r"w\.json: "):
        load_weights(path)


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidWeights, match=r"expected weights of basic, dellacherie, .*, got 'best'"):
        known_weights("best")
