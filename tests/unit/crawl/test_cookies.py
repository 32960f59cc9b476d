"""What a redirect sets is sent back, within bounds; nothing else is."""

from __future__ import annotations

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from surveyor.crawl.cookies import Cookies
from surveyor.net.response_parser import Headers
from surveyor.net.transport import Response


def redirect(*values: bytes) -> Response:
    class Answer:
        headers = Headers([(b"Set-Cookie", value) for value in values])

    return cast("Response", Answer())


def test_names_and_values_go_back_without_their_attributes() -> None:
    cookies = Cookies()
    assert cookies.header is None
    assert cookies.learn(redirect(b"a=1; Path=/; Secure", b'b="two"; Max-Age=60; Domain=.site.example'))
    assert cookies.header == 'a=1; b="two"'


def test_the_same_cookie_again_changes_nothing() -> None:
    cookies = Cookies()
    assert cookies.learn(redirect(b"a=1"))
    assert not cookies.learn(redirect(b"a=1; Path=/"))
    assert cookies.learn(redirect(b"a=2"))


def test_a_cookie_whose_time_is_over_goes() -> None:
    cookies = Cookies()
    cookies.learn(redirect(b"a=1", b"b=2"))
    assert cookies.learn(redirect(b"a=; path=/; max-age=0"))
    assert cookies.header == "b=2"


def test_what_cannot_stand_in_a_header_is_no_cookie() -> None:
    cookies = Cookies()
    odd = (b"", b"=1", b"a b=1", b"a=1\r\nX: y", b"a=\xff", b"a", b"=;", b"a=\x00")
    assert not cookies.learn(redirect(*odd))


def test_thousands_of_cookies_and_long_ones_stay_within_a_header() -> None:
    cookies = Cookies()
    cookies.learn(redirect(*(b"n%d=%s" % (number, b"v" * 100) for number in range(5_000))))
    cookies.learn(redirect(b"long=" + b"v" * 100_000))
    assert len(cookies.header or "") < 4_000


@given(st.lists(st.binary(max_size=60), max_size=8))
def test_whatever_is_set_is_sent_as_one_printable_line(values: list[bytes]) -> None:
    cookies = Cookies()
    cookies.learn(redirect(*values))
    assert (cookies.header or "").isascii() and (cookies.header or "").isprintable()
