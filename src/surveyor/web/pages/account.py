"""One's own account: password, and tokens for programs, which are shown once."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import UsageError
from surveyor.people import Scope, service
from surveyor.people.users import ALLOWS, RIGHTS
from surveyor.web import access, show
from surveyor.web.forms import identifier
from surveyor.web.routing import Routes, redirect
from surveyor.web.state import address_of, state_of

routes = Routes()
_TOKENS = 500
_DAYS = 90


@routes.get("/account", needs=Scope.SUBMIT)
async def account(request: Request) -> Response:
    return await _shown(request, "")


async def _shown(request: Request, key: str) -> Response:
    user = access.user(request)
    answer = show.page(
        request,
        "account.html",
        tokens=await service.tokens_of(state_of(request).db, user, _TOKENS),
        scopes_of=[scope for scope in Scope if ALLOWS[scope] <= RIGHTS[user.role]],
        key=key,
        days=_DAYS,
    )
    answer.headers["cache-control"] = "no-store"
    return answer


@routes.post("/account/password", needs=Scope.SUBMIT)
async def password(request: Request) -> Response:
    app, form = state_of(request), access.form(request)
    # As they were typed: blanks at the ends belong to them.
    current, new = ((form.fields.get(name) or [""])[-1] for name in ("current", "password"))
    await service.change_password(app.db, app.hasher, access.user(request), current, new, address_of(request))
    answer = redirect("/login")
    answer.delete_cookie(access.SESSION)
    show.leave_notice(request, answer, "your password is changed, and all your sessions ended; log in again")
    return answer


@routes.post("/account/tokens", needs=Scope.SUBMIT)
async def create(request: Request) -> Response:
    """The answer shows the token; nobody can show it again."""
    form, user = access.form(request), access.user(request)
    scope = form.one("scope")
    if scope not in set(Scope):
        raise UsageError(f"a token may {', '.join(Scope)}")
    days = form.number("days", "the days of a token")
    key, _ = await service.create_token(
        state_of(request).db, user.name, form.one("label"), Scope(scope), days or _DAYS, user.actor
    )
    return await _shown(request, key)


@routes.post("/account/tokens/{number}/revoke", needs=Scope.SUBMIT)
async def revoke(request: Request, number: str) -> Response:
    ended = await service.revoke_own_token(
        state_of(request).db, identifier(number, "token"), access.user(request)
    )
    return show.done(request, "/account", f"{ended.label}: it lets nobody in any more")
