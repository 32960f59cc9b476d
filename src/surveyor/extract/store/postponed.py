"""Versions that were read while the language model could not be asked: how they are found again.

The row says with which rules it was read and that the model is still to be asked; a fact of the register says
when and from which row on to look. A page whose own question failed is asked once more, not for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database, current_time
from surveyor.db.dialect import turn
from surveyor.db.tables import page_snapshots
from surveyor.db.tables import register as facts
from surveyor.extract.states import ExtractState
from surveyor.llm.postponed import Postponed
from surveyor.registry.store import register

_s = page_snapshots.c
_FACT = "model_postponed"
# Rows looked at in one transaction, and those of them that wait again: should the model fail once more,
# no more pages than these were read for nothing.
_WINDOW, _ROUND = 2_000, 20


class _Noted(NamedTuple):
    until: datetime
    first: int


def marks(version: str) -> tuple[str, str]:
    """What such rows have in place of the version: not asked yet, and asked once without an answer."""
    return f"{version} model not asked", f"{version} model failed once"


def read_with(version: str, postponed: Postponed | None) -> dict[str, str]:
    """What a row is to have: `new_mark`, or `next_mark` where it has `old_mark`."""
    unasked, failed = marks(version)
    if postponed is None:
        return {"new_mark": version, "old_mark": version, "next_mark": version}
    if postponed.has_failed:
        return {"new_mark": failed, "old_mark": failed, "next_mark": version}
    return {"new_mark": unasked, "old_mark": failed, "next_mark": failed}


async def alone(tx: AsyncConnection) -> None:
    """Who notes pages or looks for them does so before the next one; taken before any row."""
    await tx.execute(select(turn("postponed")))


async def note(db: Database, tx: AsyncConnection, pages: Iterable[tuple[int, Postponed]]) -> None:
    """These versions are to be found again; `alone` came before."""
    wanted = [(postponed.until, id_) for id_, postponed in pages]
    known = await _noted(tx)
    if known is not None:
        wanted.append(known)
    new = _Noted(max(until for until, _ in wanted), min(id_ for _, id_ in wanted))
    if new != known:
        await _set(db, tx, new)


async def are_due(tx: AsyncConnection) -> bool:
    known = await _noted(tx)
    return known is not None and known.until <= await current_time(tx)


async def requeue_if_due(db: Database, version: str) -> bool:
    """Let the next of them wait again; False: there are no more, or it is too early."""
    async with db.read() as tx:
        if not await are_due(tx):
            return False
    async with db.write() as tx:
        return await _requeue(db, tx, version)


async def _requeue(db: Database, tx: AsyncConnection, version: str) -> bool:
    await alone(tx)
    known = await _noted(tx)
    if known is None or known.until > await current_time(tx):
        return False
    in_window = select(_s.id).where(_s.id >= known.first).order_by(_s.id).limit(_WINDOW)
    window = list((await tx.execute(in_window)).scalars())
    if not window:
        await tx.execute(delete(facts).where(facts.c.name == _FACT))
        return False
    found = (
        select(_s.id)
        .where(
            _s.id.between(window[0], window[-1]),
            _s.extract_state.in_((ExtractState.DONE, ExtractState.UNCHANGED)),
            _s.extractor_version.in_(marks(version)),
            _s.archive.is_not(None) | _s.body.is_not(None),
        )
        .order_by(_s.id)
        .limit(_ROUND)
    )
    ids = list((await tx.execute(found)).scalars())
    await tx.execute(update(page_snapshots).where(_s.id.in_(ids)).values(extract_state=ExtractState.WAITING))
    last = ids[-1] if len(ids) == _ROUND else window[-1]
    await _set(db, tx, _Noted(known.until, last + 1))
    return True


async def _noted(tx: AsyncConnection) -> _Noted | None:
    value = await register.get_fact(tx, _FACT)
    if value is None:
        return None
    until, first = value.split()
    return _Noted(datetime.fromisoformat(until), int(first))


async def _set(db: Database, tx: AsyncConnection, noted: _Noted) -> None:
    await register.set_fact(db, tx, _FACT, f"{noted.until.isoformat()} {noted.first}")
