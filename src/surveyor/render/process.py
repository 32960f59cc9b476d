"""One browser process, from its start to its end; it ends with everything that belongs to it."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from surveyor import logs
from surveyor.render import memory
from surveyor.render.busy import Busy, Load, Look
from surveyor.render.folders import BrowserFolder, sweep
from surveyor.render.nowhere import Nowhere
from surveyor.render.programs import MISSING, executable
from surveyor.render.showing import HEIGHT
from surveyor.render.values import NoBrowser
from surveyor.settings import RenderSettings

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright

log = logs.get("render")

# Seconds for a start on a busy machine, for the good-bye of a page, and between two looks at memory.
_START, _GOODBYE, _LOOK = 60.0, 5.0, 0.1
# Times that a start is tried: a failure may be somebody's kill, but not three.
_ATTEMPTS = 3
# Pages after which a browser is replaced: what scripts leave behind in it is gone then.
PAGES_EACH = 200
# Of the memory that a page may hold: what is seen to hold so much is ended, since it grows between two looks.
_FULL = 0.75
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
    # The last such switch is the one that counts, so what the driver would switch off stands here as well. A
    # process kept ready for the next page is one too many where each page has a context of its own.
    "--disable-features=Prerender2,SpeculationRulesPrefetchFuture,WebUSB,WebBluetooth,MediaRouter,FedCm,"
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,PaintHolding,OptimizationHints,"
    "NetworkTimeServiceQuerying,DestroyProfileOnBrowserClose,ThirdPartyStoragePartitioning,"
    "SpareRendererForSitePerProcess",
)


class BrowserProcess:
    """Made by `start`. `tree` is none where processes cannot be looked at (not on Linux)."""

    def __init__(
        self,
        stack: AsyncExitStack,
        browser: Browser,
        tree: memory.Tree | None,
        settings: RenderSettings,
        folder: BrowserFolder,
        *,
        alone: bool,
    ) -> None:
        self._stack, self._browser, self.tree, self._folder = stack, browser, tree, folder
        self._alone = alone
        self._page_bytes = int(_FULL * settings.max_memory_mb * 1_000_000)
        self._all_bytes = self._page_bytes * settings.pages_at_once
        self._pages = self._open = 0
        self._parted = 0
        self.is_killed = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._watch: asyncio.Task[None] | None = None
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def is_spent(self) -> bool:
        """Whether the next page gets another; pages that are open here may stay."""
        return self.is_killed or not self._browser.is_connected() or self._pages >= PAGES_EACH

    @asynccontextmanager
    async def context(self, agent: str) -> AsyncIterator[BrowserContext]:
        """A fresh one: nothing is kept between pages, still less between domains."""
        self._pages, self._open = self._pages + 1, self._open + 1
        self._idle.clear()
        if self._watch is None:
            self._watch = asyncio.create_task(self._watch_processes())
        context: BrowserContext | None = None
        try:
            context = await self._browser.new_context(
                user_agent=agent,
                service_workers="block",
                accept_downloads=False,
                viewport={"width": 1280, "height": HEIGHT},
                timezone_id="UTC",
            )
            yield context
        finally:
            leaving = asyncio.create_task(self._leave(context))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
            await asyncio.shield(leaving)  # a visit that is called off still closes its page

    async def _leave(self, context: BrowserContext | None) -> None:
        try:
            was_whole = self.tree is None or memory.is_whole(self.tree)
            if context is not None and not await _closes(context) and was_whole:
                log.warning("browser stuck; it is ended")
                self.kill()  # it takes the other open pages with it; each is tried again
        finally:
            self._open -= 1
            if not self._open:
                self._idle.set()
                if self._watch is not None:
                    self._watch.cancel()
                    self._watch = None

    async def answers(self) -> bool:
        """Whether it can still open a page. Its driver may be gone although it calls itself connected."""
        if self.is_killed or not self._browser.is_connected():
            return False
        try:
            async with asyncio.timeout(_GOODBYE):
                await (await self._browser.new_context()).close()
        except Exception as error:  # whatever it is, the next page cannot be shown here
            log.debug("browser does not answer", error=str(error))
            return False
        return True

    def take_parted(self) -> bool:
        """Whether a page that crashed was ended here because it seemed to hold up the others."""
        was_parted = self._parted > 0
        self._parted -= was_parted
        return was_parted

    def _part(self, look: Look) -> None:
        """The page that floods the browser is ended, to be shown by itself; the others stay."""
        if look.load is Load.CALM or self.is_killed:
            return
        log.debug("browser flooded", load=look.load.value, process=look.suspect)
        if look.load is Load.DROWNED:
            self.kill()  # it was none of those; what is open is shown again, each by itself
        elif look.suspect is not None and not self._alone:
            self._parted += 1
            memory.end_process(look.suspect)

    async def _watch_processes(self) -> None:
        busy = Busy(self.tree, alone=self._alone) if self.tree is not None else None
        while self.tree is not None and busy is not None:
            await asyncio.sleep(_LOOK)
            self._part(await asyncio.to_thread(busy.look, self._pages))
            ended, whole = await asyncio.to_thread(
                memory.end_the_largest, self.tree, self._page_bytes, self._all_bytes
            )
            for process in ended:
                log.warning("page ended: too much memory", process=process)
            if whole:
                log.warning("browser ended: too much memory")
                self.kill()
                memory.end_driver(self.tree)

    def kill(self) -> None:
        """Its driver stays to the end, and says of each open page that it is gone."""
        self.is_killed = True
        if self.tree is not None:
            memory.end_group(self.tree)

    async def end(self, patience: float = _GOODBYE) -> None:
        """After its open pages, which get `patience`; returns when nothing of it is left."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._idle.wait()
        await _close(self._stack)
        self.kill()
        if self.tree is not None:
            memory.end_driver(self.tree)
        await asyncio.to_thread(self._folder.remove)


async def _closes(context: BrowserContext) -> bool:
    try:
        async with asyncio.timeout(_GOODBYE):
            await context.close()
    except TimeoutError:
        return False
    except Exception as error:  # the browser is gone: so is the page
        log.debug("page closed", error=str(error))
    return True


async def start(settings: RenderSettings, nowhere: Nowhere, *, alone: bool = False) -> BrowserProcess:
    """For many pages, or for one `alone`. Raises `NoBrowser` where none can be started."""
    program = executable(settings)
    try:
        from playwright.async_api import Error
    except ImportError:
        raise NoBrowser(MISSING) from None
    for attempt in range(_ATTEMPTS):
        try:
            return await _started(program, settings, await nowhere.start(), alone)
        except TimeoutError as error:
            failure: Exception = error
            break  # it had its time
        except (Error, OSError) as error:  # perhaps killed in the middle of it
            failure = error
            log.debug("browser does not start", attempt=attempt, error=first_line(error))
    raise NoBrowser(
        f"{program} does not start: {first_line(failure)}; try it by itself, or set render.executable"
    )


async def _started(program: str, settings: RenderSettings, port: int, alone: bool) -> BrowserProcess:
    from playwright.async_api import async_playwright

    mark, stack = f"--surveyor-mark={uuid.uuid4().hex}", AsyncExitStack()
    await asyncio.to_thread(sweep)
    folder = BrowserFolder()
    try:
        async with asyncio.timeout(_START):
            driver: Playwright = await stack.enter_async_context(async_playwright())
            browser = await driver.chromium.launch(
                executable_path=program,
                args=[*_SWITCHES, f"--proxy-server=http://127.0.0.1:{port}", mark],
                artifacts_dir=folder.path,
                chromium_sandbox=os.geteuid() != 0,  # it refuses to run as root with one
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            tree = await asyncio.to_thread(memory.find, mark)
    except BaseException:  # called off as well: what was started must not stay
        left = memory.find(mark)
        await _close(stack)
        if left is not None:
            memory.end_group(left)
            folder.remember(left.profile)
        folder.remove()
        raise
    if tree is not None:
        folder.remember(tree.profile)
        memory.make_humble(tree)
    log.debug("browser started", program=program, process=tree and tree.group)
    return BrowserProcess(stack, browser, tree, settings, folder, alone=alone)


async def _close(stack: AsyncExitStack) -> None:
    try:
        async with asyncio.timeout(_GOODBYE):
            await stack.aclose()
    except Exception as error:  # it may be gone already
        log.debug("browser ended", error=str(error))


def first_line(error: BaseException) -> str:
    """Without what the driver adds."""
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
