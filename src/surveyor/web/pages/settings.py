"""Settings that people look at and try: providers, webhooks, mail, schedule; what stays in files says so."""

from __future__ import annotations

import asyncio
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.responses import Response

from surveyor.bootstrap import delivery
from surveyor.clock import SystemClock
from surveyor.discover import usage
from surveyor.errors import NetError, NotFound, Refused
from surveyor.listeners.standing import standing
from surveyor.notify import outbox, staff
from surveyor.operations import up
from surveyor.people import Scope
from surveyor.settings import FILE_NAME
from surveyor.web import access, show
from surveyor.web.forms import asked, long_number
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of

routes = Routes()
_WEBHOOKS, _MESSAGES, _DAYS = 50, 25, 30
# What is pasted into the file of settings, by what it is for.
LINES: Final = {
    "provider": '[providers.brave]\nkey_file = "brave.key"',
    "webhook": '[listeners.webhooks]\ntools = "https://tools.example.org/events"\n'
    '[listeners.secret_files]\ntools = "tools.secret"',
    "mail": '[mail]\nserver = "mail.example.org"\nuser = "register"\npassword_file = "mail.password"\n'
    'sender = "register@example.org"\nsite_url = "https://register.example.org"',
    "notify": '[notify]\nmail = ["curators@example.org"]\nkinds = ["DomainSubmitted"]',
    "schedule": '[schedule]\nnightly = "02:00"\nweekly = "sunday 03:30"\nqueries_per_day = 60',
    "profile": 'profile = "my-profile.toml"',
}


@routes.get("/settings", needs=Scope.ADMIN)
async def settings(request: Request) -> Response:
    app, before = state_of(request), asked(request, "before", 19)
    workspace, chosen = app.workspace, app.workspace.settings
    last = long_number(before, "there is no such message") if before else None
    providers, hooks, plan, found, counts = await asyncio.gather(
        usage.states(app.db, workspace.provider_accounts(), _DAYS),
        standing(app.db, chosen.listeners.webhooks, _WEBHOOKS),
        up.schedule_of(app.db, chosen, workspace.profile),
        outbox.listing(app.db, _MESSAGES + 1, last),
        outbox.counts(app.db),
    )
    messages = found[:_MESSAGES]
    more = len(found) > _MESSAGES
    return show.page(
        request,
        "settings.html",
        providers=providers,
        days=_DAYS,
        webhooks=[(one, urlsplit(one.url).hostname or "?") for one in hooks],
        plan=plan,
        now=SystemClock().now(),
        messages=messages,
        counts=counts,
        mail=chosen.mail,
        staff=_staff(app),
        kinds=chosen.notify.kinds,
        lines=LINES,
        file=workspace.path / FILE_NAME,
        following=show.address("/settings", before=messages[-1].id) if more else None,
        is_first=not before,
    )


def _staff(app: AppState) -> list[str]:
    return [one.address or one.channel for one in staff.recipients(app.workspace.settings.notify)]


@routes.post("/settings/webhooks/{name}/test", needs=Scope.ADMIN)
async def test_webhook(request: Request, name: str) -> Response:
    """A signed message that is no event goes to the receiver now."""
    async with delivery.webhooks_of(state_of(request).workspace) as hooks:
        hook = next((one for one in hooks if one.name == name), None)
        if hook is None:
            raise NotFound(f"there is no webhook {name[:60]!r}")
        try:
            await hook.test()
        except NetError as error:
            raise Refused(f"{name} did not accept a test: {error}") from None
    return show.done(request, "/settings", f"{name} accepted a test")


@routes.post("/settings/mail/test", needs=Scope.ADMIN)
async def test_mail(request: Request) -> Response:
    app, form = state_of(request), access.form(request)
    to = await outbox.try_mail(app.db, form.one("address"), access.who(request).actor)
    return show.done(request, "/settings", f"a mail to {to} waits below until it is sent")


@routes.post("/settings/outbox/{number}/again", needs=Scope.ADMIN)
async def again(request: Request, number: str) -> Response:
    known = long_number(number, "there is no such message")
    await outbox.again(state_of(request).db, known, access.who(request).actor)
    return show.done(request, "/settings", "it is tried again")
