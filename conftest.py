"""Settings for every test run; it stops when the compiled kernel is older than its sources."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test depends on time: machines are shared, and the reference is slow by design.
settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("default")

_COMPILED = [Path(__file__).parent / folder for folder in ("heatmap_engine/kernel", "qtable", "games")]
# More of them would all wait for the longest group of tests.
_MOST_PROCESSES = 8


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors, because tests of real processes wait much of their time."""
    return min((os.cpu_count() or 1) + 1, _MOST_PROCESSES)


def pytest_configure() -> None:
    # The tests fill the processors already. NumPy's own threads wait for each other in busy loops, which made
    # a fit of weights take 1.7 times the processor time. For the processes that tests start, too.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _leave_the_users_data_alone()
    _require_fresh_kernel()


def _leave_the_users_data_alone() -> None:
    """What a developer has adopted or learned must not decide on a test, nor be changed by one."""
    folder = tempfile.mkdtemp(prefix="heatmap-engine-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["XDG_DATA_HOME"] = folder


def _require_fresh_kernel() -> None:
    sources = [
        file for folder in _COMPILED for ending in ("pyx", "pxd") for file in folder.rglob(f"*.{ending}")
    ]
    extensions = [file for folder in _COMPILED for file in folder.rglob("*.so")]
    if not sources:
        return
    newest = max(sources, key=lambda path: path.stat().st_mtime)
    missing = {path.with_suffix("") for path in sources if path.suffix == ".pyx"} - {
        path.with_name(path.name.partition(".")[0]) for path in extensions
    }
    # The newest of each: a build leaves alone what did not change.
    if missing or max(path.stat().st_mtime for path in extensions) < newest.stat().st_mtime:
        pytest.exit(
            f"the compiled kernel is missing or older than {newest.name}; rebuild it with: "
            'pip install -e ".[test]"',
            returncode=2,
        )
