"""Who chooses the moves of self-play, so that games differ and the table comes to know more.

By epsilon a random move is played now and then instead of the pick. Otherwise the games are the simulations
of a Monte Carlo tree search whose tree is the table.

In classic mode UCB1 chooses: where earlier games went on from a position, the move is played that promises
most by their results and by how seldom it was tried, and elsewhere the pick. In deep mode, where results
choose in play, they choose here in the same way.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import chess

from games.chess.record import RANDOM
from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.reading import pack
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.pick import Pick
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.limits import Limits
from heatmap_engine.memory.expectation import Results
from heatmap_engine.memory.views import EntrySource
from heatmap_engine.players.game_loop import Choice, Player, eval_comment
from heatmap_engine.winning_chances import Unit

EPSILON, UCB = "epsilon", "ucb"
WAYS = (UCB, EPSILON)

# Moves that are worse than the best one by more than so many units are not tried.
_NEAR = 40.0
# A search says the values of so many moves of a position at most, of more the oftener games came there.
_MOST_LINES = 4
# In a tree both sides play with so much less or more effort, by chance: against a twin of its own a side
# would learn one line by heart.
_LEAST_EFFORT, _MOST_EFFORT = 0.9, 1.1

# All legal moves, the pick first, with the scores that are known.
Think = Callable[[chess.Board], Sequence[tuple[chess.Move, float | None]]]


class RandomMoves:
    """Our engine, which at every move plays a random one instead of its pick with probability `epsilon`."""

    def __init__(self, think: Think, unit: Unit, random: Random, epsilon: float) -> None:
        self._think = think
        self._unit = unit
        self._random = random
        self._epsilon = epsilon

    def choose(self, board: chess.Board) -> Choice:
        """The engine picks either way: the value that it sees now is the one that learning changes."""
        moves = self._think(board)
        if self._random.random() >= self._epsilon:
            return _choice(*moves[0], self._unit)
        choice = _choice(*self._random.choice(moves), self._unit)
        return replace(choice, comment=f"{choice.comment} {RANDOM}".lstrip())


class ResultsChoose:
    """Our engine as it plays: its search lets results choose. Each game has some more or less effort."""

    def __init__(self, engine: Engine, limits: Limits, random: Random) -> None:
        self._engine = engine
        self._limits = varied(limits, random)

    def choose(self, board: chess.Board) -> Choice:
        pick = self._engine.pick_move(board, self._limits, tells_lines=False)
        return Choice(pick.move, pick.score, eval_comment(self._engine.mode.unit.centipawns(pick.score)))


class TreeSearch:
    """Our engine, which goes where the results of earlier games promise most."""

    def __init__(self, engine: Engine, known: EntrySource, limits: Limits, random: Random) -> None:
        self._engine = engine
        self._known = known
        self._unit = engine.mode.unit
        self._limits = varied(limits, random)

    def choose(self, board: chess.Board) -> Choice:
        tried = self._tried(board)
        games = sum(results.games for _, results in tried.values())
        lines = _lines_after(games)
        pick = self._pick(board, lines)
        if not games:
            return _choice(pick.best.move, pick.best.score, self._unit)
        values = {move: value for move, (value, _) in tried.items()}
        # In classic mode a pick has all moves for its lines.
        values |= {line.move: movers_view(board.turn, line.score) for line in pick.lines[:lines]}
        best = max(values.values())
        near = [move for move, value in values.items() if value >= best - _NEAR]
        nothing = 0.0, Results()
        chosen = max(
            near,
            key=lambda move: tried.get(move, nothing)[1].promise(
                self._unit.expected_points(values[move]), games
            ),
        )
        return _choice(chosen, movers_view(board.turn, values[chosen]), self._unit)

    def _tried(self, board: chess.Board) -> dict[chess.Move, tuple[float, Results]]:
        """The moves that games have gone on with, with their values for who moves and their results."""
        keys = {name: key_of(child) for name, child in children(pack(board))}
        entries = self._known.get_many(keys.values())
        found = {}
        for name, key in keys.items():
            if key in entries and (results := Results.after_move(entries[key])).games:
                found[chess.Move.from_uci(name)] = -entries[key].value, results
        return found

    def _pick(self, board: chess.Board, lines: int) -> Pick:
        """With more lines the effort grows as well, so that each is searched as deep as one alone."""
        nodes = self._limits.nodes
        limits = self._limits
        if nodes is not None:
            limits = replace(limits, nodes=nodes * lines)
        return self._engine.pick_move(board, limits, lines=lines, tells_lines=False)


def _choice(move: chess.Move, score: float | None, unit: Unit) -> Choice:
    return Choice(move, score, "" if score is None else eval_comment(unit.centipawns(score)))


def tree_player(engine: Engine, known: EntrySource, limits: Limits, random: Random) -> Player:
    """Our engine in a tree of results; `known` is what its search knows."""
    if engine.mode.results_choose:
        return ResultsChoose(engine, limits, random)
    return TreeSearch(engine, known, limits, random)


def varied(limits: Limits, random: Random) -> Limits:
    """The limits of one game: some more or less nodes, where nodes are what limits."""
    if limits.nodes is None:
        return limits
    return replace(limits, nodes=varied_nodes(limits.nodes, random))


def varied_nodes(nodes: int, random: Random) -> int:
    return max(1, round(nodes * random.uniform(_LEAST_EFFORT, _MOST_EFFORT)))


def thinking(engine: Engine, limits: Limits) -> Think:
    """Our engine: its pick first, then the other moves."""

    def think(board: chess.Board) -> Sequence[tuple[chess.Move, float | None]]:
        pick = engine.pick_move(board, limits, tells_lines=False)
        legal = list(board.legal_moves)
        # Where only some scores are known, random moves would agree with the other side's now and then.
        known = pick.candidates if len(pick.candidates) == len(legal) else pick.candidates[:1]
        scores = {each.move: each.score for each in known}
        return [*scores.items(), *((move, None) for move in legal if move not in scores)]

    return think


def _lines_after(games: int) -> int:
    """How many moves of a position are looked at when so many games came there before."""
    return min(_MOST_LINES, (games + 1).bit_length())
