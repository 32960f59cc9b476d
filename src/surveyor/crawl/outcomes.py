"""What a visit comes to: one way to say each ending, with what politeness and errors leave behind."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from surveyor.clock import Clock
from surveyor.crawl.failures import Failures, of_code
from surveyor.errors import NetError
from surveyor.net.reasons import Reason
from surveyor.net.throttle import Throttle
from surveyor.registry.cooldowns import COOLDOWNS, Obstacle
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store.release import Outcome

# What failed twice in a visit is tried again on another one, not sooner than this (seconds).
ANOTHER_VISIT = 3600.0
# This machine had no network: soon again, and nothing is held against the site (seconds).
NETWORK_BACK = 900.0
# A start page that failed three times over two visits, on a site that answers otherwise (seconds).
ANOTHER_DAY = 86_400.0


class Outcomes:
    def __init__(self, clock: Clock, pace: Throttle, troubles: Failures, run_id: UUID) -> None:
        self._clock, self._pace, self._troubles, self._run_id = clock, pace, troubles, run_id
        self.pages = 0  # that were answered, one way or another
        self.images = 0
        self.successes = 0

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
        worst = self._troubles.worst()
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
        return self._outcome(status=CrawlStatus.EXHAUSTED)

    def unreachable(self, error: NetError) -> Outcome:
        obstacle = of_code(error.code)
        if obstacle is None:  # the guard, or our own machine: not the site's fault
            wait = NETWORK_BACK if error.code == Reason.NO_NETWORK else ANOTHER_VISIT
            return self._outcome(stopped_by=error.code, due_in_seconds=wait)
        return self.blocked(obstacle, error.detail)

    def blocked(self, obstacle: Obstacle, detail: str | None) -> Outcome:
        wait = self._troubles.longest_wait
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
            "consecutive_errors": self._troubles.in_a_row,
            "run_id": self._run_id,
            "crawled": self.has_any or self._troubles.total > 0,
        }
        return Outcome(**(values | known))
