"""Sitemaps and feeds with mistakes in them: the right addresses or none, and it is said."""

from __future__ import annotations

import gzip
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.crawl.page_process import read_list
from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.sitemaps.feed import parse_feed
from surveyor.crawl.sitemaps.sitemap import parse_sitemap
from surveyor.crawl.sitemaps.xmlstream import unescaped
from surveyor.names import canonical_domain, parse_url

SITE = "https://example.org"
BASE = parse_url(f"{SITE}/sitemap.xml")
SCOPE = Scope(canonical_domain("example.org"))


def listed(body: str | bytes) -> tuple[list[str], str | None]:
    found = parse_sitemap(body if isinstance(body, bytes) else body.encode(), BASE, SCOPE)
    return [target for target, _ in found.urls], found.cut


def fed(body: str | bytes) -> tuple[list[str], str | None]:
    found = parse_feed(body if isinstance(body, bytes) else body.encode(), BASE, SCOPE)
    return [target for target, _ in found.entries], found.cut


def urlset(*locs: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{SITE}{loc}</loc></url>" for loc in locs) + "</urlset>"


@pytest.mark.parametrize(
    ("body", "targets", "cut"),
    [
        (urlset("/p?a=1&b=2", "/ok?x=1&amp;y=2"), ["/p?a=1&b=2", "/ok?x=1&y=2"], None),
        (urlset("/a&nbsp;", "/ok?x=1&amp;y=2"), ["/a", "/ok?x=1&y=2"], None),
        (urlset("/caf&eacute;", "/b"), ["/caf%C3%A9", "/b"], None),
        (urlset("/a&unheard;b", "/b"), ["/b"], "damaged"),
        (urlset("/a?x=1&ampy=2", "/b"), ["/b"], "damaged"),
        (urlset("/a&#0;b", "/b&#xD800;", "/c&#99999999;", "/d"), ["/d"], "damaged"),
        (urlset("/a\ufffdb", "/b\x0b", "/c"), ["/c"], "damaged"),
        (urlset("\u00a0", "/a")[:-9].replace(SITE, f"\u00a0\u200b{SITE}"), ["/", "/a"], "broken"),
        (urlset("/a", "/b/c/d")[:-24], ["/a"], "broken"),
        (urlset("/a", "/b")[:-12], ["/a", "/b"], "broken"),
        ("\ufeff<!-- made by hand -->\n" + urlset("/a"), ["/a"], None),
        ("\u00a0\n" + urlset("/a"), ["/a"], None),
        ("Warning: mysql_connect()\n<?xml version='1.0'?>" + urlset("/a"), ["/a"], None),
        (urlset("/a").replace("</loc>", "</lok>") + urlset("/b"), ["/b"], "damaged"),
        (urlset("/a", "/b").replace("</url><url>", "<url>"), ["/b"], "damaged"),
        (urlset("/a", "/b").replace("</loc></url><url>", "</url><url>"), ["/b"], None),
        (urlset("/a\n/b", "/c"), ["/c"], "damaged"),
        (urlset("/a", "/b").replace("<loc>", "<loc>>", 1), ["/b"], "damaged"),
        (f"<urlset><url><loc><![CDATA[{SITE}/a?x=1&y=2]]></loc></url></urlset>", ["/a?x=1&y=2"], None),
        (f"<s:urlset><s:url><s:loc>{SITE}/a</s:loc></s:url></s:urlset>", ["/a"], None),
        ("<!-- " + urlset("/old") + " -->" + urlset("/a"), ["/a"], None),
        (f"{SITE}/a\n{SITE}/b\ufffd\n{SITE}/c", ["/a", "/c"], "damaged"),
    ],
)
def test_a_sitemap_with_a_mistake(body: str, targets: list[str], cut: str | None) -> None:
    assert listed(body) == (targets, cut)


def test_a_picture_of_a_page_is_not_its_address() -> None:
    image = f"<image:image><image:loc>{SITE}/i</image:loc></image:image>"
    body = f"<urlset><url>{image}<loc>{SITE}/a</loc>{image}<image:loc>{SITE}/j</image:loc></url></urlset>"
    assert listed(body) == (["/a"], None)


def test_an_older_encoding_is_read_as_declared_and_no_letter_is_guessed() -> None:
    body = '<?xml version="1.0" encoding="ISO-8859-1"?>' + urlset("/caf\xe9", "/b")
    assert listed(body.encode("latin-1")) == (["/caf%C3%A9", "/b"], None)
    assert listed(urlset("/caf\xe9", "/b").encode("latin-1")) == (["/b"], "damaged")


def test_half_a_packed_list_of_lines_gives_no_half_address() -> None:
    lines = "\n".join(f"{SITE}/page-{number}" for number in range(2_000))
    true = set(listed(lines)[0])
    found, cut = listed(gzip.compress(lines.encode())[:-2_000])
    assert found and set(found) < true and cut == "broken"


@pytest.mark.parametrize(
    ("entry", "targets"),
    [
        (f"<id>{SITE}/a</id>", ["/a"]),
        ("<id>urn:uuid:1</id>", []),
        (f"<id>{SITE}/a</id><link rel='edit' href='/e'/>", ["/a"]),
        (f"<id>{SITE}/a</id><link href='/b?x=1&y=2'/>", ["/b?x=1&y=2"]),
        (f"<source><id>{SITE}/s</id><link href='/s'/></source><id>{SITE}/a</id>", ["/a"]),
        (f"<link>\u00a0{SITE}/a\u00a0</link>", ["/a"]),
        (f"<content><p>half <br> a page<img src=x></p></content><link href='{SITE}/a'/>", []),
        (f"<content><p>half <br> a page</content><link href='{SITE}/a'/>", ["/a"]),
        (f"<title>&nbsp;&hellip;</title><link>{SITE}/a</link>", ["/a"]),
    ],
)
def test_an_entry_of_a_feed(entry: str, targets: list[str]) -> None:
    for name in ("entry", "item"):
        assert fed(f"<feed><{name}>{entry}</{name}></feed>")[0] == targets


@pytest.mark.parametrize(
    "title", ["We <3 gardens", "a < b", "Ann <ann@example.org>", "<a href=/x>A</a>", "<img alt src='/x'>"]
)
def test_a_title_that_is_not_written_as_text_costs_no_entry(title: str) -> None:
    items = f"<item><link>{SITE}/a</link></item><item><link>{SITE}/b</link></item>"
    found = fed(f"<rss><channel><title>{title}</title>{items}</channel></rss>")
    assert found == (["/a", "/b"], "damaged")


@pytest.mark.parametrize("begin", ["<!- ", "<?- ", "<x-- ", "<>-- ", "<[CDATA[", "<-- "])
def test_behind_what_may_have_been_a_comment_nothing_is_believed(begin: str) -> None:
    found = fed(f"<rss><channel>{begin}<item><link>{SITE}/old</link></item> --></channel></rss>")
    assert found == ([], "broken")


def test_what_was_not_read_whole_is_said() -> None:
    assert read_list(urlset("/a", "/b")[:-20].encode(), None, BASE, SCOPE).cut == "broken"
    assert read_list(b"<rss><item><link>/a</lin></item></rss>", None, BASE, SCOPE).cut == "damaged"
    assert read_list(b'{"items": [{"url": "/a"}', None, BASE, SCOPE).cut == "broken"


# A list with everything that lists have; {} stands for an address.
LIST = """<?xml version="1.0" encoding="UTF-8"?>
<!-- <url><loc>https://example.org/never</loc></url> -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/x">
<url><loc>{}</loc><lastmod>2024-05-01</lastmod></url>
<url>
  <image:image><image:loc>https://example.org/never</image:loc></image:image>
  <loc>{}</loc><!-- <loc>https://example.org/never</loc> -->
</url>
<url><loc><![CDATA[{}]]></loc></url><url><loc> {} </loc><priority>0.5</priority></url>
</urlset>"""
ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><id>https://example.org/never</id>
<entry><title>A &amp; B</title><link rel="alternate" href="{}"/><updated>2024-05-01T00:00:00Z</updated>
<source><link href="https://example.org/never"/></source></entry>
<entry><link rel="edit" href="https://example.org/never"/><link href='{}'/></entry>
<entry><id>{}</id></entry><entry><link>{}</link><!-- <link>https://example.org/never</link> --></entry>
</feed>"""
PATHS = ["/a?x=1&amp;y=2", "/b/c-d.html", "/e?f=g&h", "/i/j"]
WRITTEN = [f"{SITE}{path}" for path in PATHS]


@pytest.mark.parametrize(("text", "read"), [(LIST, listed), (ATOM, fed)], ids=["sitemap", "feed"])
@given(st.data())
def test_one_wrong_byte_changes_no_other_address(text: str, read: object, data: st.DataObject) -> None:
    assert callable(read)
    body = text.format(*WRITTEN).encode()
    true, _ = read(body)
    assert len(true) == len(PATHS) and "/never" not in true
    at = data.draw(st.integers(0, len(body) - 1))
    byte = data.draw(
        st.sampled_from([b"", b"<", b">", b"&", b"x", b" ", b"/", b'"', b"-", b"]", b"\xff", b"\0"])
    )
    found, _ = read(body[:at] + byte + body[at + 1 :])
    odd = [target for target in found if target not in true]
    starts = [body.index(address.encode()) for address in WRITTEN]
    own = any(
        start <= at + 1 < start + len(address) + 2 for start, address in zip(starts, WRITTEN, strict=True)
    )
    assert len(odd) <= own  # a byte of an address itself cannot be told from another address
    assert "/never" not in found


@pytest.mark.parametrize(("text", "read"), [(LIST, listed), (ATOM, fed)], ids=["sitemap", "feed"])
def test_cut_anywhere_it_gives_none_but_true_addresses(text: str, read: object) -> None:
    assert callable(read)
    body = text.format(*WRITTEN).encode()
    true, _ = read(body)
    for end in range(len(body)):
        found, cut = read(body[:end])
        assert found == true[: len(found)]
        assert cut is not None or len(found) == len(true) or not found


@given(st.text(alphabet="&;#xamplt123 é\ufffd"))
def test_a_text_is_known_or_not_and_nothing_raises(text: str) -> None:
    found = unescaped(text)
    assert found is None or "\ufffd" not in found


def test_a_million_beginnings_of_tags_cost_no_more_than_their_bytes() -> None:
    begun = process_time()
    listed(b"<urlset><url>" + b"<" * 1_500_000 + b">")
    assert process_time() - begun < 5
