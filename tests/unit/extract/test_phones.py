"""Telephone numbers are read in the writing of their country; other figures are none."""

from __future__ import annotations

import phonenumbers
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields import phones

NUMBERS = {
    "bg": ("тел.: (058) 60-19-20", "BG", ["+35958601920"]),
    "bg mobile": ("Обадете се на 0888 41-29-07, за да", "BG", ["+359888412907"]),
    "de direct line": ("Tel. 089 / 65 43 21-17", "DE", ["+498965432117"]),
    "de zero in brackets": ("+49 (0)89 654 32 10", "BG", ["+49896543210"]),
    "two zeros": ("00359 2 987 44 12", "DE", ["+35929874412"]),
    "fr dots": ("Standard : 05.55.12.34.40", "FR", ["+33555123440"]),
    "ro stroke": ("tel. 0258/813391.", "RO", ["+40258813391"]),
    "el": ("Κρατήσεις: 22430 29418, κιν. 694 123 4588", "GR", ["+302243029418", "+306941234588"]),
    "el in a sentence": ("καλέστε στο 210 45 12 388 (Δευτέρα)", "GR", ["+302104512388"]),
    "es two": ("Teléfono 915 550 126 / 600 123 456", "ES", ["+34915550126", "+34600123456"]),
    "us": ("Office: (612) 555-0110.", "US", ["+16125550110"]),
    "us close": ("(801)555-0115, evenings", "US", ["+18015550115"]),
    "us hyphens of print": ("508\u2011555\u20110147", "US", ["+15085550147"]),
    "us extension": ("(303) 555-0171 ext. 22", "US", ["+13035550171"]),
    "us letters": ("call 1-800-FLOWERS today", "US", ["+18003569377"]),
    "after a postcode": ("Denver, CO 80202 · 303-555-0170", "US", ["+13035550170"]),
    "and another": ("Τηλ. 210 3645678 & 210 3645679", "GR", ["+302103645678", "+302103645679"]),
    "an ending instead": ("тел. 02 987 44 12/13", "BG", ["+35929874412"]),
    "not the fax": ("Tel 030 1234560 Fax 030 1234569", "DE", ["+49301234560"]),
    "both in one": ("Tel./Fax: 030 1234560", "DE", ["+49301234560"]),
    "es short": ("Tlf. 91 123 45 67", "ES", ["+34911234567"]),
    "es shorter": ("Telf: 976 123 456", "ES", ["+34976123456"]),
    "pt mobile": ("Tlm: 912 345 678", "PT", ["+351912345678"]),
    "pt call": ("Para marcar, ligue 21 346 12 00.", "PT", ["+351213461200"]),
    "pt by": ("Contacte-nos pelo 213 461 200 ou por e-mail", "PT", ["+351213461200"]),
    "it call": ("chiamate il 06 6982 1234", "IT", ["+390669821234"]),
    "us behind a postcode": (
        "Frankfort, KY 40601 (502) 555-0120 Fax: (502) 555-0121",
        "US",
        ["+15025550120"],
    ),
    "us behind a postcode, hyphens": ("Frankfort, KY 40601 502-555-0120", "US", ["+15025550120"]),
    "behind a word for taxes": ("VAT registered. Phone: 020 7946 0018", "GB", ["+442079460018"]),
    "behind tax numbers left empty": ("P.IVA / C.F. - Tel. 06 6988 1234", "IT", ["+390669881234"]),
    "behind a short word for taxes": ("CVR: Tlf. 33 12 34 56", "DK", ["+4533123456"]),
    "us stuck to a postcode": ("Frankfort, KY 40601(502) 555-0120", "US", ["+15025550120"]),
}


@pytest.mark.parametrize(("text", "region", "values"), NUMBERS.values(), ids=NUMBERS.keys())
def test_a_number_is_read(text: str, region: str, values: list[str]) -> None:
    assert [one.value for one in phones.find(text, (region,))] == values


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("IBAN DE89 3704 0044 0532 0130 00", "DE"),
        ("P.IVA e Cod. Fisc. 03836450407", "IT"),
        ("Partita IVA 04718980727", "IT"),
        ("CVR: 35545905", "DK"),
        ("ЕИК 175123456", "BG"),
        ("SIRET 123 456 789 00012", "FR"),
        ("HRB 123456 B, USt-IdNr. DE 123456789", "DE"),
        ("150 000 lei, 948 000 лв., 2 000 000 euro", "RO"),
        ("15.11.2026 - 31.12.2026", "DE"),
        ("20.2.-24.2.2026", "DE"),
        ("27.07. – 18.08.2026", "DE"),
        ("1995–2026, 2027/28", "DE"),
        ("luni–joi 8.00–16.30, vineri 8.00–14.00", "RO"),
        ("ISBN 978-3-16-148410-0", "DE"),
        ("You are visitor 8821344", "US"),
        ("Registered in England no. 0712345", "DE"),
        ("Fax: 0301/6 24 26", "BG"),
        ("In an emergency call 911", "US"),
    ],
)
def test_other_figures_are_no_numbers(text: str, region: str) -> None:
    assert phones.find(text, (region,)) == []


def test_the_first_region_that_fits_is_taken() -> None:
    assert phones.parsed("01 512 34 567", ("AT", "DE")) == "+43151234567"
    assert phones.parsed("044 321 56 78", ("CH", "BG")) == "+41443215678"
    assert phones.parsed("612-555-0188", ("BG", "US")) == "+16125550188"
    assert phones.parsed("044 321 56 78", ()) is None


def test_a_link_says_its_number() -> None:
    assert phones.of_link("tel:612-555-0188", ("US",)) == "+16125550188"
    assert phones.of_link("tel:+1-423-555-0134;ext=2", ()) == "+14235550134"
    assert phones.of_link("https://chat.example/40700000000", ("RO",)) is None


_KINDS = [phonenumbers.PhoneNumberType.FIXED_LINE, phonenumbers.PhoneNumberType.MOBILE]
EXAMPLES = [
    number
    for region in (
        "BG",
        "RO",
        "GR",
        "DE",
        "FR",
        "ES",
        "AT",
        "CH",
        "RS",
        "MK",
        "GB",
        "IE",
        "NL",
        "BE",
        "IT",
        "PL",
    )
    for kind in _KINDS
    if (number := phonenumbers.example_number_for_type(region, kind)) is not None
]


@settings(max_examples=120, deadline=None)
@given(
    number=st.sampled_from(EXAMPLES), label=st.sampled_from(["Tel. ", "тел. ", "Phone: ", "τηλ. ", "Tél. : "])
)
def test_national_writing_is_read_back(number: phonenumbers.PhoneNumber, label: str) -> None:
    region = phonenumbers.region_code_for_number(number)
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.NATIONAL)
    value = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    assert [one.value for one in phones.find(label + written, (region,))] == [value]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="0123456789+-()./ extTel:", max_size=120))
def test_no_text_is_too_odd(text: str) -> None:
    for one in phones.find(text, ("BG", "US")):
        assert one.value.startswith("+")
        assert 0 <= one.start < one.end <= len(text)
