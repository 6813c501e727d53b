"""Which few solutions are enough for many queues."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from games.perfect_clear.solver import Picture, Question, Solution, Solver

Name = TypeVar("Name", bound=Hashable)

# With more sets that are worth a look the smallest cover would take too long; a good one is given then.
_MOST_SETS_TO_TRY = 40


@dataclass(frozen=True, slots=True)
class Shown:
    """A solution as a picture, and the queues that can make it."""

    solution: Solution
    queues: frozenset[str]


def solutions_of(
    solver: Solver,
    queues: Iterable[Question],
    report: Callable[[], None] | None = None,
    into: dict[Picture, Shown] | None = None,
) -> dict[Picture, Shown]:
    """All pictures that any of the queues can make; if it is stopped, those that were found are in `into`."""
    found = {} if into is None else into
    for question in queues:
        for solution in solver.all(question):
            known = found.get(solution.picture, Shown(solution, frozenset()))
            found[solution.picture] = Shown(known.solution, known.queues | {question.queue})
        if report is not None:
            report()
    return found


@dataclass(frozen=True, slots=True)
class Cover:
    """Names of sets whose union is that of all sets."""

    names: tuple[object, ...]
    is_smallest: bool
    """Whether it is proven that no fewer would do."""


def smallest_cover(sets: Mapping[Name, frozenset[str]]) -> Cover:
    """The fewest sets that together have all members."""
    chosen: list[Name] = []
    left = {name: set(members) for name, members in sets.items() if members}
    while left:
        _drop_needless(left)
        name = _only_one_for_a_member(left)
        if name is None:
            break
        chosen.append(name)
        _take(left, name)
    if not left:
        return Cover(tuple(chosen), is_smallest=True)
    if len(left) > _MOST_SETS_TO_TRY:
        return Cover((*chosen, *_greedy(left)), is_smallest=False)
    return Cover((*chosen, *_tried(left, _greedy(left))), is_smallest=True)


def _take(left: dict[Name, set[str]], name: Name) -> None:
    members = left.pop(name)
    for other in list(left):
        left[other] -= members
        if not left[other]:
            del left[other]


def _drop_needless(left: dict[Name, set[str]]) -> None:
    """Leave out every set that another one contains."""
    for name in sorted(left, key=lambda name: len(left[name])):
        mine = left[name]
        if any(mine <= other for name_of_other, other in left.items() if name_of_other != name):
            del left[name]


def _only_one_for_a_member(left: Mapping[Name, set[str]]) -> Name | None:
    """A set with a member that no other one has."""
    owners: dict[str, list[Name]] = {}
    for name, members in left.items():
        for member in members:
            owners.setdefault(member, []).append(name)
    return next((names[0] for names in owners.values() if len(names) == 1), None)


def _greedy(sets: Mapping[Name, set[str]]) -> list[Name]:
    left = {name: set(members) for name, members in sets.items()}
    chosen = []
    while left:
        name = max(left, key=lambda name: len(left[name]))
        chosen.append(name)
        _take(left, name)
    return chosen


def _tried(sets: Mapping[Name, set[str]], best: list[Name]) -> list[Name]:
    """The smallest cover, by trying: every cover has one of the sets that own the rarest member."""
    if not sets:
        return []
    if len(best) <= 1:
        return best
    members = set().union(*sets.values())
    rarest = min(members, key=lambda member: sum(member in mine for mine in sets.values()))
    for name in [name for name, mine in sets.items() if rarest in mine]:
        left = {other: set(mine) for other, mine in sets.items()}
        _take(left, name)
        if not left:
            return [name]
        most = max(len(mine) for mine in left.values())
        rest = len(set().union(*left.values()))
        if 1 + -(-rest // most) >= len(best):
            continue
        found = [name, *_tried(left, _greedy(left))]
        if len(found) < len(best):
            best = found
    return best
