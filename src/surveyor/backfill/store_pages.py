"""Statements that bring in old pages: new rows of the ledger and new versions; nothing is overwritten."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.results import START
from surveyor.db.bulk import converter, insert_many, insert_new, update_many
from surveyor.db.tables import domain_crawl, domains, page_snapshots, pages
from surveyor.frontier.changes import RANK_FIRST, RANK_NORMAL
from surveyor.names import url_key

if TYPE_CHECKING:
    from surveyor.backfill.pages import OldPage

_p, _c, _d = pages.c, domain_crawl.c, domains.c
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
    """Domains that are in the register and in nobody's hands, locked; and those that a worker holds."""
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


async def known(tx: AsyncConnection, places: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    if not places:
        return set()
    query = select(_p.domain_no, _p.key).where(tuple_(_p.domain_no, _p.key).in_(places))
    return {(no, key) for no, key in await tx.execute(query)}


async def write(
    tx: AsyncConnection,
    new: Sequence[OldPage],
    numbers: Mapping[str, int],
    kept: Mapping[int, tuple[str | None, bytes | None]],
    revisit: timedelta,
) -> None:
    time = converter(tx, _p.fetched_at)
    rows, versions = [], []
    for place, page in enumerate(new):
        no, when, digest = numbers[page.domain], time(page.fetched_at), page.content_hash
        state = "done" if page.is_page else "ended"
        again = time(page.fetched_at + revisit) if page.is_page else None
        depth = 0 if page.target == START else 1
        told = (no, page.key, page.target, state, page.reason, depth, RANK_NORMAL, 0)
        rows.append((*told, page.status, digest, when, again))
        if digest is not None and page.capture is not None:
            size = len(page.capture.body)
            versions.append((no, page.key, digest, when, when, page.content_type, size, *kept[place]))
    await insert_new(tx, pages, _PAGE_COLUMNS, rows, ("domain_no", "key"))
    await insert_many(tx, page_snapshots, _VERSION_COLUMNS, versions, ignore_known=_VERSION_COLUMNS[:3])
    await _queue_starts(tx, sorted({numbers[page.domain] for page in new}))


async def _queue_starts(tx: AsyncConnection, numbers: Sequence[int]) -> None:
    """A domain that has a URL is not new to the frontier: the start page waits for its next visit."""
    start = url_key(START)
    rows = [(no, start, START, "waiting", 0, RANK_FIRST, 0) for no in numbers]
    columns = ("domain_no", "key", "target", "state", "depth", "rank", "seq")
    added = await insert_new(tx, pages, columns, rows, ("domain_no", "key"))
    assigned = "pages_discovered = pages_discovered + 1, frontier_size = frontier_size + 1"
    await update_many(tx, domain_crawl, assigned, [(no,) for no, _ in added], "no = {}")
