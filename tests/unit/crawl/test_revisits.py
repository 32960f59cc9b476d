"""What a visit says of a page, the date that is made of it, and what sitemaps are worth."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from surveyor.crawl.results import PageResult, lastmod_counts, plan_revisits, seen_of
from surveyor.crawl.sitemaps.handler import SitemapDates
from surveyor.frontier.changes import Taken, UrlKind
from surveyor.frontier.revisits import Habits, Next, Past, Seen, Visited
from surveyor.names import url_key

NOW = datetime(2026, 5, 9, 12, tzinfo=UTC)
LAST = NOW - timedelta(days=3)
STORED, ENDED, LISTED = Past(LAST, b"old", None), Past(LAST, None, "not_found"), Past(LAST, None, "sitemap")


def _result(state: str, status: int | None, reason: str | None = None, **known: object) -> PageResult:
    values = {"target": "/p", "content_hash": b"new" if state == "done" else None} | known
    target = str(values.pop("target"))
    result = PageResult(7, "https://a.example/p", target, 1, state, NOW, reason, status)
    for name, value in values.items():
        setattr(result, name, value)
    return result


@pytest.mark.parametrize(
    ("result", "seen"),
    [
        (_result("done", 200), Seen.NEW),
        (_result("done", 200, past=STORED), Seen.CHANGED),
        (_result("done", 200, past=STORED, content_hash=b"old"), Seen.SAME),
        (_result("done", 304, past=STORED, content_hash=b"old"), Seen.SAME),
        (_result("done", 200, past=ENDED), Seen.CHANGED),
        (_result("ended", 404, "not_found"), None),
        (_result("ended", 404, "not_found", past=STORED), Seen.GONE),
        (_result("ended", 301, "redirect", past=STORED), Seen.GONE),
        (_result("ended", 301, "redirect", target="/"), Seen.GONE),
        (_result("ended", None, "failed", past=STORED), Seen.FAILED),
        (_result("ended", None, "robots", past=STORED, was_fetched=False), Seen.FAILED),
        (_result("ended", 200, "sitemap", kind=UrlKind.SITEMAP), Seen.LIST),
        (_result("ended", 304, "feed", kind=UrlKind.SITEMAP, past=LISTED), Seen.LIST),
        (_result("ended", 404, "not_found", kind=UrlKind.SITEMAP), None),
        (_result("ended", 404, "not_found", kind=UrlKind.SITEMAP, past=LISTED), Seen.GONE),
    ],
    ids=lambda value: str(value) if isinstance(value, Seen) or value is None else "",
)
def test_what_a_result_says_of_its_page(result: PageResult, seen: Seen | None) -> None:
    assert seen_of(result) is seen


class _Recording:
    """A schedule that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Visited] = []

    def after(self, visited: Visited, habits: Habits, now: datetime) -> Next:
        self.asked.append(visited)
        return Next(b"h", now, 1)

    def believes_lastmod(self, right: int, wrong: int) -> bool:
        return False


def _planned(*results: PageResult, history: bytes | None = None) -> list[Visited]:
    schedule = _Recording()
    plan_revisits(schedule, Habits(24), NOW, results, {7: history})
    return schedule.asked


def test_a_page_that_never_was_one_is_left() -> None:
    dead, failed = (
        _result("ended", 404, "not_found", past=ENDED),
        _result("ended", None, "failed", past=ENDED),
    )
    assert _planned(dead, failed) == []
    assert dead.plan is failed.plan is None
    assert _planned(_result("ended", 404, "not_found", past=ENDED), history=b"h") != []


def test_a_list_that_cannot_be_had_is_not_forgotten() -> None:
    for status, reason in ((404, "not_found"), (None, "failed")):
        assert _planned(_result("ended", status, reason, kind=UrlKind.SITEMAP, past=LISTED)) != []


def test_a_page_is_asked_about_with_its_past() -> None:
    (asked,) = _planned(_result("done", 200, past=STORED, target="/"), history=b"h")
    assert asked == Visited(7, Seen.CHANGED, b"h", LAST, True)
    (old,) = _planned(_result("done", 200, past=STORED, content_hash=b"old"))
    assert old == Visited(7, Seen.SAME, None, LAST, False), "from before there were histories"


def test_a_url_that_becomes_a_page_is_a_new_one() -> None:
    (asked,) = _planned(_result("done", 200, past=ENDED))
    assert asked.seen is Seen.NEW


def test_new_pages_are_asked_about_once_for_all() -> None:
    results = [_result("done", 200) for _ in range(5)]
    assert len(_planned(*results)) == 1
    assert {result.plan for result in results} == {Next(b"h", NOW, 1)}


# -- sitemaps


def _taken(past: Past | None = STORED) -> Taken:
    return Taken(url_key("/p"), "/p", 1, 1, 0, 0, None, None, past)


def test_a_sitemap_is_held_against_what_was_found() -> None:
    lastmods = SitemapDates()
    assert lastmods.names_changed(_taken()) is None
    assert lastmods.note({"/p": LAST + timedelta(hours=1)}) == [], "it is not believed yet"
    assert lastmods.names_changed(_taken()) is True
    lastmods.note({"/p": LAST - timedelta(hours=1)})
    assert lastmods.names_changed(_taken()) is False
    assert lastmods.names_changed(_taken(None)) is lastmods.names_changed(_taken(ENDED)) is None
    lastmods.note({"/p": LAST.replace(hour=0)})
    assert lastmods.names_changed(_taken()) is None, "changed on the day of the visit, before or after"


def test_what_a_believed_sitemap_names_is_hurried() -> None:
    lastmods = SitemapDates()
    lastmods.are_believed = True
    assert lastmods.note({"/p": NOW}) == [(url_key("/p"), NOW)]


@pytest.mark.parametrize(
    ("named", "changed", "counts"),
    [
        (True, True, (1, 0)),
        (True, False, (0, 1)),
        (False, True, (0, 1)),
        (False, False, (0, 0)),
        (None, True, (0, 0)),
    ],
)
def test_only_what_could_be_wrong_counts_for_a_sitemap(
    named: bool | None, changed: bool, counts: tuple[int, int]
) -> None:
    content = b"new" if changed else b"old"
    result = _result("done", 200, past=STORED, content_hash=content, named_changed=named)
    assert lastmod_counts([result]) == counts
