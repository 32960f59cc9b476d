"""Which errors a page ends with, in all the places that must know them."""

from __future__ import annotations

from surveyor.crawl.failures import PAGE_ITSELF
from surveyor.crawl.results import PageReason
from surveyor.db.migrations import first_guards
from surveyor.registry.store import requeue


def test_the_register_knows_all_reasons_of_pages_that_failed() -> None:
    assert set(requeue.FAILED) == {PageReason.FAILED, *PAGE_ITSELF}
    assert requeue.FAILED == first_guards.FAILED
