"""The quick ways through links come out where the careful one does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.crawl.pages import links
from surveyor.crawl.pages.links import MAX_FOREIGN, MAX_LINKS, base_of, collect, listed_target
from surveyor.crawl.pages.scope import Scope
from surveyor.names import canonical_domain, parse_url, resolve

PAGES = [
    parse_url(text)
    for text in (
        "https://www.example.org/",
        "http://example.org/a/b.html?c=d",
        "https://example.org/caf%C3%A9/x/",
        "https://www.example.org/a%2Fb/..c/;d",
    )
]
PIECES = st.one_of(
    st.sampled_from("/.aB9-_~%?&=#;:@\\[|\u00e9 \t\n\0"),
    st.sampled_from(
        ("//", "..", "./", "../", "%2e", "%41", "%c3%a9", "index.html", "x.php", ".zip", "tag", "sid=1")
    ),
    st.sampled_from(("http:", "https:", "http://", "https://", "HTTP://", "mailto:", "www.", "utm_source=x")),
    st.sampled_from(("example.org", "other.org")),
)
HREFS = st.lists(PIECES, max_size=8).map("".join)


def carefully(href: str, page: int, scope: Scope) -> tuple[str, int] | str | None:
    url = resolve(PAGES[page].text, href.partition("#")[0], scope.rules)
    if url is None:
        return None
    if url.domain != scope.domain:
        return url.text
    rank = scope.rank(url.target)
    return None if rank is None else (url.target, rank)


TRICKY = [
    "?y=2",
    "?",
    "/\\other.org/a",
    "\\\\other.org/a",
    "//other.org/a",
    "..",
    "./a/../b",
    "a:b",
    "http:a",
    "/a/./b",
    "/..c",
]
TRICKY += [
    "/a//b",
    " /a",
    "/a ",
    "/a\nb",
    "%2e%2e/a",
    "/%41",
    "/a;jsessionid=1",
    "é",
    "/é?é",
    "https:///a",
    "HTTPS://EXAMPLE.ORG",
]


@pytest.mark.parametrize("page", range(len(PAGES)))
@pytest.mark.parametrize("href", TRICKY)
def test_tricky_links_lead_where_the_url_parser_says(href: str, page: int) -> None:
    scope = Scope(canonical_domain("example.org"))
    found = collect([href, href], base_of(PAGES[page], None, scope), scope)
    expected = carefully(href, page, scope)
    assert [*found.links, *found.foreign] == ([] if expected is None else [expected])


@given(st.lists(st.tuples(HREFS, st.integers(0, len(PAGES) - 1)), min_size=1, max_size=6))
def test_every_link_leads_where_the_url_parser_says_whatever_was_remembered(
    hrefs: list[tuple[str, int]],
) -> None:
    scope = Scope(canonical_domain("example.org"))
    for href, page in [*hrefs, *hrefs]:
        found = collect([href], base_of(PAGES[page], None, scope), scope)
        got = [*found.links, *found.foreign]
        if not href.partition("#")[0]:
            assert not got and not found.dropped
            continue
        expected = carefully(href, page, scope)
        assert got == ([] if expected is None else [expected])
        assert found.dropped == (expected is None)


@given(HREFS)
def test_listed_pages_are_found_likewise(href: str) -> None:
    scope = Scope(canonical_domain("example.org"))
    base = PAGES[0]
    url = resolve(base.text, href, scope.rules)
    in_scope = url is not None and url.domain == scope.domain and scope.worth_fetching(url.target)
    assert listed_target(href, base, scope) == (url.target if in_scope and url else None)
    assert listed_target("https://www.example.org" + href, base, scope) == getattr(
        _wanted(resolve(base.text, "https://www.example.org" + href, scope.rules), scope), "target", None
    )


def _wanted(url: object, scope: Scope) -> object:
    is_wanted = url is not None and url.domain == scope.domain and scope.worth_fetching(url.target)  # type: ignore[attr-defined]
    return url if is_wanted else None


def test_what_is_remembered_is_bounded() -> None:
    scope = Scope(canonical_domain("example.org"))
    base = base_of(PAGES[0], None, scope)
    for number in range(5_000):
        collect([f"/page/{number}"], base, scope)
    assert 0 < len(scope.known) <= links._REMEMBERED


def test_too_many_links_are_cut_and_it_is_said() -> None:
    scope = Scope(canonical_domain("example.org"))
    base = base_of(PAGES[0], None, scope)
    found = collect([f"/{number}" for number in range(MAX_LINKS + 1)], base, scope)
    assert (len(found.links), found.cut) == (MAX_LINKS, "too_many_links")
    found = collect([f"https://s{number}.org/" for number in range(MAX_FOREIGN + 1)], base, scope)
    assert (len(found.foreign), found.cut) == (MAX_FOREIGN, None)


def test_a_link_that_stands_on_a_page_many_times_is_looked_at_once() -> None:
    scope = Scope(canonical_domain("example.org"))
    base = base_of(PAGES[0], None, scope)
    found = collect(["/again?page=2", "mailto:us@example.org", None] * 1_000, base, scope, light=True)
    assert found == ([("/again?page=2", 0)], [], 1_000, None)
