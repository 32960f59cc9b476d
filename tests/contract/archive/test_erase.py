"""Erasing: the bytes are gone, the file is sound, and nothing else has moved."""

from __future__ import annotations

import gzip
import random
import uuid
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from surveyor.archive import ArchiveError, Capture, WarcReader, WarcWriter, fsck
from surveyor.archive.erase import erase_where
from surveyor.archive.record import decode, encode_erased
from surveyor.clock import SystemClock

MOMENT = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
CANARY = b"canary of somebody who does not want to be here"


def _capture(url: str, body: bytes) -> Capture:
    return Capture(url, MOMENT, 200, (("Content-Type", "text/html"),), body)


@given(st.integers(600, 200_000))
@example(1_363)  # one digit more in the length would make it two bytes longer
@example(100_370)
@example(65_559)  # one byte more would begin another block of five bytes
@example(131_103)
def test_an_erased_record_has_any_length_that_is_asked_for(length: int) -> None:
    owner = uuid.UUID(int=7)
    member = encode_erased(owner, MOMENT, length)
    assert len(member) == length
    assert decode(gzip.decompress(member), owner) is None


def test_a_length_that_is_too_short_is_refused() -> None:
    with pytest.raises(ArchiveError, match="no record of 100 bytes"):
        encode_erased(uuid.uuid4(), MOMENT, 100)


def test_what_is_erased_is_gone_and_all_else_stays_where_it_was(tmp_path: Path) -> None:
    chance = random.Random(3)
    places = {}
    with WarcWriter(tmp_path, "w", 300_000, SystemClock()) as writer:
        for number in range(60):
            host = "gone.example" if number % 3 == 0 else "stays.example"
            noise = chance.randbytes(chance.choice([0, 100, 40_000]))
            places[number] = writer.append(_capture(f"https://{host}/{number}", CANARY + noise))
    before = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert len(before) > 1
    counted = dict(erase_where(tmp_path, lambda url: url.startswith("https://gone.example/")))
    assert (sum(counted.values()), set(counted)) == (20, set(before))
    assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == before
    reader = WarcReader(tmp_path)
    for number, place in places.items():
        if number % 3:
            assert reader.read(place).url == f"https://stays.example/{number}"
    report = fsck(tmp_path)
    assert (report.good, report.torn, report.damaged) == (40, 0, 0)
    for path in tmp_path.iterdir():
        inflated = gzip.decompress(path.read_bytes())
        assert b"gone.example" not in inflated
        with path.open("rb") as source:
            kinds = [record.rec_type for record in ArchiveIterator(source, check_digests="raise")]
        assert kinds.count("metadata") == counted[path.name]
    assert dict(erase_where(tmp_path, lambda url: "gone" in url)) == dict.fromkeys(before, 0)


def test_the_screenshot_of_a_page_is_erased_with_it(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, "w", 10**9, SystemClock()) as writer:
        for host in ("gone.example", "stays.example"):
            fetched = _capture(f"https://{host}/", b"<div></div>")
            place = writer.append(replace(fetched, original=fetched, screenshot=CANARY * 100))
    counted = dict(erase_where(tmp_path, lambda url: url.startswith("https://gone.example/")))
    assert counted == {place.file: 3}
    assert WarcReader(tmp_path).screenshot(place) == CANARY * 100
    assert b"gone.example" not in gzip.decompress((tmp_path / place.file).read_bytes())


def test_a_file_that_is_torn_or_not_ours_stops_nothing(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, "w", 10**9, SystemClock()) as writer:
        writer.append(_capture("https://gone.example/", CANARY))
        last = writer.append(_capture("https://gone.example/torn", CANARY))
    path = tmp_path / last.file
    path.write_bytes(path.read_bytes()[:-20])
    torn_size = path.stat().st_size
    (tmp_path / "foreign.warc.gz").write_bytes(zlib.compress(b"x", wbits=31))
    assert dict(erase_where(tmp_path, lambda url: "gone" in url)) == {last.file: 2}
    assert path.stat().st_size == torn_size
    assert path.read_bytes().endswith(bytes(100))
    assert fsck(tmp_path).good == 0
    assert dict(erase_where(tmp_path / "missing", lambda url: True)) == {}
