"""The parts of the watch, one by one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.crawl.detect import Detector
from surveyor.crawl.detect.path_pattern import is_dated, patterns_of, shape_reason
from surveyor.crawl.detect.recent import _MOST, PageDigest, PageDigests, Recent
from surveyor.crawl.detect.url_patterns import UrlPatterns
from surveyor.net.robots_meta import NOTHING_ASKED


def seen(title: str = "T", content: int = 1, chars: int = 100, text: str = "") -> SimpleNamespace:
    shown = {"title": title, "text": text, "text_hash": content, "text_chars": chars}
    return SimpleNamespace(**shown, links=[], images=[], robots=NOTHING_ASKED)


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("/a/a/a", "trap_repeat"),
        ("/x/a/b/a/b/a/b/c", "trap_repeat"),
        ("/a/b/c/d/a/b/c/d/a/b/c/d/", "trap_repeat"),
        ("/a/b/a/c/a/d/a", "trap_repeat"),
        ("/" + "x" * 1_100, "trap_length"),
        ("/" + "/".join(map(str, range(30))), "trap_length"),
        ("/?" + "&".join(f"p{number}={number}" for number in range(40)), "trap_length"),
        ("/?a=1&amp;amp;amp;b=2", "trap_entities"),
        ("/a%252525", "trap_entities"),
        ("/?a=" + "amp;" * 400, "trap_entities"),
        ("/", None),
        ("/a/a", None),
        ("/2011/11/11/11/x", None),
        ("/en/products/en/products", None),
        ("/?a=1&amp;b=2", None),
        ("/100%25", None),
        ("/a%252F", None),
    ],
)
def test_some_targets_are_traps_by_their_shape(target: str, reason: str | None) -> None:
    assert shape_reason(target) == reason
    assert Detector().judge(target) == reason


@given(st.text())
def test_no_target_raises(text: str) -> None:
    watch = Detector()
    target = "/" + text
    for _ in range(2):
        watch.judge(target, "/")
        watch.wants_text(target)
        watch.learn(target, seen(text=text, title=text))
        watch.note(target)


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("/product/17", "/product/18", True),
        ("/p.php?id=1", "/p.php?id=2", True),
        ("/p.php?id=1&x=2", "/p.php?x=1&id=2", True),
        ("/news/2019/05/title-one", "/news/2020/06/another", True),
        ("/doc/0a1b2c3d4e", "/doc/ffee00112233", True),
        ("/wiki/One?action=edit", "/wiki/Two?action=edit", True),
        ("/p.php?id=1", "/q.php?id=1", False),
        ("/wiki/One?action=edit", "/wiki/One?action=history", False),
        ("/a/one", "/b/one", False),
        ("/product/17", "/product/seventeen", False),
        ("/a/x.pdf", "/a/x.html", False),
    ],
)
def test_families_are_what_differs_in_values_only(first: str, second: str, is_same: bool) -> None:
    assert (patterns_of(first).own == patterns_of(second).own) is is_same


@pytest.mark.parametrize(
    "target", ["/cal/2024/5", "/2024-05", "/x?date=20240501", "/x?m=1&year=2024", "/e/2024-05-01.html"]
)
def test_dates_are_recognised(target: str) -> None:
    assert is_dated(target)


@pytest.mark.parametrize("target", ["/product/2024", "/x?id=20249901", "/x?page=5", "/a/b", "/t/123456789"])
def test_other_numbers_are_no_dates(target: str) -> None:
    assert not is_dated(target)


def test_what_is_remembered_is_bounded_and_lately_met() -> None:
    recent, digests = Recent(), PageDigests()
    for number in range(3 * _MOST):
        assert recent.add([f"text {number}"]) or number > 1_000  # mistakes are rare, and none at the start
        digests.set(f"text {number}", PageDigest(number, 7, 9))
    assert len(recent._prints) == len(digests._prints) == len(digests._digests) == _MOST
    last = [f"text {number}" for number in range(3 * _MOST - 100, 3 * _MOST)]
    assert recent.add(last) == []
    assert digests.get(last[-1]) == PageDigest(3 * _MOST - 1, 7, 9)
    assert digests.get("never met") is None


def test_families_are_bounded_in_number() -> None:
    watch = UrlPatterns()
    for number in range(5_000):
        watch.learn(f"/{'abcdefghij'[number % 10]}{number}x/y{number}/z", seen())
    assert len(watch.stats) <= 1_000


def sessions(watch: Detector, count: int) -> None:
    """Pages that were met under two session ids each, and looked the same."""
    for number in range(count):
        for id_ in ("0123456789abcdef0a", "fedcba98765432100b"):
            watch.learn(f"/page{number}?visit={id_}", seen(content=100 + number))


def test_a_name_is_cut_only_after_the_site_has_shown_what_it_does() -> None:
    watch = Detector()
    sessions(watch, 2)
    assert watch.judge("/page0?visit=aaaabbbbcccc0000dd") is None
    sessions(watch, 4)
    assert watch.judge("/page0?visit=aaaabbbbcccc0000dd") == "trap_session"
    assert watch.judge("/page99?visit=aaaabbbbcccc0000dd") is None


def test_a_page_is_not_the_twin_of_itself() -> None:
    watch = Detector()
    sessions(watch, 9)
    assert watch.judge("/page0?visit=0123456789abcdef0a") is None


def test_counter_examples_acquit() -> None:
    watch = Detector()
    sessions(watch, 4)
    for number in range(40):
        watch.learn(f"/page?visit=0123456789abcdef{number}", seen(content=number))
    assert watch.judge("/page0?visit=aaaabbbbcccc0000dd") is None


def test_pages_that_show_nothing_prove_nothing() -> None:
    watch = Detector()
    for number in range(40):
        watch.learn(f"/photo?key=0123456789abcdef{number}", seen(content=0, chars=0))
    assert watch.judge("/photo?key=aaaabbbbcccc0000dd") is None


def test_pages_of_earlier_visits_count_as_fetched() -> None:
    watch = Detector()
    sessions(watch, 4)
    watch.note("/old?visit=0123456789abcdef0a")
    assert watch.judge("/old?visit=aaaabbbbcccc0000dd") == "trap_session"


def test_orders_of_parameters_are_one_page() -> None:
    watch = Detector()
    for number in range(3):
        watch.learn(f"/p?a={number}&b=1", seen(content=5 + number))
        watch.learn(f"/p?b=1&a={number}", seen(content=5 + number))
    watch.learn("/p?a=9&b=1", seen(content=9))
    assert watch.judge("/p?b=1&a=9") == "trap_facets"
    assert watch.judge("/p?b=1&a=10") is None


def test_pages_that_give_nothing_are_left_out_after_a_few_unless_one_of_their_kind_was_had() -> None:
    detector = Detector()
    for number in range(5):
        detector.note_closed(f"/comment/{number}/publish/")
    assert detector.judge("/comment/77/publish/") == "closed_pattern"
    for number in range(5):
        detector.learn(f"/ticket/{number}?format=tab", seen())  # type: ignore[arg-type]
        detector.note_closed(f"/ticket/{number}?format=csv")
    assert detector.judge("/ticket/77?format=csv") == "closed_pattern"
    assert detector.judge("/ticket/77?format=tab") is None
    detector.learn("/article/1/full/", seen())  # type: ignore[arg-type]
    for number in range(2, 9):
        detector.note_closed(f"/article/{number}/full/")
    assert detector.judge("/article/77/full/") is None
    for number in range(9):
        detector.note(f"/thread/{number}/all/")  # fetched by an earlier visit
    for number in range(20, 29):
        detector.note_closed(f"/thread/{number}/all/")
    assert detector.judge("/thread/77/all/") is None
