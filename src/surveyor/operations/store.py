"""Rows of parts, and rows that grew too old."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, current_time, now
from surveyor.db.dialect import insert
from surveyor.db.tables import (
    contact_sources,
    crawl_log,
    discovery_sessions,
    domains,
    events,
    page_snapshots,
    parts,
    record_changes,
    record_sources,
    workers,
)
from surveyor.process.supervisor import PartState
from surveyor.registry.store import register

_p, _l, _s = parts.c, crawl_log.c, page_snapshots.c
# A part is reported on at least every ten seconds; after a minute nobody looks after it any more.
_SILENT = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class PartLine:
    machine: str
    name: str
    state: PartState
    pid: int | None
    since: datetime
    seen_at: datetime
    restarts: int
    last_exit: int | None
    last_ended_at: datetime | None
    note: str | None
    read_at: datetime

    @property
    def message(self) -> str:
        """The state in a word; a part that nobody reports on has lost whoever looked after it."""
        lost = self.state is not PartState.STOPPED and self.read_at - self.seen_at > _SILENT
        return "not looked after" if lost else self.state.value


async def write_part(
    tx: AsyncConnection, dialect_name: str, machine: str, name: str, state: PartState, **values: Any
) -> None:
    """A part has a new state; the first one makes its row. `values` are further columns."""
    row = {"state": state, "pid": None, "since": now(), "seen_at": now()} | values
    query = insert(parts, dialect_name).values(machine=machine, name=name, **row)
    await tx.execute(query.on_conflict_do_update(index_elements=["machine", "name"], set_=row))


async def seen(tx: AsyncConnection, machine: str) -> None:
    """Whoever looks after the machine's parts is still there."""
    await tx.execute(update(parts).where(_p.machine == machine).values(seen_at=now()))


async def drop_others(tx: AsyncConnection, machine: str, names: Sequence[str]) -> None:
    """Parts that a machine no longer has."""
    await tx.execute(delete(parts).where(_p.machine == machine, _p.name.not_in(names)))


async def listing(tx: AsyncConnection) -> list[PartLine]:
    columns = [_p[name] for name in PartLine.__slots__ if name != "read_at"]
    query = select(*columns, now()).order_by(_p.machine, _p.name)
    return [PartLine(*row[:2], PartState(row[2]), *row[3:]) for row in await tx.execute(query)]


async def last_begun(tx: AsyncConnection, kind: str) -> tuple[datetime | None, datetime]:
    """When a session of this kind began last, and the database's time."""
    began = discovery_sessions.c.started_at
    query = select(func.max(began).label("began"), now()).where(discovery_sessions.c.type == kind)
    row = (await tx.execute(query)).one()
    return row[0], row[1]


# --- what is too old


async def old_log(tx: AsyncConnection, days: int, most: int) -> int:
    """Remove up to `most` requests that are older; returns how many. They were written in their order."""
    cutoff = await current_time(tx) - timedelta(days=days)
    oldest = select(_l.id, _l.fetched_at).order_by(_l.id).limit(most)
    gone = [number for number, at in await tx.execute(oldest) if at < cutoff]
    if gone:
        await tx.execute(delete(crawl_log).where(_l.id <= gone[-1], _l.fetched_at < cutoff))
    return len(gone)


async def old_workers(tx: AsyncConnection, days: int) -> int:
    """Remove workers that stopped long ago."""
    cutoff = await current_time(tx) - timedelta(days=days)
    removed = await tx.execute(delete(workers).where(workers.c.stopped_at < cutoff).returning(workers.c.id))
    return len(removed.all())


async def old_versions(tx: AsyncConnection, days: int, after: int, most: int) -> tuple[int, int | None]:
    """Look at `most` versions of pages behind one, and remove those that are older and no longer needed.

    A version is needed while it is its page's newest, a record or a contact stands on it, a change of a
    record names it, or a later one is unchanged since it. Returns how many were removed, and the last one
    looked at; None when the rest is too young.
    """
    cutoff = await current_time(tx) - timedelta(days=days)
    some = select(_s.id, _s.domain_no, _s.key, _s.first_seen_at, _s.last_seen_at).where(_s.id > after)
    seen = (await tx.execute(some.order_by(_s.id).limit(most))).all()
    old = {row.id: (row.domain_no, row.key) for row in seen if row.last_seen_at < cutoff}
    gone = set(old) - await _needed_versions(tx, old)
    if gone:
        await tx.execute(delete(page_snapshots).where(_s.id.in_(gone)))
    is_end = len(seen) < most or seen[-1].first_seen_at >= cutoff
    return len(gone), None if is_end else seen[-1].id


async def _needed_versions(tx: AsyncConnection, old: dict[int, tuple[int, int]]) -> set[int]:
    numbers = sorted({no for no, _ in old.values()})
    if not numbers:
        return set()
    pages_of = and_(_s.domain_no.in_(numbers), _s.key.in_({key for _, key in old.values()}))
    newest = select(func.max(_s.id)).where(pages_of).group_by(_s.domain_no, _s.key)
    unchanged = select(_s.unchanged_since).where(pages_of, _s.unchanged_since.is_not(None))
    found = set((await tx.execute(newest)).scalars()) | set((await tx.execute(unchanged)).scalars())
    for table in (record_sources, record_changes, contact_sources):
        named = select(table.c.snapshot_id).where(
            table.c.domain_no.in_(numbers), table.c.snapshot_id.in_(old.keys())
        )
        found.update((await tx.execute(named)).scalars())
    return found


async def is_first_today(db: Database, tx: AsyncConnection, what: str) -> bool:
    """Whether this was not done yet on the present UTC day, as the database counts it."""
    today = (await current_time(tx)).date().isoformat()
    if await register.get_fact(tx, what) == today:
        return False
    await register.set_fact(db, tx, what, today)
    return True


async def has_rows(tx: AsyncConnection) -> bool:
    """Whether something is kept here already."""
    for column in (domains.c.no, events.c.id):
        if (await tx.execute(select(column).limit(1))).first() is not None:
            return True
    return False
