"""A domain that is another's goes back to a person before anything of it is kept; an honest one does not."""

from __future__ import annotations

import pytest

from surveyor.registry.events import EventKind
from tests.journey.crawl.conftest import MakeCrawl
from tests.journey.refresh.conftest import HOST, MakeRefreshed, Refreshed
from tests.support.site import SiteGraph, SiteSpec


def _back_in_review(site: Refreshed, *, was_trusted: bool = False) -> dict[str, object]:
    """The evidence; without trust, never due, and nothing that was fetched is kept."""
    found = site.domain()
    assert (found["review_status"], found["is_trusted"], found["due_at"]) == ("pending_review", False, None)
    assert found["stage"] == "awaiting_review" and found["submission_context"]
    told = {event["kind"]: event for event in reversed(found["events"])}
    data: dict[str, object] = told[EventKind.DOMAIN_BACK_IN_REVIEW]["data"]
    if was_trusted:
        assert told[EventKind.TRUST_WITHDRAWN]["data"] == data
    assert found["claimed_by"] is None
    return data


@pytest.mark.parametrize(
    ("look", "sign"),
    [
        ("parked:de", "parking_page"),
        ("away:302:https://elsewhere.example/", "redirect_foreign"),
        ("sold", "unlike_before"),
    ],
    ids=["parked", "away", "sold"],
)
def test_a_trusted_domain_that_became_anothers_loses_its_trust_first(
    make_refreshed: MakeRefreshed, look: str, sign: str
) -> None:
    site = make_refreshed(validators="etag")
    assert site.crawl.run("trust", HOST).code == 0
    before, versions, first, logged = site.pages(), site.versions(), site.requests, site.logged()
    site.tell(look=look)
    site.pass_days()
    site.run("refresh")
    assert _back_in_review(site, was_trusted=True)["sign"] == sign
    assert site.versions() == versions
    kept = {target: row.content_hash for target, row in site.pages().items()}
    assert {target: row.content_hash for target, row in before.items()} == kept
    assert 1 <= site.requests - first <= 4, "it was noticed at once"
    assert site.logged() > logged, "what was asked for can be looked up"
    assert site.run("refresh")["pages"] == site.run("crawl")["pages"] == 0


def test_an_honest_site_keeps_its_place(make_refreshed: MakeRefreshed) -> None:
    site = make_refreshed(validators="none")
    for look in ("redesigned", "away:302:https://login.site.example/", "usual", "moved"):
        site.tell(look=look)
        site.pass_days()
        site.run("refresh")
        found = site.domain()
        assert (found["review_status"], found["crawl_status"]) == ("approved", "exhausted"), look


def test_one_page_that_is_unlike_itself_is_no_reason(make_refreshed: MakeRefreshed) -> None:
    site = make_refreshed(validators="none")
    site.tell(look="festive")
    site.pass_days(only="/")
    site.run("refresh")
    found = site.domain()
    assert (found["review_status"], found["crawl_status"]) == ("approved", "exhausted")
    assert site.versions()[site.pages()["/"].key] == 2, "in doubt it is kept"


def test_a_person_who_says_yes_again_is_heard(make_refreshed: MakeRefreshed) -> None:
    site = make_refreshed(validators="none")
    site.tell(look="sold")
    site.pass_days()
    site.run("refresh")
    _back_in_review(site)
    assert site.crawl.run("approve", HOST).code == 0
    assert site.run("crawl")["pages"] >= 7
    found = site.domain()
    assert (found["review_status"], found["crawl_status"]) == ("approved", "exhausted")
    assert site.pages()["/play/1"].state == "done"
    # From then on it is held to what it is now.
    site.tell(look="parked:en")
    site.pass_days()
    site.run("refresh")
    assert _back_in_review(site)["sign"] == "parking_page"


def test_what_is_asked_for_again_is_held_back_too(make_refreshed: MakeRefreshed) -> None:
    site = make_refreshed()
    site.tell(look="parked:en")
    assert site.crawl.run("recrawl", HOST).code == 0
    site.run("crawl")
    assert _back_in_review(site)["sign"] == "parking_page"


def test_a_domain_that_is_parked_from_the_first_is_asked_about(make_crawl: MakeCrawl) -> None:
    graph = SiteGraph(seed=1, hosts=1, pages_per_host=2, depth=1, strangers=0)
    crawl = make_crawl(SiteSpec(graph, special={HOST: {"kind": "living"}}), HOST)
    crawl.site.tell(HOST, look="parked:bg")
    site = Refreshed(crawl)
    site.run("crawl")
    assert _back_in_review(site)["sign"] == "parking_page"
    assert site.versions() == {}
