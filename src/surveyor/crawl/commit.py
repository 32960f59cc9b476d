"""When the finished pages of all visits are written: by count, by need and by time, one group after another.

After an error of the database or the frontier nobody knows whether the group was committed; its visits are
abandoned and their domains are claimed again, which reads their state from the database. A group with a value
that the database refuses is split instead (`quarantine`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from surveyor.archive import ArchiveError
from surveyor.backoff import pause
from surveyor.clock import Clock
from surveyor.crawl import quarantine
from surveyor.crawl.group_writer import UNWRITABLE, GroupWriter, Part
from surveyor.crawl.member import Member
from surveyor.errors import DatabaseError
from surveyor.settings import CrawlSettings

# Visits without a URL do not wait for the group to fill up; but commits keep a distance (seconds), and a
# longer one where they take long: claims and releases come between, and groups grow with the load.
_SHORTEST_GAP, _LONGEST_GAP = 0.02, 0.2
# Bytes of pages and images that wait for a commit.
_MOST_HELD = 32_000_000
# A group is full with so many pages for each visit, a quarter of what it takes at once, and so many of all.
_PAGES_PER_VISIT, _MOST_PAGES = 8, 500


@dataclass(eq=False)
class Committer:
    """Of one worker."""

    writer: GroupWriter
    _settings: CrawlSettings
    _clock: Clock
    _members: dict[int, Member] = field(default_factory=dict)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _pending: int = 0  # pages, since all of them were written
    _held_bytes: int = 0  # likewise
    _is_due: bool = False  # all of it, not only what somebody waits for
    failure: DatabaseError | ArchiveError | None = None

    def join(self, member: Member) -> None:
        self._members[member.no] = member

    def part(self, member: Member) -> None:
        if self._members.get(member.no) is member:
            del self._members[member.no]

    def note_page(self, size: int = 0) -> None:
        """A page or an image is finished, which holds so many bytes; a full group is written at once."""
        self._pending += 1
        self._held_bytes += size
        full = max(self._settings.commit_pages, min(_PAGES_PER_VISIT * len(self._members), _MOST_PAGES))
        if self._pending >= full or self._held_bytes >= _MOST_HELD:
            self._is_due = True
            self._wake.set()

    @property
    def is_full(self) -> bool:
        """Whether visits should wait for the commit, so that memory stays flat."""
        return self._held_bytes >= _MOST_HELD

    async def until_committed(self, member: Member) -> None:
        """A visit has nothing to do before it is: without waiting for the group to fill up."""
        self._wake.set()
        member.is_waiting = True
        await member.delivered.wait()
        member.is_waiting = False

    def flush_soon(self) -> None:
        """Somebody has nothing to do before the next commit."""
        self._is_due = True
        self._wake.set()

    async def run(self) -> None:
        """Until cancelled."""
        clock, took, last = self._clock, 0.0, self._clock.ticks()
        while True:
            gap = min(max(took, _SHORTEST_GAP), _LONGEST_GAP)
            await asyncio.sleep(gap)
            await pause(self._wake, last + self._settings.commit_seconds - clock.ticks())
            started = clock.ticks()
            self._wake.clear()
            if self._is_due or started - last >= self._settings.commit_seconds:
                last = started
                await self.commit()
            elif in_need := [one for one in self._members.values() if one.is_waiting or one.is_asking]:
                await self.commit(*in_need)
            took = clock.ticks() - started

    async def commit(self, *only: Member) -> None:
        """Write what is there now, of all visits or of these."""
        async with self._lock:
            if not only:
                self._is_due, self._pending, self._held_bytes = False, 0, 0
            members = only or tuple(self._members.values())
            batch = [Part(one, box) for one in members if (box := one.take_outbox())]
            if not batch:
                return
            try:
                await self.writer.keep(batch)
                try:
                    delivered = await self.writer.write(batch)
                except UNWRITABLE as refused:
                    delivered = await quarantine.write_apart(self.writer, batch, refused)
            except (DatabaseError, ArchiveError) as error:
                self.fail(error)
                return
            # Within the lock: whoever waits for it finds every answer delivered.
            for member, _ in batch:
                if member.no in delivered:
                    member.deliver(delivered[member.no])
                else:
                    member.lose()

    async def settled(self) -> None:
        """Wait for a commit under way, so that no URL is delivered to a visit that was just emptied."""
        async with self._lock:
            pass

    def fail(self, error: DatabaseError | ArchiveError) -> None:
        """Something that all visits stand on does not hold: none of them goes on."""
        self.failure = error
        for member in list(self._members.values()):
            member.lose()
