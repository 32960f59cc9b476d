"""What can be taken out, in which formats, and which rows of it: values that the other modules share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from surveyor.names import NameRules

Row = dict[str, Any]
"""One row as programs see it: its columns by name, and for records the nested values."""


class Stream(Protocol):
    """Where bytes go."""

    def write(self, data: bytes, /) -> object: ...


class What(StrEnum):
    """Things that can be taken out; the order of their rows stands beside each."""

    DOMAINS = "domains"  # as they were registered
    CANDIDATES = "candidates"  # as they were judged
    RECORDS = "records"  # as they were found
    CONTACTS = "contacts"  # as they were found
    PAGES = "pages"  # by domain, then by the hash of their address
    IMAGES = "images"  # one row for each page that shows one; by domain and page
    TEXTS = "texts"  # main texts of pages that were read; by domain and page
    LINKS = "links"  # one row for each link of each page; by domain and page


# Of these a part is published; the others are always whole.
PUBLISHED = (What.RECORDS, What.CONTACTS)


class Format(StrEnum):
    """Ways to write rows."""

    CSV = "csv"  # for spreadsheets
    JSONL = "jsonl"  # one JSON object per line, for programs
    PARQUET = "parquet"  # typed columns, for analysis


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows, and what is needed to write them."""

    yields: str
    """What counts as yield in the profile: `records` or `images`."""
    rules: NameRules
    domain_no: int | None = None
    since: datetime | None = None
    """Only what was found, fetched or changed at this time or later."""
    everything: bool = False
    """Also what is not published, and what is gone."""
