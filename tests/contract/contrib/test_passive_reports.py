"""A passive crawler's report: counts and states by the rules of every worker, and never over a lease."""

from __future__ import annotations

from scrapy.settings import Settings

from surveyor.contrib.scrapy import store
from surveyor.contrib.scrapy.reports import Reporter
from surveyor.contrib.scrapy.session import origin_of
from surveyor.contrib.scrapy.store import Arrival
from surveyor.contrib.scrapy.tally import Tally
from surveyor.crawl.plan import RunOptions
from surveyor.crawl.service import start_run
from surveyor.db import Database
from surveyor.frontier.changes import RANK_NORMAL
from surveyor.names import canonical_domain
from surveyor.registry.check import check
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.store import aliases, rows
from tests.support.registry_help import ADMIN, add_domain, claim_one, get


async def _reporter(db: Database, *, for_review: bool = False) -> Reporter:
    run = await start_run(db, ADMIN, RunOptions(), continuous=False)
    origin = origin_of("news", Settings({"SURVEYOR_FOR_REVIEW": for_review}))
    return Reporter(db, "scrapy-1", run, origin, "records", revisit_seconds=3600.0)


async def _find(db: Database, name: str) -> Domain:
    async with db.read() as tx:
        found = await rows.find(tx, name)
    assert found is not None
    return found


def _tally(*answers: tuple[str, int]) -> Tally:
    tally = Tally(error_limit=5)
    for domain, status in answers:
        tally.queued(domain)
        tally.answered(domain, status, 2, 100, 3)
    return tally


async def test_a_report_registers_counts_and_ends_like_a_visit(db: Database) -> None:
    reporter = await _reporter(db)
    tally = _tally(*[("a.example", 200)] * 3, *[("b.example", 429)] * 5)
    await reporter.report(tally.news())
    a = await _find(db, "a.example")
    assert (a.crawl_status, a.pages_crawled, a.pages_discovered, a.images_found) == (
        CrawlStatus.ACTIVE,
        3,
        3,
        9,
    )
    assert (a.source, a.review_status, a.claimed_by, a.crawl_depth_reached) == (
        "scrapy:news",
        ReviewStatus.APPROVED,
        None,
        2,
    )
    await reporter.report(tally.all(), finished=True)
    a, b = await _find(db, "a.example"), await _find(db, "b.example")
    assert (a.crawl_status, a.pages_crawled) == (CrawlStatus.EXHAUSTED, 3)
    assert (b.crawl_status, b.block_reason_code, b.block_count) == (CrawlStatus.BLOCKED, "rate_limited", 1)
    assert await check(db, canonical_domain) == [], "counts without pages of ours are no fault"


async def test_a_domain_whose_queue_another_phase_left_unfinished_stays_due(db: Database) -> None:
    domain = await add_domain(db, "a.example")
    async with db.write() as tx:
        left = Arrival("a.example", 7, "http://a.example", "/x", 1, RANK_NORMAL, None, again=False)
        await store.queue(tx, [left])
    await (await _reporter(db)).report(_tally(("a.example", 200)).all(), finished=True)
    now = await get(db, domain.no)
    assert (now.crawl_status, now.frontier_size) == (CrawlStatus.ACTIVE, 1)
    assert (await claim_one(db)).no == domain.no


async def test_what_somebody_holds_is_left_alone_and_its_counts_wait(db: Database) -> None:
    held = await add_domain(db, "a.example")
    lease = await claim_one(db)
    tally = _tally(("a.example", 200))
    assert await (await _reporter(db)).report(tally.news()) == 0
    now = await get(db, held.no)
    assert (now.claimed_by, now.lease_epoch, now.pages_crawled) == ("w1", lease.epoch, 0)
    assert tally.of("a.example").counts["pages_crawled"] == 1


async def test_names_that_are_one_domain_by_now_count_there_together(db: Database) -> None:
    kept = await add_domain(db, "b.example")
    async with db.write() as tx:
        await aliases.add(tx, "a.example", kept.no, "ann")
    tally = _tally(*[("a.example", 200)] * 2, ("b.example", 200))
    assert await (await _reporter(db)).report(tally.all(), finished=True) == 2
    assert (await get(db, kept.no)).pages_crawled == 3
    assert tally.news() == []


async def test_domains_can_be_queued_for_review_and_are_then_not_due(db: Database) -> None:
    await (await _reporter(db, for_review=True)).report(_tally(("a.example", 200)).news())
    found = await _find(db, "a.example")
    assert (found.review_status, found.due_at, found.crawl_status) == (
        ReviewStatus.PENDING_REVIEW,
        None,
        CrawlStatus.PENDING,
    )
