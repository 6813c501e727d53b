"""The game loop: what ends a game, and what the record says of it."""

import chess
import pytest

from games.chess.openings import Opening
from games.chess.record import GameRecord
from heatmap_engine.classic.yardstick import HEAT_UNITS
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.players.game_loop import (
    Adjudication,
    Choice,
    Ends,
    PlayedMoves,
    eval_comment,
    play_game,
)

START = Opening("start", ())


class Scripted:
    """Plays the moves that it was given, and says the same score each time."""

    def __init__(self, moves: str, score: float | None = None) -> None:
        self._moves = iter(moves.split())
        self._score = score

    def choose(self, board: chess.Board) -> Choice:
        return Choice(board.parse_san(next(self._moves)), self._score, f"ply {len(board.move_stack)}")


class Shuffler:
    """Moves its knight out and back as long as one likes; of its scores the last one stays."""

    def __init__(self, *scores: float | None) -> None:
        self._scores = [*scores]
        self._moves = 0

    def choose(self, board: chess.Board) -> Choice:
        home, out = (chess.G1, chess.F3) if board.turn == chess.WHITE else (chess.G8, chess.F6)
        move = chess.Move(home, out) if board.piece_at(home) else chess.Move(out, home)
        score = self._scores[min(self._moves, len(self._scores) - 1)] if self._scores else None
        self._moves += 1
        return Choice(move, score)


def played(white: str, black: str, start: str | None = None, **ends: int) -> PlayedMoves:
    return play_game(Opening("line", (), start), Scripted(white), Scripted(black), Ends(**ends))


@pytest.mark.parametrize(
    ("start", "white", "black", "result", "termination"),
    [
        (None, "f3 g4", "e5 Qh4#", "0-1", "checkmate"),
        ("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7", "", "1/2-1/2", "stalemate"),
        ("8/8/8/8/8/5k2/6p1/6K1 w - - 0 1", "Kh2", "g1=N", "1/2-1/2", "insufficient material"),
        ("7k/8/8/8/8/8/8/KR6 w - - 98 90", "Rb2", "Kg8", "1/2-1/2", "fifty moves"),
    ],
)
def test_the_rules_end_a_game(
    start: str | None, white: str, black: str, result: str, termination: str
) -> None:
    game = played(white, black, start)
    assert (game.result, game.termination) == (result, termination)


def test_a_mate_on_the_last_ply_of_the_limit_is_a_mate() -> None:
    assert played("f3 g4", "e5 Qh4#", max_plies=4).termination == "checkmate"


def test_third_occurrence_is_noticed_with_the_moves_of_the_opening() -> None:
    moves = ("g1f3", "g8f6", "f3g1", "f6g8")
    game = play_game(Opening("out and back", moves), Shuffler(), Shuffler(), Ends())
    assert (game.result, game.termination) == ("1/2-1/2", "threefold repetition")
    assert (len(game.moves), len(game.choices)) == (8, 4)


def test_a_limit_of_plies_is_a_draw_that_says_nothing_about_the_position() -> None:
    game = play_game(START, Shuffler(), Shuffler(), Ends(max_plies=5))
    record = GameRecord(game.moves, game.result, game.termination)
    assert (len(record.moves), record.result, record.judges_position) == (5, "1/2-1/2", False)


def test_comments_stand_beside_the_moves_after_the_opening() -> None:
    opening = Opening("e4", ("e2e4",))
    game = play_game(opening, Scripted("Nf3"), Scripted("e5 Nc6"), Ends(max_plies=4))
    assert game.moves == ("e2e4", "e7e5", "g1f3", "b8c6")
    assert game.comments == ("", "ply 1", "ply 2", "ply 3")
    silent = play_game(opening, Shuffler(), Shuffler(), Ends(max_plies=1))
    assert (silent.choices, silent.comments) == ((), ())


@pytest.mark.parametrize(
    ("white", "black", "result", "plies"),
    [
        (Shuffler(250.0), Shuffler(200.0), "1-0", 4),
        (Shuffler(-250.0), Shuffler(-190.0), "0-1", 4),
        (Shuffler(0.0, 250.0), Shuffler(250.0), "1-0", 5),
        (Shuffler(1.0), Shuffler(-1.0), "1/2-1/2", 6),
        (Shuffler(250.0), Shuffler(100.0), "1/2-1/2", 8),  # the sides disagree: third occurrence
        (Shuffler(250.0), Shuffler(None), "1/2-1/2", 8),  # one side does not say
    ],
)
def test_adjudication_needs_both_sides_for_several_plies(
    white: Shuffler, black: Shuffler, result: str, plies: int
) -> None:
    rule = Adjudication(won_plies=4, drawn_plies=4, drawn_from_ply=6)
    game = play_game(START, white, black, Ends(adjudication=rule))
    assert (game.result, len(game.moves)) == (result, plies)
    assert game.termination == ("threefold repetition" if plies == 8 else "adjudication")
    assert GameRecord(game.moves, game.result, game.termination).judges_position


def test_senseless_limits_are_refused() -> None:
    with pytest.raises(InvalidSettings, match="max_plies must be an int of at least 1, got 0"):
        Ends(max_plies=0)
    with pytest.raises(InvalidSettings, match="after at least one ply, got 0 and 12"):
        Adjudication(won_plies=0)


@pytest.mark.parametrize(
    ("score", "comment"), [(0.0, "[%eval 0.00]"), (-0.001, "[%eval 0.00]"), (1e9, "[%eval 99.99]")]
)
def test_scores_are_pawns_in_a_comment(score: float, comment: str) -> None:
    assert eval_comment(HEAT_UNITS.centipawns(score)) == comment
