"""The small web itself: all sites on one loopback port, distinguished by name, and a search engine.

Sockets are read by hand, because a server that is never wrong could not play the sites that are. A TLS
handshake is met by closing the connection, so that a visitor who tries https first learns at once that
there is none. `change` may be called from any thread: it swaps a whole site.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from datetime import UTC, date, datetime
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import parse_qs

from surveyor.errors import BadInput, NotFound
from surveyor.smallweb.answers import Answer, Answers, Request
from surveyor.smallweb.http import LOCALHOST, parse, to_wire
from surveyor.smallweb.reading import load_sites
from surveyor.smallweb.search import Index, documents_of, searxng_json
from surveyor.smallweb.sites import Change, Site, changed

_TLS_HELLO = 0x16  # the first byte of a handshake
_HEAD_BYTES = 32_768
_IDLE_SECONDS = 30.0  # a connection that asks nothing for so long is closed
_SITES_PER_ADDRESS = 50  # requests at once: here all sites share one address
_MOST_ASKED = 200_000  # requests that are remembered; about 40 MB


class Asked(NamedTuple):
    """A request that was answered."""

    at: datetime
    host: str
    method: str
    target: str
    status: int


class SmallWeb:
    """`await start()`, then the sites answer at `hosts()` until `await close()`."""

    def __init__(self, sites: Mapping[str, Site] | None = None) -> None:
        self.sites = dict(sites or load_sites())
        self.asked: list[Asked] = []
        self.port = 0
        self.address = ""
        started = datetime.now(UTC)
        self.today: date = started.date()
        self._answers = Answers(started)
        self._index = Index(documents_of(self.sites, self.today))
        self._by_name = {name: host for host, site in self.sites.items() for name in site.names}
        self._server: asyncio.Server | None = None
        self._closed_door: socket.socket | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self, address: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; on loopback only, because these sites are made to misbehave."""
        if not _is_loopback(address):
            raise BadInput(f"the small web listens on loopback only, not on {address}; use 127.0.0.1")
        self.address = address
        try:
            self._server = await asyncio.start_server(self._serve, address, port, limit=_HEAD_BYTES)
        except OSError as error:
            raise BadInput(f"cannot listen on {address} port {port}: {error.strerror}") from None
        self.port = self._server.sockets[0].getsockname()[1]
        # Bound and never listening: whoever knocks is refused, and nobody else gets the port meanwhile.
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._closed_door = socket.socket(family)
        self._closed_door.bind((address, 0))

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()
        if self._closed_door is not None:
            self._closed_door.close()

    # -- for those who use it

    def hosts(self) -> dict[str, str]:
        """Every name and where it leads, for `net.hosts`; a name that does not resolve is not in it."""
        assert self._closed_door is not None, "start it first"
        here, nowhere = self._at(self.port), self._at(self._closed_door.getsockname()[1])
        return {
            name: nowhere if site.manner.away == "refused" else here
            for site in self.sites.values()
            if site.manner.away != "unknown"
            for name in site.names
        }

    def environment(self, *, delay_seconds: float | None = None) -> dict[str, str]:
        """The settings that lead Surveyor here; everything else is as on the open web."""
        network = "::1/128" if ":" in self.address else "127.0.0.0/8"
        found = {
            "SURVEYOR_NET__HOSTS": json.dumps(self.hosts()),
            "SURVEYOR_NET__ALLOW": json.dumps([network]),
            "SURVEYOR_NET__PER_ADDRESS": str(_SITES_PER_ADDRESS),
            "SURVEYOR_PROVIDERS__SEARXNG__BASE_URL": f"http://{self._at(self.port)}",
        }
        if delay_seconds is not None:
            found["SURVEYOR_CRAWL__DELAY_SECONDS"] = str(delay_seconds)
        return found

    def changes(self) -> dict[str, Change]:
        """What can be made to happen, by name."""
        return {change.name: change for site in self.sites.values() for change in site.changes}

    def change(self, name: str) -> Change:
        """Make it happen."""
        change = self.changes().get(name)
        if change is None:
            raise NotFound(f"the small web has no change “{name}”; there are: {', '.join(self.changes())}")
        self.sites[change.host] = changed(self.sites[change.host], change)
        return change

    def _at(self, port: int) -> str:
        return f"[{self.address}]:{port}" if ":" in self.address else f"{self.address}:{port}"

    # -- connections

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                while await self._one(reader, writer):
                    pass
        except (TimeoutError, asyncio.CancelledError):  # idle for long, or the server closes
            pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether there may be another."""
        async with asyncio.timeout(_IDLE_SECONDS):
            first = await reader.read(1)
            if not first or first[0] == _TLS_HELLO:
                return False
            head = first + await reader.readuntil(b"\r\n\r\n")
        request = parse(head)
        if request is None:
            writer.write(to_wire(Answer(400), "GET"))
            return False
        answer = await self._answered(request)
        self._note(Asked(datetime.now(UTC), request.host, request.method, request.target, answer.status))
        writer.write(to_wire(answer, request.method))
        await writer.drain()
        return request.headers.get("connection", "").lower() != "close"

    async def _answered(self, request: Request) -> Answer:
        if request.method not in ("GET", "HEAD"):
            return Answer(405, headers={"Allow": "GET, HEAD"})
        site = self.sites.get(self._by_name.get(request.host, ""))
        if site is None or site.manner.away:
            return self._desk(request)
        if site.manner.seconds:
            await asyncio.sleep(site.manner.seconds)
        return self._answers.answer(site, request, datetime.now(UTC))

    def _note(self, asked: Asked) -> None:
        self.asked.append(asked)
        if len(self.asked) > _MOST_ASKED:
            del self.asked[: _MOST_ASKED // 2]

    def _desk(self, request: Request) -> Answer:
        """What is asked of no site: the search engine, and a list for people."""
        asked = {name: values[0] for name, values in parse_qs(request.target.partition("?")[2]).items()}
        if request.path == "/search" and (query := asked.get("q", "").strip()):
            page = asked.get("pageno", "1")
            number = int(page) if page.isascii() and page.isdigit() and len(page) < 4 else 1
            language = asked.get("language", "").partition("-")[0]
            found = self._index.search(query, "" if language in ("all", "auto") else language, max(1, number))
            return Answer(200, searxng_json(query, found), "application/json")
        if request.path == "/search":
            return Answer(400, b'{"error": "q is missing"}', "application/json")
        return Answer(200, self._overview().encode()) if request.path == "/" else Answer(404)

    def _overview(self) -> str:
        rows = "".join(
            f'<li><a href="http://{host}{LOCALHOST}:{self.port}/">{host}</a> {html.escape(site.about)}</li>\n'
            for host, site in self.sites.items()
        )
        return f"<!doctype html><title>The small web</title><h1>The small web</h1><ul>\n{rows}</ul>"


@contextlib.contextmanager
def in_thread(sites: Mapping[str, Site] | None = None) -> Iterator[SmallWeb]:
    """The small web in a thread of its own, started; for whoever runs commands beside it."""
    ready: Future[SmallWeb] = Future()
    loop = asyncio.new_event_loop()

    async def begin() -> None:
        web = SmallWeb(sites)
        await web.start()
        ready.set_result(web)

    def work() -> None:
        try:
            loop.run_until_complete(begin())
            loop.run_forever()
        except BaseException as error:  # whoever waits must hear of it
            if not ready.done():
                ready.set_exception(error)

    thread = threading.Thread(target=work, name="small web", daemon=True)
    thread.start()
    try:
        web = ready.result()
        try:
            yield web
        finally:
            asyncio.run_coroutine_threadsafe(web.close(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
