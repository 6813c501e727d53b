"""Q-learning: steps as arithmetic says, and runs that learn, stop, are killed and go on."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from process_groups import wait_until

from games.evolution_folder import EvolutionFolder, EvolutionSettings
from games.evolution_run import EvolutionRun
from games.tetris.errors import InvalidRun, InvalidSettings
from games.tetris.evolving import as_weights, game_settings, survive
from games.tetris.game import Game
from games.tetris.learning import Learner
from games.tetris.network import Network
from games.tetris.network_file import load_network, new_network
from games.tetris.playing import Setting
from games.tetris.q_learning import QFolder, QRun, Round
from games.tetris.q_settings import QSettings, centre_of
from games.tetris.rules import Rules
from games.tetris.weights import NAMES, known_weights, parse_weights
from heatmap_engine.workers.local import SameProcess

STEP = {
    "memory": 1000,
    "reward": [0.0] * len(NAMES),
    "deep": False,
    "reward_base": 0.0,
    "death": -20.0,
    "discount": 0.5,
    "step": 1e-3,
    "l2": 0.0,
    "batch": 1,
    "recent_share": 0.8,
    "recent": 100,
    "most_error": 10.0,
    "most_target": 100.0,
    "most_gradient": 1e9,
}


def learner_of(network: Network, **changes: Any) -> Learner:
    return Learner(network, **{**STEP, **changes})


def inputs_of(seed: int) -> "np.typing.NDArray[np.float32]":
    return np.random.default_rng(seed).random(29).astype(np.float32)


def gradient_of(network: Network, inputs: Any, error: float) -> dict[str, Any]:
    """What a value's error says of each number, by arithmetic."""
    arrays = network.arrays
    sums = inputs @ arrays["first"] + arrays["first_bias"]
    back = error * arrays["second"] * (sums > 0)
    return {
        "first": np.outer(inputs, back),
        "first_bias": back,
        "second": error * np.maximum(sums, 0),
        "second_bias": error,
    }


@pytest.mark.parametrize(
    ("reward", "is_end", "changes"),
    [
        (1.5, False, {}),
        (1.5, True, {}),
        (1.5, False, {"discount": 0.0}),
        (400.0, False, {"most_error": 1e9}),  # the target is cut off at 100
        (-50.0, False, {}),  # the error is cut off at 10
        (1.5, False, {"most_gradient": 0.01}),
        (1.5, False, {"l2": 0.1}),
    ],
)
def test_a_step_is_adams_along_the_gradient(reward: float, is_end: bool, changes: dict[str, Any]) -> None:
    network, after = new_network(10, 1), new_network(10, 1)
    one, following, rates = inputs_of(1), inputs_of(2), {**STEP, **changes}
    before = network.arrays
    target = reward + (rates["death"] if is_end else rates["discount"] * network.value(following))
    error = network.value(one) - np.clip(target, -100, 100)
    gradient = gradient_of(network, one, float(np.clip(error, -rates["most_error"], rates["most_error"])))
    length = np.sqrt(sum(float((np.asarray(part) ** 2).sum()) for part in gradient.values()))
    shorter = min(1.0, rates["most_gradient"] / length)
    assert learner_of(after, **changes).learn([(one, following, reward, is_end)]) == pytest.approx(
        abs(error), rel=1e-4
    )
    for name, numbers in after.arrays.items():
        part = shorter * np.asarray(gradient[name]) + rates["l2"] * np.asarray(before[name])
        # Adam's first step is as long as `step` wherever there is a gradient at all.
        expected = np.asarray(before[name]) - rates["step"] * part / (np.abs(part) + 1e-8 / np.sqrt(0.001))
        assert np.asarray(numbers) == pytest.approx(expected, abs=2e-6), name


def test_learning_the_same_again_and_again_comes_to_the_target() -> None:
    network = new_network(10, 1)
    learner = learner_of(network, step=1e-2)
    for _ in range(300):
        learner.learn([(inputs_of(1), inputs_of(2), -3.0, True), (inputs_of(3), inputs_of(2), 5.0, True)])
    assert network.value(inputs_of(1)) == pytest.approx(-23.0, abs=0.3)
    assert network.value(inputs_of(3)) == pytest.approx(-15.0, abs=0.3)


def test_a_round_depends_on_its_seed_alone() -> None:
    found = []
    for seed in (1, 1, 2):
        network = new_network(10, 1)
        outcome = learner_of(network, batch=8).play_round(
            Game(Rules(10, 12), "uniform", 0), seed, 3000, 0.2, 100, 500, 4
        )
        found.append((outcome, network.arrays["first"].tolist()))
        assert outcome["explored"] == pytest.approx(600, abs=80)
        assert outcome["games"] >= outcome["deaths"] > 0
    assert found[0] == found[1] != found[2]


def settings(**changes: Any) -> QSettings:
    quick = {
        "height": 10,
        "rounds": 4,
        "round_pieces": 3000,
        "look_every": 2,
        "look_games": 4,
        "look_lines": 200,
        "memory": 2000,
        "recent": 1000,
        "seed": 3,
        "base": 8.0,
        "reward": dict(known_weights("outline").values),
    }
    return QSettings(**{**quick, **changes})


def go_on(folder: QFolder, **hearers: Any) -> QRun:
    with folder.locked():
        run = QRun(folder)
        run.go_on(**hearers)
    return run


def result(folder: QFolder) -> list[object]:
    """What a run has come to, without how long it took."""
    rounds = [(one.number, one.error, one.games, one.lines, one.look) for one in folder.rounds()]
    networks = [load_network(folder.network_path(number)).arrays["first"].tolist() for number in (2, 4)]
    return [rounds, networks, load_network(folder.best_path).arrays["second"].tolist()]


def test_a_network_learns_to_survive_longer(tmp_path: Path) -> None:
    folder = QFolder.create(
        tmp_path / "run", settings(height=20, rounds=4, round_pieces=40_000, look_every=1, look_lines=5000)
    )
    go_on(folder)
    looks = [one.look.lines / one.look.games for one in folder.rounds() if one.look]
    assert looks[-1] > 100
    assert folder.rounds()[-1].error < folder.rounds()[0].error
    best = load_network(folder.best_path)
    assert best.provenance["look"]["lines"] == max(one.look.lines for one in folder.rounds() if one.look)


def test_a_run_that_is_stopped_or_killed_comes_to_the_same(tmp_path: Path) -> None:
    """Killed for real in the middle of rounds, and stopped between two."""
    whole, broken = (QFolder.create(tmp_path / name, settings()) for name in ("whole", "broken"))
    go_on(whole)
    heard: list[Round] = []
    assert go_on(broken, when_done=heard.append, should_stop=lambda: bool(heard)).done == 1
    code = (
        "import sys\nfrom pathlib import Path\nfrom games.tetris.q_learning import QFolder, QRun\n"
        "folder = QFolder.open(Path(sys.argv[1]))\nwith folder.locked():\n    QRun(folder).go_on()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(broken.path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )
    wait_until(lambda: len(broken.rounds()) >= 2, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    go_on(QFolder.open(broken.path))
    assert result(broken) == result(whole)


def test_what_a_kill_left_half_written_is_done_again(tmp_path: Path) -> None:
    """A round whose line is there and whose state is not is played again, and its line counts once."""
    whole, broken = (QFolder.create(tmp_path / name, settings(rounds=4)) for name in ("whole", "broken"))
    go_on(whole)
    heard: list[Round] = []
    go_on(broken, when_done=heard.append, should_stop=lambda: len(heard) == 2)
    broken.add_round(whole.rounds()[2])
    with open(broken.path / "rounds.jsonl", "a") as file:
        file.write('{"number": 4, "err')
    go_on(broken)
    assert result(broken) == result(whole)


def test_random_placements_become_fewer_and_never_none() -> None:
    """Without any at the end the memory held calm boards alone, and the network died of the others."""
    config = settings(rounds=10, epsilon=0.1, epsilon_last=0.02)
    shares = [config.epsilon_of(number) for number in range(1, 11)]
    assert shares[0] == pytest.approx(0.1)
    assert shares == sorted(shares, reverse=True)
    assert 0.02 < shares[-1] < 0.03


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"rounds": 0}, "rounds must be at least 1, got 0"),
        ({"discount": 1.0}, "discount must be at least 0 and below 1, got 1.0"),
        ({"epsilon": 2.0}, "epsilon must be from 0 to 1, got 2.0"),
        ({"step": float("nan")}, "step must be above 0 and at most 1, got nan"),
        ({"memory": 10}, "memory must be from 1,000 to 10,000,000, got 10"),
        ({"width": 30}, "expected a width from 4 to 16, got 30"),
        ({"pieces": "14-bag"}, "expected pieces of uniform, 7-bag, got '14-bag'"),
        ({"reward": {}}, "expected at least one weight, got none"),
    ],
)
def test_bad_settings_are_named(changes: dict[str, Any], expected: str) -> None:
    with pytest.raises((InvalidSettings, ValueError), match=expected):
        settings(**changes)


def test_folders_and_files_that_are_none_are_named(tmp_path: Path) -> None:
    folder = QFolder.create(tmp_path / "run", settings())
    with pytest.raises(InvalidRun, match="holds a run, which --resume goes on with"):
        QFolder.create(tmp_path / "run", settings())
    with pytest.raises(InvalidRun, match=r"without q\.json"):
        QFolder.open(tmp_path)
    with folder.locked(), pytest.raises(InvalidRun, match="another process is going on"):
        go_on(QFolder.open(folder.path))
    (folder.path / "state.npz").write_bytes(b"nothing")
    with pytest.raises(InvalidRun, match=r"state\.npz: expected the state after a round"):
        QRun(folder)
    (folder.path / "q.json").write_text("{}")
    with pytest.raises(InvalidRun, match=r"q\.json: expected the settings of a run"):
        QFolder.open(folder.path)


@pytest.mark.parametrize("height", [4, 10, 20])
def test_rewards_lie_around_zero(height: int) -> None:
    assert np.isfinite(centre_of(known_weights("outline"), Setting(Rules(10, height)), 0.05))


@pytest.mark.parametrize("method", ["cem", "ga"])
def test_evolution_finds_weights_that_survive(tmp_path: Path, method: str) -> None:
    game = game_settings(Setting(Rules(8, 10), "uniform", 2000), "dellacherie", 3)
    settings = EvolutionSettings(
        method=method,
        start=(0.0,) * 6,
        game=game,
        generations=6,
        candidates=20,
        best=0.2,
        deviation=10.0,
        noise=5.0,
        looks=2,
        seed=1,
    )
    folder = EvolutionFolder.create(tmp_path / "run", settings)
    with folder.locked():
        EvolutionRun(folder, lambda row, number: as_weights(row, settings, number).to_json()).go_on(
            SameProcess(survive)
        )
    generations = folder.generations()
    assert generations[-1].mean > 5 * generations[0].mean
    look = generations[-1].looks[0]
    assert (look["games"], look["points"]) == (3, look["lines"] / (look["deaths"] + 1))
    weights = parse_weights(folder.weights_path(6).read_text(), "weights-6.json")
    assert [*weights.values.values()] == [*generations[-1].row]
    assert weights.provenance["game"]["features"] == "dellacherie"
