"""The frontier with what requests carry beside their URLs, and the records of items of finished pages.

Both are written with the entries. What a request carries stays when its page was had: a recrawl asks for the
page in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.contrib.scrapy import store
from surveyor.contrib.scrapy.store import Place
from surveyor.db import Database
from surveyor.extract.contributed import PageRecords, RecordWriter
from surveyor.frontier.changes import Applied, DomainChanges, Opened, Taken
from surveyor.frontier.protocol import Frontier
from surveyor.frontier.reconcile import Standing


class RequestFrontier:
    """A frontier around another one, in SQL or in Redis; the texts are always in the database."""

    def __init__(self, inner: Frontier, records: RecordWriter | None = None) -> None:
        self._inner, self._records = inner, records
        self.is_outside = inner.is_outside
        self._records_of: dict[Place, PageRecords] = {}
        self._new: dict[Place, str] = {}  # offered, and not committed yet
        self._taken: dict[Place, str] = {}  # of URLs that are held

    def offer(self, no: int, key: int, text: str) -> None:
        """The text of a URL that is added with the next commit; the first one that was offered stays."""
        self._new.setdefault((no, key), text)

    def keep_records(self, no: int, found: PageRecords) -> None:
        """What the items of a page say that is finished with the next commit."""
        self._records_of[no, found.key] = found

    def text_of(self, no: int, key: int) -> str | None:
        """Of a URL that is held."""
        return self._taken.get((no, key))

    async def apply(self, tx: AsyncConnection, changes: Sequence[DomainChanges]) -> dict[int, Applied]:
        added = dict.fromkeys((change.no, url.key) for change in changes for url in change.added)
        await store.add_new(tx, [(*place, self._new[place]) for place in added if place in self._new])
        for change in changes if self._records_of and self._records else ():
            found = [
                self._records_of[change.no, key]
                for key in change.finished
                if (change.no, key) in self._records_of
            ]
            if found and self._records is not None:
                await self._records.write(tx, change.no, found)
        return await self._inner.apply(tx, changes)

    async def settle(
        self, db: Database, changes: Sequence[DomainChanges], applied: Mapping[int, Applied]
    ) -> dict[int, Sequence[Taken]]:
        taken = await self._inner.settle(db, changes, applied)
        for change in changes:
            for url in change.added:
                self._new.pop((change.no, url.key), None)
            for key in (*change.finished, *(back.key for back in change.given_back)):
                self._taken.pop((change.no, key), None)
                self._records_of.pop((change.no, key), None)
        places = [(no, url.key) for no, urls in taken.items() for url in urls]
        if places:
            async with db.read() as tx:
                self._taken |= await store.of(tx, places)
        return taken

    async def prepare(self, db: Database, no: int, epoch: int, standing: Standing | None = None) -> None:
        await self._inner.prepare(db, no, epoch, standing)

    async def open(self, tx: AsyncConnection, epochs: Mapping[int, int]) -> dict[int, Opened]:
        return await self._inner.open(tx, epochs)

    def close(self, no: int, epoch: int) -> Applied:
        everything: tuple[dict[Place, Any], ...] = (self._new, self._taken, self._records_of)
        for kept in everything:
            for place in [place for place in kept if place[0] == no]:
                del kept[place]
        return self._inner.close(no, epoch)

    async def count_alone(self, tx: AsyncConnection, no: int, key: int) -> None:
        await self._inner.count_alone(tx, no, key)

    async def give_up(self, tx: AsyncConnection, no: int, epoch: int) -> int:
        return await self._inner.give_up(tx, no, epoch)

    async def reach(self) -> None:
        await self._inner.reach()

    async def count(self, tx: AsyncConnection, no: int) -> int:
        return await self._inner.count(tx, no)

    async def drop(self, tx: AsyncConnection, no: int) -> None:
        await self._inner.drop(tx, no)
