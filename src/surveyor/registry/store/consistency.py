"""Rules across rows that no CHECK can hold, each as the statement that finds its breaches."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db.tables import crawl_log, domain_crawl, domains, events, pages
from surveyor.registry.events import EventKind
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus

_d, _c, _p, _l = domains.c, domain_crawl.c, pages.c, crawl_log.c
# Pages that were had at least once; those that ended without an answer have no time.
_answered = (
    select(func.count())
    .where(_p.domain_no == _d.no, _p.kind == 0, _p.fetched_at.is_not(None))
    .where(func.coalesce(_p.reason, "") != "poison")
    .correlate(domains)
    .scalar_subquery()
)
_logged = select(func.count()).where(_l.domain_no == _d.no).correlate(domains).scalar_subquery()
# Housekeeping removes the oldest rows first, and numbers begin at one.
_log_is_whole = select(func.min(_l.id)).scalar_subquery() == 1
# Counters that came from another domain or another crawler came without their pages.
_counts_elsewhere = (
    exists()
    .where(
        events.c.domain_no == _d.no,
        events.c.kind.in_((EventKind.DOMAINS_MERGED, EventKind.COUNTS_REPORTED)),
    )
    .correlate(domains)
)
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
    Rule(
        "domains whose pages_crawled is not the number of their pages that were answered",
        and_(~_counts_elsewhere, _c.pages_crawled != _answered),
        "report it: a page was counted twice, or stored and not counted",
    ),
    Rule(
        "domains with fewer rows in crawl_log than pages crawled",
        and_(~_counts_elsewhere, _log_is_whole, _c.pages_crawled > _logged),
        "report it: a page was stored and its request not logged",
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
