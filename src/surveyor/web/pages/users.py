"""People with accounts: for admins."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import Refused, UsageError
from surveyor.people import Scope, service
from surveyor.people.users import RIGHTS
from surveyor.registry.actors import Role
from surveyor.web import access, show
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()
_MOST = 500


@routes.get("/users", needs=Scope.ADMIN)
async def users(request: Request) -> Response:
    db = state_of(request).db
    people = await service.list_users(db, _MOST)
    return show.page(
        request, "users.html", people=people, roles=list(RIGHTS), tokens=await service.list_tokens(db, _MOST)
    )


@routes.post("/users", needs=Scope.ADMIN)
async def add(request: Request) -> Response:
    app, form = state_of(request), access.form(request)
    role = form.one("role")
    if role not in set(RIGHTS):
        raise UsageError(f"a person is {', '.join(RIGHTS)}")
    # An empty field asks for no account without a password.
    password = (form.fields.get("password") or [""])[-1]
    user = await service.add_user(
        app.db, app.hasher, form.one("name"), Role(role), password, access.who(request).actor
    )
    return show.done(request, "/users", f"{user.name} may log in as {user.role}")


@routes.post("/users/{name}/disable", needs=Scope.ADMIN)
async def disable(request: Request, name: str) -> Response:
    by = access.who(request).actor
    if name == by.name:
        raise Refused("you would lock yourself out; ask another admin")
    user = await service.set_disabled(state_of(request).db, name, True, by)
    return show.done(request, "/users", f"{user.name} is disabled; sessions and tokens ended")


@routes.post("/users/{name}/enable", needs=Scope.ADMIN)
async def enable(request: Request, name: str) -> Response:
    user = await service.set_disabled(state_of(request).db, name, False, access.who(request).actor)
    return show.done(request, "/users", f"{user.name} may log in again")


@routes.post("/users/{name}/role", needs=Scope.ADMIN)
async def role(request: Request, name: str) -> Response:
    by, wanted = access.who(request).actor, access.form(request).one("role")
    if wanted not in set(RIGHTS):
        raise UsageError(f"a person is {', '.join(RIGHTS)}")
    if name == by.name:
        raise Refused("you would take your own rights away; ask another admin")
    user = await service.set_role(state_of(request).db, name, Role(wanted), by)
    return show.done(request, "/users", f"{user.name} is {user.role} now")


@routes.post("/users/{name}/password", needs=Scope.ADMIN)
async def password(request: Request, name: str) -> Response:
    app = state_of(request)
    given = (access.form(request).fields.get("password") or [""])[-1]
    user = await service.set_password(app.db, app.hasher, name, given, access.who(request).actor)
    return show.done(request, "/users", f"{user.name} has a new password; all sessions ended")
