"""What extraction says of pages moves their dates, and their domain's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import insert, select, update

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, pages
from surveyor.extract.commit import PageYield
from surveyor.frontier.changes import RANK_FIRST, RANK_NORMAL
from surveyor.refresh import due
from surveyor.refresh.due import RefreshHook
from surveyor.refresh.policy import UNIT, History
from tests.support.registry_help import add_domain

LAST = datetime(2026, 5, 1, tzinfo=UTC)
DAY = 24 * 60
KNOWN = History(visits=4 * UNIT, changes=2 * UNIT, minutes=4 * DAY, interval=DAY, without_records=9 * DAY)


async def _domain(db: Database, **histories: History | None) -> int:
    """A domain at its end, with one page for each history."""
    no = (await add_domain(db, "a.example")).no
    async with db.write() as tx:
        for key, (name, history) in enumerate(histories.items(), 1):
            row: dict[str, Any] = {"domain_no": no, "key": key, "target": f"/{name}", "state": "done"}
            row |= {"depth": 1, "rank": RANK_NORMAL, "seq": 0, "fetched_at": LAST}
            if history is not None:
                at = LAST + timedelta(minutes=history.interval)
                row |= {"history": history.to_bytes(), "next_visit_at": at}
            await tx.execute(insert(pages).values(row))
        for status in ("active", "exhausted"):
            at_its_end = {"crawl_status": status, "due_at": LAST + timedelta(days=1)}
            await tx.execute(update(domain_crawl).where(domain_crawl.c.no == no).values(at_its_end))
    return no


async def _page(db: Database, no: int, key: int) -> tuple[History, timedelta | None, int]:
    query = select(pages).where(pages.c.domain_no == no, pages.c.key == key)
    async with db.read() as tx:
        row = (await tx.execute(query)).one()
    ahead = row.next_visit_at - row.fetched_at if row.next_visit_at else None
    return History.of(row.history), ahead, row.rank


async def _due_in(db: Database, no: int) -> timedelta:
    async with db.read() as tx:
        found: datetime = (
            await tx.execute(select(domain_crawl.c.due_at).where(domain_crawl.c.no == no))
        ).scalar_one()
    return found - LAST


async def test_a_change_that_was_none_makes_the_next_visit_later(db: Database) -> None:
    no = await _domain(db, page=KNOWN, other=KNOWN, bare=None)
    async with db.write() as tx:
        await RefreshHook().unchanged(tx, [(no, 1), (no, 3), (no, 404)])
    history, ahead, _ = await _page(db, no, 1)
    assert history.changes == UNIT
    assert ahead == timedelta(minutes=history.interval) > timedelta(days=1)
    assert (await _page(db, no, 2))[0] == KNOWN, "nobody spoke of it"
    assert (await _page(db, no, 3))[1] is None, "a page without a past stays as it is"
    assert await _due_in(db, no) == timedelta(days=1)


async def test_a_page_that_gave_records_comes_first_from_then_on(db: Database) -> None:
    no = await _domain(db, page=KNOWN, other=KNOWN, moved=KNOWN)
    async with db.write() as tx:
        await RefreshHook().read(tx, no, PageYield({1, 3}, {3}, set()))
    history, ahead, rank = await _page(db, no, 1)
    assert (history.without_records, history.has_records, rank) == (0, 1, RANK_FIRST)
    assert ahead == timedelta(days=1)
    assert (await _page(db, no, 2))[2] == RANK_NORMAL
    moved, ahead, rank = await _page(db, no, 3)
    assert (moved.has_records, ahead, rank) == (1, timedelta(hours=12), RANK_FIRST)
    assert await _due_in(db, no) == timedelta(hours=12), "the domain comes along"


async def test_a_domain_in_somebodys_hands_keeps_its_date(db: Database) -> None:
    no = await _domain(db, page=KNOWN)
    async with db.write() as tx:
        held = {"claimed_by": "w", "claim_expires_at": LAST}
        await tx.execute(update(domain_crawl).where(domain_crawl.c.no == no).values(held))
        await RefreshHook().read(tx, no, PageYield({1}, {1}, set()))
    assert await _due_in(db, no) == timedelta(days=1)


async def test_people_are_told_what_comes_next_and_why(db: Database) -> None:
    gone = KNOWN._replace(gone=1, interval=4 * DAY)
    no = await _domain(db, page=KNOWN, gone=gone, left=None)
    found = await due.outlook(db, no)
    assert (found.scheduled, found.due, found.believes_lastmod) == (2, 2, False)
    assert found.first is not None and found.first.target == "/page"
    assert found.first.why() == "every 24 hours: 2 changes in its last 4 visits"
    told = [await due.page_outlook(db, no, key) for key in (2, 3, 4)]
    assert told[0] and told[0].why() == "gone 1 time in a row; looked for every 4 days"
    assert told[1] and told[1].why() == "it is not visited again"
    assert told[2] is None
