"""Rows that are one domain become one row: counters summed, the oldest kept, decisions against it held."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains
from surveyor.names import NameRules, canonical_domain
from surveyor.registry import check, service
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes, events, rows
from tests.support.registry_help import ADMIN, add_domain, claim_one


def _collapsed(text: str) -> str:
    """The rules after `names.collapse_subdomains` was switched on."""
    return canonical_domain(text, NameRules(collapse_subdomains=True))


async def _twins(db: Database, *, approved: tuple[bool, bool] = (True, True)) -> tuple[Domain, Domain]:
    """Two rows of one domain, as older rules would have left them; the older one has the odd name."""
    odd = await add_domain(db, "blog.example.org", approved=approved[0], rank=7)
    plain = await add_domain(db, "example.org", approved=approved[1], rank=3)
    async with db.write() as tx:
        for row, pages in ((odd, 10), (plain, 5)):
            counted = {"pages_crawled": pages, "pages_discovered": pages * 2, "bytes_fetched": 1000}
            await tx.execute(update(domain_crawl).where(domain_crawl.c.no == row.no).values(counted))
            await tx.execute(update(domains).where(domains.c.no == row.no).values(total_occurrences=pages))
    return odd, plain


async def _merged(db: Database) -> Domain:
    report = await service.merge_domains(db, _collapsed, ADMIN, dry_run=False)
    assert report.merged == ["example.org"]
    async with db.read() as tx:
        assert await rows.find(tx, "blog.example.org") is None
        found = await rows.find(tx, "example.org")
    assert found is not None
    return found


async def test_counters_are_summed_and_the_oldest_row_is_kept(db: Database) -> None:
    odd, _ = await _twins(db)
    kept = await _merged(db)
    assert (kept.no, kept.first_seen_at) == (odd.no, odd.first_seen_at)
    assert (kept.pages_crawled, kept.pages_discovered, kept.total_occurrences) == (15, 30, 15)
    assert kept.seed_rank == 3
    assert kept.lease_epoch > odd.lease_epoch
    assert kept.parent_domain == "example.org"


async def test_a_dry_run_names_them_and_changes_nothing(db: Database) -> None:
    await _twins(db)
    report = await service.merge_domains(db, _collapsed, ADMIN, dry_run=True)
    assert report.merged == ["example.org"]
    assert sum((await service.totals(db)).values()) == 2


async def test_merging_again_finds_nothing(db: Database) -> None:
    await _twins(db)
    await _merged(db)
    assert (await service.merge_domains(db, _collapsed, ADMIN, dry_run=False)).merged == []


@pytest.mark.parametrize(
    ("against", "expected"),
    [
        (ReviewStatus.SUSPENDED, ReviewStatus.SUSPENDED),
        (QualityStatus.BLACKLISTED, ReviewStatus.APPROVED),
    ],
)
async def test_a_decision_against_one_row_holds_for_the_joined_one(
    db: Database, against: ReviewStatus | QualityStatus, expected: ReviewStatus
) -> None:
    _, plain = await _twins(db)
    async with db.write() as tx:
        if isinstance(against, ReviewStatus):
            await changes.advance_review(tx, plain.no, against, ADMIN, reason="owner wrote")
        else:
            await changes.advance_quality(tx, plain.no, against, ADMIN, reason="scam")
    kept = await _merged(db)
    assert kept.review_status is expected
    assert (kept.quality_status is QualityStatus.BLACKLISTED) == (against is QualityStatus.BLACKLISTED)
    assert kept.due_at is None


async def test_a_yes_for_one_row_is_a_yes_for_the_joined_one(db: Database) -> None:
    await _twins(db, approved=(False, True))
    kept = await _merged(db)
    assert kept.review_status is ReviewStatus.APPROVED
    assert kept.due_at is not None


async def test_the_events_of_both_rows_are_told(db: Database) -> None:
    odd, plain = await _twins(db)
    async with db.write() as tx:
        await changes.edit(tx, plain.no, {"notes": "a note"}, ADMIN, seen_version=None)
        await changes.edit(tx, odd.no, {"notes": "another"}, ADMIN, seen_version=None)
    kept = await _merged(db)
    async with db.read() as tx:
        kinds = [event.kind for event in await events.of_domain(tx, kept.no, 10)]
    assert sorted(kinds) == ["DomainEdited", "DomainEdited", "DomainsMerged"]
    assert kept.notes == "another\na note"


async def test_a_domain_under_a_lease_is_left_until_later(db: Database) -> None:
    await _twins(db)
    await claim_one(db)
    report = await service.merge_domains(db, _collapsed, ADMIN, dry_run=False)
    assert (report.merged, report.waiting) == ([], ["example.org"])


async def test_a_row_with_only_an_odd_name_is_renamed(db: Database) -> None:
    odd = await add_domain(db, "old.example.org")
    await service.merge_domains(db, _collapsed, ADMIN, dry_run=False)
    async with db.read() as tx:
        found = await rows.find(tx, "example.org")
    assert found is not None
    assert found.no == odd.no


async def test_check_finds_what_should_never_be(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    assert await check.check(db, _collapsed) == []
    await add_domain(db, "blog.example.org")
    await add_domain(db, "10.0.0.1")
    async with db.write() as tx:
        wrong = {"pages_crawled": 3, "pages_discovered": 2}
        await tx.execute(update(domain_crawl).where(domain_crawl.c.no == domain.no).values(wrong))
        values = {"review_status": "suspended"}
        await tx.execute(update(domains).where(domains.c.no == domain.no).values(values))
    found = {finding.what: (finding.count, finding.examples) for finding in await check.check(db, _collapsed)}
    assert found == {
        "domains that are due without permission": (1, ["example.org"]),
        "domains with more pages crawled than discovered": (1, ["example.org"]),
        "domains whose pages_crawled is not the number of their pages that were answered": (
            1,
            ["example.org"],
        ),
        "domains under an old spelling": (1, ["example.org"]),
        "names that are no domains": (1, ["10.0.0.1"]),
    }


async def test_priorities_are_written_anew_and_told(db: Database) -> None:
    domain = await add_domain(db, "example.org", rank=1)
    async with db.write() as tx:
        values = {"priority_key": 0, "pages_crawled": 10, "records_stored": 20, "frontier_size": 900}
        await tx.execute(update(domain_crawl).where(domain_crawl.c.no == domain.no).values(values))
    assert await service.recalculate_priorities(db, "records", ADMIN) == (1, 1)
    assert await service.recalculate_priorities(db, "records", ADMIN) == (1, 0)
    async with db.read() as tx:
        found = await rows.get(tx, domain.no)
    assert found.priority_score == 600 + 2000 + 1000 + 5 * 60
