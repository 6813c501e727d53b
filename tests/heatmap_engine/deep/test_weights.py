"""Weights of the deep search travel through their file, and a wrong file says what is wrong."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nets import random_net

from heatmap_engine.board.reading import pack
from heatmap_engine.deep.adopted import fingerprint
from heatmap_engine.deep.weights import CMHM2, DeepWeights, learned_weights, load_weights, save_weights
from heatmap_engine.errors import InvalidWeights
from heatmap_engine.kernel.deep.evaluation import weigh

WORTH = (1.0, 3.0, 3.0, 5.0, 9.0, 0.0)


def test_file_gives_back_what_was_saved(tmp_path: Path) -> None:
    weights = DeepWeights("ours", {"tempo": (12.5, -3.25)}, WORTH, {"games": 10})
    save_weights(tmp_path / "w.json", weights)
    assert load_weights(tmp_path / "w.json") == weights


def test_weights_of_nothing_are_left_out_of_the_file(tmp_path: Path) -> None:
    save_weights(tmp_path / "w.json", CMHM2)
    text = (tmp_path / "w.json").read_text()
    assert '"moves queen 0"' not in text
    assert load_weights(tmp_path / "w.json").values["moves queen 27"] == (27, 27)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not json", "expected weights as JSON"),
        ("[" * 100_000, "expected weights as JSON"),
        ('{"format": 1' + "0" * 5000 + "}", "a number of 5001 digits"),
        ('{"format": 1, "name": "\\ud800"}', "a lone surrogate"),
        ("\udcff", "it is no text in UTF-8"),
        ("[]", "expected weights of format 1, 2 or 3"),
        ('{"format": 4}', "expected weights of format 1, 2 or 3"),
        ('{"format": 3}', "expected a net in format 3 and in no other, got format 3 without one"),
        ('{"format": 1, "net": {}}', "expected a net in format 3 and in no other, got format 1 with one"),
        (
            '{"format": 2}',
            "expected constants of the search in format 2 and in no other, got format 2 without",
        ),
        ('{"format": 2, "search": []}', "expected name, weights, worth and provenance"),
        ('{"format": 1, "name": "x"}', "expected name, weights, worth and provenance"),
        (
            '{"format": 1, "name": "x", "provenance": {}, "weights": {"tempo": [1]}, "worth": {}}',
            "expected name, weights, worth and provenance",
        ),
        (  # a number too large for a float ended the UCI process
            '{"format": 1, "name": "x", "provenance": {}, "weights": {"tempo": [1, 1' + "0" * 299 + "0]}}",
            "a number of 301 digits",
        ),
        (
            '{"format": 1, "name": "x", "provenance": {}, "worth": {}, "weights": {"warmth": [1, 1]}}',
            "expected name, weights, worth and provenance",
        ),
    ],
)
def test_wrong_file_is_named_with_what_was_expected(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "w.json"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(InvalidWeights, match=message) as caught:
        load_weights(path)
    assert str(path) in str(caught.value)


def test_a_net_comes_back_from_its_file(tmp_path: Path) -> None:
    weights = replace(learned_weights(), net=random_net(5))
    save_weights(tmp_path / "w.json", weights)
    found = load_weights(tmp_path / "w.json")
    assert found.net is not None
    assert weights.net is not None
    assert found.net.as_json() == weights.net.as_json()
    board = pack("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
    assert weigh(board, found.table) == weigh(board, weights.table)
    assert fingerprint(found) == fingerprint(weights) != fingerprint(replace(weights, net=None))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"biases": [0] * 3}, "expected biases of shape"),
        ({"biases": [0.5] * 16}, "expected rows of whole numbers as biases"),
        ({"output_biases": [10**12] * 8}, "expected output_biases with numbers from"),
        ({"columns": {"warmth": [[0] * 16] * 2}}, "no input is called 'warmth'"),
        ({"columns": {"man pawn": [[99999] * 16] * 2}}, "expected columns with numbers from"),
        ({"columns": {"man pawn": [1]}}, "expected"),
        ({"outputs": None}, "expected"),
    ],
)
def test_a_wrong_net_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "w.json"
    save_weights(path, replace(learned_weights(), net=random_net(5)))
    data = json.loads(path.read_text())
    data["net"] |= change
    path.write_text(json.dumps(data))
    with pytest.raises(InvalidWeights, match=message):
        load_weights(path)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidWeights, match=r"none\.json: expected weights as JSON: No such file") as caught:
        load_weights(tmp_path / "none.json")
    assert str(caught.value).count("none.json") == 1


def test_wrong_weights_are_named() -> None:
    with pytest.raises(InvalidWeights, match="no feature is called 'warmth'"):
        DeepWeights("x", {"warmth": (1, 1)}, WORTH)
    with pytest.raises(InvalidWeights, match="expected two numbers"):
        DeepWeights("x", {"tempo": (1e9, 0)}, WORTH)
    with pytest.raises(InvalidWeights, match="the worth of six pieces"):
        DeepWeights("x", {}, (1, 2, 3))  # type: ignore[arg-type]  # what is wrong is the subject


def test_scaling_keeps_the_proportions() -> None:
    scaled = CMHM2.scaled(8)
    assert scaled.values["move pawn"] == (8, 8)
    assert scaled.worth[4] == 8 * CMHM2.worth[4]


def test_the_packages_weights_were_learned_and_say_where() -> None:
    weights = learned_weights()
    assert weights.provenance["method"] in ("results", "td")
    assert weights.provenance["games"] > 0
    # What weights are worth a match says: fitted to calm positions they need not explain all others better.
    assert {"settings", "started from", "match", "commit"} <= weights.provenance.keys()
    pawn, knight, bishop, rook, queen, _ = weights.worth
    assert pawn < min(knight, bishop) < rook < queen


def test_fifo_or_device_is_named_and_not_waited_for(tmp_path: Path) -> None:
    """A FIFO that nobody writes to was waited for without end."""
    os.mkfifo(tmp_path / "w.json")
    with pytest.raises(InvalidWeights, match=r"w\.json: .* it is a FIFO \(a named pipe\), not a file"):
        load_weights(tmp_path / "w.json")
    with pytest.raises(InvalidWeights, match="it is a character device, not a file"):
        load_weights("/dev/zero")
    with pytest.raises(InvalidWeights, match="it is a folder, not a file"):
        load_weights(tmp_path)
