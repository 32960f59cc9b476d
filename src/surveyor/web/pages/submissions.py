"""Naming domains: the form for anybody, and what became of one's own submissions."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import UsageError
from surveyor.people import Scope
from surveyor.review import queue
from surveyor.review.submissions import Answer, Submission, Submitter, submit
from surveyor.web import access, show
from surveyor.web.errors import NotLoggedIn
from surveyor.web.forms import asked
from surveyor.web.routing import ANYBODY, Routes
from surveyor.web.state import address_of, state_of

routes = Routes()
_ROWS = 50


@routes.get("/submit", needs=ANYBODY)
async def form(request: Request) -> Response:
    _check_open(request)
    return _shown(request)


@routes.post("/submit", needs=ANYBODY)
async def send(request: Request) -> Response:
    """The answer says what became of it; a mistake in the form is shown beside it."""
    _check_open(request)
    app, posted = state_of(request), access.form(request)
    visitor = access.who(request)
    given = Submission(posted.one("text"), posted.some("context"), for_review=bool(posted.one("for_review")))
    by = _submitter(request)
    try:
        if visitor.may(Scope.REVIEW):
            depth, pages = posted.number("depth", "a depth"), posted.number("max_pages", "a budget")
            delay = posted.decimal("delay", "a delay")
            given = Submission(
                given.text, given.context, given.for_review, depth=depth, delay_seconds=delay, max_pages=pages
            )
        answer = await submit(app.db, given, by, app.workspace.intake)
    except UsageError as error:
        return _shown(request, given, message=str(error), status=400)
    return _shown(request, given, answer)


def _submitter(request: Request) -> Submitter:
    visitor, address = access.who(request), address_of(request)
    return Submitter.of(visitor.actor, address) if visitor.user else Submitter.public(address)


def _check_open(request: Request) -> None:
    if access.who(request).user is None and not state_of(request).workspace.settings.web.public_form:
        raise NotLoggedIn


def _shown(
    request: Request,
    given: Submission | None = None,
    answer: Answer | None = None,
    message: str = "",
    status: int = 200,
) -> Response:
    return show.page(request, "submit.html", status=status, given=given, answer=answer, message=message)


@routes.get("/submissions", needs=Scope.SUBMIT)
async def own(request: Request) -> Response:
    before = asked(request, "before", 18)
    last = int(before) if before.isascii() and before.isdigit() else None
    name = access.who(request).actor.name
    found = await queue.submitted_by(state_of(request).db, name, _ROWS + 1, last)
    shown = found[:_ROWS]
    following = show.address("/submissions", before=shown[-1].no) if len(found) > _ROWS else None
    return show.page(request, "submissions.html", domains=shown, following=following, is_first=last is None)
