"""Settings for every test run; it stops when the compiled kernel is older than its sources."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test depends on time: machines are shared, and the reference is slow by design.
settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("default")

_COMPILED = [Path(__file__).parent / folder for folder in ("heatmap_engine/kernel", "qtable")]


def pytest_configure() -> None:
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
