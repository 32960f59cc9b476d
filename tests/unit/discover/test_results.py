"""Hits to results: canonical, plain and short, or refused with a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.discover.adapters import Hit
from surveyor.discover.results import MAX_DESCRIPTION, MAX_TITLE, Refusal, Result, accept, plain, sort_hits
from surveyor.discover.results import accept_all as no_spam
from surveyor.names import DEFAULT_RULES


def hit(url: str = "https://a.example/", title: str = "T", description: str = "D", position: int = 1) -> Hit:
    return Hit(url, title, description, position)


def test_a_good_hit_becomes_a_canonical_result() -> None:
    found = accept(hit("HTTPS://WWW.A.Example/x#y", " <b>grant</b>s&amp;<br>\nmore ", ""), DEFAULT_RULES)
    assert found == Result("a.example", "https://www.a.example/x", "grants& more", "", 1)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (hit(url=" "), Refusal.NO_URL),
        (hit(url="mailto:a@b.example"), Refusal.BAD_URL),
        (hit(url="a.example/x"), Refusal.BAD_URL),
        (hit(url="https://a.example/" + "x" * 1_990), Refusal.BAD_URL),
        (hit(url="https://10.0.0.1/"), Refusal.BAD_DOMAIN),
        (hit(title=" \x00", description="<br>"), Refusal.NO_TEXT),
        (hit(position=0), Refusal.BAD_POSITION),
        (hit(position=-3), Refusal.BAD_POSITION),
        (hit(position=2**40), Refusal.BAD_POSITION),
    ],
    ids=["blank", "mailto", "no scheme", "long", "address", "no text", "zero", "negative", "huge"],
)
def test_what_cannot_be_kept_is_refused_with_its_reason(bad: Hit, reason: Refusal) -> None:
    assert accept(bad, DEFAULT_RULES) is reason


@pytest.mark.parametrize("length", [499, 500, 501, 9_000])
def test_a_title_is_cut_at_its_limit_and_not_before(length: int) -> None:
    cut = plain("x" * length, MAX_TITLE)
    assert len(cut) == min(length, MAX_TITLE)
    assert cut.endswith("…") is (length > MAX_TITLE)


@given(st.text(), st.text(), st.text(), st.integers())
def test_any_hit_is_a_storable_result_or_refused(
    url: str, title: str, description: str, position: int
) -> None:
    for one in (url, f"https://a.example/{url}"):
        found = accept(Hit(one, title, description, position), DEFAULT_RULES)
        if isinstance(found, Result):
            assert len(found.url) <= 2_000 and len(found.domain) <= 260
            assert len(found.title) <= MAX_TITLE and len(found.description) <= MAX_DESCRIPTION
            assert found.title or found.description
            assert (found.title + found.description + found.url).isprintable()
            (found.title + found.description + found.url).encode()


@given(st.lists(st.builds(hit, title=st.text(max_size=5), position=st.integers(0, 3)), max_size=20))
def test_every_hit_is_counted_once(hits: list[Hit]) -> None:
    found = sort_hits(hits, DEFAULT_RULES, no_spam)
    assert len(found.results) + len(found.spam) + sum(found.refused.values()) == len(hits)
