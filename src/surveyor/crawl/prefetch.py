"""URLs of one visit: those it offers to its frontier, and those it has taken.

A taken URL is reserved under the epoch of the visit, charged to its budget, and not committed yet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from surveyor.crawl.detect import Detector
from surveyor.crawl.member import Delivery
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.results import PageReason
from surveyor.frontier.changes import RANK_NORMAL, GivenBack, NewUrl, Taken, UrlKind
from surveyor.names import url_key


@dataclass(eq=False)
class Prefetch:
    """Asks for more before the last one is gone, and remembers what the last answer said."""

    budget: int  # pages the visit may still take
    in_flight: Taken | None = None
    _queue: deque[Taken] = field(default_factory=deque)
    _wanted: int = 0  # asked for, not answered yet
    _dry: bool = False  # the frontier had less than was granted
    _denied: bool = False  # the run granted less than was wanted

    def __len__(self) -> int:
        return len(self._queue)

    def pop(self) -> Taken:
        self.in_flight = self._queue.popleft()
        return self.in_flight

    def put_back(self, taken: Taken) -> None:
        """Next again, such as after the site moved to its other scheme."""
        self._queue.appendleft(taken)

    def ask(self, size: int, *, found_more: bool) -> int:
        """How many URLs to ask for, so that `size` are here; 0 while an answer is awaited, or where the
        last one had all there was and nothing was found since."""
        if self._wanted or (self._dry and not found_more):
            return 0
        self._wanted = max(0, min(size - len(self._queue), self.budget))
        return self._wanted

    def receive(self, delivery: Delivery) -> None:
        """What came of a commit."""
        box, taken, granted = delivery
        if box.want:
            self._denied = granted < box.want
            self._dry = len(taken) < granted
            self.budget -= len(taken)
            self._wanted = 0
            self._queue.extend(taken)
        elif box.found_more:
            self._dry = False

    def why_empty(self) -> str | None:
        """Why no URL will come, once everything else is committed; None while one may."""
        if self._wanted:
            return None
        if self.budget <= 0:
            return "budget_pages"
        if self._dry:
            return "exhausted"
        return "budget_run" if self._denied else None

    def empty(self) -> list[GivenBack]:
        """Everything still taken, to go back to its place."""
        held = [*self._queue, *([self.in_flight] if self.in_flight else [])]
        self._queue.clear()
        self.in_flight = None
        return [GivenBack(taken.key, taken.attempts, False) for taken in held]


@dataclass(eq=False)
class SeenUrls:
    """URLs that need no look-up: committed, or on their way. Never a guess: only what is known is held."""

    # Keys kept; beyond that the memory starts anew, and the database is asked again.
    MOST = 200_000
    # Targets kept as they are written, 300 KB at most: what all pages of a site share is on each of them,
    # and need not be turned into a key every time.
    MOST_TARGETS = 2_048

    _keys: dict[int, int] = field(default_factory=dict)
    _targets: dict[str, int] = field(default_factory=dict)

    def was_met(self, target: str, depth: int) -> bool:
        """Whether this target was asked about lately, at this depth or less; if not, it is from now on."""
        best = self._targets.get(target)
        if best is not None and best <= depth:
            return True
        if len(self._targets) >= self.MOST_TARGETS:
            self._targets.clear()
        self._targets[target] = depth
        return False

    def has(self, key: int, depth: int) -> bool:
        """Whether this URL is known at this depth or less."""
        best = self._keys.get(key)
        return best is not None and best <= depth

    def add(self, key: int, depth: int) -> bool:
        """Whether this URL was not known at this depth or less; it is from now on."""
        best = self._keys.get(key)
        if best is not None and best <= depth:
            return False
        if len(self._keys) >= self.MOST:
            self._keys.clear()
        self._keys[key] = depth
        return True


class UrlOffers:
    """What is put before the frontier: each URL once, with the reason if it is not to be fetched."""

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
        cut: str | None = None
        if depth > self._depth:
            cut = PageReason.DEPTH
        elif not self._scope.worth_fetching(target):
            cut = PageReason.NOT_A_PAGE
        elif found_on is not None:
            cut = self._detector.judge(target, None if found_on.kind.is_list else found_on.target)
        return NewUrl(key, target, depth, rank, found_on.key if found_on else None, cut)

    def lists(self, targets: Iterable[str], kind: UrlKind, found_on: Taken | None) -> list[NewUrl]:
        """Lists of pages, those that are new: they are fetched whatever their name and depth."""
        found_at = found_on.key if found_on else None
        keys = ((url_key(target), target) for target in targets)
        new = ((key, target) for key, target in keys if self._seen.add(key, 0))
        return [NewUrl(key, target, 0, RANK_NORMAL, found_at, kind=kind) for key, target in new]
