"""The tabs of one browser: opened for a site, kept for its next page, closed to make room."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

from surveyor import logs
from surveyor.render.devtools import Devtools, DevtoolsError
from surveyor.render.tab import ATTACH, HEIGHT, WIDTH, Tab
from surveyor.render.values import PageToRender

log = logs.get("render")

# Seconds for the good-bye of a page.
GOODBYE: Final = 5.0
# Pages after which a tab is replaced: what scripts leave behind in its process is gone then.
_PAGES_EACH: Final = 50


class Tabs:
    def __init__(self, devtools: Devtools, most_kept: int) -> None:
        self._devtools, self._most_kept = devtools, most_kept
        self._sessions: dict[str, str] = {}  # of tabs that the browser has just made
        self._kept: dict[str, Tab] = {}  # by their site; the one that waits longest comes first

    async def greet(self) -> None:
        """Returns when the browser answers. What it makes is ours to let run: tabs do, the rest waits."""
        self._devtools.listen("", self._on_event)
        await self._devtools.ask("Target.setAutoAttach", ATTACH)

    async def open(self, page: PageToRender) -> Tab:
        """The tab of the page's site, else one in a fresh context."""
        return self._kept.pop(page.site, None) or await self._new()

    async def keep(self, page: PageToRender, tab: Tab) -> None:
        """After a page that was shown to its end, for the next of its site, if that is soon."""
        if not page.site:
            return
        with suppress(TimeoutError, DevtoolsError):
            async with asyncio.timeout(GOODBYE):
                await tab.clean(page.url)
        if not tab.is_clean or tab.pages >= _PAGES_EACH or page.site in self._kept:
            return
        self._kept[page.site] = tab
        if len(self._kept) > self._most_kept:
            await _closes(self._kept.pop(next(iter(self._kept))))

    async def close(self, tab: Tab) -> bool:
        """Unless it is kept; False if the browser does not do it."""
        return tab in self._kept.values() or await _closes(tab)

    async def _new(self) -> Tab:
        made = await self._devtools.ask("Target.createBrowserContext", {"disposeOnDetach": True})
        context = made["browserContextId"]
        wanted = {"url": "about:blank", "browserContextId": context, "width": WIDTH, "height": HEIGHT}
        target = (await self._devtools.ask("Target.createTarget", wanted))["targetId"]
        tab = Tab(self._devtools, context, target, self._sessions.pop(target))
        tab.prepare()
        return tab

    def _on_event(self, event: str, values: dict[str, Any]) -> None:
        if event != "Target.attachedToTarget" or values["targetInfo"]["type"] != "page":
            return
        made = values["targetInfo"]
        if made.get("openerId"):  # a window that a page opened
            self._devtools.send("Target.closeTarget", {"targetId": made["targetId"]})
        else:
            self._sessions[made["targetId"]] = values["sessionId"]


async def _closes(tab: Tab) -> bool:
    try:
        async with asyncio.timeout(GOODBYE):
            await tab.close()
    except TimeoutError:
        return False
    except DevtoolsError as error:  # the browser is gone: so is the page
        log.debug("page closed", error=str(error))
    return True
