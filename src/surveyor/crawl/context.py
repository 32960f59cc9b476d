"""What visits of one worker share: the way to all sites, and the transactions that open their domains."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from surveyor.clock import Clock
from surveyor.crawl.commit import Committer
from surveyor.crawl.page_process import PageReader
from surveyor.crawl.store import visits as store
from surveyor.crawl.store.visits import Begun
from surveyor.db import Database
from surveyor.errors import DatabaseUnreachable, LeaseLost
from surveyor.frontier import reconcile
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.reconcile import Standing
from surveyor.frontier.revisits import Schedule
from surveyor.names import NameRules
from surveyor.net.fetcher import Fetcher
from surveyor.net.robots import RobotsRow
from surveyor.net.throttle import AddressLimit
from surveyor.process.tasks import MOST_WRITTEN, Batch
from surveyor.registry.leases import Lease
from surveyor.settings import CrawlSettings

if TYPE_CHECKING:  # it loads Pillow
    from surveyor.archive.keeper import ImageKeeper
    from surveyor.render.browser import Renderer


class OpenRequest(NamedTuple):
    lease: Lease
    origins: Sequence[str]  # where the site may be reached, the likeliest first


class Opening(NamedTuple):
    begun: Begun
    robots: RobotsRow | None  # of the first origin of which something is known


class DomainOpener:
    """Opens domains under their leases, those that are claimed together in one transaction."""

    def __init__(self, db: Database, frontier: Frontier, run_id: UUID) -> None:
        self._db, self._frontier, self._run = db, frontier, run_id
        self._standings = Batch(self._read_standings, DatabaseUnreachable, most=MOST_WRITTEN)
        self._begun = Batch(self._begin, DatabaseUnreachable, most=MOST_WRITTEN)

    async def open(self, lease: Lease, origins: Sequence[str]) -> Opening:
        """Raises `LeaseLost` where the lease does not hold any more, or the domain is gone with it."""
        if self._frontier.is_outside or lease.domain.frontier_checkpoint_id is not None:
            standing = await self._standings.ask(lease)
            if standing is None:
                raise LeaseLost(lease.domain.domain, lease.epoch)
            await self._frontier.prepare(self._db, lease.no, lease.epoch, standing)
        opening = await self._begun.ask(OpenRequest(lease, origins))
        if opening is None:
            raise LeaseLost(lease.domain.domain, lease.epoch)
        return opening

    async def _read_standings(self, leases: Sequence[Lease]) -> list[Standing | None]:
        async with self._db.read() as tx:
            found = await reconcile.standings(tx, [lease.no for lease in leases])
        return [found.get(lease.no) for lease in leases]

    async def _begin(self, asked: Sequence[OpenRequest]) -> list[Opening | None]:
        async with self._db.write() as tx:
            begun = await store.begin_all(tx, self._frontier, [each.lease for each in asked], self._run)
            robots = await store.robots_of(tx, [origin for each in asked for origin in each.origins])
        return [
            Opening(begun[lease.no], next((robots[origin] for origin in origins if origin in robots), None))
            if lease.no in begun
            else None
            for lease, origins in asked
        ]


class Gate:
    """Lets requests run beside each other, and a suspect alone: the only one in flight of its process."""

    def __init__(self) -> None:
        self._inside = 0
        self._alone = asyncio.Lock()
        self._empty = asyncio.Event()
        self._empty.set()

    async def __aenter__(self) -> None:
        while self._alone.locked():
            async with self._alone:  # wait for the suspect to be through
                pass
        self._inside += 1
        self._empty.clear()

    async def __aexit__(self, *_: object) -> None:
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
    screenshots: bool = False  # of those that a browser shows


def no_renderer() -> Renderer | None:
    """Pages are shown as they were fetched."""
    return None


@dataclass(slots=True)
class WorkerContext:
    db: Database
    frontier: Frontier
    opener: DomainOpener
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
