"""Naming domains and URLs, with a token or, where the settings allow it, without one.

Naming the same domain again changes nothing but what is known of it: a request that was not answered
may be sent again. A token that does not hold is refused; it does not make its bearer the public.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response
from pydantic import Field

from surveyor.people import Scope
from surveyor.registry.domain import Domain
from surveyor.review import queue
from surveyor.review.submissions import Outcome, Submission, Submitter, submit
from surveyor.web import access
from surveyor.web.api import shapes
from surveyor.web.api.common import Body, Limit, answer, api_routes, paged
from surveyor.web.state import address_of, state_of


async def admit_public(request: Request, needs: Scope | None) -> None:
    """As `admit_program`; also lets those in who show nothing, if the settings do."""
    is_open = state_of(request).workspace.settings.web.public_form
    shows_nothing = "authorization" not in request.headers
    await access.admit_program(request, None if is_open and shows_nothing else needs)


routes = api_routes("submissions")
public = api_routes("submissions", admit_public)

# A person who submits sees what became of it, not what reviewers and judges say among themselves.
_SHOWN = tuple(shapes.SUBMISSION.model_fields)


class Submitted(Body):
    text: Annotated[str, Field(min_length=1, max_length=2_048, description="A domain or a URL.")]
    context: Annotated[str | None, Field(max_length=2_000, description="What reviewers should know.")] = None
    for_review: Annotated[
        bool, Field(description="Submit the domain of this URL, or a rejected domain again.")
    ] = False
    depth: Annotated[int | None, Field(ge=0, le=1_000, description="For reviewers.")] = None
    delay_seconds: Annotated[float | None, Field(ge=0, le=3_600, description="For reviewers.")] = None
    max_pages: Annotated[int | None, Field(ge=1, le=2**31 - 1, description="For reviewers.")] = None


@public.post(
    "/submissions",
    needs=Scope.SUBMIT,
    response_model=shapes.ANSWER,
    responses={201: {"model": shapes.ANSWER, "description": "It is new, and waits for a reviewer."}},
)
async def submit_one(request: Request, given: Submitted) -> Response:
    """Name a domain for review, or a page of an approved one to be fetched; see `outcome`."""
    app, visitor = state_of(request), access.who(request)
    address = address_of(request)
    by = Submitter.of(visitor.actor, address) if visitor.user else Submitter.public(address)
    result = await submit(app.db, Submission(**given.model_dump()), by, app.workspace.intake)
    return answer(asdict(result), 201 if result.outcome is Outcome.SUBMITTED else 200)


@routes.get("/submissions", needs=Scope.SUBMIT, response_model=shapes.SUBMISSIONS)
async def own_submissions(
    request: Request,
    limit: Limit = 50,
    after: Annotated[int | None, Query(ge=0, le=2**31 - 1, description="`next` of the page before.")] = None,
) -> Response:
    """What the token's owner named, the latest first."""
    name = access.who(request).actor.name
    found = await queue.submitted_by(state_of(request).db, name, limit + 1, after)
    return paged(request, found, limit, _own, lambda domain: domain.no)


def _own(domain: Domain) -> dict[str, Any]:
    return {name: getattr(domain, name) for name in _SHOWN}
