"""Locations as the database keeps them."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.archive import ContentDamaged, Location, NotAnImage
from surveyor.errors import BadInput


@given(
    st.from_regex(r"\A[a-z0-9][a-z0-9._-]{0,30}\.warc\.gz\Z"),
    st.integers(0, 10**18 - 1),
    st.integers(0, 10**18 - 1),
)
def test_a_location_survives_being_stored_as_text(file: str, offset: int, length: int) -> None:
    location = Location(file, offset, length)
    assert Location.parse(str(location)) == location


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.warc.gz",
        "a.warc.gz:1",
        "a.warc.gz:1:2:3",
        "a.warc.gz:-1:2",
        "a.warc.gz:1:٢",
        "a.warc.gz:1: 2",
        f"a.warc.gz:1:{'9' * 19}",
        "../a.warc.gz:1:2",
        "/etc/passwd:1:2",
        "a/b.warc.gz:1:2",
        ".hidden:1:2",
        "a\n.warc.gz:1:2",
    ],
)
def test_a_text_that_names_no_place_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        Location.parse(text)
    assert "\n" not in str(caught.value)


@given(st.text())
def test_any_text_is_a_location_or_refused(text: str) -> None:
    try:
        location = Location.parse(text)
    except BadInput:
        return
    assert "/" not in location.file
    assert location.offset >= 0


@pytest.mark.parametrize(
    "error", [ContentDamaged(Location("a.warc.gz", 1, 2), "gone"), NotAnImage("empty", "no bytes")]
)
def test_errors_come_back_whole_from_a_process_pool(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
