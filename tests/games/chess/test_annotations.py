"""What annotators write: read from comments, and kept whole in a tree."""

import io
import logging

import pytest

from games.chess.annotations import Evaluation, as_pgn, evaluation_in, tree_of, words_in
from games.chess.errors import UnplayableGame
from games.chess.parsing import parse_game
from games.chess.splitting import RawGame, split_games

ANNOTATED = """\
[Event "Club \\"A\\" night"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]
[WhiteElo "1500"]

{ Played in the rain. } 1. e4 { [%clk 0:09:58] } 1... e5 $1 2. Qh5?! { too early }
( 2. Nf3 { better ( really ) }
2... Nc6 ( 2... Nf6 $5 3. Nxe5 ) 3. Bb5 ) 2... Ke7?? $19 3. Qxe5# 1-0
"""


def raw_of(text: str) -> RawGame:
    (raw,) = split_games(io.BytesIO(text.encode()))
    return raw


@pytest.mark.parametrize(
    ("comment", "evaluation", "words"),
    [
        ("[%eval 0.25]", Evaluation(25, None), ""),
        ("good [%eval -3.1,18] move", Evaluation(-310, None), "good move"),
        ("[%clk 0:01:00] [%eval #-4]", Evaluation(None, -4), ""),
        ("[%eval #2,99]", Evaluation(None, 2), ""),
        ("[%eval .5]", Evaluation(50, None), ""),
        ("[%eval 3]", Evaluation(300, None), ""),
        ("eval 0.25, he said", None, "eval 0.25, he said"),
        ("[%eval ]", None, ""),
        ("[%eval .]", None, ""),
        ("[%csl Ga1,Rb2][%eval x] here", None, "here"),
        ("", None, ""),
    ],
)
def test_evaluations_and_words_are_told_apart(
    comment: str, evaluation: Evaluation | None, words: str
) -> None:
    assert evaluation_in(comment) == evaluation
    assert words_in(comment) == words


def test_a_tree_keeps_all_that_a_person_wrote() -> None:
    game = tree_of(raw_of(ANNOTATED))
    again = tree_of(raw_of(as_pgn(game)))
    assert as_pgn(again) == as_pgn(game)
    assert dict(again.headers) == dict(game.headers)
    assert game.comment == "Played in the rain."
    moves = game.mainline_moves()
    assert [move.uci() for move in moves] == ["e2e4", "e7e5", "d1h5", "e8e7", "h5e5"]
    assert game.variations[0].variations[0].nags == {1}
    text = as_pgn(game)
    for written in (
        "better ( really )",
        "2... Nf6 $5 3. Nxe5",
        "[%clk 0:09:58]",
        "$19",
        'Club \\"A\\" night',
    ):
        assert written in " ".join(text.split())


def test_marks_are_read_with_the_game() -> None:
    record = parse_game(ANNOTATED, details=True)
    assert record.marks == ("", "!", "?!", "??", "")
    assert parse_game(ANNOTATED).marks == ()
    assert parse_game(record.to_pgn(), details=True).marks == record.marks
    assert type(record).from_game(tree_of(raw_of(ANNOTATED))).marks == record.marks


@pytest.mark.parametrize("mark", ["$0", "$7", "$", "$" + "1" * 5000, "!!!", "?!?"])
def test_a_mark_that_says_something_else_is_none(mark: str) -> None:
    assert parse_game(f"1. e4{mark} e5 *", details=True).marks == ()


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 ( 1... Ke7 ) *",
        "1. e4 $" + "1" * 5000 + " e5 *",
        "1. e4 Ke3 *",
        "1. e4 e5 ( 1... c5 *",
        "1. e4 " + "{a} " * 60_000 + "e5 *",
    ],
)
def test_a_game_of_which_something_would_be_lost_is_refused(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(UnplayableGame):
        tree_of(raw_of(text))
    assert not caplog.records
