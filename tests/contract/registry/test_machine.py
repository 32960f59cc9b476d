"""Anything anybody may do to a domain, in any order, by two clients, held against a simple model.

Time does not pass by itself here: leases and cooldowns are long, and rules of their
own let them run out. So the model knows exactly who holds what, and what is due.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import select, update

from surveyor.db import Database, later
from surveyor.db.tables import domain_crawl, domains, events
from surveyor.errors import ForbiddenArrow, LeaseLost, Refused, StaleVersion, SurveyorError, UsageError
from surveyor.registry.actors import Actor
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.leases import Claimer, Lease, renew
from surveyor.registry.lifecycle import CrawlStatus, QualityStatus, ReviewStatus
from surveyor.registry.store import changes, leases, rows
from surveyor.registry.store.release import Outcome
from surveyor.settings import DatabaseSettings
from tests.support.lease_help import release
from tests.support.registry_help import ADMIN, REVIEWER, add_domain, advance_crawl
from tests.support.registry_model import (
    CRAWL,
    EDITED,
    QUALITY,
    RESTS,
    REVIEW,
    REVIEW_EVENTS,
    Model,
    Told,
)
from tests.support.size import size

_LONG = 6_000.0  # seconds; longer than any example
_DOMAINS = 2

_EDITS: dict[str, st.SearchStrategy[Any]] = {
    "notes": st.sampled_from([None, "good", "bad"]),
    "is_trusted": st.booleans(),
    "max_crawl_depth": st.sampled_from([None, 0, 3]),
    "scrape_frequency_hours": st.sampled_from([None, 24]),
}
_CLIENT = st.integers(0, 1)
_WHICH = st.integers(0, _DOMAINS - 1)
_SEEN = st.sampled_from(["present", "present", "old", "not said"])
_WORKER = st.sampled_from(["w0", "w1"])
_REASON = st.sampled_from(["because", "because", None])
_OUTCOMES = st.sampled_from(
    [
        Outcome(),
        Outcome(crawled=False),
        Outcome(status=CrawlStatus.ACTIVE),
        Outcome(status=CrawlStatus.EXHAUSTED),
        Outcome(status=CrawlStatus.EXHAUSTED, next_visit_at=datetime(2099, 1, 1, tzinfo=UTC)),
        Outcome.blocked(Obstacle.FORBIDDEN),
        Outcome.blocked(Obstacle.TIMEOUT),
        Outcome(status=CrawlStatus.PENDING),
    ]
)


class Register(RuleBasedStateMachine):
    """Two clients of one database; every rule says what it expects, then looks."""

    url = ""
    examples = 0

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clients = [Database.open(DatabaseSettings(url=self.url), Path()) for _ in range(2)]
        self.models: list[Model] = []
        self.leases: list[Lease] = []

    def teardown(self) -> None:
        async def clear() -> None:
            async with self.clients[0].write() as tx:  # the next example begins with nothing due
                gone = {"claimed_by": None, "claim_expires_at": None, "due_at": None, "ready": False}
                await tx.execute(update(domain_crawl).values(gone))
            for client in self.clients:
                await client.close()

        self.runner.run(clear())
        self.runner.close()

    def run(self, act: Coroutine[Any, Any, Any]) -> Any:
        """The value, or the class of the error."""
        try:
            return self.runner.run(act)
        except SurveyorError as error:
            return type(error)

    @initialize(approved=st.sampled_from([(True, True), (True, False)]))
    def register(self, approved: tuple[bool, ...]) -> None:
        type(self).examples += 1
        for index, yes in enumerate(approved):
            name = f"d{index}-{type(self).examples}.example"
            row = self.runner.run(add_domain(self.clients[0], name, approved=yes))
            model = Model(row.no)
            if not yes:
                model.review, model.due = "pending_review", "never"
            self.models.append(model)

    def _target(self, data: st.DataObject, states: type[StrEnum], arrows: dict[str, str], source: str) -> Any:
        """Mostly a state there is an arrow to: otherwise nothing would ever get far."""
        likely = [states(name) for name in arrows[source].split()]
        return data.draw(st.sampled_from([*likely, *likely, *states]), label="target")

    def _seen(self, model: Model, seen: str) -> int | None:
        return {"present": model.version, "old": model.version - 1, "not said": None}[seen]

    # --- what people and judges do ---

    @rule(client=_CLIENT, which=_WHICH, data=st.data(), seen=_SEEN, reason=_REASON)
    def review(self, client: int, which: int, data: st.DataObject, seen: str, reason: str | None) -> None:
        model, db = self.models[which], self.clients[client]
        to = self._target(data, ReviewStatus, REVIEW, model.review)

        async def act() -> None:
            async with db.write() as tx:
                version = self._seen(model, seen)
                await changes.advance_review(tx, model.no, to, ADMIN, reason=reason, seen_version=version)

        got = self.run(act())
        if seen == "old":
            assert got is StaleVersion
        elif to not in REVIEW[model.review].split():
            assert got is ForbiddenArrow
        elif to == "rejected" and not reason:
            assert got is UsageError
        else:
            assert got is None
            resumed = (model.review, to) == ("suspended", "approved")
            model.decide("DomainResumed" if resumed else REVIEW_EVENTS[to], model.review, to)
            model.review = to.value
            if to == "pending_review":
                if model.edits["is_trusted"]:
                    model.told.append(("TrustWithdrawn", None, None, model.version))
                model.edits["is_trusted"] = False
            if to != "approved":
                model.withdraw()
            elif model.quality != "blacklisted":
                model.allow()

    @rule(
        client=_CLIENT,
        which=_WHICH,
        data=st.data(),
        seen=_SEEN,
        reason=_REASON,
        year=st.sampled_from([2020, 2099]),
        by=st.sampled_from([ADMIN, REVIEWER]),
    )
    def judge(
        self,
        client: int,
        which: int,
        data: st.DataObject,
        seen: str,
        reason: str | None,
        year: int,
        by: Actor,
    ) -> None:
        model, db = self.models[which], self.clients[client]
        to = self._target(data, QualityStatus, QUALITY, model.quality)

        async def act() -> None:
            async with db.write() as tx:
                version = self._seen(model, seen)
                await changes.advance_quality(
                    tx, model.no, to, by, reason=reason, year=year, seen_version=version
                )

        got = self.run(act())
        source = model.quality
        if seen == "old":
            assert got is StaleVersion
        elif to not in QUALITY[source].split() or model.too_early(to):
            assert got is ForbiddenArrow
        elif source == "blacklisted" and by is not ADMIN:
            assert got is Refused
        elif to in ("blacklisted", "processing_failed") and not reason:
            assert got is UsageError
        else:
            assert got is None
            model.judge(to, year)

    @rule(client=_CLIENT, which=_WHICH, name=st.sampled_from(sorted(_EDITS)), seen=_SEEN, data=st.data())
    def edit(self, client: int, which: int, name: str, seen: str, data: st.DataObject) -> None:
        model, db, value = self.models[which], self.clients[client], data.draw(_EDITS[name])

        async def act() -> None:
            async with db.write() as tx:
                await changes.edit(tx, model.no, {name: value}, ADMIN, seen_version=self._seen(model, seen))

        got = self.run(act())
        assert got is (StaleVersion if seen == "old" else None)
        if got is None and model.edits[name] != value:
            if name == "max_crawl_depth":
                model.reach(value)
            model.edits[name] = value
            model.version += 1
            kind = "DomainEdited"
            if name == "is_trusted":
                kind = "DomainTrusted" if value else "TrustWithdrawn"
            model.told.append((kind, None, None, model.version))

    @rule(client=_CLIENT, which=_WHICH)
    def reset(self, client: int, which: int) -> None:
        model, db = self.models[which], self.clients[client]

        async def act() -> None:
            async with db.write() as tx:
                await changes.reset(tx, model.no, ADMIN, None)

        got = self.run(act())
        assert got is (Refused if model.live else None)
        if got is None:
            target = "pending" if model.crawl in RESTS else model.crawl
            model.told.append(("DomainReset", model.crawl, target, None))
            model.crawl, model.blocks = target, 0
            model.due = "now" if model.permitted else "never"

    # --- what workers do ---

    @rule(client=_CLIENT, worker=_WORKER, count=st.integers(0, 3))
    def a_worker_claims(self, client: int, worker: str, count: int) -> None:
        self._claim(client, worker, count)

    def _claim(self, client: int, worker: str, count: int) -> list[Lease]:
        could = {model.no: model for model in self.models if model.claimable}
        taken: list[Lease] = self.run(Claimer(self.clients[client], worker, _LONG).claim(count))
        assert len(taken) == min(count, len(could))
        for lease in taken:
            model = could.pop(lease.no)
            assert (lease.domain.claimed_by is not None) == (model.holder is not None)
            model.epoch += 1
            assert lease.epoch == model.epoch
            model.holder, model.live, model.due = (worker, lease.epoch), True, "later"
            if model.crawl in RESTS:
                model.step("pending")
        self.leases += taken
        return taken

    @rule(client=_CLIENT, worker=_WORKER, outcome=_OUTCOMES, waits=st.booleans())
    def a_worker_visits(self, client: int, worker: str, outcome: Outcome, waits: bool) -> None:
        """Claim and release in one step: chance alone would seldom bring the two together."""
        if waits:
            self._wait()
        for lease in self._claim(client, worker, 1):
            self._give_back(client, lease, outcome)

    def _lease(self, data: st.DataObject) -> tuple[Lease, Model] | None:
        if not self.leases:
            return None
        live = [lease for lease in self.leases if any(model.holds(lease) for model in self.models)]
        lease = data.draw(st.sampled_from([*live, *live, *self.leases[-3:]]), label="lease")
        return lease, next(model for model in self.models if model.no == lease.no)

    @rule(client=_CLIENT, data=st.data())
    def a_worker_renews(self, client: int, data: st.DataObject) -> None:
        if found := self._lease(data):
            lease, model = found
            kept = self.run(renew(self.clients[client], lease.worker, [lease], _LONG))
            assert kept == ({model.no} if model.holds(lease) else set())

    @rule(client=_CLIENT, data=st.data())
    def a_worker_commits(self, client: int, data: st.DataObject) -> None:
        if found := self._lease(data):
            lease, model = found
            guard = leases.held(lease.no, lease.worker, lease.epoch)

            async def act() -> int:
                async with self.clients[client].write() as tx:
                    return (await tx.execute(update(domain_crawl).where(guard).values(run_pages=1))).rowcount

            assert self.run(act()) == int(model.holds(lease))

    @rule(client=_CLIENT, data=st.data(), outcome=_OUTCOMES)
    def a_worker_releases(self, client: int, data: st.DataObject, outcome: Outcome) -> None:
        if found := self._lease(data):
            self._give_back(client, found[0], outcome)

    def _give_back(self, client: int, lease: Lease, outcome: Outcome) -> None:
        model = next(model for model in self.models if model.no == lease.no)
        got = self.run(release(self.clients[client], lease, outcome))
        target = str(outcome.status or model.crawl)
        if not model.holds(lease):
            assert got is LeaseLost
        elif not model.reaches(target):
            assert got is ForbiddenArrow
        else:
            assert got is None
            model.give_back(outcome, target)

    @rule(client=_CLIENT, which=_WHICH, data=st.data())
    def crawl_advances(self, client: int, which: int, data: st.DataObject) -> None:
        model, db = self.models[which], self.clients[client]
        to = self._target(data, CrawlStatus, CRAWL, model.crawl)

        async def act() -> None:
            async with db.write() as tx:
                row = await rows.get(tx, model.no, lock=True)
                code = {"block_reason_code": "timeout"}
                await advance_crawl(tx, row, to, ADMIN, values=code)

        got = self.run(act())
        allowed = to in CRAWL[model.crawl].split()
        assert got is (None if allowed else ForbiddenArrow)
        if allowed:
            model.step(to.value)
            if to == "pending":
                model.set_pending_by_hand()

    # --- what an operator and time do ---

    @rule(client=_CLIENT, worker=st.none() | _WORKER, expired_only=st.booleans())
    def release_claims(self, client: int, worker: str | None, expired_only: bool) -> None:
        async def act() -> list[str]:
            async with self.clients[client].write() as tx:
                return await leases.release_claims(tx, ADMIN, worker=worker, expired_only=expired_only)

        ended = [
            model
            for model in self.models
            if model.holder and worker in (None, model.holder[0]) and not (expired_only and model.live)
        ]
        assert len(self.run(act())) == len(ended)
        for model in ended:
            model.epoch += 1
            model.holder, model.live, model.due = None, False, "now"
            model.told.append(("ClaimReleased", None, None, None))

    @rule()
    def time_passes(self) -> None:
        self._wait()

    def _wait(self) -> None:
        """What waits for a time, waits no longer: leases, cooldowns, judgings that failed."""

        async def act() -> None:
            async with self.clients[0].write() as tx:
                waits = domains.c.retry_after.is_not(None)
                await tx.execute(update(domains).where(waits).values(retry_after=later(-1)))
                ends = domain_crawl.c.claimed_by.is_not(None)
                await tx.execute(update(domain_crawl).where(ends).values(claim_expires_at=later(-1)))
                rests = domain_crawl.c.due_at.is_not(None)
                await tx.execute(update(domain_crawl).where(rests).values(due_at=later(-1)))

        self.run(act())
        for model in self.models:
            model.may_retry, model.live = True, False
            model.due = "now" if model.due == "later" else model.due

    # --- what must be true after each ---

    @invariant()
    def the_register_is_as_the_model_says(self) -> None:
        if not self.models:
            return
        numbers = [model.no for model in self.models]

        async def look() -> tuple[dict[int, Any], dict[int, list[Told]]]:
            async with self.clients[1].read() as tx:
                query = rows.select_domains().where(domains.c.no.in_(numbers))
                found = {row.no: rows.to_domain(row) for row in await tx.execute(query)}
                told: dict[int, list[Told]] = {no: [] for no in numbers}
                columns = (events.c.kind, events.c.from_state, events.c.to_state, events.c.version)
                history = select(events.c.domain_no, *columns).where(events.c.domain_no.in_(numbers))
                for no, *what in await tx.execute(history.order_by(events.c.id)):
                    told[no].append(tuple(what))
                return found, told

        found, told = self.runner.run(look())
        for model in self.models:
            row = found[model.no]
            assert (row.review_status, row.quality_status, row.crawl_status) == (
                model.review,
                model.quality,
                model.crawl,
            )
            assert (row.version, row.lease_epoch) == (model.version, model.epoch)
            assert row.claimed_by == (model.holder[0] if model.holder else None)
            assert row.has_live_lease == model.live
            assert _due(row) == model.due
            assert row.block_count == model.blocks
            assert {name: getattr(row, name) for name in EDITED} == model.edits
            assert told[model.no] == model.told


def _due(row: Any) -> str:
    if row.due_at is None:
        return "never"
    return "now" if row.due_at <= row.read_at else "later"


@pytest.mark.slow
def test_nothing_anybody_does_breaks_a_lifecycle_or_loses_an_event(db_url: str) -> None:
    machine = type("RegisterHere", (Register,), {"url": db_url})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=size(10, 100),
            stateful_step_count=40,
            deadline=None,
            database=None,
            phases=[Phase.generate],  # a failure prints its thirty steps; shortening them takes minutes
            suppress_health_check=list(HealthCheck),
        ),
    )
