"""What is to be read: versions of pages that wait, claims on them, and who still holds one.

A claim is a short lease in the row. Results are written only where the claim is still the writer's own; one
that ended is anybody's again. Rows are taken in the order of domains, so that the pages of one site come
together and a pass over all of them costs one walk along the index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    and_,
    case,
    exists,
    func,
    literal,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import later, now
from surveyor.db.tables import domain_crawl, domains, page_snapshots, pages
from surveyor.db.tables import register as facts
from surveyor.extract.states import ExtractState
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus

_s, _d = page_snapshots.c, domains.c
# Words of the partial indexes: they are used only where a query says the same.
_WAITING = text("page_snapshots.extract_state = 'waiting'")
_TAKEN = text("page_snapshots.extract_state = 'taken'")
_QUARANTINED = text("page_snapshots.extract_state = 'quarantined'")
# What was decided against is not read; what is archived of it stays as it is.
_ALLOWED = and_(_d.review_status == ReviewStatus.APPROVED, _d.quality_status != QualityStatus.BLACKLISTED)
# Asked of each row in turn: as a join it would be answered domain by domain, of which most have nothing.
_OF_ALLOWED = exists(select(1).select_from(domains).where(_d.no == _s.domain_no, _ALLOWED))

# A page gets so many readers in all before it is quarantined.
TRIES = 3
# Under these names the register knows the rules that hold, and those for which the queue was made anew.
RULES, QUEUED_FOR = "extractor_version", "extractor_queued_for"


class PassCursor(NamedTuple):
    """Where in the order of domains a pass stands."""

    domain_no: int
    id: int


class Waiting(NamedTuple):
    """A version that was claimed, with what is needed to read it."""

    id: int
    domain_no: int
    key: int
    domain: str
    start_url: str | None
    target: str | None
    content_type: str | None
    content_hash: bytes
    seen_at: datetime
    archive: str | None
    body: bytes | None

    @property
    def url(self) -> str:
        origin = (self.start_url or f"https://{self.domain}").rstrip("/")
        return origin + (self.target or "/")


def _wanted(after: PassCursor | None, only: Sequence[int] | None) -> list[ColumnElement[bool]]:
    wanted: list[Any] = [_WAITING, _OF_ALLOWED]
    if only is not None:
        wanted.append(_s.domain_no.in_(only))
    if after is not None:
        place = tuple_(literal(after.domain_no, BigInteger), literal(after.id, BigInteger))
        wanted.append(tuple_(_s.domain_no, _s.id) > place)
    return wanted


async def is_anything_waiting(tx: AsyncConnection, only: Sequence[int] | None) -> bool:
    return (await tx.execute(select(_s.id).where(*_wanted(None, only)).limit(1))).first() is not None


async def claim(
    tx: AsyncConnection,
    worker: str,
    count: int,
    seconds: float,
    *,
    after: PassCursor | None = None,
    only: Sequence[int] | None = None,
) -> list[Waiting]:
    """Take the next versions that wait behind a place; claims that ended wait again first."""
    ended = and_(_TAKEN, _s.extract_until <= now())
    await tx.execute(update(page_snapshots).where(ended).values(_free()))
    query = (
        select(_s.id)
        .where(*_wanted(after, only))
        .order_by(_s.domain_no, _s.id)
        .limit(count)
        .with_for_update(of=page_snapshots, skip_locked=True)
    )
    ids = list((await tx.execute(query)).scalars())
    if not ids:
        return []
    taken = {"extract_state": ExtractState.TAKEN, "extract_by": worker, "extract_until": later(seconds)}
    await tx.execute(update(page_snapshots).where(_s.id.in_(ids)).values(taken))
    return await _details(tx, ids)


def _free() -> dict[str, Any]:
    return {"extract_state": ExtractState.WAITING, "extract_by": None, "extract_until": None}


async def _details(tx: AsyncConnection, ids: Sequence[int]) -> list[Waiting]:
    on_page = and_(pages.c.domain_no == _s.domain_no, pages.c.key == _s.key)
    query = (
        select(
            _s.id,
            _s.domain_no,
            _s.key,
            _d.domain,
            _d.start_url,
            pages.c.target,
            _s.content_type,
            _s.content_hash,
            _s.last_seen_at,
            _s.archive,
            _s.body,
        )
        .join_from(page_snapshots, domains, _d.no == _s.domain_no)
        .outerjoin(pages, on_page)
        .where(_s.id.in_(ids))
        .order_by(_s.domain_no, _s.id)
    )
    return [Waiting(*row) for row in await tx.execute(query)]


async def lock_domains(tx: AsyncConnection, numbers: Iterable[int]) -> set[int]:
    """Hold these domains until the transaction ends, in the order that all others keep; returns those that
    may still be read."""
    wanted = sorted(set(numbers))
    decided = select(_d.no, _ALLOWED).where(_d.no.in_(wanted)).order_by(_d.no).with_for_update(read=True)
    allowed = {no for no, is_allowed in await tx.execute(decided) if is_allowed}
    held = select(domain_crawl.c.no).where(domain_crawl.c.no.in_(wanted)).order_by(domain_crawl.c.no)
    await tx.execute(held.with_for_update())
    return allowed


async def still_held(tx: AsyncConnection, worker: str, ids: Sequence[int]) -> set[int]:
    """Which of these are still the worker's, locked."""
    query = (
        select(_s.id)
        .where(_s.id.in_(ids), _s.extract_by == worker, _s.extract_state == ExtractState.TAKEN)
        .order_by(_s.id)
        .with_for_update()
    )
    return set((await tx.execute(query)).scalars())


async def give_back(tx: AsyncConnection, worker: str, ids: Sequence[int] | None = None) -> None:
    """Let go of what was not read: these, or all that the worker holds."""
    mine: list[Any] = [_TAKEN, _s.extract_by == worker]
    if ids is not None:
        mine.append(_s.id.in_(ids))
    await tx.execute(update(page_snapshots).where(*mine).values(_free()))


async def failed(tx: AsyncConnection, worker: str, id_: int, version: str, reason: str) -> bool | None:
    """A page stopped its reader: it waits again, or goes to quarantine (True); None: no longer ours."""
    is_last = _s.extract_tries + 1 >= TRIES
    state = case((is_last, ExtractState.QUARANTINED.value), else_=ExtractState.WAITING.value)
    values = _free() | {
        "extract_state": state,
        "extract_tries": _s.extract_tries + 1,
        "extract_error": reason,
        "extractor_version": version,
        "extracted_at": now(),
    }
    mine = (_s.id == id_, _s.extract_by == worker, _s.extract_state == ExtractState.TAKEN)
    written = await tx.execute(update(page_snapshots).where(*mine).values(values).returning(_s.extract_state))
    row = written.one_or_none()
    return None if row is None else row.extract_state == ExtractState.QUARANTINED


async def rules_hold(tx: AsyncConnection, version: str) -> bool:
    """Whether pages are still read with these rules; they stay so until the transaction ends."""
    query = select(facts.c.value).where(facts.c.name == RULES).with_for_update(read=True)
    return (await tx.execute(query)).scalar_one_or_none() == version


async def holders(tx: AsyncConnection) -> list[str]:
    """Workers that hold claims."""
    return list((await tx.execute(select(_s.extract_by).where(_TAKEN).distinct())).scalars())


async def is_unread(tx: AsyncConnection, numbers: Sequence[int]) -> set[int]:
    """Which of these domains have versions that wait or are being read."""
    waits = exists(select(1).select_from(page_snapshots).where(_s.domain_no == _d.no, _WAITING))
    taken = select(_s.domain_no).where(_TAKEN)
    query = select(_d.no).where(_d.no.in_(numbers), waits | _d.no.in_(taken))
    return set((await tx.execute(query)).scalars())


# Rows counted at most: a person reads "10,000+".
MOST_COUNTED = 10_000


async def count_waiting(tx: AsyncConnection, only: Sequence[int] | None = None) -> int:
    """Versions that may be read now, counted up to a bound."""
    some = select(_s.id).where(*_wanted(None, only)).limit(MOST_COUNTED)
    return int((await tx.execute(select(func.count()).select_from(some.subquery()))).scalar_one())


async def release(
    tx: AsyncConnection, no: int | None, key: int | None, after: int
) -> tuple[int, dict[int, int]] | None:
    """Let versions in quarantine wait again, a batch at a time; returns where to go on, and how many of each
    domain. Those whose content is not kept stay, and those of domains that nobody reads."""
    those: list[Any] = [_QUARANTINED, _IS_KEPT, _OF_ALLOWED, _s.id > after]
    if no is not None:
        those.append(_s.domain_no == no)
    if key is not None:
        those.append(_s.key == key)
    some = select(_s.id).where(*those).order_by(_s.id).limit(_BATCH).with_for_update(skip_locked=True)
    ids = list((await tx.execute(some)).scalars())
    if not ids:
        return None
    changed = update(page_snapshots).where(_s.id.in_(ids), _QUARANTINED).values(_AGAIN)
    return ids[-1], Counter((await tx.execute(changed.returning(_s.domain_no))).scalars())


# What can be read once more, and what it becomes.
_IS_KEPT = _s.archive.is_not(None) | _s.body.is_not(None)
_AGAIN = {"extract_state": ExtractState.WAITING, "extract_tries": 0, "extract_error": None}
# Rows looked at in one transaction when many are to be read again.
_BATCH = 2_000


async def requeue(tx: AsyncConnection, version: str, after: int) -> int | None:
    """Let versions that were read with other rules wait again, a batch at a time; returns where to go on."""
    query = select(_s.id).where(_s.id > after).order_by(_s.id).limit(_BATCH)
    ids = list((await tx.execute(query)).scalars())
    if not ids:
        return None
    read = (ExtractState.DONE, ExtractState.UNCHANGED, ExtractState.QUARANTINED)
    outdated = and_(
        _s.id.between(ids[0], ids[-1]),
        _s.extract_state.in_(read),
        _s.extractor_version.is_distinct_from(version),
        _IS_KEPT,
    )
    await tx.execute(update(page_snapshots).where(outdated).values(_AGAIN))
    return int(ids[-1])
