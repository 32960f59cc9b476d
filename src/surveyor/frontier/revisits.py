"""Pages that are known and visited again: what a visit found, and when the next one comes, as values.

The crawl says what it found, the refresh policy answers with a date; neither knows the other.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol


class Seen(StrEnum):
    """What a visit found of a page."""

    NEW = "new"  # a page that was never stored before
    CHANGED = "changed"  # another content than last time
    SAME = "same"  # the same content, or the answer that nothing changed
    GONE = "gone"  # no page any more
    FAILED = "failed"  # nothing that says anything about the page
    LIST = "list"  # a sitemap or a feed, which is not a page


class Past(NamedTuple):
    """What is known of a URL that was looked at before."""

    fetched_at: datetime
    content_hash: bytes | None  # none: it was no page then
    reason: str | None


class Habits(NamedTuple):
    """What is usual for a domain."""

    usual_hours: float  # between two visits of a page of which nothing is known
    expects_records: bool = False  # records are looked for, and its pages have given some


class Visited(NamedTuple):
    """One visit of one page."""

    key: int
    seen: Seen
    history: bytes | None = None  # of the visits before
    last: datetime | None = None  # the visit before
    is_start: bool = False  # the start page of its domain


class Next(NamedTuple):
    """What is written beside the page."""

    history: bytes | None
    at: datetime | None  # none: it is left
    rank: int  # lower first, among pages that are due


class Schedule(Protocol):
    def after(self, visited: Visited, habits: Habits, now: datetime) -> Next:
        """When the page is visited again."""
        ...

    def believes_lastmod(self, right: int, wrong: int) -> bool:
        """Whether a sitemap that was right and wrong so often is believed about what changed."""
        ...
