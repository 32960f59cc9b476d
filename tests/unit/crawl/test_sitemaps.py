"""Lists of URLs that a site gives, honest and hostile."""

from __future__ import annotations

import gzip
import threading
from datetime import UTC, datetime
from pathlib import Path
from socket import create_server

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.crawl.pages.scope import Scope
from surveyor.crawl.sitemaps.feed import MAX_ENTRIES, parse_feed
from surveyor.crawl.sitemaps.sitemap import Sitemap, parse_sitemap, parse_time
from surveyor.names import canonical_domain, parse_url

BASE = parse_url("https://www.example.org/sitemap.xml")
SCOPE = Scope(canonical_domain("example.org"))
HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n'
URLSET = HEAD + b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
LAUGHS = (
    b'<!DOCTYPE x [<!ENTITY a0 "ha">'
    + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12))
    + b"]>"
)


def url(target: bytes, extra: bytes = b"") -> bytes:
    return b"<url><loc>https://www.example.org" + target + b"</loc>" + extra + b"</url>"


def read(body: bytes, limit: int = 50_000) -> Sitemap:
    return parse_sitemap(body, BASE, SCOPE, limit)


def test_urls_come_with_the_time_of_their_change() -> None:
    body = (
        URLSET
        + url(b"/a", b"<lastmod>2024-05-01</lastmod><priority>1</priority>")
        + url(b"/b?x=1&amp;y=2")
        + b"</urlset>"
    )
    assert read(body) == Sitemap(
        [("/a", datetime(2024, 5, 1, tzinfo=UTC)), ("/b?x=1&y=2", None)], [], 0, None
    )


def test_what_is_not_of_the_site_or_no_page_is_dropped() -> None:
    body = URLSET + b"".join(
        b"<url><loc>%s</loc></url>" % each
        for each in (
            b"https://other.org/",
            b"ftp://example.org/",
            b"javascript:1",
            b"file:///etc/passwd",
            b"",
            b"http://example.org/a.zip",
            b" https://example.org/ok\n",
        )
    )
    found = read(body)
    assert (found.urls, found.dropped) == ([("/ok", None)], 6)


def test_an_index_names_its_children_but_not_itself() -> None:
    body = (
        HEAD
        + b"<sitemapindex><sitemap><loc>https://example.org/1.xml.gz</loc><lastmod>2024</lastmod></sitemap>"
    )
    body += b"<sitemap><loc>https://example.org/sitemap.xml</loc></sitemap><sitemap><loc>https://x.org/2.xml</loc></sitemap>"
    found = read(body + b"</sitemapindex>")
    assert (found.urls, found.children, found.dropped) == ([], ["/1.xml.gz"], 2)


def test_packed_lists_are_unpacked() -> None:
    body = URLSET + b"".join(url(b"/%d" % number) for number in range(5_000)) + b"</urlset>"
    assert len(read(gzip.compress(body)).urls) == 5_000


def test_plain_lists_are_read_line_by_line() -> None:
    found = read("\ufeffhttps://example.org/ü\r\n\r\nnot a url\nhttp://www.example.org/b".encode())
    assert (found.urls, found.dropped) == ([("/%C3%BC", None), ("/b", None)], 1)


def test_small_mistakes_are_read_over() -> None:
    body = (
        b"\n\xef\xbb\xbf<urlset>" + url(b"/a?x=1&y=2") + url(b"/b") + b"<url><loc>https://example.org/c</loc>"
    )
    assert [target for target, _ in read(body).urls] == ["/a?x=1&y=2", "/b", "/c"]
    assert read(
        ("<?xml version='1.0' encoding='utf-16'?><urlset>" + url(b"/a").decode() + "</urlset>").encode(
            "utf-16"
        )
    ).urls


def test_there_is_a_limit() -> None:
    body = URLSET + b"".join(url(b"/%d" % number) for number in range(101)) + b"</urlset>"
    assert (len(read(body, 100).urls), read(body, 100).cut) == (100, "too_many_urls")
    assert read(body, 101).cut is None


HOSTILE = {
    "entities in entities": HEAD + LAUGHS + b"<urlset>" + url(b"/&a11;") + b"</urlset>",
    "entities in attributes": HEAD + LAUGHS + b"<urlset><url x='&a11;'></url></urlset>",
    "one long entity, often": HEAD
    + b'<!DOCTYPE x [<!ENTITY a "'
    + b"x" * 100_000
    + b'">]><urlset>'
    + url(b"/" + b"&a;" * 50_000),
    "deep": HEAD + b"<a>" * 1_000_000,
    "deep records": URLSET + b"<url>" * 200_000,
    "nothing but mistakes": b"<" * 5_000_000,
    "mistakes in tags": HEAD + b"<a &" * 1_000_000,
    "many attributes": URLSET + b"<url " + b" ".join(b'a%d="1"' % n for n in range(200_000)) + b"></url>",
    "an endless text": URLSET + b"<url><loc>" + b"x" * 12_000_000,
    "an endless line": b"x" * 12_000_000,
    "blanks packed": gzip.compress(b"<urlset>" + b" " * 80_000_000, 1),
    "packed twice": gzip.compress(gzip.compress(b"0" * 50_000_000, 1), 1),
    "packed and cut off": gzip.compress(URLSET + url(b"/a") * 1_000)[:-40],
    "zeros": b"\0" * 1_000_000,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_lists_are_contained(name: str) -> None:
    assert len(read(HOSTILE[name]).urls) <= 1
    parse_feed(HOSTILE[name], BASE, SCOPE)


def test_nothing_outside_is_touched(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    asked = threading.Event()
    with create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)

        def listen() -> None:
            try:
                server.accept()
                asked.set()
            except TimeoutError:
                pass

        listener = threading.Thread(target=listen)
        listener.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd"
        entities = f'<!ENTITY e SYSTEM "file://{secret}"><!ENTITY h SYSTEM "{address}">'
        doctype = f'<!DOCTYPE x SYSTEM "{address}" [{entities}]>'
        body = HEAD + doctype.encode() + b"<urlset>" + url(b"/&e;") + url(b"/&h;") + url(b"/c") + b"</urlset>"
        found = read(body)
        listener.join()
    assert found.urls == [("/c", None)]
    assert not asked.is_set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-01T10:00:00+02:00", datetime(2024, 5, 1, 8, tzinfo=UTC)),
        ("2024-05-01T10:00:00Z", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        (" 2024-05 ", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        ("2024-13-01", None),
        ("", None),
    ],
)
def test_times_are_read_leniently(text: str, found: datetime | None) -> None:
    assert parse_time(text) == found


RSS = b"""<rss><channel><link>https://example.org/</link>
<item><link> https://example.org/a </link><pubDate>Wed, 01 May 2024 10:00:00 +0200</pubDate></item>
<item><guid>https://example.org/b</guid></item>
<item><guid isPermaLink="false">https://example.org/no</guid></item>
<item><link>https://other.org/</link></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="/self"/>
<entry><link rel="enclosure" href="/x.html"/><link rel="alternate" href="a"/>
<published>2024-01-01T00:00:00Z</published><updated>2024-05-01T08:00:00Z</updated></entry>
<entry><link href="/b"/></entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><item><link>https://example.org/a</link>
<dc:date>2024-05-01T08:00:00Z</dc:date></item><item><link>/b</link></item></rdf:RDF>"""
JSON = b"""{"items": [{"url": "https://example.org/a", "date_published": "2024-05-01T08:00:00Z"},
{"external_url": "/b"}, {"url": 7}, "x", {"url": "javascript:1"}]}"""


@pytest.mark.parametrize("body", [RSS, ATOM, RDF, JSON], ids=["rss", "atom", "rdf", "json"])
def test_feeds_name_pages_with_their_dates(body: bytes) -> None:
    found = parse_feed(body, parse_url("https://example.org/feed"), SCOPE)
    assert found == ([("/a", datetime(2024, 5, 1, 8, tzinfo=UTC)), ("/b", None)], None)


@pytest.mark.parametrize("body", [b'{"items": ' + b"[" * 500_000, b'{"items": {}}', b"[]", b"{", b"null"])
def test_odd_json_is_no_feed(body: bytes) -> None:
    assert parse_feed(body, BASE, SCOPE).entries == []


def test_feeds_have_a_limit() -> None:
    body = (
        b"<rss>"
        + b"".join(b"<item><link>/%d</link></item>" % number for number in range(MAX_ENTRIES + 5))
        + b"</rss>"
    )
    assert len(parse_feed(body, BASE, SCOPE).entries) == MAX_ENTRIES


@given(st.one_of(st.binary(), st.text(alphabet="<>/urlocsitemape&;!?= \"'\0[]{}:").map(str.encode)))
def test_nothing_raises(body: bytes) -> None:
    for wrapped in (body, gzip.compress(body), URLSET + body):
        read(wrapped)
        parse_feed(wrapped, BASE, SCOPE)
