"""The server: all hosts on one loopback port, one line in the log for each request.

It reads its sockets itself, because only so the kernel tells when a request arrived. A TLS
handshake is met by closing the connection at its first byte (0x16), so a crawler that tries https
first learns at once that there is none.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.site.hosts import GraphHost, Host, not_found
from tests.support.site.living import told
from tests.support.site.log import HELLO, Entry, LogWriter
from tests.support.site.spec import Manner, SiteSpec
from tests.support.site.special import build
from tests.support.site.wire import Answer, Request, answer, parse, text_page

_SO_TIMESTAMPNS = 35  # Linux; the standard library has no name for it
_TIMESPEC = struct.Struct("@qq")
_ANCILLARY = socket.CMSG_SPACE(_TIMESPEC.size) if hasattr(socket, "CMSG_SPACE") else 0
_READ_BYTES = 65_536
_HEAD_BYTES = 65_536
_BACKLOG = 1_024
# Two clocks are read this near to each other, or the nearest of so many readings is taken.
_NEAR_NS, _READINGS, _UNLIKELY_NS = 20_000, 20, 1 << 62
_POLITE = Manner()


class OpenConnection(NamedTuple):
    """A connection that a client holds, and what it waits for."""

    connection: int
    port: int
    host: str
    target: str
    """Empty: it waits for nothing."""
    start: int


class SiteServer:
    """Belongs to one event loop."""

    def __init__(self, spec: SiteSpec, log: Path) -> None:
        self.spec, self.log = spec, log
        self.port = 0
        self.requests = 0
        """Answered, aborted and open ones."""
        self.manners = dict(spec.manners)
        self._hosts: dict[str, Host] = {
            name: GraphHost(graph, spec.graph.body_bytes, spec.latency, spec.validators)
            for name, graph in spec.graph.by_name.items()
        }
        self._hosts |= {name: build(name, options) for name, options in spec.special.items()}
        self._asked: Counter[str] = Counter()
        self._connections: dict[int, _Connection] = {}
        self._accepted = 0
        self.writer = LogWriter(log)

    @classmethod
    @asynccontextmanager
    async def serve(cls, spec: SiteSpec, log: Path) -> AsyncIterator[SiteServer]:
        """Listen on a free port of 127.0.0.1."""
        self = cls(spec, log)
        listener = socket.socket()
        with contextlib.suppress(OSError):  # without it `start` is when the server came to read
            listener.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen(_BACKLOG)
        listener.setblocking(False)
        self.port = listener.getsockname()[1]
        loop = asyncio.get_running_loop()
        loop.add_reader(listener, self._accept, listener)
        try:
            yield self
        finally:
            loop.remove_reader(listener)
            listener.close()
            for connection in list(self._connections.values()):
                connection.lost()
            self.writer.close()

    def open_connections(self) -> list[OpenConnection]:
        return [connection.told() for connection in self._connections.values()]

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
            while True:
                sock, (_, port) = listener.accept()
                self._accepted += 1
                self._connections[self._accepted] = _Connection(self, sock, self._accepted, port)

    def tell(self, name: str, what: dict[str, Any]) -> None:
        """Something that a living host does from now on."""
        told(self._hosts[name], what)

    def forget(self, connection: int) -> None:
        self._connections.pop(connection, None)

    def answer(self, request: Request) -> Answer:
        name = request.name
        manner = self.manners.get(name, _POLITE)
        found = self._manned(name, manner, request.target)
        if found is None:
            host = self._hosts.get(name) or self._hosts.get(name.partition(".")[2])
            found = host.answer(request) if host else not_found(request.target)
        return found._replace(wait=found.wait + manner.wait) if manner.wait else found

    def _manned(self, name: str, manner: Manner, target: str) -> Answer | None:
        """What a host's manner says, before its pages are asked."""
        if target == "/robots.txt":
            if isinstance(manner.robots, int):
                return answer(manner.robots)
            return None if manner.robots is None else answer(200, manner.robots, "text/plain")
        if manner.status is None:
            return None
        self._asked[name] += 1
        if self._asked[name] <= manner.after:
            return None
        body = "<title>No</title><p>Not now.</p>"
        if manner.retry_after is None:
            return answer(manner.status, body)
        return answer(manner.status, body, retry_after=manner.retry_after)


class _Connection:
    """One client: reads requests, and answers them one after the other."""

    __slots__ = (
        "_answer", "_arrived", "_buffer", "_end", "_heard", "_loop", "_number", "_port", "_request", "_rest",
        "_server", "_sock", "_timer", "_used",
    )  # fmt: skip

    def __init__(self, server: SiteServer, sock: socket.socket, number: int, port: int) -> None:
        self._server, self._sock, self._number, self._port = server, sock, number, port
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._used = False
        self._arrived = self._heard = self._end = 0
        self._request: Request | None = None
        self._answer: Answer | None = None
        self._rest: list[memoryview] = []
        self._timer: asyncio.TimerHandle | None = None
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._loop.add_reader(sock, self._readable)

    def told(self) -> OpenConnection:
        request = self._request
        host, target = (request.host, request.target) if request else ("", "")
        return OpenConnection(self._number, self._port, host, target, self._arrived)

    def _readable(self) -> None:
        try:
            data, extra, _, _ = self._sock.recvmsg(_READ_BYTES, _ANCILLARY)
        except BlockingIOError:
            return
        except OSError:
            data, extra = b"", []
        if not data:
            self.lost()
            return
        arrived = _arrival(extra)
        if not self._used and data[0] == 0x16:
            self._log(Entry(arrived, arrived, self._number, self._port, "-", HELLO, "-", 0, False, 0, "-"))
            self._close()
            return
        self._used = True
        self._buffer += data
        self._heard = arrived
        if self._request is None:
            self._next()

    def _next(self) -> None:
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            if len(self._buffer) > _HEAD_BYTES:
                self._close()
            return
        self._buffer = rest
        self._arrived = self._heard
        self._server.requests += 1
        self._request = request = parse(head)
        if request is None:
            self._request = Request("?", "?", "?", head)
            self._answer = text_page("Bad request", "That was no request.", status=400)
        else:
            self._answer = self._server.answer(request)
        if self._answer.wait:
            self._timer = self._loop.call_later(self._answer.wait, self._send)
        else:
            self._send()

    def _send(self) -> None:
        assert self._answer is not None and self._request is not None
        self._timer = None
        parts = self._answer.parts[:1] if self._request.method == "HEAD" else self._answer.parts
        self._rest = [memoryview(part) for part in parts if part]
        self._writable()

    def _writable(self) -> None:
        self._end = time.monotonic_ns()  # before the bytes go: the client may be quicker than this line
        try:
            sent = self._sock.sendmsg(self._rest)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.lost()
            return
        self._rest = _behind(self._rest, sent)
        if self._rest:
            self._loop.add_writer(self._sock, self._writable)
            return
        self._loop.remove_writer(self._sock)
        self._finish()

    def _finish(self) -> None:
        assert self._answer is not None and self._request is not None
        request = self._request
        self._log(self._entry(self._answer.status, aborted=False))
        self._request = self._answer = None
        if request.header("connection").lower() == "close":
            self._close()
        elif self._buffer:
            self._next()  # it was sent before this answer was out, and its time says so

    def lost(self) -> None:
        """The client is gone, or the server closes."""
        if self._request is not None:
            self._end = time.monotonic_ns()
            self._log(self._entry(0, aborted=True))
            self._request = None
        self._close()

    def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._sock)
        self._loop.remove_writer(self._sock)
        self._sock.close()
        self._server.forget(self._number)

    def _entry(self, status: int, *, aborted: bool) -> Entry:
        assert self._request is not None
        request, hold = self._request, self._answer.hold if self._answer else 0
        agent = request.header("user-agent").partition("(+")[2].rstrip(")") or "-"
        return Entry(
            self._arrived,
            self._end,
            self._number,
            self._port,
            request.host or "-",
            request.method,
            request.target,
            status,
            aborted,
            hold,
            agent.replace("\t", " "),
        )

    def _log(self, entry: Entry) -> None:
        self._server.writer.write(entry)


def _behind(parts: Sequence[memoryview], sent: int) -> list[memoryview]:
    """What is left of the parts after so many bytes."""
    left = []
    for part in parts:
        if sent >= len(part):
            sent -= len(part)
        else:
            left.append(part[sent:])
            sent = 0
    return left


def _arrival(extra: Sequence[tuple[int, int, bytes]]) -> int:
    """When the bytes came to this machine, on the monotonic clock; now, where the kernel does not tell."""
    now = time.monotonic_ns()
    for level, kind, data in extra:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS and len(data) >= _TIMESPEC.size:
            seconds, nanoseconds = map(int, _TIMESPEC.unpack_from(data))
            return min(now, seconds * 1_000_000_000 + nanoseconds + _from_wall_clock())
    return now


def _from_wall_clock() -> int:
    """What turns a time of day into one of the monotonic clock, in nanoseconds.

    Both are read one after the other. Whoever is put off between the two readings would shift the time by
    as much, so the nearest pair of a few counts.
    """
    gap, best = _UNLIKELY_NS, 0
    for _ in range(_READINGS):
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        if after - before < gap:
            gap, best = after - before, before + (after - before) // 2 - wall
        if gap < _NEAR_NS:
            break
    return best
