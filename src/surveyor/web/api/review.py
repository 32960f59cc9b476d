"""What waits for a person: the queue of domains, and candidates that are taken, decided, given back."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request
from fastapi.responses import Response
from pydantic import Field

from surveyor.people import Scope
from surveyor.registry.candidates import CandidateStatus
from surveyor.review import candidates, queries, queue
from surveyor.review.queue import Order
from surveyor.web import access
from surveyor.web.api import shapes
from surveyor.web.api.common import Body, Limit, LongText, answer, api_routes, domain_json, paged
from surveyor.web.api.domains import After
from surveyor.web.state import state_of

routes = api_routes("review")


class YesOrNo(StrEnum):
    """What a reviewer says to a candidate."""

    APPROVE = "approve"  # publish its domain's records
    REJECT = "reject"  # needs a reason


class CandidateDecision(Body):
    decision: Annotated[YesOrNo, Field(strict=False)]
    reason: Annotated[LongText | None, Field(description="Why; required for a rejection.")] = None


class Assignment(Body):
    to: Annotated[str, Field(max_length=64, description="The name of a reviewer.")]


class Notes(Body):
    notes: Annotated[LongText | None, Field(description="For other reviewers; null removes them.")] = None


@routes.get("/review", needs=Scope.READ, response_model=shapes.QUEUE)
async def review_queue(
    request: Request,
    order: Order = Order.OLDEST,
    everything: Annotated[
        bool, Query(description="Also domains that neither a person nor a judge put forward.")
    ] = False,
    limit: Limit = 50,
    after: After = None,
) -> Response:
    """Domains that wait for a decision; `waiting` is counted up to 10,000."""
    workspace = state_of(request).workspace
    start = workspace.domain_name(after) if after is not None else None
    found = await queue.waiting(workspace.db, order, limit + 1, start, everything=everything)
    count = await queue.count(workspace.db, everything=everything)
    more = {"waiting": count, "waiting_is_exact": count < queue.COUNTED}
    return paged(request, found, limit, lambda d: domain_json(request, d), lambda d: d.domain, **more)


@routes.get("/candidates", needs=Scope.READ, response_model=shapes.CANDIDATES)
async def list_candidates(
    request: Request,
    status: CandidateStatus | None = None,
    limit: Limit = 50,
    after: Annotated[UUID | None, Query(description="`next` of the page before.")] = None,
) -> Response:
    """Candidates, newest first; those of domains without funds this year are hidden until it ends."""
    found = await queries.list_candidates(state_of(request).db, status, limit + 1, after)
    return paged(request, found, limit, lambda c: c.row(), lambda c: c.id)


@routes.get("/candidates/{candidate_id}", needs=Scope.READ, response_model=shapes.CANDIDATE)
async def get_candidate(request: Request, candidate_id: UUID) -> Response:
    """One candidate, with what each judge said."""
    return answer((await queries.get_candidate(state_of(request).db, candidate_id)).row())


@routes.post(
    "/candidates/take",
    needs=Scope.REVIEW,
    response_model=shapes.CANDIDATE,
    responses={204: {"description": "None waits."}},
)
async def take_next(request: Request) -> Response:
    """Take the most promising candidate that waits."""
    found = await candidates.take_next(state_of(request).db, access.who(request).actor)
    return answer(found.row()) if found else Response(status_code=204)


@routes.post("/candidates/{candidate_id}/take", needs=Scope.REVIEW, response_model=shapes.CANDIDATE)
async def take(request: Request, candidate_id: UUID) -> Response:
    """Take one that waits, so that nobody else decides on it meanwhile."""
    return answer(
        (await candidates.take(state_of(request).db, candidate_id, access.who(request).actor)).row()
    )


@routes.post("/candidates/{candidate_id}/give-back", needs=Scope.REVIEW, response_model=shapes.CANDIDATE)
async def give_back(request: Request, candidate_id: UUID) -> Response:
    """Let somebody else decide."""
    by = access.who(request).actor
    return answer((await candidates.give_back(state_of(request).db, candidate_id, by)).row())


@routes.post("/candidates/{candidate_id}/decide", needs=Scope.REVIEW, response_model=shapes.CANDIDATE)
async def decide_candidate(request: Request, candidate_id: UUID, given: CandidateDecision) -> Response:
    """Decide on a candidate; a yes publishes its domain's records."""
    approved = given.decision is YesOrNo.APPROVE
    db, by = state_of(request).db, access.who(request).actor
    return answer((await candidates.decide(db, candidate_id, approved, by, given.reason)).row())


@routes.post("/candidates/{candidate_id}/reopen", needs=Scope.REVIEW, response_model=shapes.CANDIDATE)
async def reopen(request: Request, candidate_id: UUID) -> Response:
    """Take one's own decision back, as an admin anybody's; records that a yes published are hidden again."""
    by = access.who(request).actor
    return answer((await candidates.reopen(state_of(request).db, candidate_id, by)).row())


@routes.post("/candidates/{candidate_id}/assign", needs=Scope.REVIEW, response_model=shapes.CANDIDATE)
async def assign(request: Request, candidate_id: UUID, given: Assignment) -> Response:
    """Give a candidate to another reviewer."""
    by = access.who(request).actor
    return answer((await candidates.assign(state_of(request).db, candidate_id, given.to, by)).row())


@routes.post("/candidates/{candidate_id}/notes", needs=Scope.REVIEW, response_model=shapes.CANDIDATE)
async def write_notes(request: Request, candidate_id: UUID, given: Notes) -> Response:
    """What reviewers tell each other of a candidate."""
    by = access.who(request).actor
    return answer((await candidates.write_notes(state_of(request).db, candidate_id, given.notes, by)).row())
