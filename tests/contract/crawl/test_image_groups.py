"""Two workers that show each other's images at once: no deadlock, no page forgotten, counts that agree."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from hashlib import sha256

from sqlalchemy import func, select

from surveyor.archive.images import ImageFacts
from surveyor.archive.rights import Rights
from surveyor.clock import SystemClock
from surveyor.crawl.commit import Committer
from surveyor.crawl.group_writer import GroupWriter
from surveyor.crawl.images.commit import ImageCommits
from surveyor.crawl.images.outbox import ImageResult, Sighting
from surveyor.crawl.member import Member
from surveyor.crawl.store import runs
from surveyor.db import Database
from surveyor.db.tables import domain_crawl, image_urls, images, provenance
from surveyor.frontier.changes import Taken
from surveyor.frontier.revisits import Habits
from surveyor.frontier.sql import SqlFrontier
from surveyor.names import url_key
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.store.leases import ClaimFilter
from surveyor.settings import CrawlSettings
from tests.support.registry_help import add_domain

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_ROUNDS = 15
_PER_ROUND = 3


class Visit:
    """Says what it is told to, and keeps the images it was given."""

    def __init__(self, lease: Lease) -> None:
        self.no = lease.no
        self.member = Member(lease.no, lease.epoch, Habits(1.0), is_pending=True)
        self.hand: list[Taken] = []

    async def commit(self, committer: Committer) -> None:
        await committer.commit(self.member)
        assert committer.failure is None and not self.member.is_lost
        for delivery in self.member.receive():
            self.hand += delivery.box.images.taken

    def see(self, host: str | None, target: str, page: str) -> None:
        url = f"https://{host or 'own'}{target}"
        seen = Sighting(host, url_key(target), target, url, url_key(page), "", _MOMENT)
        self.member.outbox.images.sightings.append(seen)

    def fetch_all_in_hand(self) -> None:
        for taken in self.hand:
            content = sha256(f"{self.no}{taken.target}".encode()).digest()
            result = ImageResult(taken.key, f"https://own{taken.target}", "done", _MOMENT, status=200)
            result.facts = ImageFacts("png", 64, 48, content, 0, Rights())
            result.file, result.size = "ab/cd/x.png", 10
            self.member.outbox.images.results.append(result)
        self.hand = []
        self.member.outbox.images.want = 2 * _PER_ROUND


async def test_two_workers_that_show_each_others_images_miss_nothing(db: Database) -> None:
    names = ("a.example", "b.example")
    numbers = [(await add_domain(db, name)).no for name in names]
    async with db.write() as tx:
        run = await runs.start(tx, "test", None, {})
    crawls: list[tuple[Visit, Committer]] = []
    for worker, no in zip(("w1", "w2"), numbers, strict=True):
        (lease,) = await Claimer(db, worker, 600.0).claim(1, ClaimFilter(domain_numbers=(no,)))
        of_images = ImageCommits(run, approve_assets=False)
        clock = SystemClock()
        writer = GroupWriter(db, SqlFrontier(), worker, run, clock, images=of_images)
        crawls.append((Visit(lease), Committer(writer, CrawlSettings(), clock)))

    async def crawl(place: int) -> None:
        visit, committer = crawls[place]
        for number in range(_ROUNDS):
            for image in range(_PER_ROUND):
                target = f"/{number}-{image}.png"
                visit.see(names[1 - place], target, f"/page{number}")
                visit.see(None, target, f"/page{number}")
            visit.fetch_all_in_hand()
            await visit.commit(committer)

    await asyncio.gather(crawl(0), crawl(1))
    for place in (0, 1, 0, 1):  # what the other one added last
        visit, committer = crawls[place]
        while True:
            visit.fetch_all_in_hand()
            await visit.commit(committer)
            if not visit.hand:
                break
    async with db.read() as tx:
        shown = (await tx.execute(select(func.count()).select_from(provenance))).scalar_one()
        stored = (await tx.execute(select(func.count()).select_from(images))).scalar_one()
        left = (await tx.execute(select(image_urls.c.key).where(image_urls.c.state != "done"))).all()
        query = select(domain_crawl.c.frontier_size, domain_crawl.c.images_stored)
        counts = [tuple(row) for row in await tx.execute(query)]
    assert (stored, left) == (2 * _ROUNDS * _PER_ROUND, [])
    assert shown == 2 * stored, "each image stands on a page of both domains"
    assert [size for size, _ in counts] == [0, 0]
    assert all(credited >= _ROUNDS * _PER_ROUND for _, credited in counts)
