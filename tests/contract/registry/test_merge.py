"""Rows that are one domain become one row: counters summed, the oldest kept, decisions against it held."""

from __future__ import annotations

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, domains, pages, search_results
from surveyor.discover.results import Result
from surveyor.discover.session import SessionType
from surveyor.discover.store import results, sessions
from surveyor.discover.store.results import Batch
from surveyor.errors import Refused, StaleVersion, UsageError
from surveyor.frontier.sql import SqlFrontier
from surveyor.ids import new_id
from surveyor.names import NameRules, canonical_domain, url_key
from surveyor.registry import check, service
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes, events, register, rows
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.review.submissions import Intake, Outcome, Submission, Submitter, submit
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


# --- two that a person chose


async def _drop(tx: AsyncConnection, no: int) -> None:
    await SqlFrontier().drop(tx, no)


async def _chosen(db: Database, kept: Domain, old: Domain) -> Domain:
    return await service.merge_chosen(
        db, (kept.domain, kept.version), (old.domain, old.version), ADMIN, _drop
    )


async def _duplicates(db: Database) -> tuple[Domain, Domain]:
    return await add_domain(db, "fund.example"), await add_domain(db, "grants.example")


async def test_the_name_of_a_merged_domain_leads_to_the_kept_one_with_its_history(db: Database) -> None:
    kept, old = await _duplicates(db)
    async with db.write() as tx:
        await changes.edit(tx, old.no, {"notes": "the same people"}, ADMIN, seen_version=None)
        for no, target, state in (
            (kept.no, "/", "done"),
            (old.no, "/", "done"),
            (old.no, "/apply", "done"),
            (old.no, "/later", "waiting"),
        ):
            row = {"domain_no": no, "key": url_key(target), "target": target, "state": state}
            await tx.execute(insert(pages).values(**row, depth=0, rank=1, seq=1))
        old = await rows.get(tx, old.no)
    done = await _chosen(db, kept, old)
    async with db.read() as tx:
        assert await rows.find_no(tx, "grants.example") == kept.no
        known = (await tx.execute(select(pages.c.domain_no, pages.c.target))).all()
    info = await service.domain_info(db, "grants.example", 10)
    assert (info.domain.no, info.names, done.notes) == (kept.no, ["grants.example"], "the same people")
    assert [event.kind for event in info.events] == ["DomainsMerged", "DomainEdited"]
    assert info.events[0].data == {
        "merged_no": old.no,
        "merged_domain": "grants.example",
        "was": "fund.example",
    }
    assert sorted(known) == [(kept.no, "/"), (kept.no, "/apply")]


async def test_a_later_discovery_of_a_merged_name_lands_on_the_kept_domain(db: Database) -> None:
    kept, old = await _duplicates(db)
    await _chosen(db, kept, old)
    origin = Origin("list", SubmitterType.ADMIN, "ada")
    async with db.write() as tx:
        assert await register.add_new(tx, [NewDomain("grants.example")], origin) == {}
        session = new_id()
        await sessions.start(tx, session, SessionType.MANUAL_SEARCH, "ada", "here", 1, ["searxng"])
        hits = [
            Result(name, f"https://{name}/a", "Grants", "for villages", place)
            for place, name in enumerate(("grants.example", "fund.example"), start=1)
        ]
        counts = await results.write(tx, Batch(session, "searxng", "grants", None, hits, [], 0), "ada")
        numbers = (await tx.execute(select(search_results.c.domain_no))).scalars().all()
    assert (counts.new_domains, counts.duplicates_skipped) == (0, 2)
    assert set(numbers) == {kept.no}
    answer = await submit(db, Submission("grants.example"), Submitter.public("192.0.2.1"), Intake())
    assert (answer.outcome, answer.domain) == (Outcome.ALREADY_APPROVED, "fund.example")


async def test_names_follow_when_the_kept_domain_is_merged_itself(db: Database) -> None:
    kept, old = await _duplicates(db)
    done = await _chosen(db, kept, old)
    last = await add_domain(db, "trust.example")
    await _chosen(db, last, done)
    async with db.read() as tx:
        found = [await rows.find_no(tx, name) for name in ("grants.example", "fund.example")]
    assert found == [last.no, last.no]


async def test_a_merge_names_the_versions_that_were_seen_and_two_domains(db: Database) -> None:
    kept, old = await _duplicates(db)
    async with db.write() as tx:
        await changes.edit(tx, old.no, {"notes": "x"}, ADMIN, seen_version=None)
    with pytest.raises(StaleVersion, match=r"grants\.example was changed"):
        await _chosen(db, kept, old)
    with pytest.raises(UsageError, match="name two domains"):
        await _chosen(db, kept, kept)
    await claim_one(db)
    async with db.read() as tx:
        kept, old = await rows.get(tx, kept.no), await rows.get(tx, old.no)
    with pytest.raises(Refused, match="is being crawled"):
        await _chosen(db, kept, old)
    with pytest.raises(Refused, match="ask a reviewer"):
        sam = Actor("sam", Role.SUBMITTER)
        await service.merge_chosen(db, ("fund.example", 1), ("grants.example", 1), sam, _drop)
