"""One connection: sends a request and hands out its answer, within limits of size and time.

The parser is the one aiohttp is built on (llhttp, in C). aiohttp's own session is left out:
it costs twice the CPU, repeats a request by itself, and decides on its own which
address is dialled. Promises: one answer per request; no more than `HEAD_BYTES` are read
for a head; one timer watches over deadline and rate; whatever goes wrong is raised, as
`NetError`, to whoever waits for the answer, and the connection is then dropped, not drained.
"""

from __future__ import annotations

import asyncio
from typing import Final, NamedTuple

from aiohttp.base_protocol import BaseProtocol
from aiohttp.http import HttpResponseParser, RawResponseMessage
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader
from multidict import CIMultiDictProxy

from surveyor.errors import NetError
from surveyor.net.reasons import Reason, translate

HEAD_BYTES: Final = 65_536  # a whole head, interim answers included; browsers stop at 256 KiB
FIELD_BYTES: Final = 32_768  # one header line; real policies and Link headers reach 16 KiB
HEADERS: Final = 256  # header lines; real heads have under 60
BUFFER_BYTES: Final = 262_144  # what one read of the event loop brings; above twice that, reading pauses
LOOK_SECONDS: Final = 1.0  # how often the rate of a slow body is looked at

_NO_BODY = frozenset({204, 304})


class Patience(NamedTuple):
    """How long an answer may take. Times are those of the event loop's clock."""

    deadline: float
    grace: float  # seconds after the head before the rate counts
    bytes_per_second: int


class Head(NamedTuple):
    """The head of an answer; the body is still to be read from `stream`."""

    status: int
    phrase: str
    version: str
    headers: CIMultiDictProxy[str]
    raw_headers: tuple[tuple[bytes, bytes], ...]
    stream: StreamReader


class Connection(BaseProtocol):
    """Serves one exchange at a time: `begin`, read the stream, `finish`."""

    __slots__ = (
        "_began_body",
        "_head",
        "_last",
        "_patience",
        "_payload",
        "_watch",
        "address",
        "host",
        "idle_since",
        "received",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop, host: str, address: str) -> None:
        super().__init__(loop)
        self.host, self.address = host, address
        self.received = 0  # bytes of the present answer, framing included
        self.idle_since = 0.0
        self._head: asyncio.Future[Head] | None = None
        self._payload: StreamReader | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._last = False  # no further exchange may follow
        self._began_body = 0.0

    @property
    def is_open(self) -> bool:
        return self.transport is not None and not self.transport.is_closing()

    def begin(self, request: bytes, patience: Patience) -> asyncio.Future[Head]:
        """Send a request; the future brings the head of its answer."""
        assert self._parser is None
        self.received = 0
        if self.transport is None or self.transport.is_closing():
            raise NetError(Reason.CONNECTION_RESET, f"{self.host}: closed before it was asked")
        # A parser per answer: nothing that one answer left behind can colour the next.
        self._parser = HttpResponseParser(
            self,
            self._loop,
            BUFFER_BYTES,
            max_line_size=FIELD_BYTES,
            max_field_size=FIELD_BYTES,
            max_headers=HEADERS,
            read_until_eof=True,
            auto_decompress=False,
        )
        self._head = head = self._loop.create_future()
        self._patience = patience
        self._watch = self._loop.call_at(
            min(patience.deadline, self._loop.time() + patience.grace), self._look
        )
        self.transport.write(request)
        return head

    def finish(self) -> bool:
        """End the exchange; True when the connection can serve another one."""
        payload, ended = self._payload, self._head is not None and self._head.done()
        clean = ended and not self._last and self.is_open and payload is not None and _is_spent(payload)
        self._clear()
        if not clean:
            self.drop()
        return clean

    def drop(self) -> None:
        """Close at once; what the peer still sends is not read."""
        self._clear()
        if self.transport is not None:
            self.transport.abort()

    def _clear(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        if self._head is not None and not self._head.done():
            self._head.cancel()
        self._watch = self._head = self._payload = self._parser = None

    def data_received(self, data: bytes) -> None:
        if self._parser is None:
            if data:  # nobody asked for anything
                self.drop()
            return
        self.received += len(data)
        try:
            messages, _, _ = self._parser.feed_data(data)
        except Exception as error:  # the parser's errors, and its assertions
            self._fail(NetError(Reason.BAD_RESPONSE, translate(error, self.host).detail))
            return
        for message, payload in messages:
            self._heard(message, payload)
        if self._head is not None and not self._head.done() and self.received > HEAD_BYTES:
            self._fail(NetError(Reason.BAD_RESPONSE, f"{self.host}: a head of more than {HEAD_BYTES} bytes"))

    def _heard(self, message: RawResponseMessage, payload: StreamReader) -> None:
        if self._head is None or self._head.done():
            self._last = True  # a second answer to one request
            return
        problem = _problem(message)
        if problem is not None:
            self._fail(NetError(Reason.BAD_RESPONSE, f"{self.host}: {problem}"))
        elif message.code >= 200:
            self._last = message.should_close or (message.chunked and message.code in _NO_BODY)
            self._payload = payload
            self._began_body = self._loop.time()
            self._head.set_result(_head(message, payload))

    def connection_lost(self, exc: BaseException | None) -> None:
        parser, payload = self._parser, self._payload
        super().connection_lost(exc)
        if parser is None:
            return
        if exc is not None:
            self._fail(NetError(Reason.CONNECTION_RESET, translate(exc, self.host).detail))
        elif payload is None:
            self._fail(NetError(Reason.CONNECTION_RESET, f"{self.host}: closed before it answered"))
        elif not payload.is_eof():
            try:
                parser.feed_eof()
            except Exception as error:
                self._fail(NetError(Reason.BAD_RESPONSE, translate(error, self.host).detail))

    def _look(self) -> None:
        """The timer: is the deadline over, or the body slower than it may be?"""
        now, (deadline, grace, rate) = self._loop.time(), self._patience
        if self._payload is None:
            if now >= deadline:
                return self._fail(NetError(Reason.TIMEOUT, f"{self.host}: no answer in the time allowed"))
        else:
            since = now - self._began_body
            if now >= deadline or (since >= grace and self.received < rate * since):
                told = f"{self.host}: {self.received} bytes in {since:.1f} s"
                return self._fail(NetError(Reason.TOO_SLOW, told))
        self._watch = self._loop.call_at(min(deadline, now + min(LOOK_SECONDS, grace)), self._look)
        return None

    def _fail(self, error: NetError) -> None:
        """Tell whoever waits, and drop the connection."""
        if self._head is not None and not self._head.done():
            self._head.set_exception(error)
        elif self._payload is not None and not self._payload.is_eof():
            self._payload.set_exception(error)
        self.drop()


def _head(message: RawResponseMessage, payload: StreamReader) -> Head:
    return Head(
        status=message.code,
        phrase=message.reason or "",
        version=f"{message.version.major}.{message.version.minor}",
        headers=message.headers,
        raw_headers=message.raw_headers,
        stream=EMPTY_PAYLOAD if message.code in _NO_BODY else payload,
    )


def _problem(message: RawResponseMessage) -> str | None:
    """What the parser lets through and we do not."""
    if message.code == 101:
        return "it switches protocols unasked"
    coding = message.headers.get("Transfer-Encoding")
    if coding is not None and coding.strip().lower() != "chunked":
        return "a transfer encoding nobody offered"
    return None


def _is_spent(payload: StreamReader) -> bool:
    """Read to its end; or (204, 304) announced by Content-Length and, rightly, never sent."""
    return payload.is_eof() or payload.total_bytes == 0
