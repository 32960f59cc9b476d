"""The images of a group commit: who must be locked, what is written, what is counted.

Hosts are registered in a transaction of their own before the group's: a registered host without waiting
images does no harm, and a decision on a host never waits for a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.images.outbox import ImageBox, ImageResult
from surveyor.crawl.member import Member
from surveyor.crawl.store import images as store
from surveyor.crawl.store.images import Place, Seen
from surveyor.db import Database
from surveyor.names import url_key
from surveyor.process.failpoints import failpoint
from surveyor.registry.assets import note_hosts

if TYPE_CHECKING:  # it loads Pillow
    from surveyor.archive.keeper import ImageKeeper

# Pairs of domain and host that are remembered as registered.
_REMEMBERED = 100_000


class ImageCounts(NamedTuple):
    """What a domain's counters gain."""

    waiting: int = 0
    stored: int = 0


Part = tuple[Member, ImageBox]


class ImageCommits:
    """For one worker; remembers the numbers of the hosts that it has met."""

    def __init__(self, run: UUID, *, approve_assets: bool, keeper: ImageKeeper | None = None) -> None:
        self._run, self._approve, self._keeper = run, approve_assets, keeper
        self._numbers: dict[tuple[int, str], int | None] = {}  # None: its images are not wanted

    async def prepare(self, db: Database, parts: Sequence[Part]) -> None:
        """Register hosts that were not met before."""
        for one, box in parts:
            strange = sorted(host for host in box.foreign_hosts() if (one.no, host) not in self._numbers)
            if strange:
                async with db.write() as tx:
                    found = await note_hosts(tx, one.no, strange, approve=self._approve)
                if len(self._numbers) > _REMEMBERED:
                    self._numbers.clear()
                self._numbers.update({(one.no, host): found.get(host) for host in strange})

    async def keep(self, parts: Sequence[Part]) -> None:
        """Write the files of the group's images, all together; before its rows. Raises `ArchiveError`."""
        new = [
            (result, (result.data, result.facts))
            for _, box in parts
            for result in box.results
            if result.data is not None and result.facts is not None
        ]
        if not new:
            return
        assert self._keeper is not None
        names = await self._keeper.keep_all([image for _, image in new])
        failpoint("after_archive")
        for (result, _), name in zip(new, names, strict=True):
            result.file, result.data = name, None

    async def others(self, tx: AsyncConnection, parts: Sequence[Part]) -> set[int]:
        """Domains beside the group's own whose rows it changes."""
        found = {self._numbers.get((one.no, host)) for one, box in parts for host in box.foreign_hosts()}
        shown = await store.first_shown_by(tx, _stored_places(parts))
        return {no for no in (*found, *shown.values()) if no is not None}

    async def write(
        self, tx: AsyncConnection, parts: Sequence[Part], locked: set[int]
    ) -> dict[int, ImageCounts]:
        """Everything about images, for the domains of the group that still hold; `others` are locked."""
        if not any(box for _, box in parts):
            return {}
        waiting: Counter[int] = Counter()
        await self._write_seen(tx, parts, locked, waiting)
        stored = await self._write_fetched(tx, parts, locked, waiting)
        await store.give_back(tx, [(one.no, back) for one, box in parts for back in box.given_back])
        taken = await store.take(tx, [(one.no, one.epoch, box.want) for one, box in parts if box.want])
        for one, box in parts:
            box.taken = taken.get(one.no, [])
            waiting[one.no] += len(box.given_back) - len(box.taken)
        mine = {one.no for one, _ in parts}
        await store.note_hosts(tx, {no: count for no, count in waiting.items() if no not in mine})
        await store.credit(tx, {no: count for no, count in stored.items() if no not in mine})
        return {no: ImageCounts(waiting[no], stored[no]) for no in mine}

    async def _write_seen(
        self, tx: AsyncConnection, parts: Sequence[Part], locked: set[int], waiting: Counter[int]
    ) -> None:
        seen = [
            Seen(no, one.no, sighting)
            for one, box in parts
            for sighting in box.sightings
            if (no := self._number(one, sighting.host, locked)) is not None
        ]
        if seen:
            waiting.update(await store.add_urls(tx, [(no, s.key, s.target, 0) for no, _, s in seen]))
            page_keys = sorted({(each.page_no, each.sighting.page_key) for each in seen})
            await store.write_sightings(tx, seen, await store.fetched_before(tx, page_keys))
        unchanged = [(one.no, key, when) for one, box in parts for key, when in box.unchanged]
        await store.seen_unchanged(tx, unchanged)

    async def _write_fetched(
        self, tx: AsyncConnection, parts: Sequence[Part], locked: set[int], waiting: Counter[int]
    ) -> Counter[int]:
        """Returns how many new images each domain has stored, on its own host or with its pages."""
        results = [(one, result) for one, box in parts for result in box.results]
        if not results:
            return Counter()
        new = await store.write_images(tx, [result for _, result in results])
        await store.write_results(tx, [(one.no, result) for one, result in results])
        await store.write_log(tx, self._run, [(one.no, one.epoch, result) for one, result in results])
        for one, result in results:
            if result.moved_to is not None:
                waiting.update(await self._move(tx, one, result, locked))
        shown = await store.first_shown_by(tx, _stored_places(parts))
        stored: Counter[int] = Counter()
        for one, result in results:
            if result.facts is not None and result.facts.sha256 in new:
                new.discard(result.facts.sha256)
                stored.update({one.no, shown.get((one.no, result.key), one.no)} & {one.no, *locked})
        return stored

    async def _move(
        self, tx: AsyncConnection, one: Member, result: ImageResult, locked: set[int]
    ) -> Counter[int]:
        to = self._number(one, result.moved_host, locked)
        if to is None or result.moved_to is None:
            return Counter()
        target = result.moved_to.target
        await store.move_sightings(tx, one.no, result, to)
        return await store.add_urls(tx, [(to, url_key(target), target, result.hops)])

    def _number(self, one: Member, host: str | None, locked: set[int]) -> int | None:
        """The number of an image's host; None if nothing is to wait there."""
        if host is None:
            return one.no
        no = self._numbers.get((one.no, host))
        if no is not None and no not in locked:  # its row is gone: met anew next time
            del self._numbers[one.no, host]
            return None
        return no


def _stored_places(parts: Sequence[Part]) -> list[Place]:
    return [(one.no, result.key) for one, box in parts for result in box.results if result.facts is not None]
