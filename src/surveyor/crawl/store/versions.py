"""Reads what the last stored version of a page is recognised by: its title and its links."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.crawl.detect.similarity import Version
from surveyor.db.tables import page_links, page_snapshots
from surveyor.frontier.changes import unpack_links

_s, _l = page_snapshots.c, page_links.c


async def latest(tx: AsyncConnection, no: int, key: int) -> Version | None:
    """None if no version of the page was stored."""
    titles = select(_s.title).where(_s.domain_no == no, _s.key == key).order_by(_s.id.desc()).limit(1)
    row = (await tx.execute(titles)).one_or_none()
    if row is None:
        return None
    packed = select(_l.links).where(_l.domain_no == no, _l.key == key)
    links = (await tx.execute(packed)).scalar_one_or_none()
    return Version(row.title or "", unpack_links(links)[0] if links else [])
