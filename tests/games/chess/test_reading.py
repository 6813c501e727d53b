import bz2
import gzip
import logging
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from game_strategies import records
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.chess.errors import SkipReason, UnreadableFile
from games.chess.reading import PlayableGame, ResumePoint, SkippedGame, read_games
from games.chess.record import GameRecord

GAME = '[Event "a"]\n[White "{}"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'
THREE_GAMES = "".join(GAME.format(name) for name in ("one", "two", "three"))


def read(path: Path, text: str | bytes) -> list[PlayableGame | SkippedGame]:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with read_games(path, details=True) as games:
        return list(games)


def outcome(game: PlayableGame | SkippedGame) -> SkipReason | tuple[str, ...]:
    return game.record.moves if isinstance(game, PlayableGame) else game.reason


def names(games: list[PlayableGame | SkippedGame]) -> list[str]:
    return [game.record.white if isinstance(game, PlayableGame) else game.reason for game in games]


@given(games=st.lists(records(max_plies=20, min_plies=1), max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_games_come_back_as_they_were_written(tmp_path: Path, games: list[GameRecord]) -> None:
    found = read(tmp_path / "games.pgn", "".join(game.to_pgn() for game in games))
    assert [game.number for game in found] == list(range(1, len(games) + 1))
    assert [outcome(game) for game in found] == [game.moves for game in games]
    assert [game.record.settings for game in found if isinstance(game, PlayableGame)] == [
        game.settings for game in games
    ]


@given(data=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_garbage_stops_the_reader_or_the_game_behind_it(tmp_path: Path, data: bytes) -> None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd")):
        return
    games = read(tmp_path / "games.pgn", data + b"\n" + GAME.format("last").encode())
    assert names(games)[-1] == "last"
    assert [game.number for game in games] == list(range(1, len(games) + 1))


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("1. e4 e5 2. Ke3 1-0", SkipReason.BROKEN),
        ("1. e4 e5 2. -- Nc6 *", SkipReason.BROKEN),
        ("1. e4 Z0 *", SkipReason.BROKEN),
        ("1. e4 e5 ( 1... c5 ( 1... e6 ) *", SkipReason.BROKEN),
        ("1. e4 ) e5 *", SkipReason.BROKEN),
        ("1. e4 { never closed", SkipReason.BROKEN),
        ("1. e4 1-0 e5 0-1", SkipReason.BROKEN),
        ('[Event "x"]\n[Result "0-1"]\n\n1. e4 e5 1-0', SkipReason.BROKEN),
        ('[Event "x"]\n[Result "2-0"]\n\n1. e4 e5', SkipReason.BROKEN),
        ("1. f3 e5 2. g4 Qh4# 1-0", SkipReason.BROKEN),
        ('[Event "x"]\n[Result "1-0"]\n\n1-0', SkipReason.NO_MOVES),
        ('[Event "x"]\n', SkipReason.NO_MOVES),
        ('[Event "x"]\n[Variant "Atomic"]\n\n1. e4 *', SkipReason.VARIANT),
        ('[Event "x"]\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *', SkipReason.ILLEGAL_START),
        ('[Event "x"]\n[FEN "what"]\n\n1. e4 *', SkipReason.ILLEGAL_START),
        ("1. e4 e5 \0 *", SkipReason.ENCODING),
        ("1. e4 { " + "x" * (5 << 20) + " } *", SkipReason.TOO_LONG),
        ("1. e4 " + "( " * 50_000 + "e5", SkipReason.BROKEN),
        ("\x1b\x07\x7f\x01 garbage", SkipReason.BROKEN),
    ],
)
def test_a_game_that_cannot_be_played_is_skipped_with_its_reason(
    tmp_path: Path, game: str, reason: SkipReason
) -> None:
    games = read(tmp_path / "games.pgn", f"{THREE_GAMES}{game}\n\n{GAME.format('last')}")
    assert names(games) == ["one", "two", "three", reason, "last"]
    assert isinstance(games[3], SkippedGame)
    assert games[3].number == 4
    assert games[3].detail


@pytest.mark.parametrize(
    "movetext",
    [
        "1. e4 e5 2. Nf3 1-0",
        "1.e4 e5 2.Nf3 1-0",
        "e4 e5 Nf3 1-0",
        "1. e2e4 e7-e5 2. g1f3 1-0",
        "1. e4! $1 e5?! 2. Nf3!! $139 1-0",
        "1. e4 $" + "9" * 6000 + " e5 2. Nf3 1-0",
        "1. e4 { a ( b ; c } 1... e5 ; the rest ) }\n2. Nf3 1-0",
        "1. e4 e5 (1... c5 2. Nf3 (2. c3 {deep}) d6) 2. Nf3 (2. garbage Zx9) 1-0",
        "1. e4 " + "( 1. d4 " * 20_000 + ") " * 20_000 + "e5 2. Nf3 1-0",
        "1. e4 { " + "long " * 200_000 + " } e5 2. Nf3 1-0",
        "1. e4 " + "{x} " * 250_000 + "e5 2. Nf3 1-0",
        "1. e4\n% an escaped line {\ne5\n2. Nf3\n1-0",
        '1. e4 {blank\n\nlines [Site "no tag"]\n[Site "no tag"]\n} e5 2. Nf3 1-0',
        "1. e4 e5 2. Nf3",
    ],
)
def test_the_main_line_is_found_in_every_way_to_write_it(tmp_path: Path, movetext: str) -> None:
    games = read(
        tmp_path / "games.pgn", f'[Event "x"]\n[Result "1-0"]\n\n{movetext}\n\n{GAME.format("last")}'
    )
    assert [outcome(game) for game in games] == [("e2e4", "e7e5", "g1f3")] * 2
    assert all(isinstance(game, PlayableGame) and game.record.result == "1-0" for game in games)


def test_games_need_neither_headers_nor_blank_lines_between_them(tmp_path: Path) -> None:
    without_blank_lines = THREE_GAMES.replace("1-0\n\n[", "1-0\n[").replace("\n", "\r\n")
    assert names(read(tmp_path / "games.pgn", "\ufeff" + without_blank_lines)) == ["one", "two", "three"]
    assert len(read(tmp_path / "games.pgn", "1. e4 *\n\n\n1. d4 *")) == 2


def test_an_unclosed_comment_does_not_swallow_the_next_game(tmp_path: Path) -> None:
    games = read(tmp_path / "games.pgn", f'[Event "x"]\n\n1. e4 {{ oh\n\n{THREE_GAMES}')
    assert names(games) == [SkipReason.BROKEN, "one", "two", "three"]


def test_headers_are_utf_8_or_latin_1(tmp_path: Path) -> None:
    text = GAME.format("Müller") + GAME.format('a \\"b\\" \\\\')
    assert names(read(tmp_path / "games.pgn", text)) == ["Müller", 'a "b" \\']
    assert names(read(tmp_path / "games.pgn", text.encode("latin-1"))) == ["Müller", 'a "b" \\']


def test_utf_16_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="iconv"):
        read(tmp_path / "games.pgn", THREE_GAMES.encode("utf-16"))


def test_a_mated_board_gives_an_open_game_its_result(tmp_path: Path) -> None:
    (game,) = read(tmp_path / "games.pgn", "1. f3 e5 2. g4 Qh4# *")
    assert isinstance(game, PlayableGame)
    assert game.record.result == "0-1"


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "pgn": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": zstandard.compress,
}


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_compressed_files_are_read_and_counted(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"games.pgn.{suffix}"
    compress = COMPRESSORS[suffix]
    path.write_bytes(compress(THREE_GAMES.encode()) + compress(GAME.format("second part").encode()))
    with read_games(path) as games:
        assert games.bytes_total == path.stat().st_size
        assert names(list(games)) == ["one", "two", "three", "second part"]
        assert games.bytes_read == games.bytes_total


@pytest.mark.parametrize("suffix", ["gz", "bz2", "zst"])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_compressed_file_is_an_error(tmp_path: Path, suffix: str, damage: str) -> None:
    whole = COMPRESSORS[suffix](THREE_GAMES.encode())
    middle = len(whole) // 2
    path = tmp_path / f"games.pgn.{suffix}"
    path.write_bytes(whole[:-5] if damage == "cut" else whole[:5] + b"\xff" * (middle - 5) + whole[middle:])
    with read_games(path) as games, pytest.raises(UnreadableFile, match=r"games\.pgn\."):
        list(games)


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"nowhere\.pgn"):
        read_games(tmp_path / "nowhere.pgn")


@pytest.mark.parametrize("suffix", COMPRESSORS)
@pytest.mark.parametrize("with_offset", [True, False])
def test_reading_goes_on_where_it_stopped(tmp_path: Path, suffix: str, with_offset: bool) -> None:
    path = tmp_path / "games"
    text = THREE_GAMES + "1. e4 Ke5 *\n\n" + GAME.format("last")
    path.write_bytes(COMPRESSORS[suffix](text.encode()))
    with read_games(path) as games:
        whole = list(games)
    for done, game in enumerate(whole, 1):
        point = game.resume if with_offset else ResumePoint(game.number)
        with read_games(path, after=point) as games:
            assert list(games) == whole[done:]


def test_a_file_that_has_become_shorter_is_not_entered(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(THREE_GAMES)
    with (
        read_games(path, after=ResumePoint(9, 10_000)) as games,
        pytest.raises(UnreadableFile, match="changed"),
    ):
        list(games)


def test_standard_input_is_read_as_it_comes() -> None:
    code = (
        "from games.chess.reading import read_games\n"
        "with read_games('-') as games:\n"
        "    assert games.bytes_total is None\n"
        "    for game in games: print(game.number, game.record.white)\n"
    )
    for data in (THREE_GAMES.encode(), gzip.compress(THREE_GAMES.encode())):
        run = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=False)
        assert run.stdout.decode().splitlines() == ["1 one", "2 two", "3 three"]
        assert run.stderr == b""


def test_a_long_file_is_never_held_and_nothing_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.pgn.gz"
    broken_and_long = '[Event "x"]\n\n1. e4 Ke7 { ' + ("never closed " * 9 + "\n") * 90_000
    path.write_bytes(gzip.compress(broken_and_long.encode() + b"\n" + GAME.format("last").encode()))
    tracemalloc.start()
    try:
        with caplog.at_level(logging.DEBUG), read_games(path) as games:
            assert names(list(games)) == [SkipReason.TOO_LONG, "last"]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < len(broken_and_long)
    assert not caplog.records
    assert capfd.readouterr() == ("", "")
