"""Ray, told what it must know before it is imported; the other modules take it from here."""

import os

from heatmap_engine.errors import ClusterError

_SETTINGS = {
    # Nothing about this machine is sent to anybody.
    "RAY_USAGE_STATS_ENABLED": "0",
    # Ray's name for "may talk to other machines": without it, what is started here listens on loopback only.
    # Who joins a cluster talks to that cluster's addresses all the same.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    # A change of behaviour that Ray announces at each start and that concerns graphics cards.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}

for _name, _value in _SETTINGS.items():
    os.environ.setdefault(_name, _value)

try:
    import ray as ray
    import ray.exceptions
    import ray.util.scheduling_strategies  # noqa: F401 # is reached through ray
except ModuleNotFoundError as error:
    raise ClusterError(
        f"a cluster needs Ray, which is not installed ({error}); "
        'in the folder of Heatmap Engine, run: pip install ".[cluster]"'
    ) from None
