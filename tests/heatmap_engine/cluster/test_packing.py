"""What travels to the nodes of a cluster comes back as it was."""

from heatmap_engine.cluster.packed_entries import pack, unpack
from qtable import Entry


def test_values_depths_and_results_travel() -> None:
    entries = {
        "a": Entry(-3.5, 100),
        "b": Entry(0.0, 0, wins=1, draws=2**40, losses=3),
        "ccc": Entry(31_000.0, 7),
    }
    assert unpack(pack(entries)) == entries
    assert unpack(pack({})) == {}
