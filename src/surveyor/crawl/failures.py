"""Errors of one visit: which count against the domain, what is tried again, and what the visit comes to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from surveyor.clock import Clock
from surveyor.crawl.results import START, PageReason, PageResult
from surveyor.errors import NetError
from surveyor.frontier.changes import GivenBack, Taken
from surveyor.names import url_key
from surveyor.net.fetcher import Response
from surveyor.net.reasons import Reason
from surveyor.net.throttle import Throttle
from surveyor.registry.cooldowns import COOLDOWNS, Obstacle
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.release import Outcome

_BY_CODE: dict[str, Obstacle] = {
    Reason.DNS_FAILURE: Obstacle.DNS_FAILURE,
    Reason.CONNECTION_REFUSED: Obstacle.CONNECTION_REFUSED,
    Reason.CONNECTION_RESET: Obstacle.CONNECTION_RESET,
    Reason.TIMEOUT: Obstacle.TIMEOUT,
    Reason.TOO_SLOW: Obstacle.TIMEOUT,
    Reason.TLS_ERROR: Obstacle.TLS_ERROR,
}

# Failures of one answer that say nothing about the domain; asking again would bring the same.
PAGE_ITSELF = frozenset(
    {
        Reason.TOO_LARGE,
        Reason.BAD_RESPONSE,
        Reason.DECOMPRESS_ERROR,
        Reason.BAD_URL,
        Reason.FORBIDDEN_ADDRESS,
        Reason.FORBIDDEN_PORT,
        Reason.FORBIDDEN_SCHEME,
    }
)


# Whoever asks for anything is told 406 by firewalls that do not like its name; 451 is a court's word.
_FORBIDDEN = frozenset({403, 406, 451})
# Bytes of white space that templates leave around nothing.
_BLANK = 100


def of_status(status: int) -> Obstacle | None:
    """The obstacle an answer hints at; None where the page alone is to blame."""
    if status == 401:
        return Obstacle.LOGIN_REQUIRED
    if status in _FORBIDDEN:
        return Obstacle.FORBIDDEN
    if status == 429:
        return Obstacle.RATE_LIMITED
    return Obstacle.SERVER_ERRORS if status >= 500 else None


def of_answer(response: Response) -> Obstacle | None:
    """The same; a page without a single sign is what a program says that broke off."""
    is_page = response.status == 200 and not response.headers.get("Refresh") and _says_html(response)
    if is_page and len(response.body) <= _BLANK and not response.body.strip():
        return Obstacle.SERVER_ERRORS
    return of_status(response.status)


def _says_html(response: Response) -> bool:
    """Whether it is a page by its own word, or says nothing; a text or a picture may well be empty."""
    return "html" in (response.headers.get("Content-Type") or "html").lower()


def is_refusal(status: int | None) -> bool:
    """The site does not want to: asked again at once, it would say the same."""
    return status == 401 or status in _FORBIDDEN


def of_code(code: str) -> Obstacle | None:
    return _BY_CODE.get(code)


# Errors in a row after which it is asked once more whether the site answers, however often it did before.
_LONGEST_ROW = 40


@dataclass(eq=False)
class Failures:
    """Errors in a row. One success wipes them out."""

    limit: int
    before: int  # errors in a row that earlier visits ended with
    _row: list[Obstacle] = field(default_factory=list)
    total: int = 0
    longest_wait: float | None = None  # what the site asked for, in seconds

    @property
    def in_a_row(self) -> int:
        return self.before + len(self._row)

    def success(self) -> None:
        self._row.clear()
        self.before = 0

    def relax(self) -> None:
        """The site answers, only these fail: a row may be twice as long before it is asked again."""
        self.success()
        self.limit = max(self.limit, min(2 * self.limit, _LONGEST_ROW))

    def add(self, obstacle: Obstacle, retry_after: float | None = None) -> None:
        self._row.append(obstacle)
        self.total += 1
        if retry_after is not None:
            self.longest_wait = max(self.longest_wait or 0.0, retry_after)

    def verdict(self) -> Obstacle | None:
        """The most frequent obstacle, once there were too many errors in a row; the latest decides a tie."""
        return self.worst() if self.in_a_row >= self.limit else None

    def worst(self) -> Obstacle | None:
        """The most frequent obstacle of the present row; none without one."""
        counted = Counter(reversed(self._row))
        return counted.most_common(1)[0][0] if counted else None


# Of what fails for a passing reason, and of what the site refuses: in all, and in one visit.
_ATTEMPTS, _ATTEMPTS_REFUSED = (3, 2), (2, 1)


class Retry(NamedTuple):
    """What follows a failed attempt."""

    ends: bool = False  # it is not asked for again
    back: GivenBack | None = None  # it waits at once; none: with the end of the visit
    blocks: bool = False  # it alone blocks the domain: a start page that fails again and again


@dataclass(eq=False)
class Retries:
    """Which URLs are asked for again after they failed for a passing reason, in this visit or another.

    Three attempts over at least two visits, then a page ends; two, where the site refuses it. The start
    page is different: a domain whose start page was never had is not crawled to its end, so that page
    stays waiting until it is had.
    """

    _failures: Failures
    _here: dict[int, int] = field(default_factory=dict)  # attempts of this visit
    postponed: list[GivenBack] = field(default_factory=list)
    had_start: bool = False  # the start page was answered once, or is not ours to ask for
    start_fails: bool = False  # and it failed as often as any page may

    def failed(self, taken: Taken, status: int | None = None) -> Retry:
        """An attempt failed, with this answer or without any."""
        here = self._here[taken.key] = self._here.get(taken.key, 0) + 1
        attempts = taken.attempts + 1
        most, most_here = _ATTEMPTS_REFUSED if is_refusal(status) else _ATTEMPTS
        is_last = attempts >= most and attempts > here
        must_be_had = self._must_be_had(taken)
        if is_last and not must_be_had:
            return Retry(ends=True)
        if is_last or here >= most_here:
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
        """Failed twice, in this visit or in two."""
        return any(back.key == url_key(START) and back.attempts > 1 for back in self.postponed)

    def _must_be_had(self, taken: Taken) -> bool:
        """A start page that was never had, or that fails while nothing else was answered."""
        if taken.target != START:
            return False
        return not self.had_start or self._failures.in_a_row >= _ATTEMPTS[0]

    def _postpone(self, taken: Taken, attempts: int) -> None:
        """To another visit."""
        self.start_fails = self.start_fails or (taken.target == START and attempts >= _ATTEMPTS[0])
        self.postponed.append(GivenBack(taken.key, attempts, True))


# What failed twice in a visit is tried again on another one, not sooner than this (seconds).
ANOTHER_VISIT = 3600.0
# This machine had no network: soon again, and nothing is held against the site (seconds).
NETWORK_BACK = 900.0
# A start page that failed three times over two visits, on a site that answers otherwise (seconds).
ANOTHER_DAY = 86_400.0


@dataclass(eq=False)
class Outcomes:
    """What a visit comes to: one way to say each ending, with what politeness and errors leave behind."""

    _clock: Clock
    _pace: Throttle
    _failures: Failures
    _run_id: UUID
    pages: int = 0  # that were answered, one way or another
    images: int = 0
    successes: int = 0
    has_kept: bool = False  # a page was stored, now or before

    @property
    def has_any(self) -> bool:
        """Whether anything was had."""
        return self.pages > 0 or self.images > 0

    def interrupted(self) -> Outcome:
        return self._outcome(stopped_by="interrupt")

    def handed_over(self) -> Outcome:
        """Another worker goes on with it."""
        return self._outcome(stopped_by="shared")

    def broken(self) -> Outcome:
        """A mistake of ours: the domain is left alone for a while, so that others get their turn."""
        return self._outcome(stopped_by="internal_error", due_in_seconds=ANOTHER_VISIT)

    def robots_shut(self, state: str, wait: float) -> Outcome:
        """robots.txt cannot be read, or asks to come later: nothing may be fetched before."""
        return self._outcome(stopped_by=f"robots_{state}", due_in_seconds=wait, next_fetch_seconds=wait)

    def used_up(self, budget: str) -> Outcome:
        return self._outcome(stopped_by=budget)

    def refused(self) -> Outcome | None:
        """Blocked, if the site gave nothing but errors."""
        worst = self._failures.worst()
        if worst is None or self.successes:
            return None
        return self.blocked(worst, "nothing else was answered")

    def without_start_page(self, *, again_soon: bool) -> Outcome:
        """Nothing else waits; but a domain whose start page was never had is not crawled to its end."""
        wait = ANOTHER_VISIT if again_soon else ANOTHER_DAY
        return self.refused() or self._outcome(stopped_by="no_start_page", due_in_seconds=wait)

    def exhausted(self, postponed: bool) -> Outcome:
        """Nothing waits any more. A site that gave nothing but errors is blocked, not crawled to its end."""
        if (blocked := self.refused()) is not None:
            return blocked
        if postponed:
            return self._outcome(stopped_by="retry_later", due_in_seconds=ANOTHER_VISIT)
        return self._outcome(
            status=CrawlStatus.EXHAUSTED, stopped_by=None if self.has_kept or self.images else "nothing_kept"
        )

    def unreachable(self, error: NetError) -> Outcome:
        obstacle = of_code(error.code)
        if obstacle is None:  # the guard, or our own machine: not the site's fault
            wait = NETWORK_BACK if error.code == Reason.NO_NETWORK else ANOTHER_VISIT
            return self._outcome(stopped_by=error.code, due_in_seconds=wait)
        return self.blocked(obstacle, error.detail)

    def blocked(self, obstacle: Obstacle, detail: str | None) -> Outcome:
        wait = self._failures.longest_wait
        return self._outcome(
            status=COOLDOWNS[obstacle].status,
            obstacle=obstacle,
            detail=detail,
            retry_after=None if wait is None else timedelta(seconds=wait),
            stopped_by=obstacle,
            crawled=True,
        )

    def _outcome(self, **known: Any) -> Outcome:
        ticks = self._clock.ticks()
        values: dict[str, Any] = {
            "status": CrawlStatus.ACTIVE if self.has_any else None,
            "next_fetch_seconds": max(0.0, self._pace.next_at(ticks) - ticks),
            "consecutive_errors": self._failures.in_a_row,
            "run_id": self._run_id,
            "crawled": self.has_any or self._failures.total > 0,
        }
        return Outcome(**(values | known))
