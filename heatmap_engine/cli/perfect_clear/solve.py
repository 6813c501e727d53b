"""`heatmap-engine perfect-clear solve`: a known queue, or every queue of a pattern."""

import json
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from games.perfect_clear.cover import Shown, smallest_cover, solutions_of
from games.perfect_clear.errors import InvalidQuestion, Stopped
from games.perfect_clear.patterns import as_text, expand, is_pattern
from games.perfect_clear.rules import parse_hold, parse_pieces
from games.perfect_clear.solver import Answer, Picture, Question, Solution, Solver
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c
from heatmap_engine.cli.long_task import long_task
from heatmap_engine.cli.perfect_clear.options import (
    board_of,
    board_options,
    json_option,
    rules_of,
    rules_options,
)
from heatmap_engine.cli.perfect_clear.view import as_json as solution_json
from heatmap_engine.cli.perfect_clear.view import (
    console,
    keys_text,
    needs_text,
    side_by_side,
    steps_of,
    whole,
)

# `--all` of more queues would run for days.
_MOST_QUEUES = 100_000


@click.command("solve")
@click.argument("queue")
@board_options
@click.option("--hold", metavar="X", help="The piece in hold.")
@rules_options
@click.option(
    "--first",
    "first_only",
    is_flag=True,
    help="Take the first solution found, not the one with the fewest inputs.",
)
@click.option("--all", "show_all", is_flag=True, help="Show every solution that looks different.")
@click.option(
    "--minimal", is_flag=True, help="Show the fewest solutions that serve every queue of a pattern."
)
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    metavar="T",
    help="Keep answers in this table, and look there first.",
)
@click.option("--fumen-out", is_flag=True, help="Print a fumen code. Needs the extra `fumen`.")
@json_option
def command(
    queue: str,
    rows: tuple[str, ...],
    board_file: Path | None,
    fumen: str | None,
    lines: int | None,
    hold: str | None,
    kicks: str,
    no_soft_drop: bool,
    no_hold: bool,
    first_only: bool,
    show_all: bool,
    minimal: bool,
    table: Path | None,
    fumen_out: bool,
    as_json: bool,
) -> None:
    """Clear a board with the pieces of QUEUE, or prove that it cannot be done.

    ROWS are the board, the upper row first: ten cells each, . for an empty one. Without ROWS it is empty.
    QUEUE may be a pattern such as *p4, any four different pieces, with --all or --minimal. The exit code is 1
    if there is no solution.

    \b
    Examples:
      heatmap-engine perfect-clear solve TIOSZLJTIOS
      heatmap-engine perfect-clear solve SZLO --hold I XXXX....XX XXXX...XXX XXXX..XXXX XXXX...XXX
      heatmap-engine perfect-clear solve '*p4' --minimal XXXX....XX XXXX...XXX XXXX..XXXX XXXX...XXX
    """
    if as_json and fumen_out:
        raise click.UsageError("--json and --fumen-out contradict each other")
    if first_only and (show_all or minimal or table):
        raise click.UsageError(
            "--first gives one solution and keeps none: it does not go with --all, --minimal or --table"
        )
    board = board_of(rows, board_file, fumen)
    solver = Solver(rules_of(kicks, no_soft_drop, no_hold))
    held = parse_hold(hold)
    if show_all or minimal or is_pattern(queue):
        if table is not None:
            raise click.UsageError(
                "--table keeps single solutions and does not go with --all, --minimal or a pattern"
            )
        questions = _questions(queue, held, board, lines)
        if is_pattern(queue) and not (show_all or minimal):
            raise click.UsageError("a pattern stands for many queues: expected --all or --minimal with it")
        _show_many(solver, questions, minimal=minimal, as_json=as_json, fumen_out=fumen_out)
        return
    question = Question(parse_pieces(queue), held, board, lines)
    _show_one(_answer(solver, question, first_only, table), solver, as_json=as_json, fumen_out=fumen_out)


def _questions(queue: str, hold: str | None, board: int, lines: int | None) -> list[Question]:
    if not is_pattern(queue):
        return [Question(parse_pieces(queue), hold, board, lines)]
    queues = expand(queue)
    if len(queues) > _MOST_QUEUES:
        raise InvalidQuestion(f"expected at most {_MOST_QUEUES:,} queues here, got {len(queues):,}")
    return [Question(as_text(one), hold, board, lines) for one in queues]


def _answer(solver: Solver, question: Question, first_only: bool, path: Path | None) -> Answer:
    if first_only:
        return now_or_on_ctrl_c(lambda: solver.first(question), solver.stop)
    with ExitStack() as stack:
        table = None
        if path is not None:
            from games.perfect_clear.table import SolvedTable

            table = stack.enter_context(SolvedTable(path, solver))
            known = table.answer(question)
            if known is not None:
                return known
        first: list[Solution] = []
        try:
            answer = now_or_on_ctrl_c(lambda: solver.fewest_inputs(question, first.append), solver.stop)
        except Stopped:
            if not first:
                raise
            click.echo(
                "stopped: this is the first solution found, perhaps not the one with the fewest inputs",
                err=True,
            )
            return Answer(first[-1], (first[-1].lines,), 0)
        if table is not None:
            table.record(question, answer)
        return answer


def _show_one(answer: Answer, solver: Solver, *, as_json: bool, fumen_out: bool) -> None:
    solution = answer.solution
    if as_json:
        click.echo(
            json.dumps(
                {
                    "possible": answer.is_possible,
                    "lines_tried": list(answer.lines_tried),
                    "states": answer.states,
                    "solution": None if solution is None else solution_json(solution),
                }
            )
        )
    elif solution is None:
        click.echo(impossible_text(answer, solver))
    elif fumen_out:
        _print_fumen([solution])
    else:
        print_solution(solution)
    if solution is None:
        sys.exit(1)


def impossible_text(answer: Answer, solver: Solver) -> str:
    lines = " or ".join(map(str, answer.lines_tried))
    rules = solver.rules
    allowed = [
        f"kicks {rules.kicks}",
        "slow drops" if rules.soft_drop else "no slow drops",
        "hold" if rules.hold else "no hold",
    ]
    return (
        f"impossible: no order and no placement of these pieces clears the board in {lines} lines "
        f"({', '.join(allowed)}); the search is complete"
    )


def print_solution(solution: Solution) -> None:
    screen = console()
    click.echo(
        f"perfect clear in {solution.lines} lines: {solution.order}, {solution.inputs} inputs, "
        f"{needs_text(solution)}"
    )
    screen.print(side_by_side([*steps_of(solution), ("all", whole(solution))], screen.width))
    for number, placement in enumerate(solution.placements, start=1):
        click.echo(f"{number:2} {placement.piece}  {keys_text(placement)}")


def _print_fumen(solutions: list[Solution]) -> None:
    from games.perfect_clear.fumen import written

    click.echo(written(solutions))


def _show_many(
    solver: Solver, questions: list[Question], *, minimal: bool, as_json: bool, fumen_out: bool
) -> None:
    shown = _all_solutions(solver, questions)
    is_smallest = True
    if minimal:
        cover = smallest_cover({picture: one.queues for picture, one in shown.items()})
        is_smallest = cover.is_smallest
        shown = {picture: one for picture, one in shown.items() if picture in cover.names}
    served = frozenset().union(*(one.queues for one in shown.values())) if shown else frozenset()
    best = sorted(shown.values(), key=lambda one: (-len(one.queues), one.solution.inputs))
    if as_json:
        click.echo(
            json.dumps(
                {
                    "queues": len(questions),
                    "cleared": len(served),
                    "smallest": is_smallest,
                    "solutions": [
                        {"queues": sorted(one.queues), **solution_json(one.solution)} for one in best
                    ],
                }
            )
        )
    elif fumen_out:
        if best:
            _print_fumen([one.solution for one in best])
    else:
        _print_many(best, len(questions), len(served), minimal, is_smallest)
    if not served:
        sys.exit(1)


def _print_many(best: list[Shown], questions: int, served: int, minimal: bool, is_smallest: bool) -> None:
    what = (
        "solutions"
        if not minimal
        else "solutions, no fewer would do"
        if is_smallest
        else "solutions, perhaps fewer would do"
    )
    if questions > 1:
        click.echo(f"{served:,} of {questions:,} queues clear the board with {len(best):,} {what}")
    elif served:
        click.echo(f"{len(best):,} {what}")
    else:
        click.echo(
            "impossible: no order and no placement of these pieces clears the board; the search is complete"
        )
    screen = console()
    pictures = [
        (f"{len(one.queues):,} queues" if questions > 1 else one.solution.order, whole(one.solution))
        for one in best
    ]
    if pictures:
        screen.print(side_by_side(pictures, screen.width))


def _all_solutions(solver: Solver, questions: list[Question]) -> dict[Picture, Shown]:
    found: dict[Picture, Shown] = {}
    if len(questions) == 1:
        try:
            return now_or_on_ctrl_c(lambda: solutions_of(solver, questions, into=found), solver.stop)
        except Stopped:
            if not found:
                raise
            click.echo("stopped: there may be more solutions than these", err=True)
            return found
    done = 0
    with long_task("solving", "queues", "nothing is known of the queues that were not solved") as progress:

        def solved() -> None:
            nonlocal done
            done += 1
            progress(done, len(questions))

        return solutions_of(solver, questions, solved)
