"""What a page says of itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.crawl.pages.html import PageFacts, read_page
from surveyor.crawl.pages.scope import Scope
from surveyor.names import PageUrl, canonical_domain, parse_url
from surveyor.net.robots_meta import PageRobots

URL = parse_url("https://www.example.org/news/today.html?x=1")


def read(html: str | bytes, url: PageUrl = URL, **options: object) -> PageFacts:
    scope = Scope(canonical_domain("example.org"))
    return read_page(html, url, scope, agent_token="surveyor", **options)  # type: ignore[arg-type]


def targets(html: str) -> list[str]:
    return [target for target, _ in read(html).links]


def test_the_same_page_for_programs_is_no_page() -> None:
    """As WordPress names each page three times more."""
    kinds = ("application/json", "application/json+oembed", "text/xml+oembed")
    assert not targets("".join(f'<link rel="alternate" type="{kind}" href="/wp-json/1">' for kind in kinds))


def test_links_come_in_the_order_of_the_page_each_once() -> None:
    html = '<a href="/b">1</a><a href="a.html#top">2</a><area href="?y=2"><a href="/b#c">3</a><a href="http://example.org/c">4</a>'
    assert targets(html) == ["/b", "/news/a.html", "/news/today.html?y=2", "/c"]


def test_links_to_other_domains_are_told_apart_and_other_schemes_dropped_and_counted() -> None:
    html = "".join(
        f'<a href="{href}">x</a>'
        for href in (
            "https://other.org/a#b",
            "//other.org/a",
            "https://sub.example.org/",
            "mailto:a@example.org",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://example.org/x",
            "view-source:http://example.org/",
            "blob:http://example.org/x",
            "gopher://example.org/",
            "unix:/run/x",
            "/film.mp4",
            "#top",
            "",
        )
    )
    facts = read(html)
    assert facts.links == []
    assert facts.foreign == ["https://other.org/a", "https://sub.example.org/"]
    assert facts.dropped == 10


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ('<base href="/folder/">', "/folder/x"),
        ('<base href="sub/">', "/news/sub/x"),
        ('<base href="https://example.org/other/">', "/other/x"),
        ('<base href="data:x">', "/news/x"),
        ('<base target="_blank">', "/news/x"),
        ('<base href="/first/"><base href="/second/">', "/first/x"),
    ],
)
def test_links_start_from_the_base_element(base: str, target: str) -> None:
    assert targets(f'{base}<a href="x">x</a>') == [target]


def test_under_a_foreign_base_relative_links_are_foreign_and_neither_page_misleads_the_other() -> None:
    scope = Scope(canonical_domain("example.org"))
    for _ in range(2):
        home = read_page('<a href="/x">x</a>', URL, scope, agent_token="surveyor")
        abroad = read_page('<base href="//other.org/"><a href="/x">x</a>', URL, scope, agent_token="surveyor")
        assert (home.links, home.foreign) == ([("/x", 0)], [])
        assert (abroad.links, abroad.foreign) == ([], ["https://other.org/x"])


def test_what_is_not_markup_has_no_links() -> None:
    html = (
        '<!-- <a href="/comment"> --><script>"<a href=\'/script\'>"</script><style><a href="/style"></style>'
        '<textarea><a href="/area"></textarea><template><a href="/template"></template>'
        '<noscript><a href="/noscript">x</a></noscript>'
    )
    assert targets(html) == ["/noscript"]


def test_frames_and_links_to_neighbours_count() -> None:
    assert targets("<frameset><frame src=/left><frame src=right></frameset>") == ["/left", "/news/right"]
    assert targets('<iframe src="/in"></iframe><link rel="next" href="/2"><link rel=stylesheet href=/s>') == [
        "/in",
        "/2",
    ]
    assert targets('<link rel="alternate" hreflang="de" href="/de/">') == ["/de/"]
    assert targets('<link rel="alternate" type="text/html" hreflang="el" href="/el/">') == ["/el/"]


def test_canonical_refresh_and_feeds_are_read() -> None:
    facts = read(
        '<link rel="canonical" href="/c?utm_source=x"><meta http-equiv="Refresh" content="5; URL=\'/next\'">'
        '<link rel="alternate" type="application/rss+xml" href="/feed.json"><link rel="alternate" '
        'type="application/atom+xml" href="https://feeds.other.org/x">'
        '<link rel="sitemap" type="application/xml" href="/sitemap-index.xml">'
    )
    assert facts.canonical and facts.canonical.target == "/c"
    assert facts.refresh and facts.refresh.target == "/next"
    assert facts.feeds == ["/feed.json"]
    assert facts.sitemaps == ["/sitemap-index.xml"]


def test_a_page_that_is_its_own_canonical_says_so() -> None:
    assert read(f'<link rel=canonical href="{URL.text.replace("&", "&amp;")}">').canonical == URL


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=/a", "/a"),
        ('0; URL="/a b"', "/a%20b"),
        ("3,/a", "/a"),
        ("0;http://example.org/a", "/a"),
        ("30", None),
        ("0;url=today.html?x=1", None),
        ("0;url=javascript:alert(1)", None),
        ("0;url=", None),
        ("", None),
    ],
)
def test_a_refresh_is_read_as_browsers_read_it(content: str, target: str | None) -> None:
    found = read(f"<meta http-equiv=refresh content='{content}'>").refresh
    assert (found.target if found else None) == target


def test_what_the_page_asks_of_robots_adds_to_what_the_headers_ask() -> None:
    html = (
        '<meta name="robots" content="noindex"><meta name="Surveyor" content="noimageai"><a href="/a">x</a>'
    )
    facts = read(html)
    assert facts.robots == PageRobots.NOINDEX | PageRobots.NOIMAGEAI
    assert facts.links
    facts = read(html, asked=PageRobots.NOFOLLOW)
    assert facts.robots == PageRobots.NOINDEX | PageRobots.NOIMAGEAI | PageRobots.NOFOLLOW
    assert read('<meta name="otherbot" content="noindex, nofollow">').robots == 0


def test_a_page_that_asks_not_to_be_followed_has_no_links() -> None:
    facts = read(
        '<body><meta name=robots content="none"><a href="/a">x</a><a href="https://other.org/">y</a>'
    )
    assert (facts.links, facts.foreign, PageRobots.NOINDEX in facts.robots) == ([], [], True)


def test_text_leaves_out_what_nobody_reads() -> None:
    facts = read(
        "<title>T</title><p>One</p><script>var x</script><style>p{}</style>"
        "<noscript><style>i{}</style>No</noscript><p> Two <b>three</b></p>",
        want_text=True,
    )
    assert [line.strip() for line in facts.text.split("\n")] == ["One", "Two", "three"]
    assert facts.text_chars == len(facts.text)


def test_pages_that_read_the_same_have_the_same_hash() -> None:
    one = read("<p>Hello</p><script>1</script><a href=/a></a>")
    assert one.text_hash == read("<div><p>Hello</p></div><script>2</script>").text_hash
    assert one.text_hash != read("<p>Hallo</p>").text_hash
    assert read("<script>1</script>").text_hash == 0
    assert one.text == ""


_MENU = "".join(f"<a href=/{page}>Our {page}</a> " for page in ("projects", "people", "news", "contact"))
_SAID = "Our office is at 4 Linden Street, open on weekdays from nine to four."


@pytest.mark.parametrize(
    ("html", "is_shell"),
    [
        ('<div id="root"></div><script src="/app.js"></script>', True),
        ('<div id="app">Loading…</div><script src="/app.js"></script><a href="/">Home</a>', True),
        ("<body><noscript>You need to enable JavaScript.</noscript><script></script><a href=/x>x</a>", True),
        ("<body><script src=/x.js></script></body>", True),
        (f'<div id="root">{"word " * 60}</div><script></script>', False),
        (f"<div id=root><nav>{_MENU}</nav><main></main></div><script></script>", True),
        (f"<div id=__next><nav>{_MENU}</nav><main>{_SAID}</main></div><script></script>", False),
        (f"<p>{_SAID}</p><noscript>JavaScript shows comments.</noscript><script></script>", True),
        (f"<p>{_SAID} {_SAID}</p><noscript>JavaScript shows comments.</noscript><script></script>", False),
        ("<p>Closed on Mondays.</p>", False),
        ("<p>Closed.</p><a href=/more>More</a><script></script>", False),
        ("<script></script><iframe src=/real></iframe>", False),
        ('<script></script><meta http-equiv=refresh content="0;url=/real">', False),
        ("", False),
    ],
)
def test_a_page_that_is_empty_without_scripts_is_recognised(html: str, is_shell: bool) -> None:
    assert read(html).needs_javascript is is_shell


def test_titles_are_tidy_and_short() -> None:
    assert read("<title> A\n  &amp; B\0 </title>").title == "A & B\ufffd"
    assert read("<svg><title>Logo</title></svg><p>x").title == ""
    assert len(read(f"<title>{'x' * 10_000}</title>").title) == 500


def test_bytes_are_read_as_utf_8_and_text_as_it_is() -> None:
    assert targets('<a href="/caf\u00e9">x</a>') == ["/caf%C3%A9"]
    assert read('<a href="/caf\u00e9">x</a>'.encode()).links == [("/caf%C3%A9", 0)]


@given(st.one_of(st.text(), st.binary(), st.text(alphabet="<>/ab=\"'!-& hrefsc\0\ud800")))
def test_nothing_raises(body: str | bytes) -> None:
    facts = read(body, want_text=True, want_images=True)
    assert facts.cut is None


def test_a_parser_that_fails_leaves_a_page_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("surveyor.crawl.pages.html.LexborHTMLParser", fail)
    facts = read("<a href=/x>", asked=PageRobots.NOINDEX)
    assert (facts.cut, facts.links, facts.robots) == ("parse_failed", [], PageRobots.NOINDEX)
