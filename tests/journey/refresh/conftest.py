"""A living site that was crawled to its end, and time that passes by command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select, update

from surveyor.db import Database, later
from surveyor.db.tables import crawl_log, domain_crawl, page_snapshots, pages
from surveyor.refresh.policy import History
from tests.journey.crawl.conftest import Crawl, MakeCrawl, frontier, make_crawl
from tests.support.site import SiteGraph, SiteSpec

__all__ = ["frontier", "make_crawl"]

HOST = "living.site.example"
DAY = 86_400


@dataclass
class Refreshed:
    """The site, the workspace, and what its register says of the one host."""

    crawl: Crawl

    def run(self, *arguments: str, **settings: str) -> Any:
        done = self.crawl.run(*arguments, "--json", **settings)
        assert done.code == 0, done.err
        return done.json

    def tell(self, **what: Any) -> None:
        self.crawl.site.tell(HOST, **what)

    def pass_days(self, days: float = 30, only: str | None = None) -> None:
        """All that has a date is due, or only this: visits lie so many days back."""

        async def act(db: Database) -> None:
            async with db.write() as tx:
                old = {"fetched_at": later(-days * DAY), "next_visit_at": later(-60)}
                mine = pages.c.next_visit_at.is_not(None) if only is None else pages.c.target == only
                await tx.execute(update(pages).where(mine).values(old))
                free = domain_crawl.c.claimed_by.is_(None)
                await tx.execute(update(domain_crawl).where(free).values(due_at=later(-1)))

        self.crawl.with_database(act)

    def asked_since(self, before: int) -> Counter[str]:
        return Counter(self.crawl.requests(HOST)[before:])

    def statuses_since(self, before: int) -> Counter[int]:
        """Of all requests for pages and lists."""
        entries = [entry for entry in self.crawl.site.log() if entry.target != "/robots.txt"]
        return Counter(entry.status for entry in entries[before:])

    @property
    def requests(self) -> int:
        return len(self.crawl.requests(HOST))

    def pages(self) -> dict[str, Any]:
        return {row.target: row for row in self._rows(select(pages))}

    def histories(self) -> dict[str, History]:
        return {target: History.of(row.history) for target, row in self.pages().items() if row.history}

    def versions(self) -> Counter[int]:
        return Counter(row.key for row in self._rows(select(page_snapshots.c.key)))

    def logged(self) -> int:
        """Requests for pages, as the register knows them."""
        return len(self._rows(select(crawl_log.c.id)))

    def sightings(self) -> set[bool]:
        """Whether a version was seen once or again."""
        return {row.last_seen_at > row.first_seen_at for row in self._rows(select(page_snapshots))}

    def domain(self) -> dict[str, Any]:
        return self.crawl.domain(HOST)

    def _rows(self, query: Any) -> list[Any]:
        async def act(db: Database) -> list[Any]:
            async with db.read() as tx:
                return list((await tx.execute(query)).all())

        return self.crawl.with_database(act)


MakeRefreshed = Callable[..., Refreshed]


@pytest.fixture
def make_refreshed(make_crawl: MakeCrawl) -> MakeRefreshed:
    """Crawl a living host to its end."""

    def make(settings: dict[str, str] | None = None, **options: Any) -> Refreshed:
        spec = SiteSpec(
            SiteGraph(seed=1, hosts=1, pages_per_host=2, depth=1, strangers=0),
            special={HOST: {"kind": "living", **options}},
        )
        quick = {"SURVEYOR_CRAWL__DELAY_SECONDS": "0.002", "SURVEYOR_CRAWL__COMMIT_SECONDS": "0.05"}
        made = Refreshed(make_crawl(spec, HOST, **quick, **(settings or {})))
        made.run("crawl")
        assert made.domain()["crawl_status"] == "exhausted"
        return made

    return make
