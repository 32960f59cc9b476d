"""Connections: opens them to addresses that the guard allows, and keeps those that can be reused.

A host is resolved once per connection; every address of the answer is shown to the guard,
one of them is dialled, and before a request is sent the peer must have that address,
so a name that resolves differently in between (DNS rebinding) gains nothing. The number and age of idle
connections are limited, so that thousands of domains do not add up.
"""

from __future__ import annotations

import asyncio
import errno
import ssl
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol

from surveyor.errors import NetError
from surveyor.net.connection import Connection
from surveyor.net.guard import ParsedUrl, parse_address
from surveyor.net.reasons import Reason, translate
from surveyor.net.resolver import Endpoint, Resolver

IDLE_SECONDS: Final = 20.0  # longer than the usual delay between two pages; servers close after 5 to 75 s
FEW_IDLE: Final = 512  # file descriptors; the usual limit of a process is 1,024
MOST_IDLE: Final = 2_048  # over TLS each holds 0.2 MB
MAX_ATTEMPTS: Final = 4  # addresses tried per connection
_NO_ROOM: Final = (errno.EMFILE, errno.ENFILE)  # too many open files: of the process, of the machine


class Rule(Protocol):
    """What a guard decides."""

    def check_target(self, scheme: str, host: str, port: int, domain: str | None = None) -> None: ...

    def check_addresses(self, host: str, addresses: Sequence[str]) -> None: ...


class Pool:
    def __init__(
        self, rule: Rule, resolver: Resolver, tls: ssl.SSLContext, *, connect_seconds: float, hosts: int = 0
    ) -> None:
        # Of hosts that are asked in turns, one fewer than there are would be none: each is dropped before
        # its turn comes.
        self._most_idle = min(max(FEW_IDLE, hosts), MOST_IDLE)
        self._rule, self._resolver, self._tls = rule, resolver, tls
        self._connect_seconds = connect_seconds
        self._idle: dict[tuple[str, str], list[Connection]] = {}  # least recently used first
        self._idle_count = 0
        self._sweep: asyncio.TimerHandle | None = None

    async def addresses(self, target: ParsedUrl) -> tuple[Endpoint, ...]:
        """Where a target would be dialled, after the guard saw every address."""
        endpoints = await self._resolver.resolve(target.host, target.port)
        self._rule.check_addresses(target.host, [endpoint.address for endpoint in endpoints])
        return endpoints

    def take(self, target: ParsedUrl) -> Connection | None:
        """An idle connection to the target's origin, the one used last."""
        key = (target.scheme, target.authority)
        kept = self._idle.get(key)
        while kept:
            connection = kept.pop()
            self._idle_count -= 1
            if not kept:
                del self._idle[key]
            if connection.is_open:
                return connection
        return None

    def give_back(self, target: ParsedUrl, connection: Connection) -> None:
        """Keep a connection for the next request to the same origin."""
        loop = asyncio.get_running_loop()
        key = (target.scheme, target.authority)
        connection.idle_since = loop.time()
        kept = self._idle.pop(key, [])
        kept.append(connection)
        self._idle[key] = kept
        self._idle_count += 1
        while self._idle_count > self._most_idle:
            self._drop_oldest()
        if self._sweep is None:
            self._sweep = loop.call_later(IDLE_SECONDS, self._swept)

    def _drop_oldest(self) -> None:
        key = next(iter(self._idle))
        self._idle[key].pop(0).drop()
        self._idle_count -= 1
        if not self._idle[key]:
            del self._idle[key]

    def _swept(self) -> None:
        """Drop what was idle for too long; look again while anything is kept."""
        self._sweep = None
        loop = asyncio.get_running_loop()
        oldest_kept = loop.time() - IDLE_SECONDS
        for key, kept in list(self._idle.items()):
            young = [c for c in kept if c.is_open and c.idle_since > oldest_kept]
            for connection in kept:
                if connection not in young:
                    connection.drop()
            self._idle_count -= len(kept) - len(young)
            if young:
                self._idle[key] = young
            else:
                del self._idle[key]
        if self._idle:
            self._sweep = loop.call_later(IDLE_SECONDS / 2, self._swept)

    async def dial(self, target: ParsedUrl, seconds: float) -> Connection:
        """A new connection, within `seconds` and the limit for connecting."""
        limit = min(seconds, self._connect_seconds)
        resolved, began = False, time.monotonic()
        try:
            async with asyncio.timeout(limit):
                endpoints = (await self.addresses(target))[:MAX_ATTEMPTS]
                resolved = True
                if len(endpoints) == 1 and ":" not in endpoints[0].address:
                    return await self._connect(target, endpoints[0])
                return await self._first(target, endpoints, limit)
        except TimeoutError:
            code = Reason.TIMEOUT if resolved else self._resolver.overdue(target.host, began)
            what = "connected" if resolved else "resolved"
            raise NetError(code, f"{target.host}: not {what} within {limit:g} s") from None

    async def _first(self, target: ParsedUrl, endpoints: Sequence[Endpoint], seconds: float) -> Connection:
        """The first endpoint that takes the connection; each gets its share of the time."""
        failures: list[NetError] = []
        for endpoint in endpoints:
            try:
                async with asyncio.timeout(seconds / len(endpoints)):
                    return await self._connect(target, endpoint)
            except Exception as error:
                failure = translate(error, target.host)
                if failure.code == Reason.NO_NETWORK and ":" in endpoint.address:
                    # Many machines have no way to IPv6 and want none: that is no network gone.
                    failure = NetError(Reason.CONNECTION_REFUSED, failure.detail)
                failures.append(failure)
        raise next((one for one in failures if one.code == Reason.NO_NETWORK), failures[-1])

    async def _connect(self, target: ParsedUrl, endpoint: Endpoint) -> Connection:
        """Dial; where this process may open nothing more, idle connections make room."""
        try:
            return await self._dialled(target, endpoint)
        except OSError as error:
            if error.errno not in _NO_ROOM or not self._idle:
                raise
        self._drop_idle()
        await asyncio.sleep(0)  # they are closed in the loop's next round
        return await self._dialled(target, endpoint)

    async def _dialled(self, target: ParsedUrl, endpoint: Endpoint) -> Connection:
        """Dial an address, which is never looked up again, and see that it is the one that answered."""
        loop, secure = asyncio.get_running_loop(), target.scheme == "https"
        connection = Connection(loop, target.host, endpoint.address)
        await loop.create_connection(
            lambda: connection,
            endpoint.address,
            endpoint.port,
            ssl=self._tls if secure else None,
            server_hostname=target.host.rstrip(".") if secure else None,
        )
        # None: it was closed at once, and whoever sends a request will hear so.
        peer = connection.transport and connection.transport.get_extra_info("peername")
        if peer and peer[0] != endpoint.address and parse_address(peer[0]) != parse_address(endpoint.address):
            connection.drop()
            reason = f"{target.host}: dialled {endpoint.address}, got {peer[0]}"
            raise NetError(Reason.FORBIDDEN_ADDRESS, reason)
        return connection

    def close(self) -> None:
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        self._drop_idle()

    def _drop_idle(self) -> None:
        for kept in self._idle.values():
            for connection in kept:
                with suppress(Exception):  # the rest shall be closed too
                    connection.drop()
        self._idle.clear()
        self._idle_count = 0
