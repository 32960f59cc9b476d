"""What an image says about its own rights, in EXIF and XMP: noted, never judged.

XMP is untrusted XML. It is searched for a few properties as text and never
parsed, so it cannot expand, include or nest.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from PIL import Image
from PIL.ExifTags import Base as Exif

# Characters. Longer statements exist; what they say is in the image itself.
_LONGEST = 500
# Bytes of XMP that are searched; editing histories may follow, rights come early or are absent.
_SEARCHED = 256 * 1024


@dataclass(frozen=True, slots=True)
class Rights:
    """Empty where the image says nothing."""

    copyright: str = ""
    creator: str = ""
    licence: str = ""
    data_mining: str = ""


def read_rights(image: Image.Image) -> Rights:
    """EXIF before XMP where both say something; `data_mining` is the term of the PLUS vocabulary."""
    exif = image.getexif()
    xmp = _xmp(image)
    return Rights(
        copyright=_clean(exif.get(Exif.Copyright)) or _first(_RIGHTS, xmp),
        creator=_clean(exif.get(Exif.Artist)) or _first(_CREATOR, xmp),
        licence=_first(_LICENCE, xmp) or _first(_STATEMENT, xmp),
        data_mining=_first(_DATA_MINING, xmp).rpartition("/")[2],
    )


def _property(name: str) -> re.Pattern[str]:
    """A property as attribute, as a resource, or as the first text within its element.

    Every repetition is bounded, so that no text makes the search slow.
    """
    return re.compile(
        rf"""{name}\s{{0,9}}=\s{{0,9}}["']([^"'<]{{1,2000}})"""
        rf"""|<{name}\s[^>]{{0,200}}rdf:resource\s{{0,9}}=\s{{0,9}}["']([^"'<]{{1,2000}})"""
        rf"""|<{name}(?:\s[^>]{{0,200}})?>(?:\s{{0,99}}<[^>/]{{0,200}}>){{0,4}}\s{{0,99}}([^<\s][^<]{{0,2000}})"""
    )


_RIGHTS = _property("dc:rights")
_CREATOR = _property("dc:creator")
_LICENCE = _property("cc:license")
_STATEMENT = _property("xmpRights:WebStatement")
_DATA_MINING = _property("plus:DataMining")


def _first(wanted: re.Pattern[str], xmp: str) -> str:
    found = wanted.search(xmp)
    return _clean(html.unescape(found[found.lastindex or 0])) if found else ""


def _xmp(image: Image.Image) -> str:
    raw = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp")
    if isinstance(raw, bytes):
        return raw[:_SEARCHED].decode("utf-8", "replace")
    return raw[:_SEARCHED] if isinstance(raw, str) else ""


def _clean(value: object) -> str:
    """One printable line, whatever a camera, an editor or an attacker wrote."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    if not isinstance(text, str):
        return ""
    plain = "".join(char if char.isprintable() else " " for char in text[: 4 * _LONGEST])
    return " ".join(plain.split())[:_LONGEST]
