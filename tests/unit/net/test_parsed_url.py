"""URLs cut into what is dialled and sent."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from surveyor.errors import NetError
from surveyor.net.guard import MAX_URL_CHARS, Guard, ParsedUrl, join, parse, parse_address

BASE = ParsedUrl("https", "a.example", 443, "a.example", "/dir/page?q=1")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.example/x?y=1", ParsedUrl("http", "a.example", 80, "a.example", "/x?y=1")),
        ("https://a.example", ParsedUrl("https", "a.example", 443, "a.example", "/")),
        ("https://a.example:443/", ParsedUrl("https", "a.example", 443, "a.example", "/")),
        ("http://a.example:8080/", ParsedUrl("http", "a.example", 8080, "a.example:8080", "/")),
        ("HTTP://A.Example/B#frag", ParsedUrl("http", "a.example", 80, "a.example", "/B")),
        (
            "http://bücher.example/ä",
            ParsedUrl("http", "xn--bcher-kva.example", 80, "xn--bcher-kva.example", "/%C3%A4"),
        ),
        ("http://[2606:4700::1]/", ParsedUrl("http", "2606:4700::1", 80, "[2606:4700::1]", "/")),
        ("http://a.example/a b", ParsedUrl("http", "a.example", 80, "a.example", "/a%20b")),
        ("http://a.example?q", ParsedUrl("http", "a.example", 80, "a.example", "/?q")),
        ("http:/\\a.example\\x", ParsedUrl("http", "a.example", 80, "a.example", "/x")),
    ],
)
def test_a_url_is_cut_as_a_browser_would(url: str, expected: ParsedUrl) -> None:
    assert parse(url) == expected


_LOOPBACK_SPELLINGS = """
127.0.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.1 127.0.1 0x7F.0.0.0x1 127.0.0.1. ①②⑦.0.0.1
１２７。０。０。１ 127%2e0%2e0%2e1 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] 0 0.0.0.0
"""
LOOPBACK_SPELLINGS = _LOOPBACK_SPELLINGS.split()


@pytest.mark.parametrize("spelling", LOOPBACK_SPELLINGS)
def test_every_spelling_of_a_forbidden_address_is_seen_through(spelling: str) -> None:
    target = parse(f"http://{spelling}/")
    assert parse_address(target.host) is not None
    with pytest.raises(NetError):
        Guard().check_addresses(target.host, [target.host])


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://user:secret@a.example/", "bad_url"),
        ("http://a.example@b.example/", "bad_url"),
        ("http://a.example:0/", "bad_url"),
        ("http://a.example:99999/", "bad_url"),
        ("http:///", "bad_url"),
        ("http://", "bad_url"),
        ("/relative", "bad_url"),
        ("", "bad_url"),
        ("http://a b/", "bad_url"),
        ("http://1.2.3.4.5/", "bad_url"),
        ("http://" + "a." * 200 + "example/", "bad_url"),
        ("http://" + "a" * 64 + ".example/", "bad_url"),
        ("http://a.example/" + "x" * MAX_URL_CHARS, "bad_url"),
        ("ftp://a.example/", "forbidden_scheme"),
        ("file:///etc/passwd", "forbidden_scheme"),
        ("javascript:alert(1)", "forbidden_scheme"),
        ("data:text/html,x", "forbidden_scheme"),
        ("gopher://a.example:70/", "forbidden_scheme"),
        ("view-source:http://a.example/", "forbidden_scheme"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_with_its_reason(url: str, code: str) -> None:
    with pytest.raises(NetError) as caught:
        parse(url)
    assert caught.value.code == code
    assert "secret" not in str(caught.value)


def test_a_password_in_a_url_is_named_as_what_is_wrong() -> None:
    with pytest.raises(NetError, match="user name or password"):
        parse("http://user:secret@a.example/")


@given(
    st.text(max_size=60) | st.text("ht:/p\\@[]#?%.0127aA\r\n\t \x00é。", max_size=60).map("http://".__add__)
)
@example("http://a.example\\@b.example/")
@example("http://a.example#@b.example/")
@example("http://a.example/\r\nX-Injected: 1")
def test_no_text_gets_anything_but_one_clean_line_into_a_request(text: str) -> None:
    try:
        target = parse(text)
    except NetError as error:
        assert error.code in ("bad_url", "forbidden_scheme")
        return
    assert re.fullmatch(r"[a-z0-9._:-]+", target.host)
    assert re.fullmatch(r"/[!-~]*", target.path)
    assert parse(target.url) == target


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/x", "https://a.example/x"),
        ("y", "https://a.example/dir/y"),
        ("../../z#part", "https://a.example/z"),
        ("?r=2", "https://a.example/dir/page?r=2"),
        ("//b.example/x", "https://b.example/x"),
        ("http://b.example", "http://b.example/"),
        (" \t/spaced\n ", "https://a.example/spaced"),
        ("/caf%E9", "https://a.example/caf%E9"),
        ("http://m%C3%BCnchen.example/", "http://xn--mnchen-3ya.example/"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("", None),
        ("http://[::bad/", None),
        ("/\udcff", None),
        ("http://", None),
        ("/" + "x" * MAX_URL_CHARS, None),
    ],
)
def test_a_location_is_resolved_or_means_nothing(location: str, expected: str | None) -> None:
    assert join(BASE, location) == expected


@given(st.text(max_size=80))
def test_no_location_raises(location: str) -> None:
    found = join(BASE, location)
    assert found is None or found.partition(":")[1]
