"""What visits of one worker share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from surveyor.clock import Clock
from surveyor.crawl.commit import Committer
from surveyor.crawl.openings import Openings
from surveyor.crawl.page_process import PageReader
from surveyor.db import Database
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.revisits import Schedule
from surveyor.names import NameRules
from surveyor.net.fetcher import Fetcher
from surveyor.net.throttle import AddressLimit
from surveyor.settings import CrawlSettings

if TYPE_CHECKING:  # it loads Pillow
    from surveyor.archive.keeper import ImageKeeper
    from surveyor.render.browser import Renderer


class Gate:
    """Lets requests run beside each other, and a suspect alone: the only one in flight of its process."""

    def __init__(self) -> None:
        self._inside = 0
        self._alone = asyncio.Lock()
        self._empty = asyncio.Event()
        self._empty.set()

    @asynccontextmanager
    async def shared(self) -> AsyncIterator[None]:
        while self._alone.locked():
            async with self._alone:  # wait for the suspect to be through
                pass
        self._inside += 1
        self._empty.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if not self._inside:
                self._empty.set()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        async with self._alone:
            await self._empty.wait()
            yield


@dataclass(slots=True)
class Outside:
    """The way to all sites."""

    fetcher: Fetcher
    agent: str  # our product token, for robots.txt
    addresses: AddressLimit
    gate: Gate = field(default_factory=Gate)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What others make of the pages."""

    captures: bool  # they are archived, or read later
    records: bool  # records are found in them


def no_renderer() -> Renderer | None:
    """Pages are shown as they were fetched."""
    return None


@dataclass(slots=True)
class WorkerContext:
    db: Database
    frontier: Frontier
    openings: Openings
    committer: Committer
    outside: Outside
    clock: Clock
    settings: CrawlSettings
    rules: NameRules
    run_id: UUID
    stopping: asyncio.Event
    wanted: Wanted
    schedule: Schedule
    reader: PageReader = field(default_factory=PageReader)
    images: ImageKeeper | None = None  # none: they are not wanted
    new_renderer: Callable[[], Renderer | None] = no_renderer
    renderer: Renderer | None = None  # none: no page has needed it, or there is no browser here
