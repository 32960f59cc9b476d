"""What people decided about judged domains, with the confidence each had: what calibration stands on."""

from __future__ import annotations

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import candidates, domains
from surveyor.judge.calibration import Decision
from surveyor.registry.candidates import CandidateStatus
from surveyor.registry.lifecycle import ReviewStatus

_c, _d = candidates.c, domains.c
_DECIDED = (CandidateStatus.APPROVED, CandidateStatus.REJECTED)


async def decided(tx: AsyncConnection) -> list[Decision]:
    """Decided candidates, and domains a person decided on that have none: each once."""
    query = select(_c.confidence, _c.status).where(_c.status.in_(_DECIDED))
    found = [Decision(each, status == CandidateStatus.APPROVED) for each, status in await tx.execute(query)]
    with_candidate = exists().where(_c.domain_no == _d.no, _c.status.in_(_DECIDED))
    reviewed = select(_d.best_confidence, _d.review_status).where(
        _d.best_confidence.is_not(None),
        _d.reviewed_by.is_not(None),
        _d.review_status.in_((ReviewStatus.APPROVED, ReviewStatus.REJECTED)),
        ~with_candidate,
    )
    found += [Decision(each, status == ReviewStatus.APPROVED) for each, status in await tx.execute(reviewed)]
    return found
