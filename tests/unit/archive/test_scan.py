"""Files that were cut off or altered: every whole record is found, and nothing that was not written."""

from __future__ import annotations

import io
import random
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from surveyor.archive import ArchivedRecord, Capture, Gap
from surveyor.archive.reader import scan
from surveyor.archive.record import encode, encode_warcinfo

OWNER = uuid.UUID(int=7)
NOON = datetime(2026, 7, 6, 12, 0, tzinfo=UTC)
NAME = "a.warc.gz"


def capture(number: int, body: bytes) -> Capture:
    return Capture(f"http://a.example/{number}", NOON, 200, (("A", "b"),), body, "OK")


def build(captures: Iterable[Capture], level: int = 3) -> tuple[bytes, list[int]]:
    """A file, and where each of its members ends (the warcinfo first)."""
    file = encode_warcinfo(NAME, OWNER, NOON)
    ends = [len(file)]
    for one in captures:
        file += encode(one, OWNER, level)
        ends.append(len(file))
    return file, ends


def read(file: bytes) -> tuple[list[Capture], list[Gap]]:
    captures: list[Capture] = []
    gaps: list[Gap] = []
    for one in scan(io.BytesIO(file), NAME, OWNER):
        if isinstance(one, ArchivedRecord):
            captures.append(one.capture)
        else:
            gaps.append(one)
    return captures, gaps


SMALL = [capture(1, b""), capture(2, b"<p>two</p>" * 9), capture(3, b"three")]
FILE, ENDS = build(SMALL)


def test_a_good_file_has_no_gaps() -> None:
    assert read(FILE) == (SMALL, [])


def test_locations_cover_the_file_without_holes() -> None:
    places = [one.location for one in scan(io.BytesIO(FILE), NAME, OWNER)]
    assert [place.offset for place in places] == ENDS[:-1]
    assert [place.end for place in places] == ENDS[1:]


def test_a_file_cut_at_any_byte_gives_every_record_before_the_cut() -> None:
    for cut in range(len(FILE)):
        found, gaps = read(FILE[:cut])
        whole = sum(end <= cut for end in ENDS)
        assert found == SMALL[: max(0, whole - 1)], cut
        assert [gap.kind for gap in gaps] == ([] if cut in (0, *ENDS) else ["torn"]), cut


def test_a_byte_altered_anywhere_costs_at_most_its_own_record() -> None:
    for place in range(len(FILE)):
        for mask in (0x01, 0x80, 0xFF):
            found, gaps = read(FILE[:place] + bytes([FILE[place] ^ mask]) + FILE[place + 1 :])
            hit = sum(end <= place for end in ENDS) - 1  # -1: the warcinfo
            others = [one for number, one in enumerate(SMALL) if number != hit]
            assert found in (SMALL, others), place
            assert len(gaps) <= 1
            assert found == SMALL or gaps, place


FOREIGN = b"".join(encode(one, uuid.UUID(int=666)) for one in SMALL)

pages = st.lists(
    st.one_of(
        st.binary(max_size=300),
        st.integers(0, 2**32).map(lambda seed: random.Random(seed).randbytes(50_000)),  # more than one read
        st.just(b"\x1f\x8b\x08" * 500),
        st.just(FOREIGN),
    ),
    min_size=1,
    max_size=5,
)


@given(pages, st.data())
def test_whatever_replaces_a_stretch_of_the_file_the_other_records_are_found(
    bodies: list[bytes], data: st.DataObject
) -> None:
    written = [capture(number, body) for number, body in enumerate(bodies)]
    file, ends = build(written, data.draw(st.sampled_from([0, 1, 6])))
    # A share of the file: ids of records are random, so the length is not the same each time.
    start = int(data.draw(st.floats(0, 1)) * len(file))
    stop = start + data.draw(st.integers(0, 40))
    junk = data.draw(st.one_of(st.binary(max_size=60), st.just(FILE[:200])))
    found, _ = read(file[:start] + junk + file[stop:])
    untouched = [
        one for one, begin, end in zip(written, ends, ends[1:], strict=False) if end <= start or begin >= stop
    ]
    assert [one for one in found if one in untouched] == untouched
    assert all(one in written for one in found)


def test_a_page_that_is_itself_a_warc_file_cannot_forge_records() -> None:
    stranger = uuid.UUID(int=666)
    forged = Capture("http://bank.example/", NOON, 200, (), b"forged", "OK")
    trojan = encode_warcinfo(NAME, stranger, NOON) + encode(forged, stranger)
    # Level 0 keeps the page's bytes as they are, so the forged members lie in our file verbatim.
    file, ends = build([capture(1, trojan), capture(2, b"honest")], level=0)
    assert trojan in file
    place = file.index(trojan) - 30
    damaged = file[:place] + bytes([file[place] ^ 0xFF]) + file[place + 1 :]
    found, gaps = read(damaged)
    assert found == [capture(2, b"honest")]
    assert [(gap.location.offset, gap.location.end) for gap in gaps] == [(ends[0], ends[1])]


def test_the_next_record_is_found_wherever_a_read_happens_to_end() -> None:
    chunk = 32 * 1024
    overhead = len(encode(capture(1, bytes(chunk)), OWNER, 0)) - chunk
    for length in range(chunk - 10, chunk + 12):
        # Level 0 makes the first record as long as we want; it is damaged, and the search begins behind it.
        file, ends = build([capture(1, bytes(length - overhead)), capture(2, b"two")], level=0)
        assert ends[1] - ends[0] == length
        broken = file[: ends[0]] + b"\0" + file[ends[0] + 1 :]
        assert read(broken)[0] == [capture(2, b"two")], length
