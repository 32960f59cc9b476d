"""Which URLs are asked for again after they failed for a passing reason, in this visit or another.

Three attempts over at least two visits, then a page ends. The start page is different: a domain whose
start page was never had is not crawled to its end, so that page stays waiting until it is had.
"""

from __future__ import annotations

from typing import NamedTuple

from surveyor.crawl.failures import Failures
from surveyor.crawl.results import START, PageReason, PageResult
from surveyor.frontier.changes import GivenBack, Taken
from surveyor.names import url_key

_ATTEMPTS = 3
_ATTEMPTS_PER_VISIT = 2


class Retry(NamedTuple):
    """What follows a failed attempt."""

    ends: bool = False  # it is not asked for again
    back: GivenBack | None = None  # it waits at once; none: with the end of the visit
    blocks: bool = False  # it alone blocks the domain: a start page that fails again and again


class Retries:
    """Of one visit."""

    def __init__(self, failures: Failures) -> None:
        self._failures = failures
        self._here: dict[int, int] = {}  # attempts of this visit
        self.postponed: list[GivenBack] = []
        self.had_start = False  # the start page was answered once, or is not ours to ask for
        self.start_fails = False  # and it failed as often as any page may

    def failed(self, taken: Taken) -> Retry:
        """An attempt failed for a passing reason."""
        here = self._here[taken.key] = self._here.get(taken.key, 0) + 1
        attempts = taken.attempts + 1
        is_last = attempts >= _ATTEMPTS and attempts > here
        must_be_had = self._must_be_had(taken)
        if is_last and not must_be_had:
            return Retry(ends=True)
        if is_last or here >= _ATTEMPTS_PER_VISIT:
            self._postpone(taken, attempts)
            return Retry(blocks=is_last and must_be_had)
        return Retry(back=GivenBack(taken.key, attempts, True))

    def unreadable(self, taken: Taken) -> Retry:
        """Asking again would bring the same: it ends, unless it must be had."""
        if not self._must_be_had(taken):
            return Retry(ends=True)
        self._postpone(taken, taken.attempts + 1)
        return Retry()

    def note(self, result: PageResult) -> None:
        """Something came of a URL."""
        if result.target == START and (result.was_answered or result.reason == PageReason.ROBOTS):
            self.had_start = True

    def is_start_postponed(self) -> bool:
        return not self.had_start and any(back.key == url_key(START) for back in self.postponed)

    def _must_be_had(self, taken: Taken) -> bool:
        """A start page that was never had, or that fails while nothing else was answered."""
        if taken.target != START:
            return False
        return not self.had_start or self._failures.in_a_row >= _ATTEMPTS

    def _postpone(self, taken: Taken, attempts: int) -> None:
        """To another visit."""
        self.start_fails = self.start_fails or (taken.target == START and attempts >= _ATTEMPTS)
        self.postponed.append(GivenBack(taken.key, attempts, True))
