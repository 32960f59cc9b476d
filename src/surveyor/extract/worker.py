"""The extraction process: claims versions of pages, has them read in children, writes what was read.

Pages are read side by side, one in each child, and written in groups. A page that stops its child waits for
another one, three in all, then it is quarantined with the reason and the rest goes on. Killed at any moment,
a worker leaves claims that end by time (on one machine at once) and nothing half written.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor import logs
from surveyor.backoff import RECONNECT, pause
from surveyor.db import Database
from surveyor.errors import DatabaseError, DatabaseUnreachable, Refused
from surveyor.extract import messages
from surveyor.extract.commit import Commits, Finished, RefreshHook, parts
from surveyor.extract.completion import judge_ends
from surveyor.extract.contents import Contents, NoContent
from surveyor.extract.store import queue, snapshots
from surveyor.extract.store.postponed import requeue_if_due
from surveyor.extract.store.queue import PassCursor, Waiting
from surveyor.extract.values import Page, Reading
from surveyor.process import locks
from surveyor.process.children import ChildDied, Job
from surveyor.process.failpoints import failpoint
from surveyor.process.tasks import run_beside
from surveyor.registry import workers
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events, register

# Versions claimed for each child: enough that none waits for the database, few enough for a short claim.
_AHEAD = 8
# Results per transaction, and seconds that the first of them waits for more.
_GROUP, _GATHER_SECONDS = 40, 0.25
_IDLE_SECONDS = 0.5
# Seconds that a page which waits for another reader has left once the worker is to stop.
_LAST_WORDS = 5.0
# Characters of Markdown from which compressing it would hold up everything else.
_LONG = 100_000

# Another reader of a page, asked after the rules: their reading with what it adds.
AlsoRead = Callable[[Page, Reading], Awaitable[Reading]]

T = TypeVar("T")
log = logs.get("extract")


class Readers(Protocol):
    """Who reads pages; `surveyor.process.children.Children` in earnest."""

    job: Job

    async def ask(self, question: bytes) -> bytes: ...
    async def close(self) -> None: ...


@dataclass
class Progress:
    """What a worker has done so far; read by the live view."""

    pages: int = 0
    relevant: int = 0
    unchanged: int = 0
    records: int = 0
    changed: int = 0
    quarantined: int = 0
    judged: int = 0
    """Domains judged at the end of their crawl."""


class Unread(NamedTuple):
    """A version of which nothing was read: it failed, or there is nothing to read."""

    waiting: Waiting
    why: str
    is_failure: bool
    for_good: bool = False
    """No other try will go better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a worker is to do."""

    version: str
    """Of the rules and the profile; what was read with another one is read again."""
    yields: str
    processes: int = 1
    only: tuple[int, ...] | None = None
    limit: int | None = None
    continuous: bool = False
    until_idle: float | None = None
    """Seconds without a page after which a continuous worker ends all the same."""
    also_seconds: float = 0.0
    """What another reader may take for a page."""
    also_at_once: int = 0
    """Pages that may wait for it while others are read."""


class ExtractWorker:
    def __init__(
        self,
        db: Database,
        readers: Readers,
        archive: Path,
        plan: Plan,
        *,
        also: AlsoRead | None = None,
        refresh_hook: RefreshHook | None = None,
    ) -> None:
        self.id = workers.new_worker_id()
        self.stopping = asyncio.Event()
        self.finishing = asyncio.Event()
        """A continuous worker ends once nothing waits."""
        self.progress = Progress()
        self._db, self._readers, self._plan, self._also = db, readers, plan, also
        self._contents = Contents(archive)
        self._commits = Commits(db, self.id, plan.version, plan.yields, refresh_hook)
        self._by = Actor.worker(self.id)
        self._to_read: asyncio.Queue[Waiting] = asyncio.Queue()
        self._results: asyncio.Queue[Finished | Unread] = asyncio.Queue()
        self._in_hand = 0
        self._claimed = 0
        self._claimed_before, self._idle_since = 0, time.monotonic()
        self._place: PassCursor | None = None
        self._moved = asyncio.Event()
        # A claim lasts as long as all that is claimed may take, and a little longer.
        self._claim_seconds = (_AHEAD + 1) * (readers.job.seconds + plan.also_seconds) + 60.0

    async def run(self) -> Progress:
        """Work until nothing waits, the limit is reached, or somebody stops it."""
        folder = workers.lock_folder(self._db)
        lock = locks.WorkerLock(folder, self.id) if folder else None
        at_once = self._plan.processes + self._plan.also_at_once
        background = {f"reader {number + 1}": self._read_on() for number in range(at_once)}
        background["writer"] = self._write_on()
        try:
            await run_beside(self._claim_on(), background, f"extraction {self.id}")
        finally:
            await self._leave(lock)
        return self.progress

    async def _leave(self, lock: locks.WorkerLock | None) -> None:
        try:
            async with self._db.write() as tx:
                await queue.give_back(tx, self.id)
        except DatabaseUnreachable as error:
            log.warning("claims not released; their leases expire", error=str(error))
        finally:
            if lock:
                lock.close()
            await self._readers.close()

    # -- claiming

    async def _claim_on(self) -> None:
        """Returns when the work is done."""
        await self._patiently(self._prepare)
        ahead = self._plan.processes * _AHEAD
        while not self.stopping.is_set():
            room = min(ahead - self._in_hand, self._left())
            self._moved.clear()
            if self._in_hand <= ahead // 2 and room > 0 and await self._patiently(partial(self._claim, room)):
                continue
            if self._in_hand:
                await pause(self._moved, _IDLE_SECONDS)
            elif await self._patiently(self._is_over):
                break
        while self._in_hand:  # what is in flight comes to its end
            self._moved.clear()
            self._drop_unread()
            await pause(self._moved, _IDLE_SECONDS)

    def _left(self) -> int:
        return self._plan.limit - self._claimed if self._plan.limit is not None else 1 << 30

    async def _prepare(self) -> None:
        """What dead processes of this machine held waits again, and what was read with other rules."""
        await self._free_claims_of_the_dead()
        version = self._plan.version
        async with self._db.write() as tx:  # from here on those who read with other rules write nothing
            await register.set_fact(self._db, tx, queue.RULES, version)
            known = await register.get_fact(tx, queue.QUEUED_FOR)
        at: int | None = None if known == version else 0
        while at is not None and not self.stopping.is_set():
            async with self._db.write() as tx:
                at = await queue.requeue(tx, version, at)
                if at is None:
                    await register.set_fact(self._db, tx, queue.QUEUED_FOR, version)

    async def _free_claims_of_the_dead(self) -> None:
        folder = workers.lock_folder(self._db)
        if folder is None:
            return
        async with self._db.read() as tx:
            holders = await queue.holders(tx)
        for name in holders:
            if locks.is_dead(folder, name):
                async with self._db.write() as tx:
                    await queue.give_back(tx, name)

    async def _claim(self, room: int) -> bool:
        """Take the next ones of this pass; at its end the next pass begins."""
        async with self._db.read() as tx:
            if await register.get_fact(tx, queue.RULES) != self._plan.version:
                raise Refused("pages are read with another profile, model or program by now; start it again")
            if not await queue.is_anything_waiting(tx, self._plan.only):
                self._place = None
                return False
        async with self._db.write() as tx:
            taken = await queue.claim(
                tx, self.id, room, self._claim_seconds, after=self._place, only=self._plan.only
            )
        failpoint("after_extract_claim")
        was_first, last = self._place is None, taken[-1] if len(taken) == room else None
        self._place = PassCursor(last.domain_no, last.id) if last else None
        self._in_hand += len(taken)
        self._claimed += len(taken)
        for waiting in taken:
            self._to_read.put_nowait(waiting)
        return bool(taken) or not was_first

    async def _is_over(self) -> bool:
        """Nothing claimed and nothing to claim: judge what ended, and wait for more if that is wanted."""
        if self._left() <= 0:
            return True
        await self._free_claims_of_the_dead()
        if self._plan.only is None and await requeue_if_due(self._db, self._plan.version):
            return False
        self.progress.judged += await judge_ends(self._db, self._by, self._plan.yields, self._plan.only)
        async with self._db.read() as tx:
            if await queue.is_anything_waiting(tx, self._plan.only):
                await pause(self.stopping, _IDLE_SECONDS / 5)  # others hold a lock on it
                return False
        if not self._plan.continuous or self.finishing.is_set():
            return True
        await pause(self.stopping, _IDLE_SECONDS)
        return self._idled_out()

    def _idled_out(self) -> bool:
        if self._claimed != self._claimed_before:
            self._claimed_before, self._idle_since = self._claimed, time.monotonic()
        limit = self._plan.until_idle
        return limit is not None and time.monotonic() - self._idle_since >= limit

    def _drop_unread(self) -> None:
        """What no child has begun on is given back when we leave."""
        while self.stopping.is_set() and not self._to_read.empty():
            self._to_read.get_nowait()
            self._in_hand -= 1

    # -- reading

    async def _read_on(self) -> None:
        while True:
            waiting = await self._to_read.get()
            result = await self._read(waiting)
            if result is not None:
                self._results.put_nowait(result)
            else:
                self._in_hand -= 1
                self._moved.set()

    async def _read(self, waiting: Waiting) -> Finished | Unread | None:
        """None: it is given back when we leave."""
        try:
            page = await self._contents.page(waiting)
        except NoContent as error:
            return Unread(waiting, str(error), error.is_damage, for_good=True)
        try:
            reading = messages.unpack_reading(await self._readers.ask(messages.pack_page(page)))
        except (ChildDied, messages.ReadingFailed) as error:
            return Unread(waiting, str(error), is_failure=True)
        if self._also is not None:
            more = await self._ask_also(partial(self._also, page, reading))
            if more is None:
                return None
            reading = more
        text = reading.text.markdown
        compressed = snapshots.compressed
        markdown = await asyncio.to_thread(compressed, text) if len(text) > _LONG else compressed(text)
        return Finished(waiting, reading, markdown)

    async def _ask_also(self, ask: Callable[[], Awaitable[Reading]]) -> Reading | None:
        """The reading with what the other reader adds; None when it still thinks when we are to stop."""
        asking = asyncio.ensure_future(self._patiently(ask))
        stopped = asyncio.ensure_future(self.stopping.wait())
        try:
            await asyncio.wait((asking, stopped), return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait((asking,), timeout=_LAST_WORDS)
            return asking.result() if asking.done() else None
        finally:
            asking.cancel()
            stopped.cancel()
            await asyncio.gather(asking, stopped, return_exceptions=True)

    # -- writing

    async def _write_on(self) -> None:
        while True:
            group = await self._gathered()
            count = len(group)
            await self._patiently(partial(self._write, group))
            self._in_hand -= count
            self._moved.set()

    async def _gathered(self) -> list[Finished | Unread]:
        """The next results: as many as are there, after a moment in which more may come."""
        group = [await self._results.get()]
        try:
            async with asyncio.timeout(_GATHER_SECONDS):
                while len(group) < _GROUP and len(group) < self._in_hand:
                    group.append(await self._results.get())
        except TimeoutError:
            pass
        return group

    async def _write(self, group: list[Finished | Unread]) -> None:
        """What is written leaves the group, so that a second try goes on behind it."""
        finished = [one for one in group if isinstance(one, Finished)]
        for part in parts(finished):
            await self._write_part(part)
            group[:] = [one for one in group if one not in part]
        await self._write_unread([one for one in group if isinstance(one, Unread)])

    async def _write_part(self, part: Sequence[Finished]) -> None:
        try:
            done = await self._commits.write(part)
        except DatabaseUnreachable:
            raise
        except DatabaseError as error:  # one of them says what no row can hold; the others shall not suffer
            if len(part) == 1:
                why = f"what was read cannot be stored: {error}"
                await self._write_unread([Unread(part[0].waiting, why, is_failure=True)])
            else:
                for one in part:
                    await self._write_part([one])
            return
        progress = self.progress
        progress.pages, progress.relevant = progress.pages + done.pages, progress.relevant + done.relevant
        progress.unchanged, progress.records = (
            progress.unchanged + done.unchanged,
            progress.records + done.records,
        )
        progress.changed += done.changed
        if done.domains:
            among = sorted(done.domains)
            progress.judged += await judge_ends(self._db, self._by, self._plan.yields, among)

    async def _write_unread(self, group: Sequence[Unread]) -> None:
        for one in group:
            async with self._db.write() as tx:
                if one.waiting.id not in await queue.still_held(tx, self.id, [one.waiting.id]):
                    continue
                if not one.is_failure:
                    await snapshots.not_read(tx, [one.waiting.id], self._plan.version, one.why)
                    self.progress.pages += 1
                elif await self._failed(tx, one):
                    data = {"snapshot": one.waiting.id}
                    no = one.waiting.domain_no
                    event = NewEvent(EventKind.PAGE_QUARANTINED, self._by.name, no, data=data)
                    await events.append(tx, [event])
                    self.progress.quarantined += 1
                    log.warning("page quarantined", url=one.waiting.url, why=one.why)

    async def _failed(self, tx: AsyncConnection, one: Unread) -> bool:
        version = self._plan.version
        if one.for_good:
            await snapshots.quarantine(tx, one.waiting.id, version, one.why)
            return True
        return bool(await queue.failed(tx, self.id, one.waiting.id, version, one.why))

    # -- patience

    async def _patiently(self, act: Callable[[], Awaitable[T]]) -> T:
        """Do it once the database answers; claims guard against what happened meanwhile."""
        failures = 0
        while True:
            try:
                return await act()
            except DatabaseUnreachable as error:
                if self.stopping.is_set():
                    raise
                failures += 1
                wait = RECONNECT.after(failures)
                log.error("database error; extraction retries", error=str(error), again_in=wait)
                await pause(self.stopping, wait)
