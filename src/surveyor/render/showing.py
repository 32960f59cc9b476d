"""One page shown: its requests answered, its scripts waited for, its document taken as it stands then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Final

from surveyor.net.fetcher import Response
from surveyor.render import more
from surveyor.render.policy import Decision, Verdict, decide
from surveyor.render.values import Ask, Browsed, PageGone, Rendered, RenderFailed

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page, Request, Route, WebSocketRoute

# Seconds without a request after which a page is taken for finished, and between two looks.
_QUIET, _LOOK = 0.4, 0.05
# Seconds to take the document out, at most; a page that does not let go by then is stuck.
_TAKE_SECONDS = 5.0
# Times that a page is scrolled to its end while it grows: lists that load more, lazy pictures.
_MOST_SCROLLS = 3
# Windows that are stopped at on the way.
_MOST_STEPS = 20
# Of the window, in pixels.
HEIGHT: Final = 2_000
# Characters of the document.
_MOST_CHARS = 10_000_000
# Requests of any kind, frames and workers after which a page is given up: each costs the worker's time, also
# when it is refused.
_MOST_EVENTS = 500
# So many of them does a worker count for: each is a thread, and may be as busy as the page.
_A_WORKER = 20
# Headers of an answer that mean something to the page. Cookies, validators and hints are not among them.
_PASSED_ON: Final = (
    "Content-Type",
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Credentials",
    "Access-Control-Expose-Headers",
    "Content-Security-Policy",
)
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
_TAKE: Final = """(() => {
  const root = document.documentElement;
  if (!root) return '';
  const copy = root.cloneNode(true);
  const rest = 'script, style, noscript, template, link[rel~="preload"], link[rel~="modulepreload"], ' +
    'link[rel~="stylesheet"]';
  for (const each of copy.querySelectorAll(rest))
    if ((each.getAttribute('type') || '').toLowerCase() !== 'application/ld+json') each.remove();
  const html = '<!DOCTYPE html>' + copy.outerHTML;
  return html.length > MOST ? html.slice(0, MOST) : html;
})()""".replace("MOST", str(_MOST_CHARS))


class Showing:
    def __init__(self, url: str, response: Response, ask: Ask) -> None:
        self._url, self._response, self._ask = url, response, ask
        self._asked = self._in_flight = self._requests = self._bytes = self._events = 0
        self._answering: set[asyncio.Future[Response | None]] = set()
        self._started = self._quiet_since = time.monotonic()
        self._leads_to: str | None = None
        self._broke: BaseException | None = None
        self._is_over = False
        self._talk: CDPSession | None = None

    async def run(self, context: BrowserContext, seconds: float) -> Rendered:
        """Raises what `ask` raised, `RenderFailed`, or an error of the browser's."""
        await context.route("**/*", self._answer)
        await context.route_web_socket("**/*", self._refuse_socket)
        page = await context.new_page()
        context.on("page", _close)  # windows that it opens
        page.on("frameattached", self._count)
        page.on("worker", self._count_worker)
        until = asyncio.timeout(None)  # until it is gone: what is asked of it then is never answered
        page.on("crash", lambda _page: self._gone(until))
        page.on("close", lambda _page: self._gone(until))
        self._talk = await context.new_cdp_session(page)
        try:
            async with until:
                await page.goto(self._url, wait_until="commit", timeout=1000 * seconds)
                html = await self._finished(self._talk, seconds)
        except Exception as error:
            if self._broke is not None:
                raise self._broke from None
            raise error
        finally:
            await self._call_off()
        if self._broke is not None:
            raise self._broke
        took = time.monotonic() - self._started
        return Rendered(html.encode("utf-8", "replace"), self._requests, self._bytes, took, self._leads_to)

    async def _finished(self, talk: CDPSession, seconds: float) -> str:
        """The document, once nothing is on its way any more, or when time is up."""
        deadline, patience = self._started + seconds, min(_TAKE_SECONDS, 2 * seconds)
        world = _World(talk)
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
        for _ in range(more.MOST):
            if time.monotonic() >= deadline or await world.evaluate(more.PRESS, patience) is not True:
                break
            await self._settle(deadline)
        taken = await world.evaluate(_TAKE, patience)
        if not isinstance(taken, str) or not taken:
            raise RenderFailed("it has no document")
        return taken

    async def _call_off(self) -> None:
        """What is still waiting for the site's turn is not asked for any more: nobody would see it."""
        self._is_over = True
        for each in self._answering:
            each.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)

    async def _settle(self, deadline: float) -> None:
        self._quiet_since = max(self._quiet_since, time.monotonic())
        while (now := time.monotonic()) < deadline and self._broke is None:
            if not self._in_flight and now - self._quiet_since >= _QUIET:
                return
            await asyncio.sleep(_LOOK)

    # -- its requests

    def _count_worker(self, event: object) -> None:
        self._events += _A_WORKER - 1
        self._count(event)

    def _count(self, _event: object) -> None:
        self._events += 1
        if self._events > _MOST_EVENTS and self._broke is None:
            self._broke = RenderFailed("it does not stop asking")
            _in_background(self._crash())

    def _gone(self, until: asyncio.Timeout) -> None:
        if not self._is_over and until.when() is None:
            self._broke = self._broke or PageGone("its process ended")
            until.reschedule(0)

    async def _crash(self) -> None:
        """End the page's process: to close a page in good order takes long while it floods its browser."""
        if self._talk is not None:
            await self._talk.send("Page.crash")

    async def _refuse_socket(self, socket: WebSocketRoute) -> None:
        self._count(socket)
        await socket.close()

    async def _answer(self, route: Route) -> None:
        self._count(route)
        if self._events > _MOST_EVENTS:
            raise asyncio.CancelledError  # not even refused: the page is being ended
        request = route.request
        main = request.is_navigation_request() and _is_main(request)
        decision = decide(
            request.url,
            request.method,
            request.resource_type,
            main_frame=main,
            navigates=request.is_navigation_request(),
            asked=self._asked,
        )
        self._asked += 1
        self._in_flight += 1
        try:
            await self._carry_out(route, decision, main)
        except Exception as error:
            if not _is_of_the_browser(error):
                self._broke = self._broke or error
            raise asyncio.CancelledError from None  # else the driver waits for an answer for ever
        finally:
            self._in_flight -= 1
            self._quiet_since = time.monotonic()

    async def _carry_out(self, route: Route, decision: Decision, main: bool) -> None:
        url = route.request.url
        if decision.verdict is Verdict.PAGE:
            await _fulfill(route, self._response)
        elif decision.verdict is Verdict.EMPTY:
            await route.fulfill(status=200, body="", headers={"Content-Type": "text/css"})
        elif decision.verdict is Verdict.ASK and self._broke is None:
            await self._pass_on(route, Browsed(url, decision.kind))
        else:
            if main and self._leads_to is None and url.startswith(("http://", "https://")):
                self._leads_to = url[:4_000]
            await route.abort("aborted" if main else "blockedbyclient")  # where it is, the page stays

    async def _pass_on(self, route: Route, request: Browsed) -> None:
        asking = asyncio.ensure_future(self._ask(request))
        self._answering.add(asking)
        try:
            response = await asking
        except BaseException as error:  # the visit ends, or is to end: so does the page
            if not self._is_over:
                self._broke = self._broke or error
            await route.abort("failed")
            return
        finally:
            self._answering.discard(asking)
        if response is None:
            await route.abort("failed")
            return
        self._requests += 1
        self._bytes += response.wire_bytes
        await _fulfill(route, response)


class _World:
    """Where we look at a page's document: made once, for the page goes nowhere else."""

    def __init__(self, talk: CDPSession) -> None:
        self._talk = talk
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
                answer = await self._talk.send("Runtime.evaluate", asked)
        except TimeoutError:
            raise RenderFailed("its scripts do not end") from None
        return answer["result"].get("value")

    async def _made(self) -> int:
        tree = await self._talk.send("Page.getFrameTree")
        frame = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": _WORLD}
        world = await self._talk.send("Page.createIsolatedWorld", frame)
        return int(world["executionContextId"])


async def _fulfill(route: Route, response: Response) -> None:
    known = ((name, response.headers.get(name)) for name in _PASSED_ON)
    headers = {name: value for name, value in known if value is not None and _plain(value)}
    await route.fulfill(status=response.status, headers=headers, body=response.body)


def _is_main(request: Request) -> bool:
    """Of the page itself; a window that is being opened has no frame yet."""
    try:
        return request.frame.parent_frame is None
    except Exception as error:
        if not _is_of_the_browser(error):
            raise
        return False


def _plain(value: str) -> bool:
    return value.isprintable() and value.isascii()


def _close(page: Page) -> None:
    _in_background(page.close())


def _in_background(work: Coroutine[Any, Any, Any]) -> None:
    task = asyncio.ensure_future(_quietly(work))
    _running.add(task)
    task.add_done_callback(_running.discard)


_running: set[asyncio.Future[None]] = set()


async def _quietly(work: Coroutine[Any, Any, Any]) -> None:
    try:
        await work
    except Exception as error:
        if not _is_of_the_browser(error):
            raise


def _is_of_the_browser(error: Exception) -> bool:
    from playwright.async_api import Error

    return isinstance(error, Error)
