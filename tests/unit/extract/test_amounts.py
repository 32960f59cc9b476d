"""Sums of money in running text: every way of writing one is read back, bounds and ranges included."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields.amounts import Amount, find_amounts, number

SEPARATORS = (",", ".", " ", "\u00a0", "\u202f", "'", "’", "")
MONEY = {
    "€{}": "EUR",
    "{} €": "EUR",
    "EUR {}": "EUR",
    "{} EUR": "EUR",
    "{} euro": "EUR",
    "{} евро": "EUR",
    "{} ευρώ": "EUR",
    "{} лв.": "BGN",
    "{} лева": "BGN",
    "{} BGN": "BGN",
    "{} lei": "RON",
    "{} RON": "RON",
    "CHF {}": "CHF",
    "{} Fr.": "CHF",
    "£{}": "GBP",
    "${}": "USD",
    "US$ {}": "USD",
    "{} Euro": "EUR",
    "{}€": "EUR",
    "{} euros": "EUR",
    "{} dólares": "USD",
    "{} de lei": "RON",
    "{} de euro": "EUR",
    "{} zł": "PLN",
    "{} złotych": "PLN",
    "{} Kč": "CZK",
    "{},- Kč": "CZK",
    "{} Ft": "HUF",
    "{} forint": "HUF",
    "R$ {}": "BRL",
}


def told(found: Amount) -> tuple[int | float | None, int | float | None]:
    """Both bounds as records have them."""
    low, high = found.low, found.high
    return (None if low is None else number(low), None if high is None else number(high))


def grouped(value: int, separator: str) -> str:
    """Digits in groups of three."""
    return f"{value:,}".replace(",", separator)


@settings(max_examples=100, deadline=None)
@given(
    value=st.integers(1, 99_999_999),
    separator=st.sampled_from(SEPARATORS),
    way=st.sampled_from(sorted(MONEY)),
)
def test_a_written_sum_is_read_back(value: int, separator: str, way: str) -> None:
    text = f"It is {way.format(grouped(value, separator))}; more is not to be had."
    (found,) = find_amounts(text)
    assert (*told(found), found.currency) == (value, value, MONEY[way])
    assert way.format(grouped(value, separator)).strip(".") in text[found.start : found.end + 1]


@settings(max_examples=60, deadline=None)
@given(
    whole=st.integers(1, 9_999),
    cents=st.integers(1, 99),
    marks=st.sampled_from([(",", "."), (".", ","), (" ", ",")]),
)
def test_cents_are_read_whatever_mark_they_have(whole: int, cents: int, marks: tuple[str, str]) -> None:
    (found,) = find_amounts(f"{grouped(whole, marks[0])}{marks[1]}{cents:02} €")
    assert found.high == whole + Decimal(cents) / 100


RANGES = {
    "from EUR {} to EUR {}": "EUR",
    "between £{} and £{}": "GBP",
    "€{}–€{}": "EUR",
    "{} – {} €": "EUR",
    "{} bis {} Euro": "EUR",
    "zwischen {} und {} Franken": "CHF",
    "от {} до {} лв.": "BGN",
    "de {} à {} €": "EUR",
    "între {} și {} lei": "RON",
    "από {} έως {} ευρώ": "EUR",
    "entre {} y {} euros": "EUR",
    "od {} do {} zł": "PLN",
    "od {},- Kč do {},- Kč": "CZK",
    "da {} a {} euro": "EUR",
    "van {} tot {} euro": "EUR",
    "entre {} e {} euros": "EUR",
}


@settings(max_examples=60, deadline=None)
@given(
    low=st.integers(100, 9_000),
    more=st.integers(1, 90_000),
    separator=st.sampled_from([",", ".", " ", "'"]),
    way=st.sampled_from(sorted(RANGES)),
)
def test_a_range_has_both_ends(low: int, more: int, separator: str, way: str) -> None:
    text = way.format(grouped(low, separator), grouped(low + more, separator))
    (found,) = find_amounts(text)
    assert (*told(found), found.currency) == (low, low + more, RANGES[way])


@pytest.mark.parametrize(
    "text",
    [
        "up to €5,000", "at most EUR 5 000", "höchstens 5.000 Euro", "bis zu 5.000 €", "до 5 000 евро",
        "не повече от 5000 евро",
        "jusqu'à 5 000 €",
        "dans la limite de 5 000 €", "cel mult 5.000 de euro", "έως 5.000 ευρώ", "hasta 5.000 euros",
        "The maximum amount of the grant is €5,000", "5 000 € maximum", "grants never exceed €5,000",
        "do 5 000 euro", "až 5 000 euro", "fino a 5.000 euro", "un contributo massimo di 5.000 euro",
        "até 5.000 €", "maksymalna kwota wynosi 5 000 euro", "ten hoogste € 5.000,-", "legfeljebb 5 000 euro",
        "unter 5.000 Euro", "δεν ξεπερνά το ποσό των 5.000 ευρώ", "El límite por persona será de 5.000 euros",
    ],
)  # fmt: skip
def test_up_to_gives_the_upper_bound_only(text: str) -> None:
    (found,) = find_amounts(text)
    assert (*told(found), found.currency) == (None, 5000, "EUR")


@pytest.mark.parametrize(
    "text",
    [
        "at least €500", "mindestens 500 Euro", "поне 500 евро", "au moins 500 €", "from €500",
        "grants are limited to a minimum of €500",
    ],
)  # fmt: skip
def test_at_least_gives_the_lower_bound_only(text: str) -> None:
    (found,) = find_amounts(text)
    assert told(found) == (500, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,5 Mio. Euro", 1_500_000),
        ("€1.2 million", 1_200_000),
        ("2,1 milioane lei", 2_100_000),
        ("1,2 εκατ. €", 1_200_000),
        ("50 хил. лв.", 50_000),
        ("15 Tsd. Euro", 15_000),
        ("€10k", 10_000),
        ("1,125 million euros", 1_125_000),
        ("five thousand euros", 5_000),
        ("zehntausend Euro", 10_000),
        ("5000,- Euro", 5_000),
        ("Fr. 5'000.–", 5_000),
        ("10 tys. zł", 10_000),
        ("25 tis. Kč", 25_000),
        ("300 ezer forint", 300_000),
        ("1,2 milioni di euro", 1_200_000),
        ("10 mil euros", 10_000),
        ("2 millió Ft", 2_000_000),
        ("1,5 miljoen euro", 1_500_000),
    ],
)
def test_words_multiply(text: str, value: int) -> None:
    assert [one.high for one in find_amounts(text)] == [value]


def test_a_range_shares_what_multiplies() -> None:
    (found,) = find_amounts("1-2 million euro")
    assert told(found) == (1_000_000, 2_000_000)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("10 to 30,000 euros", (10_000, 30_000)),
        ("de 5 à 20 000 €", (5_000, 20_000)),
        ("von 50 bis 1.000 Euro", (50, 1_000)),
        ("€10 to €30,000", (10, 30_000)),
    ],
)
def test_thousands_may_be_said_once(text: str, bounds: tuple[int, int]) -> None:
    (found,) = find_amounts(text)
    assert told(found) == bounds


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Lot 1 - 20.000 €", 20_000),
        ("Phase 2 – 50,000 EUR", 50_000),
        ("Prize 1 - $5,000", 5_000),
        ("1 - $5,000", 5_000),
        ("Tier 1 / 10,000 EUR", 10_000),
        ("Article 5 and 10,000 EUR", 10_000),
        ("Lot 20 - 5.000 €", 5_000),
        ("A limited number of grants of €500", 500),
        ("un nombre limité de bourses de 500 €", 500),
        ("What we do: 5,000 EUR", 5_000),
        ("az 50 000 Ft-os", 50_000),
    ],
)
def test_what_counts_parts_or_grants_bounds_no_sum(text: str, value: int) -> None:
    (found,) = find_amounts(text)
    assert told(found) == (value, value)


def test_the_profile_settles_whose_dollar_it_is() -> None:
    assert find_amounts("$500")[0].currency == "USD"
    assert find_amounts("$500", currencies=("CAD",))[0].currency == "CAD"


@pytest.mark.parametrize(
    "text", ["80 % of the costs", "40 Prozent", "12 months", "in 2027", "tel. 089 654321", "250 seats", "0 €"]
)
def test_other_numbers_are_no_sums(text: str) -> None:
    assert find_amounts(text) == []


def test_whole_numbers_stay_whole() -> None:
    assert (number(Decimal("5E+3")), number(Decimal("12.5"))) == (5000, 12.5)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.sampled_from("0123456789.,' –-€$ лв.euroMiobisto"), max_size=80))
def test_any_text_gives_sums_in_order_or_none(text: str) -> None:
    found = find_amounts(text)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(one.low is None or one.high is None or one.low <= one.high for one in found)


@pytest.mark.parametrize(
    ("text", "value", "code"),
    [
        ("EUR5,000", 5_000, "EUR"),
        ("grants of EUR1.5 million each", 1_500_000, "EUR"),
        ("USD10,000 per year", 10_000, "USD"),
    ],
)
def test_a_code_may_touch_its_number(text: str, value: int, code: str) -> None:
    assert [(one.high, one.currency) for one in find_amounts(text)] == [(Decimal(value), code)]


def test_a_sum_that_a_space_tore_in_two_is_refused_and_not_misread() -> None:
    assert find_amounts("1.837, 32 €") == []


@pytest.mark.parametrize(
    "text",
    ["Гранты до 800 000 руб. на проект", "не более 800 000 рублей", "до 0,8 млн руб.", "800 000 ₽"],
)
def test_roubles(text: str) -> None:
    (found,) = find_amounts(text)
    assert (found.high, found.currency) == (800_000, "RUB")


def test_what_is_rubbed_in_costs_nothing() -> None:
    assert find_amounts("Rub 3 times a day with 20 ml") == []
