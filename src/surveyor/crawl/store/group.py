"""Writes one group of finished pages: `pages`, log, links, versions, counters, all under the epochs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import and_, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.results import PageResult
from surveyor.db import now
from surveyor.db.bulk import converter, insert_many, update_many, upsert_many
from surveyor.db.dialect import among
from surveyor.db.tables import crawl_log, domain_crawl, page_links, page_snapshots, pages, robots
from surveyor.frontier.changes import RANK_NORMAL, pack_links
from surveyor.frontier.revisits import Next
from surveyor.net.robots import RobotsRow

_c = domain_crawl.c
# Keys in one look-up; SQLite takes 32,766 values in a statement.
_AT_ONCE = 5_000


async def still_held(
    tx: AsyncConnection, worker: str, epochs: Mapping[int, int], others: Collection[int] = ()
) -> tuple[set[int], set[int], datetime | None]:
    """Which of these leases still hold, all rows that are locked until the group is written, and when.

    `others` are rows the group changes without holding them. All are locked in the order of numbers, so
    that two groups never wait for each other crosswise.
    """
    is_mine = and_(_c.claimed_by == worker, _c.claim_expires_at > now())
    mine = and_(among(_c.no, epochs), is_mine)
    locked = or_(mine, among(_c.no, others)) if others else mine
    query = select(_c.no, _c.lease_epoch, is_mine, now()).where(locked).order_by(_c.no).with_for_update()
    found = (await tx.execute(query)).all()
    held = {no for no, epoch, is_held, _ in found if is_held and epochs.get(no) == epoch}
    return held, {row[0] for row in found}, found[0][3] if found else None


_PAGE_COLUMNS = (
    "domain_no",
    "key",
    "target",
    "state",
    "kind",
    "reason",
    "depth",
    "rank",
    "seq",
    "status",
    "etag",
    "last_modified",
    "content_hash",
    "fetched_at",
    "next_visit_at",
    "history",
)
_PAGE_SET = (
    "state",
    "kind",
    "reason",
    "depth",
    "rank",
    "status",
    "etag",
    "last_modified",
    "content_hash",
    "fetched_at",
    "next_visit_at",
    "history",
)
_LEFT = Next(None, None, RANK_NORMAL)


async def histories(tx: AsyncConnection, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """Histories of pages (domain number, key) that were visited before, locked until the group is written:
    whoever reads their content may correct them at the same time."""
    found: dict[tuple[int, int], bytes] = {}
    place = tuple_(pages.c.domain_no, pages.c.key)
    for start in range(0, len(places), _AT_ONCE):
        some = sorted(places[start : start + _AT_ONCE])
        query = select(pages.c.domain_no, pages.c.key, pages.c.history).where(place.in_(some))
        rows = await tx.execute(query.order_by(pages.c.domain_no, pages.c.key).with_for_update())
        found |= {(no, key): history for no, key, history in rows if history is not None}
    return found


async def write_pages(tx: AsyncConnection, results: Sequence[tuple[int, PageResult]]) -> None:
    # New pages of a domain have the same date.
    had, at = converter(tx, pages.c.fetched_at), lru_cache(1)(converter(tx, pages.c.next_visit_at))
    plans = [result.plan or _LEFT for _, result in results]
    rows = [
        (
            no,
            r.key,
            r.target,
            r.state,
            int(r.kind),
            r.reason,
            r.depth,
            next_.rank,
            0,
            r.status,
            r.etag,
            r.last_modified,
            r.content_hash,
            had(r.had_at),
            at(next_.at),
            next_.history,
        )
        for (no, r), next_ in zip(results, plans, strict=True)
    ]
    also = "taken_epoch = NULL, attempts = 0, suspect = 0"
    await upsert_many(tx, pages, _PAGE_COLUMNS, rows, ("domain_no", "key"), _PAGE_SET, also)


async def due_now(tx: AsyncConnection, named: Iterable[tuple[int, int, datetime]], moment: datetime) -> None:
    """Pages (domain number, key, when) that changed since they were fetched, as a sitemap says, are due."""
    time = converter(tx, pages.c.next_visit_at)
    soon = time(moment)
    rows = [(soon, no, key, time(when), soon) for no, key, when in named]
    where = "domain_no = {} AND key = {} AND state = 'done' AND fetched_at < {} AND next_visit_at > {}"
    await update_many(tx, pages, "next_visit_at = {}", rows, where)


async def write_log(tx: AsyncConnection, run: UUID, results: Iterable[tuple[int, int, PageResult]]) -> None:
    """One row per request: (domain number, epoch, result)."""
    time, run_id = converter(tx, crawl_log.c.fetched_at), converter(tx, crawl_log.c.run_id)(run)
    rows = [
        (run_id, no, r.url, r.status, r.reason, r.bytes, r.ms, r.images_found, time(r.fetched_at), epoch)
        for no, epoch, r in results
        if r.was_fetched
    ]
    columns = (
        "run_id",
        "domain_no",
        "url",
        "status",
        "reason",
        "bytes",
        "ms",
        "images_found",
        "fetched_at",
        "lease_epoch",
    )
    await insert_many(tx, crawl_log, columns, rows)


async def write_links(tx: AsyncConnection, results: Iterable[tuple[int, PageResult]]) -> None:
    rows = [(no, r.key, pack_links(r.links, r.foreign)) for no, r in results if r.links or r.foreign]
    await upsert_many(tx, page_links, ("domain_no", "key", "links"), rows, ("domain_no", "key"), ("links",))


# A version that was read and is seen again after another one, or after its page was left, tells anew.
_TELLS_ANEW = (
    "page_snapshots.extract_state IN ('done', 'unchanged') AND (page_snapshots.extractor_version IS NULL"
    " OR EXISTS (SELECT 1 FROM page_snapshots AS other WHERE other.domain_no = page_snapshots.domain_no"
    " AND other.key = page_snapshots.key AND other.last_seen_at > page_snapshots.last_seen_at))"
)
_SEEN_AGAIN = (
    f"extract_state = CASE WHEN {_TELLS_ANEW} THEN 'waiting' ELSE page_snapshots.extract_state END, "
    f"body = CASE WHEN {_TELLS_ANEW} THEN excluded.body ELSE page_snapshots.body END"
)


async def write_snapshots(tx: AsyncConnection, results: Iterable[tuple[int, PageResult]]) -> None:
    """A new version is a row that waits to be read; the same again, or a 304, moves `last_seen_at`."""
    time = converter(tx, page_snapshots.c.first_seen_at)
    rows, again = [], []
    for no, r in results:
        seen = time(r.fetched_at)
        if r.status == 304:
            again.append((seen, no, r.key, r.content_hash))
        elif r.content_hash is not None and r.state == "done":
            row = (no, r.key, r.content_hash, seen, seen, r.content_type, r.bytes, r.title, r.archive, r.body)
            rows.append(row)
    columns = (
        "domain_no",
        "key",
        "content_hash",
        "first_seen_at",
        "last_seen_at",
        "content_type",
        "bytes",
        "title",
        "archive",
        "body",
    )
    key = ("domain_no", "key", "content_hash")
    await upsert_many(tx, page_snapshots, columns, rows, key, ("last_seen_at",), _SEEN_AGAIN)
    where = "domain_no = {} AND key = {} AND content_hash = {}"
    await update_many(tx, page_snapshots, "last_seen_at = {}", again, where)


async def write_robots(tx: AsyncConnection, rows: Sequence[RobotsRow]) -> None:
    time = converter(tx, robots.c.fetched_at)
    values = [
        (r.origin, r.verdict, r.status, r.reason, time(r.fetched_at), time(r.expires_at), r.body_hash, r.body)
        for r in rows
    ]
    columns = ("origin", "verdict", "status", "reason", "fetched_at", "expires_at", "body_hash", "body")
    await upsert_many(tx, robots, columns, values, ("origin",), columns[1:])


# Counters that one group adds to, in the order of the tuples given to `add_counts`.
COUNTED = (
    "pages_discovered",
    "pages_crawled",
    "images_found",
    "images_stored",
    "bytes_fetched",
    "total_error_count",
    "frontier_size",
    "run_pages",
    "run_bytes",
    "run_seconds",
)


_ADDED = ", ".join(f"{name} = {name} + {{}}" for name in COUNTED)
_DEEPER = "crawl_depth_reached = CASE WHEN crawl_depth_reached < {} THEN {} ELSE crawl_depth_reached END"


async def add_counts(tx: AsyncConnection, run: UUID, rows: Sequence[tuple[Any, ...]]) -> None:
    """Add to the counters: the COUNTED, the depth reached twice, the checkpoint, the domain's number."""
    run_id = converter(tx, domain_crawl.c.last_crawl_run_id)(run)
    assigned = f"{_ADDED}, {_DEEPER}, frontier_checkpoint_id = {{}}, last_crawl_run_id = {{}}"
    await update_many(tx, domain_crawl, assigned, [(*row[:-1], run_id, row[-1]) for row in rows], "no = {}")
