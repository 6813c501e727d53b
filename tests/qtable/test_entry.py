"""An entry, its checks and its form in bytes."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_strategies import entries

from qtable import Entry, combine, decode, encode
from qtable.entry import LARGEST_COUNT, decode_all, decode_values
from qtable.errors import CorruptEntry, InvalidEntry


def test_entry_has_the_documented_defaults() -> None:
    assert Entry(1.5) == Entry(
        1.5, depth=0, visits=1, source="search", wins=0, draws=0, losses=0, updated=None
    )


def test_entry_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Entry(1.0).value = 2.0  # type: ignore[misc] # that it is refused is the point
    with pytest.raises(AttributeError):
        Entry(1.0).colour = 2.0  # type: ignore[attr-defined] # no such field, and no room for one


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1.0", None, 10**400])
def test_value_that_is_no_finite_number_is_refused(value: float) -> None:
    with pytest.raises(InvalidEntry, match="value must be a finite number"):
        Entry(value)


@pytest.mark.parametrize("field", ["depth", "visits", "wins", "draws", "losses", "updated"])
@pytest.mark.parametrize("count", [-1, LARGEST_COUNT + 1, 1.0, "1"])
def test_count_that_sqlite_cannot_hold_is_refused_by_name(field: str, count: int) -> None:
    with pytest.raises(InvalidEntry, match=field):
        Entry(0.0, **{field: count})


def test_unknown_source_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(ValueError, match=r"static, search, game, import, not 'rumour'"):
        Entry(0.0, source="rumour")


def test_changed_copy_is_checked_as_well() -> None:
    assert Entry(1.0, wins=2)._replace(value=3.0) == Entry(3.0, wins=2)
    with pytest.raises(InvalidEntry):
        Entry(1.0)._replace(wins=-1)


@given(entries())
def test_every_entry_survives_encoding(entry: Entry) -> None:
    blob = encode(entry)
    assert decode(blob) == entry
    assert math.copysign(1.0, decode(blob).value) == math.copysign(1.0, entry.value)
    assert decode_values([blob]) == [entry.value]
    assert all(type(a) is type(b) for a, b in zip(decode(blob), entry, strict=True))


def test_ordinary_entry_takes_26_bytes() -> None:
    assert len(encode(Entry(0.5, 2, 1000, "game", 10, 20, 30, 1_800_000_000))) == 26


def test_encoding_stamps_an_entry_without_a_time() -> None:
    updated = decode(encode(Entry(0.5))).updated
    assert updated is not None
    assert updated > 1_700_000_000


@given(st.binary(max_size=80))
def test_arbitrary_bytes_decode_to_what_encodes_again_or_are_an_error(blob: bytes) -> None:
    try:
        entry = decode(blob)
    except CorruptEntry:
        with pytest.raises(CorruptEntry, match="expected an entry"):
            decode_values([blob])
    else:
        assert decode(encode(entry)) == entry


@given(entries(), st.integers(0, 59), st.integers(0, 255))
def test_one_changed_byte_never_crashes_the_decoder(entry: Entry, position: int, byte: int) -> None:
    blob = bytearray(encode(entry))
    blob[position % len(blob)] = byte
    try:
        changed = decode(bytes(blob))
    except CorruptEntry:
        return
    assert decode(encode(changed)) == changed


@pytest.mark.parametrize("blob", [b"", b"\x80\x04K\x01.", "text", 5, None])
def test_what_is_no_encoded_entry_is_refused(blob: bytes) -> None:
    with pytest.raises(CorruptEntry, match="expected an entry"):
        decode(blob)


def test_stored_nan_is_refused() -> None:
    blob = bytearray(encode(Entry(0.5)))
    struct.pack_into(">d", blob, 4, math.nan)
    with pytest.raises(CorruptEntry):
        decode(bytes(blob))
    for read in (decode_all, decode_values):
        with pytest.raises(CorruptEntry):
            read([encode(Entry(0.5)), bytes(blob)])


@given(st.lists(entries(), max_size=5), st.booleans())
def test_many_decode_as_each_does_alone(wanted: list[Entry], all_narrow: bool) -> None:
    if all_narrow:
        wanted = [Entry(entry.value, source=entry.source, updated=1) for entry in wanted]
    blobs = [encode(entry) for entry in wanted]
    assert decode_all(blobs) == wanted
    assert decode_values(blobs) == [entry.value for entry in wanted]


def test_deeper_value_wins_and_results_add_up_either_way() -> None:
    deep = Entry(1.0, 2, 1, "game", 1, 0, 0, 100)
    shallow = Entry(9.0, 1, 4, "search", 0, 1, 2, 200)
    assert combine(deep, shallow) == Entry(1.0, 2, 5, "game", 1, 1, 2, 200)
    assert combine(shallow, deep) == Entry(1.0, 2, 5, "game", 1, 1, 2, 200)


def test_newer_of_equally_deep_values_wins() -> None:
    old, new = Entry(1.0, 2, updated=100), Entry(9.0, 2, updated=101)
    assert combine(old, new).value == combine(new, old).value == 9.0
    assert combine(old, new._replace(updated=100)).value == 9.0


def test_sum_beyond_what_sqlite_can_hold_is_refused() -> None:
    much = Entry(0.0, visits=LARGEST_COUNT, updated=1)
    with pytest.raises(InvalidEntry, match="would grow beyond"):
        encode(combine(much, much))
