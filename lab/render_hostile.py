"""Hostile pages in the product's browser, beside neighbours that are measured before and during it.

The hostile page is over when its time is, and no process of its browser holds more than a page may. One
neighbour is fetched and one is rendered by the same worker, one page after another. Their pages per second
are counted over a stretch in which the hostile page is shown again and again, at least as long as a page
may take, and over quiet stretches of half that length before and after it. Each kind of hostile page must
leave them four fifths of their speed, on the mean of its rounds.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from lab.claims import commit
from surveyor.net.fetcher import Fetcher, Response
from surveyor.net.response_parser import Headers
from surveyor.render import Browsed, RenderFailed, memory
from surveyor.render.browser import Renderer
from surveyor.settings import NetSettings, RenderSettings
from tests.support.scripted_web import FILLING, scripted_web

_SECONDS, _MEGABYTES = 8.0, 512
# Seconds beyond its own that a page may take until it is over: its last words, and those of its browser.
_GRACE = 15.0
_LEAST = 0.8
# Seconds between two requests of the fetched neighbour: a polite crawl of many domains.
_PACE = 0.02
_KEEP = "const kept = [];"
HOSTILE: Final = {
    "endless script": "for (;;) {}",
    "endless promises": "const f = () => Promise.resolve().then(f); f()",
    "10 GB of DOM": _KEEP + "for (let i = 0; i < 1e5; i++) { const d = document.createElement('div');"
    "d.textContent = i + 'x'.repeat(1e5); document.body.append(d); kept.push(d); }",
    "10 GB of arrays": _KEEP + "for (let i = 0; i < 200; i++) kept.push(new Uint8Array(5e7).fill(1))",
    "10 GB of blobs": _KEEP
    + "for (let i = 0; i < 200; i++) kept.push(new Blob([new Uint8Array(5e7).fill(i)]))",
    "alerts": "for (;;) { alert(1); confirm(2); prompt(3); }",
    "downloads": "setInterval(() => { const a = document.createElement('a'); a.download = 'x';"
    "a.href = URL.createObjectURL(new Blob([new Uint8Array(1e6)])); a.click(); }, 5)",
    "tabs": "setInterval(() => { for (let i = 0; i < 20; i++) window.open('about:blank'); }, 5)",
    "workers": "const u = URL.createObjectURL(new Blob(['for (;;) {}']));setInterval(() => new Worker(u), 5)",
    "requests": "setInterval(() => { for (let i = 0; i < 200; i++) fetch('/x').catch(() => 0); }, 1)",
    "console": "for (;;) console.log('x'.repeat(1e4))",
    "frames": "for (;;) { const f = document.createElement('iframe'); document.body.append(f); f.remove(); }",
    "navigation": "setInterval(() => { location = '/x' + Math.random(); }, 1)",
}


@dataclass
class _Neighbours:
    """What they got done."""

    fetched: int = 0
    rendered: int = 0


@dataclass(frozen=True)
class Outcome:
    name: str
    how: str
    seconds: float
    megabytes: int
    """The largest process of the browser, pages and others, at its worst."""
    quiet: float
    """Pages that the rendered neighbour does in a second when nobody is hostile."""
    fetched: float
    """The neighbour's speed, beside that when nobody was hostile."""
    rendered: float

    @property
    def is_contained(self) -> bool:
        return self.seconds <= _SECONDS + _GRACE and self.megabytes <= _MEGABYTES

    def __str__(self) -> str:
        return (
            f"{self.name:<18} {self.how:<34} {self.seconds:>5.1f} s {self.megabytes:>5} MB"
            f"  fetched {self.fetched:>4.0%}  rendered {self.rendered:>4.0%} of {self.quiet:.2f}/s"
        )


def run_hostile(rounds: int, only: str | None) -> int:
    print(f"render --hostile: {_SECONDS:.0f} s and {_MEGABYTES} MB for a page, {rounds} rounds, {commit()}")
    names = [each for each in HOSTILE if only is None or each in only.split(",")]
    with scripted_web({"good.example": {"/plain": ("text/html", f"<p>{FILLING}</p>")}}) as web:
        outcomes = asyncio.run(_Lab(web.port).run(names * rounds))
    contained = sum(each.is_contained for each in outcomes)
    kept = {name: _kept([each for each in outcomes if each.name == name]) for name in names}
    slow = {name: f"{least:.0%}" for name, least in kept.items() if least < _LEAST}
    print(f"{contained} of {len(outcomes)} contained; the slower neighbour kept {min(kept.values()):.0%}")
    sound = contained == len(outcomes) and not slow
    print("sound" if sound else f"FAILED: {slow}")
    return 0 if sound else 1


def _kept(rounds: list[Outcome]) -> float:
    """Of its speed, by the neighbour that lost most, on the mean of rounds."""
    return min(fmean(each.fetched for each in rounds), fmean(each.rendered for each in rounds))


class _Lab:
    def __init__(self, port: int) -> None:
        settings = RenderSettings(seconds=_SECONDS, max_memory_mb=_MEGABYTES, pages_at_once=2)
        self.renderer = Renderer(settings, "Surveyor/lab")
        net = NetSettings(hosts={"good.example": f"127.0.0.1:{port}"}, allow=("127.0.0.0/8",))
        self.fetcher = Fetcher(net)
        self.done = _Neighbours()
        self.worst = self.sites = 0

    async def run(self, names: list[str]) -> list[Outcome]:
        async with self.fetcher:
            await _show(self.renderer, _GOOD)
            beside = [asyncio.create_task(each()) for each in (self._fetch, self._render, self._watch)]
            try:
                return [await self._outcome(name) for name in names]
            finally:
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)
                await self.renderer.close()

    async def _outcome(self, name: str) -> Outcome:
        """Measured before and after as well: a machine that others use as well is not equally fast."""
        page = f"<body><p>hostile</p><script>{HOSTILE[name]}</script>"
        before = await self._speeds(lambda: asyncio.sleep(_SECONDS / 2))
        self.worst = 0
        self.sites += 1
        site = f"hostile-{self.sites}.example"
        started, took, how = time.monotonic(), 0.0, ""

        async def show() -> None:
            nonlocal took, how
            while time.monotonic() - started < _SECONDS:
                began = time.monotonic()
                how = await _show(self.renderer, page, site)
                took = max(took, time.monotonic() - began)

        during = await self._speeds(show)
        worst = self.worst
        after = await self._speeds(lambda: asyncio.sleep(_SECONDS / 2))
        quiet = [(a + b) / 2 for a, b in zip(before, after, strict=True)]
        kept = [min(1.0, now / max(then, 1e-9)) for now, then in zip(during, quiet, strict=True)]
        outcome = Outcome(name, how, took, worst // 1_000_000, quiet[1], *kept)
        print(outcome, flush=True)
        return outcome

    async def _speeds(self, work: Callable[[], Awaitable[None]]) -> tuple[float, float]:
        fetched, rendered, started = self.done.fetched, self.done.rendered, time.monotonic()
        await work()
        took = time.monotonic() - started
        return (self.done.fetched - fetched) / took, (self.done.rendered - rendered) / took

    async def _fetch(self) -> None:
        while True:
            await self.fetcher.get("http://good.example/plain")
            self.done.fetched += 1
            await asyncio.sleep(_PACE)

    async def _render(self) -> None:
        while True:
            await _show(self.renderer, _GOOD)
            self.done.rendered += 1

    async def _watch(self) -> None:
        while True:
            largest = await asyncio.to_thread(_largest)
            self.worst = max(self.worst, largest)
            await asyncio.sleep(0.05)


_GOOD = f"<body><script>document.body.innerHTML = '<p>{FILLING}</p>'</script>"


async def _show(renderer: Renderer, page: str, site: str = "good.example") -> str:
    raw = ((b"Content-Type", b"text/html; charset=utf-8"),)
    url = f"http://{site}/"
    response = Response(
        url, 200, Headers(raw), page.encode(), None, False, 100, 0.0, 0.0, "127.0.0.1", "1.1", "OK", raw
    )
    try:
        await renderer.render(url, response, _nothing, site=site)
    except RenderFailed as error:
        return error.reason[:34]
    return "shown"


async def _nothing(_request: Browsed) -> Response | None:
    return None


def _largest() -> int:
    """Of all processes that this one started, itself not counted."""
    parents = {int(each.name): memory.parent(int(each.name)) for each in Path("/proc").glob("[0-9]*")}
    ours, found = {os.getpid()}, set[int]()
    while ours:
        ours = {process for process, parent in parents.items() if parent in ours}
        found |= ours
    return max((memory.own_bytes(each) for each in found), default=0)
