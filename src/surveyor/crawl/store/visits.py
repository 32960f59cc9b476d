"""The two ends of a visit: opening a domain under its lease, and giving it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.results import START, PageResult
from surveyor.crawl.store import group, images, runs
from surveyor.db.tables import domain_crawl, domains, pages, robots
from surveyor.errors import LeaseLost
from surveyor.frontier import reconcile
from surveyor.frontier.changes import Applied
from surveyor.frontier.protocol import Frontier
from surveyor.names import url_key
from surveyor.net.robots import RobotsRow
from surveyor.process.failpoints import failpoint
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.store import assets, changes, leases, refreshes, rows
from surveyor.registry.store.refreshes import Refreshing
from surveyor.registry.store.release import Outcome, release

_c = domain_crawl.c
# Pages of earlier visits that a new one is told of, so that it knows them under other names.
_MOST_FETCHED = 2_000


class Begun(NamedTuple):
    is_new: bool
    used_pages: int  # of this run's budget
    used_bytes: int
    used_seconds: float
    fetched: list[str]  # targets of pages that earlier visits fetched
    images_only: bool  # the host is approved for nothing else
    had_start: bool  # its start page was answered once
    refreshing: Refreshing


async def begin(tx: AsyncConnection, frontier: Frontier, lease: Lease, run: UUID) -> Begun:
    """Open the frontier under the new epoch; what a dead holder had in flight waits again."""
    guard = leases.held(lease.no, lease.worker, lease.epoch)
    if (await tx.execute(select(_c.no).where(guard).with_for_update())).first() is None:
        raise LeaseLost(lease.domain.domain, lease.epoch)
    opened = await frontier.open(tx, lease.no, lease.epoch)
    images_back = await images.open_host(tx, lease.no)
    same_run = lease.domain.last_crawl_run_id == run
    if opened.waiting is None:
        waiting: Any = _c.frontier_size + opened.returned + images_back
    else:
        waiting = opened.waiting + await images.count_waiting(tx, lease.no)
    values: dict[str, Any] = {
        "frontier_size": waiting,
        "pages_discovered": _c.pages_discovered + opened.found,
    }
    if not same_run:
        values |= {"last_crawl_run_id": run, "run_pages": 0, "run_bytes": 0, "run_seconds": 0.0}
    await tx.execute(update(domain_crawl).where(_c.no == lease.no).values(values))
    fetched = [] if opened.is_new else await _fetched(tx, lease.no)
    images_only = await assets.is_images_only(tx, lease.no)
    domain = lease.domain
    used = (domain.run_pages, domain.run_bytes, domain.run_seconds) if same_run else (0, 0, 0.0)
    had_start = await _had_start(tx, lease.no)
    return Begun(opened.is_new, *used, fetched, images_only, had_start, await refreshes.get(tx, lease.no))


async def _had_start(tx: AsyncConnection, no: int) -> bool:
    one = (pages.c.domain_no == no, pages.c.key == url_key(START), pages.c.fetched_at.is_not(None))
    return (await tx.execute(select(pages.c.key).where(*one))).first() is not None


async def _fetched(tx: AsyncConnection, no: int) -> list[str]:
    was_page = or_(pages.c.state == "done", pages.c.content_hash.is_not(None))
    query = select(pages.c.target).where(pages.c.domain_no == no, was_page)
    return list((await tx.execute(query.limit(_MOST_FETCHED))).scalars())


async def started(tx: AsyncConnection, worker: str, numbers: Sequence[int]) -> None:
    """The first page of a crawl is being stored: the domain is active from now on."""
    for no in numbers:
        domain = await rows.get(tx, no)
        if domain.crawl_status is CrawlStatus.PENDING:
            await changes.advance_crawl(tx, domain, CrawlStatus.ACTIVE, Actor.worker(worker))


async def abandon(tx: AsyncConnection, frontier: Frontier, worker: str) -> None:
    """A living worker lets go of all it holds: due at once, and nothing it had taken is a suspect."""
    for no, epoch in (await leases.held_by(tx, worker)).items():
        await _put_back(tx, frontier, no, epoch)
    await leases.free_claims_of(tx, [worker])


async def let_go(tx: AsyncConnection, frontier: Frontier, lease: Lease) -> None:
    """A visit stopped in doubt about its lease: if that holds after all, another visit may begin at once."""
    if await leases.let_go(tx, lease.no, lease.epoch, lease.worker):
        await _put_back(tx, frontier, lease.no, lease.epoch)


async def question(
    tx: AsyncConnection,
    frontier: Frontier,
    lease: Lease,
    run: UUID,
    fetched: Sequence[PageResult],
    why: str,
    evidence: Mapping[str, Any],
) -> None:
    """The domain may have changed hands: it waits for a person, without trust, and the lease ends.

    What was fetched is logged and not kept. Once approved again it is crawled anew, as it is by then.
    """
    await changes.lock_with_assets(tx, lease.no)
    domain = await rows.get(tx, lease.no, lock=True)
    await leases.locked_under_lease(tx, lease.no, lease.worker, lease.epoch, domain.domain)
    await _put_back(tx, frontier, lease.no, lease.epoch)
    await group.write_log(tx, run, [(lease.no, lease.epoch, result) for result in fetched])
    await refreshes.note_questioned(tx, lease.no, domain.read_at)
    await refreshes.note_exhausted(tx, lease.no, None)
    await _name_for_review(tx, domain, why)
    by = Actor.worker(lease.worker)
    await changes.advance_review(tx, lease.no, ReviewStatus.PENDING_REVIEW, by, reason=why, evidence=evidence)


async def _name_for_review(tx: AsyncConnection, domain: Domain, why: str) -> None:
    """It belongs to those that a person should decide on, whoever had found it; and they see why."""
    values: dict[str, Any] = {"submission_context": "\n".join(filter(None, (domain.submission_context, why)))}
    if domain.submitter_type is SubmitterType.SYSTEM:
        values |= {"submitter_type": SubmitterType.ADMIN, "submitted_by": domain.reviewed_by}
    await tx.execute(update(domains).where(domains.c.no == domain.no).values(values))


async def _put_back(tx: AsyncConnection, frontier: Frontier, no: int, epoch: int) -> None:
    returned = await frontier.give_up(tx, no, epoch)
    size = _c.frontier_size + returned
    await tx.execute(update(domain_crawl).where(_c.no == no).values(frontier_size=size))


async def robots_of(tx: AsyncConnection, origins: Sequence[str]) -> RobotsRow | None:
    """What is known of the first of these origins that is known at all."""
    found = {
        row.origin: RobotsRow(**row._mapping)
        for row in await tx.execute(select(robots).where(robots.c.origin.in_(origins)))
    }
    return next((found[origin] for origin in origins if origin in found), None)


async def end(
    tx: AsyncConnection,
    frontier: Frontier,
    lease: Lease,
    outcome: Outcome,
    yields: str,
    start_url: str | None,
    revisit_seconds: float,
    wants_images: bool = False,
) -> None:
    """Release, and remember how the site was reached. Crawled to its end, it is due with its first page."""
    if outcome.status is CrawlStatus.EXHAUSTED and wants_images:
        outcome = await _unless_images_came(tx, lease.no, outcome)
    await _count_the_rest(tx, lease.no, outcome.run_id, frontier.close(lease.no, lease.epoch))
    if outcome.status is CrawlStatus.EXHAUSTED:
        first = await reconcile.next_visit(tx, lease.no)
        outcome = replace(outcome, next_visit_at=first, revisit_seconds=revisit_seconds)
    await release(tx, lease, outcome, yields)
    failpoint("in_release")
    if start_url is not None and start_url != lease.domain.start_url:
        await tx.execute(update(domains).where(domains.c.no == lease.no).values(start_url=start_url))


async def _unless_images_came(tx: AsyncConnection, no: int, outcome: Outcome) -> Outcome:
    """Another domain's crawl may have added to this host since its last commit: then it is due again."""
    await tx.execute(select(_c.no).where(_c.no == no).with_for_update())
    came = await images.any_waiting(tx, no)
    return replace(outcome, status=CrawlStatus.ACTIVE) if came else outcome


async def _count_the_rest(tx: AsyncConnection, no: int, run: UUID | None, rest: Applied) -> None:
    """What the frontier learned after the visit's last commit."""
    if rest.checkpoint is None:
        return
    values = {
        "pages_discovered": _c.pages_discovered + rest.new,
        "frontier_size": _c.frontier_size + rest.waiting,
        "run_pages": _c.run_pages + rest.charged,
        "frontier_checkpoint_id": rest.checkpoint,
    }
    await tx.execute(update(domain_crawl).where(_c.no == no).values(values))
    if run is not None:
        await runs.give_back(tx, run, -rest.charged)
