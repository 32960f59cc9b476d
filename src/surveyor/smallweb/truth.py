"""What a curator would find on each site, and where each should end: for tests, the demo and figures.

It is written by hand in `truth.toml` beside a site's pages and never computed from them. A field that is
not named there is not claimed: a page may say more.

    decision = "approve"          what a curator says, once asked: approve, reject, or none
    reason = "..."                of a rejection
    found = "search"              how it comes into the register: search or seed
    stage = "crawled"             where it is after search, review and crawl; `spam`: not in the register
    images = 5                    different pictures that may be kept
    [[records]]                   kind, name, page; deadline as a mark; amounts, currency, phone, hours, ...
    [[contacts]]                  kind, value, page
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any

from surveyor.errors import BadInput
from surveyor.smallweb.marks import day_of
from surveyor.smallweb.reading import load_sites
from surveyor.smallweb.sites import Site

DECISIONS = ("approve", "reject", "none")
FOUND = ("search", "seed")
STAGES = (
    "crawled",
    "active",
    "blocked",
    "unreachable",
    "pending_crawl",
    "rejected",
    "low_confidence",
    "spam",
)


@dataclass(frozen=True, slots=True)
class ExpectedRecord:
    """Something structured that stands on a page."""

    kind: str
    name: str
    page: str
    fields: Mapping[str, Any]
    """The rest, under the names of the record's columns; a deadline is a date."""


@dataclass(frozen=True, slots=True)
class ExpectedContact:
    kind: str
    value: str
    page: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What is true of one site."""

    host: str
    profile: str
    decision: str
    reason: str
    found: str
    stage: str
    images: int
    """Different pictures that a visitor who asks nicely may keep."""
    records: tuple[ExpectedRecord, ...]
    contacts: tuple[ExpectedContact, ...]


def expected(
    profile: str | None = None, *, sites: Mapping[str, Site] | None = None, today: date | None = None
) -> list[Expected]:
    """The truth about every site of a profile, or about all of them."""
    today = today or datetime.now(UTC).date()
    chosen = (sites or load_sites()).values()
    return [_expected(site, today) for site in chosen if profile in (None, site.profile)]


def _expected(site: Site, today: date) -> Expected:
    truth = dict(site.truth)
    records = tuple(_record(site, dict(one), today) for one in truth.pop("records", []))
    contacts = tuple(ExpectedContact(**one) for one in truth.pop("contacts", []))
    given: dict[str, Any] = {"reason": "", "found": "search", "images": 0} | truth
    try:
        one = Expected(site.host, site.profile, records=records, contacts=contacts, **given)
    except TypeError as error:
        raise BadInput(f"{site.host}/truth.toml: {str(error).partition(') ')[2]}") from None
    if one.decision not in DECISIONS or one.found not in FOUND or one.stage not in STAGES:
        raise BadInput(f"{site.host}/truth.toml: a decision, a way or a stage that does not exist")
    _check_pages(site, (*records, *contacts))
    return one


def _record(site: Site, truth: dict[str, Any], today: date) -> ExpectedRecord:
    kind, name, page = truth.pop("kind"), truth.pop("name"), truth.pop("page")
    if "deadline" in truth:
        day = day_of(truth["deadline"], today)
        if day is None:
            raise BadInput(f"{site.host}/truth.toml: a deadline is a mark such as {{in:45d}}")
        truth["deadline"] = day
    return ExpectedRecord(kind, name, page, MappingProxyType(truth))


def _check_pages(site: Site, expected: Iterable[ExpectedRecord | ExpectedContact]) -> None:
    for one in expected:
        if one.page not in site.pages:
            raise BadInput(f"{site.host}/expected.toml: {one.page} is no page of the site")
