"""A browser that hangs, dies or is called off costs nobody's page, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from surveyor.net.fetcher import Response
from surveyor.render import Ask, Browsed, Rendered, browser, memory
from surveyor.render import process as process_module
from surveyor.render.browser import Renderer
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


@pytest.mark.parametrize("which", ["browser hangs", "driver dies"])
async def test_a_page_is_shown_although_the_browser_before_it_is_gone(
    renderer: Renderer, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await renderer.render(PAGE, FINE, nothing)
    group = renderer.process
    assert group is not None
    driver = memory.parent(group)
    if which == "browser hangs":
        os.killpg(group, signal.SIGSTOP)
    else:
        os.kill(driver, signal.SIGKILL)
    show = browser.Renderer._show_alone

    async def with_time(self: Renderer, url: str, response: Response, ask: Ask, seconds: float) -> Rendered:
        monkeypatch.undo()
        return await show(self, url, response, ask, seconds)

    monkeypatch.setattr(browser, "_GRACE", 1.0)  # to notice it soon; the next one gets its time
    monkeypatch.setattr(process_module, "_GOODBYE", 1.0)
    monkeypatch.setattr(browser.Renderer, "_show_alone", with_time)
    shown = await asyncio.wait_for(renderer.render(PAGE, FINE, nothing), 60)
    assert b"<title>fine</title>" in shown.html
    assert not memory.members(group)


async def test_a_visit_that_is_called_off_leaves_no_browser_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of the start, when nobody has the browser in hand yet."""
    made, started = Renderer(RenderSettings(seconds=2.0), "Surveyor/test"), asyncio.Event()
    find = memory.find

    def found(mark: str) -> memory.Tree | None:
        tree = find(mark)
        assert tree is not None
        trees.append(tree)
        loop.call_soon_threadsafe(started.set)
        return tree

    trees: list[memory.Tree] = []
    loop = asyncio.get_running_loop()
    monkeypatch.setattr(memory, "find", found)
    visit = asyncio.create_task(made.render(PAGE, FINE, nothing))
    await started.wait()
    visit.cancel()
    await asyncio.gather(visit, return_exceptions=True)
    await made.close()
    for _ in range(100):
        if not memory.members(trees[0].group):
            return
        await asyncio.sleep(0.05)
    pytest.fail("a browser is left behind")


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
