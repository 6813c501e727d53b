"""What the page may ask: only what is exactly of one of the shapes."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heatmap_engine.web.messages import (
    KINDS,
    AskHeat,
    BadMessage,
    TreeNode,
    WritePgn,
)
from heatmap_engine.web.parsing import number_of, parse_message


def test_a_message_is_an_object_of_its_kind() -> None:
    asked = parse_message('{"id": 7, "do": "heat", "moves": ["e2e4"], "depth": 2}')
    assert asked == AskHeat(id=7, moves=("e2e4",), depth=2)
    tree = parse_message(
        '{"id": 1, "do": "write", "nodes": [[0, "e2e4"], [1, "e7e5", "!", "words", -3, null]]}'
    )
    assert tree == WritePgn(id=1, nodes=(TreeNode(0, "e2e4"), TreeNode(1, "e7e5", "!", "words", -3, None)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        '{"id": 1}',
        '{"id": 1, "do": "format the disk"}',
        '{"id": 1, "do": ["heat"]}',
        '{"do": "heat"}',
        '{"id": "1", "do": "heat"}',
        '{"id": true, "do": "heat"}',
        '{"id": -1, "do": "heat"}',
        '{"id": 1, "do": "heat", "depth": 3}',
        '{"id": 1, "do": "heat", "depth": 1.0}',
        '{"id": 1, "do": "heat", "path": "/etc/passwd"}',
        '{"id": 1, "do": "heat", "moves": "e2e4"}',
        '{"id": 1, "do": "heat", "moves": [1]}',
        '{"id": 1, "do": "analyse", "lines": 6}',
        '{"id": 1, "do": "run"}',
        '{"id": 1, "do": "over", "colour": "red", "result": "1-0", "termination": "resignation"}',
        '{"id": 1, "do": "over", "colour": "white", "result": "*", "termination": "resignation"}',
        '{"id": 1, "do": "write", "nodes": [[1, "e2e4"]]}',
        '{"id": 1, "do": "write", "nodes": [[0]]}',
        '{"id": 1, "do": "write", "headers": {"White": 1}}',
        "[" * 100_000,
    ],
)
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(BadMessage, match="expected"):
        parse_message(text)


def test_too_much_is_refused() -> None:
    with pytest.raises(BadMessage, match="at most 1,000"):
        parse_message(json.dumps({"id": 1, "do": "heat", "moves": ["e2e4"] * 1001}))
    with pytest.raises(BadMessage, match="at most 200 characters"):
        parse_message(json.dumps({"id": 1, "do": "run", "name": "x" * 201}))


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
FIELDS = sorted({name for kind in KINDS.values() for name in kind.__dataclass_fields__})


@given(st.sampled_from(sorted(KINDS)), st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5))
def test_any_fields_give_a_message_or_one_error(name: str, fields: dict[str, Any]) -> None:
    text = json.dumps({"id": 1, **fields, "do": name})
    number_of(text)
    with contextlib.suppress(BadMessage):
        assert type(parse_message(text)) is KINDS[name]


@given(st.text() | st.binary())
def test_any_text_gives_one_error(text: str | bytes) -> None:
    number_of(text)
    with pytest.raises(BadMessage):
        parse_message(text)
