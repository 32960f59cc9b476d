"""What a reviewer sees before deciding: the evidence for and against a domain, in one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from surveyor.db import Database
from surveyor.db.bounded import Look
from surveyor.registry.candidates import Candidate, CandidateStatus
from surveyor.registry.domain import Domain
from surveyor.registry.store import candidates as candidate_store
from surveyor.review.store import queries as store
from surveyor.review.store.queries import CANDIDATE_SORTS, Picture, Result

__all__ = [
    "CANDIDATE_SORTS",
    "Dossier",
    "Evidence",
    "Picture",
    "Result",
    "count_candidates",
    "dossier",
    "evidence",
    "get_candidate",
    "list_candidates",
    "look_for_candidates",
    "open_candidates",
]

# Rows of each kind on one page.
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Dossier:
    candidates: list[Candidate]
    results: list[Result]
    images: list[Picture]


@dataclass(frozen=True, slots=True)
class Evidence:
    """By the number of the domain; what is not known is missing."""

    candidates: dict[int, Candidate]
    results: dict[int, Result]


async def dossier(db: Database, no: int) -> Dossier:
    async with db.read() as tx:
        return Dossier(
            await store.candidates_of(tx, no, _SHOWN),
            await store.results_of(tx, no, _SHOWN),
            await store.images_of(tx, no, _SHOWN),
        )


async def open_candidates(db: Database, domains: Sequence[Domain]) -> dict[int, Candidate]:
    """The open candidate of each domain, by its number; those without one are missing."""
    async with db.read() as tx:
        return await store.open_candidates(tx, [domain.no for domain in domains])


async def evidence(db: Database, domains: Sequence[Domain]) -> Evidence:
    """What a row of the queue says for or against each of these domains."""
    numbers = [domain.no for domain in domains]
    async with db.read() as tx:
        return Evidence(await store.open_candidates(tx, numbers), await store.latest_results(tx, numbers))


async def list_candidates(
    db: Database, status: CandidateStatus | None, limit: int, after: UUID | None = None
) -> list[Candidate]:
    """Newest first; those of domains without funds this year are hidden until the year ends."""
    async with db.read() as tx:
        return await store.page_of_candidates(tx, status, limit, after)


async def look_for_candidates(
    db: Database, status: CandidateStatus | None, words: str, sort: str, limit: int, after: str = ""
) -> tuple[list[Candidate], Look]:
    """A page of those with the words in them, and how far the look came; newest first, or sorted."""
    async with db.read() as tx:
        found = await store.look_for_candidates(tx, status, words, sort, limit, after)
    return [candidate_store.to_candidate(row) for row in found.rows], found


async def count_candidates(db: Database, status: CandidateStatus, most: int) -> int:
    """How many stand there, counted up to `most`."""
    async with db.read() as tx:
        return await store.count_candidates(tx, status, most)


async def get_candidate(db: Database, candidate_id: UUID) -> Candidate:
    async with db.read() as tx:
        return await candidate_store.get(tx, candidate_id)
