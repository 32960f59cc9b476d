"""The end of a crawl: once every version of a domain is read, the domain is judged on what was found.

Each end is judged once. A relevant record makes the domain one of high quality, none makes it one of low
quality; what a person decided in between, or a year without funds, stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, current_time
from surveyor.errors import ForbiddenArrow
from surveyor.extract.changes import record_changes
from surveyor.extract.record_set import Contributor, Version
from surveyor.extract.store import completion, contacts, queue, records
from surveyor.registry.actors import Actor
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import changes, rows

_HIGH, _LOW = QualityStatus.PROCESSED_HIGH_QUALITY, QualityStatus.PROCESSED_LOW_QUALITY
# Domains per look: each is a transaction of its own.
_BATCH = 50


async def judge_ends(db: Database, by: Actor, yields: str, among: Sequence[int] | None = None) -> int:
    """Judge domains whose crawl ended and that are read; returns how many."""
    async with db.read() as tx:
        finished = await completion.finished(tx, _BATCH, among)
    for no in finished:
        async with db.write() as tx:
            await _judge(tx, no, by, yields)
    return len(finished)


async def _judge(tx: AsyncConnection, no: int, by: Actor, yields: str) -> None:
    domain = await rows.get(tx, no, lock=True)
    if await queue.is_unread(tx, [no]) or not await completion.take(tx, no):
        return
    await _forget_left_pages(tx, no, by)
    if yields != "records":
        return
    is_high = await completion.has_relevant_record(tx, no)
    target = _HIGH if is_high else _LOW
    if domain.quality_status is target:
        return
    reason = f"crawled to its end: {'a' if is_high else 'no'} relevant record"
    try:
        if domain.quality_status not in (_HIGH, _LOW):
            await changes.advance_quality(tx, no, QualityStatus.PROCESSING, by, reason=reason)
        await changes.advance_quality(tx, no, target, by, reason=reason)
    except ForbiddenArrow:
        return  # a year without funds, or a failure that is to rest, is not over yet


async def _forget_left_pages(tx: AsyncConnection, no: int, by: Actor) -> None:
    """What stood on pages that are no more has no source left."""
    keys = await completion.left_pages(tx, no)
    if not keys:
        return
    moment = await current_time(tx)
    record_set = await records.record_set(tx, no, keys, ())
    newest = await completion.newest(tx, no, keys)
    for key in keys:
        snapshot_id = newest.get(key, 0)  # others may have named it, and no version is kept
        record_set.merge_page(Version(key, snapshot_id, moment, snapshot_id), (), Contributor.NOBODY)
    await records.write(tx, no, record_set, moment, published=False)
    await contacts.withdraw(tx, no, keys)
    await completion.read_again_when_seen(tx, no, keys)
    await record_changes(tx, no, record_set, by)
