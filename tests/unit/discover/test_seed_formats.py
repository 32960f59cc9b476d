"""Lines of seed lists in every format, and what is said of bad ones."""

from __future__ import annotations

import gzip
import io
import os
import threading
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.discover.seeds.formats import BadLine, SeedFormat, SeedLine, detect, read_lines, read_scored
from surveyor.discover.seeds.source import LINE_LIMIT, open_list, open_source
from surveyor.errors import BadInput
from surveyor.names import DEFAULT_RULES


def _read(text: str, wanted: SeedFormat = SeedFormat.AUTO) -> list[SeedLine | BadLine]:
    return list(read_lines(io.BytesIO(text.encode()), wanted))


def test_a_plain_list_has_one_name_per_line_with_comments() -> None:
    assert _read("example.org\n\n# a comment\n  https://a.example/x # why\n") == [
        SeedLine(1, "example.org", None),
        SeedLine(4, "https://a.example/x", None),
    ]


def test_a_tranco_list_is_told_by_its_first_line() -> None:
    assert _read("1,google.com\n2,example.org\r\n") == [
        SeedLine(1, "google.com", 1),
        SeedLine(2, "example.org", 2),
    ]


def test_a_tranco_list_may_begin_with_a_header() -> None:
    assert _read("Rank,Domain\n1,example.org\n") == [SeedLine(2, "example.org", 1)]


def test_a_majestic_list_is_told_by_its_header_and_read_by_its_columns() -> None:
    text = 'GlobalRank,TldRank,Domain,TLD\n1,1,facebook.com,com\n"2","2","example.org","org"\n'
    assert _read(text) == [SeedLine(2, "facebook.com", 1), SeedLine(3, "example.org", 2)]


def test_a_majestic_list_without_its_header_is_refused() -> None:
    with pytest.raises(BadInput, match="GlobalRank and Domain"):
        _read("1,1,facebook.com,com\n", SeedFormat.MAJESTIC)


@pytest.mark.parametrize("rank", ["0", "-1", "x", "", "1.5", "99999999999999999999", "²"])
def test_a_rank_that_is_none_makes_a_bad_line_with_its_number(rank: str) -> None:
    found = _read(f"1,example.org\n{rank},b.example\n")
    assert isinstance(found[1], BadLine)
    assert found[1].number == 2
    assert "rank" in found[1].reason


def test_a_line_that_is_not_utf_8_is_named_and_the_rest_goes_on() -> None:
    found = list(read_lines([b"a.example\n", b"\xff\xfebad\n", b"b.example\n"], SeedFormat.PLAIN))
    assert found[1] == BadLine(2, "��bad", "it is not UTF-8")
    assert found[2] == SeedLine(3, "b.example", None)


def test_a_sorted_set_gives_its_scores_as_ranks() -> None:
    members = [(b"https://a.example/", 1.0), (b"b.example", 2.5), (b"c.example", -1.0)]
    assert [(line.text, line.rank) for line in read_scored(members) if isinstance(line, SeedLine)] == [
        ("https://a.example/", 1),
        ("b.example", None),
        ("c.example", None),
    ]


@pytest.mark.parametrize("kind", ["plain", "gz", "zip"])
def test_compressed_lists_read_like_plain_ones(kind: str, tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf1,a.example\n2,b.example\n"
    path = tmp_path / f"tranco_20260205.csv.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("top.csv", data)
            archive.writestr("__MACOSX/._top.csv", b"\0\5\x16")
    else:
        path.write_bytes(gzip.compress(data) if kind == "gz" else data)
    source = open_source(str(path))
    assert [line.text for line in read_lines(source.lines(), SeedFormat.AUTO)] == ["a.example", "b.example"]
    assert source.name == "tranco_20260205"
    assert source.read_bytes() > 0
    source.close()


def test_a_file_without_line_ends_is_cut_and_does_not_fill_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    path.write_bytes(b"x" * (LINE_LIMIT * 50) + b"\nexample.org\n")
    source = open_source(str(path))
    lines = list(source.lines())
    source.close()
    assert [len(line) for line in lines] == [LINE_LIMIT, 12]


def _locked(member: str) -> bytes:
    """A zip file whose only member says that it has a password."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(member, "a.example\n")
    data = bytearray(made.getvalue())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def test_of_a_document_in_a_zip_file_only_its_kind_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.odt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", b"x" * 50_000_000)
    tracemalloc.start()
    with pytest.raises(BadInput, match="office program"):
        open_source(str(path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000


@pytest.mark.parametrize(
    ("where", "offers"),
    [("example.org", True), ("https://example.org/a?b", True), ("seeds.csv", False), ("seeds", False)],
)
def test_whoever_names_a_domain_instead_of_a_file_is_told_how(where: str, offers: bool) -> None:
    with pytest.raises(BadInput, match="does not exist; name a file") as refused:
        open_source(where)
    assert ("surveyor submit" in str(refused.value)) is offers


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.write_bytes(_locked("top.csv")), "has a password"),
        (lambda path: path.write_bytes(_locked("mimetype")), "office program"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_bytes(gzip.compress(b"example.org\n" * 999)[:60]), "cannot be read"),
        (lambda path: path.write_bytes(b"PK\x03\x04 broken"), "not a sound zip"),
        (lambda path: path.write_bytes(b"%PDF-1.7\n1 0 obj\nhttp://a.example\n"), "is a PDF; copy"),
        (lambda path: path.write_bytes(b"\n<!DOCTYPE html>\na.example\n"), "is a web page"),
        (lambda path: path.write_bytes(b'{"url": "https://a.example"}\n'), "is JSON; save it as CSV"),
        (lambda path: path.write_bytes(b"{\\rtf1\\ansi https://a.example \\par}"), "office program"),
        (lambda path: path.write_bytes(gzip.compress(b"a.example\n\0\1\2")), "is no text"),
    ],
    ids=[
        "missing",
        "locked",
        "locked document",
        "folder",
        "torn gzip",
        "broken zip",
        "pdf",
        "html",
        "json",
        "rtf",
        "packed bytes",
    ],
)
def test_a_list_that_cannot_be_read_says_so_in_one_line(make: object, told: str, tmp_path: Path) -> None:
    path = tmp_path / "seeds"
    make(path)  # type: ignore[operator]
    with pytest.raises(BadInput, match=told) as refusal:
        list(open_list(str(path), DEFAULT_RULES).lines())
    assert "\n" not in str(refusal.value)


def test_a_list_comes_out_of_a_pipe_of_the_shell(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a.example\nb.example\n",))
    writer.start()
    source = open_list(str(pipe), DEFAULT_RULES)
    assert list(source.lines()) == [b"a.example\n", b"b.example\n"]
    source.close()
    writer.join()


@given(st.lists(st.binary(max_size=80), max_size=30), st.sampled_from(SeedFormat))
def test_no_bytes_make_the_reader_fall_over(lines: list[bytes], wanted: SeedFormat) -> None:
    try:
        found = list(read_lines(lines, wanted))
    except BadInput:
        return
    assert all(1 <= line.number <= len(lines) for line in found)


@given(st.text(max_size=100))
def test_any_first_line_has_a_format(text: str) -> None:
    assert detect(text) in SeedFormat


def test_a_carriage_return_within_a_header_is_a_wrong_header_and_no_crash() -> None:
    with pytest.raises(BadInput, match="GlobalRank"):
        list(read_lines([b"\x00\r\x00"], SeedFormat.MAJESTIC))
