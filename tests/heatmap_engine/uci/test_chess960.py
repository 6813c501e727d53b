"""Chess960 over UCI: castling as king takes rook, with the option only."""

from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import pytest
from uci_dialogue import HEATMAP_ENGINE_UCI, Dialogue, in_process, line_of, move_of, scored

from games.chess.journal import learned_games
from heatmap_engine.board.keys import key_of
from qtable import QTable

# Each side can castle to both sides; on one of them king and rook swap squares.
START = "1r3kr1/ppppppp1/8/8/8/8/PPPPPPP1/1R3KR1 w {} - 0 1"


@pytest.fixture(params=["deep", "classic"])
def gui(request: pytest.FixtureRequest) -> Iterator[Dialogue]:
    with in_process("<none>", f"Mode value {request.param}", "UCI_Chess960 value true") as dialogue:
        yield dialogue


@pytest.mark.parametrize("rights", ["KQkq", "GBgb"])
@pytest.mark.parametrize(
    ("moves", "placement"),
    [
        ("f1g1 f8g8", "1r3rk1/ppppppp1/8/8/8/8/PPPPPPP1/1R3RK1"),  # both swap squares with the rook
        ("f1b1 f8b8", "2kr2r1/ppppppp1/8/8/8/8/PPPPPPP1/2KR2R1"),
        ("f1g1 f8b8", "2kr2r1/ppppppp1/8/8/8/8/PPPPPPP1/1R3RK1"),
    ],
)
def test_king_takes_rook_is_castling(gui: Dialogue, rights: str, moves: str, placement: str) -> None:
    said = gui.ask(f"position fen {START.format(rights)} moves {moves}", "d")
    assert f"FEN {placement} w - - 2 2" in said


@pytest.mark.parametrize(
    ("fen", "castling"),
    [
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1"),
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1a1"),
        ("3k4/8/8/8/8/8/8/1R3K2 w Q - 0 1", "f1b1"),
        ("5k2/8/8/8/8/8/8/6KR w K - 0 1", "g1h1"),  # the king stays where it is
        ("3k4/8/8/8/8/8/8/RK6 w Q - 0 1", "b1a1"),
    ],
)
def test_castling_is_answered_as_king_takes_rook(gui: Dialogue, fen: str, castling: str) -> None:
    lines = gui.go(f"position fen {fen}", f"go depth 2 searchmoves {castling}")
    assert move_of(lines) == castling
    assert all(line_of(line)[0] == castling for line in scored(lines))


def test_a_step_and_castling_to_one_square_are_two_moves(gui: Dialogue) -> None:
    fen = "4k3/8/8/8/8/8/PPPPP1PP/4QK1R w K - 0 1"
    for move, placement in (("f1g1", "4Q1KR"), ("f1h1", "4QRK1")):
        assert move_of(gui.go(f"position fen {fen}", f"go depth 3 searchmoves {move}")) == move
        said = gui.ask(f"position fen {fen} moves {move}", "d")
        assert any(line.startswith(f"FEN 4k3/8/8/8/8/8/PPPPP1PP/{placement} b") for line in said)


def test_the_other_name_of_castling_is_understood_where_it_means_the_same(gui: Dialogue) -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert gui.ask(f"position fen {fen} moves e1g1 e8c8", "d") == gui.ask(
        f"position fen {fen} moves e1h1 e8a8", "d"
    )


def test_without_the_option_all_is_as_it_was() -> None:
    with in_process() as gui:
        said = gui.ask("position startpos moves e2e4", f"position fen {START.format('KQkq')}", "d")
        assert "setoption name UCI_Chess960 value true" in said[0]
        assert any("PPPP1PPP" in line for line in said), "the position before stays"
        fen = "3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1"
        assert move_of(gui.go(f"position fen {fen}", "go depth 2 searchmoves e1c1")) == "e1c1"
        assert "is not legal" in gui.ask("go depth 1 searchmoves e1a1")[0]
        gui.until("bestmove")


def test_the_option_may_come_after_the_position() -> None:
    with in_process() as gui:
        gui.send("position fen 3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", "setoption name UCI_Chess960 value true")
        assert move_of(gui.go("go depth 2 searchmoves e1a1")) == "e1a1"
        gui.send("setoption name UCI_Chess960 value false")
        assert move_of(gui.go("go depth 2 searchmoves e1c1")) == "e1c1"


def test_a_real_client_plays_and_castles_for_both_sides() -> None:
    """python-chess sets the option itself, by the board, and refuses moves that are not legal there."""
    castled = []
    with chess.engine.SimpleEngine.popen_uci([HEATMAP_ENGINE_UCI]) as engine:
        engine.configure({"QTable": "<none>"})
        for number in (12, 518, 700):
            board = chess.Board.from_chess960_pos(number)
            while board.ply() < 60 and not board.is_game_over():
                castling = [move for move in board.legal_moves if board.is_castling(move)] or None
                played = engine.play(
                    board, chess.engine.Limit(nodes=100), info=chess.engine.INFO_ALL, root_moves=castling
                )
                assert played.move is not None
                after = board.copy()
                for move in played.info["pv"]:
                    assert after.is_legal(move), after.fen()
                    after.push(move)
                if castling:
                    castled.append((number, board.turn))
                board.push(played.move)
    assert len(set(castled)) >= 4, "the positions must come to castling"


@pytest.mark.parametrize(
    ("position", "castling", "recorded", "start"),
    [
        # A game from the usual start that a GUI plays as Chess960 is a game of chess.
        ("startpos", "e1h1 e8h8", "e1g1 e8g8", None),
        (
            "fen rnbqkbrn/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBRN w GAga - 0 1",
            "e1g1 e8g8",
            "e1g1 e8g8",
            "rnbqkbrn/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBRN w KQkq - 0 1",
        ),
    ],
)
def test_a_game_is_learned_by_one_spelling(
    position: str, castling: str, recorded: str, start: str | None, tmp_path: Path
) -> None:
    before = ["e2e4", "e7e5", "f1c4", "f8c5", "d2d3", "d7d6"] + (["g1f3", "g8f6"] if start is None else [])
    with in_process(tmp_path / "table", "UCI_Chess960 value true") as gui:
        played: list[str] = []
        for move in [*before, *castling.split(), "c2c3", "c7c6"]:
            gui.go(f"position {position} moves {' '.join(played)}", "go depth 1")
            played.append(move)
        gui.ask("setoption name GameResult value 1/2-1/2")
    with QTable(tmp_path / "table") as table:
        [game] = [learned.record for learned in learned_games(table.journal())]
        assert recorded in " ".join(game.moves)
        assert game.start == start
        for board in (game.board().root(), game.board()):
            assert table.get(key_of(board)) is not None, board.fen()
