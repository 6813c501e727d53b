"""How a match stands: every game counted once, whatever the order in which games end."""

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from typing import Any

import chess

from games.chess.record import WHITES_POINTS, GameRecord, Scalar
from heatmap_engine.match.plan import TABLE_OF, MatchPlan
from heatmap_engine.match.strength import Pentanomial, Strength, strength_of

# Ends that say how a game was lost off the board.
FORFEITS = ("time forfeit", "abandoned", "stalled", "rules infraction")
# Of these, what is said otherwise than "by" and the termination.
_HOW_LOST = {"time forfeit": "on time", "abandoned: the engine's process ended": "because its process ended"}


@dataclass(frozen=True, slots=True)
class SprtVerdict:
    """What a sequential test has come to, and after how many pairs."""

    accepts: str
    pairs: int


class MatchStanding:
    """The results of a match's games; games are numbered from 0, two and two a pair."""

    def __init__(self, plan: MatchPlan) -> None:
        self._plan = plan
        self._points: dict[int, float] = {}
        self._ends: Counter[str] = Counter()
        self._forfeits: Counter[tuple[str, str]] = Counter()
        self._games: set[tuple[str | None, tuple[str, ...]]] = set()
        self.pentanomial = Pentanomial()  # the pairs whose games are both over
        self._tables: defaultdict[str, set[Scalar]] = defaultdict(set)
        self._plies = 0
        self._repetitions = 0
        # The test sees pairs in the order of their numbers and not in that of their ends: short games end
        # first, and a test that is stopped at the right moment for these would be biased.
        self._tested = Pentanomial()
        self.verdict: SprtVerdict | None = None

    def __contains__(self, number: int) -> bool:
        return number in self._points

    def add(self, number: int, record: GameRecord) -> None:
        """Count a game."""
        first_is_white = number % 2 == 0
        white = WHITES_POINTS[record.result]
        self._points[number] = white if first_is_white else 1.0 - white
        self._ends[record.termination] += 1
        self._repetitions += record.termination == "threefold repetition"
        self._games.add((record.start, record.moves))
        self._plies += len(record.moves)
        for colour, name in ((chess.WHITE, record.white), (chess.BLACK, record.black)):
            if TABLE_OF[colour] in record.settings:
                self._tables[name].add(record.settings[TABLE_OF[colour]])
        if record.termination.startswith(FORFEITS):
            loser = record.black if white else record.white
            self._forfeits[loser, record.termination] += 1
        if number ^ 1 in self._points:
            self.pentanomial = self.pentanomial.plus(self._points[number] + self._points[number ^ 1])
            self._test()

    def _test(self) -> None:
        sprt = self._plan.sprt
        while sprt is not None and self.verdict is None:
            first = 2 * self._tested.pairs
            if not (first in self and first + 1 in self):
                return
            self._tested = self._tested.plus(self._points[first] + self._points[first + 1])
            accepted = sprt.accepts(self._tested)
            if accepted is not None:
                self.verdict = SprtVerdict(accepted, self._tested.pairs)

    @property
    def games(self) -> int:
        return len(self._points)

    @property
    def wins(self) -> int:
        """Of the first side, as are all results here."""
        return self._count(1.0)

    @property
    def draws(self) -> int:
        return self._count(0.5)

    @property
    def losses(self) -> int:
        return self._count(0.0)

    def _count(self, points: float) -> int:
        return sum(value == points for value in self._points.values())

    @property
    def strength(self) -> Strength:
        return strength_of(self.pentanomial)

    @property
    def llr(self) -> float | None:
        """The log-likelihood ratio of the test, or None without one."""
        return None if self._plan.sprt is None else self._plan.sprt.llr(self._tested)

    @property
    def distinct(self) -> int:
        """Games that differ in their moves; who played White does not count."""
        return len(self._games)

    @property
    def repetitions(self) -> int:
        """Games that ended with the third occurrence of a position."""
        return self._repetitions

    @property
    def is_over(self) -> bool:
        return self.verdict is not None or self.games >= self._plan.games

    def warnings(self) -> list[str]:
        """What makes the figures worth less than they look."""
        found = []
        lines, pairs = len(self._plan.lines), (self.games + 1) // 2
        if pairs > lines:
            found.append(
                f"{pairs} pairs were played from {lines} openings: games from the same opening are not "
                "independent, and the interval is too narrow"
            )
        if self.distinct < self.games:
            found.append(
                f"only {self.distinct} of {self.games} games are distinct: a game that is played again adds "
                "nothing new"
            )
        found += [
            f"something wrote to the table of {name} while the match was played: its games are those of "
            f"{len(states)} different tables"
            for name, states in sorted(self._tables.items())
            if len(states) > 1
        ]
        for (loser, how), count in sorted(self._forfeits.items()):
            games = "1 game" if count == 1 else f"{count} games"
            found.append(f"{loser} lost {games} {_HOW_LOST.get(how, f'by {how}')}")
        return found

    def as_json(self) -> dict[str, Any]:
        """All figures by name."""
        plan, sprt = self._plan, self._plan.sprt
        return {
            "first": plan.first.name,
            "second": plan.second.name,
            "games": self.games,
            "games_planned": plan.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "pairs": self.pentanomial.pairs,
            "pentanomial": list(self.pentanomial.counts),
            **asdict(self.strength),
            "sprt": sprt and {**asdict(sprt), "lower": sprt.lower, "upper": sprt.upper},
            "llr": self.llr,
            "verdict": self.verdict and asdict(self.verdict),
            "distinct": self.distinct,
            "repetitions": self.repetitions,
            "plies": self._plies,
            "openings": len(plan.lines),
            "terminations": dict(self._ends.most_common()),
            "warnings": self.warnings(),
            "finished": self.is_over,
        }
