"""The checker finds every broken promise: a crawler that behaves passes, and each that does not is caught."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import insert, update

from surveyor.db import Database
from surveyor.db.tables import crawl_log, domain_crawl, page_snapshots, pages
from surveyor.names import url_key
from tests.support.crawl_check import (
    Place,
    Rules,
    Stored,
    StoredPage,
    check,
    check_workspace,
    read_committed,
    read_stored,
)
from tests.support.registry_help import add_domain
from tests.support.site import Entry, Manner, SiteGraph, SiteServer, SiteSpec, read_log

GRAPH = SiteGraph(3, hosts=2, pages_per_host=12, depth=2)
QUIET, RULED = GRAPH.names  # the second one's robots.txt forbids a part
DEPTH, DELAY = 1, 0.02
RULES = Rules(DEPTH, DELAY, frozenset(GRAPH.names), tolerance=0.005)
PAGES = [(host, target) for host in GRAPH.names for target in sorted(GRAPH.reachable(host, DEPTH))]
NOW = datetime(2026, 3, 4, tzinfo=UTC)


class Crawler:
    """Asks for pages, one connection per host; how politely is up to the test."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connections: dict[str, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    async def get(self, host: str, target: str, *, pause: float = DELAY + 0.002) -> None:
        if host not in self._connections:
            self._connections[host] = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._connections[host]
        writer.write(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0]))
        await asyncio.sleep(pause)

    async def crawl(self, host: str) -> None:
        await self.get(host, "/robots.txt")
        for target in sorted(GRAPH.reachable(host, DEPTH)):
            await self.get(host, target)

    def hang_up(self, host: str) -> None:
        self._connections.pop(host)[1].close()

    def close(self) -> None:
        for host in list(self._connections):
            self.hang_up(host)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[SiteServer]:
    async with SiteServer.serve(SiteSpec(GRAPH), tmp_path / "log") as server:
        yield server


@pytest.fixture
async def crawler(site: SiteServer) -> AsyncIterator[Crawler]:
    client = Crawler(site.port)
    yield client
    client.close()


def stored_well() -> Stored:
    rows = [StoredPage(host, target, "done", None, 200, f"{host}{target}".encode()) for host, target in PAGES]
    return Stored(rows, Counter(PAGES), Counter(PAGES), {})


def kinds(log: list[Entry], rules: Rules = RULES, stored: Stored | None = None) -> set[str]:
    return set(check(GRAPH.by_name, log, stored, rules).kinds())


def polite_log() -> list[Entry]:
    """What the site writes down of a perfect crawl."""
    step = int(DELAY * 1e9)
    asked = {host: ["/robots.txt", *sorted(GRAPH.reachable(host, DEPTH))] for host in GRAPH.names}
    return [
        Entry(at * step, at * step + 1, at, 1, host, "GET", target, 200, False, 0, "-")
        for host in GRAPH.names
        for at, target in enumerate(asked[host], 1)
    ]


# ------------------------------------------------------------------------------------- requests


async def test_a_polite_crawl_of_everything_passes(site: SiteServer, crawler: Crawler) -> None:
    await asyncio.gather(*(crawler.crawl(host) for host in GRAPH.names))
    report = check(GRAPH.by_name, read_log(site.log), stored_well(), RULES)
    assert report.ok, str(report)
    assert "no violation" in str(report)
    assert report.figures["pages"] == report.figures["stored"] == len(PAGES)


async def test_a_request_that_comes_early_is_found(site: SiteServer, crawler: Crawler) -> None:
    await crawler.get(QUIET, "/robots.txt", pause=0.001)
    await crawler.get(RULED, "/robots.txt")  # another host, so not too early
    await crawler.get(QUIET, "/", pause=0.0)
    report = check(GRAPH.by_name, read_log(site.log), None, replace(RULES, delay=1.0))
    assert report.kinds() == {"too early": 1}


async def test_two_requests_at_once_are_found_whatever_the_spelling(
    site: SiteServer, crawler: Crawler
) -> None:
    site.manners[QUIET] = Manner(wait=0.03)
    await crawler.get(QUIET, "/robots.txt")
    await asyncio.gather(crawler.get(QUIET, "/"), crawler.get(f"WWW.{QUIET}", "/view?id=3"))
    assert kinds(read_log(site.log), replace(RULES, delay=0.0)) == {"concurrent on one host"}


async def test_the_requests_of_a_killed_client_end_with_it(site: SiteServer, crawler: Crawler) -> None:
    await crawler.get(QUIET, "/robots.txt")
    site.manners[QUIET] = Manner(wait=10.0)
    lost = asyncio.create_task(crawler.get(QUIET, "/"))
    await asyncio.sleep(DELAY)
    crawler.hang_up(QUIET)
    await asyncio.gather(lost, return_exceptions=True)
    site.manners.clear()
    await crawler.get(QUIET, "/")
    log = read_log(site.log)
    assert kinds(log, replace(RULES, repeats={(QUIET, "/"): 1})) == set()
    assert kinds(log) == {"asked again"}


async def test_a_page_asked_for_twice_is_found_under_any_of_its_addresses(
    site: SiteServer, crawler: Crawler
) -> None:
    for target in ("/robots.txt", "/", "/?utm_source=letter"):
        await crawler.get(QUIET, target)
    assert kinds(read_log(site.log)) == {"asked again"}


async def test_nobody_goes_where_robots_says_no_or_before_asking_it(
    site: SiteServer, crawler: Crawler
) -> None:
    await crawler.get(RULED, "/private/1")
    assert kinds(read_log(site.log)) == {"against robots.txt", "before robots.txt"}


async def test_a_stranger_is_never_asked(site: SiteServer, crawler: Crawler) -> None:
    await crawler.get("x00.site.example", "/robots.txt")
    assert kinds(read_log(site.log)) == {"not approved"}
    assert kinds(read_log(site.log), replace(RULES, approved=frozenset({"x00.site.example"}))) == set()


async def test_a_page_below_the_depth_is_found(site: SiteServer, crawler: Crawler) -> None:
    deep = sorted(GRAPH.reachable(QUIET, 2) - GRAPH.reachable(QUIET, 1))[0]
    for target in ("/robots.txt", deep):
        await crawler.get(QUIET, target)
    assert kinds(read_log(site.log)) == {"too deep"}
    assert kinds(read_log(site.log), replace(RULES, depth=2)) == set()


async def test_a_request_within_retry_after_is_found(site: SiteServer, crawler: Crawler) -> None:
    site.manners[QUIET] = Manner(status=503, retry_after="1")
    for target in ("/robots.txt", "/", "/view?id=3"):
        await crawler.get(QUIET, target)
    assert kinds(read_log(site.log)) == {"within Retry-After"}


# ---------------------------------------------------------------------------------------- store


def _without_one(stored: Stored) -> Stored:
    return replace(stored, pages=stored.pages[1:])


def _quarantined(stored: Stored) -> Stored:
    return _with_first(stored, state="ended", reason="poison")


def _list_quarantined(stored: Stored) -> Stored:
    extra = StoredPage(QUIET, "/sitemap.xml", "ended", "poison", None, None)
    return replace(stored, pages=[*stored.pages, extra])


def _left_waiting(stored: Stored) -> Stored:
    extra = StoredPage(QUIET, "/gone/0", "waiting", None, None, None)
    return replace(stored, pages=[*stored.pages, extra])


def _two_rows(stored: Stored) -> Stored:
    return replace(stored, pages=[*stored.pages, stored.pages[0]._replace(content_hash=b"other")])


def _two_commits(stored: Stored) -> Stored:
    return replace(stored, commits=Counter([*PAGES, PAGES[0]]))


def _two_versions(stored: Stored) -> Stored:
    return replace(stored, versions=Counter([*PAGES, PAGES[0]]))


def _no_commit(stored: Stored) -> Stored:
    return replace(stored, commits=Counter(PAGES[1:]))


def _other_name(stored: Stored) -> Stored:
    extra = StoredPage(QUIET, "/index.html", "done", None, 200, b"other")
    return replace(stored, pages=[*stored.pages, extra], commits=Counter([*PAGES, (QUIET, "/index.html")]))


def _never_answered(stored: Stored) -> Stored:
    place: Place = (QUIET, sorted(GRAPH.reachable(QUIET, 2) - GRAPH.reachable(QUIET, 1))[0])
    extra = StoredPage(*place, "done", None, 200, b"other")
    return replace(stored, pages=[*stored.pages, extra], commits=Counter([*PAGES, place]))


def _same_content(stored: Stored) -> Stored:
    return _with_first(stored, content_hash=stored.pages[1].content_hash)


def _still_held(stored: Stored) -> Stored:
    return replace(stored, held={QUIET: "somebody"})


def _with_first(stored: Stored, **values: object) -> Stored:
    return replace(stored, pages=[stored.pages[0]._replace(**values), *stored.pages[1:]])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        (_without_one, "lost"),
        (_quarantined, "lost"),
        (_list_quarantined, "quarantined"),
        (_left_waiting, "unfinished"),
        (_still_held, "unfinished"),
        (_two_rows, "stored twice"),
        (_two_commits, "stored twice"),
        (_two_versions, "stored twice"),
        (_no_commit, "not logged"),
        (_other_name, "made up"),
        (_never_answered, "made up"),
        (_same_content, "mixed up"),
    ],
)
def test_damage_to_the_store_is_found(damage: Callable[[Stored], Stored], kind: str) -> None:
    assert kinds(polite_log(), stored=stored_well()) == set()
    assert kinds(polite_log(), stored=damage(stored_well())) == {kind}


def test_a_crawl_that_goes_on_may_have_work_left() -> None:
    unfinished = _left_waiting(_still_held(stored_well()))
    assert kinds(polite_log(), replace(RULES, finished=False), unfinished) == set()


def test_a_report_shows_some_of_many_violations() -> None:
    report = check(GRAPH.by_name, polite_log(), Stored([], {}, {}, {}), RULES)
    assert report.kinds() == {"lost": len(PAGES)}
    assert str(report).count("is not known") == min(10, len(PAGES))


# ------------------------------------------------------------------------------------- database


@pytest.mark.parametrize("engine_name", ["sqlite"])
async def test_what_is_in_the_tables_is_what_is_judged(db: Database, tmp_path: Path) -> None:
    numbers = {host: (await add_domain(db, host)).no for host in GRAPH.names}
    async with db.write() as tx:
        await tx.execute(insert(pages), [_page_row(numbers[host], target) for host, target in PAGES])
        await tx.execute(insert(crawl_log), [_log_row(numbers[host], host, target) for host, target in PAGES])
        await tx.execute(insert(page_snapshots), [_version_row(numbers[h], target) for h, target in PAGES])
    stored = await read_stored(db)
    assert sorted((page.host, page.target) for page in stored.pages) == sorted(PAGES)
    assert stored.commits == stored.versions == Counter(PAGES)
    assert await read_committed(db) == set(PAGES)

    log = tmp_path / "log"
    log.write_text("".join("\t".join(map(str, map(_plainly, entry))) + "\n" for entry in polite_log()))
    assert (await check_workspace(GRAPH.by_name, log, db, RULES)).ok
    async with db.write() as tx:
        await tx.execute(update(pages).where(pages.c.target == "/").values(state="taken", taken_epoch=1))
        await tx.execute(update(domain_crawl).values(claimed_by="w1", claim_expires_at=NOW))
    report = await check_workspace(GRAPH.by_name, log, db, RULES)
    assert report.kinds() == {"lost": 2, "unfinished": 4}


def _plainly(value: object) -> object:
    return int(value) if isinstance(value, bool) else value


def _page_row(no: int, target: str) -> dict[str, object]:
    known = {"domain_no": no, "key": url_key(target), "target": target, "state": "done", "status": 200}
    return known | {"depth": 0, "rank": 0, "seq": 0, "content_hash": f"{no}{target}".encode()}


def _log_row(no: int, host: str, target: str) -> dict[str, object]:
    known = {"run_id": uuid4(), "domain_no": no, "url": f"http://{host}{target}", "status": 200, "bytes": 1}
    return known | {"ms": 1, "fetched_at": NOW, "lease_epoch": 1}


def _version_row(no: int, target: str) -> dict[str, object]:
    known = {"domain_no": no, "key": url_key(target), "content_hash": b"x", "bytes": 1}
    return known | {"first_seen_at": NOW, "last_seen_at": NOW}
