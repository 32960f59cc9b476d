"""Domains and candidates, as the listing commands show them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy import or_
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.paging import paged
from surveyor.db.tables import candidates, domain_crawl, domains
from surveyor.export.values import Row, Wanted
from surveyor.registry.domain import to_json
from surveyor.registry.store import rows
from surveyor.registry.store.candidates import select_candidates, to_candidate

_d, _w, _c = domains.c, domain_crawl.c, candidates.c
# Rows at once: a domain has seventy columns, so this is about a megabyte.
_STEP = 1_000


async def domain_rows(tx: AsyncConnection, wanted: Wanted) -> AsyncIterator[list[Row]]:
    """Both rows of a domain as one, with the computed rates."""
    query = rows.select_domains()
    if wanted.domain_no is not None:
        query = query.where(_d.no == wanted.domain_no)
    if wanted.since is not None:
        query = query.where(or_(_d.updated_at >= wanted.since, _w.last_crawled_at >= wanted.since))
    async for some in paged(tx, query, [_d.no], _STEP):
        yield [to_json(rows.to_domain(row), wanted.yields) for row in some]


async def candidate_rows(tx: AsyncConnection, wanted: Wanted) -> AsyncIterator[list[Row]]:
    query = select_candidates()
    if wanted.domain_no is not None:
        query = query.where(_c.domain_no == wanted.domain_no)
    if wanted.since is not None:
        query = query.where(_c.updated_at >= wanted.since)
    async for some in paged(tx, query, [_c.id], _STEP):
        yield [to_candidate(row).row() for row in some]
