"""What may be read on the event loop: bounded work for every element and encoding, counted, not timed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selectolax.lexbor import LexborHTMLParser

from bench.loop import ELEMENTS, shapes
from surveyor.crawl.page_process import PageReader
from surveyor.crawl.pages.html import PageFacts, read_page
from surveyor.crawl.pages.links import TooHeavy
from surveyor.crawl.pages.scope import Scope
from surveyor.names import canonical_domain, parse_url
from surveyor.net import charset, markup
from surveyor.net.markup import LIGHT_BYTES, contained

URL = parse_url("https://example.org/a/")
# Nodes of a tree and steps from the root: what a light page may come to at the worst.
MOST_NODES, MOST_STEPS = 40_000, 3_000_000


def scope() -> Scope:
    return Scope(canonical_domain("example.org"))


def depths(tree: LexborHTMLParser) -> Iterator[int]:
    node, depth = tree.root, 0
    while node is not None:
        yield depth
        if node.child is not None:
            node, depth = node.child, depth + 1
            continue
        while node is not None and node.next is None:
            node, depth = node.parent, depth - 1
        node = node.next if node is not None else None


def light(raw: bytes) -> PageFacts | None:
    try:
        return read_page(raw, URL, scope(), agent_token="surveyor", light=True)
    except TooHeavy:
        return None


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_light_page_makes_a_small_tree_whatever_it_is_made_of(element: str) -> None:
    for raw in shapes(element, LIGHT_BYTES).values():
        kept = markup.light(raw)
        if kept is not None:
            found = list(depths(LexborHTMLParser(kept)))
            assert len(found) <= MOST_NODES
            assert len(found) * max(found) <= MOST_STEPS


@pytest.mark.parametrize("element", ["rt", "rp", "rb", "optgroup", "ruby", "div", "b", "font", "ul", "x-y"])
def test_what_nests_without_end_is_heavy_and_cut(element: str) -> None:
    raw = f"<{element}>".encode() * (240_000 // (len(element) + 2))
    assert markup.light(raw[:LIGHT_BYTES]) is None
    kept, why = contained(raw)
    deepest = max(depths(LexborHTMLParser(kept)))
    assert (why == "too_deep" or element in ("b", "font")) and deepest < 3_000


@pytest.mark.parametrize(
    "raw",
    [
        b"<p>" * 3_001,
        b"<div>" * 1_001,
        b"x" * (LIGHT_BYTES + 1),
        b"<a " + b"b c " * 1_000 + b">",
        b"<a " + b' x=">"' * 200 + b" y" * 200 + b">",
        b"".join(b"<i x=%d>" % number for number in range(20)) + b"<p>x" * 500,
        b"<p>a\0b</p>",
        b"".join(b"<a href=//%d.example.net>" % number for number in range(700)),
        b"<a href='/" + b"%c3%a9" * 6_000 + b"'>",
    ],
)
def test_a_page_that_could_take_long_is_not_read_on_the_loop(raw: bytes) -> None:
    assert light(raw) is None


@pytest.mark.parametrize(
    "raw",
    [
        b"<div><p>words and <a href=/a>links</a>, <b>bold</b></p></div>" * 300,
        b"<script>" + b"var a = '<' + 1;" * 2_000 + b"</script><p>text</p>",
        b"<p>one</p>" * 1_400,
        b"<li>one" * 900,
        b"<script>" + b"for (i=0; i<a.length;i++) { if (a<b) { c d e f g } }" * 300 + b"</script><p>text</p>",
        b"<style>" + b"a { color: red } " * 1_000 + b"</style>",
    ],
)
def test_an_ordinary_page_is_read_on_the_loop(raw: bytes) -> None:
    assert light(raw) is not None


def test_titles_and_notices_are_looked_at_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    import surveyor.crawl.pages.html as module

    looked = []
    monkeypatch.setattr(
        module, "_WANTS_SCRIPTS", type("Counts", (), {"search": lambda _, text: looked.append(text)})()
    )
    read_page(b"<noscript>x" * 900, URL, scope(), agent_token="surveyor")
    assert len(looked) <= 20


@pytest.mark.parametrize("label", sorted(charset._LABELS))
def test_a_byte_that_means_nothing_costs_no_call_of_its_own(
    label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every label: one byte, one character by a table; the rest by codecs that replace in C."""
    name = charset.encoding_for(label)
    codec = charset._CODECS.get(name or "")
    if codec is None or codec in charset._WIDER:
        return
    every = bytes(range(256))
    assert charset._decoded(every, str(name)) == every.decode(codec, "replace")
    assert charset._table(codec) is not None


async def test_heavy_pages_come_back_from_the_child_as_they_would_be_here() -> None:
    body = (
        b"<title>T</title><link rel=canonical href=/c><meta http-equiv=refresh content='0;url=/r'>"
        + b"".join(
            b"<p>Text %d <a href=/p/%d?a=b>x</a><img src=/i%d.jpg width=99 height=99>" % (n, n, n)
            for n in range(2_000)
        )
    )
    reader = PageReader()
    try:
        wishes = {"agent_token": "surveyor", "want_images": True, "want_text": True}
        there = await reader.page(body, "text/html", URL, scope(), **wishes)  # type: ignore[arg-type]
        assert there == read_page(body, URL, scope(), **wishes)  # type: ignore[arg-type]
        assert len(there.links) > 1_900 and there.canonical is not None
        sitemap = b"<urlset>" + b"".join(
            b"<url><loc>https://example.org/%d</loc><lastmod>2024-05-01</lastmod></url>" % n
            for n in range(2_000)
        )
        listed = await reader.list(sitemap, "text/xml", URL, scope())
        assert (len(listed.pages), len(listed.lastmods), listed.cut) == (2_000, 2_000, "broken")
    finally:
        await reader.close()


async def test_a_page_that_stops_its_child_cannot_be_read_and_the_next_one_can() -> None:
    reader = PageReader(seconds=0.001)
    try:
        page = await reader.page(b"<p>" * 200_000, None, URL, scope(), agent_token="surveyor")
        assert page.cut == "parse_failed"
        assert (await reader.page(b"<p>short", None, URL, scope(), agent_token="surveyor")).cut is None
    finally:
        await reader.close()
