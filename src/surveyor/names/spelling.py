"""What a person wrote, read strictly: the host in it, or the reason why there is none.

A text that browsers and other programs would split differently is refused, never repaired;
its author either made a mistake or hopes that two of our parts disagree.
"""

from __future__ import annotations

import re
import unicodedata

from ada_url import normalize_url

from surveyor.names.idn import document_sign

# Characters; what browsers, proxies and servers agree to carry. Longer ones are mostly traps.
MAX_URL = 2_000
# Bytes of a name in DNS, without the final dot.
MAX_NAME = 253
# Pasting from documents and reading lines from files leaves these around a text: blanks, joints of no width,
# and marks of direction, of which those that turn letters around are not taken for an accident.
_AROUND = " \t\r\n\u00a0\ufeff\u200b\u2060\u200e\u200f\u202a\u202c\u2066\u2067\u2068\u2069"
_SCHEME = re.compile(r"[a-z][a-z0-9+-]*", re.IGNORECASE | re.ASCII)
# `name:8080` is a host with its port, unless the name is that of a scheme without slashes.
_PORT_FOLLOWS = re.compile(r"[0-9]+(?:[/?#\\]|$)|$")
_SCHEMES = frozenset(
    {"http", "https", "mailto", "tel", "sms", "javascript", "data", "about", "blob", "file", "ftp"}
)
_AFTER_HOST = re.compile(r"[/?#]")
_BARE_IPV6 = re.compile(r"[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*(?:%.*)?", re.IGNORECASE | re.ASCII)
_NUMERIC_LABEL = re.compile(r"\d+|0x[0-9a-f]*", re.IGNORECASE)
# The joiners are part of the spelling of some languages; IDNA rules say where they may stand.
_JOINERS = frozenset("\u200c\u200d")


class Unclear(ValueError):
    """The text cannot be read in one way only; the message is the reason."""


def trimmed(text: str) -> str:
    """The text without what is unseen around it, if it is short and clean enough to be looked at."""
    text = text.strip(_AROUND)
    if not text:
        raise Unclear("it is empty")
    if len(text) > MAX_URL:
        raise Unclear(f"it is longer than {MAX_URL:,} characters")
    if not text.isprintable():
        for char in text:
            if unicodedata.category(char) in {"Cc", "Cs"}:
                raise Unclear(f"it contains the control character U+{ord(char):04X}")
    return text


def authority(text: str) -> str:
    """The part between the scheme, if there is one, and the path: user info, host and port."""
    if _BARE_IPV6.fullmatch(text):
        return f"[{text}]"
    scheme, rest = _without_scheme(text)
    found = _AFTER_HOST.split(rest, maxsplit=1)[0]
    after = rest[len(found) :]
    if "\\" in found:
        raise Unclear("it has a backslash before the path, which programs read differently")
    if found.count("@") > 1 or (after.startswith("#") and "@" in after):
        raise Unclear("it has a misplaced “@”, so that programs would disagree about the host")
    if "@" in found and not scheme:
        raise Unclear("it looks like an e-mail address; give the domain alone")
    if not found.rpartition("@")[2]:
        raise Unclear("there is no host name in it")
    return found


def _without_scheme(text: str) -> tuple[str, str]:
    """The scheme, or an empty text, and what follows it and its two slashes."""
    if text.startswith("//"):
        return "//", text[2:]
    scheme, colon, rest = text.partition(":")
    if not colon or not _SCHEME.fullmatch(scheme):
        return "", text
    if scheme.lower() not in _SCHEMES and _PORT_FOLLOWS.match(rest):
        return "", text
    if scheme.lower() not in {"http", "https"}:
        raise Unclear(f"“{scheme[:20]}:” is not http:// or https://")
    if not rest.startswith("//"):
        raise Unclear(f"after “{scheme}:” there must be two slashes")
    return scheme, rest[2:]


def written_host(text: str) -> str:
    """The host of a person's text as a browser spells it: lower case, ASCII, with its port."""
    host = authority(trimmed(text)).rpartition("@")[2]
    name, port = split_port(host)
    _check_characters(name)
    if len(name) > MAX_NAME + 1:  # before IDNA, whose cost grows with the square of the length
        raise Unclear(f"the name is longer than {MAX_NAME} characters")
    if port and not (port.isascii() and port.isdigit() and int(port) <= 65_535):
        raise Unclear(f"the port “{port[:10]}” is not a number from 1 to 65535")
    try:
        return normalize_url(f"http://{host}/")[len("http://") : -1]
    except ValueError:
        raise Unclear(_why_no_host(name)) from None


def split_port(host: str) -> tuple[str, str]:
    """The name and the port of a host; the colons of an IPv6 address belong to the name."""
    name, colon, port = host.rpartition(":")
    if not colon or port.endswith("]"):
        return host, ""
    return name, port


def _check_characters(name: str) -> None:
    if not name.isprintable():
        for char in name:
            if not char.isprintable() and char not in _JOINERS:
                raise Unclear(f"the name contains the invisible or unknown character U+{ord(char):04X}")
    if " " in name:
        raise Unclear("the name contains a space")
    if not name.isascii() and (sign := document_sign(unicodedata.normalize("NFKC", name))):
        raise Unclear(f"the name contains the character “{sign}”")
    if "%" in name and not name.startswith("["):
        raise Unclear("the name is percent-encoded; write it plainly")


def _why_no_host(name: str) -> str:
    """Why the browser's parser refused a name, in words for people."""
    if name.startswith("["):
        return "it is not an IP address that can be asked"
    labels = name.removesuffix(".").split(".")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        return "it ends in a number, but is no IP address either"
    for char in name:
        if char.isascii() and not (char.isalnum() or char in "-._"):
            return f"the name contains the character “{char}”"
    return "the international name is not valid (a character or an order of characters is not allowed)"
