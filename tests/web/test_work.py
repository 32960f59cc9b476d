"""A curator's day in a real Chromium: whole tasks, none of them with a command line."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from surveyor.bootstrap.workspace import Workspace
from surveyor.profiles import files
from surveyor.registry.actors import SYSTEM
from surveyor.registry.candidates import CandidateStatus
from surveyor.registry.store import candidates as candidate_store
from surveyor.review import queries
from surveyor.review.candidates import decide
from tests.support.registry_help import add_domain
from tests.support.review_help import found
from tests.web import chromium, world
from tests.web.serving import Served
from tests.web.tasks import task
from tests.web.test_browser import names, page_of, session, status

__all__ = ["page_of", "session"]
pytestmark = [
    chromium.needed,
    pytest.mark.xdist_group("browser"),
]
Opener = Callable[..., Page]


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    with chromium.browser() as browser:
        yield browser


async def _twenty_wait(workspace: Workspace) -> None:
    for number in range(20):
        domain = await add_domain(workspace.db, f"many{number:02}.example")
        new = world.candidate_of(domain.domain, "0.95")
        async with workspace.db.write() as tx:
            made = await candidate_store.add(tx, domain.no, new, SYSTEM)
            await candidate_store.advance_candidate(tx, made, CandidateStatus.PENDING_REVIEW, SYSTEM)


async def _decided(workspace: Workspace) -> list[str]:
    found: list[str] = []
    for each in (CandidateStatus.APPROVED, CandidateStatus.REJECTED):
        listed = await queries.list_candidates(workspace.db, each, 100)
        found += [f"{one.domain} {each}" for one in listed if one.domain.startswith("many")]
    return sorted(found)


def keep_a_reason(page: Page) -> None:
    """On the key 1, once for all tests of this place."""
    page.goto("/review")
    if not page.locator("[data-reason]").count():
        page.locator(".reasons summary").click()
        page.fill(".reasons [name=name]", "too far away")
        page.click("text=Save on 1")


def test_twenty_candidates_are_decided_with_twenty_keys(page_of: Opener, place: Served) -> None:
    place.run(_twenty_wait)
    page = page_of()
    keep_a_reason(page)
    with task(page, "Decide on 20 candidates") as do:
        do.open("/candidates")
        do.click("text=Take the next one")
        for number in range(20):
            expect(page.locator("#desk .what .domain").first).to_have_text(f"many{number:02}.example")
            do.press("1" if number % 4 == 3 else "a")
        expect(page.locator("#desk .what .domain").first).to_have_text("rila.example")
    decided = place.run(_decided)
    assert len(decided) == 20
    assert [each for each in decided if each.endswith("rejected")] == [
        f"many{number:02}.example rejected" for number in (3, 7, 11, 15, 19)
    ]
    with task(page, "Take the last decision back") as do:
        do.press("u")
        expect(page.locator("#desk .what .domain").first).to_have_text("many19.example")
    assert len(place.run(_decided)) == 19
    page.keyboard.press("s")
    expect(page).to_have_url(f"{place.url}/candidates")  # nothing waits behind it
    expect(page.locator("#notices")).to_contain_text("many19.example: skipped, it waits")
    page.locator("[data-row]", has_text="many19.example").locator("button").click()
    page.select_option("[name=to]", "rita")
    page.fill("[name=notes]", "she knows them")
    page.click("text=Save notes")
    expect(page.locator("[name=notes]")).to_have_value("she knows them")
    page.select_option("[name=to]", "rita")
    page.click("button:text('Assign')")
    expect(page.locator("#notices")).to_contain_text("is with rita now")
    assert page.evaluate("() => document.querySelectorAll('#desk').length") == 1


def test_a_candidate_that_another_decided_on_or_that_did_not_arrive_is_told(
    page_of: Opener, place: Served, there: world.World
) -> None:
    page = page_of(refused=True)
    page.goto(f"/candidates/{there.candidate}")
    if page.locator("text=Take it").count():
        page.click("text=Take it")
        expect(page.locator("text=Take it")).to_have_count(0)
    # Until the desk is taken for its own by htmx, a key would send its form as without scripts.
    page.wait_for_function("!document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')")
    page.wait_for_timeout(200)
    page.context.set_offline(True)
    page.keyboard.press("a")
    expect(page.locator("[data-unsaved]")).to_contain_text("Not saved")
    place.run(lambda workspace: decide(workspace.db, there.candidate, False, world.ADA, "a shop"))
    page.context.set_offline(False)
    expect(page.locator("main")).to_contain_text("was rejected by ada")


def test_a_row_shows_its_evidence_and_more_of_it_beside_the_queue(page_of: Opener, place: Served) -> None:
    page = page_of()
    keep_a_reason(page)
    row = page.locator("[data-row]:has-text('wait0.example')")
    expect(row.locator("[data-visit]")).to_have_attribute("href", "https://wait0.example/")
    expect(row.locator(".judges")).to_contain_text("keywords 0.74 grant, apply, deadline")
    while page.locator('[data-row][aria-current="true"] .domain').text_content() != "wait0.example":
        page.keyboard.press("j")
    page.keyboard.press(" ")
    expect(row.locator("details")).to_have_attribute("open", "")
    page.keyboard.press("o")
    expect(page.locator("#panel")).to_contain_text("names a place we look at")
    following = names(page)[names(page).index("wait0.example") + 1]
    page.keyboard.press("j")
    expect(page.locator("#panel h1")).to_contain_text(following)
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    left = int(str(page.locator("[data-count]").text_content()))
    page.keyboard.press("1")
    expect(page.locator("[data-done]")).to_contain_text(f"{following}: rejected")
    expect(page.locator("[data-count]")).to_have_text(str(left - 1))
    assert status(place, following) == "rejected"


def test_exactly_the_filtered_rows_are_sorted_kept_downloaded_and_changed(
    page_of: Opener, place: Served
) -> None:
    page = page_of()
    with task(page, "Download the filtered rows as CSV") as do:
        do.open("/domains")
        do.write("[data-search]", "ound1")
        do.choose("[name=review]", "pending_review")
        do.click("text=Show")
        expect(page.locator("h1")).to_contain_text("11 match")
        do.click("th >> text=Domain")
        listed = names(page)
        assert listed == sorted(listed) and len(listed) == 11
        with page.expect_download() as started:
            do.click("a:text-is('CSV')")
    rows = list(csv.DictReader(Path(started.value.path()).read_text(encoding="utf-8").splitlines()))
    assert sorted(row["domain"] for row in rows) == listed
    with page.expect_download() as started:
        page.click("text=JSON Lines")
    lines = Path(started.value.path()).read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["domain"] for line in lines) == listed
    page.fill("[aria-label='A name for this view']", "the ones")
    page.click("button:text-is('Save')")
    page.goto("/domains")
    page.click("text=the ones")
    expect(page.locator("[data-row]")).to_have_count(11)
    expect(page.locator("[data-bulk]")).to_be_hidden()
    page.check("[data-all]")
    expect(page.locator("[data-bulk]")).to_contain_text("Do to 11")
    page.select_option("[name=scope]", "matching")
    page.select_option("[name=verb]", "depth")
    page.fill("[name=value]", "2")
    page.click("text=Decide")
    expect(page.locator("h1")).to_contain_text("all 11 domains that match?")
    page.click("button.main")
    expect(page.locator("h1")).to_contain_text("11 done")
    assert place.run(lambda workspace: found(workspace.db, listed[0])).max_crawl_depth == 2
    assert place.run(lambda workspace: found(workspace.db, "found2.example")).max_crawl_depth != 2


def test_a_wrong_field_is_corrected_in_two_acts_and_a_record_is_hidden_merged_and_written(
    page_of: Opener, place: Served, there: world.World
) -> None:
    page = page_of(refused=True)
    page.goto(f"/records/{there.found.record}")
    row = page.locator("table.fields tr", has=page.get_by_label("Correct amount max"))
    with task(page, "Correct a wrong field") as do:
        do.click(row.locator(".pencil summary"))
        do.write(row.get_by_label("amount max", exact=True), "12000", then="Enter")
        expect(page.locator("#notices")).to_contain_text("corrected")
    expect(row).to_contain_text("12,000")
    expect(row).to_contain_text("by ada")
    expect(row).to_contain_text("the page says 8,000")
    expect(page.locator("#corrected ~ .wide tbody tr")).to_have_count(1)
    row.get_by_text("Use the page's value").click()
    expect(page.locator("table.fields")).to_contain_text("8,000")
    page.fill("[aria-label='Why it is hidden']", "a newsletter")
    page.click("text=Hide the record")
    expect(page.locator(".notice.bad")).to_contain_text("a newsletter")
    page.click("text=Unhide")
    page.goto(f"/domains/{there.domain}")
    page.click("text=Add a record")
    page.fill("[aria-label='Name of the record']", "Prize of the valley")
    page.select_option("[aria-label='Kind of the record']", "funding_program")
    page.click("button:text-is('Add')")
    expect(page.locator("h1")).to_contain_text("Prize of the valley")
    page.select_option("[aria-label='Field that is missing']", "deadline")
    page.fill("[aria-label='Value of the missing field']", "in June")
    page.click("text=Add the field")
    expect(page.locator("#notices")).to_contain_text("is a date")
    expect(page.locator("[aria-label='Value of the missing field']")).to_have_value("in June")
    page.fill("[aria-label='Value of the missing field']", "2027-06-30")
    page.click("text=Add the field")
    expect(page.locator("table.fields")).to_contain_text("2027-06-30")
    page.select_option("[aria-label='Record that is the same']", label="Small grants for villages")
    page.click("text=Merge records")
    expect(page.locator("table.fields")).to_contain_text("The Rila Foundation")


def test_names_are_imported_by_a_job_that_is_watched_to_its_end(page_of: Opener, place: Served) -> None:
    page = page_of(refused=True)
    page.goto("/jobs")
    page.click("summary:text-is('Search')")
    page.fill("[name=queries]", "grants for villages\nprizes")
    page.click("text=What will it cost?")
    expect(page.locator("h1")).to_have_text("Ask 2 queries?")
    page.click("text=Leave it")
    with task(page, "Import names, watched to the end, without `surveyor up`") as do:
        do.click("summary:text-is('Import names')")
        do.write("[name=text]", "newcomer.example")
        do.click("text=Import at once")
        expect(page.locator("h1 .tag")).to_have_text("queued")
        do.open("/jobs")
        expect(page.locator("#live")).to_contain_text("No surveyor up is running")
        do.click("text=Run waiting jobs here, once")
        do.click(page.locator("[data-row] a").first)
        expect(page.locator("h1 .tag")).to_have_text("done", timeout=60_000)
    assert status(place, "newcomer.example") == "pending_review"


def test_an_address_that_nobody_linked_to_says_why_and_is_fetched(
    page_of: Opener, there: world.World
) -> None:
    page = page_of()
    page.goto("/events")
    with task(page, "Ask why a page was not fetched, and fetch it") as do:
        do.press("Control+k")
        do.write("[data-find]", f"https://{there.domain}/nobody-links-here", then="Enter")
        expect(page.locator("main")).to_contain_text("no page that was fetched links to it")
        do.click("text=Fetch it now")
        expect(page.locator("main")).to_contain_text("waits to be fetched")
    page.goto(f"/why?url=https://{there.domain}/programmes/3?lang=en")
    expect(page.locator("main")).to_contain_text("deeper than the limit")
    page.get_by_role("button", name="Raise the depth").click()
    expect(page.locator("h1")).to_contain_text("set the depth")
    page.goto("/events")
    page.keyboard.press("/")
    page.keyboard.type("rila.ex")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("rila.example")


def test_two_duplicates_are_merged_and_a_domain_is_blacklisted_in_the_browser(page_of: Opener) -> None:
    page = page_of()
    page.goto("/domains/found8.example")
    with task(page, "Merge two duplicates") as do:
        do.click("text=Merge with another")
        do.write("[name=with]", "www.found9.example", then="Enter")
        do.click("text=Keep found8.example")
        expect(page.locator("#notices")).to_contain_text("found9.example was merged into found8.example")
    page.goto("/domains/found9.example")
    expect(page.locator("h1")).to_contain_text("found8.example")
    with task(page, "Keep a name out that nobody knows yet") as do:
        do.open("/blacklist")
        do.click("summary:text-is('Blacklist domains')")
        do.write("[name=domains]", "https://never.example/")
        do.write("form.stack [name=reason]", "a scam", then="Enter")
        do.click("button.main")
        expect(page.locator("h1")).to_contain_text("1 blacklisted")


def test_a_draft_of_the_profile_is_compared_made_active_and_taken_back(
    page_of: Opener, place: Served, tmp_path: Path
) -> None:
    file = tmp_path / "draft.toml"
    text = files.read("funding").decode()
    file.write_text(text.replace("threshold = 0.60", "threshold = 0.61", 1), encoding="utf-8")
    page = page_of()
    with task(page, "Compare a draft of the profile on decided domains and make it active") as do:
        do.open("/profile")
        do.click("text=Draft a change")
        page.locator("input[type=file]").set_input_files(file)
        expect(page.locator("#draft-text")).to_have_value(file.read_text(encoding="utf-8"))
        do.click("text=Compare it")
        expect(page.locator("main")).to_contain_text("threshold")
        expect(page.locator("main")).to_contain_text(re.compile("sides|nothing can be compared"))
        do.click("text=Make it active")
        expect(page.locator("#notices")).to_contain_text("is active; what was judged is judged again")
    expect(page.locator("main")).to_contain_text("in profile.toml now")
    with task(page, "Take the profile before it again") as do:
        do.click("text=Make it active again")
        expect(page.locator("main")).to_contain_text("the built-in funding now")
    page.goto("/events")
    expect(page.locator("td").get_by_text("Profile changed")).to_have_count(2)
