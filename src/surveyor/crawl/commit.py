"""When the finished pages of all visits are written: by count, by need and by time, one group after another.

After an error of the database or the frontier the group's fate is unknown; its visits are abandoned and
their domains claimed anew, which reads the truth from the database. A group with a value that no row can
hold is taken apart instead (`quarantine`).
"""

from __future__ import annotations

import asyncio

from surveyor.archive import ArchiveError
from surveyor.clock import Clock
from surveyor.crawl import quarantine
from surveyor.crawl.group_writer import UNWRITABLE, GroupWriter, Part
from surveyor.crawl.member import Member
from surveyor.errors import DatabaseError
from surveyor.settings import CrawlSettings

# Visits without a URL do not wait for the group to fill up; but commits keep this distance (seconds).
_SHORTEST_GAP = 0.02
# Bytes of images that wait for a commit.
_MOST_HELD = 32_000_000


class Committer:
    """Of one worker."""

    def __init__(self, writer: GroupWriter, settings: CrawlSettings, clock: Clock) -> None:
        self.writer, self._settings, self._clock = writer, settings, clock
        self._members: dict[int, Member] = {}
        self._wake = asyncio.Event()
        self._lock = asyncio.Lock()
        self._pending = self._held_bytes = 0
        self.failure: DatabaseError | ArchiveError | None = None

    def join(self, member: Member) -> None:
        self._members[member.no] = member

    def part(self, member: Member) -> None:
        if self._members.get(member.no) is member:
            del self._members[member.no]

    def note_page(self, size: int = 0) -> None:
        """A page or an image is finished, which holds so many bytes; a full group is written at once."""
        self._pending += 1
        self._held_bytes += size
        if self._pending >= self._settings.commit_pages or self._held_bytes >= _MOST_HELD:
            self._wake.set()

    @property
    def is_full(self) -> bool:
        """Whether visits should wait for the commit, so that memory stays flat."""
        return self._held_bytes >= _MOST_HELD

    async def until_committed(self, member: Member) -> None:
        """A visit has nothing to do before it is: without waiting for the group to fill up."""
        self._wake.set()
        await member.delivered.wait()

    def flush_soon(self) -> None:
        """Somebody has nothing to do before the next commit."""
        self._wake.set()

    async def run(self) -> None:
        """Until cancelled."""
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

    async def commit(self, only: Member | None = None) -> None:
        """Write what is there now, of all visits or of one."""
        async with self._lock:
            self._wake.clear()
            members = [only] if only else list(self._members.values())
            batch = [Part(one, box) for one in members if (box := one.take_outbox()) is not None]
            self._pending = self._held_bytes = 0
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
