"""One browser of a worker: started when it is first needed, shared by its visits, replaced when it fails."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from surveyor import logs
from surveyor.net.fetcher import Response, user_agent
from surveyor.render import memory
from surveyor.render.nowhere import Nowhere
from surveyor.render.showing import Showing
from surveyor.render.values import Ask, NoBrowser, Rendered, RenderFailed
from surveyor.settings import RenderSettings, Settings

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright

log = logs.get("render")

_PROGRAMS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Seconds for a start on a busy machine, for the good-bye of a page, and between two looks at memory.
_START, _GOODBYE, _LOOK = 60.0, 5.0, 0.25
# Pages after which a browser is replaced: what scripts leave behind in it is gone then.
_PAGES_EACH = 200
# Megabytes for the objects of a page's scripts.
_SCRIPT_MEGABYTES = 256
_SWITCHES: Final = (
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--enforce-webrtc-ip-permission-check",
    "--dns-prefetch-disable",
    "--disable-quic",
    "--block-new-web-contents",
    "--disable-background-networking",
    "--disable-speech-api",
    "--disable-gpu",
    "--mute-audio",
    "--site-per-process",
    f"--js-flags=--max-old-space-size={_SCRIPT_MEGABYTES}",
    "--disable-features=Prerender2,SpeculationRulesPrefetchFuture,WebUSB,WebBluetooth,MediaRouter,FedCm",
)


class Renderer:
    """For one event loop; `close` it. `agent` is the whole user agent that sites see."""

    def __init__(self, settings: RenderSettings, agent: str) -> None:
        self._settings, self._agent = settings, agent
        self._turns = asyncio.Semaphore(settings.pages_at_once)
        self._lock = asyncio.Lock()
        self._session: _Session | None = None
        self.nowhere = Nowhere()

    async def render(self, url: str, response: Response, ask: Ask) -> Rendered:
        """The page at `url`, whose answer is here, as a browser shows it; `RenderFailed` if it cannot.

        Raises `NoBrowser` where none can be started, and whatever `ask` raises.
        """
        async with self._turns:
            try:
                return await self._show(url, response, ask)
            except _BrowserGone:  # killed, or taken along by another page: this one need not be the cause
                pass
            try:
                return await self._show(url, response, ask)
            except _BrowserGone as gone:
                raise RenderFailed(gone.reason) from None

    async def _show(self, url: str, response: Response, ask: Ask) -> Rendered:
        session = await self._ready()
        from playwright.async_api import Error  # it is there: there is a browser

        try:
            async with session.context(self._agent) as context:
                return await Showing(url, response, ask).run(context, self._settings.seconds)
        except Error as error:
            failure = _BrowserGone if session.is_gone else RenderFailed
            raise failure(_said(error)) from None

    @property
    def process(self) -> int | None:
        """The browser's process, the first of its group; none while there is none, and where not on Linux."""
        return None if self._session is None else self._session.group

    async def close(self) -> None:
        async with self._lock:
            session, self._session = self._session, None
        if session is not None:
            await session.end()
        await self.nowhere.close()

    async def _ready(self) -> _Session:
        async with self._lock:
            if self._session is not None and self._session.is_spent:
                spent, self._session = self._session, None
                await spent.end()
            if self._session is None:
                self._session = await _start(self._settings, self.nowhere)
            return self._session


class _BrowserGone(RenderFailed):
    """Not the page, its browser ended."""


class _Session:
    """One browser process, from its start to its end."""

    def __init__(self, stack: AsyncExitStack, browser: Browser, group: int | None, most_bytes: int) -> None:
        self._stack, self._browser, self.group, self._most = stack, browser, group, most_bytes
        self._pages = self._open = 0
        self._stuck = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._watch: asyncio.Task[None] | None = None

    @property
    def is_gone(self) -> bool:
        return self._stuck or not self._browser.is_connected()

    @property
    def is_spent(self) -> bool:
        return self.is_gone or (self._pages >= _PAGES_EACH and not self._open)

    @asynccontextmanager
    async def context(self, agent: str) -> AsyncIterator[BrowserContext]:
        """A fresh one: nothing is kept between pages, still less between domains."""
        self._pages, self._open = self._pages + 1, self._open + 1
        self._idle.clear()
        if self._watch is None:
            self._watch = asyncio.create_task(self._watch_memory())
        context: BrowserContext | None = None
        try:
            context = await self._browser.new_context(
                user_agent=agent,
                service_workers="block",
                accept_downloads=False,
                viewport={"width": 1280, "height": 2000},
                timezone_id="UTC",
            )
            yield context
        finally:
            await self._leave(context)

    async def _leave(self, context: BrowserContext | None) -> None:
        if context is not None and not await _closes(context):
            self._stuck = True  # it takes the other open pages with it; each is tried again
            log.warning("browser stuck; it is ended")
            self._kill()
        self._open -= 1
        if not self._open:
            self._idle.set()
            if self._watch is not None:
                self._watch.cancel()
                self._watch = None

    async def _watch_memory(self) -> None:
        while self.group is not None:
            await asyncio.sleep(_LOOK)
            for process in await asyncio.to_thread(memory.end_the_largest, self.group, self._most):
                log.warning("page ended: too much memory", process=process)

    def _kill(self) -> None:
        if self.group is not None:
            memory.end_group(self.group)

    async def end(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE):
                await self._idle.wait()
        try:
            async with asyncio.timeout(_GOODBYE):
                await self._stack.aclose()
        except Exception as error:  # it may be gone already
            log.debug("browser ended", error=str(error))
        self._kill()


async def _closes(context: BrowserContext) -> bool:
    try:
        async with asyncio.timeout(_GOODBYE):
            await context.close()
    except TimeoutError:
        return False
    except Exception as error:  # the browser is gone: so is the page
        log.debug("page closed", error=str(error))
    return True


async def _start(settings: RenderSettings, nowhere: Nowhere) -> _Session:
    program = executable(settings)
    try:
        from playwright.async_api import Error, async_playwright
    except ImportError:
        raise NoBrowser(MISSING) from None
    port, mark = await nowhere.start(), f"--surveyor-mark={uuid.uuid4().hex}"
    switches = [*_SWITCHES, f"--proxy-server=http://127.0.0.1:{port}", mark]
    stack = AsyncExitStack()
    try:
        async with asyncio.timeout(_START):
            driver: Playwright = await stack.enter_async_context(async_playwright())
            browser = await driver.chromium.launch(
                executable_path=program,
                args=switches,
                chromium_sandbox=os.geteuid() != 0,  # it refuses to run as root with one
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
    except (Error, TimeoutError, OSError) as error:
        await stack.aclose()
        raise NoBrowser(
            f"{program} does not start: {_said(error)}; try it by itself, or set render.executable"
        ) from None
    group = await asyncio.to_thread(memory.find, mark)
    log.debug("browser started", program=program, process=group)
    return _Session(stack, browser, group, settings.max_memory_mb * 1_000_000)


def renderer_for(settings: Settings) -> Renderer | None:
    """For a worker; nothing is loaded or started before a page needs it."""
    if settings.crawl.render == "never":
        return None
    return Renderer(settings.render, user_agent(settings.net))


MISSING: Final = "pages that need a browser stay unread: install it with `pip install 'surveyor[browser]'`"


def found(settings: RenderSettings) -> str:
    """The program that would be started; `NoBrowser` says what is missing. Loads nothing."""
    if importlib.util.find_spec("playwright") is None:
        raise NoBrowser(MISSING)
    return executable(settings)


def executable(settings: RenderSettings) -> str:
    """The browser's program; `NoBrowser` says what to install."""
    if settings.executable:
        if (found := shutil.which(settings.executable)) is not None:
            return found
        raise NoBrowser(f"render.executable: there is no program {settings.executable}")
    for name in _PROGRAMS:
        if (found := shutil.which(name)) is not None:
            return found
    raise NoBrowser("no Chromium was found: install chromium, or set render.executable")


def _said(error: BaseException) -> str:
    """The first line, without what the driver adds."""
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
