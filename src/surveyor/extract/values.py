"""What extraction takes and gives, as values: a page in, its text, relevance, records and contacts out.

A record is what a page says of one thing. Each of its fields carries where it was read and the words it was
read from, so that a person can check it. Values are normal by the time they are here: telephone numbers in
E.164, deadlines as ISO dates, amounts as numbers with a currency code, e-mail addresses in lower case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from surveyor.llm.postponed import Postponed
from surveyor.profiles.kinds import BUILT_IN

# Names which rules made a reading. Raise it when the same page may be read differently.
EXTRACTOR_VERSION: Final = "13"

# The fields of each built-in kind of record, in the order in which people read them; `kinds` has all others.
FIELDS: Final[dict[str, tuple[str, ...]]] = {name: tuple(kind.columns) for name, kind in BUILT_IN.items()}

Value = str | int | float | list[str]


class Source(StrEnum):
    """Where a field was read; what is listed first is believed first."""

    ITEM = "item"  # a Scrapy spider's, whose author knows the site
    JSON_LD = "json_ld"
    MICRODATA = "microdata"
    OPENGRAPH = "opengraph"
    STRUCTURE = "structure"  # a table, a definition list, a label and its value, a heading
    TEXT = "text"  # a sentence
    MODEL = "model"  # a language model's reading
    IMPORT = "import"  # another register's, as it was read there


class ContactKind(StrEnum):
    """Ways to reach somebody."""

    PERSON = "person"
    EMAIL = "email"
    PHONE = "phone"
    ADDRESS = "address"
    FORM = "form"


class Field(NamedTuple):
    value: Value
    source: Source
    quote: str
    """The words of the page that say so, one line, at most a few hundred characters."""


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """Something a page mentions; `fields` has no empty ones and always a name."""

    kind: str
    fields: dict[str, Field]

    @property
    def name(self) -> str:
        return str(self.fields["name"].value)


@dataclass(frozen=True, slots=True)
class FoundContact:
    kind: ContactKind
    value: str
    source: Source
    name: str | None = None
    role: str | None = None
    quote: str = ""
    confidence: Decimal = Decimal("0.80")


@dataclass(frozen=True, slots=True)
class PageText:
    """What a reader came for, without what surrounds it."""

    title: str
    """What the page is called, without the site's name."""
    description: str
    language: str | None
    markdown: str
    """Of the main content."""
    text: str
    """The same as plain lines: a heading, a paragraph, an item each, a table row with tabs."""
    text_hash: int
    """64 bits, signed. The same for versions that differ in a date line, a counter or an advertisement."""
    simhash: int
    """64 bits, signed. Near texts have near ones."""
    links: int = 0
    images: int = 0


@dataclass(frozen=True, slots=True)
class Relevance:
    score: Decimal
    is_relevant: bool
    reasons: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Page:
    """One version of a page, as it was fetched."""

    url: str
    body: bytes
    content_type: str | None
    seen_on: date
    """The day it was fetched: what "next" means in it."""
    domain_no: int = 0
    """The number of its domain in the register; 0 for a page that is not of it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read from one version of a page."""

    text: PageText
    relevance: Relevance
    records: list[FoundRecord]
    contacts: list[FoundContact]
    postponed: Postponed | None = None
    """A language model was not asked, or did not answer, and may later."""
