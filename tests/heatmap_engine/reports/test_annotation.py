"""A judged game: marks, accuracies and words follow from a search, and stay apart from a person's."""

import io
import re
from collections.abc import Callable, Mapping

import chess
import chess.pgn
import pytest

from games.chess.annotations import as_pgn
from heatmap_engine.board.candidate import Candidate
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.reports.annotated_pgn import write_into
from heatmap_engine.reports.annotation import (
    Annotation,
    Setting,
    accuracy_of,
    annotation_of,
    mark_of,
)
from heatmap_engine.reports.why import Verdict
from heatmap_engine.winning_chances import share_among_people

DEEP = mode_named("deep")
SCHOLARS_MATE = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0"


def tree(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return game


def setting(search: Callable[[chess.Board], Verdict]) -> Setting:
    return Setting(search, DEEP.breakdown(DEEP.settings(), None), DEEP.unit, "weights", None)


def scripted(values: Mapping[int, tuple[str, float]], mates: Mapping[int, int] = {}) -> Setting:
    """A search that knows the best line and the value, White minus Black, after so many plies.

    Where it knows none, the first legal move is worth nothing.
    """

    def search(board: chess.Board) -> Verdict:
        ply = len(board.move_stack)
        line, value = values.get(ply, ("", 0.0))
        after, moves = board.copy(), []
        for san in line.split() or [board.san(next(iter(board.legal_moves)))]:
            moves.append(after.push_san(san))
        candidate = Candidate(moves[0], value, tuple(moves), False, mates.get(ply))
        return Verdict(candidate=candidate, depth=8, nodes=1000)

    return setting(search)


def annotated(text: str, by: Setting) -> tuple[Annotation, chess.pgn.Game]:
    game = tree(text)
    annotation = annotation_of(game.end().board(), by)
    write_into(game, annotation, "9.9")
    return annotation, game


def comment_at(game: chess.pgn.Game, ply: int) -> str:
    return " ".join(list(game.mainline())[ply - 1].comment.split())


# Black's third move allows a mate in one.
BLUNDER = scripted(
    {
        0: ("e4", 20.0),
        1: ("e5", 20.0),
        2: ("Nf3", 25.0),
        3: ("Nc6", 20.0),
        4: ("Bc4 g6 Qf3", 15.0),
        5: ("g6 Qf3 Nf6", 10.0),
        6: ("Qxf7#", 30999.0),
    },
    mates={6: 1},
)


@pytest.mark.parametrize(
    ("centipawns", "share"),
    [(0, 0.5), (100, 0.626), (-100, 0.374), (500, 0.929), (715, 0.975), (9999, 0.975)],
)
def test_shares_of_people_follow_the_published_curve(centipawns: int, share: float) -> None:
    assert share_among_people(centipawns) == pytest.approx(share, abs=0.001)


@pytest.mark.parametrize(
    ("lost", "mark"),
    [(0.0, ""), (0.0499, ""), (0.05, "?!"), (0.0999, "?!"), (0.1, "?"), (0.15, "??"), (1.0, "??")],
)
def test_marks_go_by_the_share_of_the_points_that_is_lost(lost: float, mark: str) -> None:
    assert mark_of(lost) == mark


@pytest.mark.parametrize(("lost", "accuracy"), [(0.0, 100.0), (0.05, 79.8), (0.15, 50.5), (0.9, 0.0)])
def test_accuracy_follows_the_published_formula(lost: float, accuracy: float) -> None:
    assert accuracy_of(lost) == pytest.approx(accuracy, abs=0.1)


def test_a_blunder_gets_its_mark_its_words_and_the_better_line() -> None:
    annotation, game = annotated(SCHOLARS_MATE, BLUNDER)
    assert [move.mark for move in annotation.moves] == ["", "", "", "", "", "??", ""]
    assert list(game.mainline())[5].nags == {4}
    words = comment_at(game, 6)
    assert words == (
        "[%eval #1] Blunder: Black's chances fall from 49 % to 2 %. White mates in 1: 4. Qxf7#. "
        "Better is 3...g6."
    )
    better = list(game.mainline())[4].variations[1]
    assert [move.uci() for move in better.mainline_moves()] == ["h5f3", "g8f6"]
    assert better.comment == "[%eval 0.10]"


def test_every_move_but_a_mate_is_evaluated() -> None:
    _, game = annotated(SCHOLARS_MATE, BLUNDER)
    evals = [node.eval() for node in game.mainline()]
    assert [score and score.white().score(mate_score=1000) for score in evals] == [
        20,
        25,
        20,
        15,
        10,
        999,
        None,
    ]


def test_the_search_s_own_move_is_never_a_mistake() -> None:
    """A search of the next position may see more, but nobody found a better move."""
    fallen = scripted({0: ("e4", 100.0), 1: ("e5", -300.0)})
    annotation, _ = annotated("1. e4 *", fallen)
    assert annotation.moves[0].lost > 0.15
    assert annotation.moves[0].mark == ""


def test_lost_pieces_and_what_they_cost_are_named() -> None:
    _, game = annotated("1. d4 Nf6 2. Bg5 *", scripted({2: ("c4 e6", 30.0), 3: ("h6 Bh4", 25.0)}))
    assert comment_at(game, 3) == "[%eval 0.25]"
    _, game = annotated(
        '[FEN "4k3/pp6/5n2/8/8/8/PP6/3QK3 w - - 0 1"]\n[SetUp "1"]\n\n1. Qg4 *',
        scripted({0: ("Qd4 Kf7", 600.0), 1: ("Nxg4 Kd2", -350.0)}),
    )
    words = comment_at(game, 1)
    assert (
        "Blunder: White's chances fall from 96 % to 14 %. After 1...Nxg4 2. Kd2 White loses a queen." in words
    )
    assert "differs in White's pieces" not in words  # the queen is named before
    assert words.endswith("Better is 1. Qd4.")


def test_what_a_quiet_mistake_costs_is_named() -> None:
    _, game = annotated("1. a3 *", scripted({0: ("e4 a6 Nf3 h6 Bc4", 50.0), 1: ("e5 h3 d5 a4 Nf6", -100.0)}))
    words = comment_at(game, 1)
    assert "fall from 56 % to 37 %. The game may go 1...e5 2. h3 d5 3. a4 Nf6." in words
    assert re.search(r" The better line also differs in (White|Black)'s [\w' ]+\. Better is 1\. e4\.$", words)


def test_a_missed_mate_and_a_stalemate_are_said() -> None:
    _, game = annotated(
        '[FEN "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"]\n[SetUp "1"]\n\n1. Qf7 1/2-1/2',
        scripted({0: ("Qf8#", 30999.0)}, mates={0: 1}),
    )
    words = comment_at(game, 1)
    assert "White could have mated in 1. The game is drawn: stalemate. Better is 1. Qf8#." in words
    assert words.startswith("[%eval 0.00]")


PERSONAL = """\
[White "Ann"]
[Black "Bob"]
[Annotator "Ann"]
[Opening "My opening"]

{ Rain. } 1. e4 { [%clk 0:10:00] best by test } ( 1. d4 $5 { also } ) 1... e5 { [%eval 9.99,20] } 2. Qh5 $1
Nc6 3. Bc4 Nf6 { oh [%eval 1] no } ( 3... g6 { of course } 4. Qf3 ) 4. Qxf7# 1-0
"""


def test_what_a_person_wrote_stays() -> None:
    _, game = annotated(PERSONAL, BLUNDER)
    assert game.comment == "Rain."
    assert comment_at(game, 1) == "[%clk 0:10:00] best by test [%eval 0.20]"
    assert comment_at(game, 2) == "[%eval 0.25]"
    assert comment_at(game, 6).startswith("oh no [%eval #1] Blunder: ")
    nodes = list(game.mainline())
    assert game.variations[1].comment == "also"
    assert game.variations[1].nags == {5}
    assert nodes[2].nags == {1}
    assert [node.comment for node in nodes[4].variations[1:]] == ["of course"]  # not a second line with g6
    headers = game.headers
    assert (headers["Annotator"], headers["Opening"]) == ("Ann", "My opening")
    assert headers["ECO"] == "C23"


def test_a_person_s_mark_stands() -> None:
    _, game = annotated(SCHOLARS_MATE.replace("Nf6", "Nf6!?"), BLUNDER)
    assert list(game.mainline())[5].nags == {5}


def test_annotating_again_changes_nothing() -> None:
    for text in (SCHOLARS_MATE, PERSONAL):
        _, game = annotated(text, BLUNDER)
        once = as_pgn(game)
        _, again = annotated(once, BLUNDER)
        assert as_pgn(again) == once


def test_annotating_again_takes_back_what_is_no_mistake_any_more() -> None:
    _, game = annotated(SCHOLARS_MATE, BLUNDER)
    patient = scripted(dict.fromkeys(range(7), ("", 0.0)))
    _, again = annotated(as_pgn(game), patient)
    assert all(not node.nags and len(node.variations) < 2 for node in again.mainline())
    assert "Better is" not in as_pgn(again)


def test_words_that_a_person_added_to_ours_stay_with_their_line() -> None:
    _, game = annotated(SCHOLARS_MATE, BLUNDER)
    nodes = list(game.mainline())
    nodes[5].comment += " I was tired."
    nodes[4].variations[1].comment += " I saw this."
    _, again = annotated(as_pgn(game), scripted({}))
    assert comment_at(again, 6).startswith("I was tired.")
    assert "I saw this." in as_pgn(again)


def test_accuracy_is_of_the_whole_game() -> None:
    annotation, game = annotated(SCHOLARS_MATE, BLUNDER)
    white, black = (annotation.accuracy[color] for color in chess.COLORS)
    assert white == pytest.approx(98.8, abs=0.6)
    assert black is not None
    assert 15 < black < 30
    assert game.headers["WhiteAccuracy"] == f"{white:.0f}"
    assert annotation.marks(chess.BLACK) == {"?!": 0, "?": 0, "??": 1}


def test_a_game_that_is_broken_off_has_its_last_moves_and_no_accuracy() -> None:
    game = tree(SCHOLARS_MATE)
    annotation = annotation_of(game.end().board(), BLUNDER, lambda done: done < 3)
    write_into(game, annotation, "9.9")
    assert [move.ply for move in annotation.moves] == [5, 6, 7]
    assert not annotation.is_whole
    assert "WhiteAccuracy" not in game.headers
    assert [bool(node.comment) for node in game.mainline()] == [False] * 4 + [True, True, False]


def test_a_game_without_moves_is_judged_without_a_search() -> None:
    def never(board: chess.Board) -> Verdict:
        raise AssertionError(board.fen())

    annotation = annotation_of(chess.Board(), setting(never))
    assert (annotation.moves, annotation.is_whole) == ((), True)
