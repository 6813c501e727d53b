"""Settings of a tuning run: kept as they are, and refused in words."""

import json
from typing import Any

import pytest

from heatmap_engine.errors import InvalidRun, InvalidSettings
from heatmap_engine.tuning.config import METHODS, MOST_MATCH_GAMES, TuneConfig
from heatmap_engine.tuning.method import openings_to_measure


@pytest.mark.parametrize("method", METHODS)
def test_settings_come_back_from_json(method: str) -> None:
    config = TuneConfig(method=method, start="zeros", rounds=3, trace=0.25, epsilon=0.1, noise=0.125, seed=7)
    assert TuneConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"method": "guess"}, "expected a method of td, results, cem, ga, spsa, got 'guess'"),
        ({"method": "spsa", "iterations": 0}, "iterations must be at least 1, got 0"),
        ({"method": "spsa", "gain": 0.0}, "gain must be above 0, got 0.0"),
        ({"method": "spsa", "gain": float("inf")}, "gain must be above 0, got inf"),
        ({"method": "spsa", "delay": -1.0}, "delay must be at least 0, got -1.0"),
        ({"method": "spsa", "spread": float("nan")}, "spread must be above 0, got nan"),
        ({"method": "spsa", "sources": ("x.pgn",)}, "are for the methods td and results, got spsa"),
        ({"method": "td", "trace": 1.5}, "lambda must be from 0 to 1, got 1.5"),
        ({"method": "td", "epsilon": -0.1}, "epsilon must be from 0 to 1, got -0.1"),
        ({"method": "td", "games": 0}, "games must be at least 1, got 0"),
        ({"method": "td", "growth": 0.5}, "growth must be from 1 to 10, got 0.5"),
        ({"method": "td", "growth": float("inf")}, "growth must be from 1 to 10, got inf"),
        ({"method": "td", "net_from": 0}, "net from must be at least 1, got 0"),
        ({"method": "td", "match_games": 3}, "match games must be even and from 0 to 288, got 3"),
        ({"method": "td", "match_games": 290}, "match games must be even and from 0 to 288, got 290"),
        ({"method": "ga", "best": 1.0}, "best must be less than 1 of 24 candidates, .* got 1.0"),
        ({"method": "ga", "candidates": 1}, "best must be less than 1 of 1 candidates, .* got 0.25"),
        ({"method": "cem", "best": 0.0}, "best must be above 0 and at most 1, got 0.0"),
        ({"method": "cem", "sources": ("x.pgn",)}, "are for the methods td and results, got cem"),
        ({"method": "results", "sources": ("x.pgn",), "rounds": 2}, "in one round, got 2"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], expected: str) -> None:
    with pytest.raises(InvalidSettings, match=expected):
        TuneConfig(**settings)


def test_settings_of_another_kind_are_no_run() -> None:
    with pytest.raises(InvalidRun, match="got also plies"):
        TuneConfig.from_json(json.dumps({"version": 3, "method": "td", "plies": 2}))


def test_a_run_whose_games_left_no_positions_is_not_gone_on_with() -> None:
    """They left where each search expected its line to end, which would be missed in the middle of a fit."""
    with pytest.raises(InvalidRun, match="expected the settings of a run, version 3, got"):
        TuneConfig.from_json(json.dumps({"version": 2, "method": "td"}))


def test_provenance_names_what_the_method_uses() -> None:
    assert {"trace", "epsilon"} <= {*TuneConfig(method="td").used()}
    assert "epsilon" not in TuneConfig(method="cem").used()
    assert "noise" not in TuneConfig(method="td").used()
    assert "noise" in TuneConfig(method="cem").used()
    assert {"pairs", "iterations", "gain"} <= {*TuneConfig(method="spsa").used()}
    assert not {"candidates", "noise", "games", "trace"} & {*TuneConfig(method="spsa").used()}
    assert "iterations" not in TuneConfig(method="cem").used()
    assert "pairs" not in TuneConfig(method="td").used()
    assert "trace" not in TuneConfig(method="results").used()
    assert "games" in TuneConfig(method="results").used()
    from_elsewhere = TuneConfig(method="results", sources=("x.pgn",), rounds=1).used()
    assert "sources" in from_elsewhere
    assert not {"games", "epsilon", "kept", "random_plies", "lone"} & {*from_elsewhere}


def test_the_most_match_games_are_all_that_differ() -> None:
    assert len(openings_to_measure(0)) * 2 == MOST_MATCH_GAMES
