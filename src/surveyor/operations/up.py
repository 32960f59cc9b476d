"""Everything in one process tree: which parts there are, when they run, and what is written about them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

from surveyor import entry_points, logs
from surveyor.backoff import pause
from surveyor.clock import SystemClock
from surveyor.db import Database
from surveyor.db.sqlite import FileWatch
from surveyor.discover import scheduled
from surveyor.discover.queries import from_profile
from surveyor.discover.scheduled import Share
from surveyor.discover.session import SessionType
from surveyor.entry_points import Group
from surveyor.errors import DatabaseError, Refused
from surveyor.notify import staff
from surveyor.operations import schedule, store
from surveyor.operations.demand import Demand
from surveyor.operations.housekeeping import Tidied, tidy_up
from surveyor.operations.notifying import notify
from surveyor.plugins import Message
from surveyor.process.commands import ending
from surveyor.process.locks import WorkerLock
from surveyor.process.supervisor import Change, Due, Part, PartState
from surveyor.process.tasks import run_beside
from surveyor.profiles.model import Profile
from surveyor.settings import KeepSettings, NotifySettings, Settings

# Seconds between two reports that the parts are looked after, and between two rounds of housekeeping.
_REPORT_SECONDS, _ROUND_SECONDS = 10.0, 60.0
# Seconds between two looks whether there is something to do for a part that is not running.
_LOOK_SECONDS = 1.5
# Seconds without a page after which extraction ends: a slow crawl brings one in several seconds.
_EXTRACT_IDLE_SECONDS = 30.0
# Housekeeping is done by the process that looks after the parts.
KEEP = "keep"

# Ends of a part in a row after which somebody should know; it is said once.
_KEEPS_ENDING = 3

log = logs.get("up")


def parts_of(db: Database, settings: Settings, profile: Profile, searches: bool) -> list[Part]:
    """All but the web. `searches`: whether there is a provider to ask."""
    found = [
        Part("refresh", ("refresh", "--continuous", "--no-extract")),
        Part("jobs", ("jobs", "--serve", "--once"), _when(db, Demand(db).of_jobs)),
    ]
    shares = search_shares(settings, profile) if searches else {}
    for name, kind, written in _schedules(settings):
        share = shares.get(kind)
        due = _due(db, profile, share, written) if share and share.per_day else _never
        found.append(Part(name, ("search", "--type", kind.value, "--scheduled"), due))
    if settings.extract.enabled:
        reads = ("extract", "--continuous", "--until-idle", f"{_EXTRACT_IDLE_SECONDS:g}")
        # The first time in any case: the profile, and with it what is to be read again, may be another one.
        found.append(Part("extract", reads, _when(db, Demand(db).of_extraction, at_first=True)))
    if settings.mail.is_ready or staff.recipients(settings.notify):
        found.append(Part("notify", ("notify", "--send")))
    if settings.listeners.webhooks or entry_points.registered(Group.LISTENERS):
        found.append(Part("webhooks", ("webhooks", "--send")))
    return found


def search_shares(settings: Settings, profile: Profile) -> dict[SessionType, Share]:
    """How many queries each scheduled search may ask a day; those without a schedule ask none."""
    planned = {
        kind: len(from_profile(profile, kind))
        for _, kind, written in _schedules(settings)
        if written and kind.value in profile.queries
    }
    return scheduled.shares(planned, settings.schedule.queries_per_day)


def _schedules(settings: Settings) -> tuple[tuple[str, SessionType, str], ...]:
    return (
        ("nightly", SessionType.NIGHTLY_DISCOVERY, settings.schedule.nightly),
        ("weekly", SessionType.WEEKLY_DEEP_CRAWL, settings.schedule.weekly),
    )


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A search that `up` begins by itself, and when the next time is; None is never."""

    name: str
    written: str
    queries_per_day: int
    next_at: datetime | None


async def schedule_of(db: Database, settings: Settings, profile: Profile) -> list[Scheduled]:
    shares = search_shares(settings, profile)
    found = []
    for name, kind, written in _schedules(settings):
        share = shares.get(kind)
        due = (await _next_search(db, profile, share, written))[0] if share and share.per_day else None
        found.append(Scheduled(name, written, share.per_day if share else 0, due))
    return found


async def _never() -> float | None:
    return None


def _when(db: Database, wanted: Callable[[], Awaitable[bool]], *, at_first: bool = False) -> Due:
    """For a part that runs while there is something to do: a process that only waits holds 50 MB."""
    is_first, watch = at_first, FileWatch(db.file)

    async def due() -> float | None:
        nonlocal is_first
        if watch.is_unchanged():
            return _LOOK_SECONDS
        try:
            is_due, is_first = is_first or await wanted(), False
        except DatabaseError as error:
            log.warning("the database does not answer", error=str(error))
            return _LOOK_SECONDS
        return 0.0 if is_due else _LOOK_SECONDS

    return due


def _due(db: Database, profile: Profile, share: Share, written: str) -> Due:
    async def due() -> float | None:
        """Seconds until this search has something to ask."""
        try:
            moment, now = await _next_search(db, profile, share, written)
        except DatabaseError as error:
            log.warning("the database does not answer", search=share.kind.value, error=str(error))
            return None
        return None if moment is None else (moment - now).total_seconds()

    return due


async def _next_search(
    db: Database, profile: Profile, share: Share, written: str
) -> tuple[datetime | None, datetime]:
    """When the next search of this kind begins, and what time it is at the database."""
    async with db.read() as tx:
        last, now = await store.last_begun(tx, share.kind)
    moment = schedule.next_due(written, last, now)
    if moment is None or last is None:
        return moment, now
    plan = from_profile(profile, share.kind)
    if moment > now and await scheduled.is_unfinished(db, plan, schedule.began(written, now)):
        moment = schedule.next_share(written, last, now)
    if moment is not None and moment <= now and not await scheduled.left_today(db, share):
        moment = datetime.combine(now.date() + timedelta(days=1), time(), UTC)  # the day's share is asked
    return moment, now


@contextlib.contextmanager
def alone(workspace: Path) -> Iterator[None]:
    """One process tree per workspace and machine."""
    try:
        lock = WorkerLock(workspace, "up")
    except Refused:
        raise Refused("`surveyor up` runs in this workspace already; stop that one first") from None
    try:
        yield
    finally:
        lock.close()


class PartStates:
    """How the parts of this machine are, kept in the database for people who look from elsewhere."""

    def __init__(self, db: Database, staff_of: NotifySettings | None = None) -> None:
        self._db, self._machine, self._clock = db, socket.gethostname(), SystemClock()
        self._staff = staff_of or NotifySettings()

    async def changed(self, change: Change) -> None:
        values: dict[str, Any] = {"pid": change.pid}
        if change.restarts is not None:
            values |= {"restarts": change.restarts, "note": None}
        if change.exit_code is not None:
            values |= {"last_exit": change.exit_code, "last_ended_at": self._clock.now()}
            if change.restarts is not None:
                values["note"] = ending(change.exit_code)
        if change.failures == _KEEPS_ENDING and change.exit_code is not None:
            text = f"it {ending(change.exit_code)} {change.failures} times in a row and is started again"
            message = Message(f"surveyor: {change.part} on {self._machine} keeps ending", text)
            await notify(message)
            await self._say(message)
        name, machine = self._db.dialect_name, self._machine
        await self._write(lambda tx: store.write_part(tx, name, machine, change.part, change.state, **values))

    async def report_beside(
        self, work: Coroutine[Any, Any, None], names: Sequence[str], keeping: Coroutine[Any, Any, None]
    ) -> None:
        """Do the work, and keep house; meanwhile others see that these parts are looked after."""
        await self._write(lambda tx: store.drop_others(tx, self._machine, [*names, KEEP]))
        await self.changed(Change(KEEP, PartState.RUNNING, os.getpid(), 0))
        await run_beside(work, {"report": self._report(), "housekeeping": keeping}, "`surveyor up`")
        await self.changed(Change(KEEP, PartState.STOPPED))

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(_REPORT_SECONDS)
            await self._write(lambda tx: store.seen(tx, self._machine))

    async def _say(self, message: Message) -> None:
        try:
            await staff.say(self._db, self._staff, message)
        except DatabaseError as error:
            log.warning("staff is not notified", subject=message.subject, error=str(error))

    async def _write(self, act: Callable[[Any], Awaitable[None]]) -> None:
        """The parts run on when the database is away; what is shown of them is old meanwhile."""
        try:
            async with self._db.write() as tx:
                await act(tx)
        except DatabaseError as error:
            log.warning("state of parts not written", error=str(error))


async def keep_house(
    db: Database,
    profile: Profile,
    keep: KeepSettings,
    stopping: asyncio.Event,
    say: Callable[[str], None],
    learn: Callable[[], Awaitable[str]] | None = None,
) -> None:
    """A round of housekeeping a minute, until somebody wants to stop; `learn` says what was learned."""
    while not stopping.is_set():
        try:
            done = await tidy_up(db, profile, keep)
            if done != Tidied():
                say(done.summary())
            if learn is not None and (learned := await learn()):
                say(learned)
        except DatabaseError as error:
            say(f"{error}; trying again")
        except Exception as error:
            # Whoever looks after the parts does this too, and must not end with it.
            log.exception("housekeeping failed", error=str(error))
        await pause(stopping, _ROUND_SECONDS)
