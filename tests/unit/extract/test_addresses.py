"""Postal addresses are found in the shapes of many countries, without what stands around them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields import addresses
from surveyor.extract.fields.postcodes import region_of

FOUND = {
    "nl": ("Lark Fund · |Herengracht 502, 1017 CB Amsterdam, The Netherlands", None),
    "bg city first": ("Фонд „Житница“, |гр. Добрич 9300, ул. „Независимост“ 7, ет. 3", None),
    "bg postcode first": ("Сдружение „Подслон“, |7000 Русе, ул. „Борисова“ 60, вх. Б|, делник 9–17 ч.", None),
    "bg quarter": ("Адрес: |София 1164, ж.к. Лозенец, ул. „Златовръх“ № 33, ап. 4", None),
    "bg postcode last": ("|бул. „Шести септември“ 152, 4000 Пловдив", None),
    "de strokes": (
        "Stiftung Nachbarland \\| |Prielmayerstraße 5 \\| 80335 München| \\| T +49",
        "Prielmayerstraße 5, 80335 München",
    ),
    "de small words": ("|Am Alten Markt 12a, D-50667 Köln, Deutschland", None),
    "de prose": ("Besuchen Sie uns in der |Goethestraße 7, 10623 Berlin|. Wir freuen uns.", None),
    "at": ("Verein · |Lindengasse 44, 1070 Wien| · 01 512 34 567", None),
    "fr": ("Standard, |9 rue Gambetta, 67000 Strasbourg|, 03 88 12 34 70", None),
    "fr comma": ("Fondation – |7, quai de la Fosse – 44000 Nantes", "7 quai de la Fosse, 44000 Nantes"),
    "fr bis": ("Entraide, |12 bis rue du Molinel, 59800 Lille|. Secrétariat", None),
    "fr box": ("|BP 45, 23000 Guéret cedex", None),
    "ro": ("Consiliul, |Piața Unirii nr. 8, 510009 Alba Iulia|, telefon 0258/813380", None),
    "ro no postcode": ("Fonduri SRL, |Str. Știrbei Vodă 95, București", None),
    "ro date in the name": ("|Bulevardul 1 Decembrie 1918 nr. 41, et. 2, Târgu Mureș, 540445", None),
    "el": ("Δήμος Καλαμιάς, |Πλατεία Ηρώων 1, 301 00 Αγρίνιο| \\| Τ: 26410", None),
    "el hill": ("Ταμείο - |Λόφος Πανεπιστημίου, 811 00 Μυτιλήνη| - τηλ. 22510", None),
    "es": ("|Calle de Alcalá 45, 2º piso, 28014 Madrid, España", None),
    "us prose": (
        "in the parish hall at |73 Chestnut Hill Rd, Worcester, MA 01609|. Use the green door",
        None,
    ),
    "us suite": ("Law Project · |1444 Wazee St, Suite 300, Denver, CO 80202| · 303-555-0170", None),
    "us ordinal": ("|2450 S 6th Ave, Tucson, AZ 85713", None),
    "us box": ("Valley Tribune, |PO Box 318, Oakdale, CA 95361", None),
    "us state in full": ("|219 Main St, Montpelier, Vermont 05602", None),
    "us in one go": ("|123 Main Street Springfield IL 62704", "123 Main Street, Springfield IL 62704"),
    "us comma": ("|219 Nye Road, Lyons, NY, 14489", "219 Nye Road, Lyons, NY 14489"),
    "ca": ("Library, |40 Pearson Avenue, Maple Hill, ON L4C 6T7| · 905-555-0147", None),
    "ca in one go": ("|66 Slater Street, Ottawa ON K1P 5H1", None),
    "uk": ("|12 High Street, Leeds LS1 4AP", None),
    "uk county": ("|14 Broad Street, Ely, Cambridgeshire CB7 4AB", None),
    "uk house": ("Charity 1098765, |Dovenby Hall, Cockermouth, Cumbria CA13 0PN", None),
    "ie": ("Kestrel · |12 Bishop Lane, Dublin 2, D02 X5Y8", None),
    "lu": ("|21 rue Notre-Dame, L-2240 Luxembourg", None),
    "pl": ("|Kancelaria 5, 00-950 Warszawa", None),
    "at staircase and door": ("Verein, |Schulgasse 3/2/14, A-1180 Wien", None),
    "fr hamlet": ("|Lieu-dit Le Bourg, 24220 Vézac| - tél", None),
    "es floor and door": ("|C/ Mayor, 12, 3º B, 28013 Madrid", "C/ Mayor 12, 3º B, 28013 Madrid"),
    "es ground floor": ("|Avda. de América nº 5, bajo, 37004 Salamanca", None),
    "es industrial estate": ("|Polígono Industrial El Prado, nave 7, 06800 Mérida", None),
    "es kilometre": (
        "|Ctra. de Burgos, km 12, 28700 San Sebastián de los Reyes",
        "Ctra. de Burgos km 12, 28700 San Sebastián de los Reyes",
    ),
    "pt floor": (
        "|Av. da Liberdade, 110, 3.º Esq., 1250-146 Lisboa",
        "Av. da Liberdade 110, 3.º Esq, 1250-146 Lisboa",
    ),
    "bg village": ("Читалище, |с. Яворово, ул. Първа № 3", None),
    "bg sign close to the number": (
        "|ул. „Явор“ №19, 5000 Велико Търново",
        "ул. „Явор“ № 19, 5000 Велико Търново",
    ),
    "el word for street": ("|Οδός Αθηνάς 15, Αθήνα", None),
    "el code between": ("|Ερμού 5, Τ.Κ. 54624, Θεσσαλονίκη", None),
    "au": ("|45 George St, Sydney NSW 2000", None),
    "us room of four figures": ("|1102 Q Street, Suite 4554, Sacramento, CA 95811", None),
    "us mall": ("Larch University, |610 Larch Mall, West Lafayette, IN 47907|, (765) 555-0100", None),
    "us highway": ("|3050 Highway 20 East, Freeport, FL 32439", None),
    "us street of one word": ("|500 Broadway, Suite 200, Santa Monica, California 90401", None),
    "uk unit of an estate": ("Reuse: |Unit 4, Brook Industrial Estate, Brook Lane, Bradford BD4 8TQ", None),
    "us state like a court": ("Larch Library, |8 Linden Street, Hartford, CT 06103| · hours", None),
    "us state like an alley": ("|40 Mill Street, Huntsville, AL 35801", None),
    "us state like an alley, no comma": ("|40 Mill Street, Huntsville AL 35801", None),
    "us box, state like an alley": ("|PO Box 12, Mobile, AL 36601", None),
    "us state in full, no postcode": ("Open at |63 Larch Rd, Memphis, Tennessee", None),
    "us state, no postcode": ("|9 Mill Street, Maple Hill, IL|. Ring the bell", None),
    "es no number": ("|Camino de la Ermita, s/n, 16004 Cuenca", "Camino de la Ermita s/n, 16004 Cuenca"),
    "pt number sign": (
        "|Praceta do Moinho, n.º 7 A, 2690-521 Loures",
        "Praceta do Moinho nº 7 A, 2690-521 Loures",
    ),
    "pt city": ("|Rua da Igreja 2, 2695-708 São João da Serra| - tel", None),
    "bg city, quarter, street": ("Адрес: |гр. Пловдив, ж.к. Тракия, ул. „Явор“ 53", None),
}


@pytest.mark.parametrize(("text", "value"), FOUND.values(), ids=FOUND.keys())
def test_an_address_is_found_in_its_line(text: str, value: str | None) -> None:
    marked = text.replace("\\|", "\0")
    written = marked.split("|")[1].replace("\0", "|")
    line = marked.replace("|", "").replace("\0", "|")
    assert [one.value for one in addresses.find([line])] == [value or written]


def test_lines_of_an_address_are_joined() -> None:
    lines = [
        "Département de la Haute-Marche",
        "Hôtel du Département",
        "2 place de la Préfecture",
        "23000 Guéret",
        "Tél.",
    ]
    (found,) = addresses.find(lines)
    assert found.value == "Hôtel du Département, 2 place de la Préfecture, 23000 Guéret"
    assert (found.first_line, found.last_line) == (1, 3)


def test_the_owner_is_no_part_of_it() -> None:
    lines = ["Old Mill House", "12 Mill Street", "Northfield, MN 55057"]
    assert addresses.find(lines, {"Old Mill House"})[0].value == "12 Mill Street, Northfield, MN 55057"


def test_a_sentence_that_goes_on_ends_the_address() -> None:
    assert addresses.find(["We left 12 Mill Street for a better house", "Stiftung Reed, 80335 München"]) == []
    assert addresses.find(["12 Mill Street is where we were", "80335 München"]) == []


def test_two_offices_are_two_addresses() -> None:
    lines = [
        "Kneza Miloša 12",
        "11000 Belgrade, Serbia",
        "Sofia office",
        "15 Tsar Shishman Street",
        "1000 Sofia, Bulgaria",
    ]
    assert [one.value for one in addresses.find(lines)] == [
        "Kneza Miloša 12, 11000 Belgrade, Serbia",
        "15 Tsar Shishman Street, 1000 Sofia, Bulgaria",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "© 2026 Lens Lounge",
        "15. Dezember 2026, 150 000 lei, 20 000 Euro",
        "Pine Creek Park | Nov 30, 2026",
        "Svenja Bruns, Telefon, 05271",
        "Stiftung Nachbarland, 80335 München",
        "Brückenpreis 2026, 5000 Euro gehen nach Tuzla",
        "Tel 01900 555 760",
        "aged 16 to 23, up to 30 nights",
    ],
)
def test_a_place_a_date_or_a_sum_is_no_address(line: str) -> None:
    assert addresses.find([line]) == []


@pytest.mark.parametrize(
    ("address", "region"),
    [
        ("Seilergraben 49, 8001 Zürich", "CH"),
        ("Lindengasse 44, 1070 Wien", "AT"),
        ("12 Bishop Lane, Dublin 2, D02 X5Y8", "IE"),
        ("14 Broad Street, Ely, CB7 4AB", "GB"),
        ("12 Mill Street, Northfield, MN 55057", "US"),
        ("Herengracht 502, 1017 CB Haarlem", "NL"),
        ("D-50667 Irgendwo", "DE"),
        ("Hauptstraße 1, 12345 Irgendwo, Österreich", "AT"),
        ("somewhere", None),
    ],
)
def test_an_address_tells_its_country(address: str, region: str | None) -> None:
    assert region_of(address) == region


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="aA1 0,.|-улSt. НRue5", max_size=60), max_size=6))
def test_no_lines_are_too_odd(lines: list[str]) -> None:
    for found in addresses.find(lines):
        assert 0 <= found.first_line <= found.last_line < len(lines)


WRITTEN_OTHERWISE = {
    "town without a comma": (
        "23 E. Timber Dr. Rhinelander, WI 54501",
        "23 E. Timber Dr, Rhinelander, WI 54501",
    ),
    "state with dots": (
        "330 South Greene Street, Greensboro, N.C. 27401",
        "330 South Greene Street, Greensboro, NC 27401",
    ),
    "comma before the number": ("Via Molini, 90, 38068 Rovereto", "Via Molini 90, 38068 Rovereto"),
}


@pytest.mark.parametrize("name", WRITTEN_OTHERWISE)
def test_an_address_is_read_wherever_its_commas_stand(name: str) -> None:
    text, value = WRITTEN_OTHERWISE[name]
    assert [one.value for one in addresses.find([text])] == [value]


@pytest.mark.parametrize(
    "lines",
    [
        ["Old Town Bakery", "Est. 1845"],
        ["News", "Nächste Theatertage Rheinland-Pfalz", "1140 Quadratmeter große Anlage öffnet"],
    ],
)
def test_a_number_behind_a_headline_is_no_postcode(lines: list[str]) -> None:
    assert addresses.find(lines) == []


def test_the_years_of_a_copyright_line_are_no_address() -> None:
    assert addresses.find(["Copyright 2001, 2021 IZ Medien GmbH"]) == []
    assert addresses.find(["January 11, 2016 Salt Lake City"]) == []


@pytest.mark.parametrize(
    "line",
    [
        "Office: 12 High Street, London EC1A 1BB",
        "Contact: 12 High Street, London EC1A 1BB",
        "Office 12 Main Street, Springfield, IL 62701",
        "Info: 5 rue Haute, 75002 Paris",
        "Контакти: 1000 София, ул. Шипка 5",
        "Ring 12, 1040 Wien",
    ],
)
def test_words_before_telephone_numbers_stand_before_addresses_too(line: str) -> None:
    assert len(addresses.find([line])) == 1
