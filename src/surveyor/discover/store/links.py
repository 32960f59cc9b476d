"""Foreign links of pages that were fetched, in the order of the table, a page of rows at a time."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import domains, page_links
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus

_l, _d = page_links.c, domains.c

START = (-1, 0)  # before the first row


class LinksOfPage(NamedTuple):
    domain_no: int
    key: int
    links: bytes
    domain: str


async def page(tx: AsyncConnection, after: tuple[int, int], size: int) -> list[LinksOfPage]:
    """The next rows, of domains that people approved and nobody blacklisted."""
    query = (
        select(_l.domain_no, _l.key, _l.links, _d.domain)
        .join_from(page_links, domains, _d.no == _l.domain_no)
        .where(
            tuple_(_l.domain_no, _l.key) > tuple_(*after),
            _d.review_status == ReviewStatus.APPROVED,
            _d.quality_status != QualityStatus.BLACKLISTED,
        )
        .order_by(_l.domain_no, _l.key)
        .limit(size)
    )
    return [LinksOfPage(*row) for row in await tx.execute(query)]


async def unknown(tx: AsyncConnection, names: list[str]) -> set[str]:
    """Those of the names that the register does not have."""
    known = (await tx.execute(select(_d.domain).where(_d.domain.in_(names)))).scalars()
    return set(names) - set(known)
