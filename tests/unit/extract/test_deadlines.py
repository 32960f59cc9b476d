"""Which date is the deadline: by the words around it, in seven languages, and in short in some more."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields.deadlines import Piece, find_deadline

TODAY = date(2026, 11, 15)
DAY = date(2027, 3, 1)

SAID = {
    "As inscrições decorrem até ao dia 1 de março de 2027.": "pt",
    "Wnioski przyjmujemy do dnia 1 marca 2027 r.": "pl",
    "Aanvragen kan tot 1 maart 2027.": "nl",
    "Sista ansökningsdag är den 1 mars 2027.": "sv",
    "A beadási határidő 2027. március 1.": "hu",
    "Son başvuru tarihi 1 Mart 2027": "tr",
    "Rok za prijavu je 1. ožujka 2027.": "hr",
    "Nabór wniosków trwa od 1 lutego do 1 marca 2027 r.": "pl",
    "Le domande vanno presentate entro e non oltre il 1 marzo 2027.": "it",
    "Il termine per la presentazione è fissato al 1 marzo 2027.": "it",
    "Uw aanvraag dient u in vóór 1 maart 2027.": "nl",
    "Lhůta pro podání žádostí končí 1. 3. 2027.": "cs",
    "A pályázatokat 2027. március 1-ig lehet benyújtani.": "hu",
    "Between 1 February and 1 March 2027, send us your proposal.": "en",
    "Proposals received after 1 March 2027 are not read.": "en",
    "Registered charities are invited to submit a letter by 1 March 2027.": "en",
    "Termin składania ofert został przedłużony do 1 marca 2027 r.": "pl",
    "Apply by 1 March 2027.": "en",
    "Submissions close on 1 March 2027 at noon.": "en",
    "1 March 2027 is the deadline.": "en",
    "Proposals are accepted until 1 March 2027.": "en",
    "Einsendeschluss ist der 1. März 2027.": "de",
    "Anträge können bis zum 1. März 2027 gestellt werden.": "de",
    "Срокът за подаване изтича на 1 март 2027 г.": "bg",
    "Документи се приемат до 17:00 ч. на 1 март 2027 г.": "bg",
    "Les dossiers sont à envoyer avant le 1er mars 2027.": "fr",
    "La date limite est fixée au 1er mars 2027.": "fr",
    "Cererile se depun până la data de 1 martie 2027.": "ro",
    "Sesiunea se închide la 1 martie 2027, ora 16.00.": "ro",
    "Αιτήσεις υποβάλλονται έως την 1η Μαρτίου 2027.": "el",
    "Η προθεσμία λήγει στις 1 Μαρτίου 2027.": "el",
    "Las solicitudes se presentan hasta el 1 de marzo de 2027.": "es",
    "El plazo termina el 1 de marzo de 2027.": "es",
}
OTHER = {
    "Results will be announced by 1 March 2027.": "en",
    "The project must start before 1 March 2027.": "en",
    "Questions can be sent until 1 March 2027.": "en",
    "Applicants must be charities registered before 1 January 2024.": "en",
    "Students registered by 1 October 2026 can apply.": "en",
    "Organizations must be registered before 1 January 2025 to apply.": "en",
    "Applicants must have been registered as a company by 31 December 2026.": "en",
    "Expenses submitted after 15 March 2027 will not be paid.": "en",
    "Comments received after 15 March 2027 are not read.": "en",
    "Die Preisverleihung findet am 1. März 2027 statt.": "de",
    "Класирането ще бъде обявено до 1 март 2027 г.": "bg",
    "Les résultats seront publiés avant le 1er mars 2027.": "fr",
    "Lista finală se afișează cel târziu la 1 martie 2027.": "ro",
    "Τα αποτελέσματα θα ανακοινωθούν έως την 1η Μαρτίου 2027.": "el",
    "El curso empieza el 1 de marzo de 2027.": "es",
}
LABELS = {
    "Deadline": "en",
    "Apply by": "en",
    "Bewerbung bis": "de",
    "Frist": "de",
    "Молби до": "bg",
    "Краен срок": "bg",
    "Date limite": "fr",
    "Termen limită": "ro",
    "Λήξη υποβολών": "el",
    "Fecha límite": "es",
}


def _day(label: str, text: str, language: str) -> date | None:
    found = find_deadline([Piece(label, text)], TODAY, language=language)
    return found.day if found else None


@pytest.mark.parametrize("text", SAID)
def test_a_sentence_announces_a_deadline(text: str) -> None:
    assert _day("", text, SAID[text]) == DAY


@pytest.mark.parametrize("text", OTHER)
def test_a_sentence_about_another_date_announces_none(text: str) -> None:
    assert _day("", text, OTHER[text]) is None


@pytest.mark.parametrize("label", LABELS)
def test_a_label_makes_a_date_a_deadline(label: str) -> None:
    assert _day(label, "01.03.2027", LABELS[label]) == DAY


@pytest.mark.parametrize(
    "text",
    ["rolling", "jederzeit", "по всяко време", "à tout moment", "oricând", "όλο τον χρόνο", "todo el año"],
)
def test_under_a_label_always_open_means_that_there_is_none(text: str) -> None:
    pieces = [Piece("Deadline", text), Piece("", "We answer applications by 1 March 2027.")]
    assert find_deadline(pieces, TODAY) is None


def test_the_words_nearest_to_a_date_decide() -> None:
    text = "The call opens on 1 December 2026, closes on 1 March 2027, and the jury meets on 20 March 2027."
    assert _day("", text, "en") == DAY


def test_the_piece_is_named_from_which_it_was_read() -> None:
    found = find_deadline([Piece("", "Welcome."), Piece("Deadline", "1 March 2027")], TODAY)
    assert found is not None
    assert found.piece == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.builds(Piece, st.text(max_size=20), st.text(max_size=60)), max_size=5))
def test_any_pieces_have_a_deadline_or_none(pieces: list[Piece]) -> None:
    found = find_deadline(pieces, TODAY)
    assert found is None or 0 <= found.piece < len(pieces)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The deadline was 1 March.", date(2026, 3, 1)),
        ("Applications closed on 1 March.", date(2026, 3, 1)),
        ("Deadline: 30 June (closed)", date(2026, 6, 30)),
        ("Deadline: 1 March", date(2027, 3, 1)),
        ("Applications close on 1 March.", date(2027, 3, 1)),
        ("The War Memorial Trust accepts applications until 1 March.", date(2027, 3, 1)),
        ("The last round was a success; applications close on 1 March.", date(2027, 3, 1)),
        ("Last winners were announced on 3 May 2024; applications close on 1 March.", date(2027, 3, 1)),
    ],
)
def test_a_day_that_is_over_never_becomes_one_to_come(text: str, day: date) -> None:
    found = find_deadline([Piece("", text)], TODAY, language="en")
    assert found is not None
    assert found.day == day


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Prazo: 3 de março de 2027", "pt"),
        ("Scadenza: 3 marzo 2027", "it"),
        ("Termin składania: 3 marca 2027", "pl"),
        ("Sluitingsdatum: 3 maart 2027", "nl"),
    ],
)
def test_languages_without_word_lists_of_their_own_give_deadlines_too(text: str, language: str) -> None:
    found = find_deadline([Piece("", text)], TODAY, language=language)
    assert found is not None
    assert found.day == date(2027, 3, 3)
