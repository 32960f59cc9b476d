"""Lists people really have: which column holds the addresses, in any CSV."""

from __future__ import annotations

import codecs
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.discover.seeds.addresses import addresses_in
from surveyor.discover.seeds.detect import with_format
from surveyor.discover.seeds.formats import BadLine, SeedFormat, SeedLine
from surveyor.discover.seeds.layout import find_layout
from surveyor.discover.seeds.source import open_source
from surveyor.discover.seeds.tables import Table, TableOptions, open_table
from surveyor.errors import BadInput
from surveyor.names import DEFAULT_RULES


def _open(text: str, column: str | None = None, *context: str) -> Table:
    return open_table(io.BytesIO(text.encode()), DEFAULT_RULES, TableOptions(column, context))


def _addresses(text: str, column: str | None = None) -> list[str]:
    return [line.text for line in _open(text, column).lines if isinstance(line, SeedLine)]


def _format(text: str) -> SeedFormat:
    return with_format(io.BytesIO(text.encode()), SeedFormat.AUTO, DEFAULT_RULES)[0]


SHEET = (
    "Our partners 2026;;;\n"
    ";;;\n"
    "Name;E-mail;Website;Notes\n"
    "Food Bank;info@foodbank.example;www.foodbank.example;called in May\n"
    "Shelter;post@shelter.example;https://shelter.example/help;\n"
    "North region;;;\n"
    "Clinic;a@clinic.example;n/a;no website\n"
)


def test_the_column_is_found_below_a_title_and_beside_e_mail_addresses() -> None:
    table = _open(SHEET)
    assert list(table.lines) == [
        SeedLine(4, "www.foodbank.example", None),
        SeedLine(5, "https://shelter.example/help", None),
    ]
    assert (table.layout.name, table.without_address) == ("Website", 2)


def test_other_columns_are_kept_as_context_on_request() -> None:
    first = next(_open(SHEET, None, "name", "Notes").lines)
    assert isinstance(first, SeedLine)
    assert first.context == "Name: Food Bank; Notes: called in May"
    everything = next(_open(SHEET, None, "all").lines)
    assert isinstance(everything, SeedLine)
    assert everything.context == "Name: Food Bank; E-mail: info@foodbank.example; Notes: called in May"
    with pytest.raises(BadInput, match=r"“Town”.*“Name”"):
        _open(SHEET, None, "Town")


@pytest.mark.parametrize("column", ["Shop", "c", "3"])
def test_a_column_is_named_by_heading_letter_or_number(column: str) -> None:
    text = "Name,Website,Shop\nA,a.example,shop-a.example\nB,b.example,shop-b.example\n"
    assert _addresses(text, column) == ["shop-a.example", "shop-b.example"]
    with pytest.raises(BadInput, match="no column “Z”; columns: A “Name”, B “Website”, C “Shop”"):
        _open(text, "Z")


def test_a_layout_without_addresses_is_told_in_one_line_with_its_columns() -> None:
    with pytest.raises(BadInput) as refused:
        _open("Name,Phone\nA,123\nB,456\n")
    told = str(refused.value)
    assert told == (
        "no column holds addresses; columns: A “Name”, B “Phone”; name the right one, such as --column A"
    )


def test_two_columns_that_cannot_be_told_apart_are_asked_about() -> None:
    with pytest.raises(BadInput, match="more than one column"):
        _open("Old,New\na.example,b.example\nc.example,d.example\n")


def test_links_to_one_social_network_are_not_the_websites() -> None:
    rows = "".join(f"Org {n},https://facebook.com/org{n},org{n}.example\n" for n in range(20))
    assert _addresses(f"Name,Facebook,Found at\n{rows}")[:2] == ["org0.example", "org1.example"]


def test_a_title_above_a_table_is_not_its_heading() -> None:
    rows = [("Websites", ""), ("", ""), ("Link", "Name"), ("https://a.org", "Foo"), ("https://b.org", "Bar")]
    layout = find_layout(rows, DEFAULT_RULES)
    assert (layout.header_row, layout.names) == (3, ("Link", "Name"))


def test_a_cell_may_hold_several_addresses_or_a_sentence() -> None:
    def found(cell: str) -> list[str]:
        return addresses_in(cell, DEFAULT_RULES)

    assert found("foo.example / bar.example") == ["foo.example", "bar.example"]
    assert found("see https://foo.example/x, (formerly Www.Bar.example).") == [
        "https://foo.example/x",
        "Www.Bar.example",
    ]
    assert found('=HYPERLINK("https://foo.example/x","Foo")') == ["https://foo.example/x"]
    assert found("ask Mr.Smith") == []
    assert found("info@foo.example") == []
    assert found("12.03.2024") == []


def test_a_cell_that_is_no_address_is_named_with_its_row() -> None:
    lines = list(_open("Website;Name\na.example;A\nfacebook only;B\n").lines)
    assert isinstance(lines[1], BadLine)
    assert (lines[1].number, lines[1].text) == (3, "facebook only")


@pytest.mark.parametrize("parter", [",", ";", "\t"])
def test_tables_are_told_from_plain_lists(parter: str) -> None:
    assert _format(f"Name{parter}Web\nA{parter}a.example\n") is SeedFormat.TABLE
    assert _format("a.example\nhttps://b.example/x,y\n") is SeedFormat.PLAIN
    assert _format("1,a.example\n2,b.example\n") is SeedFormat.TRANCO
    assert _format("domain,decision\na.example,approve\n") is SeedFormat.DECISIONS
    assert _format("# a, b\na.example\nb.example # this, that\n") is SeedFormat.PLAIN


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8-sig", "Bücherei"),
        ("cp1252", "Bücherei"),
        ("cp1251", "Библиотека"),
        ("utf-16", "Bücherei"),
        ("utf-16-le", "Bücherei"),
        ("utf-16-be", "Bücherei"),
    ],
)
@pytest.mark.parametrize("line_end", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("parter", ["\t", ";", ",", "|"])
def test_a_table_is_read_in_the_encodings_that_spreadsheets_write(
    tmp_path: Path, encoding: str, name: str, line_end: str, parter: str
) -> None:
    assert codecs.lookup(encoding)
    file = tmp_path / "list.csv"
    text = f"Name{parter}Website{line_end}{name}{parter}www.a.example{line_end}"
    file.write_bytes(text.encode(encoding))
    opened = open_source(str(file))
    found, raw = with_format(opened.lines(), SeedFormat.AUTO, DEFAULT_RULES)
    assert found is SeedFormat.TABLE
    lines = list(open_table(raw, DEFAULT_RULES, TableOptions(context=("Name",))).lines)
    del raw
    assert opened.read_bytes() == file.stat().st_size, "a progress bar asks once more after the last line"
    opened.close()
    assert lines == [SeedLine(2, "www.a.example", None, f"Name: {name}")]


@given(st.lists(st.binary(max_size=60), max_size=30))
def test_any_bytes_are_seeds_bad_lines_or_one_clear_refusal(lines: list[bytes]) -> None:
    try:
        found = list(open_table(lines, DEFAULT_RULES, TableOptions()).lines)
    except BadInput as refused:
        assert "columns:" in str(refused)
        return
    assert all(isinstance(line, SeedLine | BadLine) for line in found)


def test_rows_between_the_heading_and_the_first_address_are_read_as_rows() -> None:
    table = _open("Name;Website;Town\nA;#REF!;Ulm\nB;n/a;Bonn\nC;c.example;Jena\n")
    lines = list(table.lines)
    assert (table.layout.name, table.without_address) == ("Website", 1)
    assert lines == [BadLine(2, "#REF!", "there is no host name in it"), SeedLine(4, "c.example", None)]
    unnamed = list(_open("Name;Found at\nA;www,a.example\nB;b.example\n").lines)
    assert [line.number for line in unnamed] == [2, 3]


MAIL = "From: Ann <ann@example.org>\nSubject: Funders, as promised\n\n"
PROSE = (
    "Hi Bob, here they are.\nI like https://first-fund.org, it is good.\n"
    "Then second-fund.org, which is small.\nAvoid http://third.example.com, they are crooks.\nBest, Ann\n"
)


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        MAIL + PROSE,
        MAIL + "https://first-fund.org\nsecond-fund.org\n",
        "Von: Ann <ann@example.org>\r\nAn: Bob,\r\n  Carla\r\n\r\nfirst-fund.org\r\n",
        "X-Spam: no\nReceived: from a.example.org by b.example.org for <c@example.org>\n" * 40,
    ],
    ids=["prose", "mail", "list in a mail", "folded", "long head"],
)
def test_what_people_write_to_people_is_no_list(text: str) -> None:
    with pytest.raises(BadInput, match="--format links"):
        _format(text)
    raw = io.BytesIO(text.encode())
    assert with_format(raw, SeedFormat.TABLE, DEFAULT_RULES)[0] is SeedFormat.TABLE


@pytest.mark.parametrize(
    "text",
    [
        "Report: funders\nContact: info@example.org\nName,Website\nA,www.a.example.org\nB,b.example.org\n",
        "A,see www.a.example.org,x\nB,also www.b.example.org,y\n",
        "A;see www.a.example.org\nB;also www.b.example.org\n",
        "A,www.a.example.org\nB,www.b.example.org www.c.example.org\nC,moved to c.example.org\n",
    ],
    ids=["title rows", "columns", "semicolons", "mostly alone"],
)
def test_a_table_with_sentences_in_it_is_one(text: str) -> None:
    assert _format(text) is SeedFormat.TABLE
