"""The model that was trained here, and the decided results it is trained with."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import Database
from surveyor.db.tables import domains, search_results
from surveyor.db.tables import register as facts
from surveyor.judge.values import SearchHit
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.store import register

_r, _d = search_results.c, domains.c
_FACT = "judge_model"
# Somebody undid the training: the schedule trains nothing until a person does again.
_UNTRAINED = "judge_model_taken_back"  # as the registers that are there have it
# The newest decided results that are learned from: enough for any taste, few enough for a minute of training.
_MOST = 10_000


class DecidedResult(NamedTuple):
    domain_no: int
    hit: SearchHit
    wanted: bool


async def decided_results(tx: AsyncConnection, most: int = _MOST) -> list[DecidedResult]:
    """Search results of domains that a person decided on: approved ones are wanted, rejected ones are not."""
    query = (
        select(_r.domain_no, _r.url, _r.title, _r.description, _r.position, _r.language, _d.review_status)
        .join_from(search_results, domains, _d.no == _r.domain_no)
        .where(
            _d.reviewed_by.is_not(None),
            _d.review_status.in_((ReviewStatus.APPROVED, ReviewStatus.REJECTED)),
            _d.quality_status != QualityStatus.NO_FUNDS_THIS_YEAR,
        )
        .order_by(_r.id.desc())
        .limit(most)
    )
    return [
        DecidedResult(
            no, SearchHit(url, title or "", text or "", position, language), status == ReviewStatus.APPROVED
        )
        for no, url, title, text, position, language, status in await tx.execute(query)
    ]


async def kept(tx: AsyncConnection) -> bytes | None:
    found = await register.get_fact(tx, _FACT)
    return found.encode() if found is not None else None


async def keep(db: Database, tx: AsyncConnection, model: bytes) -> None:
    await register.set_fact(db, tx, _FACT, model.decode())


async def drop(tx: AsyncConnection) -> None:
    await tx.execute(delete(facts).where(facts.c.name == _FACT))


async def is_untrained(tx: AsyncConnection) -> bool:
    return await register.get_fact(tx, _UNTRAINED) is not None


async def untrain(db: Database, tx: AsyncConnection) -> None:
    await drop(tx)
    await register.set_fact(db, tx, _UNTRAINED, "yes")


async def allow(tx: AsyncConnection) -> None:
    """The schedule may train again."""
    await tx.execute(delete(facts).where(facts.c.name == _UNTRAINED))
