"""Which language a domain is written in: that of most of its pages, or of its results before any was read.

The caller holds the domain's row in `domain_crawl`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import domain_crawl, page_snapshots

_c, _s = domain_crawl.c, page_snapshots.c
# Versions that are asked, in the order of their keys, which are hashes: a sample that stays the same.
_ASKED = 200


async def guess(tx: AsyncConnection, no: int, language: str) -> None:
    """What search results say; whatever is known already stays."""
    await tx.execute(update(domain_crawl).where(_c.no == no, _c.language.is_(None)).values(language=language))


async def read(tx: AsyncConnection, found: Mapping[int, Collection[str]]) -> None:
    """Pages of these domains were read, in these languages. Where one is news, the pages are asked again."""
    known = select(_c.no, _c.language).where(_c.no.in_(found))
    for no, language in (await tx.execute(known)).all():
        if set(found[no]) - {language}:
            await _write(tx, no, await _most_frequent(tx, no), language)


async def _most_frequent(tx: AsyncConnection, no: int) -> str | None:
    of_domain = select(_s.language).where(_s.domain_no == no, _s.language.is_not(None))
    some = of_domain.order_by(_s.key, _s.content_hash).limit(_ASKED).subquery()
    most = select(some.c.language).group_by(some.c.language).order_by(func.count().desc(), some.c.language)
    found: str | None = (await tx.execute(most.limit(1))).scalar_one_or_none()
    return found


async def _write(tx: AsyncConnection, no: int, language: str | None, before: str | None) -> None:
    if language not in (None, before):
        await tx.execute(update(domain_crawl).where(_c.no == no).values(language=language))
