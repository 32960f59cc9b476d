"""Dates in running text: every way of writing one is read back, and nothing else is a date."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields.dates import find_dates
from surveyor.words import fold

TODAY = date(2026, 11, 15)

# The months as they stand behind a day, written by hand: a list that checks the one of the reader.
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "bg": "януари февруари март април май юни юли август септември октомври ноември декември",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου"
    " Νοεμβρίου Δεκεμβρίου",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada"
    " grudnia",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "hu": "január február március április május június július augusztus szeptember október november december",
}
NAMES = {language: names.split() for language, names in MONTHS.items()}
ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]

# {d} day, {D} day in two digits, {m} and {M} month in digits, {n} its name, {y} year.
WAYS = {
    "en": ["{d} {n} {y}", "{n} {d}, {y}", "{n} {d} {y}", "{d}th of {n} {y}", "{d} {n}, {y}", "{y}-{M}-{D}",
           "{D}/{M}/{y}"],
    "de": ["{d}. {n} {y}", "{D}.{M}.{y}", "{d}.{m}.{y}", "{d}. {m}. {y}", "{y}-{M}-{D}"],
    "bg": ["{d} {n} {y} г.", "{D}.{M}.{y} г.", "{D}.{r}.{y} г.", "{d}.{m}.{y}г.", "{d}-ти {n} {y}"],
    "fr": ["{d} {n} {y}", "{d}er {n} {y}", "{D}/{M}/{y}", "le {d} {n} {y} à minuit"],
    "ro": ["{d} {n} {y}", "{D}.{M}.{y}", "{D}/{M}/{y}", "data de {d} {n} {y}, ora 16.00"],
    "el": ["{d} {n} {y}", "{d}η {n} {y}", "{D}/{M}/{y}", "{D}-{M}-{y}", "{d} {n}, {y} - 15:00"],
    "es": ["{d} de {n} de {y}", "{d} {n} {y}", "{D}/{M}/{y}", "{d} de {n} del {y}"],
    "pt": ["{d} de {n} de {y}", "{D}/{M}/{y}"],
    "it": ["{d} {n} {y}", "{D}/{M}/{y}"],
    "pl": ["{d} {n} {y} r.", "{D}.{M}.{y}"],
    "nl": ["{d} {n} {y}", "{d}-{m}-{y}"],
    "cs": ["{d}. {n} {y}", "{d}. {m}. {y}"],
    "hu": ["{y}. {n} {d}.", "{y}. {n} {d}-ig"],
}  # fmt: skip
CASES = [(language, way) for language, ways in WAYS.items() for way in ways]
DAYS = st.dates(date(2000, 1, 1), date(2089, 12, 31))


def written(day: date, language: str, way: str) -> str:
    """A day as people of a language write it."""
    return way.format(
        d=day.day,
        D=f"{day.day:02}",
        m=day.month,
        M=f"{day.month:02}",
        n=NAMES[language][day.month - 1],
        r=ROMAN[day.month - 1],
        y=day.year,
    )


@settings(max_examples=25, deadline=None)
@given(day=DAYS, case=st.sampled_from(CASES))
def test_a_written_date_is_read_back(day: date, case: tuple[str, str]) -> None:
    language, way = case
    text = f"… {written(day, language, way)} …"
    (found,) = find_dates(text, TODAY, language=language)
    assert (found.day, found.has_year, found.opens) == (day, True, False)
    assert text[found.start : found.end] in text


@settings(max_examples=25, deadline=None)
@given(day=DAYS, upper=st.booleans(), language=st.sampled_from(sorted(NAMES)))
def test_capitals_and_missing_accents_change_nothing(day: date, upper: bool, language: str) -> None:
    text = written(day, language, WAYS[language][0])
    assert [
        one.day for one in find_dates(fold(text).upper() if upper else fold(text), TODAY, language=language)
    ] == [day]


@settings(max_examples=25, deadline=None)
@given(ahead=st.integers(0, 364), language=st.sampled_from(sorted(NAMES)))
def test_without_a_year_the_next_such_day_is_meant(ahead: int, language: str) -> None:
    day = TODAY + timedelta(days=ahead)
    way = "{d} de {n}" if language == "es" else "{d}. {n}" if language == "de" else "{d} {n}"
    (found,) = find_dates(f"({written(day, language, way)})", TODAY, language=language)
    assert (found.day, found.has_year) == (day, False)


SPANS = {
    "from 1 to 31 March 2027": "en",
    "1–31 March 2027": "en",
    "between 1 and 31 March 2027": "en",
    "March 1-31, 2027": "en",
    "1. bis 31. März 2027": "de",
    "от 1 до 31 март 2027 г.": "bg",
    "du 1er au 31 mars 2027": "fr",
    "între 1 și 31 martie 2027": "ro",
    "από 1 έως 31 Μαρτίου 2027": "el",
    "del 1 al 31 de marzo de 2027": "es",
    "od 1 do 31 marca 2027 r.": "pl",
    "tussen 1 en 31 maart 2027": "nl",
    "dal 1 al 31 marzo 2027": "it",
    "1 March – 31 March 2027": "en",
    "от 01.03.2027 г. до 31.03.2027 г.": "bg",
}


@pytest.mark.parametrize("text", SPANS)
def test_the_first_day_of_a_span_opens_it(text: str) -> None:
    first, last = find_dates(text, TODAY, language=SPANS[text])
    assert (first.day, first.opens) == (date(2027, 3, 1), True)
    assert (last.day, last.opens) == (date(2027, 3, 31), False)


def test_a_span_over_new_year_begins_in_the_year_before() -> None:
    first, last = find_dates("15 December – 15 January 2027", TODAY)
    assert (first.day, last.day) == (date(2026, 12, 15), date(2027, 1, 15))


def test_days_of_a_list_share_the_year_at_its_end() -> None:
    found = find_dates("1 March, 1 June and 1 October 2028", TODAY, language="en")
    assert [one.day for one in found] == [date(2028, 3, 1), date(2028, 6, 1), date(2028, 10, 1)]
    assert not any(one.opens for one in found)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("by the end of January 2027", date(2027, 1, 31)),
        ("the last day of February 2028", date(2028, 2, 29)),
        ("до края на март 2027", date(2027, 3, 31)),
        ("bis Ende März 2027", date(2027, 3, 31)),
        ("the thirty-first of January 2027", date(2027, 1, 31)),
        ("am ersten März 2027", date(2027, 3, 1)),
        ("le premier mars 2027", date(2027, 3, 1)),
    ],
)
def test_days_in_words_are_days(text: str, day: date) -> None:
    assert [one.day for one in find_dates(text, TODAY)] == [day]


def test_before_a_year_that_is_over_a_day_without_one_is_over_too() -> None:
    text = "Apply by 15 September; the work must be finished on 31 March 2024."
    assert [one.day for one in find_dates(text, TODAY)] == [date(2023, 9, 15), date(2024, 3, 31)]


@pytest.mark.parametrize(
    "text",
    [
        "Awarded since 3 May 2019; the deadline is 1 March.",
        "The last winners were announced on 3 May 2024; applications close on 1 March.",
    ],
)
def test_behind_a_year_that_is_over_a_day_without_one_is_the_next(text: str) -> None:
    assert find_dates(text, TODAY)[-1].day == date(2027, 3, 1)


@pytest.mark.parametrize(
    "text", ["Born after 1 May 1990? Apply by 1 March.", "1 March, and 1 May 2026 before"]
)
def test_a_year_long_ago_or_just_over_says_nothing_of_other_days(text: str) -> None:
    assert date(2027, 3, 1) in [one.day for one in find_dates(text, TODAY)]


def test_a_german_day_and_month_need_no_year() -> None:
    assert [one.day for one in find_dates("bis zum 29.01. einreichen", TODAY, language="de")] == [
        date(2027, 1, 29)
    ]


def test_the_region_settles_which_number_is_the_month() -> None:
    assert find_dates("3/4/2027", TODAY, month_first=True)[0].day == date(2027, 3, 4)
    assert find_dates("3/4/2027", TODAY)[0].day == date(2027, 4, 3)
    assert find_dates("3/25/2027", TODAY)[0].day == date(2027, 3, 25)


@pytest.mark.parametrize(
    "text",
    [
        "31 February 2027",
        "29.02.2027",
        "32.01.2027",
        "2027-13-01",
        "Under 30 may apply",
        "May 2027",
        "Q1 2027",
        "tel. 02 987 44 12",
        "version 3.10.2",
        "1,500 march past",
        "IP 10.12.20.30",
    ],
)
def test_what_no_calendar_has_is_no_date(text: str) -> None:
    assert find_dates(text, TODAY, language="en") == []


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.sampled_from("0123456789./-– ,мартIVXMarchbisдоto"), max_size=80))
def test_any_text_gives_dates_in_order_or_none(text: str) -> None:
    found = find_dates(text, TODAY, language="bg")
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(0 <= one.start < one.end <= len(text) for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "Zgłoszenia do 15 września 2027 r.",
        "até 15 de setembro de 2027",
        "do 15. září 2027",
        "15 Eylül 2027",
        "до 15 вересня 2027",
        "15. syyskuuta 2027",
        "do 15. rujna 2027",
        "deri më 15 shtator 2027",
        "2027. szeptember 15.",
    ],
)
def test_months_of_languages_without_other_words_are_read(text: str) -> None:
    assert [one.day for one in find_dates(text, TODAY)] == [date(2027, 9, 15)]
