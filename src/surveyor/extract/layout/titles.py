"""What a page is called, what its site is called, and which of its headings is the headline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from rapidfuzz import fuzz
from selectolax.lexbor import LexborHTMLParser

from surveyor.extract.document import BlockKind, Region
from surveyor.extract.layout.boxes import Box, Layout, Piece
from surveyor.extract.layout.inline import one_line
from surveyor.words import tokens

# What parts the name of a page from that of its site.
_PARTS: Final = re.compile(r" [|–—•·»«:~/\\-]{1,8} | ?[|»«•·] ?|::")
# Characters of a title that are read.
_LONGEST: Final = 500
# Characters of a line in place of a headline.
_HEADLINE: Final = 90
# How like two names must be, of 100, to be one.
_SAME: Final = 85.0
_START: Final = frozenset(
    ("/", "./", "../", "index.html", "index.htm", "index.php", "/index.html", "/index.php")
)
_TITLE_NAME: Final = re.compile(
    r"(?:entry|post|page|article|node|content)[-_]?(?:title|headline)", re.IGNORECASE
)
_SITE_TITLE: Final = re.compile(r"site-?(?:title|name)|logo|brand", re.IGNORECASE)


class Names(NamedTuple):
    """What the head of a page calls it."""

    title: str
    """Of the title element, whole."""
    shared: str
    """og:title, or the like."""
    site: str | None
    """og:site_name, or the like."""
    description: str


def names_of(tree: LexborHTMLParser) -> Names:
    meta: dict[str, str] = {}
    for node in tree.css("meta"):
        values = node.attributes
        name = (values.get("property") or values.get("name") or "").lower()
        content = one_line((values.get("content") or "")[:2_000])
        if name and content:
            meta.setdefault(name, content)
    title = ""
    for node in tree.css("title"):
        if node.parent is None or node.parent.tag != "svg":
            title = one_line(node.text()[:_LONGEST])
            break
    return Names(
        title,
        meta.get("og:title") or meta.get("twitter:title") or "",
        meta.get("og:site_name") or meta.get("application-name"),
        meta.get("description") or meta.get("og:description") or meta.get("dc.description") or "",
    )


@lru_cache(maxsize=256)  # the title of a page is held against each of its headings
def _words(name: str) -> str:
    return " ".join(tokens(name))


def alike(left: str, right: str) -> bool:
    """Whether two names are one: the same words, or one of them all the words of the other."""
    a, b = _words(left), _words(right)
    if not a or not b:
        return False
    return a == b or fuzz.ratio(a, b) >= _SAME


def parts_of(title: str) -> list[str]:
    return list(_parts_of(title))


@lru_cache(maxsize=256)
def _parts_of(title: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, _PARTS.split(one_line(title[:_LONGEST])))))


def headline(layout: Layout, names: Names) -> int | None:
    """The number of the piece that says what the page is called."""
    best, best_score = None, 0.0
    for number, piece in _headings(layout):
        score = _score(layout, number, piece, names)
        if score > best_score:
            best, best_score = number, score
    return best


def _headings(layout: Layout) -> Iterator[tuple[int, Piece]]:
    """Those among which a headline is; the first sixty, a page has its own near its beginning."""
    found = 0
    for number, piece in enumerate(layout.pieces):
        if piece.kind is BlockKind.HEADING and piece.level <= 3:
            yield number, piece
            found += 1
            if found >= 60:
                return


_LEVELS: Final = {1: 3.0, 2: 1.4, 3: 0.6}
# What a heading loses with every piece before it, and at most: a menu of hundreds may stand above a page.
_FURTHER_DOWN, _FURTHEST = 0.01, 1.0
_NO_HEADLINE_IN: Final = {
    Region.NAVIGATION: 4.0,
    Region.FOOTER: 4.0,
    Region.NOTICE: 5.0,
    Region.COMMENTS: 4.0,
    Region.ASIDE: 2.5,
    Region.TEASER: 2.5,
    Region.HEADER: 1.0,
}


def _score(layout: Layout, number: int, piece: Piece, names: Names) -> float:
    box = layout.boxes[piece.box]
    score = _LEVELS[piece.level] - min(number * _FURTHER_DOWN, _FURTHEST)
    parts = parts_of(names.title)
    said, title = piece.text.casefold(), names.title.casefold()
    if any(alike(piece.text, name) for name in (names.title, names.shared) if name):
        score += 2.0
    elif (len(parts) > 1 and alike(piece.text, parts[0])) or title.startswith(said):
        score += 1.5
    elif said in title:
        score += 0.3
    if _TITLE_NAME.search(box.names):
        score += 1.5
    if _stands_over_menu(layout, number):
        score -= 1.5
    if names.site is not None and alike(piece.text, names.site):
        score -= 2.0
    if _is_site_title(layout, box, piece):
        score -= 3.0
    return score - _NO_HEADLINE_IN.get(piece.region, 0.0)


def _is_site_title(layout: Layout, box: Box, piece: Piece) -> bool:
    """A heading that leads to the start page, or is named for it."""
    if _SITE_TITLE.search(box.names) or (
        box.parent >= 0 and _SITE_TITLE.search(layout.boxes[box.parent].names)
    ):
        return True
    return len(piece.runs) == 1 and leads_to_start(piece.runs[0].url)


def leads_to_start(url: str | None) -> bool:
    """Whether an address as written is that of a start page."""
    return url is not None and (url in _START or (url.startswith("http") and url.rstrip("/").count("/") == 2))


def _stands_over_menu(layout: Layout, number: int) -> bool:
    """Whether what follows a heading are links and nothing else: the name of a site above its menu."""
    following = layout.pieces[number + 1 : number + 3]
    return len(following) == 2 and all(len(piece.text) < 40 <= 40 * piece.link_chars for piece in following)


def _first_line(layout: Layout) -> str | None:
    """What stands in place of a headline on pages that have none: a short line above the first text."""
    if any(piece.kind is BlockKind.HEADING for piece in layout.pieces):
        return None
    first = next((piece for piece in layout.pieces if piece.region is Region.MAIN), None)
    if first is None or first.link_chars:
        return None
    line = first.lines[0] if first.lines else first.text
    return line if len(line) <= _HEADLINE and not line.endswith((".", ",", ":", ";")) else None


def page_title(layout: Layout, head: int | None, names: Names, site: str | None) -> str:
    """What the page is called: its headline, or else the title without the site's name."""
    if head is not None:
        return layout.pieces[head].text[:_LONGEST]
    if line := _first_line(layout):
        return line
    own = names.shared or names.title
    parts = parts_of(own)
    if len(parts) > 1 and site is not None:
        kept = [part for part in parts if not alike(part, site)]
        return max(kept, key=len) if len(kept) == 1 or not kept else kept[0]
    return own
