"""Playing a match from where it stands to its end, in several processes."""

from collections.abc import Callable, Iterator
from contextlib import closing

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.match.folder import MatchFolder
from heatmap_engine.match.plan import MatchGame
from heatmap_engine.match.referee import Referee
from heatmap_engine.match.standing import MatchStanding
from heatmap_engine.players.external_mover import require_starting
from heatmap_engine.players.movers import OurMover
from heatmap_engine.players.sides import OurSide, Side
from heatmap_engine.workers.pool import Lost
from heatmap_engine.workers.processes import Workers


def play_match(
    folder: MatchFolder,
    workers: int = 1,
    *,
    when_done: Callable[[MatchStanding], None] = lambda standing: None,
    report: Callable[[str], None] = lambda message: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> MatchStanding:
    """Play the games that the folder does not have yet; each is written down as soon as it is over.

    Once `should_stop` says so, or the sequential test has come to its verdict, only running games are
    finished. A game whose processes die is given up, and played when the match goes on next.
    """
    plan = folder.plan
    if plan.learns and workers != 1:
        raise InvalidSettings("a match in which a side learns is played by one worker, game after game")
    with folder.locked():
        standing = folder.standing()
        folder.write_results(standing)
        if standing.is_over:
            return standing
        has_gap = False
        tasks = _games_to_play(folder, standing, lambda: should_stop() or (has_gap and plan.sprt is not None))
        with Workers(Referee(plan), workers) as pool, closing(pool.results(tasks)) as results:
            for game, record in results:
                if isinstance(record, Lost):
                    has_gap = True  # the sequential test takes pairs in order: it cannot go on beyond one
                    report(f"{game.place} was given up: it ended its processes ({record.how})")
                    continue
                folder.append(record)
                standing.add(game.number, record)
                folder.write_results(standing)
                when_done(standing)
    return standing


def _games_to_play(
    folder: MatchFolder, standing: MatchStanding, should_stop: Callable[[], bool]
) -> Iterator[MatchGame]:
    for number in range(folder.plan.games):
        if standing.verdict is not None or should_stop():
            return
        if number not in standing:
            yield folder.plan.game(number)


def require_playable(side: Side, *, chess960: bool = False) -> None:
    """Raise what is wrong with a side before any game: a table that is not there, an engine that fails.

    With `chess960` an engine must play that too: it would lose each such game for nothing.
    """
    if isinstance(side, OurSide):
        OurMover(side).close()
    else:
        require_starting(side, chess960=chess960)
