"""A domain that was crawled to its end and read is judged on what was found, once per end."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from surveyor.db import Database
from surveyor.db.tables import contacts, crawl_ends, records
from surveyor.registry.candidates import CandidateStatus, NewCandidate
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus
from surveyor.registry.store import candidates, changes
from surveyor.registry.store import records as registry_records
from surveyor.registry.store.release import Outcome, release
from tests.support.extract_help import contact, extract, record, see, table, told
from tests.support.registry_help import ADMIN, add_domain, claim_one, get


def _candidate() -> NewCandidate:
    return NewCandidate(
        session_id=None,
        url="https://waits.example/",
        title="Grants",
        organisation_name=None,
        program_name=None,
        confidence=Decimal("0.80"),
        threshold=Decimal("0.60"),
        scores=[],
        reasoning="said so",
        judge_version="1",
    )


async def _end(db: Database, no: int) -> None:
    async with db.write() as tx:
        await registry_records.note_ends(tx, [(no, datetime.now(UTC))])


@pytest.mark.parametrize(
    ("relevant", "found", "quality"),
    [
        (True, [record("Small Grants")], "processed_high_quality"),
        (False, [record("Small Grants")], "processed_low_quality"),
        (True, [], "processed_low_quality"),
    ],
    ids=["a relevant record", "a record on a page that is not", "no record"],
)
async def test_a_relevant_record_makes_it_high_none_makes_it_low(
    db: Database, tmp_path: Path, relevant: bool, found: list[object], quality: str
) -> None:
    no = (await add_domain(db, "site.example")).no
    await see(db, no, "/", text="home", relevant=relevant, records=found)
    await _end(db, no)
    await extract(db, tmp_path)
    domain = await get(db, no)
    assert (domain.quality_status, domain.processing_count) == (quality, 1)
    assert await table(db, crawl_ends) == []
    arrows = [(event.from_state, event.to_state) for event in await told(db, "QualityChanged")]
    assert arrows == [("discovered", "processing"), ("processing", quality)]


async def test_an_end_is_judged_once_and_the_next_one_again(db: Database, tmp_path: Path) -> None:
    no = (await add_domain(db, "site.example")).no
    await see(db, no, "/", text="home")
    await _end(db, no)
    await extract(db, tmp_path)
    assert (await get(db, no)).quality_status == "processed_low_quality"
    before = len(await told(db))
    await extract(db, tmp_path)
    assert len(await told(db)) == before
    await see(db, no, "/new", hours=5, text="new", relevant=True, records=[record("Small Grants")])
    await extract(db, tmp_path)
    assert (await get(db, no)).quality_status == "processed_low_quality", "its crawl did not end yet"
    await _end(db, no)
    await extract(db, tmp_path)
    assert (await get(db, no)).quality_status == "processed_high_quality"


async def test_nothing_is_judged_while_something_waits(db: Database, tmp_path: Path) -> None:
    no = (await add_domain(db, "site.example")).no
    for page in range(3):
        await see(db, no, f"/{page}", text=f"{page}")
    await _end(db, no)
    await extract(db, tmp_path, limit=2)
    assert (await get(db, no)).quality_status == "discovered"
    await extract(db, tmp_path)
    assert (await get(db, no)).quality_status == "processed_low_quality"


async def test_a_page_quarantined_does_not_hold_up_the_judgment(db: Database, tmp_path: Path) -> None:
    no = (await add_domain(db, "site.example")).no
    await see(db, no, "/bad", text="bad", act="raise")
    await _end(db, no)
    await extract(db, tmp_path)
    assert (await get(db, no)).quality_status == "processed_low_quality"


async def test_a_year_without_funds_stands(db: Database, tmp_path: Path) -> None:
    no = (await add_domain(db, "site.example")).no
    async with db.write() as tx:
        await changes.advance_quality(tx, no, QualityStatus.NO_FUNDS_THIS_YEAR, ADMIN, year=2100)
    await see(db, no, "/", text="home", relevant=True, records=[record("Small Grants")])
    await _end(db, no)
    await extract(db, tmp_path)
    assert (await get(db, no)).quality_status == "no_funds_this_year"
    assert await table(db, crawl_ends) == []


async def test_giving_back_an_exhausted_domain_notes_its_end(db: Database) -> None:
    await add_domain(db, "site.example")
    for status, ends in ((CrawlStatus.ACTIVE, 0), (CrawlStatus.EXHAUSTED, 1)):
        lease = await claim_one(db)
        async with db.write() as tx:
            await release(tx, lease, Outcome(status=status), "records")
        assert len(await table(db, crawl_ends)) == ends


async def test_records_are_published_unless_a_candidate_waits_and_when_it_is_approved(
    db: Database, tmp_path: Path
) -> None:
    plain = (await add_domain(db, "plain.example")).no
    waits = (await add_domain(db, "waits.example")).no
    async with db.write() as tx:
        made = await candidates.add(tx, waits, _candidate(), ADMIN)
    for no in (plain, waits):
        await see(
            db, no, "/", text="home", records=[record("Small Grants")], contacts=[contact("a@b.example")]
        )
    await extract(db, tmp_path)
    assert {row.domain_no: row.published for row in await table(db, records)} == {plain: True, waits: False}
    owners = {row.domain_no: row.candidate_id for row in await table(db, contacts)}
    assert owners == {plain: None, waits: made}
    async with db.write() as tx:
        for status in (CandidateStatus.PENDING_REVIEW, CandidateStatus.IN_REVIEW, CandidateStatus.APPROVED):
            await candidates.advance_candidate(tx, made, status, ADMIN)
    assert all(row.published for row in await table(db, records))
    await see(db, waits, "/more", text="more", records=[record("Large Grants")])
    await extract(db, tmp_path)
    assert all(row.published for row in await table(db, records))
