"""Runs: one `crawl` command with all its processes; continuous workers share the run of the UTC day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import and_, case, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, current_time, later, now
from surveyor.db.tables import crawl_log, crawl_runs, domain_crawl, domains, workers
from surveyor.errors import NotFound
from surveyor.ids import new_id
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store.leases import ClaimFilter

_r, _c = crawl_runs.c, domain_crawl.c
# A worker reports every ten seconds. After so many of silence nobody waits for it any more.
_GONE_SECONDS = 300.0
_ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Run:
    id: UUID
    day: str | None
    started_at: datetime
    ended_at: datetime | None
    started_by: str
    max_pages: int | None
    share: int | None
    pages_reserved: int
    pages: int
    bytes: int
    errors: int
    stopped_by: str | None
    options: Mapping[str, Any] | None
    domains: int = 0
    read_at: datetime | None = None

    @property
    def has_used_up_its_pages(self) -> bool:
        return self.max_pages is not None and self.pages_reserved >= self.max_pages


async def start(
    tx: AsyncConnection,
    by: str,
    max_pages: int | None,
    options: Mapping[str, Any],
    wanted: ClaimFilter | None = None,
) -> UUID:
    """A run of its own. With a budget, every due domain that it wants gets an equal share first."""
    share = None
    if max_pages is not None:
        due = await due_domains(tx, wanted or ClaimFilter())
        share = max(1, max_pages // max(1, due))
    run = new_id()
    values = {"id": run, "started_at": now(), "started_by": by, "max_pages": max_pages, "share": share}
    await tx.execute(crawl_runs.insert().values(values | {"options": dict(options)}))
    return run


async def of_the_day(db: Database, tx: AsyncConnection, by: str) -> UUID:
    """The run that all continuous workers share today."""
    moment = await current_time(tx)
    day = f"{moment:%Y-%m-%d}"
    row = {"id": new_id(), "day": day, "started_at": moment, "started_by": by}
    await tx.execute(db.insert(crawl_runs).values(row).on_conflict_do_nothing(index_elements=["day"]))
    found: UUID = (await tx.execute(select(_r.id).where(_r.day == day))).scalar_one()
    return found


async def due_domains(tx: AsyncConnection, wanted: ClaimFilter) -> int:
    """Domains that a worker could take now."""
    query = (
        select(func.count())
        .select_from(domain_crawl.join(domains, domains.c.no == _c.no))
        .where(
            _c.due_at <= now(),
            domains.c.review_status == ReviewStatus.APPROVED,
            domains.c.quality_status != QualityStatus.BLACKLISTED,
            *wanted.on_the_row(),
        )
    )
    return int((await tx.execute(query)).scalar_one())


async def get(tx: AsyncConnection, run: UUID) -> Run:
    row = (await tx.execute(select(crawl_runs, now().label("read_at")).where(_r.id == run))).one_or_none()
    if row is None:
        raise NotFound(f"there is no run {run}")
    return Run(**row._mapping)


async def of_job(tx: AsyncConnection, job: str, among: int) -> UUID | None:
    """The run that a job asked for, among the latest."""
    query = select(_r.id, _r.options).order_by(_r.started_at.desc(), _r.id).limit(among)
    found = await tx.execute(query)
    return next((run for run, options in found if (options or {}).get("job") == job), None)


async def reserve(tx: AsyncConnection, run: UUID, wanted: int) -> int:
    """Charge pages to the run before they are fetched; returns how many it still had."""
    if wanted <= 0:
        return 0
    row = select(_r.max_pages, _r.pages_reserved).where(_r.id == run).with_for_update()
    budget, reserved = (await tx.execute(row)).one()
    granted = wanted if budget is None else max(0, min(wanted, budget - reserved))
    if granted and budget is not None:
        await tx.execute(
            update(crawl_runs).where(_r.id == run).values(pages_reserved=_r.pages_reserved + granted)
        )
    return granted


async def give_back(tx: AsyncConnection, run: UUID, pages: int) -> None:
    """Pages that were reserved and not fetched."""
    if pages > 0:
        less = case((_r.pages_reserved > pages, _r.pages_reserved - pages), else_=0)
        has_budget = and_(_r.id == run, _r.max_pages.is_not(None))
        await tx.execute(update(crawl_runs).where(has_budget).values(pages_reserved=less))


async def add(tx: AsyncConnection, run: UUID, pages: int, size: int, errors: int) -> None:
    values = {"pages": _r.pages + pages, "bytes": _r.bytes + size, "errors": _r.errors + errors}
    await tx.execute(update(crawl_runs).where(_r.id == run).values(values))


async def next_round(tx: AsyncConnection, run: UUID) -> bool:
    """When every domain has had its share and pages are left, each may have some more.

    Only when nothing of the run is in anybody's hands; returns whether a round began.
    """
    found = await get(tx, run)
    await tx.execute(select(_r.id).where(_r.id == run).with_for_update())
    if found.max_pages is None or found.share is None or found.pages_reserved >= found.max_pages:
        return False
    busy = select(func.count()).select_from(domain_crawl).where(_c.claim_expires_at > now())
    waiting = (
        select(func.count())
        .select_from(domain_crawl)
        .where(_c.last_crawl_run_id == run, _c.due_at <= now(), _c.run_pages >= found.share)
    )
    if (await tx.execute(busy)).scalar_one():
        return False
    hungry = int((await tx.execute(waiting)).scalar_one())
    if not hungry:
        return False
    more = max(1, (found.max_pages - found.pages_reserved) // hungry)
    await tx.execute(update(crawl_runs).where(_r.id == run).values(share=found.share + more))
    return True


async def finish(tx: AsyncConnection, run: UUID, stopped_by: str) -> None:
    await tx.execute(
        update(crawl_runs)
        .where(_r.id == run, or_(_r.ended_at.is_(None), _r.stopped_by == _ABANDONED))
        .values(ended_at=now(), stopped_by=stopped_by)
    )


async def listing(tx: AsyncConnection, limit: int, after: UUID | None = None) -> list[Run]:
    """Newest first, those that follow the run `after`."""
    counted = (
        select(func.count(crawl_log.c.domain_no.distinct()))
        .where(crawl_log.c.run_id == _r.id)
        .correlate(crawl_runs)
        .scalar_subquery()
    )
    query = (
        select(crawl_runs, counted.label("domains"), now().label("read_at"))
        .order_by(_r.started_at.desc(), _r.id)
        .limit(limit)
    )
    if after is not None:
        began = (await tx.execute(select(_r.started_at).where(_r.id == after))).scalar_one_or_none()
        if began is None:
            raise NotFound(f"there is no run {after}; `surveyor list-runs` shows them")
        query = query.where(or_(_r.started_at < began, and_(_r.started_at == began, _r.id > after)))
    return [Run(**row._mapping) for row in await tx.execute(query)]


async def close_abandoned(tx: AsyncConnection) -> int:
    """End runs whose workers are all gone; returns how many.

    A run that began lately may have no worker yet. A worker that was killed on another machine is known by
    its silence alone; one that only slept goes on, and its run ends once more, with what it did by then.
    """
    lately = later(-_GONE_SECONDS)
    had_one = exists().where(workers.c.run_id == _r.id)
    at_work = had_one.where(workers.c.stopped_at.is_(None), workers.c.last_seen_at > lately)
    statement = (
        update(crawl_runs)
        .where(_r.ended_at.is_(None), _r.day.is_(None), ~at_work, or_(had_one, _r.started_at <= lately))
        .values(ended_at=now(), stopped_by=_ABANDONED)
        .returning(_r.id)
    )
    return len((await tx.execute(statement)).all())


async def domains_of(tx: AsyncConnection, run: UUID) -> int:
    """Domains from which the run fetched something."""
    query = select(func.count(crawl_log.c.domain_no.distinct())).where(crawl_log.c.run_id == run)
    return int((await tx.execute(query)).scalar_one())
