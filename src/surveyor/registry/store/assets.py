"""Which hosts a domain's pages show images of, and which of them are approved along with it, for images only.

The lifecycle is not changed here: `store.changes` decides, and asks here whom it concerns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time, now
from surveyor.db.bulk import converter, insert_many
from surveyor.db.tables import asset_hosts, domain_crawl, domains
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus

# How the source of a host begins that is known for nothing but images.
SOURCE = "asset:"

_a, _d = asset_hosts.c, domains.c


@dataclass(frozen=True, slots=True)
class AssetHost:
    """A host that a domain's pages show images of."""

    no: int
    host: str
    review_status: str
    images_only: bool
    waiting: int  # URLs that wait there, of all domains
    images_stored: int
    first_seen_at: datetime


async def of_domain(tx: AsyncConnection, no: int, limit: int) -> list[AssetHost]:
    """In the order they were seen."""
    c = domain_crawl.c
    only = approved_for_images(_a.host_no)
    query = (
        select(_d.no, _d.domain, _d.review_status, only, c.frontier_size, c.images_stored, _a.first_seen_at)
        .join_from(asset_hosts, domains, _d.no == _a.host_no)
        .join(domain_crawl, c.no == _d.no)
        .where(_a.domain_no == no)
        .order_by(_a.first_seen_at, _d.no)
        .limit(limit)
    )
    return [AssetHost(*row) for row in await tx.execute(query)]


async def count(tx: AsyncConnection, no: int) -> int:
    query = select(func.count()).select_from(asset_hosts).where(_a.domain_no == no)
    return int((await tx.execute(query)).scalar_one())


async def add(tx: AsyncConnection, no: int, hosts: Sequence[int]) -> None:
    """These hosts have images of the domain; known ones stay as they are."""
    moment = converter(tx, _a.first_seen_at)(await current_time(tx))
    rows = [(no, host, moment) for host in sorted(hosts)]
    columns = ("domain_no", "host_no", "first_seen_at")
    await insert_many(tx, asset_hosts, columns, rows, ignore_known=("domain_no", "host_no"))


async def numbers(tx: AsyncConnection, names: Sequence[str]) -> dict[str, int]:
    """The hosts of these that may have images queued: nobody said no to them."""
    wanted = (
        _d.domain.in_(names),
        _d.quality_status != QualityStatus.BLACKLISTED,
        _d.review_status != ReviewStatus.REJECTED,
    )
    found = await tx.execute(select(_d.domain, _d.no).where(*wanted))
    return {str(name): int(no) for name, no in found}


async def waiting_for_approval(tx: AsyncConnection, no: int, hosts: Sequence[int] | None = None) -> list[int]:
    """Hosts of the domain that are known for nothing but images and that nobody has decided on."""
    query = (
        select(_d.no)
        .join_from(asset_hosts, domains, _d.no == _a.host_no)
        .where(
            _a.domain_no == no,
            _d.review_status == ReviewStatus.PENDING_REVIEW,
            _d.quality_status != QualityStatus.BLACKLISTED,
            _d.source.startswith(SOURCE, autoescape=True),
        )
        .order_by(_d.no)
    )
    if hosts is not None:
        query = query.where(_d.no.in_(hosts))
    return list((await tx.execute(query)).scalars())


async def approved_along(tx: AsyncConnection, no: int, hosts: Sequence[int]) -> None:
    """Of these hosts, those that are approved for images only are so for this domain too."""
    only = (
        _a.domain_no == no,
        _a.host_no.in_(hosts),
        _a.approved_at.is_(None),
        approved_for_images(_a.host_no),
    )
    await tx.execute(update(asset_hosts).where(*only).values(approved_at=now()))


async def approve_for(tx: AsyncConnection, no: int, host: int) -> None:
    one = (_a.domain_no == no, _a.host_no == host)
    await tx.execute(update(asset_hosts).where(*one).values(approved_at=now()))


async def in_its_own_right(tx: AsyncConnection, host: int) -> None:
    """From now on the host is approved or refused for itself, and no other domain's permission counts."""
    mine = (_a.host_no == host, _a.approved_at.is_not(None))
    await tx.execute(update(asset_hosts).where(*mine).values(approved_at=None))


async def only_through(tx: AsyncConnection, no: int) -> list[int]:
    """Approved hosts that have their permission from this domain alone."""
    mine = select(_a.host_no).where(_a.domain_no == no, _a.approved_at.is_not(None))
    others = select(_a.host_no).where(_a.domain_no != no, _a.approved_at.is_not(None))
    query = select(_d.no).where(
        _d.no.in_(mine), _d.no.not_in(others), _d.review_status == ReviewStatus.APPROVED
    )
    return list((await tx.execute(query.order_by(_d.no))).scalars())


async def end_permissions(tx: AsyncConnection, no: int) -> None:
    """The domain gives no host its permission any more."""
    mine = (_a.domain_no == no, _a.approved_at.is_not(None))
    await tx.execute(update(asset_hosts).where(*mine).values(approved_at=None))


async def is_images_only(tx: AsyncConnection, host: int) -> bool:
    return bool((await tx.execute(select(approved_for_images(host)))).scalar_one())


def approved_for_images(host: int | ColumnElement[int]) -> Exists:
    """Whether any domain gives the host its permission."""
    permission = asset_hosts.alias("permission")
    given = (permission.c.host_no == host, permission.c.approved_at.is_not(None))
    return select(permission.c.host_no).where(*given).exists()
