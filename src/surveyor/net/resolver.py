"""Names to addresses: asks once, remembers briefly, never blocks the event loop.

`net.hosts` comes before DNS. The system's resolver is asked in a thread of its own,
because it knows /etc/hosts, search domains and the rest, and cannot be interrupted: a
lookup that hangs is left behind in its daemon thread, and counts against the number of
lookups at once until it ends. Those who ask for the same name meanwhile share the answer.

A name that nobody could be asked about has a dead name server, or this machine has no network. Other
names distinguish them: where none was answered about that time, it is the network.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from surveyor.errors import BadSettings, NetError
from surveyor.net.guard import parse_address
from surveyor.net.reasons import OUR_FAULT, Reason, translate

Lookup = Callable[[str], Sequence[str]]
"""A blocking question: the addresses of a name. Raises OSError when it has none."""

KEEP_SECONDS: Final = 60.0  # below the usual TTLs; one answer serves a site's robots, home page and retries
KEEP_FAILURE_SECONDS: Final = 5.0  # a visit asks for https, http and robots within a second or two
WITNESS_SECONDS: Final = 5.0  # so long before a lookup, an answer about another name still proves the network
MAX_KEPT: Final = 10_000  # names; about 2 MB
LOOKUPS_AT_ONCE: Final = 32  # threads; dead names block theirs for ten seconds and more
MAX_ADDRESSES: Final = 64  # a larger answer is cut: only a few would ever be dialled


class Endpoint(NamedTuple):
    address: str
    port: int


class _Kept(NamedTuple):
    until: float
    addresses: tuple[str, ...]
    error: NetError | None


class Resolver:
    """Answers for one process; belongs to one event loop."""

    def __init__(self, hosts: Mapping[str, str] | None = None, *, lookup: Lookup | None = None) -> None:
        self._hosts = {name.lower(): _endpoint(name, text) for name, text in (hosts or {}).items()}
        self._lookup = system_lookup if lookup is None else lookup
        self._kept: dict[str, _Kept] = {}
        self._asked: dict[str, asyncio.Future[_Kept]] = {}
        self._begun: dict[str, float] = {}  # when a lookup that is under way got its turn
        self._slots = asyncio.Semaphore(LOOKUPS_AT_ONCE)
        self._waiting: set[asyncio.Task[None]] = set()
        self._answered_at = float("-inf")  # when a lookup was last answered, if only with "no such name"

    async def resolve(self, host: str, port: int) -> tuple[Endpoint, ...]:
        """Every endpoint of a host, IPv4 first; NetError (`dns_failure`, `no_network`) when there is none.

        IPv4 comes first because a broken way to IPv6 is far more common than the reverse.
        """
        if self._hosts and (mapped := self._hosts.get(host)) is not None:
            return (Endpoint(mapped.address, mapped.port or port),)
        answer = self._kept.get(host)
        if answer is None and parse_address(host) is not None:
            return (Endpoint(host, port),)
        if answer is None or answer.until <= time.monotonic():
            answer = await self._ask(host)
        if answer.error is not None:
            raise NetError(answer.error.code, answer.error.detail)
        return tuple(Endpoint(address, port) for address in answer.addresses)

    def unanswered(self, since: float) -> Reason:
        """What it means that a lookup that began then (monotonic seconds) was not answered."""
        is_network_up = self._answered_at >= since - WITNESS_SECONDS
        return Reason.DNS_FAILURE if is_network_up else Reason.NO_NETWORK

    def overdue(self, host: str, since: float) -> Reason:
        """What it means that somebody who asked for a host then has no answer by now.

        A lookup that waited for its turn longer than it took so far says nothing about its host: this machine
        has more names to look up than its resolver answers.
        """
        began = self._begun.get(host)
        if began is None or began - since > time.monotonic() - began:
            return Reason.LOCAL_FAILURE
        return self.unanswered(since)

    async def _ask(self, host: str) -> _Kept:
        asked = self._asked.get(host)
        if asked is None:
            asked = self._asked[host] = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(self._start(host, asked))
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)
        # Whoever gives up must not take the answer from the others.
        return await asyncio.shield(asked)

    async def _start(self, host: str, asked: asyncio.Future[_Kept]) -> None:
        await self._slots.acquire()
        loop, began = asyncio.get_running_loop(), time.monotonic()
        self._begun[host] = began

        def work() -> None:
            kept = _answered(host, self._lookup)
            # A process that ends does not wait for its lookups; then there is no loop to notify.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._resolved, host, kept, asked, began)

        try:
            threading.Thread(target=work, name=f"lookup {host}", daemon=True).start()
        except RuntimeError:
            failure = NetError(Reason.LOCAL_FAILURE, "this machine cannot start another thread")
            self._resolved(host, _Kept(0.0, (), failure), asked, began)

    def _resolved(self, host: str, kept: _Kept, asked: asyncio.Future[_Kept], began: float) -> None:
        if kept.error is None or kept.error.code == Reason.DNS_FAILURE:
            self._answered_at = time.monotonic()
        elif kept.error.code == Reason.NO_NETWORK:
            kept = kept._replace(error=NetError(self.unanswered(began), kept.error.detail))
        self._slots.release()
        self._asked.pop(host, None)
        self._begun.pop(host, None)
        self._kept.pop(host, None)
        while len(self._kept) >= MAX_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[host] = kept
        if not asked.done():
            asked.set_result(kept)

    def close(self) -> None:
        """Forget everything; lookups under way end unheard."""
        gone = _Kept(0.0, (), NetError(Reason.LOCAL_FAILURE, "the client was closed"))
        for task in self._waiting:
            task.cancel()
        for asked in self._asked.values():
            if not asked.done():
                asked.set_result(gone)
        self._asked.clear()
        self._kept.clear()


def system_lookup(host: str) -> Sequence[str]:
    """What the machine's own resolver says. As bytes: the IDNA codec would raise on odd names."""
    try:
        answers = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    except socket.gaierror:
        # Of a process that may open nothing more, the C library says that no name exists.
        os.close(os.open(os.devnull, os.O_RDONLY))
        raise
    return [str(answer[4][0]) for answer in answers]


def _answered(host: str, lookup: Lookup) -> _Kept:
    now = time.monotonic
    try:
        addresses = tuple(dict.fromkeys(lookup(host)))[:MAX_ADDRESSES]
    except Exception as error:  # whatever it is, those who wait must hear of it
        failure = translate(error, host)
        code = failure.code if failure.code in OUR_FAULT else Reason.DNS_FAILURE
        return _Kept(now() + KEEP_FAILURE_SECONDS, (), NetError(code, failure.detail))
    if not addresses:
        failure = NetError(Reason.DNS_FAILURE, f"{host}: the name has no address")
        return _Kept(now() + KEEP_FAILURE_SECONDS, (), failure)
    return _Kept(now() + KEEP_SECONDS, tuple(sorted(addresses, key=_is_v6)), None)


def _is_v6(address: str) -> bool:
    return ":" in address


def _endpoint(name: str, text: str) -> Endpoint:
    """`address`, `address:port` or `[address]:port`; port 0 means: the URL's own."""
    address, port = text, ""
    if text.startswith("["):
        address, _, port = text[1:].partition("]")
        port = port.removeprefix(":")
    elif text.count(":") == 1:
        address, _, port = text.partition(":")
    good_port = port == "" or (port.isascii() and port.isdigit() and 0 < int(port) < 65_536)
    if parse_address(address) is None or not good_port:
        raise BadSettings(f"net.hosts: “{text}” for {name} is no address[:port]; write it like 10.0.0.5:8080")
    return Endpoint(address, int(port or 0))
