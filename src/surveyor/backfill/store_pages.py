"""Statements that bring in old pages and queues: nothing that a crawl here had is overwritten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.results import START
from surveyor.db.bulk import converter, insert_many, insert_new, update_many
from surveyor.db.tables import domain_crawl, domains, events, page_snapshots, pages, scrapy_requests
from surveyor.frontier.changes import RANK_FIRST, RANK_NORMAL
from surveyor.names import url_key
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import due_dates
from surveyor.registry.store.events import append

if TYPE_CHECKING:
    from surveyor.backfill.pages import OldPage
    from surveyor.backfill.queued import QueuedUrl

_p, _c, _d = pages.c, domain_crawl.c, domains.c
_ACTOR = "backfill"  # in events of what it brought
_SEQ_BITS = 32  # as in the frontier: discoveries of one epoch in a row, this behind them
_PAGE_COLUMNS = (
    "domain_no",
    "key",
    "target",
    "state",
    "reason",
    "depth",
    "rank",
    "seq",
    "status",
    "content_hash",
    "fetched_at",
    "next_visit_at",
)
_VERSION_COLUMNS = (
    "domain_no",
    "key",
    "content_hash",
    "first_seen_at",
    "last_seen_at",
    "content_type",
    "bytes",
    "archive",
    "body",
)


async def find_domains(tx: AsyncConnection, names: Collection[str]) -> tuple[dict[str, int], set[str]]:
    """Domains of the register that no worker holds, locked; and those that one does."""
    query = (
        select(_d.domain, _d.no, _c.claimed_by)
        .join_from(domains, domain_crawl)
        .where(_d.domain.in_(sorted(names)))
        .order_by(_d.no)
        .with_for_update()
    )
    found = (await tx.execute(query)).all()
    free = {name: no for name, no, holder in found if holder is None}
    return free, {name for name, _, holder in found if holder is not None}


class KnownPage(NamedTuple):
    fetched_at: datetime | None
    has_content: bool
    is_old: bool  # it is over, and no crawl of this register had its domain

    def is_less_than(self, page: OldPage) -> bool:
        """Whether the capture is newer, or has a content that is missing."""
        if not self.is_old or self.fetched_at is None:
            return False
        return page.fetched_at > self.fetched_at or (page.capture is not None and not self.has_content)


async def known(tx: AsyncConnection, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], KnownPage]:
    if not places:
        return {}
    is_old = and_(_p.state.in_(("done", "ended")), _c.last_crawl_run_id.is_(None))
    query = (
        select(_p.domain_no, _p.key, _p.fetched_at, _p.content_hash.is_not(None), is_old)
        .join_from(pages, domain_crawl, _c.no == _p.domain_no)
        .where(tuple_(_p.domain_no, _p.key).in_(places))
    )
    return {(no, key): KnownPage(*found) for no, key, *found in await tx.execute(query)}


async def write(
    tx: AsyncConnection,
    new: Sequence[OldPage],
    newer: Sequence[OldPage],
    numbers: Mapping[str, int],
    kept: Mapping[int, tuple[str | None, bytes | None]],
    revisit: timedelta,
) -> None:
    time = converter(tx, _p.fetched_at)
    rows, versions = [], []
    for place, page in enumerate((*new, *newer)):
        no, when, digest = numbers[page.domain], time(page.fetched_at), page.content_hash
        state = "done" if page.is_page else "ended"
        again = time(page.fetched_at + revisit) if page.is_page else None
        depth = 0 if page.target == START else 1
        stated = (no, page.key, page.target, state, page.reason, depth, RANK_NORMAL, 0)
        rows.append((*stated, page.status, digest, when, again))
        if digest is not None and page.capture is not None:
            size = len(page.capture.body)
            versions.append((no, page.key, digest, when, when, page.content_type, size, *kept[place]))
    await insert_new(tx, pages, _PAGE_COLUMNS, rows[: len(new)], ("domain_no", "key"))
    await _bring_up_to_date(tx, rows[len(new) :])
    await insert_many(tx, page_snapshots, _VERSION_COLUMNS, versions, ignore_known=_VERSION_COLUMNS[:3])
    touched = sorted({numbers[page.domain] for page in new})
    await _say_who_counts(tx, touched)
    await queue_starts(tx, touched)


async def _say_who_counts(tx: AsyncConnection, numbers: Sequence[int]) -> None:
    """From now on these have pages that our counters do not know, and are said to."""
    said = select(events.c.domain_no).where(
        events.c.domain_no.in_(numbers), events.c.kind == EventKind.COUNTS_REPORTED
    )
    known = set((await tx.execute(said)).scalars())
    await append(
        tx,
        [
            NewEvent(EventKind.COUNTS_REPORTED, _ACTOR, no, data={"source": "pages"})
            for no in numbers
            if no not in known
        ],
    )


async def _bring_up_to_date(tx: AsyncConnection, rows: Sequence[tuple[Any, ...]]) -> None:
    """What is newer is the page now; a visit that brought no content, or an older one, takes none away."""
    place, newer = "domain_no = {} AND key = {}", []
    for no, key, _, state, reason, _, _, _, status, digest, when, again in rows:
        newer.append((state, reason, status, digest, when, again, no, key, when))
    assigned = "state = {}, reason = {}, status = {}, content_hash = COALESCE({}, content_hash)"
    assigned += ", fetched_at = {}, next_visit_at = {}"
    await update_many(tx, pages, assigned, newer, f"{place} AND fetched_at < {{}}")
    missing = [(digest, no, key) for no, key, *_, digest, _, _ in rows if digest is not None]
    await update_many(tx, pages, "content_hash = {}", missing, f"{place} AND content_hash IS NULL")


async def queue(tx: AsyncConnection, new: Sequence[QueuedUrl], numbers: Mapping[str, int]) -> None:
    """Let these URLs wait behind what waits already, and their domains be due for them."""
    touched = sorted({numbers[one.url.domain] for one in new})
    found = await tx.execute(select(_c.no, _c.lease_epoch).where(_c.no.in_(touched)))
    epochs = {row.no: row.lease_epoch for row in found}
    rows, texts = [], []
    origins: dict[int, str] = {}
    for one in new:
        no = numbers[one.url.domain]
        seq = ((epochs[no] + 1) << _SEQ_BITS) - 1
        rows.append((no, one.key, one.url.target, "waiting", one.depth, one.rank, seq))
        texts += [(no, one.key, one.request)] if one.request is not None else []
        origins.setdefault(no, f"{one.origin}/")
    columns = ("domain_no", "key", "target", "state", "depth", "rank", "seq")
    added = Counter(no for no, _ in await insert_new(tx, pages, columns, rows, ("domain_no", "key")))
    await insert_new(tx, scrapy_requests, ("domain_no", "key", "request"), texts, ("domain_no", "key"))
    counts = [(count, count, no) for no, count in sorted(added.items())]
    assigned = "pages_discovered = pages_discovered + {}, frontier_size = frontier_size + {}"
    await update_many(tx, domain_crawl, assigned, counts, "no = {}")
    reached = [(origin, no) for no, origin in sorted(origins.items())]
    await update_many(tx, domains, "start_url = {}", reached, "no = {} AND start_url IS NULL")
    await due_dates.make_due_for_new(tx, touched)


async def queue_starts(tx: AsyncConnection, numbers: Sequence[int]) -> None:
    """A domain that has a URL is not new to the frontier: the start page waits for its next visit."""
    start = url_key(START)
    rows = [(no, start, START, "waiting", 0, RANK_FIRST, 0) for no in numbers]
    columns = ("domain_no", "key", "target", "state", "depth", "rank", "seq")
    added = await insert_new(tx, pages, columns, rows, ("domain_no", "key"))
    assigned = "pages_discovered = pages_discovered + 1, frontier_size = frontier_size + 1"
    await update_many(tx, domain_crawl, assigned, [(no,) for no, _ in added], "no = {}")
