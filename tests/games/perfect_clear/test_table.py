"""Answers that are kept in a file are found again, and are those of a search."""

from pathlib import Path

import pytest
from perfect_clear_boards import OPENER_WITHOUT_I

from games.perfect_clear.rules import Rules
from games.perfect_clear.solver import Question, Solver
from games.perfect_clear.table import SolvedTable
from qtable.errors import TableError
from qtable.table import QTable


@pytest.mark.parametrize("queue", ["TOSZ", "LIOJ", "TOZL", "OOOO"])
def test_answer_is_found_again(tmp_path: Path, queue: str) -> None:
    question = Question(queue, "I", OPENER_WITHOUT_I)
    solver = Solver()
    answer = solver.fewest_inputs(question)
    with SolvedTable(tmp_path / "pc.table", solver) as table:
        assert table.answer(question) is None
        table.record(question, answer)
    again = Solver()
    with SolvedTable(tmp_path / "pc.table", again) as table:
        known = table.answer(question)
        assert table.answer(Question(queue + "T", "I", OPENER_WITHOUT_I)) is None
    assert known is not None
    assert known.states == 0
    assert known.is_possible == answer.is_possible
    if known.solution is not None and answer.solution is not None:
        assert known.solution.inputs == answer.solution.inputs
        assert known.solution.placements[-1].board == 0


def test_opener_is_found_again_with_an_empty_hold(tmp_path: Path) -> None:
    """While nothing is in hold, the same pair of pieces is another state."""
    question = Question("JOIZSLTTZOS", lines=4)
    solver = Solver()
    answer = solver.fewest_inputs(question)
    with SolvedTable(tmp_path / "pc.table", solver) as table:
        table.record(question, answer)
        known = table.answer(question)
    assert known is not None
    assert known.solution is not None
    assert answer.solution is not None
    assert known.solution.inputs == answer.solution.inputs


def test_table_is_an_ordinary_one(tmp_path: Path) -> None:
    solver = Solver()
    question = Question("TOSZ", "I", OPENER_WITHOUT_I)
    answer = solver.fewest_inputs(question)
    assert answer.solution is not None
    with SolvedTable(tmp_path / "pc.table", solver) as table:
        table.record(question, answer)
    with QTable(tmp_path / "pc.table", readonly=True) as plain:
        values = {key: entry.value for key, entry in plain}
        assert max(values.values()) == answer.solution.inputs
        assert {entry.depth for _, entry in plain} == {4, 3, 2, 1}


def test_table_of_other_rules_is_an_error(tmp_path: Path) -> None:
    SolvedTable(tmp_path / "pc.table", Solver()).__exit__()
    with pytest.raises(TableError, match="kicks"):
        SolvedTable(tmp_path / "pc.table", Solver(Rules("srs+")))
