"""Header text where it enters: fit for rows and logs, and the same bytes when it goes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.net.response_parser import VALIDATOR_BYTES, Headers, text_of
from surveyor.net.transport import header_lines

FIELD = st.binary(max_size=40)
SENDABLE = st.binary(min_size=1, max_size=60).filter(lambda value: not set(value) & {*range(32), 127})


@given(FIELD)
def test_text_of_a_header_holds_nothing_that_a_row_or_a_log_line_cannot(value: bytes) -> None:
    text = text_of(value)
    text.encode()  # no surrogate
    assert not [ch for ch in text if ch < " " and ch != "\t"]
    assert "\x7f" not in text and "\x9b" not in text


@given(SENDABLE)
def test_a_validator_goes_back_as_the_bytes_that_came(value: bytes) -> None:
    kept = Headers([(b"ETag", value)]).validator("etag")
    assert kept is not None
    kept.encode()
    assert header_lines({"If-None-Match": kept}) == b"If-None-Match: " + value + b"\r\n"


@pytest.mark.parametrize("value", [b"", b'"a\x00b"', b'"a\x1bb"', b"x" * (VALIDATOR_BYTES + 1)])
def test_a_validator_that_cannot_be_sent_whole_is_none(value: bytes) -> None:
    assert Headers([(b"ETag", value)]).validator("ETag") is None


@given(FIELD)
def test_an_address_is_ascii_and_says_the_same_bytes(value: bytes) -> None:
    found = Headers([(b"Location", value)]).address("Location")
    assert found is not None and found.isascii()
    assert found.count("%") == value.count(b"%") + sum(byte > 127 for byte in value)


def test_names_are_read_in_any_case_and_repeated_ones_are_kept() -> None:
    headers = Headers([(b"X-Robots-Tag", b"noindex"), (b"a", b"1"), (b"x-robots-TAG", b"noai"), (b"A", b"2")])
    assert headers["x-ROBOTS-tag"] == "noindex"
    assert headers.getall("X-Robots-Tag") == ["noindex", "noai"]
    assert (headers.getall("missing"), headers.get("missing"), "A" in headers) == ([], None, True)
    assert (list(headers), len(headers)) == (["x-robots-tag", "a"], 2)


def test_utf8_is_read_as_utf8_and_anything_else_byte_by_byte() -> None:
    assert text_of("für alle".encode()) == "für alle"
    assert text_of("für alle".encode("latin-1")) == "für alle"
    assert text_of(b"\xed\xb3\xbf") == "í³¿"  # a surrogate, as some programs write it
