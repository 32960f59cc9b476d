"""Coming back: what changed is fetched, what did not costs next to nothing, what is new is found."""

from __future__ import annotations

import signal
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from tests.journey.refresh.conftest import HOST, MakeRefreshed

PAGES = 200


def test_unchanged_pages_are_answered_without_a_body(
    make_refreshed: MakeRefreshed, frontier: dict[str, str]
) -> None:
    site = make_refreshed(frontier, pages=PAGES, validators="date" if frontier else "etag")
    first, versions = site.requests, site.versions()
    assert site.run("refresh")["pages"] == 0, "nothing is due yet"
    site.pass_days()
    told = site.run("refresh")
    assert told["pages"] == PAGES + 1
    assert max(site.asked_since(first).values()) == 1
    statuses = Counter(entry.status for entry in site.crawl.site.log()[-PAGES - 1 :])
    assert statuses[304] >= 0.95 * PAGES
    assert site.versions() == versions, "no version was added"
    assert site.sightings() == {True}, "each was seen again"
    found = site.domain()
    assert (found["crawl_status"], found["frontier_size"]) == ("exhausted", 0)
    histories = site.histories()
    assert {(h.visits, h.changes) for h in histories.values()} == {(8, 0)}
    assert all(row.content_hash is not None for row in site.pages().values() if row.state == "done")
    assert site.crawl.run("db", "check").code == 0


def test_a_site_that_lives_is_followed(make_refreshed: MakeRefreshed, frontier: dict[str, str]) -> None:
    """Changed, unchanged, new, gone and come back, without a word from the site about what changed."""
    site = make_refreshed(frontier, validators="none")
    first, before = site.requests, site.pages()
    site.tell(changed=["/grants/0", "/youth/1"], gone=["/rivers/2", "/schools/3"], new=["/fresh/1"])
    site.pass_days(10)
    assert site.run("refresh")["pages"] == 14
    assert site.asked_since(first)["/fresh/1"] == 1, "a new page joined the frontier"
    after, histories = site.pages(), site.histories()
    changed = {target for target, history in histories.items() if history.changes}
    # All list their neighbours, so that a new one changes them all.
    assert changed == set(before) - {"/rivers/2", "/schools/3", "/sitemap.xml"}
    assert (after["/rivers/2"].state, after["/rivers/2"].reason) == ("ended", "not_found")
    assert histories["/fresh/1"].visits == 0

    second, versions = site.requests, site.versions()
    site.tell(back=["/schools/3"])
    for _ in range(3):
        site.pass_days(10)
        site.run("refresh")
    asked = site.asked_since(second)
    assert asked["/rivers/2"] == 2, "a page that is gone is looked for twice more"
    assert site.pages()["/rivers/2"].next_visit_at is None
    assert asked["/grants/0"] == 3
    assert site.pages()["/schools/3"].state == "done", "one that came back is kept"
    back = site.pages()["/schools/3"].key
    assert site.versions() - versions == {back: 1}, "the same content is no new version"
    steady = site.histories()["/grants/0"]
    assert steady.interval > histories["/grants/0"].interval, "what does not change is visited less often"
    found = site.domain()
    assert found["pages_crawled"] == found["pages_discovered"] == 14
    assert found["due_at"][:16] == min(
        f"{row.next_visit_at:%Y-%m-%dT%H:%M}" for row in site.pages().values() if row.next_visit_at
    ), "the domain is due with its first page"


def test_crawl_and_refresh_share_the_domains_between_them(make_refreshed: MakeRefreshed) -> None:
    site = make_refreshed(validators="etag")
    site.crawl.seed("h00.site.example")
    site.pass_days()
    refused = site.crawl.run("refresh", "h00.site.example")
    assert (refused.code, "not crawled to its end yet" in refused.err) == (1, True)
    refused = site.crawl.run("crawl", HOST)
    assert (refused.code, "`refresh` visits its pages that are due" in refused.err) == (1, True)
    assert site.run("refresh")["domains"] == 1
    assert site.crawl.requests("h00.site.example") == []
    site.pass_days()
    before = site.requests
    assert site.run("crawl")["domains"] == 1
    assert site.requests == before, "a domain at its end is not for a crawl"
    site.run("refresh")
    refused = site.crawl.run("refresh", HOST)
    assert (refused.code, "it is due at" in refused.err) == (1, True)


def test_budgets_hold_and_the_next_run_goes_on(
    make_refreshed: MakeRefreshed, frontier: dict[str, str]
) -> None:
    site = make_refreshed(frontier, pages=20)
    first = site.requests
    site.pass_days()
    assert site.run("refresh", "--max-pages", "5")["pages"] == 5
    assert site.run("refresh", "--max-pages-per-domain", "6")["pages"] == 6
    assert site.domain()["stopped_by"] == "budget_pages"
    assert site.run("refresh")["pages"] == 10
    assert (max(site.asked_since(first).values()), len(site.asked_since(first))) == (1, 21)
    found = site.domain()
    assert (found["crawl_status"], found["frontier_size"]) == ("exhausted", 0)


@pytest.mark.parametrize("ending", ["kill", "interrupt"])
def test_a_refresh_that_was_broken_off_goes_on_where_it_was(
    make_refreshed: MakeRefreshed, frontier: dict[str, str], engine_name: str, ending: str
) -> None:
    lease = {"SURVEYOR_CRAWL__LEASE_SECONDS": "2", "SURVEYOR_CRAWL__RENEW_SECONDS": "0.5"}
    site = make_refreshed(frontier, pages=60, validators="none")
    first = site.requests
    site.tell(new=["/late/1", "/late/2"])
    site.pass_days()
    process = site.crawl.start("refresh", SURVEYOR_CRAWL__DELAY_SECONDS="0.02", **lease)
    deadline = time.monotonic() + 200
    while site.requests < first + 20:
        assert time.monotonic() < deadline, "the refresh does not get going"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL if ending == "kill" else signal.SIGINT)
    process.communicate(timeout=200)
    assert process.returncode == (-signal.SIGKILL if ending == "kill" else 0)
    assert site.requests < first + 61, "it was broken off too late"
    if ending == "kill" and engine_name == "postgresql":
        time.sleep(2.1)  # there a dead worker's lease ends by time
    site.run("refresh")
    asked = site.asked_since(first)
    assert len(asked) == 63
    repeats = sum(asked.values()) - len(asked)
    assert repeats <= (32 if ending == "kill" else 0), "no more than what was in flight"
    histories = site.histories()
    assert {(h.visits, h.changes) for target, h in histories.items() if "late" not in target} == {(8, 8)}
    found = site.domain()
    assert (found["crawl_status"], found["frontier_size"]) == ("exhausted", 0)
    assert site.crawl.run("db", "check").code == 0


def test_sitemap_dates_are_followed_once_they_proved_right(
    make_refreshed: MakeRefreshed, frontier: dict[str, str]
) -> None:
    site = make_refreshed(frontier, sitemap=True)
    named = ["/grants/0", "/youth/1", "/rivers/2", "/schools/3", "/museums/4"]
    late, soon = (f"{datetime.now(UTC) + timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}" for hours in (-24, 1))

    def change_one_and_read_the_map(target: str) -> Counter[str]:
        before = site.requests
        site.tell(changed=[target], dates={target: soon})
        site.pass_days(1, only="/sitemap.xml")
        site.run("refresh")
        return site.asked_since(before)

    assert change_one_and_read_the_map("/seniors/5") == {}, "nobody knows yet what the map is worth"
    site.tell(changed=named, dates=dict.fromkeys([*named, "/seniors/5"], late))
    site.pass_days()
    site.run("refresh")
    assert site.domain()["refresh"]["believes_lastmod"] is True
    assert change_one_and_read_the_map("/grants/6") == {"/grants/6": 1}
    assert "sitemap dates" in site.crawl.run("why", HOST).out
