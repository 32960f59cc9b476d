"""People and workers change one domain at the same moment: no decision is lost, losers are told why."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from surveyor.db import Database, schema
from surveyor.errors import LeaseLost, StaleVersion, SurveyorError
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import Domain, SubmitterType
from surveyor.registry.leases import Claimer, Lease, renew
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.store import changes, events, register, rows
from surveyor.registry.store import release as releasing
from surveyor.registry.store.register import NewDomain, Origin
from surveyor.registry.store.release import Outcome
from surveyor.review.decisions import Decision, Target, Verb, decide_one
from surveyor.settings import DatabaseSettings
from tests.support.servers import Postgres

ENGINES = ("sqlite", "postgresql")
RITA, ROBERT = Actor("rita", Role.REVIEWER), Actor("robert", Role.REVIEWER)
ADA = Actor("ada", Role.ADMIN)
_LEASE_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Plan:
    races: int
    seed: int = 1


@dataclass(slots=True)
class Report:
    races: int = 0
    lost_by: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def summary(self) -> str:
        lost = ", ".join(f"{who} {count:,}" for who, count in sorted(self.lost_by.items()))
        lines = [f"  {self.races:,} races; told that they were late: {lost}"]
        lines += [f"  VIOLATION {each}" for each in self.violations[:10]]
        return "\n".join([*lines, "  sound" if not self.violations else "  NOT sound"])


async def race(one: Database, two: Database, plan: Plan) -> Report:
    """Run races of every kind, each on a domain of its own."""
    report, chance = Report(), random.Random(plan.seed)
    kinds: list[Callable[..., Awaitable[None]]] = [_two_reviewers, _reviewer_and_worker, _three_at_once]
    for number in range(plan.races):
        doors = (one, two) if chance.random() < 0.5 else (two, one)
        name = f"race{plan.seed}-{number}.example"
        await kinds[number % len(kinds)](report, *doors, name, chance)
        await _clear(one, name)
        report.races += 1
    return report


async def _two_reviewers(report: Report, one: Database, two: Database, name: str, _: random.Random) -> None:
    """Both saw the same version of a waiting domain; one says yes, the other no."""
    seen = await _add(one, name, ReviewStatus.PENDING_REVIEW)
    outcomes = await asyncio.gather(
        decide_one(one, Decision(Verb.APPROVE, RITA), Target(name, seen.version)),
        decide_one(two, Decision(Verb.REJECT, ROBERT, "no"), Target(name, seen.version)),
        return_exceptions=True,
    )
    await _one_won(report, one, seen, outcomes, ("approver", "rejecter"))


async def _reviewer_and_worker(
    report: Report, one: Database, two: Database, name: str, chance: random.Random
) -> None:
    """A worker commits while a reviewer suspends: the decision stands, and after it no write does."""
    seen = await _add(one, name, ReviewStatus.APPROVED)
    lease = await _claim(one, seen)
    if lease is None:
        report.violations.append(f"{name}: could not be claimed")
        return
    verb = chance.choice([Verb.SUSPEND, Verb.BLACKLIST])
    decided, released = await asyncio.gather(
        decide_one(two, Decision(verb, RITA, "stop"), Target(name, seen.version)),
        _release(one, lease),
        return_exceptions=True,
    )
    after = await _get(one, seen.no)
    if isinstance(decided, BaseException):
        report.violations.append(f"{name}: the decision was refused: {decided}")
    if isinstance(released, LeaseLost):
        report.lost_by["worker"] += 1
    elif isinstance(released, BaseException):
        report.violations.append(f"{name}: the worker saw {released!r}")
    if (after.due_at, after.claimed_by) != (None, None):
        report.violations.append(f"{name}: is still due or held")
    if await renew(one, lease.worker, [lease], _LEASE_SECONDS):
        report.violations.append(f"{name}: a lease was renewed after the decision")
    await _events_tell(report, one, after)


async def _three_at_once(report: Report, one: Database, two: Database, name: str, _: random.Random) -> None:
    """A reviewer suspends, an admin edits the budget, both from the same version, while a worker renews."""
    seen = await _add(one, name, ReviewStatus.APPROVED)
    lease = await _claim(one, seen)
    if lease is None:
        report.violations.append(f"{name}: could not be claimed")
        return
    suspended, edited, _renewed = await asyncio.gather(
        decide_one(two, Decision(Verb.SUSPEND, RITA), Target(name, seen.version)),
        _edit(one, seen),
        renew(one, lease.worker, [lease], _LEASE_SECONDS),
        return_exceptions=True,
    )
    await _one_won(report, one, seen, [suspended, edited], ("suspender", "editor"))
    after = await _get(one, seen.no)
    is_held = after.claimed_by is not None
    if is_held is (after.review_status is ReviewStatus.SUSPENDED):
        report.violations.append(f"{name}: {after.review_status}, but held by {after.claimed_by}")


async def _one_won(
    report: Report, db: Database, seen: Domain, outcomes: list[Domain | BaseException], names: tuple[str, str]
) -> None:
    late = [name for name, each in zip(names, outcomes, strict=True) if isinstance(each, StaleVersion)]
    won = [each for each in outcomes if isinstance(each, Domain)]
    after = await _get(db, seen.no)
    if len(late) != 1 or len(won) != 1:
        report.violations.append(f"{seen.domain}: {outcomes!r}")
        return
    report.lost_by[late[0]] += 1
    [stale] = [each for each in outcomes if isinstance(each, StaleVersion)]
    if stale.current != after.version or len(stale.changes) != 1:
        report.violations.append(f"{seen.domain}: the loser was told {stale}")
    if (after.version, after.review_status) != (seen.version + 1, won[0].review_status):
        report.violations.append(f"{seen.domain}: what was decided is not what is stored")
    await _events_tell(report, db, after)


async def _events_tell(report: Report, db: Database, after: Domain) -> None:
    """The latest state is the one its last event tells, and each version has one event."""
    async with db.read() as tx:
        found = await events.of_domain(tx, after.no, 20)
    versions = sorted(event.version for event in found if event.version is not None)
    if versions != list(range(2, after.version + 1)):
        report.violations.append(f"{after.domain}: version {after.version}, events for {versions}")


async def _add(db: Database, name: str, status: ReviewStatus) -> Domain:
    async with db.write() as tx:
        origin = Origin("race", SubmitterType.ADMIN, "ada", status)
        await register.add_batch(tx, [NewDomain(name)], origin)
        found = await rows.find(tx, name)
    assert found is not None
    return found


async def _claim(db: Database, domain: Domain) -> Lease | None:
    taken = await Claimer(db, f"worker of {domain.domain}", _LEASE_SECONDS).claim(1)
    return next((lease for lease in taken if lease.no == domain.no), None)


async def _clear(db: Database, name: str) -> None:
    """Nothing of this race is left for the next one's claim."""
    async with db.write() as tx:
        await changes.withdraw(tx, await rows.find_no(tx, name))


async def _release(db: Database, lease: Lease) -> None:
    async with db.write() as tx:
        await releasing.release(tx, lease, Outcome(), "records")


async def _edit(db: Database, seen: Domain) -> Domain:
    async with db.write() as tx:
        return await changes.edit(tx, seen.no, {"max_pages_per_run": 7}, ADA, seen_version=seen.version)


async def _get(db: Database, no: int) -> Domain:
    async with db.read() as tx:
        return await rows.get(tx, no)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="lab races", description=__doc__)
    parser.add_argument("--races", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=ENGINES, action="append")
    chosen = parser.parse_args(argv)
    print(f"seed {chosen.seed}")
    sound = True
    for engine in chosen.engine or ENGINES:
        begun = time.monotonic()
        report = _on(engine, Plan(chosen.races, chosen.seed))
        print(f"{engine}: {time.monotonic() - begun:.0f} s\n{report.summary()}", flush=True)
        sound = sound and not report.violations
    return 0 if sound else 1


def _on(engine: str, plan: Plan) -> Report:
    if engine == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            return asyncio.run(_with_doors(f"sqlite:///{folder}/surveyor.db", plan))
    server = Postgres.create()
    try:
        return asyncio.run(_with_doors(server.url(), plan))
    finally:
        server.remove()


async def _with_doors(url: str, plan: Plan) -> Report:
    one, two = (Database.open(DatabaseSettings(url=url), Path()) for _ in range(2))
    try:
        await schema.upgrade(one)
        return await race(one, two, plan)
    except SurveyorError as error:
        print(f"the lab failed: {error}", file=sys.stderr)
        raise
    finally:
        await one.close()
        await two.close()
