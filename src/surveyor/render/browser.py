"""The browser of a worker: started when a page first needs it, shared by visits, replaced when it fails."""

from __future__ import annotations

import asyncio
import time
from collections import Counter

from surveyor.net.fetcher import Response, user_agent
from surveyor.render.devtools import DevtoolsError
from surveyor.render.page_view import PageView
from surveyor.render.process import BrowserProcess, start
from surveyor.render.refusing_proxy import RefusingProxy
from surveyor.render.values import Ask, PageGone, PageToRender, Rendered, RenderFailed
from surveyor.settings import RenderSettings, Settings

# Seconds beyond a page's own for opening it, scrolling it and taking its document. Who has not answered by
# then will not: the browser hangs.
_GRACE = 15.0
# Part of its time that a page is given again, however long it was shown before.
_LEAST = 0.5
# Sites of which a page could not be shown, or flooded its browser, that are remembered.
_MOST_SUSPECTS = 1_000
# Pages of a site that had to be taken out of the shared browser; after so many none is shown there.
_FLOODS = 2
# Browsers that somebody else may kill under one page before it is given up.
_KILLS = 5


class Renderer:
    """For one event loop; `close` it. `agent` is the whole user agent that sites see."""

    def __init__(self, settings: RenderSettings, agent: str) -> None:
        self._settings, self._agent = settings, agent
        self._turns = asyncio.Semaphore(settings.pages_at_once)
        self._lock = asyncio.Lock()
        self._shared: BrowserProcess | None = None
        self._suspects: dict[str, None] = {}
        self._floods: Counter[str] = Counter()
        self._ending: set[asyncio.Task[None]] = set()
        self.proxy = RefusingProxy()

    async def render(
        self, url: str, response: Response, ask: Ask, *, site: str = "", screenshot: bool = False
    ) -> Rendered:
        """The page at `url`, whose answer is here, as a browser shows it; `RenderFailed` if it cannot.

        Pages of one `site` may share a context, others never do.
        Raises `NoBrowser` where none can be started, and whatever `ask` raises.
        """
        async with self._turns:
            page = PageToRender(url, response, ask, site, screenshot)
            began, seconds = time.monotonic(), self._settings.seconds
            if site in self._suspects:
                return await self._show_alone(page, seconds)
            try:
                return await self._show(await self._ready(), page, seconds)
            except _BrowserGone as gone:  # killed, or taken along by another: this page need not be the cause
                if gone.by_us:  # it may be; then it has had a part of its time
                    seconds = max(_LEAST * seconds, seconds - (time.monotonic() - began))
            except RenderFailed:
                self._suspect(site)
                raise
            for _ in range(_KILLS):
                try:
                    return await self._show_alone(page, seconds)
                except RenderFailed as error:
                    if not isinstance(error, _BrowserGone) or error.by_us:
                        self._suspect(site)
                        raise
                    last = error
            raise last

    def _suspect(self, site: str) -> None:
        """Pages of it are shown by themselves from now on; the site that was so longest is so no more."""
        if site:
            self._suspects[site] = None
            if len(self._suspects) > _MOST_SUSPECTS:
                del self._suspects[next(iter(self._suspects))]

    def _flooded(self, site: str) -> None:
        """Once may be a wrong guess."""
        if not site:
            return
        if len(self._floods) >= _MOST_SUSPECTS:
            self._floods.clear()
        self._floods[site] += 1
        if self._floods[site] >= _FLOODS:
            self._suspect(site)

    async def _show_alone(self, page: PageToRender, seconds: float) -> Rendered:
        """In a browser of its own: if this page ends it, no other pays for that again."""
        last = page.site in self._suspects or page.site in self._floods
        own = await start(self._settings, self.proxy, self._agent, alone=True, last=last)
        try:
            shown = await self._show(own, page, seconds)
            if self._floods.get(page.site, 0) < _FLOODS:
                self._suspects.pop(page.site, None)
            return shown
        finally:
            self._end(own)

    async def _show(self, browser: BrowserProcess, page: PageToRender, seconds: float) -> Rendered:
        limit, losses = asyncio.timeout(seconds + _GRACE), browser.losses
        try:
            async with limit, browser.open(page) as tab:
                shown = await PageView(page).run(tab, seconds)
            if browser.losses != losses:
                raise _BrowserGone("a part of its browser ended", by_us=False)
            return shown
        except TimeoutError:
            if not limit.expired():
                raise  # the caller's own
            browser.kill()
            raise _BrowserGone("the browser does not answer", by_us=True) from None
        except (DevtoolsError, PageGone) as error:
            if await browser.answers():
                if browser.losses != losses:
                    raise _BrowserGone(str(error), by_us=False) from None
                if browser.take_parted():
                    self._flooded(page.site)
                    raise _BrowserGone(str(error), by_us=True) from None
                raise RenderFailed(str(error)) from None
            by_us = browser.is_killed
            browser.kill()
            raise _BrowserGone(str(error), by_us=by_us) from None

    @property
    def process(self) -> int | None:
        """The browser's process, the first of its group; none while there is none."""
        return None if self._shared is None else self._shared.group

    async def close(self) -> None:
        async with self._lock:
            shared, self._shared = self._shared, None
        if shared is not None:
            await shared.end()
        await asyncio.gather(*self._ending)
        await self.proxy.close()

    async def _ready(self) -> BrowserProcess:
        async with self._lock:
            if self._shared is not None and self._shared.is_spent:
                self._end(self._shared)  # beside the next one, so that nobody waits for its last pages
                self._shared = None
            if self._shared is None:
                self._shared = await start(self._settings, self.proxy, self._agent)
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
