"""The two ends of a visit: opening a domain under its lease, and giving it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import exists, func, literal_column, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.results import START, PageResult
from surveyor.crawl.store import group, images, runs
from surveyor.db import now
from surveyor.db.bulk import converter, update_many
from surveyor.db.dialect import among
from surveyor.db.tables import domain_crawl, domain_refresh, domains, image_urls, pages, robots
from surveyor.errors import LeaseLost
from surveyor.frontier import due_pages, reconcile
from surveyor.frontier.changes import Applied
from surveyor.frontier.protocol import Frontier
from surveyor.names import url_key
from surveyor.net.robots import RobotsRow
from surveyor.process.failpoints import failpoint
from surveyor.registry.actors import Actor
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.store import assets, changes, due_dates, leases, refreshes, rows
from surveyor.registry.store.refreshes import Refreshing
from surveyor.registry.store.release import Outcome, release_all

_c = domain_crawl.c
# Pages of earlier visits that a new one begins with, so that it knows them under other names.
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


async def begin_all(
    tx: AsyncConnection, frontier: Frontier, held: Sequence[Lease], run: UUID
) -> dict[int, Begun]:
    """Open frontiers under the new epochs; what a dead holder had in flight waits again.

    In the same few statements for one domain and for many. One whose lease is gone is missing.
    """
    epochs = {lease.no: (lease.epoch, lease.worker) for lease in held}
    rows = await tx.execute(_FACTS.where(among(_c.no, epochs)))
    known = {row.no: row for row in rows if (row.lease_epoch, row.claimed_by) == epochs[row.no]}
    live = [lease for lease in held if lease.no in known]
    opened = await frontier.open(tx, {lease.no: lease.epoch for lease in live})
    elsewhere = [no for no, start in opened.items() if start.waiting is not None]
    images_waiting = await images.count_waiting(tx, elsewhere) if elsewhere else {}
    run_id = converter(tx, _c.last_crawl_run_id)(run)
    begun: dict[int, Begun] = {}
    counted: list[tuple[Any, ...]] = []
    for lease in live:
        found, start = known[lease.no], opened[lease.no]
        images_back = await images.open_host(tx, lease.no) if found.has_taken_images else 0
        waiting = found.frontier_size + start.returned + images_back
        if start.waiting is not None:
            waiting = start.waiting + images_waiting.get(lease.no, 0) + images_back
        d = lease.domain
        used = (d.run_pages, d.run_bytes, d.run_seconds) if d.last_crawl_run_id == run else (0, 0, 0.0)
        counted.append((waiting, start.found, *used, run_id, lease.no))
        fetched = [] if start.is_new else await _fetched(tx, lease.no)
        refreshing = Refreshing(*found[-len(Refreshing._fields) :])
        begun[lease.no] = Begun(
            start.is_new, *used, fetched, found.is_images_only, found.had_start, refreshing
        )
    await update_many(tx, domain_crawl, _BEGUN, counted, "no = {}")
    return begun


_BEGUN = (
    "frontier_size = {}, pages_discovered = pages_discovered + {}, run_pages = {}, run_bytes = {},"
    " run_seconds = {}, last_crawl_run_id = {}"
)


# What the database knows of domains, locked.
_FACTS = (
    select(
        _c.no,
        _c.lease_epoch,
        _c.claimed_by,
        _c.frontier_size,
        exists()
        .where(image_urls.c.domain_no == _c.no, image_urls.c.state == literal_column("'taken'"))
        .correlate(domain_crawl)
        .label("has_taken_images"),
        assets.approved_for_images(_c.no).label("is_images_only"),
        exists()
        .where(pages.c.domain_no == _c.no, pages.c.key == url_key(START), pages.c.fetched_at.is_not(None))
        .correlate(domain_crawl)
        .label("had_start"),
        domain_refresh.c.exhausted_at,
        func.coalesce(domain_refresh.c.lastmod_right, 0),
        func.coalesce(domain_refresh.c.lastmod_wrong, 0),
        domain_refresh.c.questioned_at,
    )
    .select_from(domain_crawl.outerjoin(domain_refresh, domain_refresh.c.domain_no == _c.no))
    .where(_c.claim_expires_at > now())
    .order_by(_c.no)
    .with_for_update(of=domain_crawl)
)


async def _fetched(tx: AsyncConnection, no: int) -> list[str]:
    was_page = or_(pages.c.state == "done", pages.c.content_hash.is_not(None))
    query = select(pages.c.target).where(pages.c.domain_no == no, was_page)
    return list((await tx.execute(query.limit(_MOST_FETCHED))).scalars())


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
    if not await leases.locked_under_leases(tx, [lease]):
        raise LeaseLost(domain.domain, lease.epoch)
    await _put_back(tx, frontier, lease.no, lease.epoch)
    await group.write_log(tx, run, [(lease.no, lease.epoch, result) for result in fetched])
    await refreshes.note_questioned(tx, lease.no, domain.read_at)
    await refreshes.note_exhausted(tx, [(lease.no, None)])
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


async def robots_of(tx: AsyncConnection, origins: Sequence[str]) -> dict[str, RobotsRow]:
    """What is known of these origins."""
    found = await tx.execute(select(robots).where(among(robots.c.origin, origins)))
    return {row.origin: RobotsRow(**row._mapping) for row in found}


class Ending(NamedTuple):
    """A visit that is over, and how its site was reached."""

    lease: Lease
    outcome: Outcome
    start_url: str | None
    revisit_seconds: float  # before it is visited again where no page has a date
    wants_images: bool
    rest: Applied  # what the frontier learned after the visit's last commit

    @property
    def is_exhausted(self) -> bool:
        return self.outcome.status is CrawlStatus.EXHAUSTED


async def end_all(tx: AsyncConnection, endings: Sequence[Ending], yields: str) -> set[int]:
    """Release, and remember how the sites were reached. Crawled to its end, one is due with its first page.

    Returns the numbers of the domains that were released; of the others the lease was gone.
    """
    if any(ending.wants_images for ending in endings):
        endings = await _unless_images_came(tx, endings)
    if counted := [ending for ending in endings if ending.rest.checkpoint is not None]:
        await _count_the_rest(tx, counted)
    exhausted = [ending.lease.no for ending in endings if ending.is_exhausted]
    first = await due_pages.next_visits(tx, exhausted) if exhausted else {}
    outcomes = [
        replace(e.outcome, next_visit_at=first.get(e.lease.no), revisit_seconds=e.revisit_seconds)
        if e.is_exhausted
        else e.outcome
        for e in endings
    ]
    done = await release_all(tx, list(zip([e.lease for e in endings], outcomes, strict=True)), yields)
    failpoint("in_release")
    if released := [no for no in exhausted if no in done]:
        await _due_for_what_came(tx, released)
    moved = [
        (e.start_url, e.lease.no)
        for e in endings
        if e.lease.no in done and e.start_url is not None and e.start_url != e.lease.domain.start_url
    ]
    await update_many(tx, domains, "start_url = {}", moved, "no = {}")
    return done


async def _unless_images_came(tx: AsyncConnection, endings: Sequence[Ending]) -> list[Ending]:
    """Another domain's crawl may have added to a host since its last commit: then it is due again."""
    asked = sorted(ending.lease.no for ending in endings if ending.is_exhausted and ending.wants_images)
    came: set[int] = set()
    if asked:
        await tx.execute(select(_c.no).where(_c.no.in_(asked)).order_by(_c.no).with_for_update())
        came = await images.with_waiting(tx, asked)
    return [
        e._replace(outcome=replace(e.outcome, status=CrawlStatus.ACTIVE)) if e.lease.no in came else e
        for e in endings
    ]


async def _due_for_what_came(tx: AsyncConnection, released: Sequence[int]) -> None:
    """A person may have named a URL since the last look at what waits: its domain is due at once."""
    came = await reconcile.with_waiting(tx, released)
    if came:
        for_pages = select(_c.no).where(_c.no.in_(came), ~assets.approved_for_images(_c.no))
        for no in sorted((await tx.execute(for_pages)).scalars()):
            await due_dates.make_due_now(tx, no)


async def _count_the_rest(tx: AsyncConnection, endings: Sequence[Ending]) -> None:
    """What frontiers learned after the last commits of their visits."""
    held = await leases.locked_under_leases(tx, [ending.lease for ending in endings])
    counted = [ending for ending in endings if ending.lease.no in held]
    rows = [(e.rest.new, e.rest.waiting, e.rest.charged, e.rest.checkpoint, e.lease.no) for e in counted]
    assigned = (
        "pages_discovered = pages_discovered + {}, frontier_size = frontier_size + {},"
        " run_pages = run_pages + {}, frontier_checkpoint_id = {}"
    )
    await update_many(tx, domain_crawl, assigned, rows, "no = {}")
    for run in {run for ending in counted if (run := ending.outcome.run_id) is not None}:
        unused = -sum(e.rest.charged for e in counted if e.outcome.run_id == run)
        await runs.give_back(tx, run, unused)
