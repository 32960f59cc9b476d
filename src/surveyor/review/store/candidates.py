"""Which candidate a reviewer looks at next."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import now
from surveyor.db.tables import candidates, domains
from surveyor.registry.candidates import CandidateStatus
from surveyor.registry.lifecycle import QualityStatus

_c, _d = candidates.c, domains.c


async def next_waiting(tx: AsyncConnection) -> UUID | None:
    """The most confident one that waits, the oldest among equals; not of a domain without funds this year."""
    year = (await tx.execute(select(now()))).scalar_one().year
    no_funds = _d.quality_status == QualityStatus.NO_FUNDS_THIS_YEAR
    query = (
        select(_c.id)
        .join_from(candidates, domains, _d.no == _c.domain_no)
        .where(
            _c.status == CandidateStatus.PENDING_REVIEW,
            or_(~no_funds, _d.no_funds_year < year),
        )
        .order_by(_c.confidence.desc(), _c.id)
        .limit(1)
    )
    found: UUID | None = (await tx.execute(query)).scalar_one_or_none()
    return found
