"""A page is a duplicate only of one that was seen to say the same."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from surveyor.crawl.detect import Detector
from surveyor.crawl.pages.handler import PageHandler
from surveyor.crawl.pages.html import read_page
from surveyor.crawl.pages.response import PageAnswer
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.results import PageResult
from surveyor.crawl.sitemaps.handler import SitemapDates
from surveyor.frontier.changes import Taken
from surveyor.names import canonical_domain, parse_url, url_key

WORDS = "<p>Grants for schools in the valley, twice a year, for whoever asks."


def handler() -> PageHandler:
    """With nobody to ask: what it reads is given to it."""
    nobody: Any = None
    return PageHandler(nobody, nobody, Detector(), SitemapDates(), "never")


def reason(pages: PageHandler, target: str, html: str, canonical: str | None = None) -> str | None:
    facts = read_page(
        html,
        parse_url(f"https://example.org{target}"),
        Scope(canonical_domain("example.org")),
        agent_token="surveyor",
    )
    taken = Taken(url_key(target), target, 1, 0, 0, 0, None, None)
    result = PageResult(taken.key, target, target, 1, "done", datetime.now(UTC))
    pages._store(taken, PageAnswer(result, facts=facts, canonical=canonical))
    return result.reason


def test_the_same_text_stands_where_it_was_first_seen() -> None:
    pages = handler()
    assert reason(pages, "/a", WORDS) is None
    assert reason(pages, "/b", WORDS) is None
    assert reason(pages, "/c", WORDS, canonical="/b") is None
    assert reason(pages, "/d", f"{WORDS} And prizes.", canonical="/a") is None
    assert reason(pages, "/e", WORDS, canonical="/a") == "duplicate"


def test_pages_without_text_are_nobodys_duplicates() -> None:
    pages = handler()
    assert reason(pages, "/a", "<img src=/a.jpg>") is None
    assert reason(pages, "/b", "<img src=/b.jpg>", canonical="/a") is None
