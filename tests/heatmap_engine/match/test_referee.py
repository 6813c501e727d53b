"""Games of a match: clocks outside of the engines, and engines that do wrong lose their game only."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import which

import pytest
from endgame_tables import SYZYGY
from match_sides import ours, plan, scripted, scripted_xboard
from uci_dialogue import HEATMAP_ENGINE_UCI

from games.chess.openings import Opening, chess960_starts
from games.chess.record import GameRecord
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.errors import InvalidSettings, MatchError
from heatmap_engine.match.plan import MatchPlan
from heatmap_engine.match.playing import require_playable
from heatmap_engine.match.referee import Referee
from heatmap_engine.match.standing import MatchStanding
from heatmap_engine.players.game_loop import Ends
from heatmap_engine.players.pace import Pace, TimeControl
from heatmap_engine.players.sides import OurSide, UciSide, XboardSide, side_as_json, side_of_json
from qtable import Entry, QTable
from qtable.errors import TableMissing


@contextmanager
def playing(the_plan: MatchPlan) -> Iterator[Referee]:
    referee = Referee(the_plan)
    try:
        yield referee
    finally:
        referee.close()


def games(the_plan: MatchPlan) -> list[GameRecord]:
    with playing(the_plan) as referee:
        return [referee(the_plan.game(number)) for number in range(the_plan.games)]


def own_moves(record: GameRecord, opening_plies: int) -> int:
    return len(record.moves) - opening_plies


@pytest.mark.parametrize(
    ("fault", "termination"),
    [
        ("crash", "abandoned: the engine's process ended"),
        ("illegal", "rules infraction: illegal move"),
        ("nonsense", "rules infraction: illegal move"),
        ("nothing", "rules infraction: no move"),
        ("null", "rules infraction: no move"),  # ended the match, and each --resume of it
        ("say:bestmove NULL", "rules infraction: no move"),
        ("say:bestmove", "rules infraction: no move"),
        ("say:bestmove --", "rules infraction: illegal move"),
        ("say:bestmove resign", "rules infraction: illegal move"),
    ],
)
def test_engine_that_does_wrong_loses_the_game_and_plays_the_next(fault: str, termination: str) -> None:
    the_plan = plan(scripted(fault, 3), ours("ours"), 4)
    found = games(the_plan)
    assert [record.result for record in found] == ["0-1", "1-0", "0-1", "1-0"]
    for number, record in enumerate(found):
        assert record.termination == termination
        assert not record.judges_position
        opening = the_plan.game(number).opening
        # Two good moves of the engine were played before the third went wrong.
        assert record.moves[: len(opening.moves)] == opening.moves
        theirs = [
            ply for ply in range(len(opening.moves), len(record.moves)) if (ply % 2 == 0) == (number % 2 == 0)
        ]
        assert len(theirs) == 2


def test_score_beyond_all_bounds_is_written_as_a_large_one() -> None:
    """A score that is no float, or a PGN comment of 400 digits: it ended the match."""
    for score in ("score cp " + "9" * 400, "score cp -" + "9" * 400, "score mate " + "9" * 400):
        the_plan = plan(scripted(f"info:info {score}"), ours("ours"))
        with playing(the_plan) as referee:
            (found,) = {comment for comment in referee(the_plan.game(0)).comments if "0000" in comment}
            assert found.strip("[]") in ("%eval 10000.00", "%eval -10000.00")


def test_engines_are_asked_to_quit_and_have_time_to_save(tmp_path: Path) -> None:
    """They were killed, which cost our own engine the last game of each process."""
    notes = tmp_path / "notes"
    for engine in (scripted, scripted_xboard):
        games(plan(engine("none", 1, None, str(notes)), ours("ours")))
    assert notes.read_text() == "quit\n" * 2


def test_engine_that_does_not_quit_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heatmap_engine.players.external_mover._QUIT_S", 0.1)
    notes = tmp_path / "notes"
    games(plan(scripted("none", 1, None, str(notes)), ours("ours")))
    assert not notes.exists()


def test_engine_that_oversleeps_its_clock_loses_on_time() -> None:
    clock = Pace(TimeControl(0.5))
    found = games(plan(scripted("sleep", 2, clock), ours("ours"), margin_ms=0.0))
    assert [(record.result, record.termination) for record in found] == [
        ("0-1", "time forfeit"),
        ("1-0", "time forfeit"),
    ]


def test_engine_that_sleeps_within_its_clock_or_margin_plays_on() -> None:
    for pace, margin in ((Pace(TimeControl(60.0)), 0.0), (Pace(TimeControl(0.5)), 30_000.0)):
        the_plan = plan(scripted("sleep", 2, pace), ours("ours"), margin_ms=margin)
        with playing(the_plan) as referee:
            assert referee(the_plan.game(0)).termination != "time forfeit"


def test_engine_that_hangs_is_ended_and_loses_on_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heatmap_engine.players.external_mover._LATE_S", 0.5)
    found = games(plan(scripted("hang", 2, Pace(move_ms=10)), ours("ours")))
    assert {record.termination for record in found} == {"time forfeit"}
    assert [record.result for record in found] == ["0-1", "1-0"]


@pytest.mark.parametrize(
    ("fault", "termination"),
    [
        ("crash", "abandoned: the engine's process ended"),
        ("illegal", "rules infraction: illegal move"),
        ("null", "rules infraction: no move"),
        ("say:move --", "rules infraction: no move"),
        ("say:move pass", "rules infraction: illegal move"),
        ("say:move (none)", "rules infraction: illegal move"),
        ("say:1/2-1/2 {we agree}", "rules infraction: no move"),
        ("resign", "resignation"),
        ("say:0-1 {White resigns}", "resignation"),
    ],
)
def test_xboard_engine_that_does_wrong_or_resigns_loses_its_game_only(fault: str, termination: str) -> None:
    found = games(plan(scripted_xboard(fault, 3), ours("ours"), 4))
    assert [record.result for record in found] == ["0-1", "1-0", "0-1", "1-0"]
    assert {record.termination for record in found} == {termination}
    for record in found:
        # What it thought of its own moves is turned to White's view.
        sign = "" if record.white == "scripted" else "-"
        assert record.comments[-2] == f"[%eval {sign}0.13]"


def test_xboard_engine_that_oversleeps_its_clock_loses_on_time() -> None:
    found = games(plan(scripted_xboard("sleep", 2, Pace(TimeControl(0.5))), ours("ours"), margin_ms=0.0))
    assert [(record.result, record.termination) for record in found] == [
        ("0-1", "time forfeit"),
        ("1-0", "time forfeit"),
    ]


@pytest.mark.parametrize(
    ("program", "side"),
    [
        (
            "phalanx",
            XboardSide(
                "old", ("phalanx", "-b", "-", "-l", "-"), {"memory": "16"}, Pace(TimeControl(1.0, 0.05))
            ),
        ),
        (
            "gnuchess",
            UciSide("old", ("gnuchess", "--uci"), {"OwnBook": "false"}, Pace(TimeControl(1.0, 0.05))),
        ),
    ],
)
def test_engines_of_debian_play_a_pair_by_the_rules(program: str, side: UciSide) -> None:
    if which(program) is None:
        pytest.skip(f"{program} is not on the PATH; apt-get install {program}, and add /usr/games to it")
    for record in games(plan(side, ours("ours"), margin_ms=20_000.0)):
        assert not record.termination.startswith(("abandoned", "rules", "stalled"))
        assert {record.white, record.black} == {"old", "ours"}


def test_xboard_side_comes_back_from_json_and_refuses_what_it_cannot_be_told() -> None:
    side = scripted_xboard("none", pace=Pace(TimeControl(8.0, 0.08)))
    assert side_of_json(side_as_json(side)) == side
    assert type(side_of_json(side_as_json(side))) is XboardSide
    with pytest.raises(InvalidSettings, match="no limit of nodes"):
        XboardSide("x", ("x",), pace=Pace(nodes=5))
    with pytest.raises(InvalidSettings, match="counts the opening's"):
        XboardSide("x", ("x",), pace=Pace(TimeControl(60.0, moves=40)))


def test_our_uci_process_and_our_engine_play_whole_games() -> None:
    engine = UciSide(
        "process",
        (str(HEATMAP_ENGINE_UCI),),
        {"QTable": "<none>", "TacticalPlies": "0"},
        Pace(plies=1),
    )
    for record in games(plan(engine, ours("ours"))):
        assert record.termination
        assert {record.white, record.black} == {"process", "ours"}
        assert all("[%eval" in comment for comment in record.comments[-2:])


def test_our_engine_keeps_its_clock() -> None:
    clock = Pace(TimeControl(5.0, 0.01))
    found = games(plan(ours("one", pace=clock), ours("other", pace=Pace(move_ms=20)), margin_ms=1000.0))
    assert not any("time" in record.termination for record in found)


def test_frozen_table_is_read_and_stays_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "frozen.table"
    the_plan = plan(ours("learned", table=path), ours("untrained"))
    opening = the_plan.game(0).opening.board()
    from heatmap_engine.board.keys import key_of
    from heatmap_engine.memory.tables import open_table

    with open_table(path, the_plan.first.settings) as table:  # type: ignore[union-attr] # it is ours
        for move in sorted(opening.legal_moves, key=str)[:1]:
            opening.push(move)
            table.record({key_of(opening): Entry(-500.0, depth=1, source="search")})
    before = path.read_bytes()
    records = games(the_plan)
    assert path.read_bytes() == before
    played = records[0].moves[len(the_plan.game(0).opening.moves)]
    board = the_plan.game(0).opening.board()
    # The move that the table praises, for the side that has the table (if it is its turn).
    assert (played == min(move.uci() for move in board.legal_moves)) == (board.turn is True)
    with QTable(path, readonly=True) as table:
        assert len(table) == 1


def test_table_that_somebody_writes_to_meanwhile_is_named(tmp_path: Path) -> None:
    from heatmap_engine.memory.tables import open_table

    path = tmp_path / "busy.table"
    the_plan = plan(ours("learned", table=path), ours("untrained"), 4)
    standing = MatchStanding(the_plan)
    with open_table(path, ClassicSettings(1, 0)) as writer, playing(the_plan) as referee:
        for number in range(4):
            assert "table" not in " ".join(standing.warnings())
            standing.add(number, referee(the_plan.game(number)))
            if number == 2:
                writer.record({"a key": Entry(1.0)})
    (warning,) = (found for found in standing.warnings() if "distinct" not in found)
    assert "wrote to the table of learned while the match was played: its games are those of 2" in warning


def test_same_seed_same_games_and_another_seed_other_openings() -> None:
    def moves(seed: int) -> list[tuple[str, ...]]:
        return [record.moves for record in games(plan(ours("a"), ours("b"), 4, seed=seed))]

    assert moves(7) == moves(7)
    assert moves(7) != moves(8)


def test_sides_that_cannot_play_are_named_before_the_match(tmp_path: Path) -> None:
    with pytest.raises(TableMissing):
        require_playable(ours("gone", table=tmp_path / "gone.table"))
    with pytest.raises(MatchError, match="cannot be started"):
        require_playable(UciSide("no", (str(tmp_path / "no-such-engine"),), pace=Pace(plies=1)))
    wrong_option = UciSide("x", scripted("none").command, {"Stile": "3"}, Pace(plies=1))
    with pytest.raises(MatchError, match="Stile"):
        require_playable(wrong_option)
    right_option = UciSide("x", scripted("none").command, {"Style": "5"}, Pace(plies=1))
    require_playable(right_option)
    with pytest.raises(MatchError, match=r"expected an xboard engine .*Stile"):
        require_playable(XboardSide("x", scripted("none").command, {"Stile": "3"}, Pace(plies=1)))
    require_playable(scripted_xboard("none"))


def test_an_engine_that_does_not_play_chess960_is_named_before_it_loses_every_game() -> None:
    the_plan = plan(scripted("none"), ours("ours"), lines=chess960_starts()[:2])
    assert the_plan.is_chess960
    assert not plan(scripted("none"), ours("ours")).is_chess960
    for side in (scripted("none"), scripted_xboard("none")):
        with pytest.raises(MatchError, match="engine that plays Chess960"):
            require_playable(side, chess960=True)
    require_playable(UciSide("ours", (str(HEATMAP_ENGINE_UCI),), pace=Pace(plies=1)), chess960=True)


def test_a_match_of_chess960_with_an_engine_over_uci() -> None:
    lines = tuple(chess960_starts()[:1])
    uci = UciSide("uci", (str(HEATMAP_ENGINE_UCI),), {"QTable": "<none>"}, Pace(nodes=20))
    for record in games(plan(uci, ours("ours"), lines=lines)):
        assert record.start == lines[0].start
        assert record.board().chess960
        assert "rules" not in record.termination


def test_mute_engine_is_named_before_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heatmap_engine.players.protocols.READY_S", 0.5)
    with pytest.raises(MatchError, match=r"got no answer in 0\.5 s"):
        require_playable(scripted("mute"))
    with pytest.raises(MatchError, match="expected an xboard engine"):
        require_playable(scripted_xboard("mute"))


# Endgame tables


def test_endgame_tables_end_a_game_as_soon_as_they_know_its_result() -> None:
    """Whoever takes the rook is left with one against a king, which is a win that nobody has to play."""
    rooks = "8/8/8/4k2r/8/3K4/8/7R"
    either_hangs = tuple(Opening(turn, (), f"{rooks} {turn} - - 0 1") for turn in "wb")
    side = OurSide("deep", pace=Pace(nodes=500))
    found = games(
        plan(side, replace(side, name="same"), 4, lines=either_hangs, ends=Ends(syzygy=str(SYZYGY)))
    )
    assert sorted((record.moves, record.result) for record in found) == [
        (("h1h5",), "1-0"),
        (("h1h5",), "1-0"),
        (("h5h1",), "0-1"),
        (("h5h1",), "0-1"),
    ]
    assert {record.termination for record in found} == {"adjudication: endgame tables"}
    assert all(record.judges_position for record in found)


def test_whoever_asks_again_is_not_played_without_the_tables_that_are_missing() -> None:
    """They were missed once, and then the games went on without them."""
    the_plan = plan(ours("one"), ours("other"), ends=Ends(syzygy="/nowhere"))
    with playing(the_plan) as referee:
        for _ in range(2):
            with pytest.raises(InvalidSettings, match="expected folders with Syzygy tables"):
                referee(the_plan.game(0))


def test_a_plan_without_endgame_tables_is_read_as_ever() -> None:
    the_plan = plan(ours("one"), ours("other"), ends=Ends(syzygy="/a"))
    data = the_plan.to_json()
    assert MatchPlan.of_json(data, the_plan.lines).ends == Ends(syzygy="/a")
    data = the_plan.to_json()
    del data["ends"]["syzygy"]
    assert MatchPlan.of_json(data, the_plan.lines).ends == Ends()
