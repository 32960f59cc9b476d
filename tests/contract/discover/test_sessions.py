"""Sessions on both engines: one result's way, statistics that add up, providers that fail."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import pytest
from sqlalchemy import func, select, text

from surveyor.db import Database
from surveyor.db.tables import discovery_sessions, domains, events, search_results, spam_verdicts
from surveyor.discover import session_list, sessions
from surveyor.discover.adapters import SearchQuery
from surveyor.discover.errors import ProviderFailed
from surveyor.discover.provider import Provider
from surveyor.discover.results import Refusal
from surveyor.discover.session import ARROWS, Session, SessionStatus, SessionType
from surveyor.discover.sessions import Plan, Policy, SessionRun
from surveyor.discover.store import providers as provider_store
from surveyor.errors import Refused, RefusedByDatabase
from surveyor.ids import new_id
from surveyor.names import DEFAULT_RULES, NameRules, canonical_domain
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.service import merge_domains
from surveyor.registry.store import changes, rows
from surveyor.settings import NetSettings
from tests.contract.discover.conftest import TLS, Search
from tests.support.registry_help import ADMIN, add_domain
from tests.support.searchweb import SearchWeb


def adds_up(session: Session) -> bool:
    kinds = (
        session.new_domains,
        session.duplicates_skipped,
        session.spam_filtered,
        session.blacklisted_skipped,
        session.invalid,
    )
    return session.results_found == sum(kinds) == sum(session.provider_results.values())


async def stored(db: Database) -> list[Any]:
    async with db.read() as tx:
        query = select(search_results, domains.c.domain).join(
            domains, domains.c.no == search_results.c.domain_no
        )
        return list((await tx.execute(query.order_by(search_results.c.id))).all())


async def test_a_session_finds_domains_and_leaves_them_to_a_person(db: Database, run_session: Search) -> None:
    report = await run_session(db, "brave", queries=("a", "b"))
    session = report.session
    assert (session.status, session.type) == (SessionStatus.COMPLETED, SessionType.MANUAL_SEARCH)
    assert (session.queries_planned, session.queries_executed) == (2, 2)
    assert (session.results_found, session.new_domains) == (6, 6)
    assert session.completed_at is not None and session.completed_at >= session.started_at
    async with db.read() as tx:
        found = await rows.find(tx, "a-0.example")
    assert found is not None
    assert (found.review_status, found.quality_status) == (
        ReviewStatus.PENDING_REVIEW,
        QualityStatus.DISCOVERED,
    )
    assert (found.submitter_type, found.source, found.due_at) == ("system", "search:brave", None)
    assert found.first_session_id == session.id
    assert found.submission_context == "found by brave for “a”"


async def test_three_spellings_of_one_site_are_one_domain_and_two_duplicates(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    urls = {
        "brave": "http://www.us-bulgaria.org/grants",
        "searxng": "https://us-bulgaria.org/",
        "serper": "https://US-Bulgaria.org./about?x=1",
    }
    searchweb.rows = lambda name, query: [(urls[name], "US-Bulgaria", "Grants.")]
    session = (await run_session(db, *urls)).session
    assert (session.new_domains, session.duplicates_skipped) == (1, 2)
    found = await stored(db)
    assert {row.domain for row in found} == {"us-bulgaria.org"}
    assert sorted(row.is_duplicate for row in found) == [False, True, True]
    async with db.read() as tx:
        domain = await rows.find(tx, "us-bulgaria.org")
    assert domain is not None and domain.total_occurrences == 3


async def test_of_two_results_of_a_new_domain_in_one_answer_the_second_is_the_duplicate(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.rows = lambda name, query: [(f"https://new.example/{page}", "New", "") for page in (1, 2)]
    session = (await run_session(db, "brave")).session
    assert (session.new_domains, session.duplicates_skipped) == (1, 1)
    assert [(row.url[-1], row.is_duplicate) for row in await stored(db)] == [("1", False), ("2", True)]


async def test_a_known_domain_keeps_its_state_and_counts_what_was_seen(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    before = await add_domain(db, "known.example")
    searchweb.rows = lambda name, query: [("https://known.example/", "Known", "")] * 2
    session = (await run_session(db, "tavily")).session
    assert (session.new_domains, session.duplicates_skipped) == (0, 2)
    async with db.read() as tx:
        after = await rows.get(tx, before.no)
    assert (after.review_status, after.source, after.version) == (
        before.review_status,
        before.source,
        before.version,
    )
    assert after.total_occurrences == before.total_occurrences + 2
    assert after.last_seen_at >= before.last_seen_at


async def test_a_blacklisted_domain_is_counted_and_never_stored_again(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    bad = await add_domain(db, "bad.example")
    async with db.write() as tx:
        await changes.advance_quality(tx, bad.no, QualityStatus.BLACKLISTED, ADMIN, reason="spam")
    searchweb.rows = lambda name, query: [
        ("https://bad.example/x", "Bad", ""),
        ("https://good.example/", "Good", ""),
    ]
    session = (await run_session(db, "perplexity")).session
    assert (session.blacklisted_skipped, session.new_domains, session.results_found) == (1, 1, 2)
    assert [row.domain for row in await stored(db)] == ["good.example"]
    async with db.read() as tx:
        assert (await rows.get(tx, bad.no)).total_occurrences == 0
    assert adds_up(session)


async def test_results_that_cannot_be_kept_are_refused_with_a_reason_and_long_texts_are_cut(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.rows = lambda name, query: [
        ("", "No URL", ""),
        ("ftp://a.example/", "Not http", ""),
        ("https://a.example/" + "x" * 2_000, "Too long", ""),
        ("https://co.uk/", "A suffix", ""),
        ("https://b.example/", "", ""),
        ("https://c.example/", "T" * 600, "<b>D</b>" * 1_200 + "\x00"),
    ]
    report = await run_session(db, "brave")
    assert report.session.invalid == 5
    assert report.refused == {
        Refusal.NO_URL: 1,
        Refusal.BAD_URL: 2,
        Refusal.BAD_DOMAIN: 1,
        Refusal.NO_TEXT: 1,
    }
    (kept,) = await stored(db)
    assert (len(kept.title), len(kept.description)) == (500, 1_000)
    assert "<" not in kept.description
    assert adds_up(report.session)


class Said(NamedTuple):
    is_spam: bool
    score: float
    reasons: tuple[str, ...]


def casino(url: str, title: str, description: str) -> Said:
    guilty = "casino" in url
    return Said(guilty, 0.9, ("a gambling name",) if guilty else ())


def accusing(**more: Any) -> Policy:
    return Policy(DEFAULT_RULES, casino, **more)


async def test_spam_is_counted_and_remembered_once_per_domain_and_not_stored(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.rows = lambda name, query: [
        (f"https://casino.example/{query}", f"Win {query}", ""),
        ("https://good.example/", "Good", ""),
    ]
    session = (await run_session(db, "serper", queries=("a", "b"), policy=accusing())).session
    assert (session.spam_filtered, session.new_domains, session.duplicates_skipped) == (2, 1, 1)
    assert adds_up(session)
    async with db.read() as tx:
        (row,) = (await tx.execute(select(spam_verdicts))).all()
        assert await rows.find(tx, "casino.example") is None
    assert (row.domain, row.verdicts, row.reasons) == ("casino.example", 2, ["a gambling name"])


async def test_spam_is_blacklisted_only_where_the_policy_says_so(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.rows = lambda name, query: [("https://casino.example/", "Win", "")]
    one_hand = {"serper": {"concurrency": 1}}
    report = await run_session(
        db, "serper", queries=("a", "b"), policy=accusing(blacklist_after=2), accounts=one_hand
    )
    assert report.blacklisted == ["casino.example"]
    async with db.read() as tx:
        domain = await rows.find(tx, "casino.example")
    assert domain is not None
    assert (domain.quality_status, domain.blacklisted_by) == (QualityStatus.BLACKLISTED, "system")
    assert domain.blacklist_reason == "2 verdicts of spam, the latest: a gambling name"


async def test_one_down_one_slow_one_limited_make_a_session_partial_and_keep_the_rest(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.moods = {"searxng": "slow", "tavily": "rate_limited"}
    session = (
        await run_session(
            db,
            "brave",
            "serper",
            "searxng",
            "tavily",
            queries=("a", "b", "c"),
            accounts={
                "serper": {"base_url": "http://127.0.0.1:9"},
                "searxng": {"total_seconds": 0.2},
            },
        )
    ).session
    assert session.status is SessionStatus.PARTIAL_SUCCESS
    assert session.provider_results == {"brave": 9, "serper": 0, "searxng": 0, "tavily": 0}
    assert session.provider_errors.keys() == {"serper", "searxng", "tavily"}
    assert session.queries_executed == 3
    assert adds_up(session)
    async with db.read() as tx:
        suspended = await provider_store.suspensions(tx)
    assert {name: row.error for name, row in suspended.items()} == {
        "serper": "unreachable",
        "searxng": "unreachable",
        "tavily": "rate_limited",
    }


async def test_a_session_without_any_answer_has_failed_and_says_why(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.moods = {"brave": "bad_key", "tavily": "no_credit"}
    session = (await run_session(db, "brave", "tavily")).session
    assert session.status is SessionStatus.FAILED
    assert session.error_message is not None
    assert "bad_key" in session.error_message and "out_of_quota" in session.error_message


async def test_a_short_wait_that_a_provider_asks_for_is_kept_within_the_session(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    searchweb.moods, searchweb.retry_after, searchweb.failures_left = {"tavily": "rate_limited"}, "1", 1
    session = (await run_session(db, "tavily", queries=("a", "b"))).session
    assert (session.status, session.results_found) == (SessionStatus.COMPLETED, 6)
    async with db.read() as tx:
        assert await provider_store.suspensions(tx) == {}


@pytest.mark.parametrize(("per_second", "asked"), [(20, 15), (1, 3)])
async def test_every_query_is_answered_at_the_rate_of_the_key_with_no_failed_try(
    db: Database, searchweb: SearchWeb, run_session: Search, per_second: int, asked: int
) -> None:
    # Fifteen at one a second would take a quarter of a minute: unit tests have them, on a clock that jumps.
    searchweb.per_second = per_second
    queries = tuple(f"q{number}" for number in range(asked))
    session = (
        await run_session(db, "brave", queries=queries, accounts={"brave": {"concurrency": 4}})
    ).session
    assert (session.status, session.queries_executed) == (SessionStatus.COMPLETED, asked)
    async with db.read() as tx:
        assert await provider_store.suspensions(tx) == {}
        (line,) = await provider_store.usage(tx, 1, by_query=False)
    assert (line.calls, line.failures) == (asked, 0)
    assert searchweb.refused_for_rate < asked, "it is paced, not hammered"


async def test_a_provider_that_says_wait_for_ever_is_given_up(
    db: Database, searchweb: SearchWeb, run_session: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_SHORT_WAITS", 2)
    monkeypatch.setattr(sessions, "WAITED_SECONDS", 0.5)
    searchweb.moods, searchweb.retry_after = {"tavily": "rate_limited"}, "0"
    assert (await run_session(db, "tavily")).session.status is SessionStatus.FAILED
    assert searchweb.asked("tavily") == 3


async def test_one_server_error_is_not_held_against_a_provider(
    db: Database, searchweb: SearchWeb, run_session: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_RETRY_SECONDS", 0.0)
    searchweb.moods, searchweb.failures_left = {"tavily": "server_error"}, 1
    assert (await run_session(db, "tavily")).session.status is SessionStatus.COMPLETED
    searchweb.failures_left = None
    assert (await run_session(db, "tavily")).session.status is SessionStatus.FAILED
    async with db.read() as tx:
        assert (await provider_store.suspensions(tx))["tavily"].error == "server"
        (line,) = await provider_store.usage(tx, 1, by_query=False)
    assert (line.calls, line.failures, line.millicredits) == (4, 3, 1_000)


async def test_a_query_that_one_provider_does_not_take_goes_to_the_others(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    session = (await run_session(db, "browserbase", "serper", queries=("x" * 300, "a"))).session
    assert session.status is SessionStatus.PARTIAL_SUCCESS
    assert session.queries_executed == 2
    assert searchweb.asked("browserbase") == 1
    assert "longer than the 200 characters" in session.provider_errors["browserbase"]


async def test_the_ledger_tells_what_each_query_cost_and_brought(db: Database, run_session: Search) -> None:
    await run_session(
        db, "serper", "brave", queries=("a",), accounts={"brave": {"per_call_credits": "0.005"}}
    )
    await run_session(db, "serper", queries=("a",))
    async with db.read() as tx:
        lines = {line.provider: line for line in await provider_store.usage(tx, 1, by_query=True)}
    assert (lines["serper"].query, lines["serper"].calls, lines["serper"].millicredits) == ("a", 2, 4_000)
    assert (lines["brave"].results, lines["brave"].credits) == (3, 0.005)
    assert lines["brave"].new_domains + lines["serper"].new_domains == 3


async def _insert_session(db: Database, **values: Any) -> None:
    async with db.write() as tx:
        from surveyor.db import now

        await tx.execute(
            discovery_sessions.insert().values(
                {
                    "id": new_id(),
                    "type": "manual_search",
                    "status": "running",
                    "started_by": "ada",
                    "started_at": now(),
                    "worker": "w",
                    "last_seen_at": now(),
                    "queries_planned": 1,
                    "provider_results": {},
                    "provider_errors": {},
                }
                | values
            )
        )


WRONG = (
    "results_found = results_found + 1",
    "provider_results = '{\"brave\": 2}'",
    "new_domains = 3, duplicates_skipped = 1",
    "completed_at = '2020-01-01 00:00:00.000+00'",
    "status = 'running', completed_at = NULL",
    "status = 'failed'",
    "completed_at = NULL",
    "invalid = -1",
    "type = 'other'",
)


async def test_the_database_refuses_statistics_that_do_not_add_up(db: Database, run_session: Search) -> None:
    session = (await run_session(db, "brave")).session
    assert session.results_found == 3
    for change in WRONG:
        with pytest.raises(RefusedByDatabase):
            async with db.write() as tx:
                await tx.execute(text(f"UPDATE discovery_sessions SET {change}"))
            pytest.fail(f"accepted: {change}")


async def test_a_session_begins_running_and_with_counts_that_add_up(db: Database) -> None:
    await _insert_session(db, results_found=2, provider_results={"brave": 1, "serper": 1})
    with pytest.raises(RefusedByDatabase, match="add up"):
        await _insert_session(db, results_found=2, provider_results={"brave": 1})
    with pytest.raises(RefusedByDatabase):
        await _insert_session(db, status="completed")


async def test_the_database_knows_the_arrows_of_a_session_as_the_code_does(db: Database) -> None:
    ends = set(SessionStatus) - {SessionStatus.RUNNING}
    assert set(ARROWS) == {SessionStatus.RUNNING} and set(ARROWS[SessionStatus.RUNNING]) == ends
    for end in ends:
        await _insert_session(db, worker=end.value)
        async with db.write() as tx:
            reached = discovery_sessions.update().where(discovery_sessions.c.worker == end.value)
            await tx.execute(reached.values(status=end, completed_at=discovery_sessions.c.started_at))
        for other in SessionStatus:
            if other is end:
                continue
            completed = None if other is SessionStatus.RUNNING else discovery_sessions.c.started_at
            with pytest.raises(RefusedByDatabase):
                async with db.write() as tx:
                    await tx.execute(reached.values(status=other, completed_at=completed))


async def test_an_interrupt_ends_the_session_honestly(db: Database, searchweb: SearchWeb) -> None:
    searchweb.moods = {"tavily": "slow"}
    providers = [Provider(searchweb.account(name), NetSettings(), TLS) for name in ("brave", "tavily")]
    plan = Plan(SessionType.NIGHTLY_DISCOVERY, (SearchQuery("a"),))
    answered = asyncio.Event()
    run = SessionRun(db, plan, providers, ADMIN, Policy(DEFAULT_RULES))
    run.watch = lambda _: answered.set()
    task = asyncio.create_task(run.run())
    await asyncio.wait_for(answered.wait(), 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for provider in providers:
        await provider.close()
    (session,) = await session_list.list_sessions(db, 10)
    assert (session.status, session.error_message) == (SessionStatus.PARTIAL_SUCCESS, "interrupted")
    assert session.provider_results == {"brave": 3, "tavily": 0}
    async with db.read() as tx:
        kinds = list((await tx.execute(select(events.c.kind).order_by(events.c.id))).scalars())
    assert kinds == ["DiscoveryStarted", "DiscoveryEnded"]


async def test_a_mistake_in_the_program_does_not_pass_for_a_completed_session(
    db: Database, run_session: Search
) -> None:
    def broken(url: str, title: str, description: str) -> Said:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await run_session(db, "brave", "serper", policy=Policy(DEFAULT_RULES, broken))
    (session,) = await session_list.list_sessions(db, 10)
    assert (session.status, session.error_message) == (SessionStatus.FAILED, "unexpected ZeroDivisionError")


async def test_a_session_whose_process_is_gone_is_ended_with_what_it_had(
    db: Database, run_session: Search
) -> None:
    await _insert_session(db, worker="gone-1", last_seen_at=text(_LONG_AGO), started_at=text(_LONG_AGO))
    found = await session_list.list_sessions(db, 10)
    assert [(one.status, one.error_message) for one in found] == [
        (SessionStatus.FAILED, "its process ended before the session did")
    ]
    assert found[0].completed_at == found[0].last_seen_at
    assert await session_list.close_abandoned(db) == 0


_LONG_AGO = "'2026-01-01 00:00:00.000+00'"


async def test_a_session_that_lives_is_left_alone(db: Database, searchweb: SearchWeb) -> None:
    searchweb.moods = {"tavily": "slow"}
    provider = Provider(searchweb.account("tavily"), NetSettings(), TLS)
    plan = Plan(SessionType.MANUAL_SEARCH, (SearchQuery("a"),))
    task = asyncio.create_task(SessionRun(db, plan, [provider], ADMIN, Policy(DEFAULT_RULES)).run())
    while not searchweb.requests:
        await asyncio.sleep(0.01)
    assert await session_list.close_abandoned(db) == 0
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await provider.close()


async def test_a_session_that_others_ended_writes_nothing_more(db: Database, searchweb: SearchWeb) -> None:
    provider = Provider(searchweb.account("brave"), NetSettings(), TLS)
    plan = Plan(SessionType.MANUAL_SEARCH, (SearchQuery("a"),))
    run = SessionRun(db, plan, [provider], ADMIN, Policy(DEFAULT_RULES))
    await run._start()
    async with db.write() as tx:
        await tx.execute(
            discovery_sessions.update().values(status="failed", completed_at=discovery_sessions.c.started_at)
        )
    with pytest.raises(Refused, match="ended by another process"):
        await run._work()
    await provider.close()
    async with db.read() as tx:
        assert (await tx.execute(select(func.count()).select_from(search_results))).scalar_one() == 0
        assert (await tx.execute(select(func.count()).select_from(domains))).scalar_one() == 0


async def test_results_of_a_domain_that_is_merged_go_to_the_row_that_is_kept(
    db: Database, searchweb: SearchWeb, run_session: Search
) -> None:
    old = await add_domain(db, "blog.twin.example")
    searchweb.rows = lambda name, query: [("https://twin.example/", "Twin", "")]
    await run_session(db, "brave")
    collapsed = NameRules(collapse_subdomains=True)
    await merge_domains(db, lambda name: canonical_domain(name, collapsed), ADMIN, dry_run=False)
    (kept,) = await stored(db)
    assert (kept.domain, kept.domain_no) == ("twin.example", old.no)


async def test_sessions_are_listed_newest_first_and_page_by_page(db: Database, run_session: Search) -> None:
    ids = [(await run_session(db, "brave")).session.id for _ in range(3)]
    first = await session_list.list_sessions(db, 2)
    rest = await session_list.list_sessions(db, 2, first[-1].id)
    assert [one.id for one in [*first, *rest]] == ids[::-1]


def test_a_failure_is_one_line() -> None:
    from surveyor.discover.errors import Trouble

    assert str(ProviderFailed("brave", Trouble.BAD_KEY, "no")) == "brave: bad key: no"
