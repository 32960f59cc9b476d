"""Data that a page carries for its scripts, read without running any."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from surveyor.render.embedded import document

TEXT = "We give small grants to schools in two towns, and everybody who teaches there may apply for one. " * 3


def page(script: str, kind: str = "application/json") -> bytes:
    typed = f' type="{kind}"' if kind else ""
    head = '<html lang="bg"><head><title>Fund &amp; Co</title></head>'
    return f'{head}<body><div id="app"></div><script{typed}>{script}</script></body></html>'.encode()


def shown(raw: bytes | None) -> LexborHTMLParser:
    assert raw is not None
    return LexborHTMLParser(raw)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("", "", "application/json"),
        ("window.__INITIAL_STATE__ = ", ";start()", ""),
        ("self.__NEXT_F__=", "", "text/javascript"),
        ("const a = 1; window.__preloadedState = ", "; boot(a)", "module"),
    ],
)
def test_content_is_found_wherever_front_ends_put_it(before: str, after: str, kind: str) -> None:
    data = {"props": {"title": "Small grants", "text": TEXT, "path": "/apply?a=1&b=2", "buildId": "x y"}}
    tree = shown(document(page(before + json.dumps(data) + after, kind)))
    assert [node.text() for node in tree.css("h2")] == ["Small grants"]
    assert TEXT.strip() in tree.css_first("p").text()
    assert tree.css_first("a").attributes["href"] == "/apply?a=1&b=2"
    assert tree.css_first("title").text() == "Fund & Co" and tree.root.attributes["lang"] == "bg"


def test_markup_in_the_data_stays_markup() -> None:
    tree = shown(document(page(json.dumps({"body": f"<h3>Who</h3><p>{TEXT}</p>"}))))
    assert tree.css_first("h3").text() == "Who"


@pytest.mark.parametrize(
    "script",
    [
        json.dumps({"theme": {"colour": "dark blue sky"}, "env": {"text": TEXT}}),  # settings
        json.dumps({"title": "short"}),
        "not json at all",
        "[" * 100_000,
        "",
    ],
)
def test_what_is_no_content_is_left_to_the_browser(script: str) -> None:
    assert document(page(script)) is None


def test_structured_data_is_not_taken_for_the_page() -> None:
    assert document(page(json.dumps({"description": TEXT}), "application/ld+json")) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_any_data_gives_a_document_or_none_and_never_an_error(data: Any) -> None:
    made = document(page(json.dumps({"data": data, "text": TEXT})))
    assert made is not None
    made.decode("utf-8")
