"""Closes what dead processes left open, and removes what is too old, in small steps."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from surveyor.crawl import service as crawl
from surveyor.db import Database
from surveyor.discover import session_list
from surveyor.judge import training
from surveyor.names import NameRules
from surveyor.notify import store as notices
from surveyor.operations import store
from surveyor.profiles.model import Profile
from surveyor.review import policies
from surveyor.settings import KeepSettings

# Rows removed in one transaction: others wait no longer than for a group of pages.
_STEP = 2_000
# The fact that says on which day versions were looked at.
_VERSIONS = "versions_tidied_on"
# The fact that says on which day the judge was trained.
_TRAINED = "judge_trained_on"
# Days that a worker's name is kept after it stopped.
_WORKER_DAYS = 30
# Days that sent messages are listed, and that an address waits for its owner's yes.
_SENT_DAYS, _UNCONFIRMED_DAYS = 30, 7


@dataclass(slots=True)
class Tidied:
    """What one round of housekeeping did."""

    sessions_closed: int = 0
    runs_closed: int = 0
    domains_approved: int = 0
    log_rows: int = 0
    workers: int = 0
    versions: int = 0
    messages: int = 0

    def summary(self) -> str:
        done = [f"{count:,} {name.replace('_', ' ')}" for name, count in asdict(self).items() if count]
        return ", ".join(done) or "nothing to tidy up"


async def tidy_up(db: Database, profile: Profile, keep: KeepSettings) -> Tidied:
    """One round. Stopped in the middle, the next one goes on."""
    done = Tidied()
    done.sessions_closed = await session_list.close_abandoned(db)
    done.runs_closed = await crawl.cleanup_runs(db)
    policy = profile.policies
    approved = await policies.auto_approve(db, policy.auto_approve, approve_assets=policy.approve_assets)
    done.domains_approved = len(approved)
    while removed := await _step(db, keep.log_days):
        done.log_rows += removed
    async with db.write() as tx:
        done.workers = await store.old_workers(tx, _WORKER_DAYS)
    async with db.write() as tx:
        done.messages = await notices.remove_old(tx, _SENT_DAYS, _UNCONFIRMED_DAYS, _STEP)
    async with db.write() as tx:
        is_due = await store.is_first_today(db, tx, _VERSIONS)
    if is_due:
        done.versions = await _old_versions(db, keep.version_days)
    return done


async def learn(db: Database, profile: Profile, rules: NameRules) -> str:
    """Train the learned judge with the decisions made here, once a day; empty where nothing came of it."""
    async with db.write() as tx:
        if not await store.is_first_today(db, tx, _TRAINED):
            return ""
    report = await training.train_by_schedule(db, profile, rules)
    if report is None:
        return ""
    came = "kept" if report.kept else "not better, and not kept"
    return f"the judge was trained with {report.domains:,} decided domains: {came}"


async def _old_versions(db: Database, days: int) -> int:
    """All of them are looked at, so once a day is enough."""
    removed, after = 0, 0
    while True:
        async with db.write() as tx:
            gone, last = await store.old_versions(tx, days, after, _STEP)
        removed += gone
        if last is None:
            return removed
        after = last


async def _step(db: Database, days: int) -> int:
    async with db.write() as tx:
        return await store.old_log(tx, days, _STEP)
