"""What a reviewer reads about a domain: candidates, the results that led there, images."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from surveyor.db import current_time
from surveyor.db.bounded import Listing, Look, look
from surveyor.db.tables import candidates, domains, images, provenance, search_results
from surveyor.registry.candidates import Candidate, CandidateStatus
from surveyor.registry.store import candidates as candidate_store

_c, _r, _i, _v = candidates.c, search_results.c, images.c, provenance.c


class Result(NamedTuple):
    provider: str
    query: str
    position: int
    url: str
    title: str
    description: str
    found_at: datetime
    confidence: Decimal | None


class Picture(NamedTuple):
    url: str
    alt: str
    width: int
    height: int
    format: str
    bytes: int
    seen_at: datetime


class DecidedCandidate(NamedTuple):
    """A candidate that a person decided on."""

    status: CandidateStatus
    confidence: Decimal
    scores: Sequence[Any]
    decided_at: datetime


async def open_candidates(tx: AsyncConnection, numbers: Sequence[int]) -> dict[int, Candidate]:
    """The open candidate of each of these domains that has one."""
    if not numbers:
        return {}
    return {found.domain_no: found for found in await candidate_store.open_of(tx, numbers)}


async def page_of_candidates(
    tx: AsyncConnection, status: CandidateStatus | None, limit: int, after: UUID | None
) -> list[Candidate]:
    """Newest first."""
    year = (await current_time(tx)).year
    return await candidate_store.page(tx, status, limit, after, year=year)


CANDIDATE_SORTS: Final = {"confidence": _c.confidence, "domain": domains.c.domain}


async def look_for_candidates(
    tx: AsyncConnection, status: CandidateStatus | None, words: str, sort: str, limit: int, after: str
) -> Look:
    """Those with the words in what they are called, their address or their domain."""
    year = (await current_time(tx)).year
    others: list[Any] = [candidate_store.has_funds(year)]
    if words:
        named = (_c.title, _c.program_name, _c.organisation_name, _c.url, domains.c.domain)
        others.append(or_(*(column.icontains(words, autoescape=True) for column in named)))
    indexed = [] if status is None else [_c.status == status]
    listing = Listing(candidate_store.select_candidates(), _c.id, indexed, others)
    return await look(tx, listing, CANDIDATE_SORTS, sort, limit, after)


async def count_candidates(tx: AsyncConnection, status: CandidateStatus, most: int) -> int:
    """How many stand there, counted up to `most`."""
    some = select(_c.id).where(_c.status == status).limit(most).subquery()
    return int((await tx.execute(select(func.count()).select_from(some))).scalar_one())


async def candidates_of(tx: AsyncConnection, no: int, limit: int) -> list[Candidate]:
    return await candidate_store.of_domain(tx, no, limit)


async def results_of(tx: AsyncConnection, no: int, limit: int) -> list[Result]:
    """The search results that led here, the latest first."""
    columns = [_r[name] for name in Result._fields]
    query = select(*columns).where(_r.domain_no == no).order_by(_r.id.desc()).limit(limit)
    return [Result(*row) for row in await tx.execute(query)]


async def latest_results(tx: AsyncConnection, numbers: Sequence[int]) -> dict[int, Result]:
    """The latest search result of each of these domains that has one."""
    if not numbers:
        return {}
    latest = select(func.max(_r.id)).where(_r.domain_no.in_(numbers)).group_by(_r.domain_no)
    query = select(_r.domain_no, *(_r[name] for name in Result._fields)).where(_r.id.in_(latest))
    return {row[0]: Result(*row[1:]) for row in await tx.execute(query)}


async def images_of(tx: AsyncConnection, no: int, limit: int) -> list[Picture]:
    """Images that pages of the domain showed, in the order of pages."""
    query = (
        select(_v.url, _v.alt, _i.width, _i.height, _i.format, _i.bytes, func.max(_v.seen_at))
        .join_from(provenance, images, _i.id == _v.image_id)
        .where(_v.domain_no == no)
        .group_by(_v.page_key, _v.image_id, _v.url, _v.alt, _i.width, _i.height, _i.format, _i.bytes)
        .order_by(_v.page_key, _v.image_id)
        .limit(limit)
    )
    return [Picture(*row) for row in await tx.execute(query)]


async def decided(tx: AsyncConnection, limit: int) -> list[DecidedCandidate]:
    """What people decided lately: the latest candidates that were approved, and that were rejected."""
    found: list[DecidedCandidate] = []
    for status in (CandidateStatus.APPROVED, CandidateStatus.REJECTED):
        query = (
            select(_c.confidence, _c.scores, _c.decided_at)
            .where(_c.status == status)
            .order_by(_c.id.desc())
            .limit(limit)
        )
        found += [DecidedCandidate(status, *row) for row in await tx.execute(query)]
    return found
