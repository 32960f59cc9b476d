"""What the answers look like, for the description of the API: made from the values that are answered.

They describe and check nothing: answers are written from the values themselves, and a test holds
every answer against its description.
"""

from __future__ import annotations

import types
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from typing import Any, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from pydantic import BaseModel, create_model

from surveyor.crawl.queries import PageLine
from surveyor.crawl.store.queue import QueueLine
from surveyor.crawl.store.runs import Run
from surveyor.crawl.why import Explanation as Why
from surveyor.discover.session import Session
from surveyor.extract.overlay import Correction
from surveyor.extract.queries import ChangedRow, ChangeRow, ContactRow, RecordRow, SourceRow
from surveyor.listeners.standing import WebhookStatus
from surveyor.registry.candidates import Candidate
from surveyor.registry.domain import Domain, Stage
from surveyor.registry.events import EventKind
from surveyor.registry.lifecycle import ReviewStatus
from surveyor.registry.workers import Worker
from surveyor.review.decisions import Refusal
from surveyor.review.forgetting import Forgotten, ForgottenContact
from surveyor.review.submission_values import SubmissionAnswer

Shape = type[BaseModel]


def shape(name: str, /, **given: Any) -> Shape:
    """An object with these keys, all of them always there."""
    keys: dict[str, Any] = {key: (kind, ...) for key, kind in given.items()}
    made: Shape = create_model(name, **keys)
    return made


def keys_of(kind: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a value as JSON has them."""
    hints = get_type_hints(kind)
    names = getattr(kind, "_fields", None) or [field.name for field in fields(kind)]
    return {name: _in_json(hints[name]) for name in names if name not in without}


def _in_json(kind: Any) -> Any:
    """A decimal is a number there."""
    if kind is Decimal:
        return float
    if get_origin(kind) in (Union, types.UnionType):
        return Union[tuple(_in_json(part) for part in get_args(kind))]  # noqa: UP007
    return kind


def many(row: Shape) -> Any:
    return list[row]  # type: ignore[valid-type]


def page_of(row: Shape) -> Shape:
    return shape(f"{row.__name__}Page", items=many(row), next=str | None)


_DERIVED = {
    "stage": Stage,
    "image_yield_rate": float | None,
    "avg_images_per_page": float | None,
    "error_rate": float | None,
    "priority_score": int,
    "yield_rate": float | None,
}
_EVENT = {
    "id": int,
    "at": datetime,
    "kind": EventKind,
    "actor": str,
    "from": str | None,
    "to": str | None,
    "reason": str | None,
    "version": int | None,
    "data": dict[str, Any] | None,
}
_DOMAIN = keys_of(Domain, without=("read_at",)) | _DERIVED

DOMAIN = shape("Domain", **_DOMAIN)
DOMAINS = page_of(DOMAIN)
QUEUE = shape("ReviewQueue", items=many(DOMAIN), next=str | None, waiting=int, waiting_is_exact=bool)
EVENT_OF_DOMAIN = shape("DomainEvent", **_EVENT)
DOMAIN_WITH_EVENTS = shape("DomainWithEvents", **_DOMAIN, events=many(EVENT_OF_DOMAIN))
DECIDED = shape("Decided", **_DOMAIN, crawl=str | None)
REFUSAL = shape("Refusal", **keys_of(Refusal))
REPORT = shape("Report", done=many(DOMAIN), refused=many(REFUSAL), crawl=str | None)
AGAIN = shape("CrawlAgain", **_DOMAIN, pages=int)
FORGOTTEN = shape("Forgotten", **keys_of(Forgotten))
FORGOTTEN_CONTACT = shape("ForgottenContact", **keys_of(ForgottenContact))
ANSWER = shape("Answer", **keys_of(SubmissionAnswer))
SUBMISSION = shape(
    "Submission",
    domain=str,
    review_status=ReviewStatus,
    rejection_reason=str | None,
    reviewed_at=datetime | None,
    first_seen_at=datetime,
    stage=Stage,
    pages_crawled=int,
    last_crawled_at=datetime | None,
)
SUBMISSIONS = page_of(SUBMISSION)
CANDIDATE = shape("Candidate", **keys_of(Candidate))
CANDIDATES = page_of(CANDIDATE)
# What was found of a record stands beside these, under the names of its kind's fields.
_RECORD = keys_of(RecordRow, without=("domain_no", "fields")) | {"sources": dict[str, dict[str, Any]]}
RECORD = shape("Record", **_RECORD)
RECORDS = page_of(RECORD)
RECORD_PAGE = shape("TellingPage", **keys_of(SourceRow, without=("key", "markdown")))
RECORD_CHANGE = shape("FieldChange", **keys_of(ChangeRow))
RECORD_CORRECTION = shape(
    "Correction",
    **keys_of(Correction, without=("record_id", "before", "said")),
    page_says=Any,
    was_overtaken=bool,
)
RECORD_STORY = shape(
    "RecordStory",
    **_RECORD,
    pages=many(RECORD_PAGE),
    pages_counted=int,
    changes=many(RECORD_CHANGE),
    corrections=many(RECORD_CORRECTION),
)
RECORD_CHANGES = page_of(shape("RecordChange", **keys_of(ChangedRow)))
CONTACTS = page_of(shape("Contact", **keys_of(ContactRow)))
PAGES = page_of(shape("Page", **keys_of(PageLine, without=("key",)), key=str))
PAGE_TEXT = shape(
    "PageText",
    snapshot=int,
    title=str | None,
    language=str | None,
    relevance=float | None,
    is_relevant=bool | None,
    text=str | None,
    has_screenshot=bool,
    records=many(shape("PageRecord", id=UUID, kind=str, name=str)),
    versions=many(shape("PageVersion", snapshot=int, first_seen_at=datetime, last_seen_at=datetime)),
)
EVENT = shape("Event", **_EVENT, domain=str | None)
EVENTS = shape("Events", items=many(EVENT), next=int, more=bool)
RUN = shape("Run", **keys_of(Run))
RUNS = page_of(RUN)
WORKER = shape("Worker", **keys_of(Worker), state=str)
WORKERS = shape("Workers", items=many(WORKER))
RELEASED = shape("Released", released=list[str])
QUEUE_LINE = shape("QueueLine", **keys_of(QueueLine))
QUEUE_LINES = shape("QueueLines", items=many(QUEUE_LINE))
SESSION = shape("Session", **keys_of(Session))
SESSIONS = page_of(SESSION)
PROVIDER = shape(
    "Provider",
    provider=str,
    state=str,
    key_present=bool,
    base_url=str,
    missing=str | None,
    suspended_until=datetime | None,
    error=str | None,
    detail=str | None,
    strikes=int,
    calls=int,
    failures=int,
    results=int,
    new_domains=int,
    credits=float,
    new_domains_per_credit=float | None,
)
PROVIDERS = shape("Providers", items=many(PROVIDER))
WEBHOOK = shape("Webhook", **keys_of(WebhookStatus))
WEBHOOKS = shape("Webhooks", items=many(WEBHOOK))
TOTALS = shape("Totals", stages=dict[str, int], quality=dict[str, int])
WHY = shape("Why", **keys_of(Why))
