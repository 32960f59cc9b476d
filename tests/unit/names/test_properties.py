"""What holds for every text, not only for those in the tables."""

from __future__ import annotations

import string
from collections.abc import Callable

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from surveyor.errors import NotADomain, NotAUrl
from surveyor.names import (
    DEFAULT_RULES,
    NameRules,
    PageUrl,
    canonical_domain,
    looks_deceptive,
    parent_domain,
    parse_url,
    resolve,
    shown_domain,
    url_key,
)
from surveyor.names.spelling import trimmed

# Tables load at first use and machines are shared: time per example says nothing here.
unhurried = settings(deadline=None)

RULES = st.builds(NameRules, collapse_subdomains=st.booleans(), allow_hosts=st.booleans())
# Labels of many kinds, and fragments that mean something to parsers, thrown together.
LETTERS = string.ascii_lowercase + string.digits
PLAIN_LABEL = st.text(LETTERS + "-_", min_size=1, max_size=12)
FOREIGN_LABEL = st.text("abcüßéçøłжщяΩςλ東京タあ한مثالने❤Ⅷ①\u0308\u200c", min_size=1, max_size=8)
ODD_LABEL = st.sampled_from(
    ["www", "xn--mnchen-3ya", "xn--a", "0x7f", "1", "github", "", "%61", "[", "@", "a b"]
)
SUFFIX = st.sampled_from(["com", "co.uk", "github.io", "example", "рф", "ck", "xn--p1ai", "1", "kawasaki.jp"])
HOST = st.builds(
    lambda labels, suffix: ".".join([*labels, suffix]),
    st.lists(PLAIN_LABEL | FOREIGN_LABEL | ODD_LABEL, max_size=4),
    SUFFIX,
)
ANYTHING = st.text(max_size=60)
MEANINGFUL = [
    piece
    for line in (
        "http: https: // / \\ ? # @ : :80 :443 :8080 %2e %41 % %e9 .. . & = ; ;jsessionid=1 utm_source=x ％",
        "sid=d41d8cd98f00b204e9800998ecf8427e [::1] 127.0.0.1 www. example.com münchen.de u:p é 4 1",
        "javascript: mailto:",
    )
    for piece in line.split()
]
PIECES = st.lists(st.sampled_from([*MEANINGFUL, "\t", "\n", " ", "\u200b", "\ud800"]), max_size=10).map(
    "".join
)
TEXT = ANYTHING | PIECES | HOST | st.builds("https://{}/{}".format, HOST, PIECES)


def _domain(text: str, rules: NameRules = DEFAULT_RULES) -> str | None:
    try:
        return canonical_domain(text, rules)
    except NotADomain as refusal:
        assert refusal.reason
        return None


def _url(text: str, rules: NameRules = DEFAULT_RULES) -> PageUrl | None:
    try:
        return parse_url(text, rules=rules)
    except (NotADomain, NotAUrl) as refusal:
        assert refusal.reason
        return None


@unhurried
@given(TEXT, RULES)
def test_canonicalising_twice_changes_nothing(text: str, rules: NameRules) -> None:
    domain = _domain(text, rules)
    if domain is not None:
        assert canonical_domain(domain, rules) == domain
        assert domain.isascii()
        assert domain == domain.lower()


CAPITALS = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
SPELLINGS: list[Callable[[str], str]] = [
    lambda host: host.translate(CAPITALS),
    lambda host: f"{host}.",
    lambda host: f"www.{host}",
    lambda host: f"http://{host}",
    lambda host: f"HTTPS://{host}/",
    lambda host: f"//{host}",
    lambda host: f"{host}:80",
    lambda host: f"https://{host}:443/path?query#fragment",
    lambda host: f"https://user:secret@{host}/",
    lambda host: f" {host}\n",
    shown_domain,
    lambda host: host.replace(".", "。"),
    lambda host: host.translate({ord(c): ord(c) + 0xFEE0 for c in LETTERS}),
]


@unhurried
@given(HOST)
def test_two_spellings_of_one_host_never_give_two_domains(host: str) -> None:
    domain = _domain(host)
    assume(domain is not None)
    assert domain is not None
    for spelling in SPELLINGS:
        assert canonical_domain(spelling(domain)) == domain


@unhurried
@given(HOST, st.sampled_from(SPELLINGS))
def test_no_spelling_of_a_host_as_written_gives_another_domain(
    host: str, spelling: Callable[[str], str]
) -> None:
    domain = _domain(host)
    assume(domain is not None and len(host) + len("www.") <= 253)
    assert _domain(spelling(host)) in (None, domain)


@unhurried
@given(TEXT, RULES)
def test_a_url_parsed_again_is_the_same(text: str, rules: NameRules) -> None:
    url = _url(text, rules)
    if url is not None:
        assert parse_url(url.text, rules=rules) == url
        assert url.target.startswith("/")
        assert "#" not in url.target
        assert len(url.text) <= 2_000
        assert url.text.isascii()


@unhurried
@given(TEXT, RULES)
def test_the_domain_of_a_url_is_that_of_its_host(text: str, rules: NameRules) -> None:
    url = _url(text, rules)
    if url is not None:
        assert canonical_domain(url.host, rules) == url.domain
        assert canonical_domain(url.text, rules) == url.domain


@unhurried
@given(TEXT, RULES)
@example("https://example.org/\u200b", DEFAULT_RULES)
def test_what_people_and_pages_write_is_read_alike(text: str, rules: NameRules) -> None:
    """The strict reader refuses more, but never reads another host than the browser's.

    It drops more of what is unseen around a text that was pasted; in a link such a sign is part of the path.
    """
    url = _url(text, rules)
    domain = _domain(text, rules)
    if url is not None:
        assert resolve("https://elsewhere.example/", trimmed(text), rules) == url
        assert domain in (None, url.domain)


@unhurried
@given(TEXT, TEXT, RULES)
def test_resolving_never_raises_and_gives_canonical_urls(base: str, href: str, rules: NameRules) -> None:
    resolve(base, href, rules)
    found = resolve("https://www.example.org/a/b?c", href, rules)
    if found is not None:
        assert resolve(base, found.text, rules) in (None, found)
        assert parse_url(found.text, rules=rules) == found
        assert canonical_domain(found.host, rules) == found.domain


@unhurried
@given(st.text("/;?&=%.abc41eEjsiondJSID~-_", max_size=40))
def test_the_target_of_a_target_is_itself(written: str) -> None:
    target = parse_url(f"https://example.org/{written};jsessionid=1?{written}&utm_source=1").target
    assert parse_url(f"https://example.org{target}").target == target


@unhurried
@given(TEXT)
def test_what_is_shown_names_the_same_domain(text: str) -> None:
    domain = _domain(text)
    if domain is not None:
        assert canonical_domain(shown_domain(domain)) == domain
        looks_deceptive(domain)
        assert domain.partition(":")[0].endswith(parent_domain(domain))


@unhurried
@given(ANYTHING)
def test_showing_never_raises(text: str) -> None:
    assert isinstance(shown_domain(text), str)
    assert looks_deceptive(text) in (True, False)
    assert isinstance(shown_domain(f"xn--{text}"), str)


@unhurried
@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_a_url_key_fits_a_signed_column(target: str) -> None:
    assert -(2**63) <= url_key(target) < 2**63
