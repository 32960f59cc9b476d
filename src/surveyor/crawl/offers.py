"""Which URLs a visit puts before its frontier: each once, with the reason if it is not to be fetched."""

from __future__ import annotations

from surveyor.crawl.detect import Detector
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.prefetch import SeenUrls
from surveyor.crawl.results import PageReason
from surveyor.frontier.changes import RANK_NORMAL, NewUrl, Taken, UrlKind
from surveyor.names import url_key


class UrlOffers:
    """Of one visit."""

    def __init__(self, scope: Scope, detector: Detector, depth: int) -> None:
        self._scope, self._detector, self._depth = scope, detector, depth
        self._seen = SeenUrls()
        # Asked for every link of every page, so without a call between.
        self.was_met = self._seen.was_met

    def page(self, target: str, depth: int, rank: int, found_on: Taken | None) -> NewUrl | None:
        """A URL of the domain; none if it is known at this depth or less."""
        key = url_key(target)
        if not self._seen.add(key, depth):
            return None
        cut = self._cut(target, depth, found_on)
        return NewUrl(key, target, depth, rank, found_on.key if found_on else None, cut)

    def list(self, target: str, kind: UrlKind, found_on: Taken | None) -> NewUrl | None:
        """A list of pages is fetched whatever its name and depth."""
        key = url_key(target)
        if not self._seen.add(key, 0):
            return None
        return NewUrl(key, target, 0, RANK_NORMAL, found_on.key if found_on else None, kind=kind)

    def _cut(self, target: str, depth: int, found_on: Taken | None) -> str | None:
        if depth > self._depth:
            return PageReason.DEPTH
        if not self._scope.worth_fetching(target):
            return PageReason.NOT_A_PAGE
        if found_on is None:
            return None
        return self._detector.judge(target, None if found_on.kind.is_list else found_on.target)
