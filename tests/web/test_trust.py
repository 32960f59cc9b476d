"""What a reviewer relies on, in a real Chromium: nothing typed is lost, done unseen or moved away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import insert, select

from surveyor.bootstrap.workspace import Workspace
from surveyor.db.tables import crawl_log
from surveyor.judge.candidates import judge_stored
from surveyor.review.decisions import Decision, Target, Verb, decide, edit
from tests.support.judge_help import add_results, add_session
from tests.support.review_help import found
from tests.web import chromium
from tests.web.routes import looks
from tests.web.serving import Served
from tests.web.test_browser import names, page_of, session, status
from tests.web.world import RITA, World

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


def changed_by_another(place: Served, name: str, **values: Any) -> None:
    place.run(lambda workspace: edit(workspace.db, RITA, values, [Target(name)]))


def test_a_refused_form_comes_back_with_what_was_typed_and_the_fresh_version(
    page_of: Opener, place: Served
) -> None:
    page = page_of(refused=True)
    page.goto("/domains/trust.example")
    changed_by_another(place, "trust.example", max_crawl_depth=4)
    page.fill("[name=notes]", "a long thought")
    page.fill("[name=max_pages_per_run]", "77")
    page.click("button:text-is('Save')")
    expect(page.locator("#notices")).to_contain_text("was changed since you looked")
    expect(page.locator("[name=notes]")).to_have_value("a long thought")
    expect(page.locator("h1")).to_contain_text("trust.example")
    page.click("button:text-is('Save')")
    expect(page.locator("#notices")).to_contain_text("limits and notes are saved")
    domain = place.run(lambda workspace: found(workspace.db, "trust.example"))
    assert (domain.notes, domain.max_pages_per_run) == ("a long thought", 77)
    page.fill("[name=notes]", "another thought")
    page.fill("[name=max_crawl_depth]", "deep")
    page.click("button:text-is('Save')")
    expect(page.locator("#notices")).to_contain_text("is a whole number")
    expect(page.locator("[name=notes]")).to_have_value("another thought")


def test_a_decision_that_did_not_arrive_is_marked_kept_and_sent_again(page_of: Opener, place: Served) -> None:
    page = page_of(refused=True)
    page.goto("/review")
    first = names(page)[0]
    page.context.set_offline(True)
    page.keyboard.press("a")
    row = page.locator(f"[data-row]:has-text('{first}')")
    expect(row.locator("[data-unsaved]")).to_contain_text("Not saved")
    assert status(place, first) == "pending_review"
    page.context.set_offline(False)
    expect(page.locator("[data-done]")).to_contain_text(f"{first}: approved")
    expect(page.locator("[data-unsaved]")).to_have_count(0)
    assert status(place, first) == "approved"


def test_after_a_conflict_the_row_is_fresh_and_can_be_decided(page_of: Opener, place: Served) -> None:
    page = page_of(refused=True)
    page.goto("/review")
    first = names(page)[0]
    changed_by_another(place, first, notes="seen by rita")
    page.keyboard.press("a")
    row = page.locator(f"[data-row]:has-text('{first}')")
    expect(row.locator(".notice")).to_contain_text("was changed since you looked")
    row.locator("text=Approve").click()
    expect(page.locator("[data-done]")).to_contain_text(f"{first}: approved")
    expect(page.locator(".notice.bad")).to_have_count(0)
    second = names(page)[0]
    decision = Decision(Verb.REJECT, RITA, "a shop")
    place.run(lambda workspace: decide(workspace.db, decision, [Target(second)]))
    page.locator(f"[data-row]:has-text('{second}')").locator("text=Approve").click()
    expect(page.locator(f"[data-done]:has-text('{second}')")).to_contain_text("rejected")


def test_a_key_held_down_decides_once_and_works_on_every_layout(page_of: Opener, place: Served) -> None:
    page = page_of()
    page.goto("/review")
    first, second, third = names(page)[:3]
    held = "(key, code, repeat) => document.body.dispatchEvent(new KeyboardEvent('keydown', "
    press = f"([key, code, repeat]) => ({held}{{ key, code, repeat, bubbles: true }})))(key, code, repeat)"
    page.evaluate(press, ["a", "KeyA", False])
    for _ in range(5):
        page.evaluate(press, ["a", "KeyA", True])
    expect(page.locator("[data-done]")).to_have_count(1)
    assert (status(place, first), status(place, second)) == ("approved", "pending_review")
    page.evaluate(press, ["ф", "KeyA", False])  # Russian
    expect(page.locator("[data-done]")).to_have_count(2)
    page.evaluate(press, ["ξ", "KeyJ", False])  # Greek
    expect(page.locator('[data-row][aria-current="true"] .domain')).not_to_have_text(third)


def test_an_unknown_filter_is_refused_and_a_bulk_act_asks_first(page_of: Opener, place: Served) -> None:
    page = page_of(refused=True)
    for path in ("/domains?stage=aproved", "/candidates?status=x", "/records?kind=x", "/review?order=x"):
        reply = page.goto(path)
        assert reply is not None and reply.status == 400, path
        assert page.locator("[data-row]").count() == 0
    page.goto("/domains?q=found1")
    page.check("[data-all]")
    count = page.locator("[data-row]").count()
    page.select_option("[name=verb]", "approve")
    page.click("text=Decide")
    expect(page.locator("h1")).to_have_text(f"Approve {count} domains?")
    assert status(place, "found1.example") == "pending_review"
    page.click("text=Leave them as they are")
    page.check("[data-row]:has-text('found1.example') input")
    page.select_option("[name=verb]", "approve")
    page.click("text=Decide")
    page.click("button:text('Approve 1')")
    expect(page.locator("h1")).to_contain_text("1 approved")


def test_live_parts_leave_the_focus_where_it_is(page_of: Opener) -> None:
    page = page_of()
    page.goto("/runs")
    page.locator("#live a").first.focus()
    with page.expect_response(lambda answer: answer.url.endswith("/runs/live")):
        pass
    page.wait_for_timeout(200)
    assert page.evaluate("() => document.activeElement.tagName") == "A"


def test_going_back_finds_the_place_again(page_of: Opener) -> None:
    page = page_of()
    page.goto("/review?all=1")
    for _ in range(26):
        page.keyboard.press("j")
        page.wait_for_timeout(20)
    expect(page.locator("[data-row]").nth(28)).to_be_attached()
    chosen = page.locator('[data-row][aria-current="true"]')
    place = chosen.get_attribute("data-open")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_url("**/domains/**")
    page.go_back()
    expect(chosen).to_have_attribute("data-open", str(place))


_BROKEN = """() => {
  const found = [];
  for (const cell of document.querySelectorAll('main td:not(.url)')) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const word of node.data.matchAll(/[\\p{L}\\p{N}]{2,20}/gu)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (tops.size > 1) found.push(word[0]);
      }
    }
  }
  return found;
}"""


def test_no_word_of_a_table_is_broken_on_a_desk(page_of: Opener, there: World) -> None:
    page = page_of(viewport={"width": 1440, "height": 900}, bypass_csp=True)
    broken = {}
    for path in looks(there):
        page.goto(path)
        page.add_style_tag(content="td { letter-spacing: 0.08em !important; }")
        if words := page.evaluate(_BROKEN):
            broken[path] = words[:3]
    assert broken == {}


def test_figures_say_when_they_were_counted_and_runs_have_one_name(page_of: Opener) -> None:
    page = page_of()
    page.goto("/domains")
    page.wait_for_timeout(100)
    page.reload()
    expect(page.locator("nav[aria-label=Stage]")).to_contain_text("counted at")
    page.goto("/")
    name = page.locator("#now ~ div a[href^='/runs/']").first.text_content()
    page.goto("/runs")
    expect(page.locator("#live td[data-label=Run]").first).to_have_text(str(name))


def test_the_figures_of_a_run_agree_and_what_was_answered_well_is_no_error(
    page_of: Opener, place: Served, there: World
) -> None:
    place.run(lambda workspace: _answered_well(workspace, there))
    page = page_of()
    page.goto(f"/runs/{there.run}")
    errors = page.locator("section:has(#errors)")
    expect(errors).to_contain_text("not found")
    expect(errors).not_to_contain_text("duplicate")
    by_reason = [int(each) for each in errors.locator("td.n").all_text_contents()]
    by_domain = page.locator("section:has(#domains) td[data-label=Errors]").all_text_contents()
    assert sum(by_reason) == sum(map(int, by_domain)) > 0
    # What a domain has in all, and what this run asked of it, are told apart.
    expect(page.locator("section:has(#domains) thead")).to_contain_text("Requests in this run")
    page.goto("/")
    expect(page.locator("section:has-text('Errors by reason')").last).not_to_contain_text("duplicate")


async def _answered_well(workspace: Workspace, there: World) -> None:
    """A page that is there, and says what another says."""
    async with workspace.db.write() as tx:
        last = (await tx.execute(select(crawl_log).order_by(crawl_log.c.id.desc()).limit(1))).one()
        values = dict(last._mapping) | {"id": last.id + 1, "status": 200, "reason": "duplicate"}
        await tx.execute(insert(crawl_log).values(values))


def test_a_name_in_quotes_keeps_both_of_them_from_the_result_to_the_page(
    page_of: Opener, place: Served
) -> None:
    place.run(_judged_with_quotes)
    page = page_of()
    page.goto("/candidates?status=all&q=found5.example")
    page.locator("[data-row] td[data-label=What] a").click()
    expect(page.locator("dt:text-is('Organisation') + dd")).to_have_text('Foundation "Rila"')


async def _judged_with_quotes(workspace: Workspace) -> None:
    domain, session = await found(workspace.db, "found5.example"), await add_session(workspace.db)
    await add_results(workspace.db, domain, session, ['Small grants | Foundation "Rila"'])
    await judge_stored(workspace.db, await workspace.panel(), RITA)


def test_keys_that_do_nothing_here_are_not_offered(page_of: Opener) -> None:
    page = page_of()
    for path, is_offered in (("/review", False), ("/domains", True)):
        page.goto(path)
        page.keyboard.press("?")
        tick = page.locator("#keys dt:has-text('x')").first
        expect(tick).to_be_visible() if is_offered else expect(tick).to_be_hidden()
        page.keyboard.press("Escape")


def test_u_takes_back_my_last_decision_and_the_counter_follows(page_of: Opener, place: Served) -> None:
    page = page_of()
    page.goto("/review?all=1")
    page.evaluate("() => { htmx.config.defaultSettleDelay = 3000; window.stayed = true; }")  # quick fingers
    waiting = int(str(page.locator("[data-count]").text_content()))
    first, second = names(page)[:2]
    page.keyboard.press("a")
    expect(page.locator("[data-done]")).to_contain_text(f"{first}: approved")
    expect(page.locator("[data-count]")).to_have_text(str(waiting - 1))
    page.keyboard.press("u")
    expect(page.locator('[data-row][aria-current="true"] .domain')).to_have_text(first)
    expect(page.locator("[data-count]")).to_have_text(str(waiting))
    assert status(place, first) == "pending_review"
    page.keyboard.press("a")
    expect(page.locator("[data-done]")).to_contain_text(f"{first}: approved")
    assert page.evaluate("window.stayed"), "the page was not left"
    page.goto("/review?all=1")
    expect(page.locator(".mine li").first).to_contain_text(first)
    page.keyboard.press("u")  # also after the page was left
    expect(page.locator(f"[data-row]:has-text('{first}')")).to_have_count(1)
    assert (status(place, first), status(place, second)) == ("pending_review", "pending_review")


def test_on_a_phone_the_menu_shows_where_one_is_and_cards_have_two_columns(page_of: Opener) -> None:
    page = page_of(viewport={"width": 390, "height": 844})
    for path in ("/events", "/users", "/domains"):
        page.goto(path)
        expect(page.locator(".top nav [aria-current]")).to_be_in_viewport(ratio=0.9)
        sizes = page.evaluate(
            "() => [...document.querySelectorAll('input:not([type=hidden]), select, textarea')]"
            ".map((field) => parseFloat(getComputedStyle(field).fontSize))"
        )
        assert [size for size in sizes if size < 16] == [], path
    page.goto("/records")  # a date stays in one line with its hour
    lines = page.evaluate(
        "() => [...document.querySelectorAll('main time')]"
        ".map((one) => one.offsetHeight / parseFloat(getComputedStyle(one).fontSize))"
    )
    assert lines and max(lines) < 2, "a line is less than two letters high"
    page.goto("/domains")
    cells = page.locator("[data-row]").first.locator("td[data-label]")
    boxes = [cells.nth(index).bounding_box() for index in (1, 2)]
    assert boxes[0] and boxes[1] and boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] < boxes[1]["x"]
