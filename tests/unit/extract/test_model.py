"""A small model learns from decisions, the same from the same, and can be kept."""

from __future__ import annotations

import json
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.errors import BadInput, Refused
from surveyor.extract.model import Example, Features, Model, features, train

WANTED = ["grant", "deadline", "apply", "eligible", "fund", "award"]
OTHER = ["match", "goal", "league", "player", "coach", "stadium"]


def page(wanted: bool, number: int) -> Example:
    """A page of words that both kinds have, and a few that its kind has more often."""
    random = Random(number)
    own, foreign = (WANTED, OTHER) if wanted else (OTHER, WANTED)
    words = [f"word{random.randrange(500)}" for _ in range(120)]
    words += random.choices(own, k=6) + random.choices(foreign, k=2)
    random.shuffle(words)
    text = " ".join(words)
    return Example(features(text[:40], f"https://a.example/{words[0]}", words[1], text), wanted)


EXAMPLES = [page(number % 3 == 0, number) for number in range(240)]
MODEL = train(EXAMPLES)


def test_it_is_right_about_pages_it_has_not_seen() -> None:
    unseen = [page(number % 2 == 0, number) for number in range(1_000, 1_100)]
    right = sum((MODEL.score(example.features) >= Decimal("0.50")) == example.wanted for example in unseen)
    assert right >= 78  # of 100; the words of the two kinds overlap on purpose


def test_its_quality_is_measured_on_what_it_was_not_trained_on() -> None:
    quality = MODEL.quality
    assert (quality.examples, quality.wanted) == (240, 80)
    assert quality.accuracy >= Decimal("0.80")
    assert min(quality.precision, quality.recall) >= Decimal("0.70")


def test_labels_without_sense_have_no_quality() -> None:
    random = Random(5)
    shuffled = [Example(example.features, random.random() < 0.5) for example in EXAMPLES]
    assert train(shuffled).quality.accuracy <= Decimal("0.65")


def test_training_twice_gives_one_model() -> None:
    assert train(EXAMPLES).to_bytes() == MODEL.to_bytes()


def test_a_model_that_was_kept_says_the_same() -> None:
    kept = Model.from_bytes(MODEL.to_bytes())
    assert kept == MODEL
    assert [kept.score(example.features) for example in EXAMPLES[:20]] == [
        MODEL.score(example.features) for example in EXAMPLES[:20]
    ]


def test_a_score_has_two_places() -> None:
    for example in EXAMPLES[:20]:
        score = MODEL.score(example.features)
        assert score.as_tuple().exponent == -2
        assert 0 <= score <= 1
    assert 0 <= MODEL.score(Features(())) <= 1


@pytest.mark.parametrize("wanted", [0, 4, 30])
def test_too_few_decisions_are_refused(wanted: int) -> None:
    examples = [Example(example.features, number < wanted) for number, example in enumerate(EXAMPLES[:30])]
    with pytest.raises(Refused, match="too few to learn from"):
        train(examples)


def test_a_model_of_another_version_is_refused() -> None:
    told = json.loads(MODEL.to_bytes())
    with pytest.raises(BadInput, match="another version"):
        Model.from_bytes(json.dumps({**told, "version": 99}).encode())


_JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)


@settings(max_examples=50)
@given(st.one_of(st.binary(max_size=50), _JSON.map(lambda told: json.dumps(told).encode())))
def test_what_is_no_model_is_refused(raw: bytes) -> None:
    with pytest.raises(BadInput):
        Model.from_bytes(raw)


def test_words_of_title_path_and_text_are_told_apart() -> None:
    places = [
        features("grant", "https://a.example/", "", ""),
        features("", "https://a.example/grant", "", ""),
        features("", "https://a.example/", "grant", ""),
        features("", "https://a.example/", "", "grant"),
    ]
    assert len({place.numbers for place in places}) == 4
