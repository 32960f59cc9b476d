"""Records: the list with its filters, what changed in them, and one beside the text it was read from."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from fastapi import Request
from fastapi.responses import Response

from surveyor import entry_points
from surveyor.entry_points import Group
from surveyor.errors import NotADomain, NotFound
from surveyor.extract import corrections, queries
from surveyor.extract.kinds import ALL_FIELDS
from surveyor.extract.queries import RecordFilter
from surveyor.people import Scope
from surveyor.web import access, show
from surveyor.web.forms import asked, chosen, identifier, long_number, one_of
from surveyor.web.pages.domain import find_domain
from surveyor.web.record_view import in_line, record_view, said
from surveyor.web.routing import Routes
from surveyor.web.state import AppState, state_of

routes = Routes()
_ROWS = 50
_OTHERS = 50  # records of the domain that may be the same
_NOWHERE = -1  # the number of no domain


class View(StrEnum):
    """Which records a list shows."""

    PUBLISHED = "published"  # what everybody is given
    ALL = "all"  # published or not
    GONE = "gone"  # what no page tells of any more
    CHANGED = "changed"  # what sites changed, the latest first


_VIEWS = {
    View.PUBLISHED: "Published",
    View.ALL: "All",
    View.GONE: "Gone",
    View.CHANGED: "Changed lately",
}


class _Asked(NamedTuple):
    view: View
    kind: str
    domain: str

    def address(self, **other: Any) -> str:
        """This list, or the one next to it."""
        wanted = self._asdict() | other
        if wanted["view"] is View.PUBLISHED:
            wanted["view"] = None
        return show.address("/records", **wanted)


@routes.get("/records", needs=Scope.READ)
async def records(request: Request) -> Response:
    app = state_of(request)
    question = _Asked(
        chosen(request, "view", View) or View.PUBLISHED,
        one_of(request, "kind", entry_points.names(Group.RECORDS)) or "",
        asked(request, "domain"),
    )
    wanted = await _filter(app, question)
    is_changes = question.view is View.CHANGED
    found = await _page(app, wanted, is_changes, asked(request, "after"))
    shown = found[:_ROWS]
    return show.page(
        request,
        "records.html",
        records=[] if is_changes else shown,
        changes=shown if is_changes else [],
        asked=question,
        views=_VIEWS,
        kinds=entry_points.names(Group.RECORDS),
        is_unknown=wanted.domain_no == _NOWHERE,
        count=None if is_changes else await queries.count_records(app.db, wanted),
        following=question.address(after=shown[-1].id) if len(found) > _ROWS else None,
        is_first=not asked(request, "after"),
        in_line=in_line,
        said=said,
    )


async def _filter(app: AppState, question: _Asked) -> RecordFilter:
    kind = question.kind or None
    number = await _number(app, question.domain) if question.domain else None
    if question.view is View.PUBLISHED:
        return RecordFilter(number, kind)
    if question.view is View.ALL:
        return RecordFilter(number, kind, unpublished=True)
    return RecordFilter(number, kind, unpublished=True, gone=True, only_gone=question.view is View.GONE)


async def _number(app: AppState, name: str) -> int:
    try:
        return (await find_domain(app, name)).no
    except (NotFound, NotADomain):
        return _NOWHERE


async def _page(app: AppState, wanted: RecordFilter, is_changes: bool, after: str) -> list[Any]:
    if is_changes:
        last = long_number(after, "there is no such change") if after else None
        return list(await queries.list_changes(app.db, wanted, _ROWS + 1, last))
    start = identifier(after, "record") if after else None
    return list(await queries.list_records(app.db, wanted, _ROWS + 1, start))


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
