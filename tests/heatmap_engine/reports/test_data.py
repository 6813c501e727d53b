"""The JSON of a report: golden for each state, valid by the schema that ships, and whole."""

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from reported_positions import STATES, board_of_state, table_in_memory
from strategies import STARTS, playout

from heatmap_engine import Engine
from heatmap_engine.reports.report_data import as_data, invalid_as_data, schema
from qtable import QTable

# Made once from `as_data` of these positions with the table of the worked game. Its static scores are held
# against the specification in test_report.py, its learned ones against docs/design/worked-game.md.
GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(schema())


def rounded(data: Any) -> Any:
    """Floats to nine digits after the point, which is what other processors may differ in."""
    if isinstance(data, dict):
        return {name: rounded(value) for name, value in data.items()}
    if isinstance(data, list):
        return [rounded(value) for value in data]
    return round(data, 9) if isinstance(data, float) else data


def report_of_state(name: str) -> dict[str, Any]:
    with Engine(table_in_memory(), record="off") as engine:
        return as_data(engine.report(board_of_state(name), candidates=True, line=True, plies=1))


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", STATES)
def test_golden_report_of_each_state(name: str) -> None:
    data = report_of_state(name)
    assert rounded(data) == GOLDEN[name]
    VALIDATOR.validate(data)


def test_golden_invalid() -> None:
    data = invalid_as_data("nonsense", "what is wrong")
    assert data == GOLDEN["invalid"]
    VALIDATOR.validate(data)


def test_200_random_positions_are_valid_by_the_schema() -> None:
    table = QTable.in_memory()
    source = random.Random(11)
    seen = set()
    with Engine(table, mode="classic") as engine:
        for number in range(200):
            board = playout(STARTS[number % len(STARTS)], source.randrange(60), number)
            if number % 2 and any(board.legal_moves):
                engine.pick_move(board)
            report = engine.report(board, candidates=number % 10 < 2, line=number % 3 == 0, plies=number % 2)
            data = as_data(report)
            VALIDATOR.validate(json.loads(json.dumps(data, allow_nan=False)))
            seen.add(data["state"])
    assert {"known", "unknown", "drawn"} <= seen


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.update(state="good"),
        lambda data: data.pop("fen"),
        lambda data: data["moves"][0].pop("q"),
        lambda data: data["moves"][0].update(extra=1),
        lambda data: data["moves"][0].update(q="1.0"),
        lambda data: data["moves"][0].update(q=None),
        lambda data: data.update(visits=None),
        lambda data: data["moves"][0].update(known=False),
        lambda data: data["moves"][0]["reply"].update(known=False),
        lambda data: data["candidates"][0].pop("line"),
        lambda data: data["heat"]["white"]["heat"].pop(),
        lambda data: data.update(version=1),
    ],
)
def test_the_schema_refuses_what_is_no_report(spoil: Any) -> None:
    data = report_of_state("known")
    spoil(data)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(data)
