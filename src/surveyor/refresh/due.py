"""What other stages and people say and see of the dates of pages.

Extraction knows better than a crawl what a change was worth, and which pages yield records: `RefreshHook` is
called with it in extraction's own transaction, and never waits for a visit longer than its commit takes.
`outlook` and `page_outlook` tell people what comes next, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.frontier import due_pages
from surveyor.refresh import policy, store
from surveyor.refresh.policy import UNIT, History
from surveyor.refresh.store import Scheduled
from surveyor.registry.store import due_dates, refreshes

# Pages of a domain that are counted, a tenth of a second of work.
_COUNTED = 10_000


class RefreshHook:
    """What extraction says of pages that it read, in its own transaction."""

    async def unchanged(self, tx: AsyncConnection, pages: Sequence[tuple[int, int]]) -> None:
        """Their last versions say the same as those before: that was no change."""
        by_domain: dict[int, list[int]] = {}
        for no, key in pages:
            by_domain.setdefault(no, []).append(key)
        for no, keys in sorted(by_domain.items()):
            await _correct(tx, no, keys, policy.not_changed_after_all)

    async def read(self, tx: AsyncConnection, domain_no: int, page_yield: PageYield) -> None:
        """Some mention records, some none; where a deadline moved, the next visit comes sooner."""
        for keys, corrected in (
            (page_yield.records - page_yield.moved, _gave),
            (page_yield.moved, _moved),
            (page_yield.nothing, policy.gave_nothing),
        ):
            await _correct(tx, domain_no, sorted(keys), corrected)


class PageYield(Protocol):
    """Pages of a domain by what they gave, each by its key."""

    @property
    def records(self) -> Set[int]: ...
    @property
    def moved(self) -> Set[int]: ...
    @property
    def nothing(self) -> Set[int]: ...


def _gave(history: History) -> History:
    return policy.gave_records(history, deadline_moved=False)


def _moved(history: History) -> History:
    return policy.gave_records(history, deadline_moved=True)


async def _correct(
    tx: AsyncConnection, no: int, keys: list[int], corrected: Callable[[History], History]
) -> None:
    rows: list[tuple[int, bytes, datetime | None, int]] = []
    for page in await store.locked(tx, no, keys) if keys else ():
        known = corrected(History.of(page.history))
        at = page.fetched_at + timedelta(minutes=known.interval) if page.next_visit_at else None
        rows.append((page.key, known.to_bytes(), at, policy.rank_of(known)))
    await store.write(tx, no, rows)
    if dates := [at for _, _, at, _ in rows if at is not None]:
        await due_dates.make_due_by(tx, no, min(dates))


# --- what people see


@dataclass(frozen=True, slots=True)
class PageOutlook:
    """One page: its next visit, and what the visits before showed."""

    target: str
    next_visit_at: datetime | None
    interval_hours: float
    visits: float  # fading: what is remembered of them
    changes: float
    has_records: bool
    is_long_without_records: bool
    gone: int

    def why(self) -> str:
        """One line for a person."""
        if self.next_visit_at is None:
            return "it is left: it was gone three times in a row" if self.gone else "it is not visited again"
        if not self.interval_hours and not self.gone:
            return "at the usual interval: it is no page, it names pages"
        every = _duration(self.interval_hours)
        if self.gone:
            return f"gone {_some(self.gone, 'time')} in a row; looked for every {every}"
        seen = f"{_some(self.changes, 'change')} in its last {_some(self.visits, 'visit')}"
        why = f"every {every}: {seen if self.visits else 'nothing is known yet'}"
        if self.is_long_without_records:
            return f"{why}; no record in 90 days"
        return f"{why}; it gave records" if self.has_records else why


@dataclass(frozen=True, slots=True)
class Outlook:
    """A domain: its pages with dates, and the first of them."""

    scheduled: int  # counted up to 10,000, as the next
    due: int
    first: PageOutlook | None
    exhausted_at: datetime | None
    believes_lastmod: bool


async def outlook(db: Database, no: int) -> Outlook:
    async with db.read() as tx:
        scheduled, due = await store.count_due(tx, no, _COUNTED)
        when = await due_pages.next_visit(tx, no)
        first = await store.first_page(tx, no, when) if when else None
        known = await refreshes.get(tx, no)
    believed = policy.RefreshPolicy().believes_lastmod(known.lastmod_right, known.lastmod_wrong)
    return Outlook(scheduled, due, _outlook(first) if first else None, known.exhausted_at, believed)


async def page_outlook(db: Database, no: int, key: int) -> PageOutlook | None:
    """None for a URL that was never visited."""
    async with db.read() as tx:
        found = await store.page(tx, no, key)
    return None if found is None else _outlook(found)


def _outlook(page: Scheduled) -> PageOutlook:
    known = History.of(page.history)
    return PageOutlook(
        page.target,
        page.next_visit_at,
        known.interval / 60,
        known.visits / UNIT,
        known.changes / UNIT,
        bool(known.has_records),
        policy.is_long_without_records(known),
        known.gone,
    )


def _duration(hours: float) -> str:
    return _some(hours, "hour") if hours < 48 else _some(hours / 24, "day")


def _some(number: float, noun: str) -> str:
    return f"{number:.3g} {noun}{'' if f'{number:.3g}' == '1' else 's'}"
