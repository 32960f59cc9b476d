"""Writes one group: its files first, then its rows in one transaction under the lease epochs.

A domain whose epoch is stale is left out of its group. URLs are charged in the transaction that hands them
out, so a budget is charged before a page is fetched and never exceeded. A frontier outside the database is
changed after the commit; what it reports is counted by the next transaction.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor import logs
from surveyor.archive import WarcWriter
from surveyor.clock import Clock
from surveyor.crawl.images.commit import ImageCommits, ImageCounts
from surveyor.crawl.images.outbox import ImageBox
from surveyor.crawl.member import Delivery, Member, Outbox
from surveyor.crawl.results import PageResult, lastmod_counts, plan_revisits
from surveyor.crawl.store import failures, group, runs
from surveyor.db import Database
from surveyor.errors import Deadlocked, RefusedByDatabase, UnwritableValue
from surveyor.frontier.changes import Applied, DomainChanges
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.revisits import Schedule
from surveyor.process.failpoints import failpoint
from surveyor.registry.store import leases, refreshes, workers

# Level of compression for bodies that stay for minutes: the quickest.
_QUICKLY = 1
# So often a group that stood crosswise to another one is tried again.
_DEADLOCKS = 3
# Errors of which the group is to blame, not the database: it rolled back, and nothing else is in doubt.
UNWRITABLE = (UnwritableValue, RefusedByDatabase)
# Seconds between two notes that this worker commits.
_NOTE_SECONDS = 1.0

log = logs.get("crawl")


class Part(NamedTuple):
    """What one domain brings to a group."""

    member: Member
    box: Outbox


@dataclass(slots=True)
class Written:
    """What this worker has committed so far."""

    pages: int = 0
    bytes: int = 0
    errors: int = 0


@dataclass(eq=False)
class GroupWriter:
    """Of one worker and one run."""

    _db: Database
    _frontier: Frontier
    _worker: str
    _run: UUID
    _clock: Clock
    archive: WarcWriter | None = field(kw_only=True, default=None)
    images: ImageCommits | None = field(kw_only=True, default=None)
    schedule: Schedule | None = field(kw_only=True, default=None)
    _has_budget: bool | None = None  # of the run; none: not looked up yet
    _noted: float = -_NOTE_SECONDS  # when the database last heard that we commit
    written: Written = field(default_factory=Written)

    async def keep(self, batch: Sequence[Part]) -> None:
        """What is too large for a row goes to disk, before the rows that name it."""
        fetched = [result for _, box in batch for result in box.results if result.capture is not None]
        if fetched:
            await asyncio.to_thread(_keep_captures, self.archive, fetched)
            failpoint("after_archive")
        if self.images is not None:
            await self.images.keep(_images_of(batch))

    async def write(self, batch: Sequence[Part]) -> dict[int, Delivery]:
        """By number of the domain, for those whose lease still holds.

        A group that stood crosswise to another worker's was rolled back whole, and is tried again.
        """
        for _ in range(_DEADLOCKS):
            try:
                return await self._write(batch)
            except Deadlocked as error:
                log.warning("group commit retried after a deadlock", error=str(error))
        return await self._write(batch)

    async def _write(self, batch: Sequence[Part]) -> dict[int, Delivery]:
        if self.images is not None:
            await self.images.prepare(self._db, _images_of(batch))
        async with self._db.write() as tx:
            epochs = {member.no: member.epoch for member, _ in batch}
            others = await self.images.others(tx, _images_of(batch)) if self.images else ()
            held, locked, moment = await group.still_held(tx, self._worker, epochs, others)
            live = [part for part in batch if part.member.no in held]
            failpoint("in_commit")
            # Before the pages are written: whether one was fetched before is seen from its row.
            images = await self.images.write(tx, _images_of(live), locked) if self.images else {}
            results = [(member.no, result) for member, box in live for result in box.results]
            if self.schedule is not None and moment is not None:
                await self._plan(tx, live, self.schedule, moment)
            await group.write_pages(tx, results)
            await group.write_log(tx, self._run, [(no, epochs[no], result) for no, result in results])
            await group.write_links(tx, results)
            await group.write_snapshots(tx, results)
            if robots := [row for _, box in live for row in box.robots]:
                await group.write_robots(tx, robots)
            granted = await self._reserve(tx, live)
            changes = [
                DomainChanges(
                    one.no,
                    one.epoch,
                    box.added,
                    box.given_back,
                    [r.key for r in box.results],
                    granted[one.no],
                )
                for one, box in live
            ]
            applied = await self._frontier.apply(tx, changes)
            await self._count(tx, live, applied, granted, images)
            begun = [member.no for member, box in live if member.is_pending and box.has_begun]
            await leases.started(tx, self._worker, begun)
            if self._clock.ticks() - self._noted >= _NOTE_SECONDS:
                await workers.committed(tx, self._worker)
                self._noted = self._clock.ticks()
            failpoint("before_commit")
        failpoint("after_commit")
        taken = await self._frontier.settle(self._db, changes, applied)
        failpoint("after_settle")
        boxes = {member.no: box for member, box in live}
        return {no: Delivery(boxes[no], urls, granted[no]) for no, urls in taken.items()}

    async def count_refused(self, member: Member, kind: failures.Kind, key: int, error: Exception) -> int:
        """How often what came of this URL could not be written by now; 0: the lease is gone."""
        async with self._db.write() as tx:
            held, _, _ = await group.still_held(tx, self._worker, {member.no: member.epoch})
            if not held:
                return 0
            return await failures.count(self._db, tx, member.no, kind, key, str(error))

    async def _plan(
        self, tx: AsyncConnection, live: Sequence[Part], schedule: Schedule, moment: datetime
    ) -> None:
        """When the pages of the group are visited again, from what their visits showed."""
        places = [(member.no, r.key) for member, box in live for r in box.results if r.past is not None]
        known = await group.histories(tx, places) if places else {}
        for member, box in live:
            mine = {r.key: known.get((member.no, r.key)) for r in box.results if r.past is not None}
            plan_revisits(schedule, member.habits, moment, box.results, mine)
        if changed := [(member.no, *named) for member, box in live for named in box.named]:
            await group.due_now(tx, changed, moment)
        if places:
            counts = [(member.no, *lastmod_counts(box.results)) for member, box in live]
            await refreshes.count_lastmod(tx, [each for each in counts if each[1] or each[2]])

    async def _reserve(self, tx: AsyncConnection, live: Sequence[Part]) -> dict[int, int]:
        """Pages each visit may take, out of what the whole run has left; first it gets back what it had.

        All workers of a run share its row: without a budget they are not to wait for each other there.
        """
        if self._has_budget is None:
            self._has_budget = (await runs.get(tx, self._run)).max_pages is not None
        left = sum(box.want for _, box in live)
        if self._has_budget:
            await runs.give_back(tx, self._run, sum(box.unused for _, box in live))
            left = await runs.reserve(tx, self._run, left)
        granted: dict[int, int] = {}
        for member, box in live:
            granted[member.no] = min(box.want, left)
            left -= granted[member.no]
        return granted

    async def _count(
        self,
        tx: AsyncConnection,
        live: Sequence[Part],
        applied: Mapping[int, Applied],
        granted: Mapping[int, int],
        images: Mapping[int, ImageCounts],
    ) -> None:
        rows = []
        pages = size = errors = returned = 0
        for member, box in live:
            done = applied[member.no]
            fetched = sum(r.bytes for r in box.results) + box.extra_bytes
            first, unfetched = box.first_visits
            of_images = images.get(member.no, ImageCounts())
            shown = sum(r.images_found for r in box.results if r.past is None)
            waiting = done.waiting + of_images.waiting
            depth = max((r.depth for r in box.results if r.was_fetched), default=0)
            found = (done.new - unfetched, first, shown, of_images.stored, fetched, box.errors)
            used = (done.charged - box.unused, fetched, box.seconds)
            rows.append((*found, waiting, *used, depth, depth, done.checkpoint, member.no))
            pages, size, errors = pages + box.pages, size + fetched, errors + box.errors
            returned += granted[member.no] - done.charged
        await group.add_counts(tx, self._run, rows)
        if self._has_budget:
            await runs.give_back(tx, self._run, returned)
        if pages or errors or size:
            await runs.add(tx, self._run, pages, size, errors)
        so_far = self.written
        self.written = Written(so_far.pages + pages, so_far.bytes + size, so_far.errors + errors)


def _keep_captures(archive: WarcWriter | None, fetched: Sequence[PageResult]) -> None:
    """In the archive; without one the database keeps what is fetched until it is read."""
    places = []
    for result in fetched:
        assert result.capture is not None
        if archive is None:
            result.body, result.capture = zlib.compress(result.capture.body, _QUICKLY), None
        else:
            places.append(archive.append(result.capture))
            result.archive, result.capture = str(places[-1]), None
    if archive is not None:
        archive.sync(places)


def _images_of(batch: Sequence[Part]) -> list[tuple[Member, ImageBox]]:
    return [(member, box.images) for member, box in batch]
