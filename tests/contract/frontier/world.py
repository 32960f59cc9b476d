"""A domain, whoever crawls it, and the product's own committer in between: what the contract is held to.

A `Visit` here fetches nothing. It says what was found, finished and given back, through the
same outbox, transaction and lease as a real one; so every frontier is asked only what the
product asks.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from redis.asyncio import Redis
from sqlalchemy import select

from surveyor.clock import SystemClock
from surveyor.crawl.commit import Committer
from surveyor.crawl.group_writer import GroupWriter
from surveyor.crawl.images.commit import ImageCommits
from surveyor.crawl.member import Member, Outbox
from surveyor.crawl.results import PageResult
from surveyor.crawl.store import runs, visits
from surveyor.db import Database, later
from surveyor.db.tables import domain_crawl, pages
from surveyor.errors import LeaseLost
from surveyor.frontier.changes import RANK_NORMAL, GivenBack, NewUrl, Opened, Taken, UrlKind
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.redis.connect import new_client
from surveyor.frontier.redis.frontier import RedisFrontier
from surveyor.frontier.revisits import Habits
from surveyor.frontier.sql import SqlFrontier
from surveyor.names import url_key
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.leases import ClaimFilter
from surveyor.registry.store.release import Outcome
from surveyor.settings import CrawlSettings
from tests.support.lease_help import write_crawl
from tests.support.registry_help import add_domain

_LONG = 6_000.0  # seconds; longer than any test
_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


class Counters(NamedTuple):
    discovered: int
    crawled: int
    waiting: int
    run_pages: int


@dataclass
class World:
    """One register, its frontier, and visits of it one after the other."""

    db: Database
    redis_url: str | None
    clients: list[Redis] = field(default_factory=list)
    visits: int = 0

    async def begin(self) -> None:
        async with self.db.write() as tx:
            self.run = await runs.start(tx, "test", None, {})

    def new_frontier(self) -> Frontier:
        """As a new process would have it."""
        if self.redis_url is None:
            return SqlFrontier()
        self.clients.append(new_client(self.redis_url))
        return RedisFrontier(self.clients[-1])

    async def domain(self, name: str = "a.example") -> int:
        return (await add_domain(self.db, name)).no

    async def visit(self, no: int, frontier: Frontier | None = None, worker: str | None = None) -> Visit:
        """Claim the domain, whoever may hold it, and open its frontier."""
        expired = {"due_at": later(-1), "claim_expires_at": later(-1), "claimed_by": "dead"}
        await write_crawl(self.db, no, **expired)
        self.visits += 1
        claimer = Claimer(self.db, worker or f"w{self.visits}", _LONG)
        (lease,) = await claimer.claim(1, ClaimFilter(domain_numbers=(no,)))
        visit = Visit(self, lease, frontier or self.new_frontier())
        await visit.open()
        return visit

    async def counters(self, no: int) -> Counters:
        c = domain_crawl.c
        query = select(c.pages_discovered, c.pages_crawled, c.frontier_size, c.run_pages).where(c.no == no)
        async with self.db.read() as tx:
            return Counters(*(await tx.execute(query)).one())

    async def row(self, no: int, target: str) -> Any:
        query = select(pages).where(pages.c.domain_no == no, pages.c.key == url_key(target))
        async with self.db.read() as tx:
            return (await tx.execute(query)).one_or_none()

    async def flush(self) -> None:
        """Redis forgets everything, as after FLUSHALL or on an empty new server."""
        if self.redis_url is not None:
            client = new_client(self.redis_url)
            await client.flushall()
            await client.aclose()

    async def redis_keys(self) -> dict[bytes, bytes]:
        """All that Redis has, to be restored later, as after a crash that cost it its last second."""
        if self.redis_url is None:
            return {}
        client = new_client(self.redis_url)
        found = {key: await client.dump(key) for key in await client.keys("*")}
        await client.aclose()
        return found

    async def restore(self, keys: Mapping[bytes, bytes]) -> None:
        if self.redis_url is not None:
            client = new_client(self.redis_url)
            await client.flushall()
            for key, value in keys.items():
                await client.restore(key, 0, value)
            await client.aclose()

    async def close(self) -> None:
        for client in self.clients:
            await client.aclose()


@asynccontextmanager
async def new_world(db: Database, redis_url: str | None) -> AsyncIterator[World]:
    world = World(db, redis_url)
    await world.flush()
    await world.begin()
    try:
        yield world
    finally:
        await world.close()


def committer(world: World, frontier: Frontier, worker: str, images: ImageCommits | None = None) -> Committer:
    clock = SystemClock()
    writer = GroupWriter(world.db, frontier, worker, world.run, clock, images=images)
    return Committer(writer, CrawlSettings(), clock)


class Died(Exception):
    """The process ended at this instruction."""


class Visit:
    """Holds the domain until it is left; nobody ends it but a test."""

    def __init__(self, world: World, lease: Lease, frontier: Frontier) -> None:
        self.world, self.lease, self.frontier = world, lease, frontier
        self.no, self.epoch = lease.no, lease.epoch
        self.member = Member(lease.no, lease.epoch, Habits(1.0), is_pending=False)
        self.committer = committer(world, frontier, lease.worker)
        self.hand: dict[str, Taken] = {}
        self.kind_of: Callable[[str], UrlKind] = lambda target: UrlKind.PAGE

    async def open(self) -> None:
        await self.frontier.prepare(self.world.db, self.no, self.epoch)
        opened: list[Opened] = []
        frontier = _Watching(self.frontier, opened.append)
        async with self.world.db.write() as tx:
            begun = await visits.begin_all(tx, frontier, [self.lease], self.world.run)  # type: ignore[arg-type]
        if not begun:
            raise LeaseLost(self.lease.domain.domain, self.epoch)
        self.opened = opened[0]

    @property
    def outbox(self) -> Outbox:
        return self.member.outbox

    @property
    def is_lost(self) -> bool:
        return self.member.is_lost

    def receive(self) -> list[str]:
        """Takes into hand what commits brought; returns it."""
        taken = [url for delivery in self.member.receive() for url in delivery.taken]
        self.hand.update((url.target, url) for url in taken)
        return [url.target for url in taken]

    # -- what a test says

    def add(
        self,
        *targets: str,
        depth: int = 1,
        rank: int = RANK_NORMAL,
        on: str | None = None,
        cut: str | None = None,
    ) -> None:
        found_on = url_key(on) if on is not None else None
        self.outbox.added += [
            NewUrl(url_key(t), t, depth, rank, found_on, cut, self.kind_of(t)) for t in targets
        ]

    def finish(
        self, target: str, *links: str, cut: Iterable[str] = (), traps: Iterable[str] = (), **values: Any
    ) -> None:
        """A page was fetched; its links are found by it, those of `cut` too deep."""
        taken = self.hand.pop(target)
        result = PageResult(
            taken.key, f"https://a.example{target}", target, taken.depth, "done", _MOMENT, status=200
        )
        result.kind, result.past = taken.kind, taken.past
        for name, value in values.items():
            setattr(result, name, value)
        result.links = [*links, *cut, *traps]
        self.outbox.results.append(result)
        is_redirect = result.reason == "redirect"
        depth, rank = (taken.depth, 0) if is_redirect else (taken.depth + 1, RANK_NORMAL)
        self.add(*links, depth=depth, rank=rank, on=target)
        self.add(*cut, depth=depth, on=target, cut="depth")
        self.add(*traps, depth=depth, on=target, cut="calendar")

    def give_back(self, target: str, attempts: int = 0, *, to_the_end: bool = False) -> None:
        taken = self.hand.pop(target)
        self.outbox.given_back.append(GivenBack(taken.key, attempts, to_the_end))

    async def fetch_alone(self, target: str) -> None:
        """A suspect is in flight, and nothing else."""
        async with self.world.db.write() as tx:
            await self.frontier.count_alone(tx, self.no, self.hand[target].key)

    async def commit(self, want: int = 0) -> list[str]:
        """Write what was said; returns what was taken."""
        self.outbox.want = want
        await self.committer.commit(self.member)
        if self.committer.failure is not None:
            raise self.committer.failure
        return self.receive()

    async def take(self, want: int) -> list[str]:
        return await self.commit(want)

    async def die_unsettled(self, want: int = 0) -> Callable[[], Awaitable[Any]]:
        """Commit, and die before the frontier hears of it; returns what a ghost would still do."""
        real, called = self.frontier.settle, []

        async def settle(*said: Any) -> Any:
            called.append(said)
            raise Died

        self.frontier.settle = settle  # type: ignore[method-assign]
        self.outbox.want = want
        with contextlib.suppress(Died):
            await self.committer.commit(self.member)
        return lambda: real(*called[0])

    async def leave(self) -> None:
        """The last commit of a visit, and its release."""
        self.outbox.given_back += [GivenBack(url.key, url.attempts, False) for url in self.hand.values()]
        self.outbox.unused += len(self.hand)
        self.hand.clear()
        await self.commit()
        outcome = Outcome(status=CrawlStatus.ACTIVE, run_id=self.world.run)
        rest = self.frontier.close(self.no, self.epoch)
        ending = visits.Ending(self.lease, outcome, None, _LONG, wants_images=False, rest=rest)
        async with self.world.db.write() as tx:
            released = await visits.end_all(tx, [ending], "records")
        if not released:
            raise LeaseLost(self.lease.domain.domain, self.epoch)

    async def count(self) -> int:
        async with self.world.db.read() as tx:
            return await self.frontier.count(tx, self.no)


class _Watching:
    """A frontier that tells what an opening came to."""

    def __init__(self, frontier: Frontier, tell: Callable[[Opened], None]) -> None:
        self._frontier, self._tell = frontier, tell

    async def open(self, *said: Any) -> dict[int, Opened]:
        opened = await self._frontier.open(*said)
        for one in opened.values():
            self._tell(one)
        return opened
