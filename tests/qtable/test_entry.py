"""An entry, its checks and its form in bytes."""

import math
import re
import struct
import zlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from table_strategies import entries, keys

from qtable import Entry, combine, decode, encode
from qtable.checksum import first_damaged, sealed
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


@given(keys, entries())
def test_every_entry_survives_encoding(key: str, entry: Entry) -> None:
    blob = encode(key, entry)
    assert decode(key, blob) == entry
    assert math.copysign(1.0, decode(key, blob).value) == math.copysign(1.0, entry.value)
    assert decode_values([key], [blob]) == [entry.value]
    assert all(type(a) is type(b) for a, b in zip(decode(key, blob), entry, strict=True))


def test_ordinary_entry_takes_28_bytes() -> None:
    assert len(encode("a", Entry(0.5, 2, 1000, "game", 10, 20, 30, 1_800_000_000))) == 28


def test_encoding_stamps_an_entry_without_a_time() -> None:
    updated = decode("a", encode("a", Entry(0.5))).updated
    assert updated is not None
    assert updated > 1_700_000_000


@given(keys, st.binary(max_size=80))
def test_arbitrary_bytes_are_an_error(key: str, blob: bytes) -> None:
    for read in (decode, lambda key, blob: decode_values([key], [blob])):
        with pytest.raises(CorruptEntry, match="expected an entry"):
            read(key, blob)


@given(keys, entries(), st.data())
def test_every_changed_bit_is_noticed(key: str, entry: Entry, data: st.DataObject) -> None:
    blob = bytearray(encode(key, entry))
    bit = data.draw(st.integers(0, 8 * len(blob) - 1))
    blob[bit // 8] ^= 1 << bit % 8
    with pytest.raises(CorruptEntry, match=re.escape(repr(key))):
        decode(key, bytes(blob))


@given(keys, keys, entries())
def test_entry_of_another_key_is_refused(key: str, other: str, entry: Entry) -> None:
    assume(key != other)
    with pytest.raises(CorruptEntry):
        decode(other, encode(key, entry))


@given(keys, st.binary(max_size=70))
def test_checksum_is_that_of_zlib(key: str, body: bytes) -> None:
    expected = zlib.crc32(body, zlib.crc32(key.encode()))
    assert sealed(key, body) == body + expected.to_bytes(4, "big")
    assert first_damaged([key, key], [sealed(key, body), body[:3]]) == 1


@pytest.mark.parametrize("blob", [b"", b"\x80\x04K\x01.", "text", 5, None])
def test_what_is_no_encoded_entry_is_refused(blob: bytes) -> None:
    with pytest.raises(CorruptEntry, match="the row of key 'a' is damaged: expected an entry"):
        decode("a", blob)


def _with_right_checksum(changed: bytes) -> bytes:
    return sealed("a", changed[:-4])


def test_what_no_entry_can_be_is_refused_though_its_checksum_is_right() -> None:
    nan, source, form = (bytearray(encode("a", Entry(0.5))) for _ in range(3))
    struct.pack_into(">d", nan, 2, math.nan)
    source[0] |= 0x0F
    form[0] = 0x40 | form[0] & 0x0F
    good = encode("b", Entry(0.5))
    for changed in (nan, source, form):
        blob = _with_right_checksum(bytes(changed))
        with pytest.raises(CorruptEntry):
            decode("a", blob)
        for read in (decode_all, decode_values):
            with pytest.raises(CorruptEntry, match="'a'"):
                read(["b", "a"], [good, blob])


@given(st.lists(st.tuples(keys, entries()), max_size=5), st.booleans())
def test_many_decode_as_each_does_alone(rows: list[tuple[str, Entry]], all_narrow: bool) -> None:
    if all_narrow:
        rows = [(key, Entry(entry.value, source=entry.source, updated=1)) for key, entry in rows]
    names, wanted = [key for key, _ in rows], [entry for _, entry in rows]
    blobs = [encode(key, entry) for key, entry in rows]
    assert decode_all(names, blobs) == wanted
    assert decode_values(names, blobs) == [entry.value for entry in wanted]


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
        encode("a", combine(much, much))
