"""What a visitor sees when something cannot be done: what happened, and what helps."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from surveyor import logs
from surveyor.errors import (
    DatabaseUnreachable,
    NotFound,
    Refused,
    RefusedByDatabase,
    SchemaOutdated,
    StaleVersion,
    SurveyorError,
    UsageError,
)
from surveyor.people import TooManyTries
from surveyor.people.service import WrongLogin
from surveyor.web.access import visitor_of
from surveyor.web.errors import ForgedRequest, NotAllowed, NotLoggedIn
from surveyor.web.refused_form import again, page_of
from surveyor.web.routing import redirect
from surveyor.web.show import is_part, page

_log = logs.get("web")
# First match wins.
STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (NotLoggedIn, 401),
    (NotAllowed, 403),
    (ForgedRequest, 403),
    (WrongLogin, 403),
    (TooManyTries, 429),
    (StaleVersion, 409),
    (Refused, 409),
    (NotFound, 404),
    (UsageError, 400),
    (DatabaseUnreachable, 503),
    (SchemaOutdated, 503),
    (RefusedByDatabase, 409),
)
_TITLES = {
    400: "That cannot be",
    403: "Not allowed",
    404: "Not here",
    405: "Not this way",
    409: "Not done",
    413: "Too large",
    429: "Too often",
    503: "The database does not answer",
}


def status_of(error: Exception) -> int:
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 500)


def install(app: FastAPI) -> None:
    app.add_exception_handler(SurveyorError, _surveyor_error)
    app.add_exception_handler(HTTPException, _http)


async def _surveyor_error(request: Request, error: Exception) -> Response:
    status = status_of(error)
    if isinstance(error, NotLoggedIn):
        return _to_login(request)
    if status == 500:
        _log.error("request failed", path=request.url.path, error=str(error))
    answer = await again(request, status, error) or failure(
        request, status, str(error), changes=getattr(error, "changes", ())
    )
    if isinstance(error, TooManyTries):
        answer.headers["retry-after"] = str(error.seconds)
    return answer


def _to_login(request: Request) -> Response:
    wanted = request.url.path if request.method == "GET" and not is_part(request) else "/"
    if request.url.query and wanted != "/":
        wanted += f"?{request.url.query}"
    login = f"/login?next={quote(wanted)}" if wanted != "/" else "/login"
    if is_part(request):  # htmx would put the login page into the middle of this one
        return Response(status_code=401, headers={"hx-redirect": login})
    return redirect(login)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    request.state.who = await visitor_of(request)  # no route, so nobody was asked who they are
    messages = {404: "there is no such page", 405: "this address cannot be used so"}
    answer = failure(request, error.status_code, messages.get(error.status_code, str(error.detail)))
    answer.headers.update(error.headers or {})
    return answer


def log_unexpected(request: Request, error: Exception) -> None:
    """A mistake of ours: the log says where, without the values that it had there."""
    _log.error(
        "unexpected error in a request", path=request.url.path, kind=type(error).__name__, exc_info=error
    )


def unexpected(request: Request, error: Exception) -> Response:
    log_unexpected(request, error)
    return failure(request, 500, "the program made a mistake; it is in the log")


def failure(
    request: Request, status: int, message: str, changes: tuple[str, ...] | list[str] = ()
) -> Response:
    context = {"title": _TITLES.get(status, "Something went wrong"), "message": message}
    if not is_part(request):
        came_from = page_of(request) if request.method == "POST" else ""
        return page(
            request, "failure.html", status=status, changes=list(changes), came_from=came_from, **context
        )
    answer = page(request, "parts/failure.html", status=status, changes=list(changes), **context)
    # What was asked for stays as it is; the failure is shown where notices are.
    answer.headers.update({"hx-retarget": "#notices", "hx-reswap": "innerHTML"})
    return answer
