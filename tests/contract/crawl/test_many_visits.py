"""Domains that are opened and released together: each under its own lease, in statements they share."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import delete

from surveyor.crawl.context import DomainOpener, Opening
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.service import start_run
from surveyor.crawl.store import visits
from surveyor.crawl.store.visits import Ending
from surveyor.db import Database
from surveyor.db.tables import domains
from surveyor.errors import LeaseLost
from surveyor.frontier.changes import Applied
from surveyor.frontier.sql import SqlFrontier
from surveyor.registry import leases
from surveyor.registry.leases import Claimer, Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.release import Outcome
from tests.support.lease_help import suspend
from tests.support.registry_help import ADMIN, add_domain, get
from tests.support.review_help import STAFF, name_it
from tests.support.statements import statements, texts

_WORKER = "worker-1"


async def _claimed(db: Database, count: int) -> list[Lease]:
    for number in range(count):
        await add_domain(db, f"site-{number}.example")
    return await Claimer(db, _WORKER, 600.0).claim(count)


def _ending(lease: Lease, outcome: Outcome) -> Ending:
    return Ending(lease, outcome, f"https://{lease.domain.domain}/", 3600.0, False, Applied())


async def _open_and_release(db: Database, held: list[Lease]) -> None:
    run = await start_run(db, ADMIN, RunOptions(), continuous=False)
    outcome = Outcome(status=CrawlStatus.EXHAUSTED, run_id=run)
    async with db.write() as tx:
        begun = await visits.begin_all(tx, SqlFrontier(), held, run)
    assert begun.keys() == {lease.no for lease in held}
    async with db.write() as tx:
        assert (
            await visits.end_all(tx, [_ending(lease, outcome) for lease in held], "records") == begun.keys()
        )


async def test_many_domains_are_opened_and_released_in_as_many_statements_as_one(db: Database) -> None:
    many = await _claimed(db, 12)
    one = [many.pop()]
    alone = await statements(db, lambda: _open_and_release(db, one))
    assert await statements(db, lambda: _open_and_release(db, many)) == alone
    found = await get(db, many[0].no)
    assert (found.crawl_status, found.claimed_by, found.attempts) == (CrawlStatus.EXHAUSTED, None, 0)
    assert found.start_url == f"https://{found.domain}/" and found.due_at is not None


async def test_whatever_their_number_a_handful_of_prepared_statements_serves_them(db: Database) -> None:
    held = await _claimed(db, 13)
    five, eight = held[:5], held[5:]
    said = await texts(db, lambda: _open_and_release(db, five))
    assert await texts(db, lambda: _open_and_release(db, eight)) == said


async def test_one_that_was_withdrawn_is_neither_opened_nor_released_with_the_others(db: Database) -> None:
    gone, *rest = held = await _claimed(db, 3)
    await suspend(db, gone.no)
    run = await start_run(db, ADMIN, RunOptions(), continuous=False)
    async with db.write() as tx:
        begun = await visits.begin_all(tx, SqlFrontier(), held, run)
        released = await visits.end_all(tx, [_ending(one, Outcome()) for one in held], "records")
    assert begun.keys() == released == {lease.no for lease in rest}
    found = await get(db, gone.no)
    assert (found.due_at, found.last_crawl_run_id, found.start_url) == (None, None, None)
    assert (await get(db, rest[0].no)).due_at is not None


async def test_a_url_that_somebody_names_before_the_release_keeps_its_domain_due(db: Database) -> None:
    named, other = await _claimed(db, 2)
    run = await start_run(db, ADMIN, RunOptions(), continuous=False)
    outcome = Outcome(status=CrawlStatus.EXHAUSTED, run_id=run)
    async with db.write() as tx:
        await visits.begin_all(tx, SqlFrontier(), [named, other], run)
    await name_it(db, f"http://{named.domain.domain}/?from=flyer", STAFF)
    async with db.write() as tx:
        await visits.end_all(tx, [_ending(one, outcome) for one in (named, other)], "records")
    waits, done = await get(db, named.no), await get(db, other.no)
    assert waits.due_at is not None and waits.due_at <= waits.read_at
    assert done.due_at is not None and done.due_at > done.read_at
    assert [lease.no for lease in await Claimer(db, _WORKER, 600.0).claim(2)] == [named.no]


@pytest.mark.parametrize("act", ["nothing", "suspended", "one more"])
async def test_a_look_at_all_leases_in_one_row_sees_any_difference(db: Database, act: str) -> None:
    held = await _claimed(db, 3)
    expected = held
    if act == "suspended":
        await suspend(db, held[1].no)
    elif act == "one more":
        expected = held[:2]
    assert await leases.are_held(db, _WORKER, expected) is (act == "nothing")


async def test_a_domain_that_is_gone_is_a_lost_lease_and_the_others_are_opened(db: Database) -> None:
    gone, rest = await _claimed(db, 2)
    run = await start_run(db, ADMIN, RunOptions(), continuous=False)
    async with db.write() as tx:
        await tx.execute(delete(domains).where(domains.c.no == gone.no))
    openings = DomainOpener(db, SqlFrontier(), run)
    found = await asyncio.gather(openings.open(gone, []), openings.open(rest, []), return_exceptions=True)
    assert isinstance(found[0], LeaseLost)
    assert isinstance(found[1], Opening) and found[1].begun.is_new
