"""Rules across rows that no CHECK can hold, each as the statement that finds its breaches."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import domain_crawl, domains
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus

_d, _c = domains.c, domain_crawl.c
_forbidden = or_(_d.review_status != ReviewStatus.APPROVED, _d.quality_status == QualityStatus.BLACKLISTED)


@dataclass(frozen=True, slots=True)
class Rule:
    what: str
    breach: ColumnElement[bool]
    advice: str


RULES = (
    Rule(
        "domains without their crawl row",
        _c.no.is_(None),
        "restore a backup, or delete these rows and bring the domains in again",
    ),
    Rule(
        "domains that are due without permission",
        and_(_forbidden, _c.due_at.is_not(None)),
        "suspend and resume them; the claim refuses them meanwhile",
    ),
    Rule(
        "domains under a lease without permission",
        and_(_forbidden, _c.claimed_by.is_not(None)),
        "run `surveyor release-claims` for their workers",
    ),
    Rule(
        "domains stuck in judging",
        _d.quality_status == QualityStatus.PROCESSING,
        "judging enters and leaves this state in one transaction; judge them again",
    ),
    Rule(
        "domains with more pages crawled than discovered",
        _c.pages_crawled > _c.pages_discovered,
        "report it: a counter was written twice",
    ),
)


async def broken(tx: AsyncConnection, rule: Rule) -> tuple[int, list[str]]:
    """How many rows break the rule, and the names of the first three."""
    joined = domains.outerjoin(domain_crawl, _c.no == _d.no)
    number = (await tx.execute(select(func.count()).select_from(joined).where(rule.breach))).scalar_one()
    if not number:
        return 0, []
    names = select(_d.domain).select_from(joined).where(rule.breach).order_by(_d.no).limit(3)
    return number, list((await tx.execute(names)).scalars())
