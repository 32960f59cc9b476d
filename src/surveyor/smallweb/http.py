"""Requests as they are read and answers as they are sent: just enough of HTTP/1.1."""

from __future__ import annotations

from http import HTTPStatus

from surveyor.smallweb.answers import Answer, Request

LOCALHOST = ".localhost"
"""Browsers take every name below it for this machine, so people can look at a site at HOST.localhost."""


def parse(head: bytes) -> Request | None:
    """A request with its empty line; None if it is none."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        return None
    if not words[1].startswith("/") or not words[1].isprintable():
        return None
    parts = [line.partition(":") for line in lines if ":" in line]
    headers = {name.strip().lower(): value.strip() for name, _, value in parts}
    host = headers.get("host", "").lower()
    if not host.startswith("["):
        host = host.partition(":")[0]
    return Request(words[0], host.removesuffix(LOCALHOST).removesuffix("."), words[1], headers)


def to_wire(answer: Answer, method: str) -> bytes:
    headers = dict(answer.headers)
    if answer.status != 304:
        headers |= {"Content-Type": answer.content_type, "Content-Length": str(len(answer.body))}
    header_lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    line = f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}\r\n"
    return (line + header_lines + "\r\n").encode("latin-1") + (b"" if method == "HEAD" else answer.body)
