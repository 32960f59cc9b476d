"""Writes search results of sessions that were imported or are here; each once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.backfill.registers.results import TheirResult
from surveyor.backfill.registers.run import LeftOut, Run
from surveyor.backfill.registers.store.domains import known
from surveyor.backfill.registers.store.sessions import there
from surveyor.db import current_time
from surveyor.db.tables import search_results
from surveyor.registry.domain import SubmitterType
from surveyor.registry.lifecycle import QualityStatus
from surveyor.registry.store import register
from surveyor.registry.store.register import NewDomain, Origin

_r = search_results.c


async def take(tx: AsyncConnection, batch: Sequence[TheirResult], run: Run) -> None:
    sessions = await there(tx, list({one.session for one in batch})) | run.sessions
    names = list({one.domain for one in batch if one.session in sessions})
    created: set[str] = set()
    if run.apply:
        origin = Origin(run.source, SubmitterType.SYSTEM, run.by.name)
        created = set(await register.add_new(tx, [NewDomain(name) for name in names], origin))
    domains = await known(tx, names)
    columns = (_r.session_id, _r.provider, _r.query, _r.position, _r.url)
    # By their addresses: there are few of each, and each batch has few.
    among = select(*columns).where(_r.session_id.in_(list(sessions & {one.session for one in batch})))
    present = {tuple(row) for row in await tx.execute(among.where(_r.url.in_([one.url for one in batch])))}
    moment = await current_time(tx)
    rows = []
    for one in batch:
        if one.session not in sessions:
            run.now.leave_out(LeftOut("its session is neither here nor imported along", one.domain))
            continue
        if one.key in present:
            run.now.kept += 1
            continue
        domain = domains.get(one.domain)
        here = domain is not None and domain.quality_status is QualityStatus.BLACKLISTED
        if here or one.domain in run.blacklisted:
            run.now.leave_out(LeftOut("its domain is blacklisted", one.domain))
            continue
        present.add(one.key)
        run.now.new += 1
        if domain is not None:
            rows.append(_row(one, domain.no, moment, is_first=one.domain in created))
            created.discard(one.domain)
    if run.apply and rows:
        await tx.execute(insert(search_results), rows)


def _row(one: TheirResult, no: int, moment: datetime, *, is_first: bool) -> dict[str, object]:
    return {
        "session_id": one.session,
        "domain_no": no,
        "provider": one.provider,
        "query": one.query,
        "language": one.language,
        "position": one.position,
        "url": one.url,
        "title": one.title,
        "description": one.description,
        "is_duplicate": not is_first,
        "found_at": one.found_at or moment,
    }
