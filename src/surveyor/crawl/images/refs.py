"""The images a page shows: img with its srcset, picture, and what the page names for previews.

Of several sizes the largest is taken. Spacers and counting pixels, as far as the page tells their
size, and kinds that are never photographs are left out; style sheets are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from surveyor.crawl.pages.scope import ending
from surveyor.names import NameRules, resolve

# Images of one page that are reported; longer galleries have pages.
MAX_IMAGES = 1_000
# Pixels. What a page shows smaller than this in one direction is a bullet, a spacer or an icon.
LEAST_PIXELS = 48
_LONGEST_ALT = 500  # characters
# Characters; images written into the page itself (`data:`) are longer, and not fetched.
_LONGEST_HREF = 2_000
# Of one srcset: characters that are read, and candidates that are compared.
_LONGEST_SRCSET = 20_000
_MOST_CANDIDATES = 50
_NEVER_PHOTOGRAPHS = frozenset({"svg", "svgz", "ico", "cur", "mp4", "webm"})
# A candidate of a srcset and its width or density. URLs may hold commas, so they end at blanks.
_CANDIDATE = re.compile(r"[\s,]*([^\s,]\S*)(?:\s+([0-9]{1,6}(?:\.[0-9]{1,6})?)[wx])?\s*(?:,|$|(?=\s))")
_PIXELS = re.compile(r"\s*([0-9]{1,6})(?:\.[0-9]{0,6})?\s*(?:px)?\s*")
# Where scripts that load images late keep the address.
_LATE = ("data-src", "data-lazy-src", "data-original")
_PREVIEWS = frozenset({"og:image", "og:image:url", "og:image:secure_url", "twitter:image"})


class ImageRef(NamedTuple):
    url: str
    alt: str
    width: int | None
    """Pixels as the page declares them, not as the image has them."""
    height: int | None


def images_of(tree: LexborHTMLParser, base: str, rules: NameRules) -> list[ImageRef]:
    """In the order of the page, each URL once."""
    found: dict[str, ImageRef] = {}
    for node in tree.css("meta[content],img"):
        ref = _ref(node, base, rules)
        if ref is not None:
            found.setdefault(ref.url, ref)
            if len(found) >= MAX_IMAGES:
                break
    return list(found.values())


def largest(srcsets: Iterable[str]) -> str:
    """The candidate with the greatest width or density; the first of equals; empty if there is none."""
    best, most = "", -1.0
    for srcset in srcsets:
        for candidate in islice(_CANDIDATE.finditer(srcset[:_LONGEST_SRCSET]), _MOST_CANDIDATES):
            size = float(candidate[2] or 1)
            if size > most:
                best, most = candidate[1].rstrip(","), size
    return best


def _ref(node: LexborNode, base: str, rules: NameRules) -> ImageRef | None:
    values = node.attributes
    href = _preview(values) if node.tag == "meta" else _source(node, values)
    if not href or len(href) > _LONGEST_HREF:
        return None
    width, height = _pixels(values.get("width")), _pixels(values.get("height"))
    if any(side is not None and side < LEAST_PIXELS for side in (width, height)):
        return None
    url = resolve(base, href, rules)
    if url is None or ending(url.target) in _NEVER_PHOTOGRAPHS:
        return None
    alt = " ".join((values.get("alt") or "")[: 4 * _LONGEST_ALT].split())
    return ImageRef(url.text, alt[:_LONGEST_ALT], width, height)


def _preview(values: dict[str, str | None]) -> str | None:
    name = values.get("property") or values.get("name") or ""
    return values.get("content") if name.strip().lower() in _PREVIEWS else None


def _source(node: LexborNode, values: dict[str, str | None]) -> str | None:
    """An img's own href, or that of the largest size; scripts that load late keep it in data attributes."""
    named = largest(_srcsets(node, values)) or next(filter(None, map(values.get, _LATE)), None)
    return named or values.get("src")


def _srcsets(node: LexborNode, values: dict[str, str | None]) -> Iterator[str]:
    yield values.get("srcset") or values.get("data-srcset") or ""
    if node.parent is not None and node.parent.tag == "picture":
        for source in islice(node.parent.css("source"), _MOST_CANDIDATES):
            yield source.attributes.get("srcset") or source.attributes.get("data-srcset") or ""


def _pixels(value: str | None) -> int | None:
    found = _PIXELS.fullmatch(value) if value else None
    return int(found[1]) if found else None
