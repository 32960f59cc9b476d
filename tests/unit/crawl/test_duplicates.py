"""A page is a duplicate only of one that was seen to say the same."""

from __future__ import annotations

from surveyor.crawl.pages.handler import Texts
from surveyor.names import url_key


def test_the_same_text_stands_where_it_was_first_seen() -> None:
    texts = Texts()
    texts.remember(7, url_key("/a"))
    texts.remember(7, url_key("/b"))
    assert texts.stands_at(7, "/a")
    assert not texts.stands_at(7, "/b")
    assert not texts.stands_at(8, "/a")


def test_pages_without_text_are_nobodys_duplicates() -> None:
    texts = Texts()
    texts.remember(0, url_key("/a"))
    assert not texts.stands_at(0, "/a")
