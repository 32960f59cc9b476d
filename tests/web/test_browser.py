"""The admin in a real Chromium: keys, filters, bulk acts, charts, colours, phones, no scripts, no faults."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from surveyor.bootstrap.workspace import Workspace
from surveyor.registry.store import rows
from surveyor.review.decisions import Decision, Target, Verb, decide
from tests.support.review_help import found
from tests.web import chromium, findings, screens
from tests.web.findings import field
from tests.web.routes import looks
from tests.web.serving import Served
from tests.web.world import PASSWORD, RITA, World
from tools.reference.sources import ROOT

pytestmark = [
    chromium.needed,
    pytest.mark.xdist_group("browser"),
]
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    with chromium.browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def session(opened: Browser, place: Served) -> dict[str, Any]:
    """The cookies of an admin who logged in through the form."""
    context = opened.new_context(base_url=place.url)
    page = context.new_page()
    page.goto("/review")
    page.fill("[name=name]", "ada")
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    expect(page).to_have_url(f"{place.url}/review")
    state = context.storage_state()
    context.close()
    return dict(state)


Opener = Callable[..., Page]
_FAULTS = ("error", "warning")
_IS_TOO_WIDE = "() => document.documentElement.scrollWidth > innerWidth"


@pytest.fixture
def page_of(opened: Browser, place: Served, session: dict[str, Any]) -> Iterator[Opener]:
    """A page of a logged in admin; at the end nothing was said on its console or asked of another host."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def make(*, refused: bool = False, **options: Any) -> Page:
        context = opened.new_context(base_url=place.url, storage_state=session, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        if not refused:  # a browser writes every refusal to its console
            page.on("console", lambda said: wrong.append(said.text) if said.type in _FAULTS else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        ours = (place.url, "data:")
        page.on("request", lambda asked: None if asked.url.startswith(ours) else wrong.append(asked.url))
        return page

    yield make
    for context in contexts:
        context.close()
    assert wrong == []


def names(page: Page) -> list[str]:
    return [text.strip() for text in page.locator("[data-row] .domain").all_text_contents()]


def status(place: Served, name: str) -> str:
    return str(place.run(lambda workspace: found(workspace.db, name)).review_status)


def test_the_queue_is_reviewed_from_the_keyboard(page_of: Opener, place: Served) -> None:
    page = page_of()
    page.goto("/review")
    first, second, third = names(page)[:3]
    chosen = page.locator('[data-row][aria-current="true"] .domain')
    expect(chosen).to_have_text(first)
    page.keyboard.press("a")
    expect(chosen).to_have_text(second)  # at once, before the answer
    expect(page.locator("[data-done]")).to_contain_text(f"{first}: approved")
    page.keyboard.press("r")
    page.keyboard.type("a shop")
    page.keyboard.press("Enter")
    expect(chosen).to_have_text(third)
    expect(page.locator("[data-done]").nth(1)).to_contain_text(f"{second}: rejected")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(chosen).to_have_text(third)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{place.url}/domains/{third}", timeout=30_000)  # the page is made first
    assert (status(place, first), status(place, second)) == ("approved", "rejected")


def test_a_refusal_is_told_and_the_row_stays(page_of: Opener, place: Served) -> None:
    page = page_of(refused=True)
    page.goto("/review")
    first = names(page)[0]
    place.run(lambda workspace: _decided_by_another(workspace, first))
    page.keyboard.press("a")
    row = page.locator(f"[data-row]:has-text('{first}')")
    expect(row).to_have_count(1)
    expect(row.locator(".notice")).to_contain_text("was changed since you looked")


async def _decided_by_another(workspace: Any, name: str) -> None:
    await decide(workspace.db, Decision(Verb.NO_FUNDS, RITA), [Target(name)])


def test_more_rows_come_while_one_goes_down_the_list(page_of: Opener) -> None:
    page = page_of()
    page.goto("/review?all=1")
    assert len(names(page)) == 25
    for _ in range(24):
        page.keyboard.press("j")
    expect(page.locator("[data-row]").nth(30)).to_be_attached()
    assert len(names(page)) == len(set(names(page)))


def test_filters_and_bulk_acts_work_by_key_and_by_pointer(page_of: Opener, place: Served) -> None:
    page = page_of()
    page.goto("/domains")
    page.keyboard.press("/")
    page.keyboard.type("found2")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(11)
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.locator("[data-row] input").nth(1).check()
    page.select_option("[name=verb]", "approve")
    page.click("text=Decide")
    page.click("button:text('Approve 2')")
    expect(page.locator("h1")).to_contain_text("2 approved")
    page.click("text=Back to the list")
    page.check("[data-all]")
    page.select_option("[name=verb]", "suspend")
    page.click("text=Decide")
    page.click("button:text('Suspend 11')")
    expect(page.locator("h1")).to_contain_text("2 suspended, 9 refused")


def test_a_domain_and_a_candidate_are_decided_on_their_pages(page_of: Opener, there: World) -> None:
    page = page_of()
    page.goto("/domains/trust.example")
    page.fill("[name=max_crawl_depth]", "7")
    page.click("button:text-is('Save')")
    expect(page.locator("#notices")).to_contain_text("limits and notes are saved")
    expect(page.locator("[name=max_crawl_depth]")).to_have_value("7")
    page.goto(f"/records/{there.found.record}")
    expect(page.locator("h1")).to_contain_text("not published")
    page.goto(f"/candidates/{there.candidate}")
    beside = page.locator("details.record").first
    expect(beside.locator("table.fields")).to_contain_text("The Rila Foundation")
    expect(beside.locator("mark").first).to_contain_text("Small grants for villages")
    expect(page.locator("#contacts ~ .wide")).to_contain_text("Mila Petrova, programme officer")
    page.click("text=Take it")
    page.click("button:text('Approve')")
    expect(page).to_have_url(re.compile("/candidates$"))  # it was the last one
    expect(page.locator("#notices")).to_contain_text(f"{there.domain}: approved")
    page.goto(f"/records/{there.found.record}")
    expect(page.locator("h1 .tag").nth(1)).to_have_text("published")


def test_a_record_stands_beside_the_text_it_was_read_from(page_of: Opener, there: World) -> None:
    page = page_of()
    page.goto(f"/records/{there.found.record}")
    marks = page.locator(".source").first.locator("mark")
    expect(marks).to_have_count(5)
    expect(marks.last).to_contain_text("Applications are welcome until 30 June 2026")
    row = page.locator("table.fields tr", has_text="2026-06-30")
    row.get_by_role("link").click()
    target = page.evaluate("() => document.querySelector(':target').closest('mark').textContent")
    assert "30 June 2026" in target
    table, text = page.locator("table.fields").bounding_box(), page.locator(".text").first.bounding_box()
    assert table and text and table["x"] + table["width"] <= text["x"]  # side by side
    expect(page.locator("#changes ~ .wide tbody tr")).to_have_count(2)
    expect(page.locator("#changes ~ .wide")).to_contain_text("5,0008,000")
    page.click("text=whole text >> nth=0")
    expect(page.locator(".text mark")).to_have_count(5)
    page.click("text=what changed since the one before")
    expect(page.locator(".diff ins")).to_have_text(["8", "30", "June"])
    expect(page.locator(".diff del")).to_have_text(["5", "31", "May"])


def test_records_are_filtered_by_view_kind_and_domain(page_of: Opener, there: World) -> None:
    page = page_of(java_script_enabled=False)
    page.goto("/records?domain=trust.example")
    expect(page.locator("[data-row]")).to_have_count(12)
    page.click("text=Of all")
    page.click(".chips >> text=All")
    expect(page.locator("[data-row]")).to_have_count(13)
    page.fill("[name=domain]", f"https://www.{there.domain}/somewhere")
    page.click("text=Show")
    expect(page.locator("[data-row]")).to_have_count(1)
    page.click("text=Gone")
    expect(page.locator("[data-row]")).to_contain_text("Rila Friends")
    page.select_option("[name=kind]", "service")
    page.click("text=Show")
    expect(page.locator(".empty")).to_contain_text("No record is gone among these")
    page.select_option("[name=kind]", "")
    page.click("text=Show")
    page.click("text=Changed lately")
    expect(page.locator("[data-row]")).to_have_count(2)
    page.fill("[name=domain]", "unknown.example")
    page.click("text=Show")
    expect(page.locator(".empty")).to_contain_text("unknown.example is not in the register")


def test_charts_are_drawn_and_live_parts_are_asked_for_again(page_of: Opener) -> None:
    page = page_of()
    _see_figures(page)
    expect(page.locator(".chart canvas")).to_have_count(2)
    drawn = page.evaluate(
        "() => { const c = document.querySelector('.chart canvas');"
        " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " return d.some((v) => v > 0); }"
    )
    assert drawn
    legend = "() => getComputedStyle(document.querySelector('.u-legend th'), '::after').content"
    assert page.evaluate(legend) in ('""', "none"), "a colon without a value behind it"
    with page.expect_response(lambda answer: answer.url.endswith("/live"), timeout=10_000) as live:
        pass
    assert live.value.status == 200


def _see_figures(page: Page) -> None:
    """CachedStats are counted in the background; a person would look again too."""
    page.goto("/")
    for _ in range(50):
        if page.locator("details table").count():
            return
        page.wait_for_timeout(200)
        page.reload()


def test_colours_follow_the_system_and_the_choice(page_of: Opener) -> None:
    dark = page_of(color_scheme="dark")
    dark.goto("/")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    assert dark.evaluate(ground) == "rgb(20, 24, 23)"
    for expected in (
        "rgb(20, 24, 23)",
        "rgb(251, 251, 249)",
        "rgb(20, 24, 23)",
    ):  # dark, light, as the system
        dark.click("header button:has-text('Colours')")
        dark.wait_for_load_state()
        assert dark.evaluate(ground) == expected


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_fault_or_is_wider_than_a_phone(theme: str, page_of: Opener, there: World) -> None:
    """In the dark also with letters half as wide again as any font has them: no page fits by luck."""
    page = page_of(viewport={"width": 390, "height": 844}, color_scheme=theme, bypass_csp=True)
    options = {"runOnly": ["color-contrast"]} if theme == "dark" else {}  # nothing else differs there
    faults: list[str] = []
    for path in looks(there):
        page.goto(path)
        if theme == "dark":
            page.add_style_tag(content="* { letter-spacing: 0.3em !important; }")
        if page.evaluate(_IS_TOO_WIDE):
            faults.append(f"{path} is wider than the screen")
        page.evaluate(AXE)
        report = page.evaluate("async (options) => (await axe.run(options)).violations", options)
        faults += [f"{path} {each['id']}: {each['nodes'][0]['html'][:120]}" for each in report]
    assert faults == []


_TOO_SMALL = """() => [...document.querySelectorAll(
    "button, .button, input:not([type=hidden]), select, textarea, summary, .chips a, .top nav a, .pager a")]
    .filter((one) => one.checkVisibility({visibilityProperty: true}))
    .filter((one) => one.getBoundingClientRect().height < (one.type === "checkbox" ? 24 : 44))
    .map((one) => one.outerHTML.slice(0, 120))"""


def test_what_is_tapped_on_a_phone_is_as_large_as_a_fingertip(page_of: Opener, there: World) -> None:
    page = page_of(viewport={"width": 390, "height": 844})
    faults = []
    for path in looks(there):
        page.goto(path)
        faults += [f"{path} {small}" for small in page.evaluate(_TOO_SMALL)]
    assert faults == []


def test_a_word_longer_than_the_page_is_broken_and_cuts_nothing_off(
    page_of: Opener, place: Served, there: World
) -> None:
    page = page_of(viewport={"width": 1280, "height": 800})
    record = place.run(_of_one_long_word)
    for path in ("/records?q=Bau&view=all", f"/records/{record}"):
        page.goto(path)
        assert page.evaluate(
            "() => [...document.querySelectorAll('.wide')].every((one) => one.scrollWidth <= one.clientWidth)"
        ), path


async def _of_one_long_word(workspace: Workspace) -> UUID:
    word = "Bau" * 60
    async with workspace.db.write() as tx:
        no = await rows.find_no(tx, "old.example")
        given = {"name": field(word, word), "funder": field(word, word), "eligibility": field([word], word)}
        return await findings.put_record(tx, no, "funding_program", given)


def test_every_picture_of_the_docs_can_be_taken_again(there: World) -> None:
    shown = {path.stem for path in (ROOT / "docs" / "img").glob("admin-*.png")}
    assert shown == {f"admin-{name}" for name in ("login", *screens.of_the_docs(there))}


def test_the_search_of_a_phone_has_room_for_what_is_typed(page_of: Opener) -> None:
    page = page_of(viewport={"width": 390, "height": 844})
    page.goto("/")
    assert page.locator("[data-find]").bounding_box()["width"] > 300
    assert page.locator("header.top").bounding_box()["height"] < 150


def test_everything_can_be_done_without_scripts(page_of: Opener, place: Served) -> None:
    page = page_of(java_script_enabled=False)
    page.goto("/review")
    first = names(page)[0]
    page.locator("[data-row]").first.locator("text=Approve").click()
    expect(page).to_have_url(f"{place.url}/review")
    expect(page.locator("#notices")).to_contain_text(f"{first}: approved")
    second = names(page)[0]
    page.locator("[data-row]").first.locator("[name=reason]").fill("a shop")
    page.locator("[data-row]").first.locator("text=Reject").click()
    expect(page.locator("#notices")).to_contain_text(f"{second}: rejected")
    _see_figures(page)
    expect(page.locator("details table").first).to_be_attached()
    page.goto("/review?all=1")
    page.click("text=More")
    expect(page).to_have_url(f"{place.url}/review?all=1&after=" + page.url.rpartition("after=")[2])
