"""Bytes to text: what the web declares, what it is, and what must never happen."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.net.charset import _CODECS, _LABELS
from surveyor.net.sniff import decode_text, encoding_for

HTML = "text/html"


@pytest.mark.parametrize(
    ("body", "content_type", "text", "encoding"),
    [
        ("häuser".encode(), "text/html; charset=utf-8", "häuser", "utf-8"),
        ("häuser".encode(), 'text/html; charset="UTF8"', "häuser", "utf-8"),
        ("häuser".encode("latin-1"), "text/html; charset=ISO-8859-1", "häuser", "windows-1252"),
        (b"\x80 \x93x\x94", "text/html;charset=latin1", "€ “x”", "windows-1252"),
        ("привет".encode("cp1251"), "text/html; charset=windows-1251", "привет", "windows-1251"),
        ("привет".encode("koi8-r"), "text/html; charset=KOI8-R", "привет", "koi8-r"),
        ("日本".encode("cp932"), "text/html; charset=x-sjis", "日本", "shift_jis"),
        ("日本".encode("euc-jp"), "text/html; charset=euc-jp", "日本", "euc-jp"),
        ("日本".encode("iso2022-jp"), "text/html; charset=iso-2022-jp", "日本", "iso-2022-jp"),
        ("中文".encode("gbk"), "text/html; charset=gb2312", "中文", "gbk"),
        ("中文".encode("big5"), "text/html; charset=big5", "中文", "big5"),
        ("한국".encode("cp949"), "text/html; charset=ks_c_5601-1987", "한국", "euc-kr"),
        ("häuser".encode(), HTML, "häuser", "utf-8"),
        ("häuser".encode(), None, "häuser", "utf-8"),
        ("häuser".encode("latin-1"), None, "häuser", "windows-1252"),
        (b"", None, "", "utf-8"),
        (b"\xff is never UTF-8", "text/html; charset=utf-8", "\ufffd is never UTF-8", "utf-8"),
    ],
)
def test_header_and_content_decide(body: bytes, content_type: str | None, text: str, encoding: str) -> None:
    assert decode_text(body, content_type) == (text, encoding)


@pytest.mark.parametrize(
    ("bom", "codec", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16le"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16be"),
    ],
)
def test_a_byte_order_mark_stands_above_header_and_meta(bom: bytes, codec: str, encoding: str) -> None:
    page = "<meta charset=koi8-r>häuser"
    assert decode_text(bom + page.encode(codec), "text/html; charset=shift_jis") == (page, encoding)


@pytest.mark.parametrize(
    "declaration",
    [
        b"<meta charset=windows-1251>",
        b'<META  name=x  CHARSET = "cp1251" />',
        b'<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
        b'<?xml version="1.0" encoding="windows-1251"?>',
        b"<!-- <meta charset=utf-8> --><meta charset='windows-1251'>",
    ],
)
def test_a_declaration_in_the_page_counts_when_the_header_is_silent(declaration: bytes) -> None:
    assert decode_text(declaration + "привет".encode("cp1251"), HTML)[1] == "windows-1251"
    assert decode_text(declaration, "text/html; charset=utf-8")[1] == "utf-8"


def test_a_declaration_behind_the_first_kilobyte_is_too_late() -> None:
    page = b"x" * 1100 + b"<meta charset=koi8-r>"
    assert decode_text(page, HTML)[1] == "utf-8"


def test_a_page_that_claims_utf16_in_ascii_is_utf8() -> None:
    assert decode_text("<meta charset=utf-16>ä".encode(), HTML) == ("<meta charset=utf-16>ä", "utf-8")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised_by_its_markup(codec: str) -> None:
    assert decode_text("<html>ä".encode(codec), HTML)[0] == "<html>ä"


PYTHON_ONLY = (
    "utf-7 utf7 idna punycode unicode_escape raw_unicode_escape undefined rot13 hex base64 zlib bz2 uu "
    "quopri mbcs oem cp037 utf-32 utf_8_sig charmap unicode-1-1-utf-7 bogus x" + "x" * 100
)


@pytest.mark.parametrize("label", PYTHON_ONLY.split())
def test_encodings_the_web_does_not_have_are_not_used(label: str) -> None:
    attack = b"+ADw-script+AD4- \\u003cscript\\u003e"
    assert encoding_for(label) is None
    assert decode_text(attack, f"text/html; charset={label}") == (attack.decode(), "utf-8")


@pytest.mark.parametrize("label", ["hz-gb-2312", "iso-2022-kr", "iso-2022-cn"])
def test_encodings_that_hide_markup_become_one_replacement_character(label: str) -> None:
    assert decode_text(b"~{<script>", f"text/html; charset={label}") == ("\ufffd", "replacement")


def test_every_label_leads_to_a_codec_python_has() -> None:
    for name in set(_LABELS.values()) - {"replacement"}:
        codecs.lookup(_CODECS[name])
    assert len(_LABELS) > 200


@given(st.binary(max_size=200), st.sampled_from(sorted(_LABELS)) | st.text(max_size=20))
def test_no_bytes_under_no_label_raise_or_leave_what_cannot_be_stored(body: bytes, label: str) -> None:
    for content_type in (f"text/html; charset={label}", HTML, None):
        text, _ = decode_text(body, content_type)
        text.encode("utf-8")  # raises on a lone surrogate


@given(st.binary(max_size=60), st.sampled_from(sorted(_LABELS)))
def test_no_declaration_in_a_page_raises(body: bytes, label: str) -> None:
    decode_text(b"<meta charset=" + label.encode() + b">" + body, HTML)[0].encode("utf-8")


def test_a_declaration_behind_long_scripts_is_found_where_the_page_is_not_utf_8() -> None:
    page = f"<head><script>{'x' * 3_000}</script><meta charset=gb2312></head><p>约定"
    assert decode_text(page.encode("gb18030"), "text/html") == (page, "gbk")
    assert decode_text(page.encode(), "text/html") == (page, "utf-8")


@pytest.mark.parametrize(
    ("body", "label"),
    [
        (b"\xad\xea\xbb\xb3\xb8\xfd\xad\xa1 \xfc\xe2\xcc\xda", "euc-jp"),
        (b"\x1b$B-j;38}-!\x1b(B \x1b$B|bLZ\x1b(B", "iso-2022-jp"),
        (b"\x87\x8a\x8eR\x8c\xfb\x87@ \xee\xe0\x96\xd8", "shift_jis"),
    ],
)
def test_a_japanese_company_and_surname_are_read_in_every_encoding(body: bytes, label: str) -> None:
    assert decode_text(body, f"text/html; charset={label}")[0] == "㈱山口① 髙木"


def test_half_of_an_added_japanese_character_is_none() -> None:
    assert decode_text(b"a\xad", "text/html; charset=euc-jp")[0] == "a\ufffd"
    assert decode_text(b"\xad\xff<b>", "text/html; charset=euc-jp")[0].endswith("<b>")


def test_half_width_letters_are_read_in_iso_2022_jp() -> None:
    assert decode_text(b"\x1b(I12\x1b(B!", "text/html; charset=iso-2022-jp")[0] == "ｱｲ!"


@pytest.mark.parametrize(
    ("written_in", "header", "page", "read_as"),
    [
        ("utf-8", "iso-8859-1", "utf-8", "utf-8"),
        ("utf-8", "utf-8", "iso-8859-1", "utf-8"),
        ("cp1252", "utf-8", "iso-8859-1", "windows-1252"),
        ("cp1252", "iso-8859-1", "utf-8", "windows-1252"),
        ("cp1250", "windows-1250", "iso-8859-1", "windows-1250"),
    ],
)
def test_where_header_and_page_disagree_about_utf8_the_bytes_tell(
    written_in: str, header: str, page: str, read_as: str
) -> None:
    html = f"<meta charset={page}><title>It’s — “Größe”</title>"
    found = decode_text(html.encode(written_in), f"text/html; charset={header}")
    assert found == (html, read_as)


def test_a_stray_byte_does_not_make_a_page_another_one() -> None:
    page = "<meta charset=iso-8859-1><title>It’s — “Größe”</title>".encode() + b"\xf6"
    text, encoding = decode_text(page, "text/html; charset=utf-8")
    assert encoding == "utf-8" and "Größe" in text


def test_a_header_that_no_page_contradicts_counts() -> None:
    page = "<title>It’s — “Größe”</title>".encode()
    assert decode_text(page, "text/html; charset=iso-8859-1")[1] == "windows-1252"
