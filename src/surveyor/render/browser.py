"""The browser of a worker: started when a page first needs it, shared by visits, replaced when it fails."""

from __future__ import annotations

import asyncio
import time

from surveyor.net.fetcher import Response, user_agent
from surveyor.render.nowhere import Nowhere
from surveyor.render.process import BrowserProcess, first_line, start
from surveyor.render.showing import Showing
from surveyor.render.values import Ask, PageGone, Rendered, RenderFailed
from surveyor.settings import RenderSettings, Settings

# Seconds beyond a page's own for opening it, scrolling it and taking its document. Who has not answered by
# then will not: the browser hangs, or the driver that talks to it.
_GRACE = 15.0
# Part of its time that a page is given again, however long it was shown before.
_LEAST = 0.5
# Browsers that somebody else may kill under one page before it is given up.
_KILLS = 5


class Renderer:
    """For one event loop; `close` it. `agent` is the whole user agent that sites see."""

    def __init__(self, settings: RenderSettings, agent: str) -> None:
        self._settings, self._agent = settings, agent
        self._turns = asyncio.Semaphore(settings.pages_at_once)
        self._lock = asyncio.Lock()
        self._shared: BrowserProcess | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self.nowhere = Nowhere()

    async def render(self, url: str, response: Response, ask: Ask) -> Rendered:
        """The page at `url`, whose answer is here, as a browser shows it; `RenderFailed` if it cannot.

        Raises `NoBrowser` where none can be started, and whatever `ask` raises.
        """
        async with self._turns:
            browser, began, seconds = await self._ready(), time.monotonic(), self._settings.seconds
            try:
                return await self._show(browser, url, response, ask, seconds)
            except _BrowserGone as gone:  # killed, or taken along by another: this page need not be the cause
                if gone.by_us:  # it may be; then it has had a part of its time
                    seconds = max(_LEAST * seconds, seconds - (time.monotonic() - began))
            for _ in range(_KILLS):
                try:
                    return await self._show_alone(url, response, ask, seconds)
                except _BrowserGone as gone:
                    if gone.by_us:
                        raise
                    last = gone
            raise last

    async def _show_alone(self, url: str, response: Response, ask: Ask, seconds: float) -> Rendered:
        """In a browser of its own: if this page ends it, no other pays for that again."""
        own = await start(self._settings, self.nowhere, alone=True)
        try:
            return await self._show(own, url, response, ask, seconds)
        finally:
            self._end(own)

    async def _show(
        self, browser: BrowserProcess, url: str, response: Response, ask: Ask, seconds: float
    ) -> Rendered:
        from playwright.async_api import Error  # it is there: there is a browser

        limit = asyncio.timeout(seconds + _GRACE)
        try:
            async with limit, browser.context(self._agent) as context:
                return await Showing(url, response, ask).run(context, seconds)
        except TimeoutError:
            if not limit.expired():
                raise  # the caller's own
            browser.kill()
            raise _BrowserGone("the browser does not answer", by_us=True) from None
        except (Error, PageGone) as error:
            if await browser.answers():
                if browser.take_parted():
                    raise _BrowserGone(first_line(error), by_us=True) from None
                raise RenderFailed(first_line(error)) from None
            by_us = browser.is_killed
            browser.kill()
            raise _BrowserGone(first_line(error), by_us=by_us) from None

    @property
    def process(self) -> int | None:
        """The browser's process, the first of its group; none while there is none, and where not on Linux."""
        shared = self._shared
        return None if shared is None or shared.tree is None else shared.tree.group

    async def close(self) -> None:
        async with self._lock:
            shared, self._shared = self._shared, None
        if shared is not None:
            await shared.end()
        await asyncio.gather(*self._ending)
        await self.nowhere.close()

    async def _ready(self) -> BrowserProcess:
        async with self._lock:
            if self._shared is not None and self._shared.is_spent:
                self._end(self._shared)  # beside the next one, so that nobody waits for its last pages
                self._shared = None
            if self._shared is None:
                self._shared = await start(self._settings, self.nowhere)
            return self._shared

    def _end(self, browser: BrowserProcess) -> None:
        task = asyncio.create_task(browser.end(self._settings.seconds + _GRACE))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


class _BrowserGone(RenderFailed):
    """Not the page, its browser ended: by us, because it hung or held too much, or by somebody else."""

    def __init__(self, reason: str, *, by_us: bool) -> None:
        super().__init__(reason)
        self.by_us = by_us


def renderer_for(settings: Settings) -> Renderer | None:
    """For a worker; nothing is loaded or started before a page needs it."""
    if settings.crawl.render == "never":
        return None
    return Renderer(settings.render, user_agent(settings.net))
