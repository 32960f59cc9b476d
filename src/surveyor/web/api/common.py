"""What all routes of the API share: where they hang, how a value is written, how a list is paged.

Keys are the names of columns, times are RFC 3339 in UTC, decimals are numbers with at least two places.
A page is `{"items": [...], "next": cursor}`; the cursor names the last row that was given, so rows that
come or go in between neither shift the pages nor show twice. `Link` holds the whole next address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode
from uuid import UUID

import orjson
from fastapi import Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from surveyor.registry.domain import Domain, to_json
from surveyor.web.access import admit_program
from surveyor.web.routing import Admit, Routes
from surveyor.web.state import state_of

T = TypeVar("T")
PREFIX = "/api/v1"
# Rows of one page: a megabyte or so of domains.
MOST_ROWS = 500
_HUNDREDTH = Decimal("0.01")
_OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS

Limit = Annotated[int, Query(ge=1, le=MOST_ROWS, description="Rows at most.")]
Name = Annotated[str, Path(max_length=2_048, description="A domain, or any URL of it.")]
# What a database takes for a text; the zero byte is none in PostgreSQL.
NO_ZERO = r"^[^\x00]*$"
LongText = Annotated[str, Field(max_length=2_000, pattern=NO_ZERO)]
Version = Annotated[
    int,
    Field(ge=0, le=2**31 - 1, description="The version you saw; refused with 409 if it is another by now."),
]


class Body(BaseModel):
    """What programs send; a name that we do not know is refused, not ignored, and false is no number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def api_routes(about: str, admit: Admit = admit_program) -> Routes:
    """Routes of the API; `about` groups them in the description."""
    return Routes(PREFIX, admit, include_in_schema=True, tags=[about])


def answer(value: Any, status: int = 200) -> Response:
    return Response(dump(value), status, media_type="application/json")


def dump(value: Any) -> bytes:
    return orjson.dumps(value, default=_plain, option=_OPTIONS)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        written = f"{value:.2f}" if value == value.quantize(_HUNDREDTH) else f"{value:f}"
        return orjson.Fragment(written)
    if isinstance(value, UUID):  # a driver's own kind of it
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def paged(
    request: Request,
    found: Sequence[T],
    limit: int,
    shown: Callable[[T], dict[str, Any]],
    cursor: Callable[[T], object],
    **more: Any,
) -> Response:
    """A page out of one row more than was asked for, which tells whether there is another page."""
    rows = found[:limit]
    following = str(cursor(rows[-1])) if len(found) > limit else None
    made = answer({"items": [shown(row) for row in rows], "next": following} | more)
    if following is not None:
        made.headers["link"] = next_link(request, following)
    return made


def next_link(request: Request, cursor: str) -> str:
    asked = [(name, value) for name, value in request.query_params.multi_items() if name != "after"]
    return f'<{request.url.path}?{urlencode([*asked, ("after", cursor)])}>; rel="next"'


def domain_json(request: Request, domain: Domain) -> dict[str, Any]:
    return to_json(domain, state_of(request).workspace.profile.yields)
