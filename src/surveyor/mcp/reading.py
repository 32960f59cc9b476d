"""Tools that look: domains, the queues, candidates, records, pages, events, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from surveyor.crawl import queries as crawl_queries
from surveyor.crawl import service as crawl
from surveyor.crawl import why as answers
from surveyor.errors import NotFound, UsageError
from surveyor.extract import queries as extract_queries
from surveyor.extract.kinds import known_kind
from surveyor.extract.queries import RecordFilter
from surveyor.extract.stored_page import page_json, stored_page
from surveyor.mcp.tools import AFTER, NAME, NO_ZERO, Arguments, Limit, Session, Tool, page, without_nothing
from surveyor.names import parse_url, url_key
from surveyor.net.robots import product_token
from surveyor.registry import feed, service
from surveyor.registry.candidates import CandidateStatus
from surveyor.registry.domain import Domain, Stage, to_json
from surveyor.registry.lifecycle import CrawlStatus, ReviewStatus
from surveyor.registry.store.listing import DomainFilter
from surveyor.review import queries as review_queries
from surveyor.review import queue
from surveyor.review.queue import Order

# What a line about a domain says; `domain_info` says all.
_IN_LINE = (
    *("domain", "stage", "review_status", "quality_status", "crawl_status", "is_trusted", "best_confidence"),
    *("submitted_by", "submission_context", "pages_crawled", "pages_discovered", "images_stored"),
    *("records_stored", "last_crawled_at", "due_at", "block_reason_code", "rejection_reason"),
    *("blacklist_reason", "version"),
)
# Characters of a page's text in one answer.
_SLICE = 20_000
_EVENTS_OF_A_DOMAIN = 20


def _line(domain: Domain) -> dict[str, Any]:
    return {name: getattr(domain, name) for name in _IN_LINE}


class ListDomains(Arguments):
    crawl_status: CrawlStatus | None = None
    review_status: ReviewStatus | None = None
    stage: Stage | None = None
    contains: Annotated[
        str | None, Field(max_length=253, pattern=NO_ZERO, description="Anywhere in the name.")
    ] = None
    limit: Limit = 20
    after: Annotated[str | None, AFTER] = None


async def list_domains(session: Session, asked: ListDomains) -> Mapping[str, Any]:
    workspace = session.workspace
    start = workspace.domain_name(asked.after) if asked.after else None
    wanted = DomainFilter(
        asked.crawl_status, asked.review_status, asked.stage, contains=(asked.contains or "").lower() or None
    )
    found = await service.list_domains(workspace.db, wanted, asked.limit + 1, start)
    return page(found, asked.limit, _line, lambda domain: domain.domain)


class OneDomain(Arguments):
    domain: Annotated[str, NAME]


async def domain_info(session: Session, asked: OneDomain) -> Mapping[str, Any]:
    workspace = session.workspace
    name = workspace.domain_name(asked.domain)
    info = await service.domain_info(workspace.db, name, _EVENTS_OF_A_DOMAIN)
    counts = await extract_queries.counts(workspace.db, info.domain.no)
    return without_nothing(to_json(info.domain, workspace.yields)) | {
        "extraction": counts._asdict(),
        "latest_events": [event.to_json() for event in info.events],
    }


class Why(Arguments):
    subject: Annotated[str, Field(max_length=2_048, description="A domain, or a URL with its scheme.")]


async def why(session: Session, asked: Why) -> Mapping[str, Any]:
    workspace = session.workspace
    if "://" not in asked.subject:
        return asdict(await answers.why_domain(workspace.db, workspace.domain_name(asked.subject)))
    url = parse_url(asked.subject, rules=workspace.name_rules)
    agent = product_token(workspace.settings.net.user_agent)
    return asdict(await answers.why_url(workspace.db, url, agent))


class Review(Arguments):
    order: Order = Order.OLDEST
    everything: Annotated[
        bool, Field(description="Also domains that neither a person nor a judge put forward.")
    ] = False
    limit: Limit = 20
    after: Annotated[str | None, AFTER] = None


async def review_queue(session: Session, asked: Review) -> Mapping[str, Any]:
    workspace = session.workspace
    start = workspace.domain_name(asked.after) if asked.after else None
    found = await queue.waiting(
        workspace.db, asked.order, asked.limit + 1, start, everything=asked.everything
    )
    count = await queue.count(workspace.db, everything=asked.everything)
    more = {"waiting": count, "waiting_is_exact": count < queue.COUNTED}
    return page(found, asked.limit, _line, lambda domain: domain.domain) | more


class ListCandidates(Arguments):
    status: CandidateStatus | None = None
    limit: Limit = 20
    after: Annotated[UUID | None, AFTER] = None


async def list_candidates(session: Session, asked: ListCandidates) -> Mapping[str, Any]:
    found = await review_queries.list_candidates(
        session.workspace.db, asked.status, asked.limit + 1, asked.after
    )
    return page(found, asked.limit, lambda one: one.row(), lambda one: one.id)


class ListRecords(Arguments):
    domain: Annotated[str | None, NAME] = None
    kind: Annotated[str | None, Field(max_length=60, description="Only of this kind.")] = None
    everything: Annotated[bool, Field(description="Also those not published, and those gone.")] = False
    limit: Limit = 20
    after: Annotated[UUID | None, AFTER] = None


async def list_records(session: Session, asked: ListRecords) -> Mapping[str, Any]:
    number = await _number(session, asked.domain) if asked.domain else None
    kind = _known_kind(session, asked.kind) if asked.kind else None
    wanted = RecordFilter(number, kind, asked.everything, asked.everything)
    found = await extract_queries.list_records(session.workspace.db, wanted, asked.limit + 1, asked.after)
    return page(found, asked.limit, extract_queries.record_json, lambda record: record.id)


def _known_kind(session: Session, kind: str) -> str | None:
    _ = session.workspace.profile  # which may declare kinds of its own
    try:
        return known_kind(kind)
    except ValueError as error:
        raise UsageError(str(error)) from None


class ListPages(Arguments):
    domain: Annotated[str, NAME]
    state: Annotated[
        Literal["waiting", "taken", "done", "ended"] | None, Field(description="`done` was fetched.")
    ] = None
    limit: Limit = 50
    after: Annotated[str | None, Field(pattern=r"^-?[0-9]{1,19}$", description=AFTER.description)] = None


async def list_pages(session: Session, asked: ListPages) -> Mapping[str, Any]:
    number = await _number(session, asked.domain)
    after = _key(asked.after) if asked.after else None
    found = await crawl_queries.pages_of(session.workspace.db, number, asked.limit + 1, after, asked.state)
    return page(found, asked.limit, _page_line, lambda line: line.key)


def _key(text: str) -> int:
    if not -(2**63) <= int(text) < 2**63:
        raise UsageError("after: it is no `next` of this list")
    return int(text)


def _page_line(line: crawl_queries.PageLine) -> dict[str, Any]:
    row = line._asdict()
    del row["key"]  # the cursor of the list, and of no use otherwise
    return row


class PageText(Arguments):
    url: Annotated[str, Field(max_length=2_048, description="A page of a domain in the register.")]
    offset: Annotated[int, Field(ge=0, le=2**31, description="`next_offset` of the answer before.")] = 0


async def page_text(session: Session, asked: PageText) -> Mapping[str, Any]:
    workspace = session.workspace
    url = parse_url(asked.url, rules=workspace.name_rules)
    try:
        found = await stored_page(workspace.db, await _number(session, url.domain), url_key(url.target))
    except NotFound:
        raise NotFound(f"no version of {url.text} is stored; the tool `why` says why") from None
    shown = page_json(found, has_screenshot=False)
    del shown["has_screenshot"], shown["versions"]
    text = shown.pop("text") or ""
    end = asked.offset + _SLICE
    sliced = {"characters": len(text), "next_offset": end if end < len(text) else None}
    return {"url": url.text} | without_nothing(shown) | sliced | {"text": text[asked.offset : end]}


class Events(Arguments):
    after: Annotated[
        int | None, Field(ge=0, le=2**63 - 1, description="The id of the last one; 0 is the beginning.")
    ] = None
    limit: Limit = 50


async def events(session: Session, asked: Events) -> Mapping[str, Any]:
    db, after = session.workspace.db, asked.after
    if after is None:
        found = (await feed.latest(db, asked.limit))[-asked.limit :]
    else:
        found = await feed.read(db, after, asked.limit + 1)
    shown = page(found, asked.limit, feed.to_json, lambda entry: entry.event.id)
    last = shown["items"][-1]["id"] if shown["items"] else after or 0
    return {"items": shown["items"], "next": last, "more": shown["next"] is not None}


class Queue(Arguments):
    limit: Limit = 20


async def queue_status(session: Session, asked: Queue) -> Mapping[str, Any]:
    found = await crawl.queue_status(session.workspace.db, asked.limit + 1)
    rows = [without_nothing(asdict(line)) for line in found[: asked.limit]]
    return {"items": rows, "more": len(found) > asked.limit}


async def _number(session: Session, name: str) -> int:
    workspace = session.workspace
    return (await service.domain_info(workspace.db, workspace.domain_name(name), 0)).domain.no


TOOLS = (
    Tool("list_domains", "Domains in the order they were registered.", ListDomains, list_domains),
    Tool("domain_info", "Everything about one domain, with its latest events.", OneDomain, domain_info),
    Tool("why", "Why a URL was fetched, skipped or waits, or why a domain is crawled or not.", Why, why),
    Tool("review_queue", "Domains that wait for a person's decision.", Review, review_queue),
    Tool(
        "list_candidates",
        "Judged search results with their confidence and what each judge said, newest first.",
        ListCandidates,
        list_candidates,
    ),
    Tool(
        "list_records",
        "What was found on pages (programmes, services, ...), with the words each field was read from.",
        ListRecords,
        list_records,
    ),
    Tool("list_pages", "Known pages of a domain, each with why it was not fetched.", ListPages, list_pages),
    Tool("page_text", "The main text of a stored page as Markdown.", PageText, page_text),
    Tool("events", "What happened: the latest, or those behind one, in a fixed order.", Events, events),
    Tool(
        "queue_status",
        "Domains with URLs waiting, the longest queues first; `more` says that there are others.",
        Queue,
        queue_status,
        quotes_the_web=False,
    ),
)
