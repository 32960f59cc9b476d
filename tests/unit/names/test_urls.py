"""Canonical URLs: what is dropped, what is kept, how a page's links are resolved."""

from __future__ import annotations

import pytest

from surveyor.errors import NotADomain, NotAUrl
from surveyor.names import NameRules, PageUrl, canonical_domain, parse_url, resolve, url_key

BASE = "https://www.example.org/a/b.html?q=1"
HOSTS = NameRules(allow_hosts=True)
MD5 = "d41d8cd98f00b204e9800998ecf8427e"

TARGETS = [
    ("/", "/"),
    ("", "/"),
    ("?", "/"),
    ("?#", "/"),
    ("#top", "/"),
    ("/a#top", "/a"),
    ("/a?", "/a"),
    ("/a?#top", "/a"),
    ("/a?x=1#top?y=2", "/a?x=1"),
    # dots, slashes, case, order
    ("/a/./b/../c", "/a/c"),
    ("/../../a", "/a"),
    ("/a/%2e%2E/b", "/b"),
    ("/a/.%2e", "/"),
    ("/a//b", "/a//b"),
    ("//a", "//a"),
    ("/a\\b\\..\\c", "/a/c"),
    ("/About/Us", "/About/Us"),
    ("/a?b=2&a=1&b=1", "/a?b=2&a=1&b=1"),
    ("/a?x", "/a?x"),
    ("/a?&", "/a?&"),
    ("/a?x=1&&y=2", "/a?x=1&&y=2"),
    ("/a?X=Y", "/a?X=Y"),
    # encoding
    ("/café", "/caf%C3%A9"),
    ("/caf%c3%a9", "/caf%C3%A9"),
    ("/caf%C3%a9?q=%c3%a9", "/caf%C3%A9?q=%C3%A9"),
    ("/%7Euser", "/~user"),
    ("/%7euser", "/~user"),
    ("/%41%62%63%2D%5F%2E%30%5A%7A%39%7E", "/Abc-_.0Zz9~"),
    ("/%40%5B%60%7B%2f%3A%5e", "/%40%5B%60%7B%2F%3A%5E"),
    ("/a%2Fb", "/a%2Fb"),
    ("/a%2fb", "/a%2Fb"),
    ("/a%3Fb%23c", "/a%3Fb%23c"),
    ("/a%25b", "/a%25b"),
    ("/a%2541", "/a%2541"),
    ("/%%341", "/%%341"),
    ("/%4%31", "/%4%31"),
    ("/%zz%", "/%zz%"),
    ("/a b", "/a%20b"),
    ("/a%20b?c d", "/a%20b?c%20d"),
    ("/a+b?c+d", "/a+b?c+d"),
    ("/a?q=%41%7e", "/a?q=%41%7E"),
    ("/a?q='\"<>", "/a?q=%27%22%3C%3E"),
    ("/x/%2e%2e;a", "/x/..;a"),
    # tracking
    ("/a?utm_source=x", "/a"),
    ("/a?UTM_Source=x&utm_medium=y", "/a"),
    ("/a?utm_source=x&id=7", "/a?id=7"),
    ("/a?id=7&utm_anything", "/a?id=7"),
    ("/a?b=1&gclid=2&c=3&fbclid=4&msclkid=5", "/a?b=1&c=3"),
    ("/a?mc_cid=1&mc_eid=2&_ga=3&igshid=4&yclid=5", "/a"),
    ("/a?_hsenc=1&mkt_tok=2&hsCtaTracking=3&gbraid=4&wbraid=5", "/a"),
    ("/a?mtm_campaign=1&pk_campaign=2&pk_kwd=3", "/a"),
    ("/a?utm=1&my_utm_source=2", "/a?utm=1&my_utm_source=2"),
    ("/a?ref=1&source=2&cid=3&campaign=4&pk=5", "/a?ref=1&source=2&cid=3&campaign=4&pk=5"),
    ("/utm_source=x", "/utm_source=x"),
    ("/a?q=utm_source", "/a?q=utm_source"),
    ("/a?q=gclid%3D1", "/a?q=gclid%3D1"),
    ("/gclid?x=gclid", "/gclid?x=gclid"),
    # sessions
    (f"/a?PHPSESSID={MD5}&b=1", "/a?b=1"),
    ("/a?phpsessid=short", "/a"),
    ("/a?jsessionid=0A1B&x=1", "/a?x=1"),
    ("/a;jsessionid=0A1B", "/a"),
    ("/a;JSESSIONID=0A1B.node1?x=1", "/a?x=1"),
    ("/a;jsessionid=1/b;jsessionid=2", "/a/b"),
    ("/a;v=1;jsessionid=2;w=3", "/a;v=1;w=3"),
    ("/;jsessionid=1", "/"),
    ("/a;jsessionid=.;jsessionid=2", "/a"),
    ("/a;v=1", "/a;v=1"),
    ("/a/..;jsessionid=1", "/a/..;jsessionid=1"),
    ("/a/%2E%2E;jsessionid=1", "/a/..;jsessionid=1"),
    ("/a;%6Asessionid=1", "/a"),
    ("/a?ASPSESSIONIDQQBCDXYZ=KJH", "/a"),
    ("/a?CFID=1&CFTOKEN=2&p=3", "/a?p=3"),
    (f"/a?osCsid={MD5}&zenid=x", "/a"),
    (f"/a?sid={MD5}", "/a"),
    (f"/a?SID={MD5.upper()}&t=1", "/a?t=1"),
    (f"/a?session_id={MD5}{MD5}", "/a"),
    ("/a?sid=12", "/a?sid=12"),
    ("/a?sid=507f1f77bcf86cd799439011", "/a?sid=507f1f77bcf86cd799439011"),
    ("/a?session_id=keynote", "/a?session_id=keynote"),
    (f"/a?id={MD5}", f"/a?id={MD5}"),
]


@pytest.mark.parametrize(("written", "target"), TARGETS)
def test_a_target_has_one_spelling(written: str, target: str) -> None:
    url = parse_url(f"https://example.org{written}")
    assert url == PageUrl("https", "example.org", canonical_domain("example.org"), target)
    assert parse_url(url.text) == url


@pytest.mark.parametrize(
    ("text", "scheme", "host", "domain"),
    [
        ("http://example.org/", "http", "example.org", "example.org"),
        ("HTTPS://EXAMPLE.ORG/", "https", "example.org", "example.org"),
        ("https://www.example.org/", "https", "www.example.org", "example.org"),
        ("https://www.example.org./", "https", "www.example.org", "example.org"),
        ("https://www.example.org.:8080/", "https", "www.example.org:8080", "example.org:8080"),
        ("https://example.org:443/", "https", "example.org", "example.org"),
        ("http://example.org:80/", "http", "example.org", "example.org"),
        ("http://example.org:443/", "http", "example.org:443", "example.org"),
        ("https://example.org:80/", "https", "example.org:80", "example.org"),
        ("https://www.münchen.de/", "https", "www.xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("https://m%C3%BCnchen.de/", "https", "xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("https://user:secret@example.org/", "https", "example.org", "example.org"),
        (" https://example.org/ \n", "https", "example.org", "example.org"),
    ],
)
def test_a_host_is_what_a_browser_asks_for(text: str, scheme: str, host: str, domain: str) -> None:
    assert parse_url(text) == PageUrl(scheme, host, canonical_domain(domain), "/")
    assert parse_url(text).text == f"{scheme}://{host}/"


@pytest.mark.parametrize(
    ("href", "text"),
    [
        ("/x", "https://www.example.org/x"),
        ("c.html", "https://www.example.org/a/c.html"),
        ("../c.html", "https://www.example.org/c.html"),
        ("./", "https://www.example.org/a/"),
        ("", "https://www.example.org/a/b.html?q=1"),
        ("#top", "https://www.example.org/a/b.html?q=1"),
        ("?p=2", "https://www.example.org/a/b.html?p=2"),
        ("//other.org/x", "https://other.org/x"),
        ("//other.org", "https://other.org/"),
        ("http://other.org", "http://other.org/"),
        ("https:c.html", "https://www.example.org/a/c.html"),
        ("  /x\n", "https://www.example.org/x"),
        ("/x\n/y\t/z", "https://www.example.org/x/y/z"),
        ("ht\ntps://oth\ter.org/", "https://other.org/"),
        ("\\x", "https://www.example.org/x"),
        ("\\\\other.org\\x", "https://other.org/x"),
        ("http:/\\other.org/x", "http://other.org/x"),
        ("http://a@b@other.org/x", "http://other.org/x"),
        ("http://other.org\\@evil.org/x", "http://other.org/@evil.org/x"),
        ("http://other.org#@evil.org/x", "http://other.org/"),
        ("https://other.org:8443/x?utm_source=y", "https://other.org:8443/x"),
        ("https://oth%65r.org/", "https://other.org/"),
        ("/a/" + "é" * 300, "https://www.example.org/a/" + "%C3%A9" * 300),
    ],
)
def test_a_link_leads_where_a_browser_would_go(href: str, text: str) -> None:
    found = resolve(BASE, href)
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    "href",
    [
        "mailto:a@b.org",
        "javascript:void(0)",
        "java\nscript:alert(1)",
        " javascript:x",
        "tel:+49",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://other.org/",
        "gopher://other.org/",
        "blob:https://other.org/x",
        "view-source:https://other.org/",
        "unix:/x",
        "ws://other.org/",
        "http://",
        "http://localhost/",
        "http://127.0.0.1/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://co.uk/",
        "http://other.org:99999/",
        "http://other.org:0/",
        "http://other..org/",
        "http://ot her.org/",
        "http://oth%00er.org/",
        "http://xn--a.com/",
        "http://" + "a" * 64 + ".com/",
        "http://" + "一" * 1_500 + ".com/",
        "/" + "a" * 2_000,
        "/x#" + "a" * 2_000,
        "/" + "é" * 500,
        "/\ud800",
        "https://oth\ud800er.org/",
    ],
)
def test_a_link_that_leads_nowhere_is_none(href: str) -> None:
    assert resolve(BASE, href) is None


@pytest.mark.parametrize(
    "start",
    ["http://", "//", "\\\\", "http:", "http:\\", "ht\ntp:/\t/", " \x00http://", "//user@", "https:///"],
)
def test_a_long_foreign_host_is_refused_before_the_costly_part(
    start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def costly(*_: str) -> str:
        raise AssertionError("a name of this length must not be looked at")

    monkeypatch.setattr("surveyor.names.urls.join_url", costly)
    assert resolve(BASE, f"{start}{'一' * 300}.com/") is None


def test_a_long_foreign_path_is_not_taken_for_a_host() -> None:
    for href in (
        "/" + "é" * 280,
        "é" * 280,
        "https://other.org/" + "é" * 280,
        "?" + "é" * 280,
        "#" + "é" * 280,
    ):
        assert resolve(BASE, href) is not None


@pytest.mark.parametrize("base", ["", "example.org", "/x", "mailto:a@b.org", "https://", "\ud800", "data:x"])
def test_a_base_that_is_no_url_leads_nowhere(base: str) -> None:
    assert resolve(base, "x") is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("example.org", "write https:// or http:// in front of it"),
        ("/path", "write https:// or http:// in front of it"),
        ("example.org:8080/x", "is not http:// or https://"),
        ("mailto:a@b.org", "“mailto:” is not http:// or https://"),
        ("javascript:alert(1)", "“javascript:” is not http:// or https://"),
        ("ftp://example.org/", "“ftp:” is not http:// or https://"),
        ("file:///etc/passwd", "“file:” is not http:// or https://"),
        ("http:/\\example.org/", "there must be two slashes"),
        ("http:example.org", "there must be two slashes"),
        ("http:///example.org", "there is no host name in it"),
        ("http://example.org\\@evil.org/", "backslash"),
        ("\\\\example.org/", "backslash"),
        ("http://a@b@example.org/", "“@”"),
        ("http://example.org#@evil.org/", "“@”"),
        ("http://example.org/a\tb", "control character U+0009"),
        ("http://exa\nmple.org/", "control character U+000A"),
        ("http://example.org/\x00", "control character U+0000"),
        ("http://example.org/" + "a" * 2_000, "longer than 2,000 characters"),
        ("http://example.org/" + "é" * 1_000, "longer than 2,000 characters when encoded"),
    ],
)
def test_a_text_is_no_url_for_a_reason(text: str, reason: str) -> None:
    with pytest.raises(NotAUrl) as refusal:
        parse_url(text)
    assert reason in refusal.value.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("http://localhost/", "single label"),
        ("http://127.1/", "IP address"),
        ("http://github.io/", "public suffix"),
        ("http://exa mple.org/", "space"),
        ("http://example.org:99999/", "port"),
        ("http://example.org:0/", "port 0"),
        ("http://exa%00mple.org/", "percent-encoded"),
        ("http://1.2.3.4.5/", "ends in a number"),
        ("http://xn--a.org/", "not a valid international label"),
        ("http://" + "一" * 1_000 + "/", "longer than 253"),
    ],
)
def test_a_url_of_no_domain_says_what_is_wrong_with_the_host(text: str, reason: str) -> None:
    with pytest.raises(NotADomain) as refusal:
        parse_url(text)
    assert reason in refusal.value.reason


def test_rules_reach_the_domain_of_a_url() -> None:
    local = parse_url("http://127.0.0.1:8080/x", rules=HOSTS)
    assert (local.host, local.domain, local.text) == (
        "127.0.0.1:8080",
        "127.0.0.1:8080",
        "http://127.0.0.1:8080/x",
    )
    assert resolve("http://[::1]:8080/", "y", HOSTS) == ("http", "[::1]:8080", "[::1]:8080", "/y")
    collapsed = resolve(BASE, "http://a.b.other.org/", NameRules(collapse_subdomains=True))
    assert collapsed is not None
    assert (collapsed.host, collapsed.domain) == ("a.b.other.org", "other.org")


def test_a_url_key_is_a_stable_signed_number_of_64_bits() -> None:
    assert url_key("/") == url_key("/")
    assert url_key("/a") != url_key("/A")
    keys = [url_key(f"/{i}") for i in range(1_000)]
    assert len(set(keys)) == 1_000
    assert min(keys) < 0 < max(keys)
    assert all(-(2**63) <= key < 2**63 for key in keys)


def test_a_url_key_never_changes_between_versions_because_it_is_stored() -> None:
    assert url_key("/about?x=1") == -796_516_685_918_495_810
    assert url_key("") == 0x2D06800538D394C2  # the published value for no bytes at all
