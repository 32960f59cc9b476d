"""The description of the API (OpenAPI): made from the routes as they are declared, with what each needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.responses import Response

from surveyor import __version__
from surveyor.web import problems
from surveyor.web.api.common import PREFIX, answer
from surveyor.web.routing import ANYBODY, Entry, Routes

PATH = f"{PREFIX}/openapi.json"
_ABOUT = (
    "The register for programs: the same verbs as the commands. Show a token of `surveyor token create` as"
    " `Authorization: Bearer …`. docs/api.md tells how to page, decide and follow events."
)
_PROBLEM = {
    "type": "object",
    "description": "Problem details, RFC 9457.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "`about:blank`, or a name for programs."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One line that says what to do."},
        "errors": {
            "type": "array",
            "items": {"type": "object"},
            "description": "What does not fit, and where.",
        },
        "domain": {"type": "string"},
        "seen_version": {"type": "integer"},
        "current_version": {"type": "integer", "description": "What to send after looking again."},
        "changes": {"type": "array", "items": {"type": "string"}},
        "retry_after_seconds": {"type": "integer"},
    },
}
_ANY_PROBLEM = {
    "description": "What went wrong, and what to do.",
    "content": {problems.KIND: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def routes_for(groups: Sequence[Routes]) -> Routes:
    """The route that gives the description of these groups, to anybody: it holds no secret."""
    made = Routes()

    @cache
    def described() -> dict[str, Any]:
        return describe(groups)

    @made.get(PATH, needs=ANYBODY)
    async def openapi() -> Response:
        return answer(described())

    return made


def describe(groups: Sequence[Routes]) -> dict[str, Any]:
    # An application of its own: each route once, without HEAD and without authentication.
    app = FastAPI(title="Surveyor", version=__version__, description=_ABOUT)
    entries = [entry for group in groups for entry in group.entries]
    for entry in entries:
        name = entry.endpoint.__name__
        app.add_api_route(
            entry.path, entry.endpoint, methods=[entry.method], operation_id=name, **entry.options
        )
    made = app.openapi()
    schemas = made["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = _PROBLEM
    made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for entry in entries:
        _complete(made["paths"][entry.path][entry.method.lower()], entry)
    return made


def _complete(operation: dict[str, Any], entry: Entry) -> None:
    """What FastAPI cannot know: whom a route lets in, and how its errors look."""
    operation["responses"].pop("422", None)
    operation["responses"]["default"] = _ANY_PROBLEM
    if entry.needs is not None:
        operation["security"] = [{"token": []}]
        operation["x-scope"] = entry.needs.value
