"""Words, hosts and scores are normal by construction."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from surveyor.profiles.values import Hosts, Score, Strength, Terms, Words, normal_word

words = TypeAdapter(Words)
terms = TypeAdapter(Terms)
hosts = TypeAdapter(Hosts)
score = TypeAdapter(Score)
strength = TypeAdapter(Strength)


@given(st.text())
def test_a_normal_word_is_normal(text: str) -> None:
    assert normal_word(normal_word(text)) == normal_word(text)


def test_case_accents_and_spaces_have_one_spelling() -> None:
    assert normal_word(" Fo\u0308rderung \u00a0 ΟΔΟΣ\t") == "förderung οδος"


@given(st.lists(st.text(max_size=12), max_size=6))
def test_word_lists_are_sorted_and_without_repeats_or_refused(texts: list[str]) -> None:
    try:
        kept = words.validate_python(texts)
    except ValidationError:
        return
    assert list(kept) == sorted(set(kept)) and len(kept) == len(texts)
    assert all(word == normal_word(word) and any(ch.isalnum() for ch in word) for word in kept)


def test_terms_keep_their_order() -> None:
    assert terms.validate_python(["Zebra", "apple"]) == ("zebra", "apple")


@given(st.text(max_size=300))
def test_a_host_is_lower_case_ascii_without_dots_at_its_ends_or_refused(text: str) -> None:
    try:
        (host,) = hosts.validate_python([text])
    except ValidationError:
        return
    assert host.isascii() and host == host.lower() == host.strip(".") and 0 < len(host) <= 253


def test_a_leading_dot_is_dropped() -> None:
    assert hosts.validate_python([".gov", "Europa.EU"]) == ("europa.eu", "gov")


@given(st.decimals(allow_nan=True, allow_infinity=True) | st.text(max_size=6))
def test_a_score_is_from_zero_to_one_with_two_places_or_refused(value: Decimal | str) -> None:
    try:
        kept = score.validate_python(value)
    except ValidationError:
        return
    assert 0 <= kept <= 1 and kept.as_tuple().exponent == -2 and kept == Decimal(value)


@pytest.mark.parametrize(
    ("written", "kept"),
    [("strong", "1.00"), ("medium", "0.60"), ("weak", "0.30"), ("0.9", "0.90"), (1, "1.00")],
)
def test_a_strength_is_a_word_or_a_number(written: object, kept: str) -> None:
    assert str(strength.validate_python(written)) == kept
