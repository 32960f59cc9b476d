"""What belongs to the crawl of a domain."""

from __future__ import annotations

import pytest

from surveyor.crawl.pages.scope import Scope, ending
from surveyor.names import NameRules, canonical_domain, parse_url

SCOPE = Scope(canonical_domain("example.org"))


@pytest.mark.parametrize(
    ("url", "is_admitted"),
    [
        ("http://example.org/", True),
        ("https://www.example.org/a", True),
        ("https://WWW.Example.ORG:443/a", True),
        ("https://blog.example.org/", False),
        ("https://example.org:8443/", False),
        ("https://example.com/", False),
    ],
)
def test_twins_by_scheme_and_www_are_the_same_site(url: str, is_admitted: bool) -> None:
    assert SCOPE.admits(parse_url(url)) is is_admitted
    assert (SCOPE.refusal(parse_url(url)) is None) is is_admitted


def test_with_collapsed_subdomains_they_are_one_site() -> None:
    rules = NameRules(collapse_subdomains=True)
    scope = Scope(canonical_domain("example.org", rules), rules)
    assert scope.admits(parse_url("https://blog.example.org/", rules=rules))


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/a",
        "/a.html",
        "/a.PHP?x=b.zip",
        "/v1.2/notes",
        "/sites/example.com",
        "/a.pdf",
        "/a.xml",
        "/x.zip/",
        "/.well",
    ],
)
def test_pages_are_worth_fetching(target: str) -> None:
    assert SCOPE.worth_fetching(target)


@pytest.mark.parametrize(
    "target", ["/a.zip", "/a.MP4?x", "/style.css", "/f.woff2", "/a.tar.gz", "/x.docx", "/i.svg"]
)
def test_files_that_are_never_pages_are_not(target: str) -> None:
    assert not SCOPE.worth_fetching(target)
    assert SCOPE.rank(target) is None
    assert SCOPE.refusal(parse_url(f"https://example.org{target}")) == "not_a_page"


def test_images_are_fetched_only_where_they_are_wanted() -> None:
    url = parse_url("https://example.org/a.JPG")
    assert SCOPE.refusal(url) == "image_not_wanted"
    assert Scope(canonical_domain("example.org"), images=True).refusal(url) is None


def test_the_ending_is_that_of_the_path() -> None:
    assert [ending(target) for target in ("/a.b/c", "/a.B?c.d", "/", "/a.")] == ["", "b", "", ""]


@pytest.mark.parametrize(
    "target",
    [
        "/tag/x",
        "/blog/TAGS/",
        "/privacy.html",
        "/Login?a=b",
        "/p?sort=price",
        "/w?title=A&oldid=7",
        "/d?id=a&do=revisions",
        "/tool/commit/?id=1c4afc6adc7476eedb90c498389a232a5e10ea97",
        "/gitweb?p=tool.git;a=blob;f=a.py;hb=1c4afc6adc7476eedb90c498389a232a5e10ea97",
    ],
)
def test_pages_that_say_little_come_later(target: str) -> None:
    assert SCOPE.rank(target) == 1


@pytest.mark.parametrize(
    "target",
    ["/", "/about", "/imprint", "/contact.html", "/tagline", "/p?id=1&resort=x", "/news/privacy-law"],
)
def test_other_pages_do_not(target: str) -> None:
    assert SCOPE.rank(target) == 0


@pytest.mark.parametrize(
    "target",
    [
        "/?add-to-cart=7",
        "/post?a=1&replytocom=7",
        "/w/index.php?title=Help&action=edit",
        "/w/index.php?title=Nothing&redlink=1",
        "/doku.php?id=start&do=login",
        "/files/?C=M;O=A",
        "/files/?C=N&O=D",
        "/files/?sort=namedirfirst&order=desc",
        "/user/login/?next=/topic/7/",
        "/wp-login.php?redirect_to=https%3A%2F%2Fa.example%2Fpost",
        "/ucp.php?mode=login&redirect=viewtopic.php",
    ],
)
def test_links_that_act_or_open_a_form_are_not_followed(target: str) -> None:
    assert SCOPE.rank(target) is None


@pytest.mark.parametrize(
    "target",
    [
        "/p?action=grants",
        "/p?do=good",
        "/p?c=n",
        "/shop?cart=1",
        "/p?edit=no",
        "/p?id=1c4afc6adc",
        "/out?to=/login",
    ],
)
def test_parameters_that_only_look_like_those_are_pages(target: str) -> None:
    assert SCOPE.rank(target) == 0


@pytest.mark.parametrize(
    "target",
    ["/events?sort=time&order=asc", "/anmeldung/sommerlager?ort=/berlin", "/register/1234?back=/search"],
)
def test_pages_below_a_word_of_forms_and_lists_in_another_order_come_last(target: str) -> None:
    assert SCOPE.rank(target) == 1
