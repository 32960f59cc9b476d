"""Heads that the parser refuses and browsers read: what becomes of them, however they come apart."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from surveyor.net.head_repair import repaired
from surveyor.net.response_parser import ResponseParser

ODD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Served By: me\r\nETag: a\rb\r\n"
    b"Content-Length: 2\r\nContent-Length: 2, 2\r\n\r\nok"
)


def answered(*parts: bytes) -> ResponseParser:
    answer = ResponseParser(lambda: None)
    for part in parts:
        answer.feed(memoryview(part))
    return answer


def fields(head: bytes) -> dict[bytes, bytes]:
    parser = answered(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n")
    return {name.lower(): value for name, value in parser.raw}


@given(st.integers(1, len(ODD) - 1), st.integers(1, len(ODD) - 1))
def test_an_odd_head_is_read_however_it_comes_apart(first: int, second: int) -> None:
    first, second = sorted((max(first, 5), max(second, 5)))  # five bytes tell that it is HTTP
    answer = answered(ODD[:first], ODD[first:second], ODD[second:])
    assert (answer.status, answer.phrase, answer.is_last) == (200, b"OK", True)
    assert dict(answer.raw) == {b"Content-Type": b"text/html", b"ETag": b"a b", b"Content-Length": b"2"}
    assert answer.stream.ended and answer.stream.total == 2


@pytest.mark.parametrize(
    ("head", "read"),
    [
        (b"no colon\r\nA: b", {b"a": b"b"}),
        (b": nothing\r\nA: b", {b"a": b"b"}),
        ("Größe: 1\r\nA: b".encode(), {b"a": b"b"}),
        (b"A: b\r\n folded\rtwice\r\nX Y: z", {b"a": b"b folded twice"}),
        (b"A: b\r\nno colon\r\n of its own\r\nC: d", {b"a": b"b", b"c": b"d"}),
        (b"Transfer-Encoding : chunked", {b"transfer-encoding": b"chunked"}),
        (b"Content-Length: 3\r\nTransfer-Encoding: identity", {b"content-length": b"3"}),
        (b"Content-Length: 3\r\nTransfer-Encoding: chunked", {b"transfer-encoding": b"chunked"}),
    ],
)
def test_what_is_kept_of_an_odd_head(head: bytes, read: dict[bytes, bytes]) -> None:
    assert fields(head) == read


@given(st.binary(max_size=200))
@example(b"\n\n")
@example(b"HTTP/1.1 100\n\nHTTP/1.1 100\n\n")
def test_any_bytes_can_be_looked_at(data: bytes) -> None:
    for text in (data, b"HTTP/1.1 200 OK\r\n" + data + b"\r\n\r\n"):
        plain = repaired(text)
        assert plain is None or plain == text or plain.startswith(b"HTTP/1.1 ")


def test_interim_answers_are_passed_over_but_no_switch_of_protocols() -> None:
    assert repaired(b"HTTP/1.1 103 Hints\n\nHTTP/1.1 200 OK\n\nrest") == b"HTTP/1.1 200 OK\r\n\r\nrest"
    assert repaired(b"HTTP/1.1 103 Hints\n\nHTTP/1.1 20") is None
    assert (repaired(b"http/1 101 Switch\n\nx") or b"").startswith(b"HTTP/1.1 101 Switch")


def test_carriage_returns_without_end_cost_as_little_as_other_bytes() -> None:
    odd = b"HTTP/1.1 200 OK\r\nno colon\r\nX: "
    begun = process_time()
    answered(odd + b"\r" * 65_000, b"\r" * 65_000)
    assert process_time() - begun < 0.5
