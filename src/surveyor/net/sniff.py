"""What a body is: its charset and its kind, decided by the bytes before the headers.

A server may call anything text/html. `kind` believes the bytes where they have a
signature, then markup that can only be one thing, and the Content-Type for the rest.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from surveyor.net.charset import decode_text, encoding_for

__all__ = ["Kind", "decode_text", "encoding_for", "kind"]

HEAD_BYTES: Final = 1024  # how much of a body `kind` looks at


class Kind(StrEnum):
    """What can be done with a body."""

    EMPTY = "empty"
    """No bytes, or only white space."""
    HTML = "html"
    """A page: parsed for links and text."""
    XML = "xml"
    """XML that is none of the kinds below."""
    SITEMAP = "sitemap"
    """A list of URLs, or of such lists."""
    FEED = "feed"
    """RSS, Atom or RDF."""
    TEXT = "text"
    """Text without markup, JSON included."""
    PDF = "pdf"
    GZIP = "gzip"
    """Packed once more inside: sitemaps are sent like that."""
    PNG = "png"
    JPEG = "jpeg"
    GIF = "gif"
    WEBP = "webp"
    AVIF = "avif"
    BMP = "bmp"
    ICO = "ico"
    SVG = "svg"
    """An image that can hold scripts: never shown as it is."""
    DATA = "data"
    """Text for programs: JSON, scripts, styles, tables, calendars. What looks like a link in it is none."""
    OTHER = "other"
    """Anything else: archives, media, programs, unknown bytes."""

    @property
    def is_image(self) -> bool:
        return self in _IMAGES


_IMAGES: Final = frozenset(
    {Kind.PNG, Kind.JPEG, Kind.GIF, Kind.WEBP, Kind.AVIF, Kind.BMP, Kind.ICO, Kind.SVG}
)
_SIGNATURES: Final = (
    (b"%PDF-", Kind.PDF),
    (b"\x89PNG\r\n\x1a\n", Kind.PNG),
    (b"\xff\xd8\xff", Kind.JPEG),
    (b"GIF87a", Kind.GIF),
    (b"GIF89a", Kind.GIF),
    (b"\x1f\x8b", Kind.GZIP),
    (b"\x00\x00\x01\x00", Kind.ICO),
    (b"PK\x03\x04", Kind.OTHER),
    (b"PK\x05\x06", Kind.OTHER),
    (b"Rar!\x1a\x07", Kind.OTHER),
    (b"7z\xbc\xaf\x27\x1c", Kind.OTHER),
    (b"BZh", Kind.OTHER),
    (b"\xfd7zXZ\x00", Kind.OTHER),
    (b"\x28\xb5\x2f\xfd", Kind.OTHER),
    (b"\x7fELF", Kind.OTHER),
    (b"MZ\x90\x00", Kind.OTHER),
    (b"OggS", Kind.OTHER),
    (b"ID3", Kind.OTHER),
    (b"\xd0\xcf\x11\xe0", Kind.OTHER),
    (b"wOFF", Kind.OTHER),
    (b"wOF2", Kind.OTHER),
)
_AVIF_BRANDS: Final = (b"avif", b"avis")
# Every byte but those no text has: controls other than tab, line ends, form feed and escape.
_TEXT_BYTES: Final = b"\t\n\f\r\x1b" + bytes(range(0x20, 0x100))
_WIDE: Final = (b"\xfe\xff", b"\xff\xfe", b"<\x00", b"\x00<")  # UTF-16: full of NULs, and yet text
_BEFORE_ROOT: Final = re.compile(
    rb"(?:\s++|<\?.*?\?>|<!--.*?-->|<!doctype(?!\s+html)[^>\[]*(?:\[.*?\]\s*)?>)*", re.IGNORECASE | re.DOTALL
)
_ROOT: Final = re.compile(rb"<(!doctype\s+html|[a-z][\w:.-]*)", re.IGNORECASE)
_XML_ROOTS: Final = {
    b"urlset": Kind.SITEMAP,
    b"sitemapindex": Kind.SITEMAP,
    b"rss": Kind.FEED,
    b"feed": Kind.FEED,
    b"rdf:rdf": Kind.FEED,
    b"svg": Kind.SVG,
}
_HTML_ROOTS: Final = frozenset(
    b"html head body title meta link script style base div p a h1 h2 table center font iframe frameset "
    b"main article section header nav form img br span ul".split()
)


_DATA_TYPES: Final = ("json", "javascript", "/css", "/csv", "/calendar", "/vcard")


def kind(body: bytes, content_type: str | None = None) -> Kind:
    """The kind of a body, of which only the beginning is looked at."""
    head = body[:HEAD_BYTES]
    if head.startswith(_WIDE):
        head = head.lstrip(b"\xfe\xff").replace(b"\x00", b"")  # ASCII again, and that is all we look for
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    declared = _declared(content_type)
    if not text:
        return Kind.EMPTY if len(body) <= HEAD_BYTES else declared
    if not text.startswith(b"<"):
        found = _signed(head) or _signed(text)
        if found is not None:
            return found
    # What calls itself a page and begins like one may have stray bytes in it.
    may_be_binary = not text.startswith(b"<") or declared is not Kind.HTML
    if may_be_binary and head.translate(None, _TEXT_BYTES):
        return Kind.OTHER
    return _by_markup(text, declared, content_type)


def _signed(head: bytes) -> Kind | None:
    for signature, found in _SIGNATURES:
        if head.startswith(signature):
            return found
    if head[:4] == b"RIFF":
        return Kind.WEBP if head[8:12] == b"WEBP" else Kind.OTHER
    if head[4:8] == b"ftyp":
        return Kind.AVIF if head[8:12] in _AVIF_BRANDS else Kind.OTHER
    if head[:2] == b"BM" and head[6:10] == b"\x00\x00\x00\x00":
        return Kind.BMP
    return None


def _by_markup(text: bytes, declared: Kind, content_type: str | None) -> Kind:
    before = _BEFORE_ROOT.match(text)
    root = _ROOT.match(text, before.end() if before else 0)
    if root is None:
        return declared if content_type else Kind.TEXT
    name = root[1].lower()
    if (special := _XML_ROOTS.get(name)) is not None:
        # A sloppy page may open with an inline <svg>; a file that is one is not called a page.
        return declared if special is Kind.SVG and declared is Kind.HTML else special
    if declared in (Kind.HTML, Kind.TEXT):
        return declared
    if name in _HTML_ROOTS or name.startswith(b"!doctype"):
        return Kind.HTML
    return Kind.XML if declared is Kind.XML or text.startswith(b"<?xml") else Kind.OTHER


def _declared(content_type: str | None) -> Kind:
    """What a Content-Type alone stands for; it never makes an image or a PDF: only bytes do."""
    name = (content_type or "").partition(";")[0].strip().lower()
    if name in ("text/html", "application/xhtml+xml"):
        return Kind.HTML
    if name.endswith(("/xml", "+xml")):
        return Kind.XML
    if name.endswith(_DATA_TYPES):
        return Kind.DATA
    if name.startswith("text/"):
        return Kind.TEXT
    return Kind.OTHER
