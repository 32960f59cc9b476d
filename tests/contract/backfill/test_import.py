"""Registers of others: decisions keep who made them, when and why; what is here is never overwritten."""

from __future__ import annotations

import csv
import json
import zlib
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Column, MetaData, Table, Text, func, select

from surveyor.backfill import Destination
from surveyor.backfill.cells import Dates
from surveyor.backfill.registers import ImportRequest, Kind, Run, import_registers
from surveyor.db import Database
from surveyor.db.tables import candidates, discovery_sessions, domains, events, page_snapshots, search_results
from surveyor.errors import BadInput, UsageError
from surveyor.names import DEFAULT_RULES, canonical_domain
from surveyor.registry.actors import Actor
from surveyor.registry.check import check
from surveyor.registry.domain import Domain, Stage, SubmitterType
from surveyor.registry.events import EventKind
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import rows
from tests.support.registry_help import add_domain

MARIA, SESSION = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
GOOD, SPAM, QUIET = (f"7c9e6679-7425-40de-944b-e07fc1f90ae{n}" for n in range(3))
DOMAINS = [
    {"domainId": GOOD, "domainName": "Good.example", "status": "PROCESSED_HIGH_QUALITY", "notes": "call them",
     "bestConfidenceScore": "0.85", "discoveredAt": "2025-10-19 10:00:00", "discoverySessionId": SESSION},
    {"domainId": SPAM, "domainName": "www.spam.example", "status": "BLACKLISTED", "blacklistedBy": MARIA,
     "blacklistedAt": "05.11.2025 14:30", "blacklistReason": "scam"},
    {"domainId": QUIET, "domainName": "quiet.example", "status": "NO_FUNDS_THIS_YEAR", "noFundsYear": "2025"},
    {"domainName": "broken.example", "status": "PROCESSING_FAILED", "failureReason": "timeout"},
    {"domainName": "spam.example", "status": "DISCOVERED"},
    {"domainName": "10.0.0.1", "status": "DISCOVERED"},
    {"domainName": "odd.example", "status": "WHATEVER"},
]  # fmt: skip
CANDIDATES = [
    {"candidate_id": "3" * 32, "domain_id": GOOD, "discovery_session_id": SESSION, "confidence_score": "0.55",
     "source_url": "https://good.example/grants", "organization_name": "Good", "status": "APPROVED",
     "approved_by": MARIA, "approved_at": "2025-11-01"},
    {"candidate_id": "4" * 32, "domain_id": QUIET,
     "confidence_score": "0.4", "status": "SKIPPED_LOW_CONFIDENCE"},
    {"candidate_id": "5" * 32, "domain_id": SPAM, "confidence_score": "0.9", "status": "PENDING_REVIEW"},
    {"candidate_id": "6" * 32, "source_url": "https://other.example/a", "confidence_score": "0.7",
     "status": "REJECTED"},
    {"candidate_id": "7" * 32, "domain_id": "9" * 32, "confidence_score": "0.7", "status": "PENDING_CRAWL"},
]  # fmt: skip
SESSIONS = [
    {"id": SESSION, "type": "NIGHTLY_DISCOVERY", "status": "RUNNING", "started_at": "2025-10-19 01:00",
     "total_results_found": "10", "brave_search_results": "6", "searxng_results": "3"}
]  # fmt: skip
RESULTS = [
    {"discovery_session_id": SESSION, "search_engine": "BRAVE_SEARCH", "query": "grants", "title": "Grants",
     "url": "https://good.example/x", "domain": "good.example", "position": 1},
    {"discovery_session_id": "8" * 32, "search_engine": "SEARXNG", "query": "grants", "title": "Grants",
     "url": "https://new.example/x", "position": 2},
]  # fmt: skip


def _csv(path: Path, table: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in table for name in row))
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, names)
        out.writeheader()
        out.writerows(table)
    return str(path)


@pytest.fixture
def register(tmp_path: Path) -> tuple[str, ...]:
    results = tmp_path / "search_result.jsonl"
    results.write_text("".join(json.dumps(row) + "\n" for row in RESULTS))
    return (
        _csv(tmp_path / "funding_source_candidate.csv", CANDIDATES),
        str(results),
        _csv(tmp_path / "domain.csv", DOMAINS),
        _csv(tmp_path / "discovery_session.csv", SESSIONS),
        _csv(tmp_path / "admin_user.csv", [{"user_id": MARIA, "username": "maria"}]),
    )


async def _import(db: Database, *sources: str, apply: bool = True, **request: Any) -> Run:
    into = Destination(db, Actor.operator(), DEFAULT_RULES, "records", timedelta(days=7))
    return await import_registers(into, ImportRequest(sources, apply=apply, **request))


async def _find(db: Database, name: str) -> Domain:
    async with db.read() as tx:
        found = await rows.find(tx, name)
    assert found is not None, name
    return found


async def _all(db: Database) -> dict[str, list[Any]]:
    async with db.read() as tx:
        return {
            table.name: [tuple(row) for row in await tx.execute(select(table).order_by(*table.primary_key))]
            for table in (domains, candidates, discovery_sessions, search_results, events)
        }


def _counts(run: Run) -> dict[str, tuple[int, int, int, int]]:
    return {t.kind: (t.new, t.filled, t.kept, sum(t.left_out.values())) for t in run.tables}


async def test_a_whole_register_keeps_who_decided_when_and_why(
    db: Database, register: tuple[str, ...]
) -> None:
    run = await _import(db, *register, source="northstar")
    assert _counts(run) == {
        "people": (1, 0, 0, 0),
        "sessions": (1, 0, 0, 0),
        "domains": (4, 0, 0, 3),
        "candidates": (3, 0, 0, 2),
        "results": (1, 0, 0, 1),
    }
    good, spam, quiet = [await _find(db, f"{name}.example") for name in ("good", "spam", "quiet")]
    assert (good.quality_status, good.best_confidence, good.notes, good.first_session_id, good.source) == (
        QualityStatus.PROCESSED_HIGH_QUALITY,
        Decimal("0.85"),
        "call them",
        UUID(SESSION),
        "northstar",
    )
    assert (good.stage, good.submitter_type) == (Stage.AWAITING_REVIEW, SubmitterType.SYSTEM)
    assert good.first_seen_at == datetime(2025, 10, 19, 10, tzinfo=UTC)
    assert (spam.quality_status, spam.blacklisted_by, spam.blacklist_reason) == (
        "blacklisted",
        "maria",
        "scam",
    )
    assert spam.blacklisted_at == datetime(2025, 11, 5, 14, 30, tzinfo=UTC)
    assert (quiet.quality_status, quiet.no_funds_year) == ("no_funds_this_year", 2025)
    assert (await _find(db, "broken.example")).failure_reason == "timeout"
    stored = await _all(db)
    by_id = {row[0].hex[0]: dict(zip(candidates.c.keys(), row, strict=True)) for row in stored["candidates"]}
    assert (by_id["3"]["status"], by_id["3"]["decided_by"], by_id["3"]["threshold"]) == (
        "approved",
        "maria",
        Decimal("0.55"),
    )
    assert by_id["3"]["decided_at"] == datetime(2025, 11, 1, tzinfo=UTC)
    assert by_id["3"]["session_id"] == UUID(SESSION)
    assert by_id["6"]["decision_reason"] == "no reason is given in northstar"
    session = dict(zip(discovery_sessions.c.keys(), stored["discovery_sessions"][0], strict=True))
    assert (session["status"], session["provider_results"]) == (
        "failed",
        {"brave": 6, "searxng": 3, "unknown": 1},
    )
    assert [row[3:5] for row in stored["search_results"]] == [("brave", "grants")]
    async with db.read() as tx:
        told = select(events.c.actor, events.c.data).where(events.c.kind == "DomainBlacklisted")
        actor, data = (await tx.execute(told)).one()
    assert actor == Actor.operator().name
    assert data == {"imported": "northstar", "decided_by": "maria", "decided_at": "2025-11-05T14:30:00+00:00"}
    assert run.tables[3].without_person == 1
    assert await check(db, canonical_domain) == []


async def test_a_second_run_changes_nothing_and_a_dry_run_says_the_same_as_the_first(
    db: Database, register: tuple[str, ...]
) -> None:
    dry = await _import(db, *register, apply=False)
    assert not any((await _all(db)).values())
    first = await _import(db, *register)
    assert _counts(dry) == _counts(first)
    assert [table.left_out for table in dry.tables] == [table.left_out for table in first.tables]
    before = await _all(db)
    again = _counts(await _import(db, *register))
    assert {kind: (new, filled) for kind, (new, filled, _, _) in again.items() if kind != "people"} == {
        "sessions": (0, 0),
        "domains": (0, 0),
        "candidates": (0, 0),
        "results": (0, 0),
    }
    assert await _all(db) == before


async def test_what_is_decided_here_stays_and_is_named_what_nobody_touched_is_filled_in(
    db: Database, tmp_path: Path
) -> None:
    await add_domain(db, "ours.example")
    await add_domain(db, "fresh.example", approved=False)
    theirs = [
        {"domain": "ours.example", "status": "rejected", "rejection_reason": "no", "reviewed_by": "bob"},
        {"domain": "fresh.example", "status": "rejected", "rejection_reason": "dead", "reviewed_by": "bob",
         "reviewed_at": "2025-06-01"},
    ]  # fmt: skip
    file = _csv(tmp_path / "domains.csv", theirs)
    run = await _import(db, file)
    assert _counts(run)["domains"] == (0, 1, 1, 0)
    assert run.tables[0].decided_otherwise == ["ours.example: approved here, rejected there"]
    assert (await _find(db, "ours.example")).review_status is ReviewStatus.APPROVED
    fresh = await _find(db, "fresh.example")
    assert (fresh.review_status, fresh.reviewed_by, fresh.rejection_reason) == ("rejected", "bob", "dead")
    before = await _all(db)
    assert _counts(await _import(db, file))["domains"] == (0, 0, 2, 0)
    assert await _all(db) == before


async def test_an_approval_workflow_and_a_crawlers_table_come_with_limits_trust_and_counters(
    db: Database, tmp_path: Path
) -> None:
    theirs = [
        {"domain_url": "https://food.example/services", "status": "approved", "reviewed_by": "bob",
         "reviewed_at": "2025-06-01T10:00:00Z", "max_crawl_depth": "4", "is_trusted_domain": "ja",
         "active": "yes", "submitter_type": "public_user", "submitted_by": "ann"},
        {"domain_url": "paused.example", "status": "approved", "active": "0", "max_crawl_depth": "-3"},
        {"domain_url": "crawled.example", "status": "exhausted", "pages_crawled": "40",
         "last_scraped_at": "2025-08-01"},
        {"domain_url": "blocked.example", "status": "blocked", "block_reason_code": "login_required",
         "last_scraped_at": "2025-08-01"},
    ]  # fmt: skip
    run = await _import(db, _csv(tmp_path / "x.csv", theirs))
    assert _counts(run)["domains"] == (4, 0, 0, 0)
    assert run.tables[0].unread.counts == {"max_crawl_depth": 1}
    food = await _find(db, "food.example")
    assert (food.review_status, food.reviewed_by, food.max_crawl_depth, food.is_trusted) == (
        "approved",
        "bob",
        4,
        True,
    )
    assert (food.reviewed_at, food.submitted_by) == (datetime(2025, 6, 1, 10, tzinfo=UTC), "ann")
    assert food.due_at is not None
    paused = await _find(db, "paused.example")
    assert (paused.review_status, paused.due_at) == (ReviewStatus.SUSPENDED, None)
    crawled = await _find(db, "crawled.example")
    assert (crawled.crawl_status, crawled.pages_crawled) == (CrawlStatus.EXHAUSTED, 40)
    assert crawled.due_at == datetime(2025, 8, 8, tzinfo=UTC)
    blocked = await _find(db, "blocked.example")
    assert (blocked.crawl_status, blocked.block_reason_code) == (CrawlStatus.BLOCKED, "login_required")
    assert await check(db, canonical_domain) == []


async def test_a_database_of_others_gives_its_tables_by_their_names(
    db: Database, db_url: str, tmp_path: Path
) -> None:
    old = Table("funding_source_candidates", MetaData(), *(Column(n, Text) for n in CANDIDATES[0]))
    async with db.write() as tx:
        await tx.run_sync(old.metadata.create_all)
        await tx.execute(old.insert(), [dict.fromkeys(CANDIDATES[0]) | row for row in CANDIDATES[3:4]])
    run = await _import(db, db_url, table=old.name, source="old")
    assert _counts(run) == {"candidates": (1, 0, 0, 0)}
    with pytest.raises(BadInput, match="what is in x"):
        await _import(db, db_url, table="x")


async def test_what_cannot_be_read_is_said_in_one_line(db: Database, tmp_path: Path) -> None:
    def file(text: str) -> str:
        path = tmp_path / "list.csv"
        path.write_text(text)
        return str(path)

    with pytest.raises(BadInput, match="is empty"):
        await _import(db, file(""))
    with pytest.raises(BadInput, match=r"names no columns, but “a.example”; write a line above it"):
        await _import(db, file("a.example,approved\nb.example,rejected\n"))
    with pytest.raises(BadInput, match=r"columns “organisation”, “colour”; they are not known"):
        await _import(db, file("organisation,colour\nx,red\n"))
    with pytest.raises(UsageError, match="“foo=domain” maps no column"):
        await _import(db, file("organisation,colour\nx,red\n"), mapped=("foo=domain",))
    with pytest.raises(BadInput, match="read as candidates, has no column for confidence"):
        await _import(db, file("domain,status\nx.example,approved\n"), kind=Kind.CANDIDATES)
    with pytest.raises(BadInput, match="does not exist"):
        await _import(db, str(tmp_path / "nothing.csv"))
    run = await _import(db, file("organisation,colour\na.example,05/02/2026\n"), apply=False,
        mapped=("organisation=domain", "colour=first_seen_at"), dates=Dates.DAY_FIRST)  # fmt: skip
    assert (run.tables[0].new, run.tables[0].unread.counts) == (1, {})
    async with db.read() as tx:
        assert (await tx.execute(select(func.count()).select_from(domains))).scalar_one() == 0


async def test_snapshots_of_pages_come_with_contents_for_domains_that_are_here(
    db: Database, tmp_path: Path
) -> None:
    domain = await add_domain(db, "food.example")
    words = "# Food\n\nEverybody is welcome on Mondays."
    snapshots = [
        {"url": "https://www.food.example/help", "markdown": words, "crawled_at": "2025-03-01"},
        {"url": "https://food.example/html", "html": "<p>Food</p>", "crawled_at": "2025-03-01"},
        {"url": "https://strange.example/", "markdown": "x"},
        {"url": "nothing", "markdown": "x"},
    ]
    file = tmp_path / "page_snapshots.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in snapshots))
    assert _counts(await _import(db, str(file))) == {"pages": (2, 0, 0, 2)}
    assert await check(db, str) == [], "what was not crawled here is not counted here, and said so"
    assert _counts(await _import(db, str(file))) == {"pages": (0, 0, 2, 2)}
    async with db.read() as tx:
        said = select(func.count()).select_from(events).where(events.c.kind == EventKind.COUNTS_REPORTED)
        assert (await tx.execute(said)).scalar_one() == 1
        query = select(page_snapshots).where(page_snapshots.c.domain_no == domain.no)
        stored = (await tx.execute(query.order_by(page_snapshots.c.id))).all()
    assert [(one.content_type.partition(";")[0], zlib.decompress(one.body)) for one in stored] == [
        ("text/plain", words.encode()),
        ("text/html", b"<p>Food</p>"),
    ]
    assert {one.extract_state for one in stored} == {"waiting"}
