"""What the sitemaps of one visit say of changes: held against what is found, and followed once believed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time

from surveyor.frontier.changes import Taken
from surveyor.names import url_key

# Pages of one visit whose dates are kept, 10 MB; what is beyond that is visited in its own time.
_MOST = 100_000


class SitemapDates:
    def __init__(self) -> None:
        self.are_believed = False
        self._dates: dict[int, datetime] = {}

    def note(self, dates: Mapping[str, datetime]) -> list[tuple[int, datetime]]:
        """Targets with their dates; returns keys and dates of pages to be visited soon if they are older."""
        named = [(url_key(target), when) for target, when in dates.items()]
        self._dates.update(named[: max(0, _MOST - len(self._dates))])
        return named if self.are_believed else []

    def names_changed(self, taken: Taken) -> bool | None:
        """Whether a page changed since its last visit, as a sitemap says; None if none says so or not."""
        when = self._dates.get(taken.key)
        if when is None or taken.past is None or taken.past.content_hash is None:
            return None
        last = taken.past.fetched_at
        if when.time() == time() and when.date() == last.date():
            return None  # a date without a time, and the page was fetched on that day
        return when > last
