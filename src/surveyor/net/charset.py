"""Bytes to text as a browser would read them: BOM, header, declaration in the page, content.

Only the encodings of the WHATWG Encoding Standard exist here. Python knows many more
under names a hostile page may write (utf-7, punycode, unicode_escape), and some of them
turn harmless bytes into markup. Whatever cannot be decoded becomes U+FFFD; nothing raises.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

DEFAULT: Final = "windows-1252"  # what the web means when it says nothing and is not UTF-8
PRESCAN_BYTES: Final = 1024  # the standard's figure for a declaration inside the page
LATE_BYTES: Final = 32 * 1024  # behind long scripts; browsers begin again when they meet one there
_TYPE_CHARS: Final = 200  # of a Content-Type; no real one is longer

# Encoding name, the Python codec that reads it, and the labels that mean it.
_TABLE: Final = """
utf-8           utf-8         unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8
ibm866          cp866         866 cp866 csibm866 ibm866
iso-8859-2      iso8859-2     csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso-8859-3      iso8859-3     csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso-8859-4      iso8859-4     csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso-8859-5      iso8859-5     csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988
iso-8859-6      iso8859-6     arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso-8859-7      iso8859-7     csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek
iso-8859-8      iso8859-8     csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical
iso-8859-10     iso8859-10    csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-13     iso8859-13    iso-8859-13 iso8859-13 iso885913
iso-8859-14     iso8859-14    iso-8859-14 iso8859-14 iso885914
iso-8859-15     iso8859-15    csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16     iso8859-16    iso-8859-16
koi8-r          koi8-r        cskoi8r koi koi8 koi8-r koi8_r
koi8-u          koi8-u        koi8-ru koi8-u
macintosh       mac-roman     csmacintosh mac macintosh x-mac-roman
windows-874     cp874         dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874
windows-1250    cp1250        cp1250 windows-1250 x-cp1250
windows-1251    cp1251        cp1251 windows-1251 x-cp1251
windows-1252    cp1252        ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 x-user-defined
windows-1253    cp1253        cp1253 windows-1253 x-cp1253
windows-1254    cp1254        cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254
windows-1255    cp1255        cp1255 windows-1255 x-cp1255
windows-1256    cp1256        cp1256 windows-1256 x-cp1256
windows-1257    cp1257        cp1257 windows-1257 x-cp1257
windows-1258    cp1258        cp1258 windows-1258 x-cp1258
x-mac-cyrillic  mac-cyrillic  x-mac-cyrillic x-mac-ukrainian
gbk             gb18030       chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk
gb18030         gb18030       gb18030
big5            big5hkscs     big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp          euc-jp        cseucpkdfmtjapanese euc-jp x-euc-jp
iso-2022-jp     iso2022-jp    csiso2022jp iso-2022-jp
shift_jis       cp932         csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis
euc-kr          cp949         cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
utf-16be        utf-16-be     unicodefffe utf-16be
utf-16le        utf-16-le     csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le
"""  # noqa: E501
# Encodings the standard knows only to refuse: they hide ASCII, so one U+FFFD is the whole text.
_REFUSED: Final = frozenset({"csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr"})
_REPLACEMENT: Final = "replacement"

_ROWS = [line.split() for line in _TABLE.strip().splitlines()]
_CODECS: Final = {name: codec for name, codec, *_ in _ROWS}
_LABELS: Final = {label: name for name, _, *labels in _ROWS for label in labels} | dict.fromkeys(
    _REFUSED, _REPLACEMENT
)

# Codecs that read more than one byte for a character.
_WIDER: Final = frozenset(
    {"utf-8", "utf-16-be", "utf-16-le", "iso2022-jp", "gb18030", "big5hkscs", "euc-jp", "cp932", "cp949"}
)

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
)
_WIDE_MARKUP: Final = ((b"<\x00", "utf-16le"), (b"\x00<", "utf-16be"))  # UTF-16 that forgot its BOM
_IN_HEADER: Final = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_IN_PAGE: Final = re.compile(
    rb"<meta[^>]{0,512}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})"
    rb"|<\?xml[^>]{0,128}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']",
    re.IGNORECASE,
)
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


def encoding_for(label: str) -> str | None:
    """The encoding a label means, or None when the web knows no such label."""
    return _LABELS.get(label.strip("\t\n\f\r ").lower())


def encoding_of(body: bytes, content_type: str | None = None) -> str | None:
    """The encoding that a body is said to have; None: nobody says."""
    bom = next((name for bom, name in _BOMS if body.startswith(bom)), None)
    declared = from_header(content_type[:_TYPE_CHARS]) if content_type else None
    return bom or declared or _from_page(body)


def decode_text(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """The text of a body and the name of the encoding it was read with. Never raises."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return _decoded(body[len(bom) :], name), name
    declared = from_header(content_type[:_TYPE_CHARS]) if content_type else None
    declared = declared or _from_page(body)
    return _undeclared(body) if declared is None else (_decoded(body, declared), declared)


def stream_decoder(start: bytes) -> Callable[..., str]:
    """Decodes a text that comes in parts, of which this is the first: `decode(part, is_last)`."""
    name = next((name for bom, name in (*_BOMS, *_WIDE_MARKUP) if start.startswith(bom)), None)
    codec = _CODECS.get(name or _from_page(start) or "utf-8", "utf-8")
    decode = codecs.getincrementaldecoder(codec)("replace").decode
    return lambda part, is_last=False: decode(part, is_last).removeprefix("\ufeff")


@lru_cache(maxsize=256)  # a site sends the same one with every page
def from_header(content_type: str) -> str | None:
    """The encoding a Content-Type names."""
    match = _IN_HEADER.search(content_type)
    return None if match is None else encoding_for(match[1])


def _from_page(body: bytes, within: int = PRESCAN_BYTES) -> str | None:
    match = _IN_PAGE.search(_COMMENT.sub(b"", body[:within]))
    if match is None:
        return None
    name = encoding_for((match[1] or match[2]).decode("ascii", "replace"))
    # A page whose declaration could be read as ASCII is not UTF-16, whatever it claims.
    return "utf-8" if name in ("utf-16le", "utf-16be") else name


def _undeclared(body: bytes) -> tuple[str, str]:
    for start, name in _WIDE_MARKUP:
        if body.startswith(start):
            return _decoded(body, name), name
    try:
        return body.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        late = _from_page(body, LATE_BYTES) or DEFAULT
        return _decoded(body, late), late


def _decoded(body: bytes, name: str) -> str:
    codec = _CODECS.get(name)
    if codec is None:
        return "\N{REPLACEMENT CHARACTER}" if body else ""
    if (table := _table(codec)) is not None:
        return codecs.charmap_decode(body, "strict", table)[0]
    return body.decode(codec, "replace")


@cache
def _table(codec: str) -> str | None:
    """What each byte means, where one byte is one character.

    Python's own way calls for help at every byte that means nothing: 64 KB of them take 18 ms, so 0.1 ms.
    """
    if codec in _WIDER:
        return None
    return bytes(range(256)).decode(codec, "replace")
