"""Requests as they are read and answers as they are sent: just enough of HTTP/1.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tests.support.site.log import plain_host

HTML = "text/html; charset=utf-8"
_PHRASES = {
    200: "OK", 301: "Moved Permanently", 302: "Found", 304: "Not Modified", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 410: "Gone", 429: "Too Many Requests",
    500: "Internal Server Error", 503: "Service Unavailable",
}  # fmt: skip


class Request(NamedTuple):
    method: str
    host: str
    """As it was sent."""
    target: str
    head: bytes
    """All of it, for the few who look for more."""

    @property
    def name(self) -> str:
        return plain_host(self.host)

    def header(self, name: str) -> str:
        """Its value, or an empty text; `name` in lower case."""
        at = self.head.lower().find(b"\r\n" + name.encode() + b":")
        if at < 0:
            return ""
        start = at + len(name) + 3
        end = self.head.find(b"\r\n", start)
        return self.head[start : end if end >= 0 else None].strip().decode("latin-1")


class Answer(NamedTuple):
    status: int
    parts: tuple[bytes | memoryview, ...]
    """Head and body as they go to the socket: pages share most of their text."""
    wait: float = 0.0
    hold: int = 0
    """Seconds of its Retry-After."""


def parse(head: bytes) -> Request | None:
    """A request without its empty line; None if it is none."""
    words = head.split(b"\r\n", 1)[0].split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
        return None
    method, target, _ = (word.decode("latin-1") for word in words)
    if target.startswith("http://"):  # as a client writes it that takes us for its proxy
        target = "/" + target.removeprefix("http://").partition("/")[2]
    request = Request(method, "", target, head)
    return request._replace(host=request.header("host"))


def head_of(status: int, length: int, content_type: str = HTML, headers: Mapping[str, str] = {}) -> bytes:
    lines = [f"HTTP/1.1 {status} {_PHRASES.get(status, 'Other')}", f"Content-Length: {length}"]
    lines += [f"Content-Type: {content_type}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def answer(
    status: int,
    body: bytes | str = "",
    content_type: str = HTML,
    *,
    wait: float = 0.0,
    **headers: str,
) -> Answer:
    """`retry_after="2"` becomes a header; a body that is text is sent as UTF-8."""
    raw = body.encode() if isinstance(body, str) else body
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    told = named.get("Retry-After", "")
    hold = int(told) if told.isdigit() else 0
    return Answer(status, (head_of(status, len(raw), content_type, named), raw), wait, hold)


def text_page(title: str, *paragraphs: str, status: int = 200) -> Answer:
    """A small page of its own."""
    told = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    head = f'<!doctype html><html lang="en"><head><title>{title}</title></head>'
    html = f"{head}<body>\n<h1>{title}</h1>\n{told}</body></html>\n"
    return answer(status, html)


def links(*hrefs: str) -> str:
    return " ".join(f'<a href="{href}">{href}</a>' for href in hrefs)
