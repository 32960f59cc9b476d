"""Candidates: the queue of those that wait, and one of them beside what speaks for it."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.extract import look as extract_look
from surveyor.people import Scope
from surveyor.registry.candidates import Candidate, CandidateStatus
from surveyor.review import candidates as service
from surveyor.review import queries as review_queries
from surveyor.web import access, show
from surveyor.web.forms import asked, chosen, identifier
from surveyor.web.record_view import record_view, said
from surveyor.web.routing import Routes, redirect
from surveyor.web.state import state_of

routes = Routes()
_ROWS = 50
# Records of a candidate's domain beside their text, and rows of contacts; the lists have the rest.
_BESIDE, _CONTACTS = 5, 20


@routes.get("/candidates", needs=Scope.READ)
async def candidates(request: Request) -> Response:
    db = state_of(request).db
    status = None if asked(request, "status") == "all" else chosen(request, "status", CandidateStatus)
    if status is None and not asked(request, "status"):
        status = CandidateStatus.PENDING_REVIEW
    after = asked(request, "after")
    found = await review_queries.list_candidates(
        db, status, _ROWS + 1, identifier(after, "candidate") if after else None
    )
    shown = found[:_ROWS]
    here = status or "all"
    following = show.address("/candidates", status=here, after=shown[-1].id) if len(found) > _ROWS else None
    return show.page(
        request,
        "candidates.html",
        candidates=shown,
        chosen_status=status,
        statuses=list(CandidateStatus),
        count=await review_queries.count_candidates(db, status, show.COUNTED) if status else None,
        following=following,
        is_first=not after,
    )


@routes.post("/candidates/next", needs=Scope.REVIEW)
async def take_next(request: Request) -> Response:
    """Take the most promising one that waits."""
    taken = await service.take_next(state_of(request).db, access.who(request).actor)
    if taken is None:
        return _to(request, "/candidates", "no candidate waits")
    return redirect(f"/candidates/{taken.id}")


@routes.get("/candidates/{number}", needs=Scope.READ)
async def candidate(request: Request, number: str) -> Response:
    db, visitor = state_of(request).db, access.who(request)
    found = await review_queries.get_candidate(db, identifier(number, "candidate"))
    mine = visitor.user is not None and found.assigned_to == visitor.user.name
    return show.page(
        request,
        "candidate.html",
        candidate=found,
        dossier=await review_queries.dossier(db, found.domain_no),
        extracted=await extract_look.found_on(db, found.domain_no, _CONTACTS),
        views=[record_view(story) for story in await extract_look.stories_of(db, found.domain_no, _BESIDE)],
        said=said,
        mine=mine or visitor.may(Scope.ADMIN),
    )


@routes.post("/candidates/{number}/take", needs=Scope.REVIEW)
async def take(request: Request, number: str) -> Response:
    taken = await service.take(
        state_of(request).db, identifier(number, "candidate"), access.who(request).actor
    )
    return _done(request, taken, "is yours to decide")


@routes.post("/candidates/{number}/give-back", needs=Scope.REVIEW)
async def give_back(request: Request, number: str) -> Response:
    back = await service.give_back(
        state_of(request).db, identifier(number, "candidate"), access.who(request).actor
    )
    return _done(request, back, "waits for somebody else")


@routes.post("/candidates/{number}/decide", needs=Scope.REVIEW)
async def decide(request: Request, number: str) -> Response:
    form = access.form(request)
    approved = form.one("verb") == "approve"
    decided = await service.decide(
        state_of(request).db,
        identifier(number, "candidate"),
        approved,
        access.who(request).actor,
        form.some("reason"),
    )
    return _done(request, decided, f"was {decided.status}")


def _done(request: Request, candidate: Candidate, message: str) -> Response:
    return _to(request, f"/candidates/{candidate.id}", f"the candidate of {candidate.domain} {message}")


def _to(request: Request, path: str, message: str) -> Response:
    answer = redirect(path)
    show.leave_notice(request, answer, message)
    return answer
