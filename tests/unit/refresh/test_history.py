"""A history survives its bytes, and no bytes break it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.refresh.policy import UNIT, History

_count = st.integers(0, 1 << 41)
_histories = st.builds(
    lambda visits, changes, rest, with_records: History(visits, min(visits, changes), *rest, with_records),  # type: ignore[call-arg]
    _count,
    _count,
    st.tuples(_count, _count, _count, _count),
    st.integers(0, 1),
)


@given(_histories)
def test_what_is_written_is_read(history: History) -> None:
    assert History.of(history.to_bytes()) == history


@given(st.binary(max_size=80))
def test_whatever_the_bytes_are_a_sound_history_comes_of_them(data: bytes) -> None:
    found = History.of(data)
    assert 0 <= found.changes <= found.visits
    assert History.of(found.to_bytes()) == found


@given(_histories, st.integers(0, 100), st.integers(1, 255))
def test_a_damaged_or_foreign_history_is_an_empty_one_or_another_sound_one(
    history: History, place: int, flipped: int
) -> None:
    data = bytearray(history.to_bytes())
    data[place % len(data)] ^= flipped
    found = History.of(bytes(data))
    assert found.changes <= found.visits
    if place % len(data) == 0:
        assert found == History(), "the version is another one"


def test_an_ordinary_history_takes_a_few_bytes() -> None:
    year = History(16 * UNIT, 4 * UNIT, 16 * 7 * 24 * 60, 30_000, 0, 100_000, 1)
    assert len(year.to_bytes()) <= 16
    assert History.of(None) == History.of(b"") == History()
