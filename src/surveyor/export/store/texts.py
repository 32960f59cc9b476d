"""Main texts of pages: the version that was fetched last, or the one before that says the same."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy import and_, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.paging import paged
from surveyor.db.tables import domains, page_snapshots, pages
from surveyor.export.columns import COLUMNS
from surveyor.export.values import Row, Wanted, What
from surveyor.extract.store.queries import address
from surveyor.extract.store.snapshots import readable

_d, _p, _s = domains.c, pages.c, page_snapshots.c
_read = page_snapshots.alias("read_version")
_r = _read.c
# Rows at once: a long text has a megabyte.
_STEP = 100
_OF_VERSION = ("title", "language", "relevance", "is_relevant")


async def text_rows(tx: AsyncConnection, wanted: Wanted) -> AsyncIterator[list[Row]]:
    same = and_(_s.domain_no == _p.domain_no, _s.key == _p.key, _s.content_hash == _p.content_hash)
    query = (
        select(
            _d.domain, _d.start_url, _p.target, _p.domain_no, _p.key, _p.fetched_at, _r.markdown,
            *(_r[name] for name in _OF_VERSION),
        )
        .join_from(pages, domains, _d.no == _p.domain_no)
        .join(page_snapshots, same)
        .join(_read, _r.id == func.coalesce(_s.unchanged_since, _s.id))
        .where(_r.markdown.is_not(None))
    )  # fmt: skip
    if wanted.domain_no is not None:
        query = query.where(_p.domain_no == wanted.domain_no)
    if wanted.since is not None:
        query = query.where(_p.fetched_at >= wanted.since)
    async for some in paged(tx, query, [_p.domain_no, _p.key], _STEP):
        yield [_text(dict(row._mapping)) for row in some]


def _text(row: Row) -> Row:
    row["url"] = address(row["domain"], row["start_url"], row["target"])
    row["text"] = readable(row["markdown"])
    return {column.name: row[column.name] for column in COLUMNS[What.TEXTS]}
