"""Images that a spider's items name, in the group that makes their page over.

Whose visit has claimed an image's host does not matter here: Scrapy fetched it by itself, under the project's
own settings. The row of the host is locked with the group, as the queue of images wants it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.contrib.scrapy import store as own_store
from surveyor.crawl.images.commit import ImageCommits, Part
from surveyor.crawl.images.outbox import ImageResult
from surveyor.crawl.member import Member
from surveyor.crawl.store import images as store
from surveyor.crawl.store.images import Place


@dataclass(slots=True)
class SpiderImage(ImageResult):
    """An image that was fetched for an item."""

    host: str | None = None  # as in a sighting


class SpiderImages(ImageCommits):
    async def others(self, tx: AsyncConnection, parts: Sequence[Part]) -> set[int]:
        hosts = {self._numbers.get((one.no, host)) for one, box in parts for host in box.foreign_hosts()}
        known = {no for no in hosts if no is not None}
        fetched = [(no, result.key) for _, no, result in self._fetched(parts, known)]
        return known | set((await store.first_shown_by(tx, fetched)).values())

    async def _write_fetched(
        self, tx: AsyncConnection, parts: Sequence[Part], locked: set[int], waiting: Counter[int]
    ) -> Counter[int]:
        """As of a visit, but each on its own host, and of URLs that waited until now."""
        fetched = self._fetched(parts, locked)
        if not fetched:
            return Counter()
        new = await store.write_images(tx, [result for _, _, result in fetched])
        places: list[Place] = [(no, result.key) for _, no, result in fetched]
        waiting.subtract(await own_store.images_waiting(tx, places))
        await store.write_results(tx, [(no, result) for _, no, result in fetched])
        await store.write_log(tx, self._run, [(no, one.epoch, result) for one, no, result in fetched])
        shown = await store.first_shown_by(tx, places)
        stored: Counter[int] = Counter()
        for one, no, result in fetched:
            if result.facts is not None and result.facts.sha256 in new:
                new.discard(result.facts.sha256)
                stored.update({no, shown.get((no, result.key), one.no)} & {one.no, *locked})
        return stored

    def _fetched(self, parts: Sequence[Part], locked: set[int]) -> list[tuple[Member, int, ImageResult]]:
        """Each image once, with the number of its host; of hosts whose images are not wanted none."""
        found: dict[Place, tuple[Member, int, ImageResult]] = {}
        for one, box in parts:
            for result in box.results:
                host = result.host if isinstance(result, SpiderImage) else None
                no = self._number(one, host, locked)
                if no is not None:
                    found[no, result.key] = (one, no, result)
        return list(found.values())
