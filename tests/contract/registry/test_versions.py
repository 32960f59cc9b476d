"""People edit a domain while it is crawled; two people who edit the same version are told so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import update

from surveyor.db import Database
from surveyor.db.tables import domain_crawl
from surveyor.errors import StaleVersion, UsageError
from surveyor.registry.actors import Actor
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.domain import Domain
from surveyor.registry.leases import Lease, renew
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import changes, events, leases
from surveyor.registry.store.release import Outcome
from tests.support.lease_help import release, second_door
from tests.support.registry_help import ADMIN, REVIEWER, add_domain, claim_one, get


async def _edit(db: Database, seen: Domain, by: Actor = ADMIN, **values: Any) -> Domain:
    async with db.write() as tx:
        return await changes.edit(tx, seen.no, values, by, seen_version=seen.version)


async def _commit(db: Database, lease: Lease) -> None:
    """A worker's group commit, as the guard of its lease allows it."""
    guard = leases.held(lease.no, lease.worker, lease.epoch)
    counted = {"pages_crawled": domain_crawl.c.pages_crawled + 1, "bytes_fetched": 33_000}
    async with db.write() as tx:
        assert (await tx.execute(update(domain_crawl).where(guard).values(counted))).rowcount == 1


async def test_a_domain_that_is_committed_to_all_the_time_is_edited_without_a_conflict(
    db: Database, db_url: str
) -> None:
    domain = await add_domain(db, "example.org")
    lease = await claim_one(db)
    edited = asyncio.Event()
    committed = 0

    async def crawl() -> None:
        nonlocal committed
        while not edited.is_set():
            await _commit(db, lease)
            committed += 1
            await asyncio.sleep(0.01)  # ten times a second and more

    async with second_door(db_url) as desk:
        worker = asyncio.create_task(crawl())
        for index in range(25):
            seen = await get(desk, domain.no)
            await asyncio.sleep(0.02)  # a person looks before they write
            await _edit(desk, seen, notes=f"note {index}", crawl_delay_seconds=float(index))
        edited.set()
        await worker
    row = await get(db, domain.no)
    assert (row.version, row.notes, row.crawl_delay_seconds) == (26, "note 24", 24.0)
    assert row.pages_crawled == committed >= 10
    assert await renew(db, "w1", [lease], 60) == {domain.no}, "and the worker noticed nothing"


async def test_two_people_who_edit_the_same_version_conflict_every_time(db: Database, db_url: str) -> None:
    domain = await add_domain(db, "example.org")
    async with second_door(db_url) as other:
        for index in range(20):
            seen = await get(db, domain.no)
            outcomes = await asyncio.gather(
                _edit(db, seen, ADMIN, notes=f"ada {index}"),
                _edit(other, seen, REVIEWER, max_pages_per_run=index + 1),
                return_exceptions=True,
            )
            [lost] = [each for each in outcomes if isinstance(each, BaseException)]
            assert isinstance(lost, StaleVersion)
            assert (lost.domain, lost.seen, lost.current) == ("example.org", seen.version, seen.version + 1)
            ada_won = isinstance(outcomes[0], Domain)
            told = "DomainEdited notes by ada" if ada_won else "DomainEdited max_pages_per_run by rita"
            assert lost.changes == (told,)
            assert (await get(db, domain.no)).version == seen.version + 1


async def test_editors_who_try_again_lose_nothing(db: Database, db_url: str) -> None:
    domain = await add_domain(db, "example.org")

    async def add_line(through: Database, line: str) -> None:
        while True:
            seen = await get(through, domain.no)
            try:
                await _edit(through, seen, notes="\n".join(filter(None, (seen.notes, line))))
                return
            except StaleVersion:
                continue

    async with second_door(db_url) as other:
        lines = [f"{editor} {turn}" for editor in range(6) for turn in range(4)]
        tasks = [add_line(db if index % 2 else other, line) for index, line in enumerate(lines)]
        await asyncio.gather(*tasks)
    row = await get(db, domain.no)
    assert row.notes is not None
    assert sorted(row.notes.splitlines()) == sorted(lines)
    assert row.version == 1 + len(lines)


async def test_the_loser_is_told_everything_that_changed_in_order(db: Database) -> None:
    seen = await add_domain(db, "example.org", approved=False)
    async with db.write() as tx:
        await changes.advance_review(tx, seen.no, ReviewStatus.APPROVED, REVIEWER)
        await changes.edit(tx, seen.no, {"is_trusted": True, "notes": "x"}, ADMIN, seen_version=2)
        await changes.advance_quality(tx, seen.no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")
    told = (
        "DomainApproved pending_review → approved by rita",
        "DomainEdited is_trusted, notes by ada",
        "DomainBlacklisted discovered → blacklisted by ada (scam)",
    )
    targets = (ReviewStatus.SUSPENDED, QualityStatus.DISCOVERED, None)
    for target in targets:
        with pytest.raises(StaleVersion) as lost:
            async with db.write() as tx:
                if isinstance(target, ReviewStatus):
                    await changes.advance_review(tx, seen.no, target, ADMIN, seen_version=1)
                elif target:
                    await changes.advance_quality(tx, seen.no, target, ADMIN, seen_version=1)
                else:
                    await changes.edit(tx, seen.no, {"notes": "y"}, ADMIN, seen_version=1)
        assert (lost.value.seen, lost.value.current, lost.value.changes) == (1, 4, told)
    assert (await get(db, seen.no)).version == 4


async def test_the_version_rises_when_people_or_judges_change_something_and_by_nothing_else(
    db: Database,
) -> None:
    domain = await add_domain(db, "example.org")
    edits: dict[str, Any] = {
        "is_trusted": True,
        "notes": "n",
        "max_crawl_depth": 2,
        "crawl_delay_seconds": 0.5,
        "max_pages_per_run": 9,
        "scrape_frequency_hours": 12,
        "render": "always",
    }
    assert set(edits) == set(changes.EDITABLE)
    version = 1
    for name, value in edits.items():
        row = await _edit(db, await get(db, domain.no), **{name: value})
        version += 1
        assert (row.version, getattr(row, name)) == (version, value)
        assert (await _edit(db, row, **{name: value})).version == version, "nothing changed"
    for target in (QualityStatus.PROCESSING, QualityStatus.PROCESSED_HIGH_QUALITY):
        async with db.write() as tx:
            row = await changes.advance_quality(tx, domain.no, target, ADMIN)
        version += 1
        assert row.version == version
    lease = await claim_one(db)
    await _commit(db, lease)
    await renew(db, "w1", [lease], 60)
    await release(db, lease, Outcome(status=CrawlStatus.ACTIVE))
    lease = await claim_one(db)
    await release(db, lease, Outcome.blocked(Obstacle.TIMEOUT))
    async with db.write() as tx:
        await changes.reset(tx, domain.no, ADMIN, None)
    await claim_one(db)
    async with db.write() as tx:
        await leases.release_claims(tx, ADMIN, worker=None, expired_only=False)
    row = await get(db, domain.no)
    assert (row.version, row.updated_at >= domain.updated_at) == (version, True)
    for review in (ReviewStatus.SUSPENDED, ReviewStatus.APPROVED):
        async with db.write() as tx:
            row = await changes.advance_review(tx, domain.no, review, ADMIN)
        version += 1
        assert row.version == version


async def test_an_edit_says_what_it_changed_from_and_to(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    await _edit(db, domain, max_crawl_depth=5, is_trusted=False)
    async with db.read() as tx:
        [told] = await events.of_domain(tx, domain.no, 5)
    assert (told.data, told.version) == ({"max_crawl_depth": {"from": None, "to": 5}}, 2)


async def test_what_is_not_a_persons_to_edit_is_refused_by_name(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    with pytest.raises(UsageError, match="lease_epoch, version cannot be edited; what can: is_trusted"):
        await _edit(db, domain, version=7, lease_epoch=0, notes="x")
    with pytest.raises(UsageError, match="a depth is 0 to 1,000, not -1"):
        await _edit(db, domain, max_crawl_depth=-1)
    assert (await get(db, domain.no)).row() == domain.row()
    async with db.read() as tx:
        assert await events.of_domain(tx, domain.no, 5) == []
