"""Addresses in texts that are no lists: what a person pastes, saves or exports from somewhere."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.discover.seeds.linked import links_in, read_links
from surveyor.discover.seeds.source import LINE_LIMIT, open_list
from surveyor.errors import BadInput
from surveyor.names import DEFAULT_RULES

_MAIL = """From: Maria <maria@city.example.org>
Subject: funders

have a look at https://www.first-fund.org/grants and at second-fund.org. There is
also the Third Fund (http://third-fund.org/apply?x=1), and don't forget fourth-fund.org!
-- Maria Ivanova | City of X | www.city-x.bg
"""
_SITEMAP = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xsi:schemaLocation='http://www.sitemaps.org/x http://www.sitemaps.org/x.xsd'>
<url><loc>https://one.org/a?x=1&amp;y=2</loc></url></urlset>"""
_HTML = """<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML" "http://www.w3.org/TR/x.dtd">
<A HREF="https://bm-a.org/" ADD_DATE="1">A</A> <script src="jquery.min.js"></script>"""
_PAGE = """
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<script>
  const old = window.location.name;
</script>
Text of a page that names read.me and links to
<a href="https://bm-a.org/">A</a>"""
_OPML = '<opml><outline type="rss" xmlUrl="https://a.org/feed" htmlUrl=\'https://a.org\'/></opml>'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            _MAIL,
            "https://www.first-fund.org/grants second-fund.org http://third-fund.org/apply?x=1"
            " fourth-fund.org www.city-x.bg",
        ),
        (_SITEMAP, "https://one.org/a?x=1&y=2"),
        (_HTML, "https://bm-a.org/"),
        (_PAGE, "https://bm-a.org/"),
        ("<maria@post.org> wrote:\nsee a.org\n", "a.org"),
        (_OPML, "https://a.org/feed https://a.org"),
        (
            "- [Alpha](https://alpha.org)\n* beta.org — good\n**gamma.org**\n",
            "https://alpha.org beta.org gamma.org",
        ),
        ('["https:\\/\\/a.org\\/x", "b.org", {"website": "c.org"}]', "https://a.org/x b.org c.org"),
        ("one.org, two.org;three.org", "one.org two.org three.org"),
        ("info@mail.org\nMaria <m@post.org>\nno address at all", ""),
    ],
    ids=[
        "mail",
        "sitemap",
        "bookmarks",
        "page",
        "reply",
        "opml",
        "markdown",
        "json",
        "one line",
        "only mail addresses",
    ],
)
def test_addresses_are_found_whatever_is_around_them(text: str, found: str) -> None:
    lines = [line + b"\n" for line in text.encode().split(b"\n")]
    assert [one.text for one in read_links(lines, DEFAULT_RULES)] == found.split()


def test_an_address_says_its_line() -> None:
    lines = [b"# x\n", b"see a.org and b.org\n", b"c.org"]
    found = list(read_links(lines, DEFAULT_RULES))
    assert [(one.number, one.text) for one in found] == [(2, "a.org"), (2, "b.org"), (3, "c.org")]


def test_a_page_on_one_long_line_loses_nothing(tmp_path: Path) -> None:
    names = [f"https://fund-{number}.org/" for number in range(3_000)]
    path = tmp_path / "page.html"
    path.write_text("<html>" + "".join(f'<a href="{name}">x</a>' for name in names), "utf-8")
    assert path.stat().st_size > LINE_LIMIT * 5
    opened = open_list(str(path), DEFAULT_RULES, is_text=True)
    found = [one.text for one in read_links(opened.pieces(), DEFAULT_RULES)]
    opened.close()
    assert found == names


def test_a_word_without_end_is_let_go() -> None:
    pieces = [b"x" * LINE_LIMIT] * 2_000 + [b" a.org\n"]
    assert [one.text for one in read_links(pieces, DEFAULT_RULES)] == ["a.org"]


@given(st.lists(st.binary(max_size=60)))
def test_no_bytes_make_it_fall_over(pieces: list[bytes]) -> None:
    for one in read_links(pieces, DEFAULT_RULES):
        assert one.text and one.number >= 1


@given(st.text(max_size=200))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    for one in links_in(text, DEFAULT_RULES):
        assert one in text


def _docx(path: Path, *names: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "www.a.org")


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("list.docx", ("[Content_Types].xml", "word/document.xml")),
        ("list.odt", ("mimetype", "content.xml")),
        ("list.doc", ()),
    ],
)
def test_a_document_is_called_one_and_the_way_out_is_said(
    name: str, inside: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / name
    if inside:
        _docx(path, *inside)
    else:
        path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000))
    with pytest.raises(BadInput, match=r"a document of an office program; save it as text \(\.txt\)"):
        open_list(str(path), DEFAULT_RULES)


def test_bytes_and_pdf_are_no_text_either(tmp_path: Path) -> None:
    for content in (b"%PDF-1.7 http://a.org", b"a.org\n\0\1"):
        path = tmp_path / "x"
        path.write_bytes(content)
        with pytest.raises(BadInput):
            open_list(str(path), DEFAULT_RULES, is_text=True)
