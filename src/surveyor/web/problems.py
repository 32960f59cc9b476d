"""Every error as a program reads it: problem details (RFC 9457), whatever went wrong and wherever.

People get pages (`failures`), programs get these; which of the two asks is known by the path alone, so
that neither a header nor a missing one turns an error of the API into a page. Nothing that was sent is
repeated, and nothing of the program's inside is shown.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from surveyor import logs
from surveyor.errors import DatabaseUnreachable, RefusedByDatabase, StaleVersion, SurveyorError
from surveyor.people import TooManyTries
from surveyor.web import failures
from surveyor.web.errors import NotLoggedIn

KIND = "application/problem+json"
TYPES = "urn:surveyor:problem:"
# Paths for programs; probes are read by machines too.
PROGRAMS = ("/api/", "/metrics", "/readyz")
_log = logs.get("api")
# Faults of one request that are listed; a list of a thousand wrong names is one fault more often than not.
_MOST_FAULTS = 20

Handler = Callable[[Request, Exception], Awaitable[Response]]


def is_program(request: Request) -> bool:
    return request.url.path.startswith(PROGRAMS)


def problem(status: int, message: str, kind: str = "about:blank", **more: Any) -> Response:
    """One problem. `kind` names it for programs, `message` is a line for a person."""
    body = {"type": kind, "title": HTTPStatus(status).phrase, "status": status, "detail": message} | more
    return Response(orjson.dumps(body), status, media_type=KIND)


def install(app: FastAPI) -> None:
    """Take over from the pages' handlers where a program asks."""
    for kind, ours in ((SurveyorError, _surveyor_error), (HTTPException, _http)):
        theirs: Any = app.exception_handlers[kind]
        app.add_exception_handler(kind, _chosen(ours, theirs))
    app.add_exception_handler(RequestValidationError, _invalid)


def _chosen(ours: Handler, theirs: Handler) -> Handler:
    async def handler(request: Request, error: Exception) -> Response:
        return await (ours if is_program(request) else theirs)(request, error)

    return handler


async def _surveyor_error(request: Request, error: Exception) -> Response:
    status = failures.status_of(error)
    answer = problem(status, _line(request, error, status), _kind(error), **_evidence(error))
    if isinstance(error, TooManyTries):
        answer.headers["retry-after"] = str(error.seconds)
    if isinstance(error, NotLoggedIn):
        answer.headers["www-authenticate"] = "Bearer"
    return answer


def _line(request: Request, error: Exception, status: int) -> str:
    if isinstance(error, NotLoggedIn):
        return "show a token that holds: `Authorization: Bearer svy_…`; `surveyor token create` makes one"
    if isinstance(error, RefusedByDatabase):
        _log.warning("refused by the database", path=request.url.path, error=str(error))
        return "the database refused these values; look at the domain again, then retry"
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:  # these name servers and files
        _log.error("request failed", path=request.url.path, error=str(error))
        if isinstance(error, DatabaseUnreachable):
            return "the database does not answer; try again"
        return "it cannot be done now; the log says why"
    return str(error)


def _evidence(error: Exception) -> dict[str, Any]:
    if isinstance(error, StaleVersion):
        return {
            "domain": error.domain,
            "seen_version": error.seen,
            "current_version": error.current,
            "changes": list(error.changes),
        }
    return {"retry_after_seconds": error.seconds} if isinstance(error, TooManyTries) else {}


def _kind(error: Exception) -> str:
    """`StaleVersion` is `urn:surveyor:problem:stale-version`."""
    return TYPES + re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__).lower()


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    messages = {
        404: "there is nothing here; /api/v1/openapi.json lists what there is",
        405: "not with this method",
    }
    answer = problem(error.status_code, messages.get(error.status_code, "the request cannot be read"))
    answer.headers.update(error.headers or {})
    return answer


async def _invalid(request: Request, error: Exception) -> Response:
    """What does not fit the description of the API, place by place; never what was sent instead."""
    assert isinstance(error, RequestValidationError)
    found = list(error.errors())
    faults = [
        {"at": ".".join(str(part)[:80] for part in fault["loc"]), "what": str(fault["msg"])[:200]}
        for fault in found[:_MOST_FAULTS]
    ]
    first = f"{faults[0]['at']}: {faults[0]['what']}" if faults else "the request cannot be read"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return problem(422, first + more, f"{TYPES}not-as-described", errors=faults)


def unexpected(request: Request, error: Exception) -> Response:
    if not is_program(request):
        return failures.unexpected(request, error)
    failures.log_unexpected(request, error)
    return problem(500, "the program made a mistake; it is in the log")


def too_large(request: Request, message: str) -> Response:
    if is_program(request):
        answer = problem(413, message)
    else:
        answer = failures.failure(request, 413, f"{message}; send it in parts")
    answer.headers["connection"] = "close"
    return answer
