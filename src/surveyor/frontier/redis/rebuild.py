"""Makes a frontier whole again from `pages` and `page_links`: what Redis lost, or never heard of.

All of it is done in small steps under the holder's epoch, outside of any transaction, in
the same memory for ten URLs and ten million. Whoever dies halfway leaves a frontier that
either has no name that the database knows, and is begun anew, or is still as far behind as
before, since links are offered before the page that has them is called over. Nothing that was fetched
waits again; every URL that a fetched page linked to waits, unless it was cut. The order
within one depth is not kept.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from surveyor.db import Database
from surveyor.frontier import reconcile
from surveyor.frontier.changes import NewUrl
from surveyor.frontier.reconcile import Row
from surveyor.frontier.redis.steps import Step, Steps
from surveyor.names import url_key

T = TypeVar("T")

# Rows read and sent in one step; a few milliseconds for the event loop and for Redis.
_ROWS = 500
# Pages whose links are unpacked in one go, for the same reason.
_PAGES = 50
# Links remembered, so that what every page links to is sent once; a few megabytes.
_MOST_SEEN = 50_000


@dataclass(slots=True)
class Rebuild:
    """One domain under one epoch."""

    db: Database
    steps: Steps
    no: int
    epoch: int
    _seen: dict[int, int] = field(default_factory=dict)  # keys and the least depth they were offered at

    async def from_nothing(self, *, with_links: bool, has_rows: bool) -> None:
        """Everything. Without links, where all that is known is in `pages`."""
        await self.steps.wipe(self.no, self.epoch)
        if not has_rows:
            return
        await self._from_all_rows(with_links=with_links)
        await self.from_waiting_rows()

    async def from_what_is_there(self) -> None:
        """Several groups were missed: all rows are held against what Redis has."""
        # What is over is found out by calling it over, which cannot be done twice: no name meanwhile.
        await self.steps.seal(self.no, self.epoch, "", 0)
        await self._from_all_rows(with_links=True)

    async def _from_all_rows(self, *, with_links: bool) -> None:
        async for rows in self._walk():
            step = Step(self.no, self.epoch)
            _tell(step, [row for row in rows if row.state != "waiting"])
            made = await self.steps.make(step)
            if with_links:
                await self._offer_links_of([*made.unfinished, *_fetched_before(rows)])

    async def from_the_last_group(self) -> None:
        """One group was committed and not settled; its pages are among those that were taken."""
        taken = (await self.steps.open(self.no, self.epoch)).taken
        async with self.db.read() as tx:
            rows = await reconcile.rows_of(tx, self.no, [url_key(url.target) for url in taken])
        finished = [row for row in rows if row.is_finished]
        await self._offer_links_of([*(row.key for row in finished), *_fetched_before(rows)])
        step = Step(self.no, self.epoch)
        _tell(step, finished)
        await self.steps.make(step)
        async for rows in self._walk(only_taken=True):
            step = Step(self.no, self.epoch)
            step.ask(rows)
            await self.steps.make(step)

    async def from_waiting_rows(self, name: str | None = None) -> int:
        """What waits in `pages`, since somebody wants it fetched, waits in Redis; returns how many.

        Pages that were over and wait again cannot be distinguished from others once they are over again. So
        from here on the frontier has another name, and a Redis that forgets this is not believed.
        """
        count = 0
        while True:
            async with self.db.read() as tx:
                rows = await reconcile.next_waiting(tx, self.no, _ROWS)
            if not rows:
                return count
            step = Step(self.no, self.epoch)
            step.ask(rows)
            await self.steps.make(step)
            async with self.db.write() as tx:
                await reconcile.hand_over(tx, self.no, self.epoch, [row.key for row in rows], name)
            count += len(rows)

    async def _walk(self, *, only_taken: bool = False) -> AsyncIterator[list[Row]]:
        after: int | None = None
        while True:
            async with self.db.read() as tx:
                rows = await reconcile.rows_after(tx, self.no, after, _ROWS, only_taken=only_taken)
            if not rows:
                return
            yield rows
            after = rows[-1].key

    async def _offer_links_of(self, keys: Sequence[int]) -> None:
        for some in _chunks(keys, _PAGES):
            async with self.db.read() as tx:
                linked = await reconcile.linked_from(tx, self.no, some)
            for urls in _chunks(list(self._not_seen(linked)), _ROWS):
                await self._offer(urls)

    def _not_seen(self, urls: Iterable[NewUrl]) -> Iterator[NewUrl]:
        for url in urls:
            if self._seen.get(url.key, url.depth + 1) > url.depth:
                if len(self._seen) >= _MOST_SEEN:
                    self._seen.clear()
                self._seen[url.key] = url.depth
                yield url

    async def _offer(self, urls: Sequence[NewUrl]) -> None:
        """Whatever Redis has not heard of is looked up first: it may have been fetched, or cut."""
        strange = (await self.steps.unknown([(self.no, urls)], cut=True))[0]
        async with self.db.read() as tx:
            rows = {row.key: row for row in await reconcile.rows_of(tx, self.no, list(strange))}
        step = Step(self.no, self.epoch)
        # Those that were fetched have links too, and get their own turn.
        _tell(step, [row for row in rows.values() if not row.may_have_links])
        step.offer([url for url in urls if _is_wanted(url, rows.get(url.key))])
        await self.steps.make(step)


def _fetched_before(rows: Sequence[Row]) -> list[int]:
    """Pages that are to be fetched again; what they linked to may not have been fetched at all."""
    return [row.key for row in rows if row.is_asked_for and row.was_looked_at]


def _is_wanted(url: NewUrl, row: Row | None) -> bool:
    return row is None or (row.is_cut_by_depth and url.depth < row.depth)


def _tell(step: Step, rows: Sequence[Row]) -> None:
    """What the rows say, in the words of a step."""
    step.ask([row for row in rows if row.is_asked_for])
    step.cut([(row.key, row.target) for row in rows if row.is_cut_by_depth])
    step.finish([(row.key, row.target) for row in rows if not (row.is_asked_for or row.is_cut_by_depth)])


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
