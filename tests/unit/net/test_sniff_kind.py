"""What a body is, whatever it is called."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from surveyor.net.sniff import Kind, kind

HTML = "text/html; charset=utf-8"


def picture(form: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (32, 32)).save(file, form)
    return file.getvalue()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"%PDF-1.7\n<html>", Kind.PDF),
        (b"\n%PDF-1.4", Kind.PDF),
        (b"PK\x03\x04\x14\x00", Kind.OTHER),
        (gzip.compress(b"<urlset>", mtime=0), Kind.GZIP),
        (b"\x7fELF\x02\x01\x01\x00", Kind.OTHER),
        (b"\x00\x01\x02\x03", Kind.OTHER),
        (picture("PNG"), Kind.PNG),
        (picture("JPEG"), Kind.JPEG),
        (picture("GIF"), Kind.GIF),
        (picture("WEBP"), Kind.WEBP),
        (picture("BMP"), Kind.BMP),
        (picture("ICO"), Kind.ICO),
        (b"\x00\x00\x00\x20ftypavif\x00\x00\x00\x00", Kind.AVIF),
        (b"\x00\x00\x00\x20ftypisom\x00\x00\x00\x00", Kind.OTHER),
        (b"RIFF\x00\x00\x00\x00WAVE", Kind.OTHER),
    ],
)
def test_bytes_with_a_signature_are_believed_before_any_header(body: bytes, expected: Kind) -> None:
    for content_type in (HTML, "image/png", "text/plain", None):
        assert kind(body, content_type) is expected


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"<!DOCTYPE html><html>", HTML, Kind.HTML),
        (b"\xef\xbb\xbf \n<!-- hi --><html>", HTML, Kind.HTML),
        (b"just words", HTML, Kind.HTML),
        (b"<p>words \x00 with a NUL", HTML, Kind.HTML),
        (b"<html>", None, Kind.HTML),
        (b"<html>", "image/png", Kind.HTML),
        (b"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x' 'y'><html>", "application/xhtml+xml", Kind.HTML),
        (b"<?xml version='1.0'?><html xmlns='x'>", "text/xml", Kind.HTML),
        ("<!doctype html>".encode("utf-16"), HTML, Kind.HTML),
        ("<html>".encode("utf-16-le"), None, Kind.HTML),
        (b"<html>", "text/plain", Kind.TEXT),
        (b"<?xml version='1.0'?><urlset xmlns='x'>", HTML, Kind.SITEMAP),
        (b"<sitemapindex>", "application/octet-stream", Kind.SITEMAP),
        (b"<?xml version='1.0'?>\n<?xml-stylesheet href='x'?><!-- c --><urlset>", "text/plain", Kind.SITEMAP),
        (b"<?xml version='1.0'?><rss version='2.0'>", HTML, Kind.FEED),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'>", "application/atom+xml", Kind.FEED),
        (b"<rdf:RDF>", None, Kind.FEED),
        (b"<svg xmlns='x'><script>", "image/svg+xml", Kind.SVG),
        (b"<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a 'b'>]><svg>", "image/png", Kind.SVG),
        (b"<svg></svg><p>a page", HTML, Kind.HTML),
        (b"<note>", "application/xml", Kind.XML),
        (b"<?xml version='1.0'?><note>", "application/octet-stream", Kind.XML),
        (b"<thing>", "application/octet-stream", Kind.OTHER),
        (b"words", "text/plain", Kind.TEXT),
        (b"words", None, Kind.TEXT),
        (b'{"a": 1}', "application/json", Kind.DATA),
        (
            b'{"html": "<a href=\\"http:\\/\\/a.example\\/\\">a</a>"}',
            "application/json; charset=UTF-8",
            Kind.DATA,
        ),
        (b"a,b\n1,2", "text/csv", Kind.DATA),
        (b"<!doctype html><title>a", "application/json", Kind.HTML),
        (b"words", "image/png", Kind.OTHER),
        (b"", HTML, Kind.EMPTY),
        (b" \r\n\t", None, Kind.EMPTY),
    ],
)
def test_markup_is_read_and_the_header_settles_the_rest(
    body: bytes, content_type: str | None, expected: Kind
) -> None:
    assert kind(body, content_type) is expected


def test_only_pictures_are_images_and_only_bytes_make_one() -> None:
    assert kind(picture("PNG")).is_image
    assert kind(b"<svg>", "image/svg+xml").is_image
    assert not kind(b"not a picture", "image/png").is_image


@given(st.binary(max_size=64), st.none() | st.text(max_size=30))
def test_no_bytes_under_no_type_raise(body: bytes, content_type: str | None) -> None:
    assert kind(body, content_type) in Kind


@given(st.lists(st.sampled_from([b"<!--", b"-->", b"<?", b"?>", b"<!doctype x [", b"]>", b" ", b"<", b"x"])))
def test_half_open_markup_ends_soon(parts: list[bytes]) -> None:
    assert kind(b"<" + b"".join(parts) * 50, None) in Kind
