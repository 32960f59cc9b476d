"""What a visit comes to when nothing waits any more."""

from __future__ import annotations

from uuid import uuid4

import pytest

from surveyor.clock import SystemClock
from surveyor.crawl.failures import ANOTHER_DAY, ANOTHER_VISIT, Failures, Outcomes
from surveyor.net.throttle import Throttle
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.lifecycle import CrawlStatus


def _endings(*errors: Obstacle, successes: int = 0) -> Outcomes:
    troubles = Failures(limit=5, before=0)
    for error in errors:
        troubles.add(error)
    endings = Outcomes(SystemClock(), Throttle(1.0, max_delay=60.0), troubles, uuid4())
    endings.successes = endings.pages = successes
    return endings


@pytest.mark.parametrize(("soon", "seconds"), [(True, ANOTHER_VISIT), (False, ANOTHER_DAY)])
def test_a_domain_whose_start_page_was_never_had_is_not_exhausted(soon: bool, seconds: float) -> None:
    outcome = _endings(Obstacle.SERVER_ERRORS, successes=3).without_start_page(again_soon=soon)
    assert (outcome.status, outcome.stopped_by) == (CrawlStatus.ACTIVE, "no_start_page")
    assert outcome.due_in_seconds == seconds


def test_a_site_that_gave_nothing_but_errors_is_blocked_by_the_most_frequent() -> None:
    errors = (Obstacle.TIMEOUT, Obstacle.FORBIDDEN, Obstacle.FORBIDDEN)
    for outcome in (
        _endings(*errors).exhausted(postponed=False),
        _endings(*errors).without_start_page(again_soon=True),
    ):
        assert (outcome.status, outcome.obstacle) == (CrawlStatus.BLOCKED, Obstacle.FORBIDDEN)


def test_where_something_was_answered_errors_do_not_block() -> None:
    assert (
        _endings(Obstacle.FORBIDDEN, successes=1).exhausted(postponed=False).status is CrawlStatus.EXHAUSTED
    )
    waits = _endings(Obstacle.FORBIDDEN, successes=1).exhausted(postponed=True)
    assert (waits.status, waits.stopped_by) == (CrawlStatus.ACTIVE, "retry_later")
