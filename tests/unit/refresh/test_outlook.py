"""What people are told of the next visit of a page."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from surveyor.refresh.due import PageOutlook

PAGE = PageOutlook("/a", datetime(2026, 11, 27, tzinfo=UTC), 168.0, 0.0, 0.0, False, False, 0)


def test_a_page_is_told_its_interval_and_a_list_that_it_has_none() -> None:
    assert PAGE.why() == "every 7 days: nothing is known yet"
    assert replace(PAGE, interval_hours=0.0).why() == "at the usual interval: it is no page, it names pages"
