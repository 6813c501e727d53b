"""What games teach everywhere: from the journal alone, each game once, whoever played and however killed."""

from pathlib import Path

import chess
import numpy as np
import pytest
from selfplay_runs import created, go_on

import heatmap_engine as he
from games.chess.journal import LearnedGame, LearnedStep
from games.chess.openings import load_openings
from games.chess.record import GameRecord
from heatmap_engine.board.reading import pack
from heatmap_engine.classic import pattern_fit, pattern_learning
from heatmap_engine.classic.pattern_fit import Samples, fit
from heatmap_engine.classic.pattern_learning import PatternLearner, samples_of
from heatmap_engine.classic.patterns import NOTE, NUMBERS, patterns_of
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.kernel.classic.patterns import PATTERN_COUNT, PatternTable
from heatmap_engine.learning.forgetting import forget_game
from heatmap_engine.learning.rebuild import rebuild
from heatmap_engine.winning_chances import expected_points
from qtable import QTable

TRUE = {"1 pawn against none": 25.0, "1 knight against none": 60.0, "1 queen against none": 150.0}


def test_the_fit_finds_what_more_pieces_are_worth() -> None:
    """Positions of one piece more, with points drawn by what it is worth."""
    rng = np.random.default_rng(3)
    positions, points, names = [], [], []
    for _ in range(3000):
        name = str(rng.choice([*TRUE]))
        board = chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
        piece = chess.Piece.from_symbol({"p": "P", "k": "N", "q": "Q"}[name[2]])
        square = int(rng.integers(24, 48))
        board.set_piece_at(square, piece)
        board.turn = chess.WHITE if not board.was_into_check() else chess.BLACK
        if not board.is_valid():
            continue
        positions.append(pack(board))
        names.append(name)
        points.append(float(rng.random() < expected_points(he.score(board) + TRUE[name])))
    settings = ClassicSettings()
    samples = Samples.of(positions, points, settings.heat_depth, settings.weights.table)
    values = fit([samples], [1.0], np.zeros(PATTERN_COUNT))
    table = PatternTable(values)
    for name, worth in TRUE.items():
        sums = [table.sum(position) for position, of in zip(positions, names, strict=True) if of == name]
        assert np.mean(sums) == pytest.approx(worth, rel=0.25)
    assert values[NUMBERS["1 rook against none"]] == 0.0  # never seen


def test_half_as_much_counts_half() -> None:
    """Two lots that contradict each other: the one that counts more is believed more."""
    board = chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    won, lost = (
        Samples.of([pack(board)] * 200, [points] * 200, 0, ClassicSettings().weights.table)
        for points in (1.0, 0.0)
    )
    name = NUMBERS["1 pawn against none"]
    assert fit([lost, won], [0.5, 1.0], np.zeros(PATTERN_COUNT))[name] > 5
    assert fit([lost, won], [1.0, 0.5], np.zeros(PATTERN_COUNT))[name] < -5


def learned_game(*comments: str, values: tuple[float, ...] = (10.0, 20.0, 30.0)) -> LearnedGame:
    record = GameRecord(("e2e4", "e7e5", "g1f3"), result="1-0", termination="resignation", comments=comments)
    steps = [LearnedStep(None, value, None, "e2e4") for value in values]
    return LearnedGame(record, {}, steps=tuple(steps))


def test_positions_hear_of_the_result_and_a_little_of_their_own_value() -> None:
    found = samples_of(learned_game())
    expected = 1.0
    for (_, worth), value in zip(found, (30.0, 20.0, 10.0), strict=True):
        expected = 0.98 * expected + 0.02 * expected_points(value)
        assert worth == pytest.approx(expected)


def test_what_a_random_move_gave_away_is_given_back() -> None:
    """Black had 5 and gave away 15 at random: without that White had won less."""
    points = [expected_points(value) for value in (10.0, 5.0, 20.0)]
    found = samples_of(learned_game("+0.1", "random", "+0.2", values=(10.0, 5.0, 20.0)))
    after, at, before = (worth for _, worth in found)
    assert after == pytest.approx(0.98 + 0.02 * points[2])
    assert at == pytest.approx(0.98 * (after - (points[2] - points[1])) + 0.02 * points[1])
    assert before == pytest.approx(0.98 * at + 0.02 * points[0])


def test_before_a_random_move_that_gave_away_much_the_game_says_nothing() -> None:
    found = samples_of(learned_game("+0.1", "random", "+0.2", values=(10.0, -20.0, 90.0)))
    after, at, before = (worth for _, worth in found)
    assert at == pytest.approx(expected_points(-20.0))
    assert before == pytest.approx(0.98 * at + 0.02 * expected_points(10.0))
    assert after > 0.9


def test_older_games_count_longer_the_more_there_are() -> None:
    few, many = pattern_learning._shares(4), pattern_learning._shares(40)
    assert few == pytest.approx([1 / 8, 1 / 4, 1 / 2, 1])
    assert many[-11] == pytest.approx(0.5)  # a quarter of them ago
    assert many[0] == pytest.approx(1 / 16, rel=0.1)


def test_with_many_games_fewer_positions_of_each_are_kept(
    tmp_path: Path, few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it comes to them: a learner that has been there from the beginning, and one that begins."""
    folder = created(tmp_path, load_openings()[:20], games=15)
    go_on(folder)
    monkeypatch.setattr(pattern_learning, "_MOST_POSITIONS", 300)
    with QTable(tmp_path / "table") as table, QTable.in_memory(settings=table.settings) as growing:
        going_on = PatternLearner(growing)
        for line in table.journal():
            growing.record({}, [line])
            going_on.learn()
        growing.set_note(NOTE, None)
        going_on.learn()
        table.set_note(NOTE, None)
        beginning = PatternLearner(table)
        beginning.learn()
        first, second = patterns_of(growing), patterns_of(table)
        assert first is not None
        assert second is not None
        assert np.abs(first.values - second.values).max() < 1e-6
        kept = [(lot.step, len(lot.samples)) for lot in beginning._lots]
        assert kept == [(lot.step, len(lot.samples)) for lot in going_on._lots]
        assert kept[0][0] > kept[1][0] > 1
        assert sum(positions for _, positions in kept) <= 300


def test_the_order_in_which_games_end_changes_nothing(
    tmp_path: Path, few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some positions stand for all where there are many: which ones they were hung on their places."""
    folder = created(tmp_path, load_openings()[:20], games=12)
    go_on(folder)
    monkeypatch.setattr(pattern_learning, "_MOST_POSITIONS", 600)
    monkeypatch.setattr(pattern_fit, "_CURVING_POSITIONS", 150)
    with QTable(tmp_path / "table", readonly=True) as table:
        lines, settings = [*table.journal()], table.settings
    rounds = [
        lines[first : first + pattern_learning.ROUND]
        for first in range(0, len(lines), pattern_learning.ROUND)
    ]
    assert len(rounds) > 1
    found = []
    for games in (lines, [line for each in rounds for line in reversed(each)]):
        with QTable.in_memory(settings=settings) as learned:
            learned.record({}, games)
            PatternLearner(learned).learn()
            found.append(patterns_of(learned))
    one, other = found
    assert one is not None
    assert other is not None
    assert np.abs(one.values).max() > 1
    assert np.abs(one.values - other.values).max() < 1e-6


def test_every_second_position_stays_itself() -> None:
    boards = [
        chess.Board(),
        chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"),
        chess.Board("4k3/8/8/8/8/8/8/4KQ2 b - - 0 1"),
    ]
    settings = ClassicSettings()

    def samples(of: list[chess.Board]) -> Samples:
        points = [float(board.fullmove_number) for board in of]
        return Samples.of([*map(pack, of)], points, settings.heat_depth, settings.weights.table)

    third, alone = samples(boards * 3).every(2), samples([(boards * 3)[place] for place in range(0, 9, 2)])
    for part, same in zip(vars(third).values(), vars(alone).values(), strict=True):
        assert np.array_equal(part, same)


def test_a_move_that_was_not_played_teaches_what_the_walk_found_for_it() -> None:
    """Nf6 is no move of White, which says nothing; h6 and Ba6 are moves of the positions before them."""
    record = GameRecord(("e2e4", "e7e5", "g1f3"), result="1-0", termination="resignation")
    others = ("g1f6", "h7h6", "f1a6")
    steps = tuple(LearnedStep(None, 1.0, None, "e2e4", move, 55.0) for move in others)
    game = LearnedGame(record, {}, steps=steps)
    samples = samples_of(LearnedGame.from_line(game.to_line()))
    assert [worth for _, worth in samples[3:]] == pytest.approx([expected_points(55.0)] * 2)
    board = chess.Board()
    for move in ("e2e4", "h7h6"):
        board.push_uci(move)
    settings = ClassicSettings()
    expected, found = (
        Samples.of([position], [0.0], settings.heat_depth, settings.weights.table)
        for position in (pack(board), samples[4][0])
    )
    assert np.array_equal(expected.patterns, found.patterns)
    assert [worth for _, worth in samples[:3]] == [
        worth
        for _, worth in samples_of(LearnedGame(record, {}, steps=tuple(step[:4] for step in steps)))  # type: ignore[misc] # four items, as of old
    ]


def test_a_walk_says_what_another_move_is_worth(tmp_path: Path, few: None) -> None:
    go_on(created(tmp_path, load_openings()[:20], games=4))
    with QTable(tmp_path / "table") as table:
        games = [LearnedGame.from_line(line) for line in table.journal()]
    for game in games:
        board = game.record.board(check=False)
        for step in reversed(game.steps):
            played = board.pop()
            if board.legal_moves.count() > 1:
                assert step.other_move is not None
                assert board.is_legal(chess.Move.from_uci(step.other_move))
                assert step.other_move != played.uci()


def test_positions_in_check_are_left_out() -> None:
    record = GameRecord(("e2e4", "f7f6", "d1h5", "g7g6"), result="*")
    steps = tuple(LearnedStep(None, 1.0, None, "e2e4") for _ in range(4))
    assert len(samples_of(LearnedGame(record, {}, steps=steps))) == 3


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of six games, that a test can play."""
    monkeypatch.setattr(pattern_learning, "ROUND", 6)
    monkeypatch.setattr(pattern_learning, "_FEWEST_GAMES", 4)


def values(path: Path) -> tuple[int, np.ndarray]:
    with QTable(path, readonly=True) as table:
        found = patterns_of(table)
        assert found is not None
        return found.games, found.values


def test_a_run_learns_patterns_after_each_round_and_at_its_end(tmp_path: Path, few: None) -> None:
    folder = created(tmp_path, load_openings()[:20], games=15)
    go_on(folder)
    games, found = values(tmp_path / "table")
    assert games == 15
    assert np.abs(found).max() > 0.1
    with QTable(tmp_path / "table") as table:
        assert "patterns, learned from 15 games" in str(PatternLearner(table).described())
        # From the journal alone: whoever reads it comes to the same, up to where the fit began.
        before = table.note(NOTE)
        table.set_note(NOTE, None)
        PatternLearner(table).finish()
        assert table.note(NOTE) is not None
        again = patterns_of(table)
        assert again is not None
        assert np.abs(again.values - found).max() < 1.0
        assert before is not None


def test_a_learner_that_goes_on_learns_the_same_as_one_that_begins(tmp_path: Path, few: None) -> None:
    folder = created(tmp_path, load_openings()[:20], games=15)
    go_on(folder)
    with QTable(tmp_path / "table") as table:
        going_on = PatternLearner(table)
        lines = [*table.journal()]
        for line in lines[7:]:
            table.forget(line.id)
        table.set_note(NOTE, None)
        going_on.finish()
        table.record({}, lines[7:])
        table.set_note(NOTE, None)
        going_on.learn()
        first = patterns_of(table)
        table.set_note(NOTE, None)
        PatternLearner(table).learn()
        second = patterns_of(table)
    assert first is not None
    assert second is not None
    assert first.games == second.games == 15
    assert np.abs(first.values - second.values).max() < 1e-6


def test_forgotten_games_are_learned_no_more_and_rebuilt_ones_are(tmp_path: Path, few: None) -> None:
    go_on(created(tmp_path, load_openings()[:20], games=8))
    with QTable(tmp_path / "table") as table:
        line = next(iter(table.journal()))
        forget_game(table, LearnedGame.from_line(line))
        assert values(tmp_path / "table")[0] == 7
        table.set_note(NOTE, None)
        assert rebuild(table).is_finished
    assert values(tmp_path / "table")[0] == 7


def test_a_table_that_another_process_writes_is_taught_later(tmp_path: Path, few: None) -> None:
    """A batch of games ended where another program wrote at that moment."""
    go_on(created(tmp_path, load_openings()[:20], games=5))
    path = tmp_path / "table"
    with QTable(path, timeout_s=0) as table, QTable(path) as other:
        table.set_note(NOTE, None)
        with other.transaction():
            PatternLearner(table).finish()
        assert table.note(NOTE) is None
        PatternLearner(table).finish()
    assert values(path)[0] == 5


def test_with_few_games_nothing_is_taken_for_knowledge(tmp_path: Path) -> None:
    go_on(created(tmp_path, load_openings()[:20], games=3))
    with QTable(tmp_path / "table", readonly=True) as table:
        assert table.notes() == []


def test_workers_and_one_process_learn_from_the_same_journal(tmp_path: Path, few: None) -> None:
    """Two tables with the same games in other orders: the same games in a round, the same patterns."""
    go_on(created(tmp_path, load_openings()[:20], games=6))
    with QTable(tmp_path / "table") as one, QTable(tmp_path / "other", settings=one.settings) as other:
        other.record({}, reversed([*one.journal()]))
        for table in (one, other):
            table.set_note(NOTE, None)
            PatternLearner(table).finish()
    assert np.abs(values(tmp_path / "table")[1] - values(tmp_path / "other")[1]).max() < 1e-3
