"""Markup made to hurt the parser is cut or defused before, and other markup passes as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from surveyor.crawl.pages.html import read_page
from surveyor.crawl.pages.scope import Scope
from surveyor.names import canonical_domain, parse_url
from surveyor.net.markup import MAX_BYTES, MAX_TAGS, contained

MIB = 1024 * 1024
LINK = b'<a href="/found">x</a>'


def formatting(count: int, attribute: bytes = b"a%d") -> bytes:
    """Elements left open in one paragraph, which the parser opens again in each of the next."""
    return (
        b"<p>"
        + b"".join(b"<b %s>" % (attribute % number) for number in range(count))
        + b"</p>"
        + b"<p>x</p>" * count
    )


HOSTILE = {
    "nested deeply": (b"<div>" * 100_000, "too_deep"),
    "nested deeply, closing at random": (b"<div></i></x>" * 60_000, "too_deep"),
    "nested in tables": (b"<table><td>" * 100_000, "too_deep"),
    "formatting": (b"<b><i>" * 170_000, "too_deep"),
    "formatting opened again and again": (formatting(2_000), None),
    "formatting with a tag's end in it": (formatting(1_500, b'a%d="</b>"'), None),
    "formatting in capitals": (formatting(2_000).replace(b"<b", b"<STRONG"), None),
    "closing what is not open": (b"<b>" + b"<div>" * 20_000 + b"</b>" * 20_000, "too_deep"),
    "a million attributes": (
        b"<p " + b" ".join(b"a%d=1" % n for n in range(1_000_000)) + b">",
        "too_long",
    ),
    "attributes without blanks": (
        b"<p/" + b"/".join(b"a%d" % n for n in range(200_000)) + b">",
        "endless_tag",
    ),
    "attributes that hold tags": (
        b"<p " + b" ".join(b"a%d='<>'" % n for n in range(100_000)) + b">",
        "endless_tag",
    ),
    "five million links": (b"<a href=/x>" * 5_000_000, "too_many_tags"),
    "one long text": (b"x " * (5 * MIB), "too_long"),
    "an unclosed comment": (b"<!--" + b"x" * 10 * MIB, "too_long"),
    "an unclosed comment with tags": (b"<!--" + b"<a href=/x>" * 100_000, None),
    "an unclosed script": (b"<script>" + b"a<b && " * 100_000, None),
    "an unclosed attribute": (b'<a href="' + b"x" * 200_000, "endless_tag"),
    "only zeros": (b"\0" * 10 * MIB, "too_long"),
    "lone surrogates": (b"\xed\xa0\x80" * 1_000_000, None),
}


def memory(which: str) -> float:
    """MiB: VmRSS is what is held now, VmHWM the most since `forget_peak`."""
    found = re.search(rf"{which}:\s+([0-9]+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) / 1024


def forget_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pytest.skip("this system does not tell how much memory was used in between")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markup_is_contained(name: str) -> None:
    """Without the guard, minutes or gigabytes."""
    body, cut = HOSTILE[name]
    body = LINK + body
    scope = Scope(canonical_domain("example.org"))
    forget_peak()
    before = memory("VmRSS")
    facts = read_page(body, parse_url("https://example.org/"), scope, agent_token="surveyor")
    assert memory("VmHWM") - before < 64
    assert facts.cut == cut
    assert ("/found", 0) in facts.links


def test_ordinary_pages_pass_as_they_are() -> None:
    paragraph = b'<p><b class="x">bold</b> and <i class="y">thin</i> words, <a href="/x?a=1">link</a>.</p>\n'
    for page in (b"", b"<p>x", paragraph * 30, b"<ul>" + b"<li>x" * 3_000 + b"</ul>" + b"word " * 10_000):
        assert contained(page) == (page, None)


def test_large_ordinary_pages_keep_their_links_and_text() -> None:
    script = b"<script>if (a<b && c>d) { e = '<p>' + \"it's\" }</script>" * 50
    row = b'<tr><td><b class="n">%d</b><td><a href="/row/%d" title="a > b">x</a> <br> y\n'
    page = (
        b"<!doctype html>" + script + b"<table>" + b"".join(row % (n, n) for n in range(5_000)) + b"</table>"
    )
    scope = Scope(canonical_domain("example.org"))
    facts = read_page(page, parse_url("https://example.org/"), scope, agent_token="surveyor", want_text=True)
    assert facts.cut is None
    assert len(facts.links) == 5_000
    assert "4999" in facts.text.split("\n")


@pytest.mark.parametrize(
    "odd",
    [
        b"<p class=\"a\"id='b'title=c>",
        b"<p =x \"'>",
        b"<p a='>' b=\">\">",
        b"<!--><p>--><!---><p><!-- x --!><p><!-- <script> -->",
        b"<script>var a = '<!--';</script><style>a>b{}</style>",
        b"<SCRIPT async>if(a<b){}</SCRIPT >",
        b"1 < 2 <<p>> </> <?php ?> <![CDATA[ <p> ]]>",
        b"<svg><title>x</title><style>y</style><script>z</script></svg>",
    ],
)
def test_large_pages_with_odd_markup_keep_their_links(odd: bytes) -> None:
    page = (odd + b"<p>word word word") * 3_000 + LINK
    assert len(page) > 64 * 1024
    scope = Scope(canonical_domain("example.org"))
    facts = read_page(page, parse_url("https://example.org/"), scope, agent_token="surveyor")
    assert facts.cut is None
    assert facts.links == [("/found", 0)]


def test_a_comment_without_content_ends_at_once() -> None:
    for comment in (b"<!-->", b"<!--->"):
        page = comment + LINK + b"word " * 20_000
        scope = Scope(canonical_domain("example.org"))
        assert read_page(page, parse_url("https://example.org/"), scope, agent_token="surveyor").links


def test_the_limits_are_said() -> None:
    assert contained(b"<br>" * (MAX_TAGS + 1))[1] == "too_many_tags"
    assert contained(b"x" * (MAX_BYTES + 1)) == (b"x" * MAX_BYTES, "too_long")
