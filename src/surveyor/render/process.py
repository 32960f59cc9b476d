"""One browser process, from its start to its end; it ends with everything that belongs to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from surveyor import logs
from surveyor.render import memory
from surveyor.render.cpu_watch import CpuWatch, Load, Look
from surveyor.render.devtools import DevtoolsError
from surveyor.render.folders import BrowserFolder, sweep
from surveyor.render.launch import Launched, launch, wait_for
from surveyor.render.programs import executable
from surveyor.render.refusing_proxy import RefusingProxy
from surveyor.render.tab import Tab
from surveyor.render.tabs import GOODBYE, Tabs
from surveyor.render.values import NoBrowser, PageToRender
from surveyor.settings import RenderSettings

log = logs.get("render")

# Seconds for a start on a busy machine, and between two looks at memory.
_START, _LOOK = 60.0, 0.1
# Times that a start is tried: a failure may be somebody's kill, but not three.
_ATTEMPTS = 3
# Pages after which a browser is replaced: what scripts leave behind in it is gone then.
PAGES_EACH = 200
# Of the memory that a page may hold: what is seen to hold so much is ended, since it grows between two looks.
_FULL = 0.6
# Looks in which a browser that holds too much itself may give it back, after the page that filled it.
_RELIEF = 5


class BrowserProcess:
    """Made by `start`. `group` is its first process, and the name of the group of all of them."""

    def __init__(
        self, launched: Launched, settings: RenderSettings, folder: BrowserFolder, *, alone: bool
    ) -> None:
        self.group, self._devtools = launched
        self._folder, self._alone = folder, alone
        page_bytes = int(_FULL * settings.max_memory_mb * 1_000_000)
        self._most_bytes = (page_bytes, page_bytes * settings.pages_at_once)  # of a page, and of all
        self._pages = self._open = 0
        self._busy = CpuWatch(self.group, alone=alone)
        self._parted = self._full = 0  # pages ended for the others' sake; looks in which it held too much
        self.is_killed = False
        self._tabs = Tabs(self._devtools, settings.pages_at_once)
        self._idle = asyncio.Event()
        self._idle.set()
        self._watch: asyncio.Task[None] | None = None
        self._leaving: set[asyncio.Task[None]] = set()

    async def greet(self) -> None:
        """Returns when it answers."""
        await self._tabs.greet()

    @property
    def losses(self) -> int:
        """Parts of it that somebody killed so far; pages that were open then may lack something."""
        return self._busy.losses

    @property
    def is_spent(self) -> bool:
        """Whether the next page gets another; pages that are open here may stay."""
        return self.is_killed or self._devtools.closed.done() or self._pages >= PAGES_EACH

    @asynccontextmanager
    async def open(self, page: PageToRender) -> AsyncIterator[Tab]:
        """A tab for the page, which is of its site alone."""
        self._pages, self._open = self._pages + 1, self._open + 1
        self._idle.clear()
        if self._watch is None:
            self._watch = asyncio.create_task(self._watch_processes())
        opened: Tab | None = None
        try:
            opened = await self._tabs.open(page)
            yield opened
            await self._tabs.keep(page, opened)
        finally:
            leaving = asyncio.create_task(self._leave(opened))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
            await asyncio.shield(leaving)  # a visit that is called off still closes its page

    async def _leave(self, opened: Tab | None) -> None:
        try:
            was_whole = memory.is_running(self.group)
            if opened is not None and not await self._tabs.close(opened) and was_whole:
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
        """Whether it can still open a page."""
        if self.is_killed or self._devtools.closed.done():
            return False
        try:
            async with asyncio.timeout(GOODBYE):
                await self._devtools.ask("Browser.getVersion")
        except (DevtoolsError, TimeoutError) as error:
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
            self._end_page(look.suspect)

    def _end_page(self, process: int) -> None:
        self._parted += 1
        memory.end_process(process)

    def _relieve(self, is_full: bool) -> None:
        """What a page stores may lie in the browser itself: it goes with the page, and the others stay."""
        self._full = self._full + 1 if is_full else 0
        if self._full == 1 and self._busy.busiest is not None and not self._alone:
            self._end_page(self._busy.busiest)
        elif self._full == 1 or self._full > _RELIEF:
            log.warning("browser ended: too much memory")
            self.kill()

    async def _watch_processes(self) -> None:
        while memory.can_look():
            await asyncio.sleep(_LOOK)
            self._part(await asyncio.to_thread(self._busy.look, self._pages))
            ended, whole = await asyncio.to_thread(memory.end_the_largest, self.group, *self._most_bytes)
            for process in ended:
                log.warning("page ended: too much memory", process=process)
            self._relieve(whole)

    def kill(self) -> None:
        self.is_killed = True
        memory.end_group(self.group)
        self._devtools.close()

    async def end(self, patience: float = GOODBYE) -> None:
        """After its open pages, which get `patience`; returns when nothing of it is left."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._idle.wait()
        self.kill()
        await wait_for(self.group)
        await asyncio.to_thread(self._folder.remove)


async def start(
    settings: RenderSettings, proxy: RefusingProxy, agent: str, *, alone: bool = False, last: bool = False
) -> BrowserProcess:
    """For many pages, or for one `alone`, `last` behind the others. `NoBrowser` where none can be started."""
    program = executable(settings)
    for attempt in range(_ATTEMPTS):
        try:
            return await _started(program, settings, await proxy.start(), agent, alone, last)
        except TimeoutError:
            failure = "it does not answer"
            break  # it had its time
        except (DevtoolsError, OSError) as error:  # perhaps killed in the middle of it
            failure = str(error)
            log.debug("browser does not start", attempt=attempt, error=failure)
    raise NoBrowser(f"{program} does not start: {failure}; try it by itself, or set render.executable")


async def _started(
    program: str, settings: RenderSettings, port: int, agent: str, alone: bool, last: bool
) -> BrowserProcess:
    await asyncio.to_thread(sweep)
    folder = BrowserFolder()
    try:
        launched = await launch(program, folder.path, port, agent)
        memory.make_humble(launched.process, last=last)
    except BaseException:
        folder.remove()
        raise
    made = BrowserProcess(launched, settings, folder, alone=alone)
    try:
        async with asyncio.timeout(_START):
            await made.greet()
    except BaseException:  # called off as well: what was started must not stay
        await asyncio.shield(made.end())
        raise
    log.debug("browser started", program=program, process=launched.process)
    return made
