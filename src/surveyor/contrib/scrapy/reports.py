"""Writes what a passive crawler did to the register.

A report is a lease of one transaction: each domain that nobody holds is taken under a new epoch and
released with its counts, so that states, cooldowns, priorities and events follow the same rules as
for every other worker. A domain that somebody holds keeps its counts for the next report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.contrib.scrapy.tally import DomainTally
from surveyor.db import Database
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.leases import Lease
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store import events, leases, register, rows
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.registry.store.release import Outcome, release_all

# Domains per transaction: short enough for others to get their turn.
_BATCH = 100
_LEASE_SECONDS = 60.0  # only so that the transaction's own guard holds


@dataclass(frozen=True, slots=True)
class Reporter:
    """Who reports: a worker of a run, and how domains come into the register by it."""

    db: Database
    worker: str
    run: UUID
    origin: Origin
    yields: str
    revisit_seconds: float | None = None

    async def report(self, news: Sequence[tuple[str, DomainTally]], *, finished: bool | None = None) -> int:
        """Write the news; `finished` is None while the crawl goes on. Returns how many domains it wrote."""
        written = 0
        ordered = sorted(news, key=lambda pair: pair[0])
        for start in range(0, len(ordered), _BATCH):
            written += await self._write(dict(ordered[start : start + _BATCH]), finished)
        return written

    async def _write(self, news: dict[str, DomainTally], finished: bool | None) -> int:
        first = {name for name, one in news.items() if one.is_new}
        taken = {name: one.take() for name, one in news.items()}
        done: set[str] = set()
        names: dict[int, str] = {}
        try:
            async with self.db.write() as tx:
                await register.add_batch(tx, [NewDomain(name) for name in news], self.origin)
                for name in news:  # one that was merged into another counts there
                    names.setdefault(await rows.find_no(tx, name), name)
                held = {names[lease.no]: lease for lease in await self._leases(tx, list(names))}
                await events.append(tx, [self._event(held[name]) for name in held if name in first])
                endings = [
                    (lease, self._outcome(lease, news[name], taken[name], finished))
                    for name, lease in held.items()
                ]
                done.update(names[no] for no in await release_all(tx, endings, self.yields))
        except BaseException:
            done.clear()
            raise
        finally:
            for name in taken.keys() - done:
                news[name].put_back(taken[name])
                news[name].is_new = name in first
        twins = {name: one for name, one in news.items() if name not in names.values()}
        return len(done) + (await self._write(twins, finished) if twins else 0)

    async def _leases(self, tx: AsyncConnection, numbers: Sequence[int]) -> list[Lease]:
        places = await leases.free_among(tx, numbers)
        granted = await leases.grant(tx, places, self.worker, _LEASE_SECONDS)
        return [Lease(domain, self.worker, epoch, expires) for domain, epoch, expires in granted]

    def _event(self, lease: Lease) -> NewEvent:
        """Said once per run: the counts of this domain have no pages here."""
        return NewEvent(EventKind.COUNTS_REPORTED, self.worker, lease.no, data={"source": self.origin.source})

    def _outcome(
        self, lease: Lease, one: DomainTally, counts: dict[str, int], finished: bool | None
    ) -> Outcome:
        errors = one.failures.in_a_row
        known: dict[str, Any] = {
            "counts": counts,
            "depth_reached": one.depth,
            "run_id": self.run,
            "consecutive_errors": errors,
            "crawled": one.pages > 0 or errors > 0,
        }
        if one.obstacle is not None:
            return Outcome.blocked(one.obstacle, **known)
        if not one.pages:
            return Outcome(**known)
        if finished and not lease.domain.frontier_size:
            return Outcome(status=CrawlStatus.EXHAUSTED, revisit_seconds=self.revisit_seconds, **known)
        # What a phase that was taken back left in the queue waits there, and stays due.
        stopped_by = "interrupt" if finished is False else None
        return Outcome(status=CrawlStatus.ACTIVE, stopped_by=stopped_by, **known)
