"""Requests of strangers: read or refused, never stumbled over."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from surveyor.smallweb import load_sites
from surveyor.smallweb.answers import Answer, Answers, Request
from surveyor.smallweb.http import parse, to_wire

SITES = load_sites()
NOW = datetime(2026, 11, 16, tzinfo=UTC)
PIECES = [
    "/",
    "calendar",
    "2026",
    "browse?sid=",
    "members",
    "%",
    "%0d%0a",
    "?",
    "é",
    "login",
    "//[",
    "#",
    "..",
    "1",
]


def test_a_request_is_read() -> None:
    request = parse(
        b'GET /a%20b?c=d HTTP/1.1\r\nHost: WWW.Foodbank.example:8080\r\nIf-None-Match:  "x"\r\n\r\n'
    )
    assert request is not None
    assert (request.method, request.host, request.target) == ("GET", "www.foodbank.example", "/a%20b?c=d")
    assert request.path == "/a b" and request.headers["if-none-match"] == '"x"'


def test_names_below_localhost_are_the_sites_themselves() -> None:
    for host in (b"foodbank.example.localhost:99", b"foodbank.example.", b"FOODBANK.EXAMPLE"):
        request = parse(b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % host)
        assert request is not None and request.host == "foodbank.example"


@given(st.binary(max_size=80) | st.binary(max_size=40).map(lambda raw: b"GET /" + raw + b" HTTP/1.1\r\n\r\n"))
def test_no_head_is_too_strange(head: bytes) -> None:
    request = parse(head)
    assert request is None or (request.target.startswith("/") and "\n" not in request.target)


@given(st.sampled_from(sorted(SITES)), st.lists(st.sampled_from(PIECES), max_size=6))
def test_every_address_of_every_site_has_an_answer(host: str, pieces: list[str]) -> None:
    site = SITES[host]
    for name in site.names:
        answer = Answers(NOW).answer(site, Request("GET", name, "/" + "".join(pieces), {}), NOW)
        head = to_wire(answer, "HEAD")
        assert head.startswith(b"HTTP/1.1 %d " % answer.status) and head.count(b"\r\n\r\n") == 1


def test_the_answer_to_head_has_no_body() -> None:
    answer = Answer(200, b"body")
    assert to_wire(answer, "GET") == to_wire(answer, "HEAD") + b"body"
    assert b"Content-Length: 4\r\n" in to_wire(answer, "HEAD")


def test_an_unchanged_page_is_sent_without_a_length() -> None:
    sent = to_wire(Answer(304, b"", headers={"ETag": '"x"'}), "GET")
    assert sent == b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'
