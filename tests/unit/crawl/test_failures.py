"""Which errors a page ends with, in all the places that must know them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from surveyor.crawl.failures import PAGE_ITSELF, of_answer
from surveyor.crawl.results import PageReason
from surveyor.db.migrations import first_guards
from surveyor.registry.cooldowns import Obstacle
from surveyor.registry.store import requeue


def test_the_register_knows_all_reasons_of_pages_that_failed() -> None:
    assert set(requeue.FAILED) == {PageReason.FAILED, *PAGE_ITSELF}
    assert requeue.FAILED == first_guards.FAILED


@dataclass
class Blank:
    headers: dict[str, str]
    status: int = 200
    body: bytes = b" \n"


@pytest.mark.parametrize("kind", [None, "text/html; charset=utf-8", "Text/HTML", "application/xhtml+xml"])
def test_a_page_without_a_sign_is_an_error_of_the_server(kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    assert of_answer(Blank(headers)) is Obstacle.SERVER_ERRORS  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["text/plain", "image/gif", "application/json", "text/css"])
def test_what_says_that_it_is_no_page_may_be_empty(kind: str) -> None:
    assert of_answer(Blank({"Content-Type": kind})) is None  # type: ignore[arg-type]
