"""Where a programme holds: places that a sentence says are lived in, or that are known, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields.regions import land_of, place_of

SAID = {
    "Residents of Fulton County, Georgia": ("en", "Fulton County, Georgia"),
    "NGOs registered in North Macedonia": ("en", "North Macedonia"),
    "young people from the Western Balkans": ("en", "Western Balkans"),
    "Associations from the municipality of Plovdiv may apply.": ("en", "Plovdiv"),
    "Families who live in Alder, Birch, or Cedar County": ("en", "Alder, Birch, or Cedar County"),
    "Painters who reside in Alder or Birch counties may apply.": ("en", "Alder or Birch counties"),
    "Farmers in the following counties: Alder, Birch and Cedar": ("en", "Alder, Birch and Cedar"),
    "be a citizen of the United States and a resident of Alder, Birch, Cedar or St. Elm county": (
        "en",
        "Alder, Birch, Cedar or St. Elm county",
    ),
    "low-income Iowa homeowners": ("en", "Iowa"),
    "Choirs in Cornwall and Devon": ("en", "Cornwall and Devon"),
    "Non-profits based in Alder County or the City of Chicago": ("en", "Alder County or the City of Chicago"),
    "Potters from Leeds": ("en", "Leeds"),
    "young artists from Tolmanby": ("en", "Tolmanby"),
    "any three households in Tolman or Eastleigh": ("en", "Tolman or Eastleigh"),
    "Vereine mit Sitz im Landkreis Erlental": ("de", "Landkreis Erlental"),
    "Chöre aus Leipzig und Dresden": ("de", "Leipzig und Dresden"),
    "La bourse est réservée aux familles d’Aulnoy.": ("fr", "Aulnoy"),
    "jeunes résidant en Bretagne": ("fr", "Bretagne"),
    "хора, живеещи на територията на община Габрово.": ("bg", "община Габрово"),
    "сдружения от Пловдив": ("bg", "Пловдив"),
    "Читалища в Пловдив могат да кандидатстват": ("bg", "Пловдив"),
    "Σχολεία στη Θεσσαλονίκη μπορούν να υποβάλουν": ("el", "Θεσσαλονίκη"),
    "Not-for-profits in Kenya can apply.": ("en", "Kenya"),
    "Vereine mit Wohnsitz im Erlental": ("de", "Erlental"),
    "Училища във Велико Търново": ("bg", "Велико Търново"),
    "Училища в София и Стара Загора": ("bg", "София и Стара Загора"),
    "Σχολεία στη Νέα Σμύρνη": ("el", "Νέα Σμύρνη"),
    "Asociații din București": ("ro", "București"),
    "Schools in Praha and Warszawa": ("en", "Praha and Warszawa"),
    "asociații cu sediul în România": ("ro", "România"),
    "κάτοικοι του Δήμου Τεμπών": ("el", "Δήμου Τεμπών"),
    "jóvenes residentes en Asturias": ("es", "Asturias"),
}
NONE = [
    "Any choir that meets the conditions set out in the RFA may apply.",
    "Students interested in Reading or Mobile development may apply.",
    "Jordan and Georgia Smith founded the fund for young painters.",
    "Open to writers of any Nice story that came out in March.",
    "Members of the Lincoln Club and their children",
    "Female students in Computer Science",
    "Non-profits working in Education, Health or the Arts",
    "Societies that are exempt under Section 501 of the Internal Revenue Code",
    "Pupils of the Dover Street School",
    "Candidates must not have lived in Austria for a year.",
    "Residents of Care Homes",
    "artists from Black, Asian and minority ethnic backgrounds",
    "students from Low-Income families",
    "pupils from Title I schools",
    "children from Roma communities",
    "students from January on",
    "Citizens of non-EU countries",
    "Vereine, tätig im Bereich der Jugendhilfe",
    "Firmen mit Sitz im Inland",
    f"{'and so on ' * 200} schools in Serbia",
]


@pytest.mark.parametrize("text", SAID)
def test_a_sentence_says_where_people_live(text: str) -> None:
    language, place = SAID[text]
    assert place_of(text, language) == place


@pytest.mark.parametrize("text", NONE)
def test_a_name_of_a_person_or_a_subject_is_no_region(text: str) -> None:
    assert place_of(text, "en") is None


@pytest.mark.parametrize(
    ("funder", "land"),
    [
        ("Cornwall Community Foundation", "Cornwall"),
        ("Community Foundation of Alder County", "Alder County"),
        ("Community Foundation of the Alder Valley", "Alder Valley"),
        ("Community Foundation for Cornwall", "Cornwall"),
        ("Community Foundation for Innovation", None),
        ("Community Foundation for Young People", None),
        ("Helping Hands Community Foundation", None),
        ("Département de la Haute-Marche", "Haute-Marche"),
        ("The Alder Trust", None),
    ],
)
def test_a_funder_may_be_called_after_its_land(funder: str, land: str | None) -> None:
    assert land_of(funder) == land


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="resident of in from Iowa, County and Plovdiv.:'d’", max_size=80))
def test_a_region_stands_in_its_sentence(text: str) -> None:
    place = place_of(text, "en")
    assert place is None or place in " ".join(text.split())
