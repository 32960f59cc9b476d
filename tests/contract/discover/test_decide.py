"""Decisions of a spreadsheet in the register: through the lifecycles, with who and why, once."""

from __future__ import annotations

import io

from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import events
from surveyor.discover.seeds import DecisionsReport, decide, read_decisions
from surveyor.names import DEFAULT_RULES
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import changes, rows
from tests.support.registry_help import ADMIN, add_domain


async def sheet(db: Database, *lines: str) -> DecisionsReport:
    text = "\n".join(["domain,decision,reason,notes", *lines])
    return await decide(db, read_decisions(io.BytesIO(text.encode())), "old_sheet", ADMIN, DEFAULT_RULES)


async def find(db: Database, name: str) -> Domain:
    async with db.read() as tx:
        found = await rows.find(tx, name)
    assert found is not None
    return found


async def test_each_decision_takes_its_way_with_actor_and_reason(db: Database) -> None:
    report = await sheet(
        db,
        "https://www.a.example/x,approve,,a good one",
        "b.example,reject,off topic,",
        "c.example,blacklist,malware,",
        "d.example,suspend,asked us,",
        "e.example,,,",
    )
    assert (report.lines, report.new, report.bad) == (5, 5, 0)
    assert (report.approved, report.rejected, report.blacklisted, report.suspended, report.unchanged) == (
        1,
        1,
        1,
        1,
        1,
    )
    a, b, c = [await find(db, f"{letter}.example") for letter in "abc"]
    assert (a.review_status, a.reviewed_by, a.notes, a.source) == (
        "approved",
        "ada",
        "a good one",
        "old_sheet",
    )
    assert a.due_at is not None
    assert (b.review_status, b.rejection_reason) == ("rejected", "off topic")
    assert (c.quality_status, c.blacklisted_by, c.blacklist_reason) == ("blacklisted", "ada", "malware")
    assert (await find(db, "d.example")).review_status is ReviewStatus.SUSPENDED
    assert (await find(db, "e.example")).review_status is ReviewStatus.PENDING_REVIEW


async def test_the_same_sheet_again_changes_nothing(db: Database) -> None:
    lines = ("a.example,yes,,note", "b.example,no,r,", "c.example,ban,r,", "d.example,paused,,")
    await sheet(db, *lines)
    before = [await find(db, f"{letter}.example") for letter in "abcd"]
    report = await sheet(db, *lines)
    assert (report.new, report.unchanged) == (0, 4)
    after = [await find(db, f"{letter}.example") for letter in "abcd"]
    assert [(one.version, one.notes) for one in after] == [(one.version, one.notes) for one in before]


async def test_a_decision_that_was_changed_in_the_sheet_is_followed(db: Database) -> None:
    await add_domain(db, "was-approved.example")
    report = await sheet(db, "was-approved.example,no,,", "new.example,no,,", "new.example,yes,,")
    assert (report.rejected, report.approved) == (2, 1)
    rejected = await find(db, "was-approved.example")
    assert (rejected.review_status, rejected.rejection_reason) == ("rejected", "decided in old_sheet")
    assert (await find(db, "new.example")).review_status is ReviewStatus.APPROVED
    async with db.read() as tx:
        query = select(events.c.to_state).where(events.c.domain_no == rejected.no).order_by(events.c.id)
        assert list((await tx.execute(query)).scalars()) == ["suspended", "rejected"]


async def test_a_decision_that_cannot_be_followed_is_named_and_the_rest_goes_on(db: Database) -> None:
    bad = await add_domain(db, "bad.example")
    async with db.write() as tx:
        await changes.advance_quality(tx, bad.no, QualityStatus.BLACKLISTED, ADMIN, reason="spam")
    report = await sheet(
        db, "bad.example,yes,,", "10.0.0.1,yes,,", "r.example,no,,", "r.example,suspend,,", "g.example,yes,,"
    )
    assert [(line.number, line.text) for line in report.bad_lines] == [
        (3, "10.0.0.1"),
        (2, "bad.example"),
        (5, "r.example"),
    ]
    assert (report.bad, report.approved, report.rejected) == (3, 1, 1)
    assert "blacklisted" in report.bad_lines[1].reason
    assert (await find(db, "bad.example")).review_status is ReviewStatus.APPROVED


async def test_notes_are_added_to_what_is_there(db: Database) -> None:
    await sheet(db, "a.example,yes,,first")
    await sheet(db, "a.example,yes,,second")
    assert (await find(db, "a.example")).notes == "first\nsecond"
