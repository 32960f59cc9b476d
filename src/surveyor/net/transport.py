"""One request, one answer: what the fetcher and the API clients have in common.

`send` takes an idle connection or dials, and returns a complete `Response` or raises
`NetError`. A connection is kept only after an answer that was read to its end; in every
other case, cancellation included, it is dropped. A request is sent a second time only if it is
repeatable and went to an idle connection that the server had already closed: the server never
read it.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from surveyor.errors import NetError
from surveyor.net.body import Body, read_body
from surveyor.net.connection import Connection, Patience
from surveyor.net.guard import ParsedUrl, join
from surveyor.net.pool import Pool
from surveyor.net.reasons import Reason, translate
from surveyor.net.response_parser import TYPE_CHARS, Head, Headers

GRACE_SECONDS: Final = 5.0  # a body may start as slowly as it likes for this long
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_LENGTH_DIGITS: Final = 18  # of a Content-Length; more is over any limit

# What would end a header line early and so begin another, or what no server takes.
_UNSENDABLE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class Request(NamedTuple):
    target: ParsedUrl
    tail: bytes  # everything behind the Host line, body included
    method: str = "GET"
    repeatable: bool = True  # sending it again does no harm


class Limits(NamedTuple):
    max_bytes: int  # of the body, packed and unpacked
    seconds: float  # for everything, connecting included
    truncate: bool = False  # over max_bytes: give the beginning instead of failing


class Response(NamedTuple):
    """One answer, complete."""

    url: str
    status: int
    headers: Headers
    body: bytes  # free of transfer and content encodings
    location: str | None  # where a redirect leads, absolute; None also when it leads nowhere
    truncated: bool
    wire_bytes: int  # all that was received for it, head included
    seconds: float  # from the call to the last byte, connecting included
    answer_seconds: float  # from the writing of the request: what the site needed
    address: str  # the IP address that answered
    http_version: str  # like 1.1
    phrase: str  # behind the status code; for archives
    raw_headers: tuple[tuple[bytes, bytes], ...]  # as received; for archives

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def content_type(self) -> str | None:
        found = self.headers.get("Content-Type")
        return None if found is None else found[:TYPE_CHARS]

    @property
    def validators(self) -> tuple[str | None, str | None]:
        """ETag and Last-Modified, to be sent back with the next request."""
        return self.headers.validator("ETag"), self.headers.validator("Last-Modified")


@dataclass(eq=False)
class Transport:
    pool: Pool
    bytes_per_second: int = field(kw_only=True)
    grace: float = field(kw_only=True, default=GRACE_SECONDS)

    async def send(self, request: Request, limits: Limits) -> Response:
        """The one way out of `net`: an answer, or `NetError`, whatever happened below."""
        started = time.monotonic()  # uvloop's own clock stands still within one of its rounds
        loop, target = asyncio.get_running_loop(), request.target
        patience = Patience(loop.time() + limits.seconds, self.grace, self.bytes_per_second)
        try:
            connection = self.pool.take(target)
            if connection is not None:
                try:
                    return await self._exchange(connection, request, limits, patience, started)
                except NetError as error:
                    if not (request.repeatable and _was_stale(connection, error)):
                        raise
            connection = await self.pool.dial(target, patience.deadline - loop.time())
            return await self._exchange(connection, request, limits, patience, started)
        except NetError:
            raise
        except Exception as error:
            # Not by a name of its own: a frame that holds its own error is a cycle, one for each site
            # that does not answer.
            raise translate(error, target.host) from error

    async def _exchange(
        self, connection: Connection, request: Request, limits: Limits, patience: Patience, started: float
    ) -> Response:
        target = request.target
        written = time.monotonic()
        try:
            line = f"{request.method} {target.path} HTTP/1.1\r\nHost: {target.authority}\r\n"
            head = await connection.begin(line.encode() + request.tail, patience)
            body, truncated = await _read(head, limits)
        except BaseException:
            connection.drop()
            raise
        if connection.finish():
            self.pool.give_back(target, connection)
        return Response(
            url=target.url,
            status=head.status,
            headers=head.headers,
            body=body,
            location=_location(target, head) if head.status in REDIRECTS else None,
            truncated=truncated,
            wire_bytes=connection.received,
            seconds=(ended := time.monotonic()) - started,
            answer_seconds=ended - written,
            address=connection.address,
            http_version=head.version,
            phrase=head.phrase,
            raw_headers=head.raw_headers,
        )


# A site that does so with every answer is left alone, as one that does not answer.
_KEEPS_WAITING = frozenset({Reason.TOO_SLOW, Reason.TIMEOUT})


async def _read(head: Head, limits: Limits) -> Body:
    """The body. That of a redirect or an error is only for people: what is wrong with it does not matter,
    unless it keeps us waiting."""
    announced, most = head.headers.get("Content-Length"), limits.max_bytes
    encoding = ",".join(head.headers.getall("Content-Encoding"))
    try:
        if announced is not None and not limits.truncate:  # the parser took it for a number
            digits = announced.lstrip("0")
            if len(digits) > _LENGTH_DIGITS or int(digits or "0") > most:
                raise NetError(Reason.TOO_LARGE, f"{announced[:30]} bytes announced, {most} allowed")
        return await read_body(head.stream, encoding, most, truncate=limits.truncate)
    except NetError as error:
        if 200 <= head.status < 300 or error.code in _KEEPS_WAITING:
            raise
        return Body(b"", True)


def _was_stale(connection: Connection, error: NetError) -> bool:
    """The server had closed the idle connection: nothing of an answer came."""
    return connection.received == 0 and error.code == Reason.CONNECTION_RESET


def _location(target: ParsedUrl, head: Head) -> str | None:
    return join(target, head.headers.address("Location") or "")


def header_lines(headers: Mapping[str, str]) -> bytes:
    """Header lines as bytes. One that cannot be sent whole is left out: validators come from sites."""
    lines = [
        f"{name}: {value}\r\n"
        for name, value in headers.items()
        if not _UNSENDABLE.search(value) and not _UNSENDABLE.search(name)
    ]
    text = "".join(lines)
    try:
        return text.encode("latin-1")  # validators are kept one character per byte
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def verifying_tls() -> ssl.SSLContext:
    """The machine's certificates, host names checked, TLS 1.2 or newer, HTTP/1.1 only."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context
