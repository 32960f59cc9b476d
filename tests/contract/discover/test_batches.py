"""Any batches of results, in any order: every result is counted once, every domain created once."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from surveyor.db import Database
from surveyor.db.tables import domains, search_results, spam_verdicts
from surveyor.discover.results import NotSpam, Result
from surveyor.discover.session import SessionType, Totals
from surveyor.discover.store import results, sessions
from surveyor.discover.store.results import Batch
from surveyor.ids import new_id
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import changes
from tests.support.registry_help import ADMIN, add_domain

GUILTY = NotSpam(True, 0.7, ("it shouts",))
HITS = st.tuples(st.sampled_from("abcde"), st.sampled_from(["good", "good", "spam", "invalid"]))


@settings(max_examples=20)
@given(st.lists(st.lists(HITS, max_size=8), min_size=1, max_size=4))
async def test_any_batches_add_up(db: Database, answers: list[list[tuple[str, str]]]) -> None:
    mark, session = new_id().hex, new_id()

    def result(letter: str) -> Result:
        return Result(f"{letter}.{mark}.example", f"https://{letter}.{mark}.example/", "T", "", 1)

    bad = await add_domain(db, result("a").domain)
    async with db.write() as tx:
        await changes.advance_quality(tx, bad.no, QualityStatus.BLACKLISTED, ADMIN, reason="bad")
        await sessions.start(tx, session, SessionType.MANUAL_SEARCH, "ada", "w", 1, ["brave"])
    totals = Totals()
    for answer in answers:
        good = [result(letter) for letter, kind in answer if kind == "good"]
        spam = [(result(letter), GUILTY) for letter, kind in answer if kind == "spam"]
        invalid = sum(kind == "invalid" for _, kind in answer)
        async with db.write() as tx:
            counts = await results.write(tx, Batch(session, "brave", "q", None, good, spam, invalid), "ada")
            totals = totals.plus("brave", counts, 1)
            await sessions.write_totals(tx, session, totals)
    hits = [(result(letter).domain, kind) for answer in answers for letter, kind in answer]
    kept = Counter(name for name, kind in hits if kind == "good" and name != bad.domain)
    accused = Counter(name for name, kind in hits if kind == "spam")
    assert totals.results_found == len(hits)
    assert totals.new_domains == len(kept)
    assert totals.duplicates_skipped == sum(kept.values()) - len(kept)
    assert totals.blacklisted_skipped == sum(kind == "good" and name == bad.domain for name, kind in hits)
    assert (totals.spam_filtered, totals.invalid) == (
        sum(accused.values()),
        sum(kind == "invalid" for _, kind in hits),
    )
    async with db.read() as tx:
        mine = domains.c.domain.like(f"%{mark}%") & (domains.c.no != bad.no)
        seen = dict(
            (await tx.execute(select(domains.c.domain, domains.c.total_occurrences).where(mine))).all()
        )
        firsts = select(search_results.c.id).where(
            search_results.c.session_id == session, ~search_results.c.is_duplicate
        )
        verdicts = select(spam_verdicts.c.domain, spam_verdicts.c.verdicts).where(
            spam_verdicts.c.session_id == session
        )
        assert seen == kept
        assert len((await tx.execute(firsts)).all()) == len(kept)
        assert dict((await tx.execute(verdicts)).all()) == accused
