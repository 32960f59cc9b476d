"""One connection: sends a request and gives its answer, within limits of size, time and work.

The parser is llhttp, in C, by way of `httptools`. Promises: one answer per request; no more than
`HEAD_BYTES` are read for a head; what frames a body is bounded by the body itself, and read no faster
than its work allows, whatever the peer sends; one timer watches over deadline and rate; whatever goes
wrong is raised, as `NetError`, to whoever waits for the answer, and the connection is then dropped, not
drained.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from surveyor.errors import NetError
from surveyor.net.reasons import Reason, said, translate
from surveyor.net.response_parser import Head, ResponseParser

HEAD_BYTES: Final = 65_536  # a whole head, interim answers included; browsers stop at 256 KiB
READ_BYTES: Final = 65_536  # taken from the socket at a time: parsed in a millisecond or two
BUFFER_BYTES: Final = 262_144  # of a body that nobody has taken yet; above it, reading pauses
# Chunk sizes, extensions and trailers beyond as many bytes as the body has. A page of 100 KB in chunks
# of one byte, as some programs write it by mistake, is within.
FRAMING_BYTES: Final = 1_048_576
# Framing is read at a megabyte a second: chunks of one byte take fifty times the work of a plain body, some
# 40 ns for each byte of framing, so a host that sends nothing else has a twentieth of the event loop. Small
# buffers alone do not help: uvloop reads up to 32 of them in one go.
FRAMING_BYTE_SECONDS: Final = 1e-6
FREE_FRAMING_BYTES: Final = 512  # in one read: 64 KiB in chunks of a kilobyte have less
_NO_CODING: Final = {b"identity", b""}  # what an older standard wrote for none
LOOK_SECONDS: Final = 1.0  # how often the rate of a slow body is looked at

# Where the event loop puts what came. One for all: it is empty again before the loop goes on.
_BUFFER: Final = memoryview(bytearray(READ_BYTES))


class Patience(NamedTuple):
    """How long an answer may take. Times are those of the event loop's clock."""

    deadline: float
    grace: float  # seconds after the head before the rate counts
    bytes_per_second: int


@dataclass(slots=True, eq=False)
class Connection(asyncio.BufferedProtocol):
    """Serves one exchange at a time: `begin`, read the stream, `finish`."""

    _loop: asyncio.AbstractEventLoop
    host: str
    address: str
    transport: asyncio.Transport | None = None
    received: int = 0  # bytes of the present answer, framing included
    idle_since: float = 0.0
    _answer: ResponseParser | None = None
    _head: asyncio.Future[Head] | None = None
    _watch: asyncio.TimerHandle | None = None
    _rest: asyncio.TimerHandle | None = None  # nothing is read until it is over
    _paused: bool = False
    _chunked: bool = False
    _began_body: float = 0.0
    _patience: Patience | None = None  # with the present answer

    @property
    def is_open(self) -> bool:
        return self.transport is not None and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def begin(self, request: bytes, patience: Patience) -> asyncio.Future[Head]:
        """Send a request; the future brings the head of its answer."""
        assert self._answer is None
        self.received = 0
        if self.transport is None or self.transport.is_closing():
            raise NetError(Reason.CONNECTION_RESET, f"{self.host}: closed before it was asked")
        # A parser per answer: nothing that one answer left behind can colour the next.
        self._answer = ResponseParser(self.resume)
        self._chunked = False
        self._head = head = self._loop.create_future()
        self._patience = patience
        self._watch = self._loop.call_at(
            min(patience.deadline, self._loop.time() + patience.grace), self._look
        )
        self.transport.write(request)
        return head

    def finish(self) -> bool:
        """End the exchange; True when the connection can serve another one."""
        answer = self._answer if self.is_open else None
        clean = (
            answer is not None and not answer.is_last and answer.stream.ended and not answer.stream.buffered
        )
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
        if self._rest is not None:
            self._rest.cancel()
        if self._answer is not None:
            self._answer.close()
        self._watch = self._head = self._answer = self._rest = None
        self.resume()

    def resume(self) -> None:
        """What had come is taken: let more come, unless there is a rest."""
        if self._paused and self._rest is None:
            if self.is_open:
                assert self.transport is not None
                self.transport.resume_reading()
            self._paused = False

    def get_buffer(self, sizehint: int) -> memoryview:
        return _BUFFER

    def buffer_updated(self, nbytes: int) -> None:
        answer = self._answer
        if answer is None:  # nobody asked for anything
            self.drop()
            return
        if answer.stream.ended:  # nor for this
            answer.is_last = True
            return
        self.received += nbytes
        try:
            fresh = answer.feed(_BUFFER[:nbytes])
        except Exception as error:  # the parser's; no callback of ours raises
            self._bad(answer.problem or said(error))
            return
        if self._head is not None and not self._head.done():
            self._heard(self._head, answer)
        if self._answer is not None and answer.status:
            self._came(answer, nbytes, fresh)

    def _heard(self, waiting: asyncio.Future[Head], answer: ResponseParser) -> None:
        if answer.problem is not None:
            self._bad(answer.problem)
        elif answer.status:
            head = answer.head()
            codings = {coding.lower() for coding in head.headers.raw("Transfer-Encoding")} - _NO_CODING
            self._chunked = codings == {b"chunked"}  # proxies say so twice
            if codings and not self._chunked:
                self._bad("a transfer encoding nobody offered")
                return
            self._began_body = self._loop.time()
            waiting.set_result(head)
        elif self.received > HEAD_BYTES:
            self._bad(f"a head of more than {HEAD_BYTES} bytes")

    def _came(self, answer: ResponseParser, nbytes: int, fresh: int) -> None:
        """Part of a body: wake its reader, pause before it is too much, refuse mere framing."""
        stream, framing = answer.stream, nbytes - fresh
        if self._chunked:
            if self.received - stream.total > HEAD_BYTES + FRAMING_BYTES + stream.total:
                self._bad(f"{self.received} bytes for a body of {stream.total}")
                return
            if framing > FREE_FRAMING_BYTES and self.received > READ_BYTES:
                self._rest_after(framing)
        stream.wake()
        if stream.buffered > BUFFER_BYTES:
            self._pause()

    def _pause(self) -> None:
        assert self._answer is not None
        if self.is_open and not self._answer.stream.ended:
            assert self.transport is not None
            self._paused = True
            self.transport.pause_reading()

    def _rest_after(self, framing: int) -> None:
        """Others have their turn, however fast the peer sends."""
        self._pause()
        if self._paused and self._rest is None:
            self._rest = self._loop.call_later(framing * FRAMING_BYTE_SECONDS, self._rested)

    def _rested(self) -> None:
        self._rest = None
        if self._answer is not None and self._answer.stream.buffered <= BUFFER_BYTES:
            self.resume()

    def eof_received(self) -> None:
        """`connection_lost` comes next."""

    def connection_lost(self, exc: BaseException | None) -> None:
        self.transport = None
        answer, head = self._answer, self._head
        if answer is None or answer.stream.ended:
            return
        if exc is not None:
            self._fail(NetError(Reason.CONNECTION_RESET, translate(exc, self.host).detail))
        elif head is None or not head.done():
            self._fail(NetError(Reason.CONNECTION_RESET, f"{self.host}: closed before it answered"))
        elif self._chunked or "Content-Length" in head.result().headers:
            self._bad("the body ends early")
        else:
            answer.stream.ended = answer.is_last = True
            answer.stream.wake()

    def _look(self) -> None:
        """The timer: is the deadline over, or the body slower than it may be?"""
        assert self._patience is not None
        now, (deadline, grace, rate) = self._loop.time(), self._patience
        if self._answer is None or not self._answer.status:
            if now >= deadline:
                return self._fail(NetError(Reason.TIMEOUT, f"{self.host}: no answer in the time allowed"))
        else:
            since = now - self._began_body
            if now >= deadline or (since >= grace and self.received < rate * since):
                message = f"{self.host}: {self.received} bytes in {since:.1f} s"
                return self._fail(NetError(Reason.TOO_SLOW, message))
        self._watch = self._loop.call_at(min(deadline, now + min(LOOK_SECONDS, grace)), self._look)
        return None

    def _bad(self, what: str) -> None:
        self._fail(NetError(Reason.BAD_RESPONSE, f"{self.host}: {what}"))

    def _fail(self, error: NetError) -> None:
        """Tell whoever waits, and drop the connection."""
        if self._head is not None and not self._head.done():
            self._head.set_exception(error)
        elif self._answer is not None:
            self._answer.stream.fail(error)
        self.drop()
