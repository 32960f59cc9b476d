"""Whatever is sent, by nobody or by an admin: an answer that is no mistake of ours, and a clean log."""

from __future__ import annotations

import http.client
import socket
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.web.routes import NEEDS
from tests.web.serving import Served, Visitor

pytestmark = pytest.mark.xdist_group("web access")
FORM = "application/x-www-form-urlencoded"
# What breaks parsers: halves of addresses, signs of terminals, numbers too long to count, lone surrogates.
ODD = [
    "//[", "http://[", "http://[::1", "[", "%", "%00", "%ff", "\x1b[31m", "\r\nX: y", "\0", "9" * 5_000,
    "-1", "0", "１２", "²", "1e400", "nan", "..", "../..", "\u202e", "\ud800", "𝕏" * 50, "{{7*7}}", "'\"<>",
    "00000000-0000-0000-0000-000000000000", "x" * 3_000, "all", "true", "[]", "a\tb", "::", "@", "http://a:b:c/",
]  # fmt: skip
odd = st.one_of(st.sampled_from(ODD), st.text(max_size=40))
FIELDS = [
    "next",
    "back",
    "after",
    "before",
    "stage",
    "status",
    "q",
    "view",
    "kind",
    "domain",
    "order",
    "all",
    "state",
    "gone",
    "verb",
    "reason",
    "version",
    "year",
    "bulk",
    "domains",
    "name",
    "password",
    "role",
    "text",
    "context",
    "depth",
    "max_pages",
    "delay",
    "for_review",
    "theme",
    "everywhere",
    "worker",
    "sure",
    "limit",
    "since",
    "max_crawl_depth",
    "crawl_delay_seconds",
    "notes",
    "csrf",
]
PATHS = sorted({path for _, path in NEEDS} | {"/api/v1/domains", "/api/v1/domains/{name}", "/api/v1/events"})
HEADERS = [
    "origin",
    "referer",
    "host",
    "cookie",
    "authorization",
    "hx-request",
    "content-type",
    "x-forwarded-for",
]
pairs = st.lists(st.tuples(st.sampled_from(FIELDS), odd), max_size=4)
quick = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _filled(path: str, value: str) -> str:
    for name in ("{name}", "{number}", "{key}", "{older}", "{newer}", "{mark}"):
        path = path.replace(name, quote(_bytes(value), safe=""))
    return path


def _query(given: list[tuple[str, str]]) -> str:
    return "&".join(f"{name}={quote(_bytes(value), safe='')}" for name, value in given)


@quick
@given(path=st.sampled_from(PATHS), value=odd, asked=pairs)
def test_no_address_makes_a_page_fail(
    path: str, value: str, asked: list[tuple[str, str]], place: Served, admin: Visitor
) -> None:
    address = _filled(path, value) + "?" + _query(asked)
    for visitor in (place.visitor(), admin):
        assert visitor.get(address[:8_000]).status < 500, address


@quick
@given(path=st.sampled_from(PATHS), headers=st.lists(st.tuples(st.sampled_from(HEADERS), odd), max_size=3))
def test_no_header_makes_a_page_fail(path: str, headers: list[tuple[str, str]], place: Served) -> None:
    lines = [b"%s: %s" % (name.encode(), _one_line(value)) for name, value in headers]
    if not any(name == "host" for name, _ in headers):
        lines.append(b"host: here")
    for method in (b"GET", b"POST"):
        head = b"\r\n".join([method + b" " + _filled(path, "a").encode() + b" HTTP/1.1", *lines])
        assert _status(place, head + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n") < 500, head


def _one_line(value: str) -> bytes:
    return _bytes(value).replace(b"\r", b"").replace(b"\n", b"").replace(b"\0", b"").strip()


def _status(place: Served, sent: bytes) -> int:
    at = urlsplit(place.url)
    assert at.hostname and at.port
    with socket.create_connection((at.hostname, at.port), timeout=30) as asked:
        asked.sendall(sent)
        reply = http.client.HTTPResponse(asked)
        reply.begin()
        return reply.status


@quick
@given(path=st.sampled_from([path for method, path in NEEDS if method == "POST"]), value=odd, fields=pairs)
def test_no_form_makes_a_page_fail(
    path: str, value: str, fields: list[tuple[str, str]], place: Served, reviewer: Visitor
) -> None:
    if path == "/logout":
        return
    for visitor in (place.visitor(), reviewer):
        body = urlencode({"csrf": visitor.proof()}).encode() + b"&" + _query(fields).encode()
        headers = {"content-type": FORM, "origin": place.url}
        reply = visitor.ask("POST", _filled(path, value)[:8_000], body, headers)
        assert reply.status < 500, (path, body)


@pytest.mark.parametrize("address", ["/login?next=//[", "/login?next=http://[::1"])
def test_half_an_address_to_go_back_to_leads_home(address: str, place: Served) -> None:
    assert place.visitor().get(address).status == 200


def test_an_origin_that_is_no_address_is_another_site(place: Served) -> None:
    visitor = place.visitor()
    headers: dict[str, Any] = {"content-type": FORM, "origin": "http://["}
    assert visitor.ask("POST", "/login", f"csrf={visitor.proof()}".encode(), headers).status == 403


def test_a_path_reaches_the_log_without_signs_that_a_terminal_obeys(
    place: Served, admin: Visitor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def broken(*_: object) -> None:
        password = "-".join(["a", "local", "secret"])
        raise ZeroDivisionError("a message\nover two lines \x1b[2J", len(password))

    monkeypatch.setattr("surveyor.registry.service.domain_info", broken)
    assert admin.get("/domains/a%1B[31m%0Aforged%E2%80%AE.example").status in (404, 500)
    assert admin.get("/domains/rila.example?x=%1B[31m").status == 500
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said and "a-local-secret" not in said.replace(
        'password = "a-local-secret"', ""
    )
    assert not [ch for ch in said if not ch.isprintable() and ch != "\n"], said
    assert not [line for line in said.splitlines() if line.startswith(("forged", "over two lines"))]
