"""A browser that hangs, dies or is called off costs nobody's page, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from surveyor.net.fetcher import Response
from surveyor.render import Browsed, PageToRender, Rendered, browser, memory
from surveyor.render import process as process_module
from surveyor.render.browser import Renderer
from surveyor.render.launch import Launched, launch
from surveyor.settings import RenderSettings
from tests.journey.render.test_hostile_pages import PAGE, answer, nothing
from tests.web import chromium

pytestmark = [chromium.needed, pytest.mark.asyncio(loop_scope="module")]

FINE = answer("<body><script>document.title='fine'</script><p>fine</p>")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def renderer() -> AsyncIterator[Renderer]:
    made = Renderer(RenderSettings(seconds=2.0), "Surveyor/test")
    yield made
    await made.close()


@pytest.mark.parametrize("which", ["browser hangs", "browser dies"])
async def test_a_page_is_shown_although_the_browser_before_it_is_gone(
    renderer: Renderer, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await renderer.render(PAGE, FINE, nothing)
    group = renderer.process
    assert group is not None
    os.killpg(group, signal.SIGSTOP if which == "browser hangs" else signal.SIGKILL)
    show = browser.Renderer._show_alone

    async def with_time(self: Renderer, page: PageToRender, seconds: float) -> Rendered:
        monkeypatch.undo()
        return await show(self, page, seconds)

    monkeypatch.setattr(browser, "_GRACE", 1.0)  # to notice it soon; the next one gets its time
    monkeypatch.setattr(process_module, "GOODBYE", 1.0)
    monkeypatch.setattr("surveyor.render.tabs.GOODBYE", 1.0)
    monkeypatch.setattr(browser.Renderer, "_show_alone", with_time)
    shown = await asyncio.wait_for(renderer.render(PAGE, FINE, nothing), 60)
    assert b"<title>fine</title>" in shown.html
    assert not memory.members(group)


async def test_a_visit_that_is_called_off_leaves_no_browser_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of the start, when nobody has the browser in hand yet."""
    made, started = Renderer(RenderSettings(seconds=2.0), "Surveyor/test"), asyncio.Event()
    launched: list[Launched] = []

    async def launching(*args: Any) -> Launched:
        launched.append(await launch(*args))
        started.set()
        return launched[0]

    monkeypatch.setattr(process_module, "launch", launching)
    visit = asyncio.create_task(made.render(PAGE, FINE, nothing))
    await started.wait()
    visit.cancel()
    await asyncio.gather(visit, return_exceptions=True)
    await made.close()
    for _ in range(100):
        if not memory.members(launched[0].process):
            return
        await asyncio.sleep(0.05)
    pytest.fail("a browser is left behind")


async def test_a_page_is_shown_again_when_a_part_of_its_browser_was_killed(renderer: Renderer) -> None:
    await renderer.render(PAGE, FINE, nothing)
    group, asked = renderer.process, 0
    assert group is not None

    async def ask(_request: Browsed) -> Response | None:
        nonlocal asked
        asked += 1
        if asked == 1:
            for each in memory.network_of(group):
                os.kill(each, signal.SIGKILL)
            await asyncio.sleep(0.5)
        return answer("{}", "application/json")

    page = answer("<p>x</p><script>fetch('/d').then((a) => document.title = a.status)</script>")
    assert b"<title>200</title>" in (await renderer.render(PAGE, page, ask)).html
    assert asked == 2


async def test_what_a_page_asked_for_is_not_asked_for_after_it(renderer: Renderer) -> None:
    turn, asked = asyncio.Lock(), 0

    async def ask(_request: Browsed) -> Response | None:
        nonlocal asked
        async with turn:
            await asyncio.sleep(0.2)
            asked += 1
        return None

    many = answer("<body><p>text</p><script>for (let i = 0; i < 60; i++) fetch('/d' + i)</script>")
    await renderer.render(PAGE, many, ask)
    before = asked
    assert 0 < before < 60
    await asyncio.sleep(0.5)
    assert asked == before, "the site is asked for what nobody will see"


async def test_a_browser_is_replaced_while_a_page_is_open_in_it(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "PAGES_EACH", 1)
    opened, go_on = asyncio.Event(), asyncio.Event()

    async def ask(_request: Browsed) -> Response | None:
        opened.set()
        await go_on.wait()
        return None

    slow = asyncio.create_task(renderer.render(PAGE, answer("<p>slow</p><script>fetch('/d')</script>"), ask))
    await opened.wait()
    old = renderer.process
    await renderer.render(PAGE, FINE, nothing)
    assert renderer.process != old
    go_on.set()
    assert b"slow" in (await slow).html


@pytest.mark.parametrize("address", ["http://fund.example/?q='x'", "http://fund.example/a|b{c}"])
async def test_an_address_is_shown_however_the_browser_spells_it(renderer: Renderer, address: str) -> None:
    assert b"<title>fine</title>" in (await renderer.render(address, FINE, nothing)).html
