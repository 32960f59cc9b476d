"""What a visit came to: every outcome, its due date, and how long we stay away."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from surveyor.db import Database
from surveyor.errors import ForbiddenArrow, Refused
from surveyor.ids import new_id
from surveyor.registry.cooldowns import AUTOMATIC_PROBES, Obstacle
from surveyor.registry.domain import Domain
from surveyor.registry.leases import Claimer
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.priority import priority_key
from surveyor.registry.store import changes, events
from surveyor.registry.store.release import COUNTERS, Outcome
from tests.support.lease_help import release, write_crawl
from tests.support.registry_help import ADMIN, add_domain, claim_one, get

# The promise to people, written down a second time on purpose: state and days of rest.
_PROMISED = {
    "login_required": ("blocked", 30),
    "forbidden": ("blocked", 14),
    "rate_limited": ("blocked", 7),
    "robots_denied": ("blocked", 90),
    "server_errors": ("blocked", 1),
    "dns_failure": ("unreachable", 7),
    "connection_refused": ("unreachable", 7),
    "connection_reset": ("unreachable", 7),
    "timeout": ("unreachable", 7),
    "tls_error": ("unreachable", 7),
    "old_errors": ("blocked", 14),
}


async def _visit(db: Database, outcome: Outcome) -> Domain:
    """Claim the one domain, release it with the outcome, read it."""
    lease = await claim_one(db)
    await release(db, lease, outcome)
    return await get(db, lease.no)


def _days(row: Domain) -> float:
    assert row.due_at is not None
    return round((row.due_at - row.read_at) / timedelta(days=1), 3)


async def _come_due(db: Database, row: Domain) -> None:
    await write_crawl(db, row.no, due_at=row.created_at)


async def test_a_release_ends_the_lease_whatever_the_outcome(db: Database) -> None:
    await add_domain(db, "example.org")
    for outcome in (
        Outcome(),
        Outcome(status=CrawlStatus.ACTIVE),
        Outcome.blocked(Obstacle.TIMEOUT),
    ):
        row = await _visit(db, outcome)
        assert (row.claimed_by, row.claim_expires_at, row.ready, row.attempts) == (None, None, False, 0)
        await _come_due(db, row)
    assert row.lease_epoch == 3


async def test_a_released_domain_is_not_marked_ready_even_if_it_was(db: Database) -> None:
    """A domain that rests must leave the index of what can be taken."""
    await add_domain(db, "example.org")
    lease = await claim_one(db)
    await write_crawl(db, lease.no, ready=True)
    await release(db, lease, Outcome.blocked(Obstacle.FORBIDDEN))
    assert not (await get(db, lease.no)).ready
    assert await Claimer(db, "w2", 60).claim(1) == []


async def test_active_is_due_at_once_and_exhausted_at_its_next_visit(db: Database) -> None:
    domain = await add_domain(db, "example.org")
    row = await _visit(db, Outcome(status=CrawlStatus.ACTIVE, stopped_by="pages"))
    assert (row.crawl_status, row.stopped_by) == (CrawlStatus.ACTIVE, "pages")
    assert row.due_at is not None and row.due_at <= row.read_at
    next_visit = domain.created_at + timedelta(days=10)
    row = await _visit(db, Outcome(status=CrawlStatus.EXHAUSTED, next_visit_at=next_visit))
    assert (row.crawl_status, row.due_at) == (CrawlStatus.EXHAUSTED, next_visit)
    await _come_due(db, row)
    row = await _visit(db, Outcome(status=CrawlStatus.EXHAUSTED))
    assert row.due_at is None, "without a next visit it never comes back by itself"


async def test_without_a_status_the_domain_goes_back_as_it_was(db: Database) -> None:
    await add_domain(db, "example.org")
    row = await _visit(db, Outcome(crawled=False))
    assert (row.crawl_status, row.last_crawled_at) == (CrawlStatus.PENDING, None)
    assert row.due_at is not None and row.due_at <= row.read_at
    assert await _told(db, row) == []


async def test_a_first_visit_that_finishes_tells_both_steps(db: Database) -> None:
    await add_domain(db, "example.org")
    row = await _visit(db, Outcome(status=CrawlStatus.EXHAUSTED))
    assert await _told(db, row) == [
        ("CrawlStarted", "pending", "active", None),
        ("DomainExhausted", "active", "exhausted", None),
    ]


async def test_a_release_to_a_state_without_an_arrow_is_refused_and_changes_nothing(db: Database) -> None:
    await add_domain(db, "example.org")
    await _visit(db, Outcome(status=CrawlStatus.ACTIVE))
    lease = await claim_one(db)
    before = (await get(db, lease.no)).row()
    with pytest.raises(ForbiddenArrow):
        await release(db, lease, Outcome(status=CrawlStatus.PENDING))
    assert (await get(db, lease.no)).row() == before


async def test_counters_are_added_and_progress_is_kept(db: Database) -> None:
    await add_domain(db, "example.org")
    run = new_id()
    counts = {name: index + 1 for index, name in enumerate(COUNTERS)}
    for depth in (4, 2):
        row = await _visit(
            db,
            Outcome(
                status=CrawlStatus.ACTIVE,
                counts=counts,
                frontier_size=17,
                checkpoint="c7",
                depth_reached=depth,
                consecutive_errors=2,
                next_fetch_seconds=30,
                run_id=run,
            ),
        )
    assert {name: getattr(row, name) for name in COUNTERS} == {name: 2 * n for name, n in counts.items()}
    assert (row.frontier_size, row.frontier_checkpoint_id, row.crawl_depth_reached) == (17, "c7", 4)
    assert (row.consecutive_error_count, row.last_crawl_run_id) == (2, run)
    assert row.next_fetch_at is not None and row.frontier_updated_at is not None
    assert 20 < (row.next_fetch_at - row.read_at).total_seconds() <= 30


@pytest.mark.parametrize("yields", ["records", "images"])
async def test_the_priority_is_written_with_what_the_visit_brought(db: Database, yields: str) -> None:
    domain = await add_domain(db, "example.org", rank=100)
    lease = await claim_one(db)
    counts = {"pages_crawled": 10, "records_stored": 4, "images_stored": 2, "total_error_count": 1}
    await release(db, lease, Outcome(status=CrawlStatus.ACTIVE, counts=counts, frontier_size=50), yields)
    row = await get(db, lease.no)
    assert row.last_crawled_at is not None
    assert row.priority_key == priority_key(
        rank=100,
        yield_rate=0.4 if yields == "records" else 0.2,
        frontier_size=50,
        error_rate=0.1,
        first_seen=domain.first_seen_at,
        last_crawled=row.last_crawled_at,
    )


# --- obstacles ---


async def test_every_obstacle_has_its_state_and_its_rest(db: Database) -> None:
    assert {obstacle.value for obstacle in Obstacle} == set(_PROMISED)
    for index, obstacle in enumerate(Obstacle):
        await add_domain(db, f"site{index}.example")
        row = await _visit(db, Outcome.blocked(obstacle, detail="as seen"))
        state, days = _PROMISED[obstacle]
        assert (row.crawl_status, row.block_reason_code, row.block_count) == (state, obstacle, 1)
        assert _days(row) == days
        assert row.block_reason is not None and row.block_reason.endswith(": as seen")
        assert row.first_blocked_at is not None
        assert (await _told(db, row))[-1][1:] == (
            "active" if state == "blocked" else "pending",
            state,
            obstacle,
        )
        assert await Claimer(db, "w2", 60).claim(1) == [], "it rests"


async def test_server_errors_double_and_the_fourth_block_is_for_good(db: Database) -> None:
    """Three automatic probes; then only a person brings it back."""
    await add_domain(db, "example.org")
    days = []
    for _ in range(3):
        row = await _visit(db, Outcome.blocked(Obstacle.SERVER_ERRORS))
        assert row.block_count <= AUTOMATIC_PROBES
        days.append(_days(row))
        await _come_due(db, row)
    assert days == [1, 2, 4]
    row = await _visit(db, Outcome.blocked(Obstacle.SERVER_ERRORS))
    assert row.block_count > AUTOMATIC_PROBES
    assert (row.due_at, row.crawl_status, row.block_count) == (None, CrawlStatus.BLOCKED, 4)
    assert await Claimer(db, "w2", 60).claim(1) == []


@pytest.mark.parametrize("obstacle", [Obstacle.FORBIDDEN, Obstacle.DNS_FAILURE])
async def test_a_permanent_block_lasts_until_a_person_resets_it(db: Database, obstacle: Obstacle) -> None:
    domain = await add_domain(db, "example.org")
    for _ in range(4):
        row = await _visit(
            db, Outcome.blocked(obstacle, consecutive_errors=5, counts={"total_error_count": 5})
        )
        await _come_due(db, row)
    await write_crawl(db, domain.no, due_at=None, frontier_size=12, frontier_checkpoint_id="kept")
    async with db.write() as tx:  # neither a pause nor a new approval is a reset
        await changes.advance_review(tx, domain.no, ReviewStatus.SUSPENDED, ADMIN)
        assert (await changes.advance_review(tx, domain.no, ReviewStatus.APPROVED, ADMIN)).due_at is None
    async with db.write() as tx:
        row = await changes.reset(tx, domain.no, ADMIN, "the owner wrote")
    assert (row.crawl_status, row.block_count, row.block_reason_code) == (CrawlStatus.PENDING, 0, None)
    assert (row.consecutive_error_count, row.total_error_count, row.first_blocked_at) == (0, 0, None)
    assert (row.frontier_size, row.frontier_checkpoint_id) == (12, "kept")
    assert row.due_at is not None and row.due_at <= row.read_at
    told = (await _told(db, row))[-1]
    assert told == ("DomainReset", _PROMISED[obstacle][0], "pending", "the owner wrote")
    again = await _visit(db, Outcome.blocked(obstacle))
    assert again.block_count == 1


@pytest.mark.parametrize(
    ("wish", "days"),
    [
        (timedelta(days=1), 7),
        (timedelta(days=12), 12),
        (timedelta(days=999_999_999), 365),  # a date no database can hold
        (timedelta(seconds=-1), 7),
        (timedelta(), 7),
    ],
)
async def test_a_sites_own_wish_counts_when_it_is_longer(db: Database, wish: timedelta, days: int) -> None:
    await add_domain(db, "example.org")
    row = await _visit(db, Outcome.blocked(Obstacle.RATE_LIMITED, retry_after=wish))
    assert _days(row) == days


@pytest.mark.parametrize("status", [CrawlStatus.ACTIVE, CrawlStatus.EXHAUSTED])
async def test_one_success_forgets_earlier_blocks(db: Database, status: CrawlStatus) -> None:
    await add_domain(db, "example.org")
    for _ in range(2):
        row = await _visit(db, Outcome.blocked(Obstacle.SERVER_ERRORS))
        await _come_due(db, row)
    row = await _visit(db, Outcome(status=status))
    assert (row.block_count, row.block_reason, row.block_reason_code, row.first_blocked_at) == (0,) + (
        None,
    ) * 3
    await _come_due(db, row)
    assert _days(await _visit(db, Outcome.blocked(Obstacle.SERVER_ERRORS))) == 1


async def test_a_probe_that_asked_nothing_forgets_nothing(db: Database) -> None:
    """A worker that is stopped before its first request must not wipe the count of blocks."""
    await add_domain(db, "example.org")
    row = await _visit(db, Outcome.blocked(Obstacle.SERVER_ERRORS))
    await _come_due(db, row)
    row = await _visit(db, Outcome(crawled=False))
    assert (row.crawl_status, row.block_count) == (CrawlStatus.PENDING, 1)
    assert _days(await _visit(db, Outcome.blocked(Obstacle.SERVER_ERRORS))) == 2


async def test_the_first_block_of_a_row_is_remembered(db: Database) -> None:
    await add_domain(db, "example.org")
    first = await _visit(db, Outcome.blocked(Obstacle.TIMEOUT))
    await write_crawl(db, first.no, first_blocked_at=first.created_at, due_at=first.created_at)
    assert (await _visit(db, Outcome.blocked(Obstacle.FORBIDDEN))).first_blocked_at == first.created_at


@pytest.mark.parametrize("asked", [True, False])
async def test_approval_of_a_blocked_domain_respects_the_cooldown_that_runs(
    db: Database, asked: bool
) -> None:
    await add_domain(db, "example.org")
    row = await _visit(db, Outcome.blocked(Obstacle.DNS_FAILURE, crawled=asked))
    due = row.due_at
    async with db.write() as tx:
        stopped = await changes.advance_review(tx, row.no, ReviewStatus.SUSPENDED, ADMIN)
        assert stopped.due_at is None
        resumed = await changes.advance_review(tx, row.no, ReviewStatus.APPROVED, ADMIN)
    assert resumed.due_at is not None and due is not None
    assert abs(resumed.due_at - due) < timedelta(seconds=1)
    assert await Claimer(db, "w2", 60).claim(1) == []


async def test_approval_after_a_cooldown_has_run_out_makes_the_domain_due(db: Database) -> None:
    await add_domain(db, "example.org")
    row = await _visit(db, Outcome.blocked(Obstacle.TIMEOUT))
    await write_crawl(db, row.no, last_crawled_at=row.read_at - timedelta(days=8))
    async with db.write() as tx:
        await changes.advance_review(tx, row.no, ReviewStatus.SUSPENDED, ADMIN)
        resumed = await changes.advance_review(tx, row.no, ReviewStatus.APPROVED, ADMIN)
    assert _days(resumed) == 0


# --- reset ---


async def test_a_domain_under_a_live_lease_is_not_reset(db: Database) -> None:
    await add_domain(db, "example.org")
    lease = await claim_one(db, "busy")
    with pytest.raises(Refused, match="being crawled by busy"):
        async with db.write() as tx:
            await changes.reset(tx, lease.no, ADMIN, None)


@pytest.mark.parametrize(
    ("outcome", "after"),
    [
        (Outcome(status=CrawlStatus.ACTIVE), CrawlStatus.ACTIVE),
        (Outcome(status=CrawlStatus.EXHAUSTED), CrawlStatus.PENDING),
        (Outcome.blocked(Obstacle.FORBIDDEN), CrawlStatus.PENDING),
        (Outcome.blocked(Obstacle.TIMEOUT), CrawlStatus.PENDING),
        (Outcome(crawled=False), CrawlStatus.PENDING),
    ],
    ids=["active", "exhausted", "blocked", "unreachable", "pending"],
)
async def test_a_reset_leads_to_pending_and_leaves_active_alone(
    db: Database, outcome: Outcome, after: CrawlStatus
) -> None:
    await add_domain(db, "example.org")
    row = await _visit(db, outcome)
    async with db.write() as tx:
        reset = await changes.reset(tx, row.no, ADMIN, None)
    assert (reset.crawl_status, reset.version) == (after, row.version)
    assert (await claim_one(db)).no == row.no


async def test_a_reset_gives_no_permission(db: Database) -> None:
    domain = await add_domain(db, "example.org", approved=False)
    async with db.write() as tx:
        assert (await changes.reset(tx, domain.no, ADMIN, None)).due_at is None


# --- values that make no sense ---


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": CrawlStatus.BLOCKED},
        {"status": CrawlStatus.UNREACHABLE},
        {"obstacle": Obstacle.TIMEOUT},
        {"obstacle": Obstacle.TIMEOUT, "status": CrawlStatus.BLOCKED},
        {"obstacle": Obstacle.FORBIDDEN, "status": CrawlStatus.ACTIVE},
        {"counts": {"pages_crawlled": 1}},
    ],
)
def test_an_outcome_that_contradicts_itself_cannot_be_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"does not lead to|no such counters"):
        Outcome(**wrong)


async def _told(db: Database, row: Domain) -> list[tuple[str, str | None, str | None, str | None]]:
    async with db.read() as tx:
        found = await events.of_domain(tx, row.no, 50)
    return [(e.kind.value, e.from_state, e.to_state, e.reason) for e in reversed(found)]
