"""Every allowed arrow works; every other one is refused by the store and by the database itself."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text, update

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains
from surveyor.errors import ForbiddenArrow, Refused, RefusedByDatabase, UsageError
from surveyor.registry.cooldowns import COOLDOWNS, Obstacle
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import (
    CRAWL,
    QUALITY,
    REVIEW,
    CrawlStatus,
    Lifecycle,
    QualityStatus,
    ReviewStatus,
)
from surveyor.registry.store import changes, events, rows
from tests.support.registry_help import ADMIN, REVIEWER, add_domain, advance_crawl, get

_TABLE = {REVIEW.column: domains, QUALITY.column: domains, CRAWL.column: domain_crawl}
# Columns that some states need; written by hand they must be there for the CHECKs.
_NEEDED: dict[str, dict[str, Any]] = {
    ReviewStatus.REJECTED: {"rejection_reason": "no"},
    QualityStatus.BLACKLISTED: {"blacklist_reason": "spam", "blacklisted_by": "ada"},
    QualityStatus.NO_FUNDS_THIS_YEAR: {"no_funds_year": 2020},
    QualityStatus.PROCESSING_FAILED: {"failure_reason": "broken"},
    CrawlStatus.BLOCKED: {"block_reason_code": "forbidden"},
    CrawlStatus.UNREACHABLE: {"block_reason_code": "timeout"},
}
_PAST = "2020-01-01 00:00:00.000"


def _paths(lifecycle: Lifecycle[Any]) -> dict[Any, list[Any]]:
    """For each state a way to it from a first state, along allowed arrows."""
    ways: dict[Any, list[Any]] = {lifecycle.first[0]: [lifecycle.first[0]]}
    queue = [lifecycle.first[0]]
    for state in queue:
        for target in lifecycle.arrows[state]:
            if target not in ways:
                ways[target] = [*ways[state], target]
                queue.append(target)
    return ways


async def _write_by_hand(db: Database, no: int, lifecycle: Lifecycle[Any], state: Any) -> None:
    """What somebody with a SQL prompt would do."""
    async with db.write() as tx:
        past = text(f"'{_PAST}'" if db.is_sqlite else f"timestamptz '{_PAST}+00'")
        extra: dict[str, Any] = dict(_NEEDED.get(state, {}))
        if state is QualityStatus.BLACKLISTED:
            extra["blacklisted_at"] = past
        if state is QualityStatus.PROCESSING_FAILED:
            extra["retry_after"] = past
        table = _TABLE[lifecycle.column]
        await tx.execute(update(table).where(table.c.no == no).values({lifecycle.column: state} | extra))


async def _domain_at(db: Database, lifecycle: Lifecycle[Any], state: Any, name: str) -> Domain:
    domain = await add_domain(db, name, approved=False)
    for step in _paths(lifecycle)[state][1:]:
        await _write_by_hand(db, domain.no, lifecycle, step)
    return await get(db, domain.no)


async def _advance(db: Database, domain: Domain, lifecycle: Lifecycle[Any], target: Any) -> None:
    async with db.write() as tx:
        if lifecycle is REVIEW:
            await changes.advance_review(tx, domain.no, target, ADMIN, reason="because")
        elif lifecycle is QUALITY:
            await changes.advance_quality(tx, domain.no, target, ADMIN, reason="because", year=2020)
        else:
            obstacle = next((o for o, row in COOLDOWNS.items() if row.status is target), Obstacle.TIMEOUT)
            locked = await rows.get(tx, domain.no, lock=True)
            await advance_crawl(tx, locked, target, ADMIN, values={"block_reason_code": obstacle})


@pytest.mark.parametrize("lifecycle", [REVIEW, QUALITY, CRAWL], ids=lambda item: item.column)
async def test_the_store_takes_every_allowed_arrow_and_no_other(
    db: Database, lifecycle: Lifecycle[Any]
) -> None:
    for index, (source, target) in enumerate((s, t) for s in lifecycle.states for t in lifecycle.states):
        domain = await _domain_at(db, lifecycle, source, f"s{index}.example")
        if lifecycle.allows(source, target):
            await _advance(db, domain, lifecycle, target)
            assert getattr(await get(db, domain.no), lifecycle.column) is target
        else:
            with pytest.raises(ForbiddenArrow) as refusal:
                await _advance(db, domain, lifecycle, target)
            assert refusal.value.source == source
            assert (await get(db, domain.no)).row() == domain.row()


@pytest.mark.parametrize("lifecycle", [REVIEW, QUALITY, CRAWL], ids=lambda item: item.column)
async def test_hand_written_sql_is_held_to_the_same_arrows(db: Database, lifecycle: Lifecycle[Any]) -> None:
    pairs = [(s, t) for s in lifecycle.states for t in lifecycle.states if s is not t]
    for index, (source, target) in enumerate(pairs):
        domain = await _domain_at(db, lifecycle, source, f"h{index}.example")
        if lifecycle.allows(source, target):
            await _write_by_hand(db, domain.no, lifecycle, target)
        else:
            with pytest.raises(RefusedByDatabase, match="no such arrow"):
                await _write_by_hand(db, domain.no, lifecycle, target)
        expected = target if lifecycle.allows(source, target) else source
        assert getattr(await get(db, domain.no), lifecycle.column) is expected


@pytest.mark.parametrize("lifecycle", [REVIEW, QUALITY, CRAWL], ids=lambda item: item.column)
async def test_a_row_begins_only_in_a_first_state(db: Database, lifecycle: Lifecycle[Any]) -> None:
    model = await add_domain(db, "model.example", approved=False)
    columns = {column.name for column in domains.c}
    for index, state in enumerate(lifecycle.states):
        row = model.row() | {"no": 1000 + index, "id": UUID(int=index + 1), "domain": f"first{index}.example"}
        if lifecycle is not CRAWL:
            row[lifecycle.column] = state
            row |= _NEEDED.get(state, {})
            row |= {"blacklisted_at": model.read_at, "retry_after": model.read_at}
        crawl = {c.name: row[c.name] for c in domain_crawl.c} | {"no": 1000 + index}
        if lifecycle is CRAWL:
            crawl |= {"crawl_status": state} | _NEEDED.get(state, {})

        async def insert(row: dict[str, Any] = row, crawl: dict[str, Any] = crawl) -> None:
            async with db.write() as tx:
                await tx.execute(domains.insert().values({k: v for k, v in row.items() if k in columns}))
                await tx.execute(domain_crawl.insert().values(crawl))

        if state in lifecycle.first:
            await insert()
        else:
            with pytest.raises(RefusedByDatabase, match="does not begin there"):
                await insert()


async def test_every_change_of_state_leaves_exactly_one_event(db: Database) -> None:
    domain = await add_domain(db, "example.org", approved=False)
    async with db.write() as tx:
        await changes.advance_review(tx, domain.no, ReviewStatus.APPROVED, REVIEWER)
        await changes.advance_review(tx, domain.no, ReviewStatus.SUSPENDED, REVIEWER, reason="owner wrote")
        await changes.advance_quality(tx, domain.no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")
    async with db.read() as tx:
        told = [
            (e.kind, e.from_state, e.to_state, e.actor, e.reason, e.version)
            for e in await events.of_domain(tx, domain.no, 10)
        ]
    assert told == [
        ("DomainBlacklisted", "discovered", "blacklisted", "ada", "scam", 4),
        ("DomainSuspended", "approved", "suspended", "rita", "owner wrote", 3),
        ("DomainApproved", "pending_review", "approved", "rita", None, 2),
    ]


async def test_a_change_that_is_rolled_back_leaves_no_event(db: Database) -> None:
    domain = await add_domain(db, "example.org", approved=False)
    with pytest.raises(ZeroDivisionError):
        async with db.write() as tx:
            await changes.advance_review(tx, domain.no, ReviewStatus.APPROVED, ADMIN)
            raise ZeroDivisionError
    async with db.read() as tx:
        assert await events.of_domain(tx, domain.no, 10) == []
    assert (await get(db, domain.no)).review_status is ReviewStatus.PENDING_REVIEW


@pytest.mark.parametrize("statement", ["UPDATE events SET actor = 'x'", "DELETE FROM events"])
async def test_events_cannot_be_changed_or_removed(db: Database, statement: str) -> None:
    domain = await add_domain(db, "example.org", approved=False)
    async with db.write() as tx:
        await changes.advance_review(tx, domain.no, ReviewStatus.APPROVED, ADMIN)
    with pytest.raises(RefusedByDatabase, match="append-only"):
        async with db.write() as tx:
            await tx.execute(text(statement))


async def test_only_an_admin_takes_a_domain_off_the_blacklist(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    async with db.write() as tx:
        await changes.advance_quality(tx, domain.no, QualityStatus.BLACKLISTED, REVIEWER, reason="scam")
    with pytest.raises(Refused, match="only an admin"):
        async with db.write() as tx:
            await changes.advance_quality(tx, domain.no, QualityStatus.DISCOVERED, REVIEWER)
    async with db.write() as tx:
        back = await changes.advance_quality(tx, domain.no, QualityStatus.DISCOVERED, ADMIN)
    assert back.blacklist_reason is None
    assert back.due_at is not None


async def test_a_failure_backs_off_one_hour_four_hours_a_day_a_week(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    hours = []
    for _ in range(5):
        async with db.write() as tx:
            await changes.advance_quality(tx, domain.no, QualityStatus.PROCESSING, ADMIN)
            failed = await changes.advance_quality(
                tx, domain.no, QualityStatus.PROCESSING_FAILED, ADMIN, reason="broken"
            )
        assert failed.retry_after is not None
        hours.append(round((failed.retry_after - failed.read_at).total_seconds() / 3600))
        with pytest.raises(ForbiddenArrow, match="not before"):
            async with db.write() as tx:
                await changes.advance_quality(tx, domain.no, QualityStatus.PROCESSING, ADMIN)
        with pytest.raises(RefusedByDatabase, match="retry_after has not passed"):
            async with db.write() as tx:
                await tx.execute(text("UPDATE domains SET quality_status = 'processing'"))
        async with db.write() as tx:
            await tx.execute(update(domains).values(retry_after=failed.created_at))
    assert hours == [1, 4, 24, 168, 168]


async def test_no_funds_this_year_lasts_until_the_year_is_over(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    async with db.write() as tx:
        marked = await changes.advance_quality(tx, domain.no, QualityStatus.NO_FUNDS_THIS_YEAR, ADMIN)
    assert marked.no_funds_year == marked.read_at.year
    assert marked.due_at is not None, "no funds does not stop a crawl"
    with pytest.raises(ForbiddenArrow, match="is over"):
        async with db.write() as tx:
            await changes.advance_quality(tx, domain.no, QualityStatus.PROCESSING, ADMIN)
    with pytest.raises(RefusedByDatabase, match="year without funds"):
        async with db.write() as tx:
            await tx.execute(text("UPDATE domains SET quality_status = 'processing'"))
    async with db.write() as tx:
        await changes.advance_quality(tx, domain.no, QualityStatus.NO_FUNDS_THIS_YEAR, ADMIN, year=2021)
        again = await changes.advance_quality(tx, domain.no, QualityStatus.PROCESSING, ADMIN)
    assert again.quality_status is QualityStatus.PROCESSING


@pytest.mark.parametrize(
    ("target", "reason"), [(QualityStatus.BLACKLISTED, None), (QualityStatus.BLACKLISTED, "")]
)
async def test_blacklisting_needs_a_reason(db: Database, target: QualityStatus, reason: str | None) -> None:
    domain = await add_domain(db, "example.org")
    with pytest.raises(UsageError, match="needs a reason"):
        async with db.write() as tx:
            await changes.advance_quality(tx, domain.no, target, ADMIN, reason=reason)


async def test_the_database_refuses_a_state_without_what_it_needs(db: Database) -> None:
    await add_domain(db, "example.org", approved=False)
    for wrong in (
        "review_status = 'rejected'",
        "quality_status = 'blacklisted'",
        "quality_status = 'no_funds_this_year'",
        "quality_status = 'no_funds_this_year', no_funds_year = 1999",
        "review_status = 'liked'",
        "best_confidence = 101" if db.is_sqlite else "best_confidence = 1.01",
    ):
        with pytest.raises(RefusedByDatabase):
            async with db.write() as tx:
                await tx.execute(text(f"UPDATE domains SET {wrong}"))
