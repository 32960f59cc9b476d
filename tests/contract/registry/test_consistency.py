"""What `db check` finds out about the counters of a crawl."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from surveyor.db import Database
from surveyor.db.tables import crawl_log, pages
from surveyor.names import url_key
from surveyor.registry.check import check
from tests.support.lease_help import write_crawl
from tests.support.registry_help import add_domain

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


async def _page(db: Database, no: int, target: str, **values: Any) -> None:
    row = {"domain_no": no, "key": url_key(target), "target": target, "depth": 0, "rank": 1, "seq": 0}
    async with db.write() as tx:
        await tx.execute(pages.insert().values(row | values))


async def _log(db: Database, no: int) -> None:
    row = {"run_id": uuid4(), "domain_no": no, "url": "https://a.example/", "bytes": 1, "ms": 1}
    async with db.write() as tx:
        await tx.execute(crawl_log.insert().values(row | {"fetched_at": _MOMENT, "lease_epoch": 1}))


async def _found(db: Database) -> list[tuple[str, list[str]]]:
    return [(finding.what, finding.examples) for finding in await check(db, str)]


async def test_pages_crawled_are_the_pages_that_were_answered_and_each_has_its_row_in_the_log(
    db: Database,
) -> None:
    no = (await add_domain(db, "a.example")).no
    other = (await add_domain(db, "b.example")).no
    await _log(db, other)
    await write_crawl(db, no, pages_crawled=1, pages_discovered=3)
    await _page(db, no, "/bad", state="ended", reason="failed")
    await _page(db, no, "/map.xml", state="ended", reason="sitemap", kind=1, fetched_at=_MOMENT)
    breach = "domains whose pages_crawled is not the number of their pages that were answered"
    unlogged = "domains with fewer rows in crawl_log than pages crawled"
    assert await _found(db) == [(breach, ["a.example"]), (unlogged, ["a.example"])]
    await _page(db, no, "/gone", state="ended", reason="gone", status=410, fetched_at=_MOMENT)
    assert await _found(db) == [(unlogged, ["a.example"])]
    await _log(db, no)
    assert await _found(db) == []
    await _page(db, no, "/", state="done", status=200, fetched_at=_MOMENT)
    assert await _found(db) == [(breach, ["a.example"])]
