"""What a visit knows without asking the database."""

from __future__ import annotations

from surveyor.crawl.member import Delivery, Outbox
from surveyor.crawl.prefetch import Prefetch, SeenUrls
from surveyor.crawl.session import Site
from surveyor.frontier.changes import NewUrl, Taken
from surveyor.names import parse_url, url_key


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


def _answered(prefetch: Prefetch, *targets: str, box: Outbox) -> None:
    taken = [Taken(url_key(target), target, 0, 1, 0, 0, None, None) for target in targets]
    prefetch.receive(Delivery(box, taken, box.want))


def test_a_frontier_that_had_less_than_was_wanted_is_asked_again_only_when_something_came() -> None:
    prefetch = Prefetch(100)
    wanted = prefetch.ask(8, found_more=False)
    _answered(prefetch, "/", "/a", box=Outbox(want=wanted))
    assert prefetch.ask(8, found_more=False) == 0
    assert prefetch.why_empty() == "exhausted"
    assert prefetch.ask(8, found_more=True) == 6


def test_what_was_found_while_the_answer_was_under_way_is_asked_for() -> None:
    prefetch = Prefetch(100)
    wanted = prefetch.ask(8, found_more=False)
    _answered(prefetch, "/", box=Outbox(want=wanted))
    _answered(prefetch, box=Outbox(added=[NewUrl(url_key("/a"), "/a", 1, 1, None)]))
    assert prefetch.why_empty() is None
    assert prefetch.ask(8, found_more=False) == 7
