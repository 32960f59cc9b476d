"""Rows of sessions: begun, kept up to date with every batch, ended once and for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Row, and_, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time, now
from surveyor.db.tables import discovery_sessions
from surveyor.discover.session import Session, SessionStatus, SessionType, Totals
from surveyor.errors import NotFound, Refused

_s = discovery_sessions.c
# A session reports at least every ten seconds; after this long it is taken for dead.
SILENT = timedelta(minutes=2)


async def start(
    tx: AsyncConnection,
    session: UUID,
    kind: SessionType,
    by: str,
    worker: str,
    queries: int,
    names: Sequence[str],
) -> None:
    await tx.execute(
        discovery_sessions.insert().values(
            id=session,
            type=kind,
            status=SessionStatus.RUNNING,
            started_by=by,
            started_at=now(),
            worker=worker,
            last_seen_at=now(),
            queries_planned=queries,
            provider_results=dict.fromkeys(names, 0),
            provider_errors={},
        )
    )


async def write_totals(tx: AsyncConnection, session: UUID, totals: Totals) -> None:
    """The counts as they are after this transaction. A session that was ended by others takes no more."""
    await _write_running(tx, session, {**asdict(totals), "last_seen_at": now()})


async def seen(tx: AsyncConnection, session: UUID) -> None:
    await _write_running(tx, session, {"last_seen_at": now()})


async def end(
    tx: AsyncConnection,
    session: UUID,
    status: SessionStatus,
    provider_errors: Mapping[str, str],
    error_message: str | None,
) -> None:
    ended = {"status": status, "completed_at": now(), "last_seen_at": now()}
    ending = {"provider_errors": dict(provider_errors), "error_message": error_message}
    await _write_running(tx, session, ended | ending)


async def end_abandoned(tx: AsyncConnection, session: Session) -> bool:
    """End a session whose process is gone, at the moment it was last seen; False: somebody else did."""
    answered = session.queries_executed > 0
    changed = await tx.execute(
        update(discovery_sessions)
        .where(_s.id == session.id, _s.status == SessionStatus.RUNNING)
        .values(
            status=SessionStatus.PARTIAL_SUCCESS if answered else SessionStatus.FAILED,
            completed_at=_s.last_seen_at,
            error_message="its process ended before the session did",
        )
    )
    return changed.rowcount > 0


async def planned_today(tx: AsyncConnection, kind: SessionType) -> int:
    """Queries of all sessions of this kind that began on the present UTC day."""
    moment = await current_time(tx)
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    query = select(func.coalesce(func.sum(_s.queries_planned), 0))
    found = await tx.execute(query.where(_s.type == kind, _s.started_at >= midnight))
    return int(found.scalar_one())


async def running(tx: AsyncConnection) -> list[tuple[Session, datetime]]:
    """Sessions that have not ended, each with the database's time."""
    query = select(discovery_sessions, now()).where(_s.status == SessionStatus.RUNNING)
    return [(_to_session(row), row[-1]) for row in await tx.execute(query)]


async def get(tx: AsyncConnection, session: UUID) -> Session:
    row = (await tx.execute(select(discovery_sessions).where(_s.id == session))).one_or_none()
    if row is None:
        raise NotFound(f"there is no session {session}; `surveyor sessions` lists them")
    return _to_session(row)


async def listing(tx: AsyncConnection, limit: int, after: UUID | None = None) -> list[Session]:
    """Sessions, newest first, from behind the one that is named."""
    query = select(discovery_sessions).order_by(_s.started_at.desc(), _s.id.desc()).limit(limit)
    if after is not None:
        last = await get(tx, after)
        same_time = and_(_s.started_at == last.started_at, _s.id < last.id)
        query = query.where(or_(_s.started_at < last.started_at, same_time))
    return [_to_session(row) for row in await tx.execute(query)]


async def _write_running(tx: AsyncConnection, session: UUID, values: Mapping[str, Any]) -> None:
    where = (_s.id == session, _s.status == SessionStatus.RUNNING)
    changed = await tx.execute(update(discovery_sessions).where(*where).values(dict(values)))
    if not changed.rowcount:
        raise Refused(f"the session {session} was ended by another process; nothing more is written to it")


def _to_session(row: Row[Any]) -> Session:
    values = {column.name: row._mapping[column] for column in _s}
    values["type"], values["status"] = SessionType(values["type"]), SessionStatus(values["status"])
    return Session(**values)
