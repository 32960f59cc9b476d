"""The addresses in a text that is no list: an e-mail, a page, bookmarks, OPML, a sitemap, JSON; pure.

A bare name counts too, but in markup only what is written with `http://`, `https://` or `www.`, since file
names and words of scripts look like bare ones there. Markup is a line with a tag, and all of a file that
begins with one. What markup says of itself (its document type, its namespaces) is no link.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from surveyor.discover.seeds.addresses import addresses_in
from surveyor.discover.seeds.formats import SeedLine
from surveyor.names import NameRules

_MARKUP = re.compile(r"<[a-zA-Z!?/]")
_BEGINS_WITH_A_TAG = re.compile(rb"\s*<(?:[!?]|[a-zA-Z][\w:-]*[\s/>])")
_OF_ITSELF = re.compile(
    r"<!DOCTYPE[^<>]*>|\"[^\"]*\.dtd\"|\b(?:xmlns(?::\w+)?|xsi:\w+)\s*=\s*(?:\"[^\"]*\"|'[^']*')",
    re.IGNORECASE,
)
_MEANT = re.compile(r"(?:https?://|\bwww\.)[^\s\"'<>()\[\]{}|\\^`]+", re.IGNORECASE)
_AFTER = ".,;:!?…»”’*_"
# Around the links of Markdown and the lists of JSON.
_BRACKETS = str.maketrans("()[]{}*", "       ")
# Bytes of an address that is cut in two; no longer one is taken.
_LONGEST = 4_000
# Where a piece of a line that is too long may be cut without cutting an address.
_ENDS = re.compile(rb"[\s\"'<>]")


def read_links(pieces: Iterable[bytes], rules: NameRules) -> Iterator[SeedLine]:
    """Every address with the line it is in. Pieces are lines, or parts of lines that are very long."""
    number, rest, begun, is_markup = 1, b"", False, False
    for piece in pieces:
        if not begun and piece.strip():
            begun, is_markup = True, _BEGINS_WITH_A_TAG.match(piece) is not None
        whole, rest = _cut(rest + piece)
        yield from (SeedLine(number, one, None) for one in links_in(_text(whole), rules, is_markup))
        number += piece.endswith(b"\n")
    yield from (SeedLine(number, one, None) for one in links_in(_text(rest), rules, is_markup))


def _cut(piece: bytes) -> tuple[bytes, bytes]:
    if piece.endswith(b"\n"):
        return piece, b""
    last = max((found.start() for found in _ENDS.finditer(piece)), default=0)
    return piece[:last], piece[last:][-_LONGEST:]


def _text(piece: bytes) -> str:
    return html.unescape(piece.decode("utf-8", "replace")).replace("\\/", "/")


def links_in(text: str, rules: NameRules, is_markup: bool = False) -> list[str]:
    """The addresses of one line, as they are written; `is_markup` says that it is of a file of markup."""
    linking = _OF_ITSELF.sub(" ", text)
    if not is_markup and not _MARKUP.search(text):
        return addresses_in(linking.translate(_BRACKETS), rules)
    found = _MEANT.findall(linking)
    return [address for one in found if addresses_in(address := one.rstrip(_AFTER), rules)]
