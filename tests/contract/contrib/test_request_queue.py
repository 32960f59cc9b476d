"""The queue of a Scrapy project: URLs wait for who takes the domain, and what requests carry with them."""

from __future__ import annotations

from sqlalchemy import update

from surveyor.contrib.scrapy import store
from surveyor.contrib.scrapy.queue import RequestFrontier
from surveyor.contrib.scrapy.store import Arrival
from surveyor.db import Database
from surveyor.db.tables import domain_crawl, pages
from surveyor.frontier.changes import RANK_NORMAL, DomainChanges, GivenBack, NewUrl
from surveyor.frontier.sql import SqlFrontier
from surveyor.names import url_key
from surveyor.registry.leases import Lease
from tests.support.registry_help import add_domain, claim_one, get


def _arrival(target: str, text: str | None = None, *, again: bool = False) -> Arrival:
    return Arrival("a.example", url_key(target), "http://a.example", target, 2, RANK_NORMAL, text, again)


async def _queue(db: Database, *arrivals: Arrival) -> dict[str, int]:
    async with db.write() as tx:
        return await store.queue(tx, arrivals)


async def _step(db: Database, frontier: RequestFrontier, changes: DomainChanges) -> list[str]:
    """One commit; returns the targets that were taken."""
    async with db.write() as tx:
        applied = await frontier.apply(tx, [changes])
    taken = await frontier.settle(db, [changes], applied)
    return [url.target for url in taken[changes.no]]


async def _opened(db: Database) -> tuple[Lease, RequestFrontier]:
    lease, frontier = await claim_one(db), RequestFrontier(SqlFrontier())
    async with db.write() as tx:
        await frontier.open(tx, {lease.no: lease.epoch})
    return lease, frontier


async def test_urls_wait_for_whoever_takes_the_domain_with_what_their_requests_carry(db: Database) -> None:
    domain = await add_domain(db, "a.example")
    found = await _queue(db, _arrival("/x", '{"callback": "article"}'), _arrival("/y"), _arrival("/y"))
    now = await get(db, domain.no)
    assert found == {"a.example": domain.no}
    assert (now.frontier_size, now.pages_discovered, now.start_url) == (2, 2, "http://a.example/")
    lease, frontier = await _opened(db)
    taken = await _step(db, frontier, DomainChanges(lease.no, lease.epoch, want=5))
    assert taken == ["/x", "/y"]
    assert frontier.text_of(lease.no, url_key("/x")) == '{"callback": "article"}'
    assert frontier.text_of(lease.no, url_key("/y")) is None


async def test_a_text_stays_with_its_url_whether_that_was_had_or_goes_back(db: Database) -> None:
    await add_domain(db, "a.example")
    lease, frontier = await _opened(db)
    for target in ("/x", "/y"):
        frontier.offer(lease.no, url_key(target), f'"{target}"')
    new = [NewUrl(url_key(target), target, 1, RANK_NORMAL, None) for target in ("/x", "/y")]
    assert await _step(db, frontier, DomainChanges(lease.no, lease.epoch, new, want=2)) == ["/x", "/y"]
    back = [GivenBack(url_key("/y"), 0, False)]
    await _step(db, frontier, DomainChanges(lease.no, lease.epoch, [], back, [url_key("/x")]))
    async with db.read() as tx:
        left = await store.of(tx, [(lease.no, url_key("/x")), (lease.no, url_key("/y"))])
    assert left == {(lease.no, url_key("/x")): '"/x"', (lease.no, url_key("/y")): '"/y"'}
    again = RequestFrontier(SqlFrontier())  # another process, after this one was killed
    assert await _step(db, again, DomainChanges(lease.no, lease.epoch, want=2)) == ["/y"]
    assert again.text_of(lease.no, url_key("/y")) == '"/y"'


async def test_a_start_url_waits_again_unless_the_crawl_goes_on(db: Database) -> None:
    domain = await add_domain(db, "a.example")
    await _queue(db, _arrival("/"), _arrival("/x"))
    lease, frontier = await _opened(db)
    await _step(db, frontier, DomainChanges(lease.no, lease.epoch, want=2))
    async with db.write() as tx:
        await tx.execute(
            update(pages).where(pages.c.key == url_key("/")).values(state="done", taken_epoch=None)
        )
    await _queue(db, _arrival("/", again=True))
    assert (await get(db, domain.no)).frontier_size == 2, "it goes on, so nothing is asked for twice"
    async with db.write() as tx:
        await tx.execute(update(domain_crawl).values(frontier_size=0))
    await _queue(db, _arrival("/", again=True))
    assert (await get(db, domain.no)).frontier_size == 0, "the other page is taken, by whoever"
    async with db.write() as tx:
        await tx.execute(update(pages).values(state="done", taken_epoch=None))
        await tx.execute(update(domain_crawl).values(frontier_checkpoint_id="redis:7:1"))
    await _queue(db, _arrival("/", again=True))
    assert (await get(db, domain.no)).frontier_size == 0, "one is taken in a frontier outside the database"
    async with db.write() as tx:
        await tx.execute(update(domain_crawl).values(frontier_checkpoint_id="redis:8:0"))
    await _queue(db, _arrival("/", '{"priority": 3}', again=True))
    assert (await get(db, domain.no)).frontier_size == 1
    assert (await get(db, domain.no)).pages_discovered == 2
