"""What any Q-table may hold, for Hypothesis: keys and entries up to the limits of SQLite and UTF-8."""

from hypothesis import strategies as st

from qtable import SOURCES, Entry
from qtable.entry import LARGEST_COUNT

# Everything that UTF-8 can hold: quotes, line ends, NUL and characters beyond the 16-bit ones included.
keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)

_values = st.floats(allow_nan=False, allow_infinity=False)
_counts = st.integers(0, LARGEST_COUNT)
# Small enough that a few hundred of them may be added up.
_addable = st.one_of(st.integers(0, 3), st.integers(0, LARGEST_COUNT // 1000))


def entries(*, addable: bool = False, timed: bool = True) -> st.SearchStrategy[Entry]:
    """Entries; `addable` ones have counts that can be summed, those not `timed` may leave the time open."""
    counts = _addable if addable else _counts
    times = st.integers(0, 2**33) if timed else st.one_of(st.none(), st.integers(0, 2**33))
    depths = st.one_of(st.integers(0, 3), _counts)
    return st.builds(
        Entry,
        _values,
        depths,
        counts,
        st.sampled_from(SOURCES),
        counts,
        counts,
        counts,
        times,
    )
