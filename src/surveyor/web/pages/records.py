"""Records: the list with its filters, what changed in them, and one beside the text it was read from."""

from __future__ import annotations

from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from surveyor import entry_points
from surveyor.db.bounded import Look
from surveyor.entry_points import Group
from surveyor.errors import NotADomain, NotFound, UsageError
from surveyor.export.columns import columns_of
from surveyor.export.service import records_told
from surveyor.export.values import What
from surveyor.extract import corrections, queries
from surveyor.extract.kinds import ALL_FIELDS
from surveyor.extract.queries import ChangedRow, RecordFilter, RecordRow
from surveyor.people import Scope
from surveyor.web import access, files, show
from surveyor.web.forms import identifier, long_number
from surveyor.web.pages.domain import find_domain
from surveyor.web.record_view import in_line, record_view, said
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of
from surveyor.web.table import Shape, View

routes = Routes()
_ROWS, _BATCH = 50, 500
_OTHERS = 50  # records of the domain that may be the same
_NOWHERE = -1  # the number of no domain


class Which(StrEnum):
    """Which records a list shows."""

    PUBLISHED = "published"  # what everybody is given
    ALL = "all"  # published or not
    GONE = "gone"  # what no page mentions any more
    CHANGED = "changed"  # what sites changed, the latest first


_WHICH = {
    Which.PUBLISHED: "Published",
    Which.ALL: "All",
    Which.GONE: "Gone",
    Which.CHANGED: "Changed lately",
}


def _shape() -> Shape:
    """Kinds are those that the profile declares, so they are asked for each time."""
    return Shape(
        "/records",
        {"view": Which, "kind": entry_points.names(Group.RECORDS)},
        ("domain", "q"),
        tuple(queries.RECORD_SORTS),
        defaults={"view": Which.PUBLISHED},
        in_api={"kind": "kind", "domain": "domain"},
    )


@routes.get("/records", needs=Scope.READ)
async def records(request: Request) -> Response:
    app = state_of(request)
    view = View.parse(request.url.query, _shape())
    wanted, which = await _filter(app, view), Which(view.get("view"))
    listed, changed, found = await _page(app, wanted, which, view)
    # Words are looked for row by row: how many have them is known where all were looked at.
    count = len(listed) if not view.after and found.after is None else None
    if count is None and not wanted.contains:
        count = await queries.count_records(app.db, wanted)
    return show.page(
        request,
        "records.html",
        view=view,
        found=found,
        records=listed,
        changes=changed,
        which=which,
        whiches=_WHICH,
        kinds=entry_points.names(Group.RECORDS),
        is_unknown=wanted.domain_no == _NOWHERE,
        count=None if which is Which.CHANGED else count,
        views=await files.kept(request, view),
        in_line=in_line,
        said=said,
    )


@routes.get("/records.{kind}", needs=Scope.READ)
async def download(request: Request, kind: str) -> Response:
    app, view = state_of(request), View.parse(request.url.query, _shape())
    if Which(view.get("view")) is Which.CHANGED:
        raise UsageError("what changed is no list of records; choose another of the lists")
    rows = _every(app, await _filter(app, view))
    return files.download("records", kind, columns_of(What.RECORDS), rows)


async def _every(app: AppState, wanted: RecordFilter) -> AsyncIterator[list[dict[str, Any]]]:
    after: Any = ""
    while after is not None:
        some, found = await queries.look_for_records(app.db, wanted, "", _BATCH, str(after))
        yield await records_told(app.db, some)
        after = found.after


async def _filter(app: AppState, view: View) -> RecordFilter:
    kind, words, which = view.get("kind") or None, view.get("q") or None, Which(view.get("view"))
    number = await _number(app, view.get("domain")) if view.get("domain") else None
    return RecordFilter(
        number,
        kind,
        unpublished=which is not Which.PUBLISHED,
        gone=which in (Which.GONE, Which.CHANGED),
        only_gone=which is Which.GONE,
        contains=words,
    )


async def _number(app: AppState, name: str) -> int:
    try:
        return (await find_domain(app, name)).no
    except (NotFound, NotADomain):
        return _NOWHERE


async def _page(
    app: AppState, wanted: RecordFilter, which: Which, view: View
) -> tuple[list[RecordRow], list[ChangedRow], Look]:
    if which is not Which.CHANGED:
        listed, found = await queries.look_for_records(app.db, wanted, view.sort, _ROWS, view.after)
        return listed, [], found
    last = long_number(view.after, "there is no such change") if view.after else None
    changed = await queries.list_changes(app.db, wanted, _ROWS + 1, last)
    shown = changed[:_ROWS]
    return [], shown, Look([], shown[-1].id if len(changed) > _ROWS else None)


@routes.get("/records/{number}", needs=Scope.READ)
async def record(request: Request, number: str) -> Response:
    db, wanted = state_of(request).db, identifier(number, "record")
    story = await queries.record_story(db, wanted)
    record, said_of_it = story.record, await corrections.history(db, wanted)
    beside = RecordFilter(record.domain_no, record.kind, unpublished=True)
    holding = [one for one in said_of_it if one.ended_at is None]
    return show.page(
        request,
        "record.html",
        story=story,
        view=record_view(story),
        said=said,
        corrections=said_of_it,
        laid={one.field: one for one in holding},
        missing=[name for name in ALL_FIELDS.get(record.kind, ()) if name not in record.fields],
        others=[one for one in await queries.list_records(db, beside, _OTHERS) if one.id != record.id],
        pencil=access.who(request).may(Scope.REVIEW),
    )
