"""Candidates in people's hands, on both engines: one reviewer at a time, every step an event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert, select

from surveyor.db import Database, now
from surveyor.db.tables import records
from surveyor.errors import NotFound, Refused, UsageError
from surveyor.people import store as people
from surveyor.registry.actors import SYSTEM, Actor, Role
from surveyor.registry.candidates import Candidate, CandidateStatus, NewCandidate
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import candidates as store
from surveyor.registry.store import changes
from surveyor.review import candidates
from tests.support.cli_help import surveyor
from tests.support.lease_help import second_door
from tests.support.registry_help import ADMIN, REVIEWER, add_domain
from tests.support.review_help import kinds_of

ROBERT = Actor("robert", Role.REVIEWER)
SUE = Actor("sue", Role.SUBMITTER)
_S = CandidateStatus


async def _candidate(db: Database, name: str, confidence: str = "0.80", *, crawled: bool = True) -> UUID:
    domain = await add_domain(db, name)
    new = _new(name, confidence)
    async with db.write() as tx:
        made = await store.add(tx, domain.no, new, SYSTEM)
        if crawled:
            await store.domains_were_crawled(tx, {domain.no: SYSTEM})
    return made


def _new(name: str, confidence: str = "0.80") -> NewCandidate:
    score = {"judge": "Keyword", "score": "0.80", "weight": "0.30", "explanation": "says grants"}
    return NewCandidate(
        session_id=None,
        url=f"https://{name}/",
        title="Grants",
        organisation_name="A fund",
        program_name=None,
        confidence=Decimal(confidence),
        threshold=Decimal("0.60"),
        scores=[score],
        reasoning="because",
        judge_version="1",
    )


async def _get(db: Database, candidate: UUID) -> Candidate:
    async with db.read() as tx:
        return await store.get(tx, candidate)


async def test_a_candidate_is_taken_given_back_taken_by_another_and_decided(db: Database) -> None:
    made = await _candidate(db, "example.org")
    assert (await candidates.take(db, made, REVIEWER)).assigned_to == "rita"
    assert (await candidates.take(db, made, REVIEWER)).assigned_to == "rita", "it is hers already"
    for act in (candidates.take, candidates.give_back):
        with pytest.raises(Refused, match=r"of example\.org was taken by rita"):
            await act(db, made, ROBERT)
    with pytest.raises(Refused, match=r"of example\.org was taken by rita"):
        await candidates.decide(db, made, True, ROBERT)
    assert (await candidates.give_back(db, made, REVIEWER)).assigned_to is None
    with pytest.raises(Refused, match="nobody has taken it"):
        await candidates.give_back(db, made, REVIEWER)
    await candidates.take(db, made, ROBERT)
    decided = await candidates.decide(db, made, True, ROBERT, "sound")
    assert (decided.status, decided.decided_by, decided.decision_reason) == (_S.APPROVED, "robert", "sound")
    with pytest.raises(Refused, match="was approved by robert"):
        await candidates.decide(db, made, False, ROBERT, "no")
    assert (await kinds_of(db))[-4:] == [
        "CandidateTaken",
        "CandidateGivenBack",
        "CandidateTaken",
        "CandidateApproved",
    ]


async def test_whoever_decides_on_one_that_waits_takes_it_on_the_way(db: Database) -> None:
    made = await _candidate(db, "example.org")
    decided = await candidates.decide(db, made, False, REVIEWER, "not theirs")
    assert (decided.status, decided.assigned_to) == (_S.REJECTED, "rita")


async def test_an_admin_decides_on_what_another_took(db: Database) -> None:
    made = await _candidate(db, "example.org")
    await candidates.take(db, made, REVIEWER)
    assert (await candidates.decide(db, made, True, ADMIN)).decided_by == "ada"


async def test_before_its_domain_is_crawled_a_candidate_can_only_be_rejected(db: Database) -> None:
    made = await _candidate(db, "example.org", crawled=False)
    for act in (candidates.take(db, made, REVIEWER), candidates.decide(db, made, True, REVIEWER)):
        with pytest.raises(Refused, match=r"waits until example\.org is crawled"):
            await act
    assert (await candidates.decide(db, made, False, REVIEWER, "no")).status is _S.REJECTED


async def test_what_is_wrong_is_refused_with_what_to_do(db: Database) -> None:
    made = await _candidate(db, "example.org")
    skipped = await _candidate(db, "low.example", "0.10")
    with pytest.raises(Refused, match="its confidence is too low"):
        await candidates.take(db, skipped, REVIEWER)
    with pytest.raises(UsageError, match="a rejection needs a reason"):
        await candidates.decide(db, made, False, REVIEWER, " ")
    with pytest.raises(NotFound, match="`surveyor candidates` lists them"):
        await candidates.take(db, uuid4(), REVIEWER)
    acts: list[Callable[[], object]] = [
        lambda: candidates.take(db, made, SUE),
        lambda: candidates.take_next(db, SUE),
        lambda: candidates.give_back(db, made, SUE),
        lambda: candidates.decide(db, made, True, SUE),
    ]
    for act in acts:
        with pytest.raises(Refused, match="sue may submit, not decide"):
            await act()  # type: ignore[misc]


async def test_the_most_promising_one_is_next_and_each_goes_to_one_person(db: Database, db_url: str) -> None:
    made = [await _candidate(db, f"site{n}.example", f"0.{60 + n}") for n in range(6)]
    hidden = await _candidate(db, "hidden.example", "0.99")
    async with db.write() as tx:
        no = (await store.get(tx, hidden)).domain_no
        await changes.advance_quality(tx, no, QualityStatus.NO_FUNDS_THIS_YEAR, ADMIN)
    async with second_door(db_url) as other:
        taken = await asyncio.gather(
            *(candidates.take_next(other if n % 2 else db, Actor(f"r{n}", Role.REVIEWER)) for n in range(6))
        )
    assert {candidate.id for candidate in taken if candidate} == set(made)
    assert await candidates.take_next(db, REVIEWER) is None
    await candidates.give_back(db, made[2], ADMIN)
    await candidates.give_back(db, made[4], ADMIN)
    following = await candidates.take_next(db, REVIEWER)
    assert following is not None and following.id == made[4]


@pytest.mark.parametrize("how", ["rejected", "blacklisted"])
async def test_a_candidate_in_somebodys_hands_ends_with_its_domain(db: Database, how: str) -> None:
    made = await _candidate(db, "example.org")
    await candidates.take(db, made, REVIEWER)
    no = (await _get(db, made)).domain_no
    async with db.write() as tx:
        if how == "rejected":
            await changes.advance_review(tx, no, ReviewStatus.SUSPENDED, ADMIN)
            await changes.advance_review(tx, no, ReviewStatus.REJECTED, ADMIN, reason="a shop")
        else:
            await changes.advance_quality(tx, no, QualityStatus.BLACKLISTED, ADMIN, reason="scam")
    assert (await _get(db, made)).status is _S.REJECTED
    with pytest.raises(Refused, match="was rejected by ada"):
        await candidates.decide(db, made, True, REVIEWER)


@pytest.mark.parametrize("engine_name", ["sqlite"], indirect=True)
async def test_the_commands(db: Database, db_url: str, tmp_path: object) -> None:
    def run(*words: str, code: int = 0) -> str:
        ran = surveyor(*words, SURVEYOR_DATABASE__URL=db_url)
        assert ran.code == code, ran.err
        return ran.out + ran.err

    made = str(await _candidate(db, "example.org"))
    other = str(await _candidate(db, "less.example", "0.70"))

    def all_of_them() -> None:
        assert "keyword: 0.80 of weight 0.30, says grants" in run("candidate-take")
        assert f'"id": "{made}"' in run("candidate-take", made, "--give-back", "--json")
        assert "of example.org: approved" in run("candidate-decide", made, "approve")
        assert "in_review" in run("candidate-take", "https://www.less.example/page")
        assert "in_review" not in run("candidate-take", "less.example", "--give-back")
        assert "needs a reason" in run("candidate-decide", "less.example", "reject", code=2)
        assert '"status": "rejected"' in run("candidate-decide", other, "reject", "--reason", "no", "--json")
        assert run("candidate-take") == "no candidate waits for review\n"
        assert run("candidate-take", "--json") == "null\n"
        assert "example.org has no candidate that waits" in run("candidate-take", "example.org", code=1)
        assert "nobody.example is not in the register" in run("candidate-take", "nobody.example", code=1)
        assert "single label" in run("candidate-take", "x", code=2)
        assert "name the candidate to give back" in run("candidate-take", "--give-back", code=2)
        assert "was approved by cli:" in run("candidate-take", made, code=1)

    await asyncio.to_thread(all_of_them)


async def test_a_decision_on_a_candidate_is_taken_back_by_whoever_made_it(db: Database) -> None:
    made = await _candidate(db, "example.org")
    await candidates.decide(db, made, True, REVIEWER)
    with pytest.raises(Refused, match="rita decided on it"):
        await candidates.reopen(db, made, ROBERT)
    assert [each.id for each in await candidates.decided_by(db, "rita")] == [made]
    back = await candidates.reopen(db, made, REVIEWER)
    assert (back.status, back.assigned_to, back.decided_by) == (_S.IN_REVIEW, "rita", None)
    assert (await kinds_of(db))[-1] == "CandidateReopened"
    assert await candidates.decided_by(db, "rita") == []
    with pytest.raises(Refused, match="nobody decided on it yet"):
        await candidates.reopen(db, made, REVIEWER)


async def test_taking_a_yes_back_hides_the_records_that_it_published(db: Database) -> None:
    made = await _candidate(db, "example.org")
    no = (await _get(db, made)).domain_no
    stamps = {"first_seen_at": now(), "last_seen_at": now(), "updated_at": now()}
    async with db.write() as tx:
        await tx.execute(
            insert(records).values(
                id=uuid4(),
                domain_no=no,
                kind="organisation",
                identity=b"x" * 16,
                name="x",
                fields={},
                **stamps,
            )
        )
    published = select(records.c.published)
    await candidates.decide(db, made, True, REVIEWER)
    async with db.read() as tx:
        assert (await tx.execute(published)).scalar_one() is True
    await candidates.reopen(db, made, REVIEWER)
    async with db.read() as tx:
        assert (await tx.execute(published)).scalar_one() is False


async def test_a_decision_is_not_taken_back_where_its_domain_was_refused_or_has_another(db: Database) -> None:
    made = await _candidate(db, "example.org")
    await candidates.decide(db, made, False, REVIEWER, "too far away")
    candidate = await _get(db, made)
    async with db.write() as tx:
        await changes.advance_quality(
            tx, candidate.domain_no, QualityStatus.BLACKLISTED, ADMIN, reason="scam"
        )
    with pytest.raises(Refused, match="reopen the domain first"):
        await candidates.reopen(db, made, REVIEWER)
    async with db.write() as tx:
        await changes.advance_quality(tx, candidate.domain_no, QualityStatus.DISCOVERED, ADMIN)
        await store.add(tx, candidate.domain_no, _new("example.org"), SYSTEM)
    with pytest.raises(Refused, match="has another open candidate"):
        await candidates.reopen(db, made, REVIEWER)


async def test_a_candidate_is_given_to_a_reviewer_and_to_nobody_else(db: Database) -> None:
    made = await _candidate(db, "example.org")
    async with db.write() as tx:
        for name, role in (("robert", Role.REVIEWER), ("sue", Role.SUBMITTER)):
            await people.add_user(tx, name, role, None, "ada")
    with pytest.raises(Refused, match="sue cannot decide"):
        await candidates.assign(db, made, "sue", REVIEWER)
    with pytest.raises(NotFound, match="no user 'nobody'"):
        await candidates.assign(db, made, "nobody", REVIEWER)
    assert (await _get(db, made)).status is _S.PENDING_REVIEW
    given = await candidates.assign(db, made, "Robert", REVIEWER)
    assert (given.status, given.assigned_to) == (_S.IN_REVIEW, "robert")
    with pytest.raises(Refused, match="was taken by robert"):
        await candidates.assign(db, made, "robert", REVIEWER)
    assert (await kinds_of(db))[-2:] == ["CandidateTaken", "CandidateAssigned"]
    kept = await candidates.write_notes(db, made, "ask the council", ROBERT)
    assert kept.notes == "ask the council"
    with pytest.raises(UsageError, match="5,000"):
        await candidates.write_notes(db, made, "x" * 5_001, ROBERT)


async def test_one_that_was_skipped_is_passed_until_the_list_begins_again(db: Database) -> None:
    names = [("a.example", "0.90"), ("b.example", "0.80"), ("c.example", "0.80")]
    made = [await _candidate(db, name, confidence) for name, confidence in names]
    first = await candidates.take_next(db, REVIEWER)
    assert first is not None and first.id == made[0]
    first = await candidates.give_back(db, first.id, REVIEWER)
    second = await candidates.take_next(db, REVIEWER, first)
    assert second is not None and second.id == made[1]
    third = await candidates.take_next(db, REVIEWER, second)
    assert third is not None and third.id == made[2]
    assert await candidates.take_next(db, REVIEWER, third) is None
    assert [each.id for each in await candidates.waiting(db, 5)] == [made[0]]
