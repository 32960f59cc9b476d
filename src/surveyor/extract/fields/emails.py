"""E-mail addresses in a text: plain ones, and those that are written for people and against machines.

`unmasked` puts the plain address in place of one in words, so that whatever reads the text afterwards finds
it where it stands; `find` gives the plain ones. The rest undoes encodings that stand in attributes.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from typing import Final
from urllib.parse import unquote

from surveyor.extract.fields.found import InText
from surveyor.extract.lexicon import word_set, words
from surveyor.words.patterns import Phrases

# Characters of one text that are searched.
_LONGEST = 20_000
# Invisible characters that are put between the letters: zero-width spaces and joiners, soft hyphens, marks of
# direction, the byte order mark.
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\u00ad\u200e\u200f\ufeff"))
_SPACES: Final = str.maketrans({"\u00a0": " ", "\u202f": " ", "\uff20": "@", "\ufe6b": "@"})
_ODD_SIGNS: Final = {**_INVISIBLE, **_SPACES}
_ANY_ODD: Final = re.compile(f"[{''.join(map(chr, _ODD_SIGNS))}]")

_LOCAL = r"[a-z0-9][a-z0-9._%+'’-]{0,63}"
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_PLAIN = re.compile(
    rf"(?<![\w.+%@-])(?P<local>{_LOCAL})@(?P<domain>(?:{_LABEL}\.){{1,6}}[^\W\d_]{{2,24}})(?![\w@-])",
    re.IGNORECASE,
)

# Words for the sign and for the dot. Those that no sentence has there mean it wherever they stand.
_SIGN_WORDS, _CLEAR_SIGNS, _DOT_WORDS = (words("mail", name) for name in ("signs", "clear_signs", "dots"))
# No hyphens: "arts-at-work.example" is a host.
_OPEN, _CLOSE = r"[(\[{<«*_|]{1,2}\s?", r"\s?[)\]}>»*_|]{1,2}"


def _any(words: tuple[str, ...]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_BRACKETED_SIGN = rf"\s{{0,2}}{_OPEN}(?:{_any(_SIGN_WORDS)}){_CLOSE}\s{{0,2}}"
_BARE_DOT = rf"\s(?:{_any(_DOT_WORDS)})\s"
_DOT = rf"(?:\.|\s{{0,2}}{_OPEN}(?:{_any(_DOT_WORDS)}){_CLOSE}\s{{0,2}}|{_BARE_DOT})"
_WORDED_LOCAL = (
    rf"(?P<local>(?<![\w.+%@-])[a-z0-9][a-z0-9+%-]{{0,40}}(?:{_DOT}[a-z0-9][a-z0-9+%_-]{{0,40}}){{0,3}})"
)
# Said in a sentence: "name, then the usual sign, then host".
_SAID_SIGN = (
    r",?\s(?:then|followed by|and)\s(?:the\s)?(?:usual|at|@|little|round|common)?\s?(?:sign|symbol|at)"
    r",?\s(?:then\s|and\s|followed by\s)?"
)
_DOMAIN = rf"(?P<domain>{_LABEL}(?:{_DOT}{_LABEL}){{1,5}})(?![\w@])"
_MASKED = (
    # Brackets around the sign, or a word that means nothing else, or capitals: the dot may be plain.
    re.compile(
        rf"{_WORDED_LOCAL}(?:{_BRACKETED_SIGN}|\s(?:{_any(_CLEAR_SIGNS)})\s|(?-i:\sAT\s)|\s?@\s|\s@\s?|"
        rf"{_SAID_SIGN})"
        rf"{_DOMAIN}",
        re.IGNORECASE,
    ),
    # A small word of the language for the sign: only with a word for the dot.
    re.compile(
        rf"{_WORDED_LOCAL}\s(?:{_any(_SIGN_WORDS)})\s(?P<domain>{_LABEL}(?:(?:{_DOT}){_LABEL}){{0,4}}{_BARE_DOT}{_LABEL})"
        r"(?![\w@])",
        re.IGNORECASE,
    ),
)
_DOT_FOUND = re.compile(_DOT, re.IGNORECASE)
_TRIGGER = Phrases(
    rf"@|[(\[{{<«*_|]\s?(?:{_any(_SIGN_WORDS)})\s?[)\]}}>»*_|]|\s(?:{_any(_CLEAR_SIGNS)})\s|"
    rf"\s(?:{_any(_DOT_WORDS[:-1])})\s|\ssign\W"
)
_MARK = re.compile(r"[@(\[{<«*_|]")
_SAID_WORDS = frozenset(word for sign in (*_CLEAR_SIGNS, *_DOT_WORDS[:-1]) for word in sign.split())
_LOUD_SIGN = re.compile(r"\sAT\s")
# Endings of files that look like a host: logo@2x.png.
_FILES: Final = word_set(
    "png jpg jpeg gif svg webp avif ico bmp css js mjs map json html htm php asp aspx pdf woff woff2 ttf"
)
_EXAMPLE_HOSTS: Final = word_set(
    "example.com example.org example.net domain.com domain.tld email.com mail.com yourdomain.com "
    "yoursite.com mysite.com company.com website.com test.com provider.com beispiel.de exemple.fr "
    "exemple.com ejemplo.com dominio.com domeniu.ro"
)


def unmasked(text: str) -> str:
    """The text with every address in plain, invisible characters gone; cheap when there is nothing to do."""
    text = text[:_LONGEST]
    if not text.isascii() and _ANY_ODD.search(text):
        text = text.translate(_ODD_SIGNS)
    lowered = text.lower()
    # Its words tell most of the texts that have no address in them.
    may_be = _MARK.search(lowered) or "sign" in lowered or not _SAID_WORDS.isdisjoint(lowered.split())
    if not (may_be and _TRIGGER.are_in_small(lowered)) and not ("AT" in text and _LOUD_SIGN.search(text)):
        return text
    for pattern in _MASKED:
        text = pattern.sub(_plain, text)
    return _forward(text) if "@" in text else text


def _plain(match: re.Match[str]) -> str:
    local = _DOT_FOUND.sub(".", match["local"])
    domain = _DOT_FOUND.sub(".", match["domain"]).strip(".")
    plain = f"{local}@{domain}"
    return plain if valid(plain) else match[0]


# A host at the end, as of an example that stands for an address.
_ENDS_AS_HOST = re.compile(r"(?i)\.(?:com|org|net|edu|gov|info|example|test|de|fr|uk|eu|bg|ro|gr|es|it)$")


def _forward(text: str) -> str:
    """Addresses that are written backwards, turned round: before the sign stands what can only be a host."""

    def turned(match: re.Match[str]) -> str:
        word = match[0]
        is_forward = valid(word) is not None or _ENDS_AS_HOST.search(word) is not None
        return word if is_forward or valid(word[::-1]) is None else word[::-1]

    return re.sub(r"(?<!\S)[a-z]{2,10}\.[\w.-]{1,80}@[\w.+-]{1,64}(?!\S)", turned, text, flags=re.IGNORECASE)


def find(text: str) -> list[InText]:
    """Plain addresses in the order of the text."""
    if "@" not in text:
        return []
    found = []
    for match in _PLAIN.finditer(text[:_LONGEST]):
        value = valid(match[0])
        if value is not None:
            found.append(InText(value, match.start(), match.end()))
    return found


def valid(written: str) -> str | None:
    """The address in small letters, if it is one that somebody may have."""
    written = written.strip().strip(".").replace("’", "'")
    match = _PLAIN.fullmatch(written)
    if match is None or len(written) > 254:
        return None
    local, domain = match["local"].lower(), match["domain"].lower()
    if (
        ".." in local
        or local.endswith(".")
        or domain.rpartition(".")[2] in _FILES
        or domain in _EXAMPLE_HOSTS
    ):
        return None
    return f"{local}@{domain}"


def of_link(url: str) -> list[str]:
    """The addresses of a mailto: link, which may name several."""
    scheme, colon, rest = url.strip().partition(":")
    if not colon or scheme.lower() != "mailto":
        return []
    listed = unmasked(unquote(rest.partition("?")[0]))
    addresses = [valid(one.rpartition("<")[2].rstrip("> ")) for one in re.split(r"[,;]", listed)[:10]]
    return [one for one in addresses if one is not None]


def of_proxy(code: str) -> str | None:
    """What a well-known proxy makes of an address: hexadecimal, each byte changed by the first one."""
    code = code.strip()[:600]
    if len(code) < 8 or len(code) % 2 or not re.fullmatch(r"[0-9a-fA-F]+", code):
        return None
    numbers = bytes.fromhex(code)
    return valid(
        bytes(number ^ numbers[0] for number in numbers[1:]).decode("utf-8", "replace").partition("?")[0]
    )


def of_attribute(value: str) -> str | None:
    """The address that an attribute hides: as it is, in words, backwards, in base64, with letters shifted."""
    value = value.strip()
    if not 5 <= len(value) <= 300:
        return None
    value = re.sub(r"^mailto:", "", unquote(value), flags=re.IGNORECASE).partition("?")[0]
    for written in (value, _from_base64(value), value[::-1]):
        found = valid(unmasked(written)) if written else None
        if found is not None:
            return found
    turned = codecs.decode(value, "rot13")
    return valid(unmasked(turned[7:])) if turned.startswith("mailto:") else None


def _from_base64(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9+/_-]{8,300}={0,2}", value):
        return ""
    try:
        plain = base64.b64decode(
            value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4), validate=True
        )
    except (ValueError, binascii.Error):
        return ""
    return re.sub(r"^mailto:", "", plain.decode("utf-8", "replace"), flags=re.IGNORECASE)


def of_shifted(text: str) -> str | None:
    """The address of a mailto: link whose characters were all moved by the same number, as a system does."""
    text = text.strip()[:300]
    if len(text) < 12:
        return None
    for shift in range(-25, 26):
        if shift and _moved(text[0], shift) in "mM" and _shifted(text[:7], shift).lower() == "mailto:":
            return valid(_shifted(text[7:], shift))
    return None


def _shifted(text: str, shift: int) -> str:
    return "".join(_moved(sign, shift) for sign in text)


# The ranges of characters within which that system moves them.
_RANGES: Final = ((0x2B, 0x3A), (0x40, 0x5A), (0x61, 0x7A))


def _moved(sign: str, shift: int) -> str:
    code = ord(sign)
    for first, last in _RANGES:
        if first <= code <= last:
            return chr(first + (code - first + shift) % (last - first + 1))
    return sign
