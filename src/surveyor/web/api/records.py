"""What extraction found: records with where each field was read, what changed in them, contacts, pages."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Path, Query, Request
from fastapi.responses import Response
from pydantic import AfterValidator, Field

from surveyor.crawl import queries as crawl_queries
from surveyor.crawl.queries import PageLine
from surveyor.errors import NotFound
from surveyor.extract import corrections, queries
from surveyor.extract.kinds import known_kind
from surveyor.extract.overlay import Correction
from surveyor.extract.queries import RecordFilter, RecordStory
from surveyor.extract.stored_page import StoredPage, page_json, stored_page
from surveyor.people import Scope
from surveyor.registry import service
from surveyor.web import access
from surveyor.web.api import shapes
from surveyor.web.api.common import Body, Limit, LongText, Name, answer, api_routes, paged
from surveyor.web.state import state_of

routes = api_routes("records")
All = Annotated[
    bool, Query(alias="all", description="Also records that are not published: nobody approved a candidate.")
]
Gone = Annotated[bool, Query(description="Also what no page mentions any more.")]
Kind = Annotated[str | None, AfterValidator(known_kind), Query(description="Only of this kind.")]
OfDomain = Annotated[str | None, Query(max_length=2_048, description="Only of this domain.")]
AfterRecord = Annotated[UUID | None, Query(description="`next` of the page before.")]
AfterNumber = Annotated[
    int | None, Query(ge=-(2**63), le=2**63 - 1, description="`next` of the page before.")
]


PageKey = Annotated[
    int, Path(ge=-(2**63), le=2**63 - 1, description="`key` of the page, as the list of pages has it.")
]


async def _number(request: Request, name: str) -> int:
    workspace = state_of(request).workspace
    return (await service.domain_info(workspace.db, workspace.domain_name(name), 0)).domain.no


@routes.get("/records", needs=Scope.READ, response_model=shapes.RECORDS)
async def list_records(
    request: Request,
    kind: Kind = None,
    domain: OfDomain = None,
    everything: All = False,
    gone: Gone = False,
    limit: Limit = 50,
    after: AfterRecord = None,
) -> Response:
    """Records, newest first. Beside the name stands whatever fields were found."""
    number = await _number(request, domain) if domain is not None else None
    return await _page(request, RecordFilter(number, kind, everything, gone), limit, after)


@routes.get("/domains/{domain}/records", needs=Scope.READ, response_model=shapes.RECORDS)
async def list_records_of_domain(
    request: Request,
    domain: Name,
    kind: Kind = None,
    everything: All = False,
    gone: Gone = False,
    limit: Limit = 50,
    after: AfterRecord = None,
) -> Response:
    """Records of one domain, newest first."""
    number = await _number(request, domain)
    return await _page(request, RecordFilter(number, kind, everything, gone), limit, after)


async def _page(request: Request, wanted: RecordFilter, limit: int, after: UUID | None) -> Response:
    found = await queries.list_records(state_of(request).db, wanted, limit + 1, after)
    return paged(request, found, limit, queries.record_json, lambda record: record.id)


@routes.get("/records/{record_id}", needs=Scope.READ, response_model=shapes.RECORD_STORY)
async def get_record(request: Request, record_id: UUID) -> Response:
    """One record, published or not: the latest pages that mention it, and what changed in it."""
    db = state_of(request).db
    return answer(_story(await queries.record_story(db, record_id), await corrections.history(db, record_id)))


class Corrected(Body):
    field: Annotated[str, Field(max_length=60, description="The name of a field of its kind.")]
    value: Annotated[LongText | None, Field(description="What it is; null hides the field.")] = None
    withdraw: Annotated[bool, Field(description="Show what the pages say again.")] = False
    reason: Annotated[LongText | None, Field(description="Why.")] = None


class Hidden(Body):
    hidden: Annotated[bool, Field(description="False shows it again.")] = True
    reason: Annotated[LongText | None, Field(description="Why; needed to hide it.")] = None


@routes.post("/records/{record_id}/corrections", needs=Scope.REVIEW, response_model=shapes.RECORD)
async def correct_record(request: Request, record_id: UUID, given: Corrected) -> Response:
    """Put a field right; extraction never overwrites it."""
    db, by = state_of(request).db, access.who(request).actor
    if given.withdraw:
        return answer(queries.record_json(await corrections.withdraw(db, record_id, given.field, by)))
    done = await corrections.correct(db, record_id, given.field, given.value, by, given.reason)
    return answer(queries.record_json(done))


@routes.post("/records/{record_id}/hide", needs=Scope.REVIEW, response_model=shapes.RECORD)
async def hide_record(request: Request, record_id: UUID, given: Hidden) -> Response:
    """Give a record to nobody, whatever its pages say; or show it again."""
    db, by = state_of(request).db, access.who(request).actor
    done = await corrections.set_hidden(db, record_id, given.hidden, by, given.reason)
    return answer(queries.record_json(done))


@routes.post("/records/{record_id}/merge/{other_id}", needs=Scope.REVIEW, response_model=shapes.RECORD)
async def merge_records(request: Request, record_id: UUID, other_id: UUID) -> Response:
    """Two records of one domain are one thing; the other one is hidden."""
    db, by = state_of(request).db, access.who(request).actor
    return answer(queries.record_json(await corrections.merge(db, record_id, other_id, by)))


def _story(story: RecordStory, said: list[Correction]) -> dict[str, Any]:
    return queries.record_json(story.record) | {
        "pages": [
            {key: value for key, value in source._asdict().items() if key not in ("key", "markdown")}
            for source in story.sources
        ],
        "pages_counted": story.pages,
        "changes": [change._asdict() for change in story.changes],
        "corrections": [
            {key: value for key, value in asdict(one).items() if key not in ("record_id", "before", "said")}
            | {"page_says": one.page_says, "was_overtaken": one.was_overtaken}
            for one in said
        ],
    }


@routes.get("/record-changes", needs=Scope.READ, response_model=shapes.RECORD_CHANGES)
async def list_record_changes(
    request: Request,
    kind: Kind = None,
    domain: OfDomain = None,
    everything: All = False,
    limit: Limit = 50,
    after: AfterNumber = None,
) -> Response:
    """What sites changed in records that are there, the latest first."""
    number = await _number(request, domain) if domain is not None else None
    wanted = RecordFilter(number, kind, everything)
    found = await queries.list_changes(state_of(request).db, wanted, limit + 1, after)
    return paged(request, found, limit, lambda change: change._asdict(), lambda change: change.id)


@routes.get("/domains/{domain}/contacts", needs=Scope.READ, response_model=shapes.CONTACTS)
async def list_contacts(
    request: Request, domain: Name, gone: Gone = False, limit: Limit = 50, after: AfterNumber = None
) -> Response:
    """People and channels found on a domain, in the order they were found."""
    number = await _number(request, domain)
    found = await queries.contacts_of(state_of(request).db, number, limit + 1, after, gone=gone)
    return paged(request, found, limit, lambda contact: contact._asdict(), lambda contact: contact.id)


@routes.get("/domains/{domain}/pages", needs=Scope.READ, response_model=shapes.PAGES)
async def list_pages(
    request: Request,
    domain: Name,
    state: Literal["waiting", "taken", "done", "ended"] | None = None,
    limit: Limit = 50,
    after: AfterNumber = None,
) -> Response:
    """Known pages of a domain, each with why it was not fetched; the order means nothing."""
    number = await _number(request, domain)
    found = await crawl_queries.pages_of(state_of(request).db, number, limit + 1, after, state)
    return paged(request, found, limit, _page_json, lambda page: page.key)


@routes.get("/domains/{domain}/pages/{key}/text", needs=Scope.READ, response_model=shapes.PAGE_TEXT)
async def get_page_text(request: Request, domain: Name, key: PageKey) -> Response:
    """The main text of a page as Markdown, the records it mentions, and its versions, newest first."""
    found = await stored_page(state_of(request).db, await _number(request, domain), key)
    return answer(page_json(found, has_screenshot=await _screenshot(request, found) is not None))


@routes.get(
    "/domains/{domain}/pages/{key}/screenshot",
    needs=Scope.READ,
    responses={200: {"content": {"image/png": {}}, "description": "Of the version that the text is of."}},
)
async def get_page_screenshot(request: Request, domain: Name, key: PageKey) -> Response:
    """A PNG of a page as a browser showed it, where one was kept."""
    found = await stored_page(state_of(request).db, await _number(request, domain), key)
    picture = await _screenshot(request, found)
    if picture is None:
        raise NotFound("no screenshot of this page was kept; `render.screenshots` says whether one is")
    return Response(picture, media_type="image/png")


async def _screenshot(request: Request, found: StoredPage) -> bytes | None:
    app = state_of(request)
    return await crawl_queries.screenshot(app.db, app.workspace.archive_folder, found.newest.version.id)


def _page_json(page: PageLine) -> dict[str, Any]:
    # As text: 64 bits are more than many programs' numbers hold.
    return page._asdict() | {"key": str(page.key)}
