"""Whole acts of the crawl stage that a shell asks for: each opens its own transactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.plan import RunOptions
from surveyor.crawl.store import failures, queue, runs
from surveyor.crawl.store import progress as progress_store
from surveyor.crawl.store.progress import RunProgress
from surveyor.crawl.store.queue import QueueLine
from surveyor.crawl.store.runs import Run
from surveyor.db import Database
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain
from surveyor.registry.store import refreshes, rows
from surveyor.registry.store.leases import ClaimFilter, Work


@dataclass(frozen=True, slots=True)
class Refusal:
    """A domain that was named and cannot be crawled now, with the reason."""

    domain: str
    why: str


async def start_run(
    db: Database,
    by: Actor,
    options: RunOptions,
    *,
    continuous: bool,
    work: Work = Work.CRAWL,
    job: str | None = None,
    only: tuple[int, ...] | None = None,
) -> UUID:
    """`job`: that asked for it, where people can stop it. `only`: what a budget is shared out among."""
    async with db.write() as tx:
        if continuous:
            return await runs.of_the_day(db, tx, by.name)
        said: dict[str, Any] = {name: value for name, value in asdict(options).items() if value is not None}
        config = said | ({"work": work} if work is not Work.CRAWL else {}) | ({"job": job} if job else {})
        return await runs.start(tx, by.name, options.max_pages, config, ClaimFilter(only, work=work))


async def progress_of(db: Database, run: UUID, limit: int) -> RunProgress:
    """How the run stands now, with some of the domains that are claimed."""
    async with db.read() as tx:
        return await progress_store.progress_of(tx, run, limit)


async def finish_run(db: Database, run: UUID, stopped_by: str) -> Run:
    """End the run, and those before it that were killed and could not end themselves."""
    async with db.write() as tx:
        await runs.finish(tx, run, stopped_by)
        await runs.close_abandoned(tx)
        return await runs.get(tx, run)


async def narrow(db: Database, names: Sequence[str], work: Work) -> tuple[tuple[int, ...], list[Refusal]]:
    """The numbers of the named domains that are due for this work, and why the others are not."""
    numbers: list[int] = []
    refused: list[Refusal] = []
    async with db.read() as tx:
        for name in names:
            domain = await rows.find(tx, name)
            why = why_not_now(domain) or await _not_this_work(tx, domain, work)
            if domain is not None and why is None:
                numbers.append(domain.no)
            else:
                refused.append(Refusal(name, why or ""))
    return tuple(numbers), refused


async def _not_this_work(tx: AsyncConnection, domain: Domain | None, work: Work) -> str | None:
    if domain is None:
        return None
    was_exhausted = (await refreshes.get(tx, domain.no)).exhausted_at is not None
    if work is Work.REFRESH and not was_exhausted:
        return "it was not crawled to its end yet; `crawl` goes on with it"
    if work is Work.CRAWL and was_exhausted and not domain.frontier_size:
        return "it was crawled to its end; `refresh` visits its pages that are due, `recrawl` asks for all"
    return None


def why_not_now(domain: Domain | None) -> str | None:
    """Why no worker would take this domain now; None if one would."""
    if domain is None:
        return "it is not in the register; `surveyor submit` proposes it"
    if domain.quality_status == "blacklisted":
        return f"it is blacklisted by {domain.blacklisted_by}: {domain.blacklist_reason}"
    if domain.review_status == "rejected":
        return f"it was rejected by {domain.reviewed_by}: {domain.rejection_reason}"
    if domain.review_status != "approved":
        return f"it is {domain.review_status}; a person must approve it"
    if domain.has_live_lease:
        return f"{domain.claimed_by} is crawling it"
    if domain.due_at is None:
        return f"it is {domain.crawl_status} for good ({domain.block_reason_code}); domain-reset tries again"
    if domain.due_at > domain.read_at:
        because = domain.block_reason_code or domain.stopped_by or domain.crawl_status
        return f"it is due at {domain.due_at:%Y-%m-%d %H:%M} UTC ({because})"
    return None


async def recrawl(db: Database, name: str, by: Actor) -> tuple[Domain, int]:
    """Make all pages of a domain due now; returns how many."""
    async with db.write() as tx:
        no = await rows.find_no(tx, name)
        domain = await rows.get(tx, no, lock=True)
        count = await queue.requeue(tx, domain, by.name)
        return await rows.get(tx, no), count


async def count_quarantined(db: Database) -> int:
    """URLs of which something came that no row can hold, so often that they are left alone."""
    async with db.read() as tx:
        return await failures.total(tx, failures.ATTEMPTS)


async def queue_status(db: Database, limit: int) -> list[QueueLine]:
    async with db.read() as tx:
        return await queue.lines(tx, limit)


async def list_runs(db: Database, limit: int, after: UUID | None = None) -> list[Run]:
    async with db.read() as tx:
        return await runs.listing(tx, limit, after)


async def cleanup_runs(db: Database) -> int:
    async with db.write() as tx:
        return await runs.close_abandoned(tx)
