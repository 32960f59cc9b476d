"""One page shown: its requests answered, its scripts waited for, its document taken as it stands then."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from surveyor import logs
from surveyor.render import load_more
from surveyor.render.devtools import GONE, DevtoolsError
from surveyor.render.policy import RequestVerdict, decide
from surveyor.render.requests import Paused, fail, fulfill, fulfill_empty, fulfill_preflight
from surveyor.render.tab import HEIGHT, Tab
from surveyor.render.values import Browsed, PageGone, PageToRender, Rendered, RenderFailed

log = logs.get("render")

# Seconds without a request after which a page is taken for finished, and between two looks.
_QUIET, _LOOK = 0.4, 0.05
# Seconds to take the document out, at most; a page that does not let go by then is stuck.
_TAKE_SECONDS = 5.0
# Times that a page is scrolled to its end while it grows: lists that load more, lazy pictures.
_MOST_SCROLLS = 3
# Windows that are stopped at on the way.
_MOST_STEPS = 20
# Characters of the document, and bytes of its screenshot.
_MOST_CHARS, _MOST_PICTURE = 10_000_000, 5_000_000
# What a page may cost the worker, which refusing costs too; then it is given up. An image counts for one: a
# gallery has many. A worker is a thread, and may be as busy as the page.
_MOST_EVENTS = 2_500
_A_REQUEST, _A_WORKER = 5, 100
# Said by the browser itself: a short page may be read before its own process speaks to us.
_STOPPED = "Page.frameStoppedLoading"
_WORLD = "surveyor"
# In a world of its own, where the page's scripts cannot have replaced anything.
# Window by window, each seen for a moment: what is loaded late comes when it is in sight.
_SCROLL: Final = """(async () => {
  const root = document.documentElement;
  for (let at = WINDOW; at < Math.min(root.scrollHeight, STEPS * WINDOW); at += WINDOW) {
    window.scrollTo(0, at);
    await new Promise((go) => setTimeout(go, 50));
  }
  window.scrollTo(0, root.scrollHeight);
  return root.scrollHeight;
})()""".replace("WINDOW", str(HEIGHT)).replace("STEPS", str(_MOST_STEPS))
# A page that is shorter than the window is as tall as what is in it.
_HEIGHT: Final = """(() => {
  window.scrollTo(0, 0);
  const root = document.documentElement, tall = root.scrollHeight;
  if (tall > window.innerHeight) return tall;
  return Math.max(...[root, document.body].map((one) => one ? one.getBoundingClientRect().bottom : 0));
})()"""
# Copied into a document that is shown nowhere: what is in it loads nothing and runs nothing. What stands in
# open shadow roots stands there as people see it, in the place of its slots.
_TAKE: Final = """(() => {
  const root = document.documentElement;
  if (!root) return '';
  const inert = document.implementation.createHTMLDocument('');
  const flat = (node) => {
    const copy = inert.importNode(node, false);
    const given = node.localName === 'slot' && node.assignedNodes ? node.assignedNodes() : [];
    for (const each of given.length ? given : (node.shadowRoot || node).childNodes) copy.append(flat(each));
    return copy;
  };
  const hasShadows = [...root.querySelectorAll('*')].some((each) => each.shadowRoot);
  const copy = hasShadows ? flat(root) : inert.importNode(root, true);
  const rest = 'script, style, noscript, template, link[rel~="preload"], link[rel~="modulepreload"], ' +
    'link[rel~="stylesheet"]';
  for (const each of copy.querySelectorAll(rest))
    if ((each.getAttribute('type') || '').toLowerCase() !== 'application/ld+json') each.remove();
  for (const each of copy.querySelectorAll('[src^="data:"]')) each.removeAttribute('src');
  const html = '<!DOCTYPE html>' + copy.outerHTML;
  return html.length > MOST ? html.slice(0, MOST) : html;
})()""".replace("MOST", str(_MOST_CHARS))


class PageView:
    def __init__(self, page: PageToRender) -> None:
        self._page = page
        self._asked = self._in_flight = self._events = 0
        self._answering: set[asyncio.Task[None]] = set()
        self._started = self._quiet_since = time.monotonic()
        self._leads_to: str | None = None
        self._broke: BaseException | None = None
        self._is_answered = self._is_read = self._is_loaded = self._is_over = False
        self._until = asyncio.timeout(None)  # until it is gone: what is asked of it then is never answered

    async def run(self, tab: Tab, seconds: float) -> Rendered:
        """Raises what `ask` raised, `RenderFailed`, or `DevtoolsError`."""
        self._tab = tab
        tab.listen(self._on_event)
        try:
            async with self._until:
                went = await tab.ask("Page.navigate", {"url": self._page.url})
                if went.get("errorText"):
                    raise PageGone(str(went["errorText"]))
                world = _World(tab)
                html = await self._finished(world, seconds)
                screenshot = await self._screenshot(world) if self._page.screenshot else None
        except Exception as error:
            tab.crash()  # what does not end would hold up the closing of its tab
            if self._broke is not None:
                raise self._broke from None
            raise error
        finally:
            await self._call_off()
        if self._broke is not None:
            raise self._broke
        return Rendered(html.encode("utf-8", "replace"), self._leads_to, screenshot)

    async def _finished(self, world: _World, seconds: float) -> str:
        """The document, once nothing is on its way any more, or when time is up."""
        deadline, patience = self._started + seconds, min(_TAKE_SECONDS, 2 * seconds)
        await self._settle(deadline)
        height = HEIGHT  # what is not longer is seen whole already
        for _ in range(_MOST_SCROLLS):
            if time.monotonic() >= deadline:
                break
            now = await world.evaluate(_SCROLL, patience)
            if not isinstance(now, int | float) or now <= height:
                break
            height = int(now)
            await self._settle(deadline)
        if self._in_flight:  # a script that computed until now has gone on to ask
            await self._settle(deadline)
        for _ in range(load_more.MOST):
            if time.monotonic() >= deadline or await world.evaluate(load_more.PRESS, patience) is not True:
                break
            await self._settle(deadline)
        taken = await world.evaluate(_TAKE, patience)
        if not isinstance(taken, str) or not taken:
            raise RenderFailed("it has no document")
        return taken

    async def _screenshot(self, world: _World) -> bytes | None:
        """From its top, as tall as it is; None if it is too large, or the page does not let it be taken."""
        try:
            async with asyncio.timeout(_TAKE_SECONDS):
                height = await world.evaluate(_HEIGHT, _TAKE_SECONDS)
                picture = await self._tab.screenshot(int(height))
                return picture if len(picture) <= _MOST_PICTURE else None
        except (TimeoutError, RenderFailed, ValueError, TypeError) as error:
            log.debug("no screenshot", url=self._page.url, error=str(error))
            return None

    async def _call_off(self) -> None:
        """What is still waiting for the site's turn is not asked for any more: nobody would see it."""
        self._is_over = True
        for each in self._answering:
            each.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)

    async def _settle(self, deadline: float) -> None:
        """Until its scripts have run once, and nothing is on its way any more."""
        self._quiet_since = max(self._quiet_since, time.monotonic())
        while (now := time.monotonic()) < deadline and self._broke is None:
            if self._is_read and not self._in_flight and now - self._quiet_since >= _QUIET:
                return
            await asyncio.sleep(_LOOK)

    # -- what it does

    def _on_event(self, session: str, event: str, values: dict[str, Any]) -> None:
        """Of anything that it does; each costs the worker's time."""
        if event == "Fetch.requestPaused":
            paused = Paused(session, values)
            self._count(1 if paused.kind == "image" else _A_REQUEST)
            self._request(paused)
        elif event == "Page.frameAttached":
            self._count(_A_REQUEST)
        elif event == "Page.domContentEventFired" or (event == _STOPPED and self._is_main(values)):
            self._is_read, self._quiet_since = True, time.monotonic()
            self._is_loaded = self._is_loaded or event == _STOPPED
        elif event == "Page.javascriptDialogOpening":
            self._count(_A_REQUEST)
            self._tab.send("Page.handleJavaScriptDialog", {"accept": values.get("type") == "beforeunload"})
        elif event == "Target.attachedToTarget":
            self._count(_A_WORKER)
        elif event in ("Inspector.targetCrashed", GONE):
            self._end(PageGone("its process ended"))

    def _is_main(self, values: dict[str, Any]) -> bool:
        return self._is_answered and values.get("frameId") == self._tab.target

    def _count(self, events: int) -> None:
        self._events += events
        if self._events > _MOST_EVENTS and self._broke is None:
            self._tab.crash()
            self._end(RenderFailed("it does not stop asking"))

    def _end(self, reason: BaseException) -> None:
        if self._broke is None and not self._is_over:
            self._broke = reason
            if self._until.when() is None:
                self._until.reschedule(0)

    # -- its requests

    def _request(self, paused: Paused) -> None:
        if self._broke is not None:
            return  # not even refused: the page is being ended
        main = paused.navigates and paused.frame == self._tab.target
        decision = decide(
            paused.url,
            paused.method,
            paused.kind,
            main_frame=main,
            navigates=paused.navigates,
            asked=int(self._is_answered) if main else self._asked,
            styles=self._page.screenshot,
        )
        if decision.verdict is not RequestVerdict.REFUSE or not self._is_loaded:
            self._quiet_since = time.monotonic()  # once it is loaded, refused requests do not keep it busy
        if decision.verdict is RequestVerdict.PAGE:
            self._is_answered = True
            fulfill(self._tab, paused, self._page.response)
        elif decision.verdict is RequestVerdict.EMPTY:
            fulfill_empty(self._tab, paused, "text/css")
        elif decision.verdict is RequestVerdict.PREFLIGHT:
            fulfill_preflight(self._tab, paused)
        elif decision.verdict is RequestVerdict.ASK:
            self._asked += 1
            task = asyncio.create_task(self._pass_on(paused, Browsed(paused.url, decision.kind)))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        else:
            if main and self._leads_to is None and paused.url.startswith(("http://", "https://")):
                self._leads_to = paused.url[:4_000]
            fail(self._tab, paused, "Aborted" if main else "BlockedByClient")  # where it is, the page stays

    async def _pass_on(self, paused: Paused, request: Browsed) -> None:
        self._in_flight += 1
        try:
            response = await self._page.ask(request)
            if response is None:
                fail(self._tab, paused, "Failed")
                return
            fulfill(self._tab, paused, response)
        except DevtoolsError:
            return  # nobody is there any more
        except BaseException as error:  # the visit ends, or is to end: so does the page
            self._end(error)
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._in_flight -= 1
            self._quiet_since = time.monotonic()


class _World:
    """Where we look at a page's document: made once, for the page goes nowhere else."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._context: int | None = None

    async def evaluate(self, expression: str, seconds: float) -> Any:
        try:
            async with asyncio.timeout(seconds):
                if self._context is None:
                    self._context = await self._made()
                asked = {
                    "expression": expression,
                    "contextId": self._context,
                    "returnByValue": True,
                    "awaitPromise": True,
                    "timeout": 1000 * seconds,
                }
                answer = await self._tab.ask("Runtime.evaluate", asked)
        except TimeoutError:
            raise RenderFailed("its scripts do not end") from None
        return answer["result"].get("value")

    async def _made(self) -> int:
        frame = {"frameId": self._tab.target, "worldName": _WORLD}
        world = await self._tab.ask("Page.createIsolatedWorld", frame)
        return int(world["executionContextId"])
