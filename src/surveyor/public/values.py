"""What the public face gives: frozen values with a few promised fields, and every column in `row`.

`row` has the columns that `surveyor export` writes, under the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from surveyor.plugins import Event as Event

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain of the register."""

    domain: str
    stage: str
    """Where it is, in one word: docs/reference lists them."""
    review_status: str
    quality_status: str
    crawl_status: str
    pages_crawled: int
    records_stored: int
    last_crawled_at: datetime | None
    row: Row = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A judged search result."""

    id: str
    domain: str
    url: str
    title: str
    confidence: Decimal
    status: str
    row: Row = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Record:
    """Something that pages mention: a funding programme, a service, whatever the profile looks for."""

    id: str
    domain: str
    kind: str
    name: str
    source_url: str | None
    """The page that names it."""
    fields: Mapping[str, Any]
    """The values that were found; what no page says is missing."""
    row: Row = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read, with its main text."""

    domain: str
    url: str
    title: str | None
    language: str | None
    text: str
    """Markdown of the main content."""
    fetched_at: datetime | None
    is_relevant: bool | None
    row: Row = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a submission."""

    domain: str
    outcome: str
    message: str
    """The same in a sentence for the submitter."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a decision on several domains."""

    done: Sequence[str]
    refused: Mapping[str, str]
    """By domain, why."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """What the profile's judges say of one search result; nothing is fetched or stored."""

    domain: str
    confidence: Decimal
    should_crawl: bool
    spam_reasons: Sequence[str]
    scores: Mapping[str, Decimal]
    """By judge."""
    explanations: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record in a document that was not stored."""

    kind: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Document:
    """What was read of a page in memory; nothing is stored."""

    title: str
    language: str | None
    text: str
    is_relevant: bool
    relevance: Decimal
    reasons: Sequence[str]
    records: Sequence[FoundRecord]
    contacts: Sequence[Mapping[str, Any]]
