"""Every answer to a submission, on both engines; and that a flood reaches neither people nor sites."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import update

from surveyor.db import Database
from surveyor.db.tables import domain_crawl, pages
from surveyor.errors import BadInput, Refused, UsageError
from surveyor.frontier.changes import RANK_FIRST, RANK_LATER
from surveyor.frontier.sql import SqlFrontier
from surveyor.people import TooManyTries
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Stage, SubmitterType
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import changes, rows
from surveyor.review.submission_values import Intake, Outcome, Submitter
from surveyor.settings import ReviewSettings
from tests.support.lease_help import second_door
from tests.support.registry_help import ADMIN, add_domain, claim_one, get
from tests.support.review_help import PUBLIC, STAFF, find, found, in_state, kinds_of, name_it, urls_of


async def test_a_new_domain_waits_for_review_with_who_and_why(db: Database) -> None:
    answer = await name_it(db, " https://WWW.Example.org/ ", context="we met them at a fair")
    assert (answer.outcome, answer.domain, answer.message) == (
        Outcome.SUBMITTED,
        "example.org",
        "submitted for review",
    )
    domain = await found(db, "example.org")
    assert (domain.review_status, domain.due_at, domain.max_crawl_depth) == ("pending_review", None, 3)
    assert (domain.submitted_by, domain.submitter_type) == ("public", SubmitterType.PUBLIC_USER)
    assert (domain.submission_context, domain.source) == ("we met them at a fair", "submission")
    assert domain.stage is Stage.AWAITING_REVIEW
    assert await kinds_of(db) == ["DomainSubmitted"]


async def test_staff_gives_a_new_domain_its_limits_and_the_public_does_not(db: Database) -> None:
    await name_it(db, "example.org", STAFF, depth=0, delay_seconds=0.5, max_pages=7)
    domain = await found(db, "example.org")
    assert (domain.max_crawl_depth, domain.crawl_delay_seconds, domain.max_pages_per_run) == (0, 0.5, 7)
    assert (domain.version, domain.submitter_type) == (1, SubmitterType.ADMIN)
    with pytest.raises(UsageError, match="for reviewers to set"):
        await name_it(db, "other.example", PUBLIC, depth=9)
    with pytest.raises(UsageError, match="a depth is 0 to 1,000"):
        await name_it(db, "other.example", STAFF, depth=-1)
    with pytest.raises(UsageError, match="a delay is"):
        await name_it(db, "other.example", STAFF, delay_seconds=1e9)
    with pytest.raises(UsageError, match="a budget is"):
        await name_it(db, "other.example", STAFF, max_pages=0)
    assert await find(db, "other.example") is None


async def test_limits_that_staff_names_with_a_known_domain_hold_from_then_on(db: Database) -> None:
    await name_it(db, "example.org", STAFF)
    await name_it(db, "example.org", STAFF, depth=5, max_pages=9)
    domain = await found(db, "example.org")
    assert (domain.max_crawl_depth, domain.max_pages_per_run, domain.version) == (5, 9, 2)
    await in_state(db, "other.example", "suspended")
    answer = await name_it(db, "other.example", STAFF, depth=1)
    assert answer.message.endswith("; its limits stay as they are")
    assert (await found(db, "other.example")).max_crawl_depth is None


async def test_a_domain_that_waits_gets_the_context_added_once(db: Database) -> None:
    await name_it(db, "example.org", context="first")
    for _ in range(2):
        answer = await name_it(db, "example.org", STAFF, context="second")
        assert (answer.outcome, answer.message) == (Outcome.ALREADY_SUBMITTED, "already submitted for review")
    domain = await found(db, "example.org")
    assert (domain.submission_context, domain.version) == ("first\nsecond", 1)
    assert domain.submitted_by == "public", "who was first stays"


async def test_a_domain_that_a_stage_found_comes_before_people_when_one_of_them_names_it(
    db: Database,
) -> None:
    await add_domain(db, "example.org", approved=False, by=SubmitterType.SYSTEM)
    assert (await found(db, "example.org")).stage is Stage.DISCOVERED
    await name_it(db, "example.org")
    domain = await found(db, "example.org")
    assert (domain.stage, domain.submitted_by) == (Stage.AWAITING_REVIEW, "public")


@pytest.mark.parametrize("state", ["approved", "trusted"])
async def test_an_approved_domain_offers_to_be_crawled_again(db: Database, state: str) -> None:
    before = await in_state(db, "example.org", state)
    answer = await name_it(db, "example.org")
    assert (answer.outcome, answer.offers) == (Outcome.ALREADY_APPROVED, "recrawl")
    assert (await found(db, "example.org")).row() == before.row()


@pytest.mark.parametrize(
    ("state", "by", "rank"),
    [
        ("approved", PUBLIC, RANK_LATER),
        ("approved", STAFF, RANK_FIRST),
        ("trusted", PUBLIC, RANK_FIRST),
        ("trusted", STAFF, RANK_FIRST),
    ],
    ids=["public", "staff", "public-trusted", "staff-trusted"],
)
async def test_a_url_of_an_approved_domain_goes_straight_into_the_frontier(
    db: Database, state: str, by: Submitter, rank: int
) -> None:
    domain = await in_state(db, "example.org", state)
    await _rests(db, domain.no)
    answer = await name_it(db, "http://www.example.org/apply?utm_source=x&id=2#top", by)
    assert (answer.outcome, answer.offers) == (Outcome.QUEUED, None)
    assert await urls_of(db, domain.no) == {
        "/": ("waiting", RANK_FIRST, 0),
        "/apply?id=2": ("waiting", rank, 1),
    }
    after = await get(db, domain.no)
    assert (after.frontier_size, after.pages_discovered, after.version) == (2, 2, domain.version)
    assert after.due_at is not None and after.due_at <= after.read_at
    assert (await kinds_of(db))[-1] == "UrlSubmitted"


async def _rests(db: Database, no: int) -> None:
    async with db.write() as tx:
        await tx.execute(update(domain_crawl).where(domain_crawl.c.no == no).values(due_at=None))


async def test_a_url_without_its_scheme_is_a_url_too(db: Database) -> None:
    domain = await in_state(db, "example.org", "approved")
    await name_it(db, "example.org/apply", STAFF)
    assert "/apply" in await urls_of(db, domain.no)


async def test_a_page_that_was_fetched_is_fetched_again_for_staff_and_on_trusted_domains_only(
    db: Database,
) -> None:
    domain = await in_state(db, "example.org", "approved")
    await name_it(db, "https://example.org/apply", STAFF)
    assert (await name_it(db, "https://example.org/apply")).outcome is Outcome.ALREADY_KNOWN
    for state, reason in (("done", None), ("ended", "gone")):
        async with db.write() as tx:
            values = {"state": state, "reason": reason, "attempts": 3}
            await tx.execute(update(pages).where(pages.c.target == "/apply").values(values))
        answer = await name_it(db, "https://example.org/apply")
        assert (answer.outcome, answer.message) == (
            Outcome.ALREADY_KNOWN,
            "https://example.org/apply was looked at before",
        )
        size = (await get(db, domain.no)).frontier_size
        assert (await name_it(db, "https://example.org/apply", STAFF)).outcome is Outcome.QUEUED
        assert (await urls_of(db, domain.no))["/apply"][0] == "waiting"
        assert (await get(db, domain.no)).frontier_size == size + 1


async def test_a_url_that_waits_behind_others_comes_first_when_staff_names_it(db: Database) -> None:
    domain = await in_state(db, "example.org", "approved")
    await name_it(db, "https://example.org/apply")
    assert (await urls_of(db, domain.no))["/apply"][1] == RANK_LATER
    assert (await name_it(db, "https://example.org/apply", STAFF)).outcome is Outcome.ALREADY_KNOWN
    assert (await urls_of(db, domain.no))["/apply"][1] == RANK_FIRST


async def test_a_url_beyond_the_depth_is_not_queued(db: Database) -> None:
    domain = await in_state(db, "example.org", "approved")
    answer = await name_it(db, "https://example.org/apply", STAFF, Intake(max_depth=0))
    assert answer.outcome is Outcome.OUT_OF_REACH
    async with db.write() as tx:
        await changes.edit(tx, domain.no, {"max_crawl_depth": 0}, ADMIN, seen_version=None)
    answer = await name_it(db, "https://example.org/apply", STAFF, Intake(max_depth=None))
    assert answer.outcome is Outcome.OUT_OF_REACH
    assert await urls_of(db, domain.no) == {}


async def test_a_url_wakes_no_domain_that_must_rest(db: Database) -> None:
    domain = await in_state(db, "example.org", "approved")
    async with db.write() as tx:
        values = {"crawl_status": "unreachable", "block_reason_code": "timeout", "due_at": None}
        await tx.execute(update(domain_crawl).where(domain_crawl.c.no == domain.no).values(values))
    assert (await name_it(db, "https://example.org/apply", STAFF)).outcome is Outcome.QUEUED
    assert (await get(db, domain.no)).due_at is None


async def test_a_url_that_is_named_during_a_visit_is_taken_within_it(db: Database) -> None:
    domain = await in_state(db, "example.org", "approved")
    lease = await claim_one(db)
    async with db.write() as tx:
        await SqlFrontier().open(tx, {domain.no: lease.epoch})
    await name_it(db, "https://example.org/apply", STAFF)
    after = await get(db, domain.no)
    assert (after.claimed_by, after.lease_epoch) == (lease.worker, lease.epoch)


async def test_a_url_of_a_domain_nobody_knows_asks_first_and_leaves_no_trace(db: Database) -> None:
    answer = await name_it(db, "https://example.org/apply", context="x")
    assert (answer.outcome, answer.offers, answer.url) == (
        Outcome.ASKS,
        "review",
        "https://example.org/apply",
    )
    assert answer.message == "example.org is not known yet; would you like to submit it for review?"
    assert await find(db, "example.org") is None
    assert await kinds_of(db) == []


@pytest.mark.parametrize(("by", "rank"), [(PUBLIC, RANK_LATER), (STAFF, RANK_FIRST)], ids=["public", "staff"])
async def test_the_url_of_a_domain_that_is_submitted_is_kept_and_queued_by_its_approval(
    db: Database, by: Submitter, rank: int
) -> None:
    answer = await name_it(db, "https://example.org/apply", by, for_review=True)
    assert answer.outcome is Outcome.SUBMITTED
    assert answer.message == "submitted for review; https://example.org/apply is fetched once it is approved"
    domain = await found(db, "example.org")
    assert (domain.due_at, domain.review_status) == (None, "pending_review")
    await name_it(db, "https://example.org/more", by)
    async with db.write() as tx:
        await changes.advance_review(tx, domain.no, ReviewStatus.APPROVED, ADMIN)
    lease = await claim_one(db)
    assert lease.no == domain.no
    assert await urls_of(db, domain.no) == {
        "/": ("waiting", RANK_FIRST, 0),
        "/apply": ("waiting", rank, 1),
        "/more": ("waiting", rank, 1),
    }


async def test_as_many_urls_are_kept_for_a_domain_that_waits_as_the_settings_say(db: Database) -> None:
    intake = Intake(ReviewSettings(waiting_urls=4))
    await name_it(db, "example.org")
    for index in range(10):
        await name_it(db, f"https://example.org/{index}", PUBLIC, intake)
    domain = await found(db, "example.org")
    assert len(await urls_of(db, domain.no)) == domain.frontier_size == 4


async def test_a_rejected_domain_says_why_and_may_be_submitted_again(db: Database) -> None:
    domain = await in_state(db, "example.org", "rejected")
    for text in ("example.org", "https://example.org/apply"):
        answer = await name_it(db, text)
        assert (answer.outcome, answer.offers) == (Outcome.REJECTED, "review")
        assert answer.message == "was rejected: a shop; it may be submitted again"
        assert (await get(db, domain.no)).row() == domain.row()
    assert await urls_of(db, domain.no) == {}
    answer = await name_it(db, "https://example.org/apply", context="they changed", for_review=True)
    assert answer.outcome is Outcome.SUBMITTED_AGAIN
    after = await get(db, domain.no)
    assert (after.review_status, after.rejection_reason) == ("pending_review", None)
    assert after.submission_context == "they changed"
    assert "/apply" in await urls_of(db, domain.no)


@pytest.mark.parametrize("state", ["suspended", "blacklisted"])
@pytest.mark.parametrize("text", ["example.org", "https://example.org/apply"], ids=["domain", "url"])
async def test_a_suspended_or_blacklisted_domain_says_so_and_nothing_else_happens(
    db: Database, state: str, text: str
) -> None:
    domain = await in_state(db, "example.org", state)
    before = await kinds_of(db)
    for by in (PUBLIC, STAFF):
        answer = await name_it(db, text, by, context="please", for_review=True)
        assert (answer.outcome.value, answer.offers) == (state, None)
        assert f"is {state}" in answer.message
        assert "scam" not in answer.message, "the reason is not everybody's"
    assert (await get(db, domain.no)).row() == domain.row()
    assert (await urls_of(db, domain.no), await kinds_of(db)) == ({}, before)


# --- floods


async def test_the_public_is_limited_by_address_and_in_total_and_staff_is_not(db: Database) -> None:
    intake = Intake(ReviewSettings(per_address=3, in_total=5))
    for index in range(3):
        await name_it(db, f"a{index}.example", PUBLIC, intake)
    with pytest.raises(TooManyTries, match="from one address"):
        await name_it(db, "a9.example", PUBLIC, intake)
    other = Submitter.public("192.0.2.2")
    for index in range(2):
        await name_it(db, f"b{index}.example", other, intake)
    with pytest.raises(TooManyTries, match="at this hour"):
        await name_it(db, "b9.example", other, intake)
    submitter = Submitter.of(Actor("sue", Role.SUBMITTER), "192.0.2.3")
    with pytest.raises(TooManyTries, match="at this hour"):
        await name_it(db, "c.example", submitter, intake)
    for index in range(8):
        await name_it(db, f"s{index}.example", STAFF, intake)
    assert await find(db, "a9.example") is None and await find(db, "b9.example") is None


async def test_an_account_is_limited_wherever_it_comes_from(db: Database) -> None:
    intake = Intake(ReviewSettings(per_address=2))
    for index in range(2):
        await name_it(db, f"a{index}.example", Submitter("sue", False, f"192.0.2.{index}"), intake)
    with pytest.raises(TooManyTries):
        await name_it(db, "a3.example", Submitter("sue", False, "192.0.2.9"), intake)


async def test_a_flood_from_everywhere_is_bounded_and_causes_no_request(db: Database, db_url: str) -> None:
    intake = Intake(ReviewSettings(per_address=5, in_total=30))
    async with AsyncExitStack() as doors:
        others = [db, await doors.enter_async_context(second_door(db_url))]
        floods = [
            name_it(others[n % 2], f"https://host{n % 40}.example/{n}", _from(n), intake, for_review=True)
            for n in range(120)
        ]
        answers = await asyncio.gather(*floods, return_exceptions=True)
    accepted = [answer for answer in answers if not isinstance(answer, BaseException)]
    assert {type(each) for each in answers if isinstance(each, BaseException)} == {TooManyTries}
    assert len(accepted) == 30
    async with db.read() as tx:
        due = domain_crawl.select().where(domain_crawl.c.due_at.is_not(None))
        assert (await tx.execute(due)).all() == []


async def test_no_more_domains_of_the_public_wait_than_the_settings_say(db: Database) -> None:
    intake = Intake(ReviewSettings(waiting_domains=2))
    await name_it(db, "staff.example", STAFF, intake)
    for name in ("a.example", "b.example"):
        await name_it(db, name, PUBLIC, intake)
    with pytest.raises(Refused, match="too many domains wait for review already"):
        await name_it(db, "c.example", PUBLIC, intake)
    assert (await name_it(db, "a.example", PUBLIC, intake)).outcome is Outcome.ALREADY_SUBMITTED
    await name_it(db, "c.example", STAFF, intake)
    async with db.write() as tx:
        no = await rows.find_no(tx, "a.example")
        await changes.advance_review(tx, no, ReviewStatus.REJECTED, ADMIN, reason="no")
    assert (await name_it(db, "d.example", PUBLIC, intake)).outcome is Outcome.SUBMITTED


def _from(number: int) -> Submitter:
    return Submitter.public(f"192.0.2.{number % 50}")


@pytest.mark.parametrize("state", ["approved", "trusted"])
async def test_public_urls_of_one_domain_are_limited_per_day(db: Database, state: str) -> None:
    domain = await in_state(db, "example.org", state)
    intake = Intake(ReviewSettings(daily_urls=2))
    for index in range(2):
        await name_it(db, f"https://example.org/{index}", _from(index), intake)
    with pytest.raises(TooManyTries, match=r"URLs of example\.org today"):
        await name_it(db, "https://example.org/2", _from(2), intake)
    await name_it(db, "https://example.org/3", STAFF, intake)
    assert set(await urls_of(db, domain.no)) == {"/", "/0", "/1", "/3"}


async def test_many_who_name_the_same_new_domain_at_once_make_one(db: Database, db_url: str) -> None:
    async with second_door(db_url) as other:
        answers = await asyncio.gather(
            *(name_it(other if n % 2 else db, "example.org", STAFF, context=f"c{n}") for n in range(10))
        )
    outcomes = [answer.outcome for answer in answers]
    assert (outcomes.count(Outcome.SUBMITTED), outcomes.count(Outcome.ALREADY_SUBMITTED)) == (1, 9)
    context = (await found(db, "example.org")).submission_context
    assert context is not None and len(context.split("\n")) == 10


async def test_a_context_is_bounded_and_cleaned(db: Database) -> None:
    with pytest.raises(BadInput, match="at most 2,000 characters"):
        await name_it(db, "example.org", context="x" * 2_001)
    await name_it(db, "example.org", context="\x1b[31mred\x00\u202e\nline two ")
    assert (await found(db, "example.org")).submission_context == "[31mred  \nline two"
    for index in range(12):
        await name_it(db, "example.org", STAFF, context=f"{index}" * 1_000)
    context = (await found(db, "example.org")).submission_context
    assert context is not None and len(context) <= 10_000
