"""One record: what a server sends cannot break it, and it comes back as it was."""

from __future__ import annotations

import io
import re
import uuid
import zlib
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from surveyor.archive import Capture
from surveyor.archive.record import BrokenRecord, decode, encode, encode_conversion, encode_warcinfo
from surveyor.errors import NotAUrl

OWNER = uuid.UUID(int=7)
NOON = datetime(2026, 7, 6, 12, 0, 0, 123456, tzinfo=UTC)

hostile_text = st.text(
    st.one_of(
        st.sampled_from("\r\n\0\t :\x85\u2028\x1b"),
        st.characters(),  # surrogates included
    ),
    max_size=20,
)
special_names = st.sampled_from(["Content-Encoding", "transfer-encoding", "X-Archive-Orig-A"])
captures = st.builds(
    Capture,
    url=st.one_of(st.just("https://a.example/"), hostile_text.map(lambda text: "http://a.example/" + text)),
    fetched_at=st.datetimes(min_value=datetime(1990, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    status=st.integers(0, 999),
    headers=st.lists(st.tuples(st.one_of(hostile_text, special_names), hostile_text), max_size=6).map(tuple),
    body=st.binary(max_size=200),
    reason=hostile_text,
    http_version=st.one_of(st.sampled_from(["1.0", "1.1", "2"]), hostile_text),
)


def capture(**changes: object) -> Capture:
    values = {
        "url": "https://a.example/page?x=1",
        "fetched_at": NOON,
        "status": 200,
        "headers": (("Content-Type", "text/html"),),
        "body": b"<p>hello",
        "reason": "OK",
    }
    return Capture(**(values | changes))  # type: ignore[arg-type]


def inflated(one: Capture) -> bytes:
    return zlib.decompress(encode(one, OWNER), 31)


def back(one: Capture) -> Capture:
    found = decode(inflated(one), OWNER)
    assert found is not None
    return found.capture


def test_a_capture_comes_back_as_it_was() -> None:
    one = capture(
        headers=(
            ("Content-Type", "text/html"),
            ("Content-Encoding", "br"),
            ("content-length", "17"),
            ("Set-Cookie", "a=1"),
            ("Set-Cookie", "b=2"),
            ("X-Archive-Orig-Content-Encoding", "a trick"),
            ("X-Empty", ""),
            ("X-Latin", "caf\udce9"),
        ),
        status=404,
        reason="Not Found",
        http_version="1.0",
    )
    assert back(one) == one


def test_the_payload_digest_is_the_hash_of_the_decoded_body() -> None:
    found = decode(inflated(capture(body=b"decoded")), OWNER)
    assert found is not None
    assert found.sha256 == sha256(b"decoded").digest()


@given(captures)
def test_no_hostile_response_breaks_the_record(one: Capture) -> None:
    found = back(one)
    assert (found.body, found.status, found.fetched_at) == (one.body, one.status, one.fetched_at)
    assert len(found.headers) == len(one.headers)
    assert re.fullmatch(r"[\x21-\x7e]+", found.url)
    for text in (found.reason, *(part for pair in found.headers for part in pair)):
        assert not re.search(r"[\x00-\x1f\x7f]", text)


@given(captures)
def test_another_reader_sees_the_same_records_and_agrees_with_the_digests(one: Capture) -> None:
    following = capture(body=b"the record behind it")
    file = b"".join(
        (
            encode_warcinfo("a.warc.gz", OWNER, NOON),
            encode(one, OWNER),
            encode(following, OWNER),
        )
    )
    seen = []
    for record in ArchiveIterator(io.BytesIO(file), check_digests=True):
        body = record.content_stream().read()
        assert record.digest_checker.passed is True
        if record.rec_type == "response":
            seen.append((body, len(record.http_headers.headers)))
    # One header more than was sent: the length of the decoded body.
    assert seen == [(one.body, len(one.headers) + 1), (following.body, 2)]


def test_headers_of_the_wire_do_not_mislead_another_reader() -> None:
    wire = (("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"), ("Content-Length", "5"))
    file = encode(capture(headers=wire, body=b"plain text"), OWNER)
    record = next(ArchiveIterator(io.BytesIO(file)))
    assert record.content_stream().read() == b"plain text"
    assert record.http_headers.get_header("Content-Length") == "10"
    assert record.http_headers.get_header("X-Archive-Orig-Content-Encoding") == "gzip"


def test_times_are_stored_in_utc() -> None:
    east = NOON.astimezone(timezone(timedelta(hours=5)))
    assert b"\r\nWARC-Date: 2026-07-06T12:00:00.123456Z\r\n" in inflated(capture(fetched_at=east))


def test_a_time_without_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        encode(capture(fetched_at=NOON.replace(tzinfo=None)), OWNER)


@pytest.mark.parametrize("url", ["", "ftp://a.example/", "javascript:alert(1)", "\r\nWARC-Type: x"])
def test_only_web_addresses_are_archived(url: str) -> None:
    with pytest.raises(NotAUrl):
        encode(capture(url=url), OWNER)


def test_a_record_of_another_file_is_refused() -> None:
    with pytest.raises(BrokenRecord, match="no record of this file"):
        decode(inflated(capture()), uuid.UUID(int=8))


@given(st.binary(max_size=300))
def test_any_bytes_are_a_record_or_refused(data: bytes) -> None:
    with pytest.raises(BrokenRecord):
        decode(data, OWNER)


def test_no_byte_of_a_response_can_be_altered_unnoticed_even_where_the_checksum_agrees() -> None:
    """The checksum of gzip is not relied on: these bytes were altered after it."""
    good = inflated(capture())
    start = good.index(b"HTTP/1.1")
    for place in range(start, len(good)):
        with pytest.raises(BrokenRecord):
            decode(good[:place] + bytes([good[place] ^ 0x01]) + good[place + 1 :], OWNER)


@pytest.mark.parametrize("field", [b"Block-Digest: sha256:", b"Payload-Digest: sha256:", b"Content-Length: "])
def test_a_field_that_disagrees_with_the_response_is_noticed(field: bytes) -> None:
    good = inflated(capture())
    place = good.index(field) + len(field)
    with pytest.raises(BrokenRecord):
        decode(good[:place] + bytes([good[place] ^ 0x01]) + good[place + 1 :], OWNER)


def test_a_conversion_is_the_document_alone_and_names_the_record_it_was_made_of() -> None:
    original, of = capture(), uuid.uuid4()
    made = capture(body="<p>hello, with scripts – ended".encode())
    file = encode(original, OWNER, record_id=of) + encode_conversion(made, of, OWNER)
    first, second = ArchiveIterator(io.BytesIO(file), check_digests=True)
    assert (first.rec_type, second.rec_type) == ("response", "conversion")
    assert second.rec_headers["WARC-Refers-To"] == first.rec_headers["WARC-Record-ID"]
    assert second.rec_headers["Content-Type"] == "text/html; charset=utf-8"
    found = decode(zlib.decompress(encode_conversion(made, of, OWNER), 31), OWNER)
    assert found is not None
    assert (found.capture.url, found.capture.body) == (made.url, made.body)
    assert found.sha256 == sha256(made.body).digest()
