"""The guess of a language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.words import LANGUAGES, guess_language, tokens

LABELLED = Path(__file__).parents[2] / "data/labelled"
SENTENCES = {
    "en": "We give small grants to schools that plant trees with their pupils.",
    "bg": "Даваме малки грантове на училища, които садят дървета с учениците си.",
    "de": "Wir vergeben kleine Zuschüsse an Schulen, die mit ihren Schülern Bäume pflanzen.",
    "ro": "Oferim granturi mici școlilor care plantează copaci împreună cu elevii lor.",
    "el": "Δίνουμε μικρές επιχορηγήσεις σε σχολεία που φυτεύουν δέντρα με τους μαθητές τους.",
    "fr": "Nous accordons de petites aides aux écoles qui plantent des arbres avec leurs élèves.",
    "es": "Damos pequeñas ayudas a las escuelas que plantan árboles con sus alumnos.",
    "it": "Diamo piccoli contributi alle scuole che piantano alberi con i loro alunni.",
    "nl": "Wij geven kleine subsidies aan scholen die met hun leerlingen bomen planten.",
    "pl": "Przyznajemy małe dotacje szkołom, które sadzą drzewa ze swoimi uczniami i dla nich.",
    "pt": "Damos pequenos apoios às escolas que plantam árvores com os seus alunos, não só aqui.",
    "tr": "Öğrencileriyle birlikte ağaç diken okullara küçük hibeler veriyoruz, bu da bir başlangıç için.",
    "ru": "Мы даём небольшие гранты школам, которые сажают деревья вместе со своими учениками.",
    "mk": "Даваме мали грантови на училишта што садат дрвја со своите ученици и за нив.",
    "sr": "Дајемо мале грантове школама које саде дрвеће са својим ученицима и још више.",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_tells_its_language(language: str) -> None:
    assert guess_language(SENTENCES[language]) == language
    assert guess_language(tokens(SENTENCES[language])) == language


def test_capitals_and_missing_accents_do_not_hide_it() -> None:
    assert guess_language("ΟΙ ΑΙΤΗΣΕΙΣ ΥΠΟΒΑΛΛΟΝΤΑΙ ΑΠΟ ΤΟΥΣ ΦΟΡΕΙΣ ΕΩΣ ΤΙΣ 30 ΙΟΥΝΙΟΥ") == "el"
    assert (
        guess_language("Dosarele se depun la secretariat pana la data de 14 si trebuie sa fie complete")
        == "ro"
    )


def test_words_typed_without_their_diacritics_still_tell() -> None:
    assert guess_language("pana cand fara dupa catre inainte") == "ro"


def test_words_that_two_languages_share_do_not_decide() -> None:
    assert guess_language("para que se de", among=("es", "pt")) is None


@pytest.mark.parametrize("text", ["", "Erasmus 2025", "IPA CBC TP SL FLC", "12 34 56", "…"])
def test_what_does_not_tell_gives_none(text: str) -> None:
    assert guess_language(text) is None


def test_the_guess_stays_among_those_asked_for() -> None:
    assert guess_language(SENTENCES["fr"], among=("en", "bg")) is None
    assert guess_language(SENTENCES["bg"], among=("bg", "xx")) == "bg"
    assert guess_language(SENTENCES["bg"], among=()) is None


def test_snippets_are_hardly_ever_taken_for_another_language() -> None:
    lines = [json.loads(line) for line in (LABELLED / "judge_tune.jsonl").read_text("utf-8").splitlines()]
    guesses = [(line["lang"], guess_language(f"{line['title']} {line['description']}")) for line in lines]
    assert sum(guess not in (None, lang) for lang, guess in guesses) <= 1
    assert sum(guess == lang for lang, guess in guesses) >= 0.95 * len(guesses)


@settings(deadline=None)
@given(st.text(), st.lists(st.sampled_from([*LANGUAGES, "xx"])))
def test_no_text_and_no_choice_is_refused(text: str, among: list[str]) -> None:
    assert guess_language(text, among) in {None, *among}


def test_a_table_with_hardly_any_small_words_does_not_overrule_the_language_a_page_claims() -> None:
    table = "Rang Name Verein Punkte 1 Lea Berg TV Aarau 94 2 Ana Popa STV La Roche 91 3 Ion Luca 90 la pe"
    assert guess_language(table, claimed="de") == "de"


def test_sentences_in_another_language_overrule_a_claim_that_a_template_made() -> None:
    text = "Ние подкрепяме читалища и училища, които искат да направят библиотека за децата на селото."
    assert guess_language(text, claimed="en") == "bg"
