"""Whether learned weights are to be used from now on: a match against those in use, and its report.

The match is a sequential test (match/sprt.py). It is judged pair by pair in the order of their numbers, not
in the order in which they end: so the answer is the same with any number of workers, and after any stop.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from games.durable import BusyFolder, locked, write_at_once
from games.lines import LineFile
from heatmap_engine.deep.adopted import adopt, fingerprint
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.errors import InvalidRun
from heatmap_engine.match.sprt import Sprt
from heatmap_engine.match.strength import Pentanomial
from heatmap_engine.tuning.folder import lines_of, well_formed
from heatmap_engine.tuning.measurement import MatchResult
from heatmap_engine.tuning.method import openings_to_measure
from heatmap_engine.tuning.players import TuneSide
from heatmap_engine.tuning.session import Progress, TuneSession
from heatmap_engine.tuning.tasks import Pair

RULE = Sprt(0.0, 20.0)
"""Learned weights win when the test accepts that they are 20 Elo stronger and not 0."""

MOST_GAMES = 2000
"""After so many games without an answer nothing is changed."""

# So many pairs are begun before the test is asked again.
_AT_ONCE = 16
# When the openings are used up they are played again, with so many more nodes: the same nodes would be the
# same games.
_MORE_NODES = 1.1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the pairs say, up to the one that decided."""

    result: MatchResult
    accepted: str | None
    """H1: the learned weights are stronger. H0: they are not. None: not known yet."""

    @classmethod
    def of(cls, points: Sequence[float]) -> "Verdict":
        pairs = Pentanomial()
        for each in points:
            pairs = pairs.plus(each)
            if accepted := RULE.accepts(pairs):
                return cls(MatchResult(pairs), accepted)
        return cls(MatchResult(pairs), None)

    @property
    def is_won(self) -> bool:
        return self.accepted == "H1"

    @property
    def llr(self) -> float:
        return RULE.llr(self.result.pentanomial)


class Contest:
    """The match of the weights in a file against those in use; its pairs are kept beside the file."""

    def __init__(
        self,
        path: Path,
        learned: DeepWeights,
        in_use: DeepWeights,
        *,
        nodes: int,
        most_games: int = MOST_GAMES,
        seed: int = 0,
    ) -> None:
        if fingerprint(learned) == fingerprint(in_use):
            raise InvalidRun(f"{path}: these weights are in use already, as {in_use.name}")
        self.path = path
        self.learned = learned
        self.in_use = in_use
        self.nodes = nodes
        self.most_games = most_games - most_games % 2  # pairs
        self._seed = seed
        self._openings = openings_to_measure(seed)
        self._file = LineFile(path.with_suffix(".match.jsonl"))
        # Other weights in use, other nodes or another seed are another match.
        self._name = f"{fingerprint(learned)} against {fingerprint(in_use)}, {nodes} nodes, seed {seed}"

    @property
    def report_path(self) -> Path:
        return self.path.with_suffix(".match.md")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While the block runs, no other process plays this match."""
        try:
            with locked(self.path.with_suffix(".match.lock")):
                self._file.repair()
                yield
        except BusyFolder:
            raise InvalidRun(f"another process is playing the match of {self.path}") from None

    def verdict(self) -> Verdict:
        """What is known so far; pairs after a missing one do not count yet."""
        with well_formed(self._file.path):
            points = {line["number"]: line["points"] for line in lines_of(self._file) if self._is_ours(line)}
            whole = next(number for number in range(len(points) + 1) if number not in points)
            return Verdict.of([points[number] for number in range(min(whole, self._most_pairs))])

    def _is_ours(self, line: dict[str, Any]) -> bool:
        return bool(line["match"] == self._name)

    @property
    def _most_pairs(self) -> int:
        return self.most_games // 2

    def play(self, session: TuneSession) -> bool:
        """Play until the test has an answer or the games are used up; False if it was stopped before."""
        with session.pool:
            for first in range(0, self._most_pairs, _AT_ONCE):
                if self.verdict().accepted:
                    break
                pairs = self._pairs(range(first, min(first + _AT_ONCE, self._most_pairs)))
                if not session.do(pairs, self._file, Progress(1, "match", first, self._most_pairs)):
                    return False
        return True

    def _pairs(self, numbers: range) -> Iterator[Pair]:
        learned, in_use = TuneSide("learned", self.learned), TuneSide("in use", self.in_use)
        for number in numbers:
            again, place = divmod(number, len(self._openings))
            nodes = round(self.nodes * _MORE_NODES**again)
            yield Pair(self._name, number, self._openings[place], learned, in_use, nodes, self._seed)

    def conclude(self, version: dict[str, str]) -> Path | None:
        """Write the report; use the weights from now on if they won, and say where they are kept."""
        verdict = self.verdict()
        report = "\n".join(self.report(verdict, version)) + "\n"
        write_at_once(self.report_path, report)
        if not verdict.is_won:
            return None
        return adopt(self.learned, report, {**self.as_json(verdict), **version})

    def as_json(self, verdict: Verdict) -> dict[str, Any]:
        """The match as plain data."""
        return {
            "against": self.in_use.name,
            "nodes": self.nodes,
            **verdict.result.as_json(),
            "sprt": {"elo0": RULE.elo0, "elo1": RULE.elo1, "llr": round(verdict.llr, 3)},
            "accepted": verdict.accepted,
        }

    def report(self, verdict: Verdict, version: dict[str, str]) -> Iterator[str]:
        """The match in words, as Markdown."""
        yield "# Learned weights against those in use"
        yield ""
        yield "| | |"
        yield "|---|---|"
        yield f"| learned | {self.learned.name}, {self.path.name}, fingerprint {fingerprint(self.learned)} |"
        yield f"| in use | {self.in_use.name}, fingerprint {fingerprint(self.in_use)} |"
        games = f"{verdict.result.games:,} of at most {self.most_games:,}"
        yield f"| games | {games}, each opening with both colours |"
        yield f"| openings | the {len(self._openings)} lines of our suite that self-play leaves out |"
        yield f"| nodes | {self.nodes:,} for each move, a tenth more each time the openings come again |"
        counts = ", ".join(map(str, verdict.result.pentanomial.counts))
        yield f"| pairs that scored 0, ½, 1, 1½, 2 points | {counts} |"
        yield f"| Elo of the learned weights, 95 % | {elo_text(verdict.result)} |"
        yield f"| test | SPRT, {rule_text()}: LLR {verdict.llr:.2f} of {RULE.lower:.2f} to {RULE.upper:.2f} |"
        yield f"| verdict | {verdict_text(verdict)} |"
        yield f"| version | {', '.join(version.values())} |"
        yield ""
        yield "`heatmap-engine tune --unadopt` goes back to the weights that come with the package."


def rule_text() -> str:
    return (
        f"H0 {RULE.elo0:.0f} Elo, H1 {RULE.elo1:+.0f} Elo, "
        f"wrong in {RULE.alpha:.0%} of the cases at most either way"
    )


def verdict_text(verdict: Verdict) -> str:
    if verdict.is_won:
        return "won: they are used from now on"
    if verdict.accepted:
        return "not won: they are not stronger; nothing was changed"
    return "not won: the games do not decide; nothing was changed"


def elo_text(result: MatchResult) -> str:
    """Elo with its interval; who won or lost everything has none."""
    strength = result.strength
    if strength.elo is None:
        return f"{'won' if result.pentanomial.score else 'lost'} all {result.games:,} games"
    ends = ["no bound" if end is None else f"{end:+.0f}" for end in (strength.elo_low, strength.elo_high)]
    return f"{strength.elo:+.0f} ({' to '.join(ends)})"
