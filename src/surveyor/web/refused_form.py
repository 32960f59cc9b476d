"""A form that was refused comes back: the page it stood on, as it is now, with what was typed and why not.

The page is made as if it were asked for, and only if the visitor may ask for it. Forms read what was typed
with `was`; everything else, the version of a domain above all, is fresh.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.responses import Response
from starlette.routing import Match

from surveyor.errors import SurveyorError
from surveyor.web.forms import Form, local
from surveyor.web.show import is_part

_REFUSALS = (400, 409)


@dataclass(frozen=True, slots=True)
class Failed:
    """What was posted where, and why it was not done."""

    action: str
    form: Form
    status: int
    message: str
    changes: tuple[str, ...]


async def again(request: Request, status: int, error: Exception) -> Response | None:
    """The page of the form; None where there is none to come back to."""
    posted = getattr(request.state, "form", None)
    if request.method != "POST" or status not in _REFUSALS or posted is None or is_part(request):
        return None
    found = _page(request, page_of(request))
    if found is None:
        return None
    asked, endpoint = found
    message, changes = str(error), tuple(getattr(error, "changes", ()))
    asked.state.failed = Failed(request.url.path, posted, status, message, changes)
    try:
        answer: Response = await endpoint(asked, **asked.path_params)
    except SurveyorError:  # the page is gone too
        del asked.state.failed
        return None
    return answer


def page_of(request: Request) -> str:
    """Where the form stood: it says so itself, or the browser does."""
    posted = getattr(request.state, "form", None)
    named = local(posted.one("back"), "") if posted is not None else ""
    if named:
        return named
    try:
        came = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return ""
    is_ours = came.netloc.lower() == request.headers.get("host", "").lower()
    return local(came.path + (f"?{came.query}" if came.query else ""), "") if is_ours else ""


def _page(request: Request, address: str) -> tuple[Request, Any] | None:
    path, _, query = address.partition("?")
    if not path:
        return None
    scope = dict(request.scope) | {
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
    }
    for route in request.app.router.routes:
        match, child = route.matches(scope)
        needs = request.app.state.needs.get((getattr(route, "path", ""), "GET"), ...)
        if match is Match.FULL and needs is not ... and not path.startswith("/api/"):
            if needs is not None and not request.state.who.may(needs):
                return None
            return Request(scope | child, request.receive), child["endpoint"]
    return None
