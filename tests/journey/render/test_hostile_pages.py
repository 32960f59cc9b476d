"""What a page may try in the browser: it reaches no address, and it is over when its time is."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio

from surveyor.net.fetcher import Response
from surveyor.net.response_parser import Headers
from surveyor.render import Browsed, RenderFailed
from surveyor.render.browser import Renderer
from surveyor.render.cpu_watch import CpuWatch, Load, Look
from surveyor.render.memory import members, spent
from surveyor.render.process import BrowserProcess, start
from surveyor.settings import RenderSettings
from tests.support.ways_out import ways_out
from tests.web import chromium

pytestmark = [chromium.needed, pytest.mark.asyncio(loop_scope="module")]

PAGE = "http://hostile.example/"


def answer(body: str, kind: str = "text/html; charset=utf-8") -> Response:
    raw = ((b"Content-Type", kind.encode()),)
    return Response(
        PAGE, 200, Headers(raw), body.encode(), None, False, 100, 0.0, 0.0, "127.0.0.1", "1.1", "OK", raw
    )


async def nothing(_request: Browsed) -> Response | None:
    return None


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def renderer() -> AsyncIterator[Renderer]:
    made = Renderer(
        RenderSettings(executable=chromium.executable() or "", seconds=2.0, max_memory_mb=400),
        "Surveyor/test",
    )
    yield made
    await made.close()


@pytest_asyncio.fixture(loop_scope="module")
async def patient() -> AsyncIterator[Renderer]:
    made = Renderer(RenderSettings(executable=chromium.executable() or "", seconds=120.0), "Surveyor/test")
    yield made
    await made.close()


@pytest.fixture
def trap() -> Iterator[tuple[int, list[int]]]:
    """A port on loopback that counts who comes, by TCP or UDP."""
    accepted: list[int] = []
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.socket(type=socket.SOCK_DGRAM) as packets,
    ):
        port: int = listening.getsockname()[1]
        packets.bind(("127.0.0.1", port))
        listening.setblocking(False)
        packets.setblocking(False)
        yield port, accepted
        with contextlib.suppress(BlockingIOError):
            listening.accept()
            accepted.append(port)
        with contextlib.suppress(BlockingIOError):
            packets.recv(100)
            accepted.append(port)
    assert accepted == [], "something reached an address"


async def test_no_way_out_of_a_page_reaches_an_address(
    patient: Renderer, trap: tuple[int, list[int]]
) -> None:
    """Beside other tests its scripts may take longer than two seconds to try them all."""
    asked: list[str] = []

    async def ask(request: Browsed) -> Response | None:
        asked.append(request.url)
        return None

    page = ways_out(f"127.0.0.1:{trap[0]}")
    rendered = await patient.render(PAGE, answer(page), ask)
    assert b"<p>text</p>" in rendered.html
    assert f"http://127.0.0.1:{trap[0]}/fetch" in asked, (
        "what may be asked for is passed on, to be judged there"
    )
    assert not [url for url in asked if "/post" in url or "/frame" in url or "/img" in url]


ENDLESS = "<body><p>before</p><script>{}</script>"
DOCUMENT = """const kept = [];
for (;;) {
  const part = document.createElement('div');
  part.textContent = 'x'.repeat(1e5) + kept.length;
  document.body.append(part);
  kept.push(part);
}"""


@pytest.mark.parametrize(
    "script",
    ["for(;;){}", DOCUMENT],
    ids=["loop", "document"],
)
async def test_a_page_that_does_not_end_costs_itself_and_the_next_is_shown(
    renderer: Renderer, script: str
) -> None:
    with contextlib.suppress(RenderFailed):  # some are stopped with something to show
        await asyncio.wait_for(renderer.render(PAGE, answer(ENDLESS.format(script)), nothing), 60)
    shown = await renderer.render(PAGE, answer("<script>document.title='fine'</script><p>fine</p>"), nothing)
    assert b"<title>fine</title>" in shown.html


BUSY = "fetch('/x'); setInterval(() => { const end = Date.now() + 200; while (Date.now() < end); }, 0)"


@dataclass
class Held:
    """A page that is open until it is let go."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0

    async def ask(self, _request: Browsed) -> Response | None:
        self.asked += 1
        self.open.set()
        await self.over.wait()
        return None


async def test_a_page_that_computes_stands_behind_the_others_of_its_browser(
    patient: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surveyor.render.cpu_watch._PAGE", 0.3)  # more may not be had beside other tests
    monkeypatch.setattr("surveyor.render.cpu_watch._COMPUTES", 0.05)
    hostile = Held()
    showing = asyncio.create_task(patient.render(PAGE, answer(ENDLESS.format(BUSY)), hostile.ask))
    await hostile.open.wait()
    first = patient.process
    assert first is not None
    for _ in range(1_000):
        if last := [os.sched_getscheduler(each) for each in members(first)].count(os.SCHED_IDLE):
            break
        await asyncio.sleep(0.1)
    assert last == 1, "the page, and nobody else"
    shown = await patient.render(PAGE, answer("<p>fine</p>"), nothing)
    assert patient.process == first and not showing.done() and b"<p>fine</p>" in shown.html
    showing.cancel()
    await asyncio.gather(showing, return_exceptions=True)


async def test_a_page_that_floods_its_browser_goes_on_by_itself_and_the_others_stay(
    patient: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is a flood is a matter of CPU (`unit/render/test_busy.py`); here a page that computes is one."""
    starts = []

    def flooded(busy: CpuWatch, _opened: int) -> Look:
        pages, _ = spent(busy._group)
        suspects = [each for each, used in pages.items() if used > 0.3]
        if not suspects:
            return Look(Load.CALM)
        return Look(Load.DROWNED) if busy._alone else Look(Load.FLOODED, suspects[0])

    monkeypatch.setattr(CpuWatch, "look", flooded)

    async def counted(*args: Any, **options: Any) -> BrowserProcess:
        starts.append(options)
        return await start(*args, **options)

    monkeypatch.setattr("surveyor.render.browser.start", counted)
    neighbour = Held()
    page = answer("<p>near</p><script>fetch('/x').catch(() => document.title = 'to its end')</script>")
    waiting = asyncio.create_task(patient.render(PAGE, page, neighbour.ask))
    await neighbour.open.wait()
    first = patient.process
    with pytest.raises(RenderFailed):
        await asyncio.wait_for(patient.render(PAGE, answer(ENDLESS.format(BUSY)), Held().ask), 100)
    assert starts == [{}, {"alone": True, "last": False}] and patient.process == first
    neighbour.over.set()
    assert b"to its end" in (await waiting).html and neighbour.asked == 1


async def test_a_site_that_floods_its_browser_is_shown_behind_all_others_and_so_from_the_second_time_on(
    patient: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = []

    def flooded(busy: CpuWatch, _opened: int) -> Look:
        pages, _ = spent(busy._group)
        return Look(Load.CALM) if busy._alone or not pages else Look(Load.FLOODED, next(iter(pages)))

    async def counted(*args: Any, **options: Any) -> BrowserProcess:
        starts.append(options)
        return await start(*args, **options)

    monkeypatch.setattr(CpuWatch, "look", flooded)
    monkeypatch.setattr("surveyor.render.browser.start", counted)

    async def slow(_request: Browsed) -> Response | None:
        await asyncio.sleep(1.0)  # to be looked at
        return None

    page = answer("<body><p>fine</p><script>fetch('/x').catch(() => 0)</script>")
    for _ in range(3):
        assert b"<p>fine</p>" in (await patient.render(PAGE, page, slow, site="flood.example")).html
    assert [each.get("last") for each in starts] == [None, True, True, True]


async def test_a_page_that_fills_the_browser_itself_is_ended_and_the_others_stay(patient: Renderer) -> None:
    neighbour, script = Held(), "fetch('/x').catch(() => document.title = 'to its end')"
    waiting = asyncio.create_task(
        patient.render(PAGE, answer(f"<p>near</p><script>{script}</script>"), neighbour.ask)
    )
    await neighbour.open.wait()
    first = patient.process
    fill = "fetch('/x'); const kept = []; setInterval(() => kept.push(new Blob([new Uint8Array(2e6)])), 5)"
    with pytest.raises(RenderFailed):
        await asyncio.wait_for(patient.render(PAGE, answer(ENDLESS.format(fill)), Held().ask), 100)
    assert patient.process == first
    neighbour.over.set()
    assert b"to its end" in (await waiting).html and neighbour.asked == 1


async def test_a_page_that_does_not_stop_asking_is_ended(renderer: Renderer) -> None:
    flood = "for (let i = 0; i < 700; i++) fetch('/x').catch(() => 0)"
    with pytest.raises(RenderFailed):
        await renderer.render(PAGE, answer(f"<body><p>x</p><script>{flood}</script>"), nothing)
    assert b"<p>x</p>" in (await renderer.render(PAGE, answer("<p>x</p>"), nothing)).html


async def test_pages_see_nothing_of_each_other(renderer: Renderer) -> None:
    left = "document.cookie='a=1';localStorage.a='1';"
    script = f"<body><script>document.title=(document.cookie+(localStorage.a||'')) || 'clean';{left}</script>"
    for _ in range(2):
        assert b"<title>clean</title>" in (await renderer.render(PAGE, answer(script), nothing)).html


async def test_pages_of_one_site_share_a_process_and_nothing_that_they_stored(renderer: Renderer) -> None:
    left = "document.cookie='a=1';localStorage.a=1;sessionStorage.a=1;setInterval(() => 0, 1);"
    seen = "document.cookie + (localStorage.a || '') + (sessionStorage.a || '')"
    page = answer(f"<body><script>document.title = {seen} || 'clean';{left}</script>")
    processes = set()
    for number in range(3):
        shown = await renderer.render(f"{PAGE}{number}", page, nothing, site="hostile.example")
        assert b"<title>clean</title>" in shown.html
        assert renderer.process is not None
        processes.add(frozenset(spent(renderer.process)[0]))
    assert len(processes) == 1, "a process for each page costs more than the page"
    await renderer.render("http://other.example/", page, nothing, site="other.example")
    assert len(spent(renderer.process or 0)[0]) == 2


async def test_what_the_visit_raises_ends_the_page(renderer: Renderer) -> None:
    class Over(Exception):
        pass

    async def ask(_request: Browsed) -> Response | None:
        raise Over

    with pytest.raises(Over):
        await renderer.render(PAGE, answer("<body><script>fetch('/data')</script>"), ask)


async def test_closing_leaves_no_process() -> None:
    made = Renderer(RenderSettings(executable=chromium.executable() or "", seconds=3.0), "Surveyor/test")
    await made.render(PAGE, answer("<p>x</p>"), nothing)
    assert made.process is not None
    group = made.process
    assert members(group)
    await made.close()
    for _ in range(100):
        if not members(group):
            break
        await asyncio.sleep(0.05)
    assert not members(group)
