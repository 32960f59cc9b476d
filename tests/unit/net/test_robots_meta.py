"""What a page asks of robots, in its head and in its headers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.net.robots_meta import NOTHING_ASKED, PageRobots, from_headers, from_meta

NOFOLLOW, NOINDEX, NOIMAGEAI, NOAI = PageRobots
BOTH = NOFOLLOW | NOINDEX


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ([], NOTHING_ASKED),
        (["noindex"], NOINDEX),
        (["NoIndex , NOFOLLOW"], BOTH),
        (["none"], BOTH),
        (["all"], NOTHING_ASKED),
        (["index, follow, max-image-preview:large"], NOTHING_ASKED),
        (["noai, noimageai"], NOAI | NOIMAGEAI),
        (["noindex", "nofollow"], BOTH),
        (["noindex nofollow"], BOTH),
        (["surveyor: noindex, nofollow"], BOTH),
        (["Surveyor:noindex"], NOINDEX),
        (["*: nofollow"], NOFOLLOW),
        (["robots: nofollow"], NOFOLLOW),
        (["otherbot: noindex, nofollow"], NOTHING_ASKED),
        (["surveyorbot: noindex"], NOTHING_ASKED),
        (["otherbot: noindex", "nofollow"], NOFOLLOW),
        (["otherbot: noindex, surveyor: nofollow, noai"], NOFOLLOW | NOAI),
        (["surveyor: nofollow, otherbot: noindex, noai"], NOFOLLOW),
        (["noindex, otherbot: nofollow"], NOINDEX),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST, noindex"], NOINDEX),
        (["max-snippet:20, nofollow"], NOFOLLOW),
        (["noindexed"], NOTHING_ASKED),
        (["", ",", ":", "::,:"], NOTHING_ASKED),
    ],
)
def test_headers_ask(values: list[str], asked: PageRobots) -> None:
    assert from_headers(values, "surveyor") == asked


@pytest.mark.parametrize(
    ("name", "content", "asked"),
    [
        ("robots", "noindex,nofollow", BOTH),
        ("ROBOTS", " NONE ", BOTH),
        ("surveyor", "noai", NOAI),
        ("Surveyor", "noimageai", NOIMAGEAI),
        ("googlebot", "noindex", NOTHING_ASKED),
        ("description", "noindex", NOTHING_ASKED),
        ("robots", "noindex nofollow", BOTH),
        ("robots", "index, follow", NOTHING_ASKED),
        ("robots", "", NOTHING_ASKED),
    ],
)
def test_meta_elements_ask(name: str, content: str, asked: PageRobots) -> None:
    assert from_meta(name, content, "surveyor") == asked


def test_what_head_and_headers_ask_adds_up() -> None:
    assert from_headers(["nofollow"], "surveyor") | from_meta("robots", "noai", "surveyor") == NOFOLLOW | NOAI


def test_it_is_stored_as_a_number_and_shown_in_words() -> None:
    asked = from_headers(["none, noai"], "surveyor")
    assert PageRobots(int(asked)) == asked
    assert asked.words == "nofollow, noindex, noai"
    assert NOTHING_ASKED.words == ""


@given(st.lists(st.text(max_size=40)), st.text(max_size=40))
def test_nothing_that_a_page_may_say_raises(values: list[str], text: str) -> None:
    assert from_headers(values, "surveyor") in range(16)
    assert from_meta("robots", text, "surveyor") in range(16)
