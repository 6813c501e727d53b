"""Nets to test with."""

import numpy as np

from heatmap_engine.deep.net import INPUT_NAMES, Net
from heatmap_engine.kernel.deep.net import NET_HIDDEN, STAGES


def random_net(seed: int, size: float = 0.1) -> Net:
    """A net whose numbers say nothing; with larger columns more sums are clipped."""
    rng = np.random.default_rng(seed)

    def floats(*shape: int, size: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return (size * rng.standard_normal(shape)).astype(np.float32)

    return Net.of_floats(
        floats(len(INPUT_NAMES), 2, NET_HIDDEN, size=size),
        floats(NET_HIDDEN, size=size),
        floats(STAGES, 2, NET_HIDDEN, size=0.5),
        floats(STAGES, size=0.5),
    )
