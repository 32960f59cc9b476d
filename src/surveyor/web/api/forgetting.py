"""Erasing a domain or a contact whose owner asks for that; for admins alone."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import Request
from fastapi.responses import Response
from pydantic import Field

from surveyor.bootstrap.workers import frontier_of
from surveyor.errors import UsageError
from surveyor.people import Scope
from surveyor.review import forgetting
from surveyor.web import access
from surveyor.web.api import shapes
from surveyor.web.api.common import NO_ZERO, Body, Name, answer, api_routes
from surveyor.web.state import state_of

routes = api_routes("forgetting")


class Forget(Body):
    yes: Annotated[bool, Field(description="True: what is erased cannot be brought back.")]


class ForgetContact(Forget):
    contact: Annotated[str, Field(min_length=1, max_length=1_000, pattern=NO_ZERO)]


@routes.post("/domains/{domain}/forget", needs=Scope.ADMIN, response_model=shapes.FORGOTTEN)
async def forget(request: Request, domain: Name, given: Forget) -> Response:
    """Erase all content of a domain and keep it out."""
    _check_yes(given)
    workspace, by = state_of(request).workspace, access.who(request).actor
    name, archive = workspace.domain_name(domain), workspace.archive_folder
    async with frontier_of(workspace) as frontier:
        done = await forgetting.forget_domain(workspace.db, frontier, archive, workspace.name_rules, name, by)
    return answer(asdict(done))


@routes.post("/contacts/forget", needs=Scope.ADMIN, response_model=shapes.FORGOTTEN_CONTACT)
async def forget_contact(request: Request, given: ForgetContact) -> Response:
    """Erase a contact everywhere, and do not take it in again."""
    _check_yes(given)
    workspace, by = state_of(request).workspace, access.who(request).actor
    rules, archive = workspace.name_rules, workspace.archive_folder
    return answer(asdict(await forgetting.forget_contact(workspace.db, archive, rules, given.contact, by)))


def _check_yes(given: Forget) -> None:
    if not given.yes:
        raise UsageError('what is erased cannot be brought back; send "yes": true')
