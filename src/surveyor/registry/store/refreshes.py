"""Statements about the refreshing of a domain as a whole; its pages carry their own dates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.bulk import converter, insert_many, update_many, upsert_many
from surveyor.db.tables import domain_crawl, domain_refresh

_f = domain_refresh.c


class Refreshing(NamedTuple):
    exhausted_at: datetime | None = None
    lastmod_right: int = 0
    lastmod_wrong: int = 0
    questioned_at: datetime | None = None


async def get(tx: AsyncConnection, no: int) -> Refreshing:
    columns = [_f[name] for name in Refreshing._fields]
    row = (await tx.execute(select(*columns).where(_f.domain_no == no))).one_or_none()
    return Refreshing(*row) if row else Refreshing()


def was_exhausted() -> ColumnElement[bool]:
    """Whether a row of `domain_crawl` was crawled to its end once: what follows is a refresh."""
    return (
        exists()
        .where(_f.domain_no == domain_crawl.c.no, _f.exhausted_at.is_not(None))
        .correlate(domain_crawl)
    )


async def note_exhausted(tx: AsyncConnection, ended: Sequence[tuple[int, datetime | None]]) -> None:
    """Domains (number, when) were crawled to their end; none: that is forgotten."""
    await _note(tx, "exhausted_at", ended)


async def note_questioned(tx: AsyncConnection, no: int, when: datetime) -> None:
    await _note(tx, "questioned_at", [(no, when)])


async def _note(tx: AsyncConnection, column: str, noted: Sequence[tuple[int, datetime | None]]) -> None:
    time = converter(tx, domain_refresh.c[column])
    rows = [(no, time(when) if when else None) for no, when in noted]
    await upsert_many(tx, domain_refresh, ("domain_no", column), rows, ("domain_no",), (column,))


async def count_lastmod(tx: AsyncConnection, counts: Sequence[tuple[int, int, int]]) -> None:
    """Domain number, how often its sitemaps were right about a change, how often wrong."""
    known = [(no,) for no, _, _ in counts]
    await insert_many(tx, domain_refresh, ("domain_no",), known, ignore_known=("domain_no",))
    rows: list[tuple[Any, ...]] = [(right, wrong, no) for no, right, wrong in counts]
    more = "lastmod_right = lastmod_right + {}, lastmod_wrong = lastmod_wrong + {}"
    await update_many(tx, domain_refresh, more, rows, "domain_no = {}")
