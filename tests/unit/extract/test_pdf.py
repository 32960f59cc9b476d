"""PDF files are read where they can be, and are nothing where they cannot."""

from __future__ import annotations

import io

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from surveyor.extract import pdf
from surveyor.extract.document import BlockKind
from surveyor.extract.pagetext import text_of
from surveyor.extract.pdf import read_pdf
from tests.unit.extract.conftest import Parse

LINES = (
    "Orchard grants 2027",
    "Grants of up to 5,000 euros for associations that plant fruit trees",
    "together with their neighbours.",
    "Deadline: 29 January 2027",
    "- one page of plain words",
)


def file(*pages: tuple[str, ...], title: str | None = None, password: str | None = None) -> bytes:
    """A PDF with the lines of each page as text."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for lines in pages:
        page = writer.add_blank_page(width=600, height=800)
        shown = " ".join(f"({line}) Tj 0 -20 Td" for line in lines)
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 50 700 Td {shown} ET".encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(stream)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    if title is not None:
        writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_the_text_of_a_file_is_read() -> None:
    found = read_pdf(file(LINES, title="Call  2027"))
    assert found is not None
    assert found.title == "Call 2027"
    assert "Deadline: 29 January 2027" in found.text


def test_a_file_becomes_a_document(parsed: Parse) -> None:
    document = parsed(file(LINES), content_type="application/pdf")
    assert document.title == "Orchard grants 2027"
    assert [(each.kind, each.text) for each in document.blocks[-3:]] == [
        (
            BlockKind.TEXT,
            "Grants of up to 5,000 euros for associations that plant fruit trees "
            "together with their neighbours.",
        ),
        (BlockKind.TEXT, "Deadline: 29 January 2027"),
        (BlockKind.ITEM, "one page of plain words"),
    ]
    assert document.language == "en"
    assert "Deadline: 29 January 2027" in text_of(document).text


def test_the_bytes_tell_that_it_is_a_file(parsed: Parse) -> None:
    assert parsed(file(LINES), content_type="text/html").blocks
    assert parsed(file(LINES), content_type=None).blocks


def test_a_title_of_the_file_serves_where_it_has_no_heading(parsed: Parse) -> None:
    lines = ("all in small letters, and long enough to be a paragraph of its own.",)
    assert parsed(file(lines, title="Call 2027")).title == "Call 2027"


def test_a_file_without_a_password_to_know_is_read() -> None:
    assert read_pdf(file(LINES, password="")) is not None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"%PDF-1.7",
        b"<html>%PDF-</html>",
        file(LINES)[:300],
        file(()),
        file(LINES, password="secret"),
        b"%PDF-1.4\n" + b"1 0 obj<</Kids[1 0 R]>>endobj\n" * 500 + b"trailer<</Root 1 0 R>>",
    ],
    ids=["nothing", "only a head", "a page", "torn", "without text", "locked", "a ring"],
)
def test_what_cannot_be_read_is_nothing(body: bytes, parsed: Parse) -> None:
    assert read_pdf(body) is None
    parsed(body, content_type="application/pdf")


def test_no_more_pages_are_read_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PAGES", 2)
    found = read_pdf(file(*[(f"page number {number} of it",) for number in range(5)]))
    assert found is not None
    assert "number 1" in found.text
    assert "number 2" not in found.text


def test_a_file_that_is_too_large_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_BYTES", 100)
    assert read_pdf(file(LINES)) is None


def test_time_ends_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_SECONDS", -1.0)
    assert read_pdf(file(LINES)) is None


def test_without_the_extra_there_is_no_text(monkeypatch: pytest.MonkeyPatch, parsed: Parse) -> None:
    monkeypatch.setattr(pdf, "is_readable", lambda: False)
    assert read_pdf(file(LINES)) is None
    assert parsed(file(LINES)).blocks == []


def test_plain_text_is_read_like_paper(parsed: Parse) -> None:
    document = parsed(
        "Orchard grants\n\nWe give to people\nwho plant trees.\n\n* apples", content_type="text/plain"
    )
    assert [(each.kind, each.text) for each in document.blocks] == [
        (BlockKind.HEADING, "Orchard grants"),
        (BlockKind.TEXT, "We give to people who plant trees."),
        (BlockKind.ITEM, "apples"),
    ]


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_file_makes_reading_fail(noise: bytes, at: int) -> None:
    whole = file(LINES)
    read_pdf(whole[:at] + noise + whole[at + len(noise) :])
