"""In and out: logging in and out, and how the pages look to this visitor."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import SurveyorError
from surveyor.people import Scope, TooManyTries, service
from surveyor.people.service import SESSION_SECONDS, WrongLogin
from surveyor.web import access, show
from surveyor.web.failures import status_of
from surveyor.web.forms import asked, local
from surveyor.web.routing import ANYBODY, Routes, redirect
from surveyor.web.state import address_of, state_of

routes = Routes()
_A_YEAR = 365 * 86_400  # seconds


@routes.get("/login", needs=ANYBODY)
async def login(request: Request) -> Response:
    following = local(asked(request, "next", 1_000), "")
    if access.who(request).user is not None:
        return redirect(following or _home(request))
    return show.page(request, "login.html", following=following, name="", message="")


@routes.post("/login", needs=ANYBODY)
async def log_in(request: Request) -> Response:
    app, form = state_of(request), access.form(request)
    name, following = form.one("name"), local(form.one("next"), "")
    try:
        # The password as it was typed: blanks at its ends belong to it.
        password = (form.fields.get("password") or [""])[-1]
        session = await service.log_in(app.db, app.hasher, name, password, address_of(request))
    except (WrongLogin, TooManyTries) as error:
        return _again(request, error, name, following)
    before = request.cookies.get(access.SESSION)
    if before:  # the user of this browser before is logged out
        await service.log_out(app.db, before)
    home = "/" if session.user.may(Scope.READ) else "/submissions"
    answer = redirect(following or home)
    show.set_cookie(request, answer, access.SESSION, session.key, int(SESSION_SECONDS))
    answer.delete_cookie(access.VISIT)
    return answer


def _again(request: Request, error: SurveyorError, name: str, following: str) -> Response:
    status = status_of(error)
    answer = show.page(
        request, "login.html", status=status, following=following, name=name[:64], message=str(error)
    )
    if isinstance(error, TooManyTries):
        answer.headers["retry-after"] = str(error.seconds)
    return answer


def _home(request: Request) -> str:
    return "/" if access.who(request).may(Scope.READ) else "/submissions"


@routes.post("/logout", needs=ANYBODY)
async def log_out(request: Request) -> Response:
    key, everywhere = request.cookies.get(access.SESSION, ""), access.form(request).one("everywhere")
    visitor = access.who(request)
    if visitor.user is not None and everywhere:
        await service.log_out_everywhere(state_of(request).db, visitor.user)
    elif key:
        await service.log_out(state_of(request).db, key)
    answer = redirect("/login")
    answer.delete_cookie(access.SESSION)
    return answer


@routes.post("/theme", needs=ANYBODY)
async def theme(request: Request) -> Response:
    """Light, dark, or as the visitor's system has it."""
    form = access.form(request)
    answer = redirect(local(form.one("back"), "/"))
    wanted = form.one("theme")
    if wanted in show.THEMES:
        show.set_cookie(request, answer, show.THEME_COOKIE, wanted, _A_YEAR)
    else:
        answer.delete_cookie(show.THEME_COOKIE)
    return answer
