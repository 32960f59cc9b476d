"""From rows to values: the one place that knows how a domain is read."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Row, Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import domain_crawl, domains
from surveyor.errors import NotFound
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import aliases

# Where in a row a state stands, and which one each text means.
_STATES = tuple(
    (Domain._fields.index(name), {state.value: state for state in states})
    for name, states in (
        ("review_status", ReviewStatus),
        ("quality_status", QualityStatus),
        ("crawl_status", CrawlStatus),
        ("submitter_type", SubmitterType),
    )
)


@cache
def select_domains() -> Select[Any]:
    """Both rows of each domain and the database's time, in the order of `Domain`: to look each up by its
    name in the row takes longer than the statement. Made once: it has seventy columns."""
    columns = {**domain_crawl.c, **domains.c, "read_at": now().label("read_at")}
    return select(*(columns[name] for name in Domain._fields)).join_from(domains, domain_crawl)


def to_domain(row: Row[Any]) -> Domain:
    values = list(row)
    for place, states in _STATES:
        values[place] = states[values[place]]
    return Domain(*values)


async def get(tx: AsyncConnection, no: int, *, lock: bool = False) -> Domain:
    """One domain by its number. With `lock`, it stays as it is until the transaction ends."""
    query = select_domains().where(domains.c.no == no)
    if lock:
        # Always in this order: the decision's row, then the worker's.
        await tx.execute(select(domains.c.no).where(domains.c.no == no).with_for_update())
        await tx.execute(select(domain_crawl.c.no).where(domain_crawl.c.no == no).with_for_update())
    row = (await tx.execute(query)).one_or_none()
    if row is None:
        raise NotFound(f"no domain has the number {no}")
    return to_domain(row)


async def find(tx: AsyncConnection, name: str) -> Domain | None:
    """One domain by its name, or by a name that was merged into it."""
    row = (await tx.execute(select_domains().where(domains.c.domain == name))).one_or_none()
    if row is None and (kept := await aliases.kept(tx, [name])):
        row = (await tx.execute(select_domains().where(domains.c.no == kept[name]))).one_or_none()
    return to_domain(row) if row else None


async def find_no(tx: AsyncConnection, name: str) -> int:
    no = (await tx.execute(select(domains.c.no).where(domains.c.domain == name))).scalar_one_or_none()
    if no is None:
        no = (await aliases.kept(tx, [name])).get(name)
    if no is None:
        raise NotFound(f"{name} is not in the register; `surveyor submit` proposes it")
    return int(no)
