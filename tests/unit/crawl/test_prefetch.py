"""What a visit knows without asking the database."""

from __future__ import annotations

from surveyor.crawl.prefetch import SeenUrls
from surveyor.crawl.session import Site
from surveyor.names import parse_url


def test_a_target_is_met_once_and_again_only_on_a_shorter_way() -> None:
    known = SeenUrls()
    assert not known.was_met("/a", 2)
    assert known.was_met("/a", 2)
    assert known.was_met("/a", 3)
    assert not known.was_met("/a", 1)
    assert known.was_met("/a", 2)


def test_targets_are_forgotten_when_there_are_too_many_and_keys_are_not() -> None:
    known = SeenUrls()
    known.was_met("/first", 0)
    assert known.add(7, 0)
    for number in range(SeenUrls.MOST_TARGETS):
        known.was_met(f"/{number}", 0)
    assert not known.was_met("/first", 0)
    assert not known.add(7, 0) and not known.add(7, 1)


def test_a_page_of_a_site_is_what_its_address_parses_to() -> None:
    site = Site("example.org", "https://www.example.org/")
    for target in ("/", "/a/b.html?x=1&y=%20", "/caf%C3%A9"):
        assert site.page(target) == parse_url(site.url(target))


def test_pages_follow_a_site_that_moves() -> None:
    site = Site("example.org", "http://example.org/")
    assert site.page("/a").text == "http://example.org/a"
    assert site.moved(parse_url("https://www.example.org/"))
    assert site.page("/a").text == "https://www.example.org/a"
