"""Texts in every language, and addresses that reach one recipient and no header."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import BadInput
from surveyor.notify.addresses import parse_address
from surveyor.notify.texts import LANGUAGES, chosen, texts
from surveyor.review.submission_values import Outcome


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things_with_the_same_words_to_fill_in(language: str) -> None:
    english, other = texts("en"), texts(language)
    assert list(other) == list(english) and set(Outcome) <= set(other)
    for name, text in english.items():
        fields = [
            sorted(one[1] for one in string.Formatter().parse(said) if one[1]) for said in (text, other[name])
        ]
        assert fields[0] == fields[1], name
        assert language == "en" or other[name] != text, name


@pytest.mark.parametrize(
    ("asked", "accepted", "expected"),
    [
        ("de", "fr", "de"),
        ("xx", "pt-BR, fr-CA;q=0.8, en;q=0.5", "fr"),
        ("", "", "en"),
        ("", "zh", "en"),
        ("../en", "*", "en"),
    ],
)
def test_the_language_is_the_one_asked_for_or_the_browsers(asked: str, accepted: str, expected: str) -> None:
    assert chosen(asked, accepted) == expected


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (" Sam.O'Neil+x@Home.Example ", "Sam.O'Neil+x@home.example"),
        ("a@bücher.example", "a@xn--bcher-kva.example"),
    ],
)
def test_an_address_has_one_spelling_of_its_domain(text: str, address: str) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "@b.example",
        "a@",
        "a@b",
        "a b@c.example",
        "a@b.example,c@d.example",
        "a@b.example\r\nBcc: c@d.example",
        "Sam <a@b.example>",
        '"a b"@c.example',
        "a..b@c.example",
        "a@[127.0.0.1]",
        "a@127.0.0.1",
        "a@b.example/x",
        "a@b.example:25",
        "ä@b.example",
        f"{'a' * 65}@b.example",
        f"a@{'b' * 63}.{'c' * 63}.{'d' * 63}.{'e' * 63}.example",
    ],
)
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadInput, match=r"name@example\.org"):
        parse_address(text)


@given(st.text(max_size=80) | st.from_regex(r"[a-z.]{1,9}@[a-zA-Z.\-\r\n, ]{1,20}", fullmatch=True))
def test_whatever_is_taken_is_one_plain_address_and_stays_it(text: str) -> None:
    try:
        found = parse_address(text)
    except BadInput:
        return
    assert re.fullmatch(r"[^@\s,;<>\"()]+@[a-z0-9.-]+", found) and found.isascii() and len(found) <= 254
    assert parse_address(found) == found
