"""Words and phrases are found whole, in their inflections, in their language, and never inside others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.words.cutting import with_figures_marked, words_of
from surveyor.words.matching import Matcher, stem


def found(language: str, phrase: str, text: str) -> bool:
    return bool(Matcher(language, [(phrase, 0)]).find(words_of(with_figures_marked(text))))


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("eu", "a museum"),
        ("ad", "read.org"),
        ("offer", "the coffer"),
        ("grant", "Grantham"),
        ("fund", "fundus"),
    ],
)
def test_no_part_of_a_word_is_found(phrase: str, text: str) -> None:
    assert not found("en", phrase, text)


@pytest.mark.parametrize(
    ("language", "word", "written"),
    [
        ("en", "grant", "Grants"),
        ("en", "bursary", "bursaries"),
        ("bg", "стипендия", "стипендиите"),
        ("bg", "грант", "грантовете"),
        ("de", "zuschuss", "Zuschusses"),
        ("de", "förderung", "Foerderungen"),
        ("ro", "bursă", "burselor"),
        ("ro", "finanțare", "finantarea"),
        ("el", "υποτροφία", "ΥΠΟΤΡΟΦΙΕΣ"),
        ("el", "επιχορήγηση", "επιχορηγήσεων"),
        ("fr", "bourse", "bourses"),
        ("fr", "éligible", "eligibles"),
        ("es", "voluntario", "voluntarias"),
    ],
)
def test_a_word_is_found_in_its_simple_inflections(language: str, word: str, written: str) -> None:
    assert found(language, word, f"… {written} …")


def test_a_german_umlaut_is_no_plain_vowel() -> None:
    assert not found("de", "fördern", "Sie fordern mehr Geld")


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("Call for proposals", True),
        ("call-for-proposals", True),
        ("a call for many proposals", False),
        ("proposals for call", False),
    ],
)
def test_a_phrase_is_its_words_in_this_order(text: str, is_there: bool) -> None:
    assert found("en", "call for proposals", text) is is_there


@pytest.mark.parametrize(
    ("phrase", "text", "is_there"),
    [
        ("förder*", "Fördertopf", True),
        ("förder*", "gefördert", False),
        ("*förderung", "Kulturförderungen", True),
        ("*förderung", "Förderung", False),
        ("junge *förderung", "junge Kulturförderung", True),
    ],
)
def test_a_star_stands_for_the_rest_of_a_word(phrase: str, text: str, is_there: bool) -> None:
    assert found("de", phrase, text) is is_there


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("up to {amount}", "up to €12,000 each"),
        ("up to {amount}", "up to EUR 2.5 million"),
        ("up to {amount}", "up to 10 million yen"),
        ("до {amount}", "до 8 000 лв."),
        ("bis zu {amount}", "bis zu 9.000 Euro"),
        ("έως {amount}", "έως 80.000 ευρώ"),
        ("jusqu'à {amount}", "jusqu'à 15 000 €"),
        ("până la {amount}", "până la 5.000 de lei"),
        ("{percent} of the cost", "90% of the cost"),
        ("{number} scholarships", "2,841 scholarships"),
        ("ended in {year}", "ended in 2013"),
    ],
)
def test_figures_are_found_by_their_kind(phrase: str, text: str) -> None:
    language = "bg" if "до" in phrase else "en"
    assert found(language, phrase, text)


@pytest.mark.parametrize("text", ["2013 scholarships", "€20 scholarships", "scholarships"])
def test_a_year_and_a_sum_are_no_numbers(text: str) -> None:
    assert not found("en", "{number} scholarships", text)


@given(st.text(max_size=200))
def test_no_text_makes_matching_fail(text: str) -> None:
    matcher = Matcher("de", [("*förderung von {amount}", 0), ("a* b", 1), ("{number}", 2)])
    matcher.find(words_of(with_figures_marked(text)))


LANGUAGES = ("en", "bg", "de", "ro", "el", "fr", "es", "it", "xx")
WORDS = st.text(alphabet="abcdeszтенияаοςηα", min_size=1, max_size=12)


@given(st.sampled_from(LANGUAGES), st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, max_size=4))
def test_a_phrase_is_found_wherever_it_stands(language: str, phrase: list[str], around: list[str]) -> None:
    text = " ".join([*around, *phrase, *around])
    assert found(language, " ".join(phrase), text)


@given(st.sampled_from(LANGUAGES), WORDS)
def test_a_stem_is_never_empty(language: str, word: str) -> None:
    assert stem(word, language)
