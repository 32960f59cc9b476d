"""Candidates: those that wait on the left, one of them with its evidence on the right.

Whoever opens a waiting one takes it; after a decision the next one is taken and shown, so that a reviewer
goes from one to the next with a key each.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from surveyor.db import Database
from surveyor.export.columns import COLUMNS
from surveyor.export.values import What
from surveyor.extract import queries as extract_look
from surveyor.people import Scope
from surveyor.people import service as people
from surveyor.people.saved import SavedKind, saved_by
from surveyor.registry.candidates import Candidate, CandidateStatus
from surveyor.review import candidates as service
from surveyor.review import queries as review_queries
from surveyor.web import access, files, show
from surveyor.web.forms import identifier
from surveyor.web.record_view import record_view, said
from surveyor.web.routing import Routes, redirect
from surveyor.web.state import state_of
from surveyor.web.table import ALL, Shape, View

routes = Routes()
_ROWS, _BATCH = 50, 500
_SHAPE = Shape(
    "/candidates",
    {"status": (ALL, *CandidateStatus)},
    ("q",),
    tuple(review_queries.CANDIDATE_SORTS),
    defaults={"status": CandidateStatus.PENDING_REVIEW},
    in_api={"status": "status"},
)
# Records of a candidate's domain beside their text, and rows of contacts; the lists have the rest.
_BESIDE, _CONTACTS = 5, 20
_WAITING, _PEOPLE = 30, 200


@routes.get("/candidates", needs=Scope.READ)
async def candidates(request: Request) -> Response:
    db, visitor = state_of(request).db, access.who(request)
    view = View.parse(request.url.query, _SHAPE)
    status, words = _status(view), view.get("q")
    shown, found = await review_queries.look_for_candidates(db, status, words, view.sort, _ROWS, view.after)
    mine = await service.decided_by(db, visitor.actor.name) if visitor.may(Scope.REVIEW) else []
    return show.page(
        request,
        "candidates.html",
        view=view,
        found=found,
        candidates=shown,
        chosen_status=status,
        counts={
            each: await review_queries.count_candidates(db, each, show.COUNTED) for each in CandidateStatus
        },
        views=await files.kept(request, view),
        mine=mine,
    )


def _status(view: View) -> CandidateStatus | None:
    return None if view.get("status") == ALL else CandidateStatus(view.get("status"))


@routes.get("/candidates.{kind}", needs=Scope.READ)
async def download(request: Request, kind: str) -> Response:
    db, view = state_of(request).db, View.parse(request.url.query, _SHAPE)
    return files.download("candidates", kind, COLUMNS[What.CANDIDATES], _every(db, view))


async def _every(db: Database, view: View) -> AsyncIterator[list[dict[str, Any]]]:
    after: Any = ""
    while after is not None:
        some, found = await review_queries.look_for_candidates(
            db, _status(view), view.get("q"), "", _BATCH, str(after)
        )
        yield [each.row() for each in some]
        after = found.after


@routes.post("/candidates/next", needs=Scope.REVIEW)
async def take_next(request: Request) -> Response:
    """Take the most promising one that waits."""
    return await _next(request, None, "")


@routes.get("/candidates/{number}", needs=Scope.READ)
async def candidate(request: Request, number: str) -> Response:
    found = await review_queries.get_candidate(state_of(request).db, identifier(number, "candidate"))
    return await _desk(request, found)


async def _desk(request: Request, found: Candidate, message: str = "") -> Response:
    """One of them beside those that wait: the whole page, or for a script the part that changes."""
    db, visitor = state_of(request).db, access.who(request)
    part = show.is_part(request)
    may = visitor.may(Scope.REVIEW)
    decided = await service.decided_by(db, visitor.actor.name, 1) if may else []
    answer = show.page(
        request,
        "parts/candidate_desk.html" if part else "candidate.html",
        candidate=found,
        message=message,
        dossier=await review_queries.dossier(db, found.domain_no),
        extracted=await extract_look.found_on(db, found.domain_no, _CONTACTS),
        views=[record_view(story) for story in await extract_look.stories_of(db, found.domain_no, _BESIDE)],
        said=said,
        mine=found.assigned_to == visitor.actor.name or visitor.may(Scope.ADMIN),
        last=decided[0] if decided else None,
        waiting=await service.waiting(db, _WAITING),
        waiting_count=await review_queries.count_candidates(db, CandidateStatus.PENDING_REVIEW, show.COUNTED),
        **await _kept(request, may),
    )
    if part:
        answer.headers["hx-push-url"] = f"/candidates/{found.id}"
    return answer


async def _kept(request: Request, may: bool) -> dict[str, Any]:
    """What a reviewer chooses from: saved reasons, and whom to give it to."""
    db, user = state_of(request).db, access.who(request).user
    if not may or user is None:
        return {"reasons": [], "reviewers": []}
    others = [each.name for each in await people.list_users(db, _PEOPLE) if each.may(Scope.REVIEW)]
    return {"reasons": await saved_by(db, user, SavedKind.REASON), "reviewers": others}


@routes.post("/candidates/{number}/take", needs=Scope.REVIEW)
async def take(request: Request, number: str) -> Response:
    taken = await service.take(state_of(request).db, *_who(request, number))
    return await _done(request, taken, "is yours to decide")


@routes.post("/candidates/{number}/give-back", needs=Scope.REVIEW)
async def give_back(request: Request, number: str) -> Response:
    back = await service.give_back(state_of(request).db, *_who(request, number))
    return await _done(request, back, "waits for somebody else")


@routes.post("/candidates/{number}/skip", needs=Scope.REVIEW)
async def skip(request: Request, number: str) -> Response:
    """It waits for somebody else; the one behind it is taken."""
    back = await service.give_back(state_of(request).db, *_who(request, number))
    return await _next(request, back, f"{back.domain}: skipped, it waits")


@routes.post("/candidates/{number}/decide", needs=Scope.REVIEW)
async def decide(request: Request, number: str) -> Response:
    form = access.form(request)
    wanted, by = _who(request, number)
    approved = form.one("verb") == "approve"
    decided = await service.decide(state_of(request).db, wanted, approved, by, form.some("reason"))
    if form.one("stay"):
        return await _done(request, decided, f"was {decided.status}")
    return await _next(request, decided, f"{decided.domain}: {decided.status}")


@routes.post("/candidates/{number}/reopen", needs=Scope.REVIEW)
async def reopen(request: Request, number: str) -> Response:
    back = await service.reopen(state_of(request).db, *_who(request, number))
    return await _done(request, back, "is open again, and yours")


@routes.post("/candidates/{number}/assign", needs=Scope.REVIEW)
async def assign(request: Request, number: str) -> Response:
    wanted, by = _who(request, number)
    given = await service.assign(state_of(request).db, wanted, access.form(request).one("to"), by)
    return await _done(request, given, f"is with {given.assigned_to} now")


@routes.post("/candidates/{number}/notes", needs=Scope.REVIEW)
async def notes(request: Request, number: str) -> Response:
    wanted, by = _who(request, number)
    kept = await service.write_notes(state_of(request).db, wanted, access.form(request).some("notes"), by)
    return await _done(request, kept, "has your notes")


def _who(request: Request, number: str) -> tuple[Any, Any]:
    return identifier(number, "candidate"), access.who(request).actor


async def _next(request: Request, after: Candidate | None, message: str) -> Response:
    """The one behind it, taken; at the end of the list, the list."""
    taken = await service.take_next(state_of(request).db, access.who(request).actor, after)
    if taken is not None and show.is_part(request):
        return await _desk(request, taken, message)
    if taken is not None:
        return _to(request, f"/candidates/{taken.id}", message)
    ended = "; ".join(
        filter(None, [message, "no other candidate waits" if message else "no candidate waits"])
    )
    if not show.is_part(request):
        return _to(request, "/candidates", ended)
    answer = Response(status_code=204, headers={"hx-redirect": "/candidates"})
    show.leave_notice(request, answer, ended)
    return answer


async def _done(request: Request, candidate: Candidate, message: str) -> Response:
    line = f"the candidate of {candidate.domain} {message}"
    if show.is_part(request):
        return await _desk(request, candidate, line)
    return _to(request, f"/candidates/{candidate.id}", line)


def _to(request: Request, path: str, message: str) -> Response:
    answer = redirect(path)
    if message:
        show.leave_notice(request, answer, message)
    return answer
