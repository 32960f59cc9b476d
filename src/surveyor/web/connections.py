"""Connections of the admin: how long a visitor may take, and how many one address may hold.

A visitor has so many seconds to send a request's head, its body, and to take the answer. When an address
holds its share, or all addresses together hold theirs, the oldest connection that waits for its visitor is
closed for a new one: a client that keeps hundreds open loses its own, never another's. Where every
connection has work under way, the new request is asked to come back; probes are answered even then.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from surveyor import logs
from surveyor.people.limits import address_prefix

# Whoever watches the process asks these; an answer costs next to nothing.
PROBES = ("/healthz", "/readyz")
_log = logs.get("web")


@dataclass(frozen=True, slots=True)
class Bounds:
    head_seconds: float = 10.0
    body_seconds: float = 30.0  # a megabyte at the speed of a poor phone
    answer_seconds: float = 60.0  # without taking a byte of it
    per_address: int = 50  # a browser opens six
    together: int = 500


USUAL = Bounds()


class Connections:
    """Those of one server, oldest first."""

    def __init__(self, bounds: Bounds = USUAL, proxies: Iterable[str] = ()) -> None:
        self.bounds = bounds
        self._open: dict[Connection, str | None] = {}  # whose it is; a proxy is nobody
        self._held: Counter[str | None] = Counter()
        self._proxies = [ipaddress.ip_network(text, strict=False) for text in proxies if _is_network(text)]

    def add(self, connection: Connection, address: str) -> None:
        owner = None if self._is_proxy(address) else address_prefix(address)
        if owner is not None and self._held[owner] >= self.bounds.per_address:
            self._make_room(owner)
        elif len(self._open) >= self.bounds.together:
            self._make_room(None)
        self._open[connection] = owner
        self._held[owner] += 1

    def remove(self, connection: Connection) -> None:
        if connection in self._open:
            owner = self._open.pop(connection)
            self._held[owner] -= 1
            if not self._held[owner]:
                del self._held[owner]

    def is_full(self, connection: Connection) -> bool:
        """Whether a request on it is one too many."""
        owner = self._open.get(connection)
        is_over = owner is not None and self._held[owner] > self.bounds.per_address
        return is_over or len(self._open) > self.bounds.together

    def _make_room(self, owner: str | None) -> None:
        """Close the oldest of theirs, or of anybody's, that waits for its visitor."""
        for connection, theirs in self._open.items():
            if owner in (None, theirs) and connection.waits_for_visitor:
                connection.hang_up()
                return

    def _is_proxy(self, address: str) -> bool:
        """Many visitors come from one proxy; it is the proxy that limits them."""
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self._proxies)


def _is_network(text: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_network(text, strict=False)
        return True
    return False


class Connection(H11Protocol):
    """One connection, held to its bounds. The parser is the same whatever else is installed."""

    def __init__(self, *given: Any, connections: Connections, **named: Any) -> None:
        super().__init__(*given, **named)
        self._all, self._bounds = connections, connections.bounds
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self.app = _Answering(self.app, self)

    @property
    def waits_for_visitor(self) -> bool:
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    @property
    def is_too_many(self) -> bool:
        return self._all.is_full(self)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._all.add(self, self.client[0] if self.client else "")
        self._start("head", self._bounds.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.remove(self)
        for name in list(self._timers):
            self._end(name)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._between_requests():
            self._start("head", self._bounds.head_seconds)
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start("answer", self._bounds.answer_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._end("answer")

    def hang_up(self) -> None:
        """Whatever was sent so far is thrown away; what was answered is sent."""
        self._all.remove(self)
        if not self.transport.is_closing():
            self.transport.close()

    def _between_requests(self) -> bool:
        return self.conn.their_state is h11.IDLE and "head" not in self._timers

    def _watch(self) -> None:
        """Start and end the clocks by what was received."""
        if self.conn.their_state is not h11.IDLE:
            self._end("head")
        if self.conn.their_state is h11.SEND_BODY:
            self._start("body", self._bounds.body_seconds)
        else:
            self._end("body")

    def _start(self, name: str, seconds: float) -> None:
        if name not in self._timers:
            self._timers[name] = self.loop.call_later(seconds, self._time_is_over, name)

    def _end(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _time_is_over(self, name: str) -> None:
        self._timers.pop(name, None)
        _log.debug("visitor took too long", over=name)
        self._all.remove(self)
        # A visitor that takes nothing would never take the rest either.
        self.transport.abort() if name == "answer" else self.hang_up()


class _Answering:
    """The application, or an answer that there are too many connections."""

    def __init__(self, app: ASGIApp, connection: Connection) -> None:
        self._app, self._connection = app, connection

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._connection.is_too_many and scope.get("path") not in PROBES:
            await _come_back(send)
        else:
            await self._app(scope, receive, send)


async def _come_back(send: Send) -> None:
    body = b"too many connections; come back in a moment\n"
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", b"5"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
