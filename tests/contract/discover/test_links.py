"""Link discovery on both engines: what our pages link to, most linked first, once."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import domains, events, page_links
from surveyor.discover import links
from surveyor.frontier.changes import pack_links
from surveyor.names import DEFAULT_RULES
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import changes, rows
from tests.support.registry_help import ADMIN, add_domain


async def page(db: Database, no: int, key: int, *foreign: str) -> None:
    async with db.write() as tx:
        await tx.execute(
            page_links.insert().values(domain_no=no, key=key, links=pack_links(["/own"], foreign))
        )


async def discover(db: Database, limit: int = 100, least: int = 1) -> links.LinksReport:
    return await links.discover_links(db, ADMIN, DEFAULT_RULES, limit=limit, least_domains=least)


@pytest.fixture
async def web(db: Database) -> Database:
    """Three approved sites; b.example is linked to by two of them, c.example often by one."""
    one, two, three = [await add_domain(db, f"site{number}.example") for number in (1, 2, 3)]
    await page(
        db,
        one.no,
        1,
        "https://www.b.example/x",
        "https://c.example/",
        "http://10.0.0.1/",
        "mailto:x@y.example",
    )
    await page(db, one.no, 2, "https://c.example/2", "https://site2.example/", "https://c.example/3")
    await page(db, two.no, 1, "http://b.example/", "https://site2.example/own", "https://d.example/")
    await page(db, three.no, -5, "https://c.example/4#x", "https://www.site3.example/")
    return db


async def test_unknown_domains_are_registered_most_linked_first_and_wait_for_a_person(web: Database) -> None:
    report = await discover(web)
    assert (report.pages, report.linked, report.known, report.new) == (4, 4, 1, 3)
    async with web.read() as tx:
        names = (await tx.execute(select(domains.c.domain).order_by(domains.c.no))).scalars().all()
        found = await rows.find(tx, "c.example")
        kinds = (await tx.execute(select(events.c.kind))).scalars().all()
    assert names[3:] == ["c.example", "b.example", "d.example"]
    assert found is not None
    assert (found.source, found.review_status, found.submitter_type) == (
        "link:site1.example",
        "pending_review",
        "system",
    )
    assert found.submission_context == "linked to by 2 domains on 3 pages, such as site1.example"
    assert found.due_at is None
    assert set(kinds) == {"LinksDiscovered"}


async def test_a_second_look_finds_nothing_new(web: Database) -> None:
    await discover(web)
    again = await discover(web)
    assert (again.new, again.known) == (0, 4)


async def test_a_limit_takes_the_most_linked_and_a_floor_drops_the_rest(web: Database) -> None:
    assert (await discover(web, limit=1)).new == 1
    assert (await discover(web, least=2)).new == 1
    async with web.read() as tx:
        assert await rows.find(tx, "d.example") is None


async def test_a_limit_holds_among_equally_linked_domains(db: Database) -> None:
    site = await add_domain(db, "site.example")
    await page(db, site.no, 1, *(f"https://x{number}.example/" for number in range(5)))
    assert (await discover(db, limit=2)).new == 2


async def test_links_of_sites_that_nobody_approved_or_somebody_blacklisted_do_not_count(
    web: Database,
) -> None:
    waiting = await add_domain(web, "waiting.example", approved=False)
    await page(web, waiting.no, 1, "https://e.example/")
    async with web.write() as tx:
        for name in ("site1.example", "site3.example"):
            no = await rows.find_no(tx, name)
            await changes.advance_quality(tx, no, QualityStatus.BLACKLISTED, ADMIN, reason="bad")
    await discover(web)
    async with web.read() as tx:
        assert await rows.find(tx, "e.example") is None
        assert await rows.find(tx, "c.example") is None
        assert await rows.find(tx, "b.example") is not None


async def test_pages_are_read_as_a_stream(web: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "PAGE_ROWS", 1)
    monkeypatch.setattr(links, "BATCH", 1)
    report = await discover(web)
    assert (report.pages, report.new) == (4, 3)
