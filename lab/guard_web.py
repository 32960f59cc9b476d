"""The whole web of `lab guard`: one listener on all addresses, which remembers who came where.

Hosts of the lab have a home page and pages that lead to a forbidden place in every way a page can.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import quote, unquote

from tests.support.site.wire import Answer, Request, answer, parse, text_page

PORTS = (80, 443, 8080, 22, 25, 6379)
CODES = (301, 302, 303, 307, 308)
HOPS = (1, 2, 3, 4, 5)
PAGES = ("/", "/canonical", "/refresh", "/links", *(f"/moved/{code}" for code in CODES))
"""What a crawl must have fetched from each host."""


def chain(code: int, hops: int, to: str) -> str:
    """A path that redirects so often before it leads to an address."""
    return f"/hop/{code}/{hops}/{quote(to, safe='')}"


class Web:
    def __init__(self) -> None:
        self.accepted: list[tuple[str, int]] = []
        """Address and port of every connection, as its client wrote it."""
        self.asked: Counter[tuple[str, str]] = Counter()
        self.robots = ""
        """The chain that robots.txt of robots.example begins."""
        self.leads: dict[str, str] = {}
        """Host -> the forbidden place its pages lead to."""

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[None]:
        servers = [
            await asyncio.start_server(self._connected, address, port)
            for port in PORTS
            for address in ("0.0.0.0", "::")
        ]
        try:
            yield
        finally:
            for server in servers:
                server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address, port = writer.get_extra_info("sockname")[:2]
        self.accepted.append((address.removeprefix("::ffff:"), port))
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while port != 443 and (request := parse((await reader.readuntil(b"\r\n\r\n"))[:-4])):
                for part in self._answer(request).parts:
                    writer.write(part)
                await writer.drain()
        writer.close()

    def _answer(self, request: Request) -> Answer:
        target, host = request.target, request.name
        self.asked[host, target] += 1
        if target.startswith("/hop/"):
            return _hop(target)
        if target == "/control":
            return answer(200, "control", "text/plain")
        if target == "/allow-all.txt":
            return answer(200, "User-agent: *\nDisallow:\n", "text/plain")
        if host == "robots.example":
            return _hop(self.robots)
        there = self.leads.get(host)
        return text_page("Nothing", status=404) if there is None else _page(host, target, there)


def _hop(target: str) -> Answer:
    _, _, code, left, to = target.split("/", 4)
    further = unquote(to) if left == "1" else f"/hop/{code}/{int(left) - 1}/{to}"
    return answer(int(code), location=_raw(further))


def _page(host: str, target: str, there: str) -> Answer:
    """One page of a host that wants us somewhere else."""
    about = f"What {host} says at {target} is of interest to nobody at all."
    if target == "/robots.txt":
        return answer(200, f"Sitemap: {there}/sitemap.xml\nSitemap: http://{host}/map.xml\n", "text/plain")
    if target in ("/map.xml", "/sitemap.xml"):
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        listed = f"<url><loc>{there}/listed</loc></url>"
        return answer(200, f'<urlset xmlns="{space}">{listed}</urlset>', "application/xml")
    if target == "/":
        return text_page(host, about, " ".join(f'<a href="{page}">{page}</a>' for page in PAGES))
    if target == "/canonical":
        return _with_head(about, f'<link rel="canonical" href="{there}/canonical">')
    if target == "/refresh":
        return _with_head(about, f'<meta http-equiv="refresh" content="0; url={there}/refresh">')
    if target == "/links":
        named = f'<a href="{there}/link">x</a><img src="{there}/a.png"><iframe src="{there}/f"></iframe>'
        feed = f'<link rel="alternate" type="application/rss+xml" href="{there}/feed">'
        return _with_head(about + named, feed + f'<link rel="icon" href="{there}/icon">')
    if target.startswith("/moved/"):
        there = _raw(there)
        return answer(int(target.rpartition("/")[2]), location=f"{there}/moved", refresh=f"0; url={there}/")
    return text_page("Nothing", about, status=404)


def _with_head(body: str, head: str) -> Answer:
    whole = f"<!doctype html><html><head><title>A page</title>{head}</head><body>{body}</body></html>"
    return answer(200, whole)


def _raw(address: str) -> str:
    """For a header, as servers send what is not ASCII: in UTF-8."""
    return address.encode().decode("latin-1")
