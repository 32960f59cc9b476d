"""Decisions, alone and in bulk: who may, from which state, with which event; refusals say why."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from surveyor.db import Database
from surveyor.errors import LeaseLost, NotFound, Refused, StaleVersion, UsageError
from surveyor.registry import feed
from surveyor.registry.actors import SYSTEM, Actor, Role
from surveyor.registry.domain import Domain
from surveyor.registry.leases import renew
from surveyor.review import decisions
from surveyor.review.decisions import Decision, Target, Verb
from surveyor.review.own_decisions import decided_by
from tests.support.lease_help import back_to_review, release, second_door
from tests.support.registry_help import ADMIN, REVIEWER, add_domain, add_domains, claim_one, get
from tests.support.review_help import found, in_state, kinds_of

_SAID: dict[Verb, dict[str, Any]] = {
    Verb.REJECT: {"reason": "a shop"},
    Verb.BLACKLIST: {"reason": "scam"},
    Verb.NO_FUNDS: {"year": 2031},
}


def _decision(verb: Verb, by: Actor = ADMIN) -> Decision:
    return Decision(verb, by, **_SAID.get(verb, {}))


async def _one(db: Database, verb: Verb, name: str, by: Actor = ADMIN, version: int | None = None) -> Domain:
    return await decisions.decide_one(db, _decision(verb, by), Target(name, version))


# State -> what is done in it, with the event; whatever is missing is refused.
_TABLE: dict[str, dict[Verb, str]] = {
    "pending": {
        Verb.APPROVE: "DomainApproved",
        Verb.REJECT: "DomainRejected",
        Verb.BLACKLIST: "DomainBlacklisted",
        Verb.NO_FUNDS: "NoFundsThisYear",
    },
    "approved": {
        Verb.REOPEN: "DomainBackInReview",
        Verb.SUSPEND: "DomainSuspended",
        Verb.TRUST: "DomainTrusted",
        Verb.BLACKLIST: "DomainBlacklisted",
        Verb.NO_FUNDS: "NoFundsThisYear",
    },
    "trusted": {
        Verb.REOPEN: "DomainBackInReview TrustWithdrawn",
        Verb.SUSPEND: "DomainSuspended",
        Verb.UNTRUST: "TrustWithdrawn",
        Verb.BLACKLIST: "DomainBlacklisted",
        Verb.NO_FUNDS: "NoFundsThisYear",
    },
    "rejected": {
        Verb.REOPEN: "DomainBackInReview",
        Verb.BLACKLIST: "DomainBlacklisted",
        Verb.NO_FUNDS: "NoFundsThisYear",
    },
    "suspended": {
        Verb.REOPEN: "DomainBackInReview",
        Verb.RESUME: "DomainResumed",
        Verb.REJECT: "DomainRejected",
        Verb.BLACKLIST: "DomainBlacklisted",
        Verb.NO_FUNDS: "NoFundsThisYear",
    },
    "blacklisted": {Verb.UNBLACKLIST: "DomainUnblacklisted", Verb.REJECT: "DomainRejected"},
}


@pytest.mark.parametrize("state", _TABLE)
async def test_a_decision_is_one_event_from_the_right_state_and_refused_from_any_other(
    db: Database, state: str
) -> None:
    for verb in Verb:
        name = f"{verb}.example"
        before = await in_state(db, name, state)
        told = len(await kinds_of(db))
        if verb in _TABLE[state]:
            after = await _one(db, verb, name)
            assert (await kinds_of(db))[told:] == _TABLE[state][verb].split()
            assert after.version == before.version + 1
        else:
            with pytest.raises(Refused) as refused:
                await _one(db, verb, name)
            assert name in str(refused.value) and "\n" not in str(refused.value)
            assert (await get(db, before.no)).row() == before.row()
            assert len(await kinds_of(db)) == told


async def test_an_approval_makes_due_and_says_who_and_when(db: Database) -> None:
    await in_state(db, "example.org", "pending")
    domain = await _one(db, Verb.APPROVE, "example.org", REVIEWER)
    assert (domain.review_status, domain.reviewed_by) == ("approved", "rita")
    assert domain.reviewed_at is not None and domain.due_at is not None
    [told] = await feed.read(db, 0, 10)
    event = told.event
    assert (event.actor, event.from_state, event.to_state) == ("rita", "pending_review", "approved")


async def test_who_may_only_submit_decides_nothing(db: Database) -> None:
    sue = Actor("sue", Role.SUBMITTER)
    for verb in Verb:
        with pytest.raises(Refused, match="sue may submit, not decide"):
            _decision(verb, sue)
    with pytest.raises(Refused, match="sue may submit"):
        await decisions.edit(db, sue, {"notes": "x"}, [Target("example.org")])


async def test_only_an_admin_takes_a_domain_off_the_blacklist(db: Database) -> None:
    await in_state(db, "example.org", "blacklisted")
    for by in (REVIEWER, SYSTEM):
        with pytest.raises(Refused, match="only an admin"):
            await _one(db, Verb.UNBLACKLIST, "example.org", by)
    assert (await _one(db, Verb.UNBLACKLIST, "example.org")).quality_status == "discovered"


def test_a_reason_is_asked_for_and_bounded() -> None:
    for verb in (Verb.REJECT, Verb.BLACKLIST):
        for reason in (None, "", "  "):
            with pytest.raises(UsageError, match=f"{verb} needs a reason"):
                Decision(verb, ADMIN, reason)
    with pytest.raises(UsageError, match="at most 2,000"):
        Decision(Verb.APPROVE, ADMIN, "x" * 2_001)


async def test_five_hundred_at_once_with_twenty_in_the_wrong_state(db: Database) -> None:
    right = 480 if db.is_sqlite else 80  # there each takes longer, and nothing else is different
    await add_domains(db, right, approved=False)
    wrong = []
    for index in range(20):
        state = ("approved", "rejected", "suspended", "blacklisted")[index % 4]
        wrong.append((await in_state(db, f"wrong{index}.example", state)).domain)
    names = [f"site{index}.example" for index in range(right)]
    mixed = [name for pair in zip(names[:20], wrong, strict=True) for name in pair] + names[20:]
    report = await decisions.decide(db, _decision(Verb.APPROVE), [Target(name) for name in mixed])
    assert [domain.domain for domain in report.done] == names
    assert [refusal.domain for refusal in report.refused] == wrong
    assert all(refusal.domain in refusal.why for refusal in report.refused)
    assert {domain.review_status for domain in report.done} == {"approved"}
    assert (await kinds_of(db)).count("DomainApproved") == right


async def test_a_name_that_is_unknown_or_twice_in_a_list_stops_nothing(db: Database) -> None:
    await in_state(db, "example.org", "pending")
    targets = [Target("nobody.example"), Target("example.org"), Target("example.org")]
    report = await decisions.decide(db, _decision(Verb.APPROVE), targets)
    assert [domain.domain for domain in report.done] == ["example.org"]
    assert [refusal.domain for refusal in report.refused] == ["nobody.example"]
    with pytest.raises(NotFound, match="`surveyor submit` proposes it"):
        await _one(db, Verb.APPROVE, "nobody.example")


async def test_a_stale_version_is_refused_with_what_changed_before_the_state_is_looked_at(
    db: Database,
) -> None:
    seen = await in_state(db, "example.org", "pending")
    await _one(db, Verb.APPROVE, "example.org", REVIEWER)
    with pytest.raises(StaleVersion, match="DomainApproved pending_review → approved by rita"):
        await _one(db, Verb.REJECT, "example.org", version=seen.version)
    targets = [Target("example.org", seen.version)]
    report = await decisions.decide(db, _decision(Verb.REJECT), targets)
    assert [refusal.version for refusal in report.refused] == [seen.version + 1]
    report = await decisions.edit(db, ADMIN, {"notes": "x"}, targets)
    assert [refusal.version for refusal in report.refused] == [seen.version + 1]
    assert (await found(db, "example.org")).notes is None


async def test_limits_and_notes_are_changed_in_bulk(db: Database) -> None:
    await add_domains(db, 3)
    values = {"max_crawl_depth": 5, "notes": "a good one"}
    targets = [Target("site0.example"), Target("site2.example"), Target("site9.example")]
    report = await decisions.edit(db, REVIEWER, values, targets)
    assert [(d.domain, d.max_crawl_depth, d.notes) for d in report.done] == [
        ("site0.example", 5, "a good one"),
        ("site2.example", 5, "a good one"),
    ]
    assert [refusal.domain for refusal in report.refused] == ["site9.example"]
    with pytest.raises(UsageError, match="pages per run is 1 to 10,000,000, not -1"):
        await decisions.edit(db, ADMIN, {"max_pages_per_run": -1}, [Target("site1.example")])


@pytest.mark.parametrize("verb", [Verb.SUSPEND, Verb.REOPEN, Verb.BLACKLIST])
async def test_a_decision_against_a_domain_withdraws_the_lease_at_once(db: Database, verb: Verb) -> None:
    await in_state(db, "example.org", "approved")
    lease = await claim_one(db)
    await _one(db, verb, "example.org")
    assert await renew(db, lease.worker, [lease], 60) == set()
    with pytest.raises(LeaseLost):
        await release(db, lease)
    after = await get(db, lease.no)
    assert (after.claimed_by, after.due_at) == (None, None)


async def test_whoever_names_no_version_is_not_told_of_others_who_were_quicker(
    db: Database, db_url: str
) -> None:
    """Notes are written all the time; an approval without a version goes through every time."""
    domain = await add_domain(db, "example.org", approved=False)
    async with second_door(db_url) as other:

        async def scribble() -> None:
            for index in range(30):
                await decisions.edit(other, REVIEWER, {"notes": f"n{index}"}, [Target("example.org")])

        writing = asyncio.create_task(scribble())
        for verb in (Verb.APPROVE, Verb.SUSPEND, Verb.RESUME, Verb.TRUST, Verb.UNTRUST):
            await _one(db, verb, "example.org")
        await writing
    assert (await get(db, domain.no)).version == 1 + 30 + 5


async def test_a_domain_that_comes_back_to_review_comes_without_trust(db: Database) -> None:
    domain = await in_state(db, "example.org", "trusted")
    await back_to_review(db, domain.no)
    assert (await kinds_of(db))[-2:] == ["DomainBackInReview", "TrustWithdrawn"]
    assert not (await get(db, domain.no)).is_trusted


async def test_my_last_decisions_name_what_takes_each_back_until_somebody_changes_the_domain(
    db: Database,
) -> None:
    for name in ("a.example", "b.example", "c.example"):
        await in_state(db, name, "pending")
    await _one(db, Verb.APPROVE, "a.example", REVIEWER)
    await _one(db, Verb.REJECT, "b.example", REVIEWER)
    await _one(db, Verb.APPROVE, "c.example", ADMIN)
    mine = await decided_by(db, REVIEWER.name)
    assert [(one.domain, one.undo) for one in mine] == [
        ("b.example", Verb.REOPEN),
        ("a.example", Verb.REOPEN),
    ]
    for one in mine:
        assert one.undo is not None
        back = await _one(db, one.undo, one.domain, REVIEWER, one.version)
        assert back.review_status == "pending_review" and back.reviewed_by is None
    await _one(db, Verb.APPROVE, "a.example", ADMIN)
    assert [one.undo for one in await decided_by(db, REVIEWER.name)] == [None, None]
    assert await decided_by(db, "nobody") == []
