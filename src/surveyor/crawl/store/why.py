"""Answers "why" from the data: what is known of a URL, and of a domain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Table, and_, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import domains, image_sightings, image_urls, images, pages, robots

_p = pages.c
# URLs that are counted, a tenth of a second of work.
MOST_COUNTED = 100_000


@dataclass(frozen=True, slots=True)
class PageRow:
    """A known URL with its history."""

    target: str
    state: str
    reason: str | None
    depth: int
    attempts: int
    status: int | None
    fetched_at: datetime | None
    found_on: str | None
    place: int | None  # among the waiting, 1 is next


async def page(tx: AsyncConnection, no: int, key: int) -> PageRow | None:
    row = (await tx.execute(select(pages).where(_p.domain_no == no, _p.key == key))).one_or_none()
    if row is None:
        return None
    parent = select(_p.target).where(_p.domain_no == no, _p.key == row.found_on)
    found_on = (await tx.execute(parent)).scalar_one_or_none() if row.found_on is not None else None
    place = await _place(tx, no, row.rank, row.depth, row.seq) if row.state == "waiting" else None
    return PageRow(
        row.target,
        row.state,
        row.reason,
        row.depth,
        row.attempts,
        row.status,
        row.fetched_at,
        found_on,
        place,
    )


async def _place(tx: AsyncConnection, no: int, rank: int, depth: int, seq: int) -> int:
    ahead = (
        select(func.count())
        .select_from(pages)
        .where(
            _p.domain_no == no,
            _p.state == "waiting",
            (_p.rank < rank)
            | ((_p.rank == rank) & (_p.depth < depth))
            | ((_p.rank == rank) & (_p.depth == depth) & (_p.seq < seq)),
        )
    )
    return int((await tx.execute(ahead)).scalar_one()) + 1


@dataclass(frozen=True, slots=True)
class ImageRow:
    """A known URL of an image, with what it showed last and where it was seen."""

    state: str
    reason: str | None
    detail: str | None
    attempts: int
    status: int | None
    fetched_at: datetime | None
    place: int | None  # among the waiting, 1 is next
    image: str | None  # format, dimensions, file
    sha256: bytes | None
    seen_on: list[str]  # pages, the first ones
    sightings: int


# Pages that are named; the rest is counted.
_SHOWN = 5


async def image(tx: AsyncConnection, no: int, key: int) -> ImageRow | None:
    u, i, s = image_urls.c, images.c, image_sightings.c
    query = (
        select(image_urls, i.format, i.width, i.height, i.sha256, i.file)
        .join_from(image_urls, images, u.image_id == i.id, isouter=True)
        .where(u.domain_no == no, u.key == key)
    )
    row = (await tx.execute(query)).one_or_none()
    if row is None:
        return None
    ahead = (u.domain_no == no, u.state == "waiting", tuple_(u.attempts, u.key) < (row.attempts, key))
    place = await _count(tx, image_urls, *ahead) + 1 if row.state == "waiting" else None
    seen = (s.domain_no == no, s.key == key)
    on = and_(_p.domain_no == s.page_no, _p.key == s.page_key)
    shown = (
        select(domains.c.domain, _p.target)
        .join_from(image_sightings, pages, on)
        .join(domains, domains.c.no == s.page_no)
        .where(*seen)
        .order_by(s.seen_at, s.page_no, s.page_key)
        .limit(_SHOWN)
    )
    pages_ = [f"{name}{target}" for name, target in await tx.execute(shown)]
    stored = f"{row.format}, {row.width} x {row.height}, {row.file}" if row.file else None
    facts = (row.state, row.reason, row.detail, row.attempts, row.status, row.fetched_at)
    return ImageRow(*facts, place, stored, row.sha256, pages_, await _count(tx, image_sightings, *seen))


async def _count(tx: AsyncConnection, table: Table, *where: ColumnElement[bool]) -> int:
    return int((await tx.execute(select(func.count()).select_from(table).where(*where))).scalar_one())


class ReasonCount(NamedTuple):
    """URLs of one domain that are in one state for one reason."""

    state: str
    reason: str | None
    urls: int
    example: str  # the first by name


async def by_reason(tx: AsyncConnection, no: int, most: int = MOST_COUNTED) -> list[ReasonCount]:
    """The commonest first. Of a domain with more URLs than are counted, a part stands for the whole."""
    return await _by_reason(tx, pages, no, most)


async def images_by_reason(tx: AsyncConnection, no: int) -> list[ReasonCount]:
    """The same of the URLs of images on a host."""
    return await _by_reason(tx, image_urls, no, MOST_COUNTED)


async def _by_reason(tx: AsyncConnection, table: Table, no: int, most: int) -> list[ReasonCount]:
    t, count = table.c, func.count()
    some = select(t.state, t.reason, t.target).where(t.domain_no == no).limit(most).subquery()
    query = (
        select(some.c.state, some.c.reason, count, func.min(some.c.target))
        .group_by(some.c.state, some.c.reason)
        .order_by(count.desc(), some.c.state, some.c.reason)
    )
    return [ReasonCount(*row) for row in await tx.execute(query)]


async def robots_body(tx: AsyncConnection, origin: str) -> bytes | None:
    return (await tx.execute(select(robots.c.body).where(robots.c.origin == origin))).scalar_one_or_none()
