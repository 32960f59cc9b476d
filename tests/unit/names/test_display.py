"""What people see of an international name, and when they are warned."""

from __future__ import annotations

import pytest

from surveyor.names import canonical_domain, looks_deceptive, shown_domain


@pytest.mark.parametrize(
    ("domain", "shown"),
    [
        ("example.com", "example.com"),
        ("xn--mnchen-3ya.de", "münchen.de"),
        ("blog.xn--mnchen-3ya.de:8080", "blog.münchen.de:8080"),
        ("xn--r8jz45g.xn--zckzah", "例え.テスト"),
        ("xn--fa-hia.de", "faß.de"),
        ("xn--i-7iq.ws", "i❤.ws"),
        ("xn--a.com", "xn--a.com"),
        ("xn--abc-.com", "xn--abc-.com"),
        ("xn--\xff.com", "xn--\xff.com"),
        ("[::1]:8080", "[::1]:8080"),
    ],
)
def test_a_domain_is_shown_in_the_letters_of_its_readers(domain: str, shown: str) -> None:
    assert shown_domain(domain) == shown


@pytest.mark.parametrize(
    "name",
    [
        "pаypal.com",  # Cyrillic а among Latin letters
        "gооgle.com",
        "аррӏе.com",  # Cyrillic throughout
        "blog.аррӏе.com",
        "аррӏе.com:8080",
        "ехаmple.org",
        "ορα.com",  # Greek throughout
        "αpple.com",
        "ɡoogle.com",
        "example.com∕login.evil.org",
        "a⁄b.com",
        "হ8a.com",
        "a৪.com",
        "օսո.com",  # Armenian throughout
        "теsт.рф",
    ],
)
def test_people_are_warned_of(name: str) -> None:
    assert looks_deceptive(canonical_domain(name))


@pytest.mark.parametrize(
    "name",
    [
        "example.com",
        "münchen.de",
        "straße.de",
        "łódź.pl",
        "тест.рф",
        "сор.рф",  # all letters have Latin twins, but so has every neighbour
        "пример.com",
        "παράδειγμα.com",
        "例え.テスト",
        "東京タワーtower.jp",
        "ラーメン.jp",
        "한국어abc.kr",
        "مثال.com",
        "i❤.ws",
        "paral·lel.cat",
        "হিন্দি৪.com",
        "नेहरू.com",
    ],
)
def test_people_are_not_bothered_with(name: str) -> None:
    assert not looks_deceptive(canonical_domain(name))
