"""A handful of invented sites on loopback, for the demo: one port, told apart by name.

Most are small and friendly. `lom.example` asks every visitor to stay out of /private,
`thrace.example` answers 403 to everything, `aegean.example` denies all robots.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter

from aiohttp import web

from surveyor.names import canonical_domain

_TOPICS = ("grants", "scholarships", "calls", "projects", "news", "people", "reports", "events")
_PAGES_PER_TOPIC = 4
FRIENDLY = (
    "rila.example",
    "danube.example",
    "nord.example",
    "lom.example",
    "euxine.example",
    "morava.example",
)
SHUT, DENYING = "thrace.example", "aegean.example"
NAMES = (*FRIENDLY, SHUT, DENYING)


class DemoSite:
    """Serves until closed, and counts what it was asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def start(self) -> None:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def close(self) -> None:
        if self._runner:
            await self._runner.cleanup()

    def environment(self) -> dict[str, str]:
        """The settings that lead a crawler here; everything else is as on the open web."""
        address = f"127.0.0.1:{self.port}"
        hosts = {name: address for domain in NAMES for name in (domain, f"www.{domain}")}
        return {"SURVEYOR_NET__HOSTS": json.dumps(hosts), "SURVEYOR_NET__ALLOW": '["127.0.0.0/8"]'}

    async def _answer(self, request: web.Request) -> web.Response:
        host = canonical_domain(request.host.split(":")[0])
        if request.path == "/robots.txt":
            return web.Response(text=_robots(host))
        self.asked[f"{host}{request.path}"] += 1
        await asyncio.sleep(0.005)
        if host == SHUT:
            raise web.HTTPForbidden
        if not _exists(request.path):
            raise web.HTTPNotFound
        return web.Response(text=_page(host, request.path), content_type="text/html")


def _robots(host: str) -> str:
    if host == DENYING:
        return "User-agent: *\nDisallow: /\n"
    return "User-agent: *\nDisallow: /private/\n" if host == "lom.example" else ""


def _exists(path: str) -> bool:
    topic, _, number = path.strip("/").partition("/")
    return path == "/" or topic == "private" or (topic in _TOPICS and (not number or number.isdigit()))


def _page(host: str, path: str) -> str:
    topic, _, number = path.strip("/").partition("/")
    if path == "/":
        links = [f"/{name}/" for name in _TOPICS] + ["/private/minutes"]
    elif not number:
        links = [f"/{topic}/{index}" for index in range(1, _PAGES_PER_TOPIC + 1)] + ["/"]
    else:
        links = [f"/{topic}/", "/"]
    listed = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    head = f"<!doctype html><title>{path} - {host}</title><h1>{host}{path}</h1>"
    return f"{head}<p>{host} writes about {topic or 'many things'}.</p><ul>{listed}</ul>"
