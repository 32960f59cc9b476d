"""Lists: complete and stable pages, totals, and the stage said alike in Python and in SQL."""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

from sqlalchemy import select, text

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains
from surveyor.registry.domain import Domain, Stage, SubmitterType
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import changes, listing, rows, table
from surveyor.registry.store.listing import DomainFilter
from tests.support.lease_help import write_crawl
from tests.support.registry_help import ADMIN, add_domain, add_domains, claim_one


async def _pages(db: Database, wanted: DomainFilter, limit: int) -> list[Domain]:
    found: list[Domain] = []
    while True:
        async with db.read() as tx:
            page = await table.page(tx, wanted, limit, found[-1].no if found else 0)
        assert len(page) <= limit
        found += page
        if len(page) < limit:
            return found


async def test_pages_are_complete_and_in_the_order_of_registration(db: Database) -> None:
    await add_domains(db, 23)
    for limit in (1, 7, 23, 100):
        found = await _pages(db, DomainFilter(), limit)
        assert [row.no for row in found] == sorted(row.no for row in found)
        assert {row.domain for row in found} == {f"site{index}.example" for index in range(23)}


async def test_pages_are_stable_while_the_register_changes(db: Database) -> None:
    """A row read once is not shown again, and none is skipped, whatever happens in between."""
    await add_domains(db, 10)
    async with db.read() as tx:
        first = await table.page(tx, DomainFilter(), 5)
    async with db.write() as tx:
        await changes.advance_review(tx, first[0].no, ReviewStatus.SUSPENDED, ADMIN)
        await changes.edit(tx, first[1].no, {"notes": "x"}, ADMIN, seen_version=None)
    await claim_one(db)
    added = await add_domain(db, "aaa.example")
    async with db.read() as tx:
        rest = await table.page(tx, DomainFilter(), 50, first[-1].no)
    assert len({row.no for row in first + rest}) == 11
    assert rest[-1].no == added.no


async def test_filters_choose_and_totals_count_the_same(db: Database) -> None:
    await add_domains(db, 12)
    await add_domain(db, "new.example", approved=False, by=SubmitterType.SYSTEM)
    await add_domain(db, "asked.example", approved=False)
    lease = await claim_one(db)
    async with db.write() as tx:
        await changes.advance_review(tx, lease.no + 1, ReviewStatus.SUSPENDED, ADMIN)
        await changes.advance_quality(tx, lease.no + 2, QualityStatus.BLACKLISTED, ADMIN, reason="scam")
        counted = await listing.totals(tx)
    assert counted == {
        "crawling": 1,
        "suspended": 1,
        "blacklisted": 1,
        "pending_crawl": 9,
        "discovered": 1,
        "awaiting_review": 1,
    }
    for stage in Stage:
        found = await _pages(db, DomainFilter(stage=stage), 4)
        assert len(found) == counted.get(stage, 0)
        assert all(row.stage is stage for row in found)
    approved = await _pages(db, DomainFilter(review_status=ReviewStatus.APPROVED), 4)
    assert len(approved) == 11
    both = DomainFilter(review_status=ReviewStatus.APPROVED, crawl_status=CrawlStatus.ACTIVE)
    assert await _pages(db, both, 4) == []


async def test_the_best_by_yield_come_first_and_the_uncrawled_not_at_all(db: Database) -> None:
    for name, pages, records, images in (("a", 10, 5, 1), ("b", 4, 4, 0), ("c", 100, 50, 90), ("d", 0, 0, 0)):
        row = await add_domain(db, f"{name}.example")
        await write_crawl(db, row.no, pages_crawled=pages, records_stored=records, images_stored=images)
    async with db.read() as tx:
        by_records = [row.domain for row in await listing.top(tx, "records", 10)]
        by_images = [row.domain for row in await listing.top(tx, "images", 2)]
    assert by_records == ["b.example", "c.example", "a.example"], "more pages first among equals"
    assert by_images == ["c.example", "a.example"]


# --- the stage ---

_WAYS: dict[str, tuple[Any, ...]] = {
    "review_status": tuple(ReviewStatus),
    "quality_status": tuple(QualityStatus),
    "submitter_type": (SubmitterType.ADMIN, SubmitterType.SYSTEM),
    "high_quality_count": (0, 1),
    "processing_count": (0, 2),
    "crawl_status": tuple(CrawlStatus),
    "pages_crawled": (0, 3),
    "lease": (None, "live", "ended"),
}


async def _without_guards(db: Database) -> None:
    """States that no arrow leads to are wanted here, so the triggers go."""
    async with db.write() as tx:
        if not db.is_sqlite:
            for table in ("domains", "domain_crawl"):
                await tx.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
            return
        names = await tx.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'"))
        for name in names.scalars().all():
            await tx.execute(text(f"DROP TRIGGER {name}"))


async def test_python_and_sql_say_the_same_stage_for_every_combination(db: Database) -> None:
    model = await add_domain(db, "model.example")
    await _without_guards(db)
    people, worked = [], []
    base = model.row() | {
        "rejection_reason": "no",
        "blacklisted_by": "ada",
        "blacklisted_at": model.created_at,
        "blacklist_reason": "scam",
        "no_funds_year": 2026,
        "failure_reason": "broken",
        "retry_after": model.created_at,
        "block_reason_code": "timeout",
    }
    leases = {None: None, "live": timedelta(days=1), "ended": timedelta(days=-1)}
    for number, values in enumerate(product(*_WAYS.values()), start=1000):
        row = base | dict(zip(_WAYS, values, strict=True))
        until = leases[row.pop("lease")]
        row |= {"no": number, "id": UUID(int=number), "domain": f"d{number}.example"}
        row |= {
            "claimed_by": None if until is None else "w",
            "claim_expires_at": None if until is None else model.read_at + until,
        }
        people.append({column.name: row[column.name] for column in domains.c})
        worked.append({column.name: row[column.name] for column in domain_crawl.c})
    async with db.write() as tx:
        await tx.execute(domains.insert(), people)
        await tx.execute(domain_crawl.insert(), worked)
        query = select(domains.c.no, listing.STAGE).join_from(domains, domain_crawl)
        said = {row.no: row[1] for row in await tx.execute(query)}
        meant = {row.no: rows.to_domain(row).stage for row in await tx.execute(rows.select_domains())}
    assert len(said) == len(people) + 1 == 6721
    assert said == meant
    assert set(meant.values()) == set(Stage)
