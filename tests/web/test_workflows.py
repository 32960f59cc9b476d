"""A city's directory end to end, as people use it: a browser, a crawl that runs by itself, real sites."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from surveyor.bootstrap.workspace import Workspace, open_workspace
from surveyor.people import Hasher
from surveyor.people import service as people
from surveyor.registry.actors import Actor, Role
from surveyor.registry.workers import any_at_work
from surveyor.review.decisions import Decision, Target, Verb, decide
from surveyor.smallweb import SmallWeb, in_thread
from tests.support.cli_help import start, surveyor
from tests.support.review_help import name_it
from tests.web import chromium
from tests.web.serving import Served, serve
from tests.web.tasks import task
from tests.web.world import ADA, PASSWORD, QUICK

pytestmark = [
    chromium.needed,
    pytest.mark.xdist_group("browser"),
]
_PATIENCE_SECONDS = 120.0
_LOOK_SECONDS = 0.3
# Fifty pages: long enough to be stopped twice.
LARGE = "open-programmes.example"


@dataclass(frozen=True)
class Town:
    """Sites, a register, a crawl that goes on, and the admin."""

    web: SmallWeb
    served: Served
    browser: Browser
    crawl: subprocess.Popen[bytes]

    def somebody(self) -> Page:
        return self.browser.new_context(base_url=self.served.url).new_page()

    def admin(self) -> Page:
        page = self.somebody()
        page.goto("/login")
        page.fill("[name=name]", "ada")
        page.fill("[name=password]", PASSWORD)
        page.press("[name=password]", "Enter")
        expect(page.locator("h1")).to_have_text("Overview")
        return page

    def asked(self, host: str) -> list[str]:
        return [one.target for one in self.web.asked if one.host == host]


async def _staff(workspace: Workspace) -> None:
    hasher = Hasher(QUICK)
    try:
        await people.add_user(workspace.db, hasher, "ada", Role.ADMIN, PASSWORD, Actor.operator())
    finally:
        hasher.close()


async def _prepare(folder: Path) -> None:
    async with open_workspace(folder) as workspace:
        await _staff(workspace)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("town") / "w"
    assert surveyor("init", folder, "--profile", "community").code == 0
    asyncio.run(_prepare(folder))
    with in_thread() as web, _led_to(web), serve(folder) as served, chromium.browser() as browser:
        object.__setattr__(served.app.state.surveyor, "hasher", Hasher(QUICK))
        crawl = start("crawl", "--continuous", workspace=folder, **web.environment(delay_seconds=0.02))
        try:
            yield Town(web, served, browser, crawl)
            crawl.send_signal(signal.SIGINT)
            _, told = crawl.communicate(timeout=60)
            assert crawl.returncode == 0, told
        finally:
            crawl.kill()
            crawl.communicate()


@contextmanager
def _led_to(web: SmallWeb) -> Iterator[None]:
    """The admin knows the search engine too, and says what it costs."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in web.environment(delay_seconds=0.3).items():
            patch.setenv(name, value)
        yield


def until(happened: Callable[[], object], what: str) -> None:
    ends = time.monotonic() + _PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < ends, f"not within two minutes: {what}"
        time.sleep(_LOOK_SECONDS)


def shows(page: Page, address: str, text: str) -> None:
    """Load a page again, as a person would, until it says something."""

    def look() -> bool:
        page.goto(address)
        return page.get_by_text(text).count() > 0

    until(look, f"{text!r} on {address}")


def submit(page: Page, text: str, context: str = "") -> None:
    page.goto("/submit")
    page.fill("[name=text]", text)
    page.fill("[name=context]", context)
    page.click("button:text-is('Submit')")
    expect(page.locator(".notice")).to_be_visible()


def approve_next(admin: Page, name: str) -> None:
    """The domain that stands first in the queue, with one key."""
    admin.goto("/review")
    expect(admin.locator('[data-row][aria-current="true"] .domain')).to_have_text(name)
    admin.keyboard.press("a")
    expect(admin.locator("[data-done]")).to_contain_text(f"{name}: approved")


def test_a_domain_that_somebody_names_is_approved_with_one_key_and_its_records_appear(town: Town) -> None:
    visitor, admin = town.somebody(), town.admin()
    submit(visitor, "https://www.foodbank.example/", "They feed half of our street.")
    expect(visitor.locator(".notice")).to_contain_text("submitted for review")
    assert town.asked("foodbank.example") == []
    approve_next(admin, "foodbank.example")
    shows(admin, "/domains/foodbank.example", "Millbrook Food Pantry")
    shows(admin, "/domains/foodbank.example/pages?state=done", "/get-food")
    assert not [target for target in town.asked("foodbank.example") if target.startswith("/staff")]
    admin.goto("/domains/foodbank.example")
    expect(admin.locator("#contacts")).to_be_attached()
    admin.get_by_role("link", name="Millbrook Food Pantry").first.click()
    expect(admin.locator("h1")).to_contain_text("published")
    expect(admin.locator("table.fields")).to_contain_text("+16095550142")
    expect(admin.locator(".text mark").first).to_be_visible()
    admin.goto("/records?kind=service")
    expect(admin.locator("[data-row]").first).to_contain_text("foodbank.example")


def test_a_url_of_an_unknown_domain_is_remembered_and_fetched_after_approval(town: Town) -> None:
    visitor, admin = town.somebody(), town.admin()
    submit(visitor, "http://rosa-bakery.example/orders?from=flyer")
    expect(visitor.locator(".notice")).to_contain_text("would you like to submit it for review?")
    visitor.click("text=Submit rosa-bakery.example for review")
    expect(visitor.locator(".notice")).to_contain_text("submitted for review")
    admin.goto("/domains/rosa-bakery.example/pages?state=waiting")
    expect(admin.get_by_text("/orders?from=flyer")).to_have_count(1)
    assert town.asked("rosa-bakery.example") == []
    approve_next(admin, "rosa-bakery.example")
    shows(admin, "/domains/rosa-bakery.example/pages?state=done", "/orders?from=flyer")
    assert "/orders?from=flyer" in town.asked("rosa-bakery.example")


def test_a_url_of_a_trusted_domain_is_fetched_without_review(town: Town) -> None:
    async def trust(workspace: Workspace) -> None:
        for verb in (Verb.APPROVE, Verb.TRUST):
            await decide(workspace.db, Decision(verb, ADA), [Target("corner-barber.example")])

    visitor = town.somebody()
    submit(visitor, "corner-barber.example")
    town.served.run(trust)
    submit(visitor, "http://corner-barber.example/?from=flyer")
    expect(visitor.locator(".notice")).not_to_contain_text("review")
    until(lambda: "/?from=flyer" in town.asked("corner-barber.example"), "the page of the flyer is fetched")
    admin = town.admin()
    admin.goto("/review")
    expect(admin.locator("main")).to_contain_text("Nothing waits")


def test_a_search_is_started_watched_and_judged_and_a_run_is_stopped_and_resumed(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Last here: the crawl beside would take the domain that the job is to crawl, so it ends first."""
    for name, value in town.web.environment(delay_seconds=0.3).items():
        monkeypatch.setenv(name, value)  # for jobs, which the admin's own process starts
    until(lambda: town.served.run(lambda workspace: any_at_work(workspace.db)), "the crawl beside began")
    town.crawl.send_signal(signal.SIGINT)
    page = town.admin()
    with task(page, "Search, and see what was found and judged") as do:
        do.open("/jobs")
        do.click("summary:text-is('Search')")
        do.write("[name=queries]", "library")
        do.click("text=What will it cost?")
        expect(page.locator("main")).to_contain_text("searxng: about 0 credits")
        do.click("button:text-is('Search')")
        do.open("/jobs")
        do.click("text=Run waiting jobs here, once")
        do.click(page.locator("[data-row] a").first)
        expect(page.locator("h1 .tag")).to_have_text(re.compile("done|failed"), timeout=60_000)
        expect(page.locator("h1 .tag"), page.locator("main").inner_text()).to_have_text("done")
        do.click("text=What it found, best first")
        expect(page.locator("[data-row]").first).to_be_visible()
    town.crawl.wait(60)
    town.served.run(_let_crawl)
    with task(page, "Start a crawl, pause it and let it go on") as do:
        do.open("/runs")
        do.click("text=due now")
        page.locator("text=Its run").wait_for(timeout=60_000)
        do.click("text=Its run")
        until(lambda: town.asked(LARGE), "it is crawled")
        do.click("button:text-is('Pause')")
        expect(page.locator("button:text-is('Resume')")).to_be_visible(timeout=60_000)
        before = len(town.asked(LARGE))
        assert before < 40, "it was paused in the middle"
        do.click("button:text-is('Resume')")
        until(lambda: len(town.asked(LARGE)) > before, "it goes on where it was")
    with task(page, "Stop a run after its current pages") as do:
        do.open("/runs")
        do.click("[data-row] a")
        do.click("text=Stop after current pages")
        expect(page.locator("main")).to_contain_text("stopped by interrupt", timeout=60_000)
    asked = [target for target in town.asked(LARGE) if "robots" not in target and "sitemap" not in target]
    assert len(asked) == len(set(asked)), "no page was asked for twice"


async def _let_crawl(workspace: Workspace) -> None:
    await name_it(workspace.db, LARGE)
    await decide(workspace.db, Decision(Verb.APPROVE, ADA), [Target(LARGE)])
