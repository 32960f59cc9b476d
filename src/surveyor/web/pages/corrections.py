"""Putting records right: a field, a whole record, two that are one, one written by hand."""

from __future__ import annotations

from uuid import UUID

from fastapi import Request
from fastapi.responses import Response

from surveyor.errors import UsageError
from surveyor.extract import corrections
from surveyor.extract.queries import RecordRow
from surveyor.people import Scope
from surveyor.web import access, show
from surveyor.web.forms import identifier
from surveyor.web.pages.domain import known_name
from surveyor.web.routing import Routes
from surveyor.web.state import state_of

routes = Routes()


@routes.post("/records/{number}/correct", needs=Scope.REVIEW)
async def correct(request: Request, number: str) -> Response:
    form, db = access.form(request), state_of(request).db
    field, by = form.one("field"), access.who(request).actor
    if form.one("withdraw"):
        done = await corrections.withdraw(db, _id(number), field, by)
        return _done(request, done, f"{field}: as the pages say")
    text = None if form.one("hide") else form.one("value")
    done = await corrections.correct(db, _id(number), field, text, by, form.some("reason"))
    return _done(request, done, f"{field}: hidden" if text is None else f"{field}: corrected")


@routes.post("/records/{number}/hide", needs=Scope.REVIEW)
async def hide(request: Request, number: str) -> Response:
    form = access.form(request)
    hidden, by = not form.one("show"), access.who(request).actor
    done = await corrections.set_hidden(state_of(request).db, _id(number), hidden, by, form.some("reason"))
    return _done(request, done, "hidden; nobody is given it" if hidden else "shown again")


@routes.post("/records/{number}/merge", needs=Scope.REVIEW)
async def merge(request: Request, number: str) -> Response:
    other = access.form(request).one("other")
    if not other:
        raise UsageError("choose the record that is the same")
    done = await corrections.merge(
        state_of(request).db, _id(number), identifier(other, "record"), access.who(request).actor
    )
    return _done(request, done, "both are one now")


@routes.post("/domains/{name}/records", needs=Scope.REVIEW)
async def add(request: Request, name: str) -> Response:
    app, form = state_of(request), access.form(request)
    made = await corrections.add_by_hand(
        app.db,
        known_name(app, name),
        form.one("kind"),
        {"name": form.one("name")},
        access.who(request).actor,
        form.some("reason"),
    )
    return _done(request, made, "written down; add what you know of it")


def _id(number: str) -> UUID:
    return identifier(number, "record")


def _done(request: Request, record: RecordRow, message: str) -> Response:
    return show.done(request, f"/records/{record.id}", message)
