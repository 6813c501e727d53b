"""Solutions are played key by key by the specification, and proofs agree with trying everything."""

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_clear_boards import OPENER, OPENER_WITHOUT_I

from games.perfect_clear.board import cells_of, cleared, parse_board, pieces_needed
from games.perfect_clear.columns import can_fill_columns
from games.perfect_clear.errors import InvalidQuestion
from games.perfect_clear.movement import Movement
from games.perfect_clear.reference import Action, Inactive, Settings, branches, decide, replayed
from games.perfect_clear.rules import Rules
from games.perfect_clear.solver import Question, Solution, Solver, State
from games.tetrominoes.kicks import KICK_TABLES
from games.tetrominoes.pieces import PIECES


def random_queue(choices: random.Random, number: int) -> str:
    pieces = ""
    while len(pieces) < number:
        pieces += "".join(choices.sample(PIECES, 7))
    return pieces[:number]


def require_played(solution: Solution, question: Question, rules: Rules) -> None:
    actions = [Action(key) for placement in solution.placements for key in placement.keys]
    settings = Settings(rules.kick_table, slow_drop=rules.soft_drop, hold=rules.hold)
    board, _, _ = replayed(
        frozenset(cells_of(question.board)), question.hold, question.queue, actions, settings
    )
    assert board == frozenset()


@pytest.mark.parametrize(
    "rules",
    [Rules(), Rules("srs+"), Rules("none"), Rules(soft_drop=False), Rules(hold=False)],
    ids=lambda rules: f"{rules.kicks} {rules.soft_drop} {rules.hold}",
)
def test_solutions_are_perfect_clears_key_by_key(rules: Rules) -> None:
    choices = random.Random(11)
    solver = Solver(rules)
    solved = 0
    for _ in range(12):
        question = Question(random_queue(choices, 11), lines=4)
        solution = solver.first(question).solution
        if solution is not None:
            solved += 1
            require_played(solution, question, rules)
    assert solved >= (4 if not rules.hold or not rules.soft_drop else 10)


def test_fewest_inputs_are_those_of_the_specification() -> None:
    """On boards with two pieces left the specification can try every branch."""
    solver = Solver()
    settings = Settings(KICK_TABLES["srs"])
    for rows, hold, queue in (
        ("########../########../#######.../#########.", "L", "OJ"),
        ("##....####/##....####", None, "OO"),
        ("##....####/###..#####", None, "TO"),
        ("#######.../########.#/######..##/########..", "Z", "SL"),
        ("######..##/######..##/########../########..", "I", "OO"),
    ):
        board = parse_board(rows)
        lines = len(rows.split("/"))
        best = decide(branches(Inactive(frozenset(cells_of(board)), lines, hold, queue), settings))
        if (10 * lines - board.bit_count()) % 4:
            continue
        question = Question(queue, hold, board, lines)
        answer = solver.fewest_inputs(question)
        assert (best is None) == (answer.solution is None)
        if best is not None and answer.solution is not None:
            assert answer.solution.inputs == best.inputs
            require_played(answer.solution, question, Rules())


def test_fewest_inputs_are_never_more_than_those_of_another_solution() -> None:
    solver = Solver()
    for queue in ("TOSZ", "LIOJ", "ZTIO"):
        question = Question(queue, "I", OPENER_WITHOUT_I)
        best = solver.fewest_inputs(question).solution
        every = list(solver.all(question))
        assert (best is None) == (every == [])
        if best is not None:
            assert best.inputs <= min(solution.inputs for solution in every)
            assert best.picture in {solution.picture for solution in every}


@cache
def can_be_cleared(board: int, lines: int, hold: str | None, queue: str) -> bool:
    """By trying everything, with the compiled movement only."""
    if lines == 0:
        return True
    options = [(queue[0], hold, queue[1:])] if queue else []
    if hold is not None:
        options.append((hold, queue[:1] or None, queue[1:]))
    elif len(queue) > 1:
        options.append((queue[1], queue[0], queue[2:]))
    return any(
        can_be_cleared(*cleared(board | cells, lines), rest, later)
        for piece, rest, later in options
        for cells in _MOVEMENT.landings(piece, board, lines)
    )


_MOVEMENT = Movement(KICK_TABLES["srs"])


def test_impossible_is_said_exactly_where_everything_fails() -> None:
    choices = random.Random(3)
    solver = Solver()
    answers = set()
    for _ in range(150):
        board = choices.choice((OPENER, OPENER_WITHOUT_I))
        hold = choices.choice((None, *PIECES))
        number = pieces_needed(board, 4) + choices.choice((0, 1)) - (hold is not None)
        queue = "".join(choices.choice(PIECES) for _ in range(number))
        is_possible = solver.is_possible(Question(queue, hold, board, 4))
        assert is_possible == can_be_cleared(board, 4, hold, queue), (queue, hold)
        answers.add(is_possible)
    assert answers == {True, False}


def test_ways_are_counted_as_they_are_walked() -> None:
    """One by one, by their boards, for what the compiled search adds up."""
    solver = Solver()

    def walked(queue: str, state: State) -> int:
        if state.lines == 0:
            return 1
        return sum(walked(queue, step.after) for step in solver.every_step(queue, state))

    for queue in ("TOSZ", "LIJO"):
        question = Question(queue, "I", OPENER_WITHOUT_I, 4)
        assert solver.count(question) == walked(*solver.start(question, 4)) > 0


def test_two_lines_are_tried_before_four() -> None:
    solution = Solver().first(Question("OOOOOIIIIII")).solution
    assert solution is not None
    assert solution.lines == 2
    assert solution.order == "OOOOO"


def test_six_lines_are_cleared() -> None:
    question = Question(random_queue(random.Random(2), 16), lines=6)
    solution = Solver().first(question).solution
    assert solution is not None
    assert len(solution.placements) == 15
    require_played(solution, question, Rules())


def test_a_turn_under_a_roof_needs_a_slow_drop() -> None:
    """The T fits only below the roof of the third column; the I would open it, but must come later."""
    board = parse_board("###....###/##...#####/###.######")
    solution = Solver(Rules(hold=False)).first(Question("TI", board=board, lines=3)).solution
    assert solution is not None
    assert solution.needs_slow_drop
    assert not Solver(Rules(hold=False, soft_drop=False)).first(Question("TI", board=board, lines=3)).solution
    opened = Solver(Rules(hold=False)).first(Question("IT", board=board, lines=3)).solution
    assert opened is not None
    assert not opened.needs_slow_drop


def test_kicks_are_needed_where_turns_in_place_do_not_lead() -> None:
    choices = random.Random(8)
    unkicked = Movement(KICK_TABLES["none"])
    needs = set()
    for _ in range(15):
        solution = Solver().first(Question(random_queue(choices, 11), lines=4)).solution
        assert solution is not None
        board, lines = 0, 4
        for placement in solution.placements:
            is_reached = placement.cells in unkicked.landings(placement.piece, board, lines)
            assert placement.needs_kick == (not is_reached)
            needs.add(placement.needs_kick)
            board, lines = placement.board, lines - placement.lines_cleared
    assert needs == {True, False}


def test_rules_that_change_change_the_answers() -> None:
    """Neither the search nor the table of ways from above may remember other rules."""
    question = Question("TSZL", "I", OPENER_WITHOUT_I)
    solver = Solver(Rules(soft_drop=False))
    counts = [solver.count(question)]
    for rules in (Rules(), Rules("none"), Rules(soft_drop=False)):
        solver.configure(rules)
        counts.append(solver.count(question))
        assert counts[-1] == Solver(rules).count(question)
    assert counts[0] == counts[-1] < counts[1]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (Question("TIO", board=parse_board("###.......")), "even number of filled cells"),
        (Question("TIO", board=parse_board("##......../##........"), lines=2), "at least 4 pieces"),
        (Question("TIO", board=1 << 20), "no gap"),
        (Question("TIO", board=0x3FF), "full"),
        (Question("TIO", board=parse_board("##........"), lines=9), "1 to 6 lines"),
        (Question("TIO", board=1 << 65), "at most 6 rows"),
        (Question("TIO", board=parse_board("##........"), lines=2), "pieces of four"),
    ],
)
def test_questions_without_an_answer_say_what_was_expected(question: Question, expected: str) -> None:
    with pytest.raises(InvalidQuestion, match=expected):
        Solver().first(question)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_columns_that_pieces_have_filled_can_be_filled(pieces: list[str], choices: random.Random) -> None:
    """Whatever was placed and cleared, the cells of the pieces by column are a sum of their profiles."""
    board, lines, filled = 0, 4, [0] * 10
    used = ""
    for piece in pieces:
        places = sorted(_MOVEMENT.landings(piece, board, lines))
        if not places:
            break
        cells = choices.choice(places)
        for x, _ in cells_of(cells):
            filled[x] += 1
        used += piece
        board, lines = cleared(board | cells, lines)
    assert can_fill_columns(filled, used)
    assert can_fill_columns(filled, used + "SZ")


def test_columns_that_no_pieces_fill() -> None:
    assert not can_fill_columns([1, 3], "OOSZI")
    assert can_fill_columns([1, 3], "T")
    assert not can_fill_columns([4, 4], "OT")
    assert can_fill_columns([4, 4], "SZ")
