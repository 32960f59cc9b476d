"""The search engine of the small web: what is found, in which order, and as what."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.profiles.loader import load
from surveyor.profiles.templates import queries
from surveyor.smallweb import load_sites
from surveyor.smallweb.search import PER_PAGE, Document, Index, documents_of, searxng_json

TODAY = date(2026, 11, 16)
SITES = load_sites()
INDEX = Index(documents_of(SITES, TODAY))


def document(url: str, title: str = "", text: str = "", language: str = "en") -> Document:
    return Document(url, url.split("/")[2], language, title, "", tuple(text.split()))


def found(index: Index, query: str, language: str = "", page: int = 1) -> list[str]:
    return [result.url for result in index.search(query, language, page)]


def test_rare_words_and_titles_count_more() -> None:
    index = Index(
        [
            document("http://a/", "Other things", "grants grants common"),
            document("http://b/", "Grants", "common words"),
            document("http://c/", "Common", "common words"),
        ]
    )
    assert found(index, "grants") == ["http://b/", "http://a/"]
    assert found(index, "common grants")[0] == "http://b/"
    assert found(index, "absent") == []
    common = [document(f"http://d/{number}", "", "common common common other words") for number in range(9)]
    assert (
        found(Index([*common, document("http://e/", "", "rare word and others")]), "common rare")[0]
        == "http://e/"
    )


def test_inflections_capitals_and_accents_meet() -> None:
    index = Index([document("http://a/", "Стипендия"), document("http://b/", "finanțări")])
    assert found(index, "СТИПЕНДИИ") == ["http://a/"]
    assert found(index, "finantari") == ["http://b/"]


def test_the_language_asked_for_comes_first() -> None:
    index = Index([document("http://a/", "Museum", language="de"), document("http://b/", "Museum")])
    assert found(index, "museum", "de")[0] == "http://a/"
    assert found(index, "museum", "en")[0] == "http://b/"


def test_no_host_fills_the_first_page_alone_and_pages_do_not_overlap() -> None:
    crowd = [document(f"http://a/{number}", "grants grants") for number in range(PER_PAGE + 5)]
    index = Index([*crowd, document("http://b/", "", "grants and much else besides")])
    first, second = found(index, "grants"), found(index, "grants", page=2)
    assert "http://b/" in first[:3]
    assert len(first) == PER_PAGE and len(second) == 6 and not set(first) & set(second)


def test_a_result_shows_the_description_or_the_stretch_that_fits() -> None:
    words = " ".join(["filler"] * 100 + ["grants", "for", "bees"] + ["filler"] * 100)
    (result,) = Index([document("http://a/", "T", words)]).search("bees")
    assert "grants for bees" in result.content and len(result.content.split()) < 40


def test_pages_that_ask_not_to_be_indexed_are_not() -> None:
    urls = {one.url for one in documents_of(SITES, TODAY)}
    assert "http://minkultura.example/programi" in urls
    assert not {url for url in urls if "/novini" in url or "/admin/" in url or "parked" in url}


def test_a_site_with_two_names_is_known_under_both() -> None:
    urls = {one.url for one in documents_of(SITES, TODAY) if one.host == "fondatsia-izvor.example"}
    assert {url.split("/")[2] for url in urls} == {"fondatsia-izvor.example", "www.fondatsia-izvor.example"}
    assert {url.partition(".example")[2] for url in urls} == {"/", "/konkurs", "/stipendii", "/kontakti"}


@given(st.text(max_size=40), st.sampled_from(["", "en", "bg", "xx"]), st.integers(1, 100))
def test_no_query_is_refused(query: str, language: str, page: int) -> None:
    results = INDEX.search(query, language, page)
    assert len({result.url for result in results}) == len(results) <= PER_PAGE


@pytest.mark.parametrize("session", ["nightly_discovery", "weekly_deep_crawl"])
@pytest.mark.parametrize("profile", ["funding", "community", "images"])
def test_every_query_of_a_profile_finds_pages_of_its_kind_and_language(profile: str, session: str) -> None:
    languages = {one.url: one.language for one in documents_of(SITES, TODAY)}
    asked = queries(load(profile), session, TODAY.year)
    assert asked
    for query in asked:
        results = found(INDEX, query.text, query.language)
        best = [url for url in results[:5] if languages[url] == query.language]
        hosts = {url.split("/")[2].removeprefix("www.") for url in results}
        assert best, query
        assert any(SITES[host].profile == profile for host in hosts), query


def test_the_answer_is_what_a_searxng_sends() -> None:
    told = json.loads(searxng_json("bees", INDEX.search("food pantry")))
    assert told["query"] == "bees" and told["unresponsive_engines"] == []
    first = told["results"][0]
    assert first["url"].startswith("http://foodbank.example/")
    assert {"url", "title", "content", "engine", "score", "positions"} <= set(first)
