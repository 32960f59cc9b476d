"""One spelling per domain: the table of what becomes what, and of what is refused and why."""

from __future__ import annotations

import pytest

from surveyor.errors import NotADomain
from surveyor.names import NameRules, canonical_domain, parent_domain

HOSTS = NameRules(allow_hosts=True)
COLLAPSED = NameRules(collapse_subdomains=True)

# The longest labels and names that DNS carries.
LABEL_63 = "a" * 63
NAME_253 = ".".join(["a" * 62] * 3 + ["b" * 60, "com"])
assert len(NAME_253) == 253

ACCEPTED = [
    # what people paste
    ("example.com", "example.com"),
    ("Example.COM", "example.com"),
    ("  example.com\r\n", "example.com"),
    ("\texample.com", "example.com"),
    ("\u00a0example.com\u00a0", "example.com"),
    ("http://example.com", "example.com"),
    ("https://example.com/", "example.com"),
    ("HTTPS://EXAMPLE.COM/", "example.com"),
    ("HtTp://eXample.com/Path", "example.com"),
    ("//example.com/path", "example.com"),
    ("https://example.com/a/b/../c?d=e#f", "example.com"),
    ("example.com/a b", "example.com"),
    ("example.com?q=1", "example.com"),
    ("example.com#top", "example.com"),
    ("https://example.com?mail=a@b.org", "example.com"),
    ("https://example.com/@name", "example.com"),
    ("https://example.com/#@name", "example.com"),
    ("https://example.com/\\@name", "example.com"),
    ("https://example.com/mailto:x", "example.com"),
    ("https://example.com/http://other.org/", "example.com"),
    ("https://example.com/münchen", "example.com"),
    ("https://example.com/👨\u200d👩", "example.com"),
    # what documents, mails and joined files leave around a text without showing it
    ("example.com\u200b", "example.com"),
    ("\ufeffexample.com", "example.com"),
    ("\u202aexample.com\u202c", "example.com"),
    ("\u200e https://example.com/\u2060", "example.com"),
    # user info
    ("https://user@example.com/", "example.com"),
    ("https://user:secret@example.com/", "example.com"),
    ("https://user:secret@example.com:8443/", "example.com:8443"),
    ("https://example.org@example.com/", "example.com"),
    ("https://user%40mail.org@example.com/", "example.com"),
    ("https://:@example.com/", "example.com"),
    ("//user@example.com", "example.com"),
    # final dots
    ("example.com.", "example.com"),
    ("EXAMPLE.com./path", "example.com"),
    ("www.example.com.", "example.com"),
    ("example.com.:80", "example.com"),
    ("https://example.com.:8080/", "example.com:8080"),
    ("example。com。", "example.com"),
    # ports
    ("example.com:80", "example.com"),
    ("example.com:443", "example.com"),
    ("http://example.com:443", "example.com"),
    ("https://example.com:80", "example.com"),
    ("https://example.com:443/x", "example.com"),
    ("example.com:8080", "example.com:8080"),
    ("example.com:8080/path", "example.com:8080"),
    ("example.com:8080?q", "example.com:8080"),
    ("example.com:8080#f", "example.com:8080"),
    ("http://www.example.com:8080", "example.com:8080"),
    ("example.com:", "example.com"),
    ("http://example.com:/", "example.com"),
    ("example.com:0080", "example.com"),
    ("example.com:08080", "example.com:8080"),
    ("example.com:65535", "example.com:65535"),
    ("example.com:1", "example.com:1"),
    # www
    ("www.example.com", "example.com"),
    ("WWW.example.com", "example.com"),
    ("ＷＷＷ.example.com", "example.com"),
    ("www.example.co.uk", "example.co.uk"),
    ("www.www.example.com", "example.com"),
    ("www.blog.example.com", "blog.example.com"),
    ("blog.www.example.com", "blog.www.example.com"),
    ("www.com", "www.com"),
    ("www.www.com", "www.com"),
    ("www.www.www.com", "www.com"),
    ("www.co.uk", "www.co.uk"),
    ("www.www.co.uk", "www.co.uk"),
    ("www.de", "www.de"),
    ("www.github.io", "www.github.io"),
    ("www.foo.github.io", "foo.github.io"),
    ("www.ck", "www.ck"),
    ("www.www.ck", "www.ck"),
    ("www.foo.ck", "www.foo.ck"),
    ("www.bar.foo.ck", "bar.foo.ck"),
    ("www.example", "www.example"),
    ("www.site.example", "site.example"),
    ("www2.example.com", "www2.example.com"),
    ("wwwexample.com", "wwwexample.com"),
    ("www-example.com", "www-example.com"),
    ("m.example.com", "m.example.com"),
    # subdomains and suffixes
    ("blog.example.com", "blog.example.com"),
    ("a.b.c.d.example.com", "a.b.c.d.example.com"),
    ("foo.github.io", "foo.github.io"),
    ("bar.foo.github.io", "bar.foo.github.io"),
    ("foo.blogspot.com", "foo.blogspot.com"),
    ("foo.s3.amazonaws.com", "foo.s3.amazonaws.com"),
    ("example.co.uk", "example.co.uk"),
    ("parliament.uk", "parliament.uk"),
    ("city.kawasaki.jp", "city.kawasaki.jp"),
    ("foodbank.example", "foodbank.example"),
    ("site.test", "site.test"),
    ("shop.site.invalid", "shop.site.invalid"),
    ("printer.local", "printer.local"),
    ("example.museum", "example.museum"),
    ("example.xn--p1ai", "example.xn--p1ai"),
    ("example.рф", "example.xn--p1ai"),
    # odd but real names
    ("1.com", "1.com"),
    ("0x7f.com", "0x7f.com"),
    ("123.456.789.com", "123.456.789.com"),
    ("127.0.0.1.sslip.example", "127.0.0.1.sslip.example"),
    ("3m.com", "3m.com"),
    ("a--b.com", "a--b.com"),
    ("r3---sn-abc.example.com", "r3---sn-abc.example.com"),
    ("ab--cd.example.com", "ab--cd.example.com"),
    ("my_blog.example.com", "my_blog.example.com"),
    ("_dmarc.example.com", "_dmarc.example.com"),
    ("https://my_blog.example.com/", "my_blog.example.com"),
    (f"{LABEL_63}.com", f"{LABEL_63}.com"),
    (NAME_253, NAME_253),
    (NAME_253 + ".", NAME_253),
    (NAME_253 + ":8080", NAME_253 + ":8080"),
    # international names
    ("münchen.de", "xn--mnchen-3ya.de"),
    ("MÜNCHEN.de", "xn--mnchen-3ya.de"),
    ("mu\u0308nchen.de", "xn--mnchen-3ya.de"),
    ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
    ("XN--MNCHEN-3YA.DE", "xn--mnchen-3ya.de"),
    ("https://www.münchen.de:443/straße", "xn--mnchen-3ya.de"),
    ("straße.de", "xn--strae-oqa.de"),
    ("strasse.de", "strasse.de"),
    ("faß.de", "xn--fa-hia.de"),
    ("βόλος.com", "xn--nxasmm1c.com"),
    ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
    ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
    ("ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"),
    ("ⓔxample.com", "example.com"),
    ("Ⅷ.com", "viii.com"),
    ("тест.рф", "xn--e1aybc.xn--p1ai"),
    ("موقع.وزارة-الاتصالات.مصر", "xn--4gbrim.xn----ymcbaaajlc6dj7bxne2c.xn--wgbh1c"),
    ("نامه\u200cای.com", "xn--mgba3gch31f060k.com"),
    ("क्\u200dष.com", "xn--11b2ezcw70k.com"),
    ("i❤.ws", "xn--i-7iq.ws"),
    ("i❤\ufe0f.ws", "xn--i-7iq.ws"),
    ("💩.la", "xn--ls8h.la"),
    ("аррӏе.com", "xn--80ak6aa92e.com"),
    ("pаypal.com", "xn--pypal-4ve.com"),
]

EMPTY = "it is empty"
CONTROL = "control character"
INVISIBLE = "invisible or unknown character"
SCHEME = "is not http:// or https://"
SLASHES = "there must be two slashes"
NO_HOST = "there is no host name in it"
BACKSLASH = "it has a backslash before the path"
AT_SIGN = "it has a misplaced “@”"
MAIL = "it looks like an e-mail address"
SPACE = "the name contains a space"
PERCENT = "percent-encoded"
PORT = "is not a number from 1 to 65535"
SINGLE = "it is a single label"
SUFFIX = "it is a public suffix"
ADDRESS = "it is an IP address"
NUMBER = "it ends in a number"
EMPTY_LABEL = "the name has an empty label"
LONG_LABEL = "a label of the name is longer than 63 characters"
LONG_NAME = "the name is longer than 253 characters"
LONG_TEXT = "it is longer than 2,000 characters"
HYPHEN = "a label of the name begins or ends with a hyphen"
UNDERSCORE = "only a subdomain may have an underscore"
CHARACTER = "the name contains the character"
A_LABEL = "is not a valid international label"
LETTERS = "a top-level domain has letters only"
U_LABEL = "the international name is not valid"

REFUSED = [
    # nothing there
    ("", EMPTY),
    ("   \t\r\n", EMPTY),
    ("\u00a0", EMPTY),
    ("http://", NO_HOST),
    ("https:///path", NO_HOST),
    ("http:////example.com", NO_HOST),
    ("//", NO_HOST),
    ("/", NO_HOST),
    ("/about/us", NO_HOST),
    ("?q=1", NO_HOST),
    ("#top", NO_HOST),
    ("https://user@/", NO_HOST),
    ("https://?x", NO_HOST),
    (".", EMPTY_LABEL),
    ("..", EMPTY_LABEL),
    # control and invisible characters
    ("exam\tple.com", CONTROL),
    ("exam\nple.com", CONTROL),
    ("example.com\r\nHost: evil.org", CONTROL),
    ("example.com/\x00", CONTROL),
    ("\x00example.com", CONTROL),
    ("example.com\x1f", CONTROL),
    ("example.com\x7f", CONTROL),
    ("example\x85.com", CONTROL),
    ("example\ud800.com", CONTROL),
    ("exam\u200bple.com", INVISIBLE),
    ("example\ufeff.com", INVISIBLE),
    ("exam\u2060ple.com", INVISIBLE),
    ("exam\u00adple.com", INVISIBLE),
    ("\u202eexample.com", INVISIBLE),
    ("exam\u2066ple.com", INVISIBLE),
    ("exam\ue000ple.com", INVISIBLE),
    ("exam\u3000ple.com", INVISIBLE),
    ("exam\u2028ple.com", INVISIBLE),
    # other schemes
    ("mailto:info@example.com", SCHEME),
    ("javascript:alert(1)", SCHEME),
    ("JavaScript:alert(1)", SCHEME),
    ("javascript://example.com/%0Aalert(1)", SCHEME),
    ("file:///etc/passwd", SCHEME),
    ("file://example.com/x", SCHEME),
    ("ftp://example.com/", SCHEME),
    ("gopher://example.com/", SCHEME),
    ("data:text/html,x", SCHEME),
    ("blob:https://example.com/1", SCHEME),
    ("view-source:https://example.com/", SCHEME),
    ("unix:/run/x.sock", SCHEME),
    ("ws://example.com/", SCHEME),
    ("wss://example.com/", SCHEME),
    ("tel:123", SCHEME),
    ("tel:+4912345", SCHEME),
    ("about:blank", SCHEME),
    ("C:\\Users\\x", SCHEME),
    ("user:secret@example.com", SCHEME),
    ("x-app+y://example.com", SCHEME),
    ("http:example.com", SLASHES),
    ("http:/example.com", SLASHES),
    ("https:/\\example.com", SLASHES),
    ("https:\\\\example.com", SLASHES),
    ("http:", SLASHES),
    # texts that programs read differently
    ("https://example.com\\@evil.org/", BACKSLASH),
    ("https://evil.org\\.example.com/", BACKSLASH),
    ("example.com\\path", BACKSLASH),
    ("\\\\example.com\\share", BACKSLASH),
    ("https://a@b@example.com/", AT_SIGN),
    ("https://a:b@c:d@example.com/", AT_SIGN),
    ("https://example.com#@evil.org/", AT_SIGN),
    ("info@example.com", MAIL),
    ("a@b", MAIL),
    ("exa mple.com", SPACE),
    ("example.com other.org", SPACE),
    ("Food bank of Leeds", SPACE),
    ("https:// example.com/", SPACE),
    ("ex%61mple.com", PERCENT),
    ("https://%65xample.com/", PERCENT),
    ("m%C3%BCnchen.de", PERCENT),
    ("example.com%00", PERCENT),
    ("example%2ecom", PERCENT),
    ("127.0.0.1%2f@example", MAIL),
    # ports
    ("example.com:65536", PORT),
    ("example.com:99999999999999999999", PORT),
    ("example.com:abc", PORT),
    ("example.com:-1", PORT),
    ("example.com:80x", PORT),
    ("example.com:８０", PORT),
    ("example.com:8 0", PORT),
    ("http://example.com:80:80/", CHARACTER),
    ("example.com:0", "port 0 cannot be asked"),
    ("https://example.com:000/", "port 0 cannot be asked"),
    # no domain of anybody
    ("localhost", SINGLE),
    ("localhost:8080", SINGLE),
    ("http://intranet/", SINGLE),
    ("com", SINGLE),
    ("example", SINGLE),
    ("com.", SINGLE),
    ("www", SINGLE),
    ("рф", SINGLE),
    ("co.uk", SUFFIX),
    ("CO.UK.", SUFFIX),
    ("github.io", SUFFIX),
    ("https://github.io/", SUFFIX),
    ("blogspot.com", SUFFIX),
    ("s3.amazonaws.com", SUFFIX),
    ("foo.ck", SUFFIX),
    ("kawasaki.jp", SUFFIX),
    ("foo.kawasaki.jp", SUFFIX),
    ("co.uk:8080", SUFFIX),
    # names that are too long
    (f"{LABEL_63}a.com", LONG_LABEL),
    (f"https://{LABEL_63}a.com/", LONG_LABEL),
    ("ü" * 60 + ".com", LONG_LABEL),
    (f"a{NAME_253}", LONG_NAME),
    (f"a{NAME_253}.", LONG_NAME),
    ("a." * 200 + "com", LONG_NAME),
    ("ü" * 255 + ".com", LONG_NAME),
    ("ü." * 60 + "com", LONG_NAME),
    ("https://" + "一" * 1_500 + ".com/", LONG_NAME),
    ("https://example.com/" + "a" * 1_990, LONG_TEXT),
    ("a" * 10_000, LONG_TEXT),
    ("一" * 100_000 + ".com", LONG_TEXT),
    # labels
    ("example..com", EMPTY_LABEL),
    (".example.com", EMPTY_LABEL),
    ("example.com..", EMPTY_LABEL),
    ("www..com", EMPTY_LABEL),
    ("。com", EMPTY_LABEL),
    ("-example.com", HYPHEN),
    ("example-.com", HYPHEN),
    ("a.-.com", HYPHEN),
    ("-", HYPHEN),
    ("blog-.example.com", HYPHEN),
    ("exam_ple.com", UNDERSCORE),
    ("_.com", UNDERSCORE),
    ("my_site.github.io", UNDERSCORE),
    ("www.exam_ple.com", UNDERSCORE),
    ("exam*ple.com", CHARACTER),
    ("*.example.com", CHARACTER),
    ("example,com", CHARACTER),
    ("example.com,other.org", CHARACTER),
    ("exam!ple.com", CHARACTER),
    ("exam~ple.com", CHARACTER),
    ("example.com;x", CHARACTER),
    ("exam$ple.com", CHARACTER),
    ("<b>example.com", CHARACTER),
    ("exam^ple.com", CHARACTER),
    ("exam|ple.com", CHARACTER),
    ("'example.com'", CHARACTER),
    ('"example.com"', CHARACTER),
    ("(example.com)", CHARACTER),
    ("{{domain}}", CHARACTER),
    ("a=b", CHARACTER),
    ("!!!", CHARACTER),
    # international names that are none
    ("xn--a.com", A_LABEL),
    ("xn--.com", HYPHEN),
    ("xn--abc-.com", HYPHEN),
    ("xn--zzzzzzzzz.com", A_LABEL),
    ("xn--99999999.com", A_LABEL),
    ("xn--0.com", A_LABEL),
    ("xn--ab-j1t.com", A_LABEL),
    ("example.xn--a", A_LABEL),
    ("blog.xn--a.com", A_LABEL),
    ("xn--mnchen-3ya3ya3ya3ya3ya.de", A_LABEL),
    ("xn--a-ubb.com", A_LABEL),  # begins with a combining mark
    ("xn--1a-ulde.com", A_LABEL),  # mixes directions of writing
    ("xn--ab-m1t.com", A_LABEL),  # a joiner with nothing to join
    ("xn---tda.com", A_LABEL),  # a second spelling of xn--tda
    ("a\u200db.com", U_LABEL),
    ("אב1a.com", U_LABEL),
    ("\u0300a.com", U_LABEL),
    # quotes, dashes and brackets of a document: nobody can register them
    ("“example.com”", CHARACTER),
    ("‘example.com’", CHARACTER),
    ("«example.com»", CHARACTER),
    ("example.com—", CHARACTER),
    ("exam–ple.com", CHARACTER),
    ("exam‐ple.com", CHARACTER),
    ("「example.com」", CHARACTER),
    ("xn--good-996a.org", A_LABEL),
    # no top-level domain is written with anything but letters
    ("example.com¹", LETTERS),
    ("example.com®", LETTERS),
    ("example.com→", LETTERS),
    ("song.mp3", LETTERS),
    ("example.1a", LETTERS),
    ("a․com", U_LABEL),
    ("a／b.com", U_LABEL),
    ("a？b.com", U_LABEL),
    ("℀.com", U_LABEL),
    # numbers that are no addresses either
    ("256.256.256.256", NUMBER),
    ("1.2.3.4.5", NUMBER),
    ("example.123", NUMBER),
    ("example.0x7f", NUMBER),
    ("foo.1", NUMBER),
    ("1.2.3.08", NUMBER),
    ("99999999999", NUMBER),
    ("www.127.0.0.1", NUMBER),
    ("127.0.0.1.5", NUMBER),
    ("example.１２３", NUMBER),
]


def test_the_tables_hold_more_than_two_hundred_texts_without_twins() -> None:
    texts = [text for text, _ in ACCEPTED + REFUSED]
    assert len(texts) > 250
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(("text", "domain"), ACCEPTED, ids=lambda value: ascii(value)[:60])
def test_a_text_names_a_domain(text: str, domain: str) -> None:
    assert canonical_domain(text) == domain
    assert canonical_domain(domain) == domain


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=lambda value: ascii(value)[:60])
def test_a_text_is_refused_for_a_reason(text: str, reason: str) -> None:
    with pytest.raises(NotADomain) as refusal:
        canonical_domain(text)
    assert reason in refusal.value.reason
    assert refusal.value.text == text
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("localhost", "localhost"),
        ("LOCALHOST.", "localhost"),
        ("localhost:8080", "localhost:8080"),
        ("http://localhost:80/", "localhost"),
        ("www.localhost", "www.localhost"),
        ("my_host", "my_host"),
        ("com", "com"),
        ("co.uk", "co.uk"),
        ("github.io", "github.io"),
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("１２７。０。０。１", "127.0.0.1"),
        ("127.0.0.1:8080", "127.0.0.1:8080"),
        ("https://127.0.0.1:443/x", "127.0.0.1"),
        ("http://user@127.0.0.1:8080/x", "127.0.0.1:8080"),
        ("[::1]", "[::1]"),
        ("::1", "[::1]"),
        ("[::1]:8080", "[::1]:8080"),
        ("http://[::1]:443/", "[::1]"),
        ("[0:0:0:0:0:0:0:1]:8080", "[::1]:8080"),
        ("[2001:DB8::0001]", "[2001:db8::1]"),
        ("fe80::1", "[fe80::1]"),
        ("::ffff:127.0.0.1", "[::ffff:7f00:1]"),
        ("www.example.com", "example.com"),
    ],
)
def test_hosts_are_accepted_in_one_spelling_where_the_rules_allow_them(text: str, domain: str) -> None:
    assert canonical_domain(text, HOSTS) == domain
    assert canonical_domain(domain, HOSTS) == domain


def test_the_length_is_checked_before_the_costly_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def costly(_: str) -> str:
        raise AssertionError("a name of this length must not be looked at")

    monkeypatch.setattr("surveyor.names.spelling.normalize_url", costly)
    with pytest.raises(NotADomain, match="longer than 253 characters"):
        canonical_domain("ü" * 300 + ".com")


@pytest.mark.parametrize("text", ["tel:110", "-", "a b", "xn--a", "[::1%25eth0]", "fe80::1%eth0", "[::1]:0"])
def test_junk_stays_junk_where_hosts_are_allowed(text: str) -> None:
    with pytest.raises(NotADomain):
        canonical_domain(text, HOSTS)


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("https://a.blog.example.co.uk/x", "example.co.uk"),
        ("blog.example.com:8080", "example.com:8080"),
        ("my_blog.example.com", "example.com"),
        ("a.foo.github.io", "foo.github.io"),
        ("www.github.io", "www.github.io"),
        ("a.b.foodbank.example", "foodbank.example"),
        ("бар.тест.рф", "xn--e1aybc.xn--p1ai"),
    ],
)
def test_subdomains_collapse_where_the_rules_say_so(text: str, domain: str) -> None:
    assert canonical_domain(text, COLLAPSED) == domain


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:8080", "co.uk"])
def test_a_host_has_nothing_to_collapse_to(host: str) -> None:
    assert canonical_domain(host, NameRules(collapse_subdomains=True, allow_hosts=True)) == host


@pytest.mark.parametrize(
    ("domain", "parent"),
    [
        ("example.com", "example.com"),
        ("blog.example.com", "example.com"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("bar.foo.github.io", "foo.github.io"),
        ("foodbank.example", "foodbank.example"),
        ("shop.foodbank.example:8080", "foodbank.example"),
        ("blog.xn--e1aybc.xn--p1ai", "xn--e1aybc.xn--p1ai"),
        ("localhost:8080", "localhost"),
        ("127.0.0.1:8080", "127.0.0.1"),
        ("[::1]:8080", "[::1]"),
        ("[::1]", "[::1]"),
        ("co.uk", "co.uk"),
    ],
)
def test_the_parent_is_the_registrable_domain(domain: str, parent: str) -> None:
    assert parent_domain(domain) == parent
