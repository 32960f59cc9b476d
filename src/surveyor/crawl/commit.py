"""Group commit: the finished pages of all visits in one transaction, under their lease epochs.

Content is on disk before the rows that name it are committed. A domain whose epoch is
stale drops out of its group alone. URLs are charged in the transaction that commits the
group before, so a budget is charged before a page is fetched and never exceeded. A frontier
outside the database follows when that is committed; what it learns is counted by the next
transaction. After an error of the database or the frontier the group's fate is unknown; its
visits are abandoned and their domains claimed anew, which reads the truth from the database.
A group with a value that no row can hold is tried again domain by domain, then page by page:
the page is counted and in the end quarantined (`quarantine`), all others are written.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor import logs
from surveyor.archive import ArchiveError, WarcWriter
from surveyor.clock import Clock
from surveyor.crawl import revisits
from surveyor.crawl.images.commit import ImageCommits, ImageCounts
from surveyor.crawl.images.outbox import ImageBox, ImageResult
from surveyor.crawl.outbox import Outbox
from surveyor.crawl.quarantine import ATTEMPTS, UNWRITABLE, Piece, pieces, quarantined
from surveyor.crawl.results import PageResult
from surveyor.crawl.store import failures, group, runs
from surveyor.db import Database
from surveyor.errors import DatabaseError, Deadlocked
from surveyor.frontier.changes import Applied, DomainChanges, Taken
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.revisits import Habits, Schedule
from surveyor.process.failpoints import failpoint
from surveyor.registry.store import leases, refreshes, workers
from surveyor.settings import CrawlSettings

# Level of compression for bodies that stay for minutes: the quickest.
_QUICKLY = 1
# Visits without a URL do not wait for the group to fill up; but commits keep this distance (seconds).
_SHORTEST_GAP = 0.02
# So often a group that stood crosswise to another one is tried again.
_DEADLOCKS = 3
# Bytes of images that wait for a commit.
_MOST_HELD = 32_000_000
# Seconds between two notes that this worker commits.
_NOTE_SECONDS = 1.0

log = logs.get("crawl")


class Visitor(Protocol):
    """What the committer knows of a visit."""

    is_pending: bool
    habits: Habits  # asked for only where there is a schedule

    @property
    def no(self) -> int: ...
    @property
    def epoch(self) -> int: ...
    def take_outbox(self) -> Outbox | None: ...
    def deliver(self, taken: Sequence[Taken], granted: int) -> None: ...
    def lose(self) -> None: ...


_Delivered = dict[int, tuple[Sequence[Taken], int]]


class Committer:
    def __init__(
        self,
        db: Database,
        frontier: Frontier,
        worker: str,
        run: UUID,
        settings: CrawlSettings,
        archive: WarcWriter | None,
        clock: Clock,
        images: ImageCommits | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        self._db, self._frontier, self._worker, self._run = db, frontier, worker, run
        self._settings, self._archive, self._clock = settings, archive, clock
        self._images, self._schedule = images, schedule
        self._visits: dict[int, Visitor] = {}
        self._wake = asyncio.Event()
        self._lock = asyncio.Lock()
        self._pending = self._held_bytes = 0
        self._noted = -_NOTE_SECONDS  # when the database was last told that we commit
        self.failure: DatabaseError | ArchiveError | None = None
        self.pages = self.bytes = self.errors = 0

    def join(self, visit: Visitor) -> None:
        self._visits[visit.no] = visit

    def part(self, visit: Visitor) -> None:
        if self._visits.get(visit.no) is visit:
            del self._visits[visit.no]

    def note_page(self, size: int = 0) -> None:
        """A page or an image is finished, which holds so many bytes; a full group is written at once."""
        self._pending += 1
        self._held_bytes += size
        if self._pending >= self._settings.commit_pages or self.is_full:
            self._wake.set()

    @property
    def is_full(self) -> bool:
        """Whether visits should wait for the commit, so that memory stays flat."""
        return self._held_bytes >= _MOST_HELD

    def flush_soon(self) -> None:
        """A visit has nothing to fetch."""
        self._wake.set()

    async def run(self) -> None:
        """Commit by count, by need and by time, until cancelled."""
        last = self._clock.ticks()
        while True:
            wait = self._settings.commit_seconds - (self._clock.ticks() - last)
            if wait > 0:
                try:
                    async with asyncio.timeout(wait):
                        await self._wake.wait()
                except TimeoutError:
                    pass
            await asyncio.sleep(_SHORTEST_GAP)
            last = self._clock.ticks()
            await self.commit()

    async def commit(self, only: Visitor | None = None) -> None:
        """Write what is there now, of all visits or of one."""
        async with self._lock:
            self._wake.clear()
            visits = [only] if only else list(self._visits.values())
            batch = [(visit, box) for visit in visits if (box := visit.take_outbox()) is not None]
            self._pending = self._held_bytes = 0
            if not batch:
                return
            try:
                await self._archive_captures(batch)
                if self._images is not None:
                    await self._images.keep(_image_parts(batch))
                delivered = await self._write_or_split(batch)
            except (DatabaseError, ArchiveError) as error:
                self.fail(error)
                return
            # Within the lock: whoever waits for it finds every answer delivered.
            for visit, _ in batch:
                outcome = delivered.get(visit.no)
                if outcome is None:
                    visit.lose()
                else:
                    visit.deliver(*outcome)

    async def settled(self) -> None:
        """Wait for a commit under way, so that no URL comes into a hand that was just emptied."""
        async with self._lock:
            pass

    def fail(self, error: DatabaseError | ArchiveError) -> None:
        """Something that all visits stand on does not hold: none of them goes on."""
        self.failure = error
        for visit in list(self._visits.values()):
            visit.lose()

    async def _archive_captures(self, batch: Sequence[tuple[Visitor, Outbox]]) -> None:
        kept = [r for _, box in batch for r in box.results if r.capture is not None]
        if not kept:
            return
        if self._archive is None:
            await asyncio.to_thread(_keep_bodies, kept)
            return
        archive = self._archive

        def write() -> None:
            places = []
            for result in kept:
                assert result.capture is not None
                places.append(archive.append(result.capture))
                result.archive, result.capture = str(places[-1]), None
            archive.sync(places)

        await asyncio.to_thread(write)
        failpoint("after_archive")

    async def _write_or_split(self, batch: Sequence[tuple[Visitor, Outbox]]) -> _Delivered:
        """The group; where the database refuses it, each domain alone. One that is missing begins anew."""
        try:
            return await self._write_patiently(batch)
        except UNWRITABLE as error:
            if len(batch) == 1:
                await self._write_pieces(*batch[0], error)
                return {}
        found: _Delivered = {}
        for one in batch:
            found |= await self._write_or_split([one])
        return found

    async def _write_patiently(self, batch: Sequence[tuple[Visitor, Outbox]]) -> _Delivered:
        """A group that stood crosswise to another worker's was rolled back whole, and is tried again."""
        for _ in range(_DEADLOCKS):
            try:
                return await self._write(batch)
            except Deadlocked as error:
                log.warning("group tried again", error=str(error))
        return await self._write(batch)

    async def _write_pieces(self, visit: Visitor, box: Outbox, error: Exception) -> None:
        """Page by page. The visit ends here: what it takes for written may be in the piece that is not."""
        log.error("group refused; written page by page", domain_no=visit.no, error=str(error))
        for piece in pieces(box):
            try:
                await self._write_patiently([(visit, piece.box)])
            except UNWRITABLE as refused:
                await self._note_refused(visit, piece, refused)

    async def _note_refused(self, visit: Visitor, piece: Piece, error: Exception) -> None:
        subject = piece.subject
        if subject is None:
            log.error("not written", domain_no=visit.no, error=str(error))
            return
        kind: failures.Kind = "image" if isinstance(subject, ImageResult) else "page"
        async with self._db.write() as tx:
            held, _, _ = await group.still_held(tx, self._worker, {visit.no: visit.epoch})
            if not held:
                return
            tries = await failures.count(self._db, tx, visit.no, kind, subject.key, str(error))
        log.error("not written", url=subject.url, tries=tries, error=str(error))
        if tries >= ATTEMPTS:
            await self._quarantine(visit, subject)

    async def _quarantine(self, visit: Visitor, subject: PageResult | ImageResult) -> None:
        fullest, least = quarantined(subject)
        try:
            await self._write([(visit, fullest)])
        except UNWRITABLE:
            await self._write([(visit, least)])
        log.error("quarantined", url=subject.url)

    async def _write(self, batch: Sequence[tuple[Visitor, Outbox]]) -> _Delivered:
        if self._images is not None:
            await self._images.prepare(self._db, _image_parts(batch))
        async with self._db.write() as tx:
            epochs = {visit.no: visit.epoch for visit, _ in batch}
            others = await self._images.others(tx, _image_parts(batch)) if self._images else ()
            held, locked, moment = await group.still_held(tx, self._worker, epochs, others)
            live = [(visit, box) for visit, box in batch if visit.no in held]
            failpoint("in_commit")
            # Before the pages are written: whether one was fetched before is seen from its row.
            images = await self._images.write(tx, _image_parts(live), locked) if self._images else {}
            results = [(visit.no, result) for visit, box in live for result in box.results]
            if self._schedule is not None and moment is not None:
                await self._plan(tx, live, self._schedule, moment)
            await group.write_pages(tx, results)
            await group.write_log(tx, self._run, [(no, epochs[no], result) for no, result in results])
            await group.write_links(tx, results)
            await group.write_snapshots(tx, results)
            await group.write_robots(tx, [row for _, box in live for row in box.robots])
            granted = await self._reserve(tx, live)
            changes = [_changes(visit, box, granted[visit.no]) for visit, box in live]
            applied = await self._frontier.apply(tx, changes)
            await self._count(tx, live, applied, granted, images)
            begun = [v.no for v, box in live if v.is_pending and box.has_begun]
            await leases.started(tx, self._worker, begun)
            await self._note_commit(tx)
            failpoint("before_commit")
        failpoint("after_commit")
        taken = await self._frontier.settle(self._db, changes, applied)
        failpoint("after_settle")
        return {no: (urls, granted[no]) for no, urls in taken.items()}

    async def _note_commit(self, tx: AsyncConnection) -> None:
        """So that others can tell a worker that gets on from one that only holds."""
        if self._clock.ticks() - self._noted >= _NOTE_SECONDS:
            await workers.committed(tx, self._worker)
            self._noted = self._clock.ticks()

    async def _plan(
        self,
        tx: AsyncConnection,
        live: Sequence[tuple[Visitor, Outbox]],
        schedule: Schedule,
        moment: datetime,
    ) -> None:
        """When the pages of the group are visited again, from what their visits showed."""
        places = [(visit.no, r.key) for visit, box in live for r in box.results if r.past is not None]
        known = await group.histories(tx, places)
        for visit, box in live:
            mine = {r.key: known.get((visit.no, r.key)) for r in box.results if r.past is not None}
            revisits.plan(schedule, visit.habits, moment, box.results, mine)
        await group.due_now(tx, [(visit.no, *named) for visit, box in live for named in box.named], moment)
        counts = [(visit.no, *revisits.lastmod_counts(box.results)) for visit, box in live]
        await refreshes.count_lastmod(tx, [each for each in counts if each[1] or each[2]])

    async def _reserve(self, tx: AsyncConnection, live: Sequence[tuple[Visitor, Outbox]]) -> dict[int, int]:
        """Pages each visit may take, out of what the whole run has left; first it gets back what it had."""
        await runs.give_back(tx, self._run, sum(box.unused for _, box in live))
        wanted = sum(box.want for _, box in live)
        left = await runs.reserve(tx, self._run, wanted)
        granted: dict[int, int] = {}
        for visit, box in live:
            granted[visit.no] = min(box.want, left)
            left -= granted[visit.no]
        return granted

    async def _count(
        self,
        tx: AsyncConnection,
        live: Sequence[tuple[Visitor, Outbox]],
        applied: dict[int, Applied],
        granted: dict[int, int],
        images: Mapping[int, ImageCounts],
    ) -> None:
        rows = []
        pages = size = errors = returned = 0
        for visit, box in live:
            done = applied[visit.no]
            made, fetched = box.pages, sum(r.bytes for r in box.results) + box.extra_bytes
            first, unfetched = box.first_visits
            of_images = images.get(visit.no, ImageCounts())
            shown, waiting = (
                sum(r.images_found for r in box.results if r.past is None),
                done.waiting + of_images.waiting,
            )
            depth = max((r.depth for r in box.results if r.was_fetched), default=0)
            charged = done.charged - box.unused
            found = (done.new - unfetched, first, shown, of_images.stored, fetched, box.errors)
            used = (charged, fetched, box.seconds)
            rows.append((*found, waiting, *used, depth, depth, done.checkpoint, visit.no))
            pages, size, errors = pages + made, size + fetched, errors + box.errors
            returned += granted[visit.no] - done.charged
        await group.add_counts(tx, self._run, rows)
        await runs.give_back(tx, self._run, returned)
        if pages or errors or size:
            await runs.add(tx, self._run, pages, size, errors)
        self.pages, self.bytes, self.errors = self.pages + pages, self.bytes + size, self.errors + errors


def _keep_bodies(kept: Sequence[PageResult]) -> None:
    """Without an archive the database keeps what is fetched until it is read."""
    for result in kept:
        assert result.capture is not None
        result.body, result.capture = zlib.compress(result.capture.body, _QUICKLY), None


def _image_parts(batch: Sequence[tuple[Visitor, Outbox]]) -> list[tuple[Visitor, ImageBox]]:
    return [(visit, box.images) for visit, box in batch]


def _changes(visit: Visitor, box: Outbox, want: int) -> DomainChanges:
    finished = [result.key for result in box.results]
    return DomainChanges(visit.no, visit.epoch, box.added, box.given_back, finished, want)
