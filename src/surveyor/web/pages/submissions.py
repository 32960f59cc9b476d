"""Naming domains: the form for anybody, and what became of one's own submissions."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import NotFound, UsageError
from surveyor.notify import followers, texts
from surveyor.notify.addresses import parse_address
from surveyor.notify.followers import Follower
from surveyor.operations import following
from surveyor.people import Scope
from surveyor.people.limits import TooManyTries
from surveyor.review import queue
from surveyor.review.submissions import Outcome, Submission, SubmissionAnswer, Submitter, submit
from surveyor.web import access, show
from surveyor.web.errors import NotLoggedIn
from surveyor.web.forms import Form, asked
from surveyor.web.routing import ANYBODY, Routes
from surveyor.web.state import address_of, state_of

routes = Routes()
_ROWS = 50


# What an anonymous submitter may suggest; a reviewer decides.
_DEPTHS = {"0": "0", "1": "1", "2": "2 to 3", "4": "4 or more"}


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
    given = Submission(posted.one("text"), _context(posted), for_review=bool(posted.one("for_review")))
    by, address = _submitter(request), posted.one("email")
    try:
        if visitor.may(Scope.REVIEW):
            depth, pages = posted.number("depth", "a depth"), posted.number("max_pages", "a budget")
            delay = posted.decimal("delay", "a delay")
            given = Submission(
                given.text, given.context, given.for_review, depth=depth, delay_seconds=delay, max_pages=pages
            )
        if address:
            parse_address(address)  # before anything is done
        answer = await submit(app.db, given, by, app.workspace.intake)
    except UsageError as error:
        return _shown(request, given, message=str(error), status=400, email=address)
    note = await _follow(request, answer, address) if address else ""
    return _shown(request, given, answer, note=note, email=address)


def _context(posted: Form) -> str | None:
    """What was said, with the depth that was suggested."""
    wish = _DEPTHS.get(posted.one("wish"))
    said = [posted.one("context"), f"Suggested depth: {wish}." if wish else ""]
    return "\n".join(filter(None, said)) or None


async def _follow(request: Request, answer: SubmissionAnswer, address: str) -> str:
    """The name of the text that says what becomes of the address."""
    app = state_of(request)
    if not app.workspace.settings.mail.is_ready or answer.outcome not in _WAITS:
        return ""
    try:
        return await following.follow(
            app.db, answer.domain, address, language_of(request), app.workspace.settings.mail
        )
    except TooManyTries:
        return "mail_too_many"


_WAITS = (Outcome.SUBMITTED, Outcome.SUBMITTED_AGAIN, Outcome.ALREADY_SUBMITTED)


def language_of(request: Request) -> str:
    """Of somebody without an account: chosen in the address or the form, else the browser's."""
    posted = getattr(request.state, "form", None)
    asked_for = (posted.one("lang") if posted is not None else "") or request.query_params.get("lang", "")
    return texts.chosen(asked_for, request.headers.get("accept-language", ""))


def _submitter(request: Request) -> Submitter:
    visitor, address = access.who(request), address_of(request)
    return Submitter.of(visitor.actor, address) if visitor.user else Submitter.public(address)


def _check_open(request: Request) -> None:
    if access.who(request).user is None and not state_of(request).workspace.settings.web.public_form:
        raise NotLoggedIn


def _shown(
    request: Request,
    given: Submission | None = None,
    answer: SubmissionAnswer | None = None,
    message: str = "",
    status: int = 200,
    note: str = "",
    email: str = "",
) -> Response:
    language = language_of(request)
    return show.page(
        request,
        "submit.html",
        status=status,
        given=given,
        answer=answer,
        message=message,
        note=note,
        email=email,
        said=texts.texts(language),
        language=language,
        languages=texts.LANGUAGES,
        takes_mail=state_of(request).workspace.settings.mail.is_ready,
    )


@routes.get("/confirm/{key}", needs=ANYBODY)
async def confirm_page(request: Request, key: str) -> Response:
    """Opening a link changes nothing: programs that look at mails open them too."""
    return await _confirm_page(request, key, "")


@routes.post("/confirm/{key}", needs=ANYBODY)
async def confirm(request: Request, key: str) -> Response:
    db = state_of(request).db
    if access.form(request).one("no"):
        follower = await _follower(request, key)
        if follower is not None:
            await followers.remove(db, key)
        return await _confirm_page(request, key, "removed", follower)
    follower = await _follower(request, key)
    if follower is None:
        return await _confirm_page(request, key, "")
    late = await followers.confirm(db, key)
    return await _confirm_page(request, key, "confirmed_late" if late else "confirmed", follower)


async def _follower(request: Request, key: str) -> Follower | None:
    try:
        return await followers.who(state_of(request).db, key)
    except NotFound:
        return None


async def _confirm_page(request: Request, key: str, done: str, follower: Follower | None = None) -> Response:
    found = follower or await _follower(request, key)
    language = found.language if found else language_of(request)
    return show.page(
        request,
        "confirm_address.html",
        status=200 if found else 404,
        follower=found,
        done=done,
        key=key,
        said=texts.texts(language),
        language=language,
    )


@routes.get("/submissions", needs=Scope.SUBMIT)
async def own(request: Request) -> Response:
    before = asked(request, "before", 18)
    last = int(before) if before.isascii() and before.isdigit() else None
    name = access.who(request).actor.name
    found = await queue.submitted_by(state_of(request).db, name, _ROWS + 1, last)
    shown = found[:_ROWS]
    following = show.address("/submissions", before=shown[-1].no) if len(found) > _ROWS else None
    return show.page(request, "submissions.html", domains=shown, following=following, is_first=last is None)
