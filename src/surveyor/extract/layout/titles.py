"""What a page is called, what its site is called, and which of its headings is the headline.

Where the head of a page does not name the site, the part of a title beside the headline, the link to the
start page, the logo, the line of copyright, the first words of the footer and the host name each propose or
confirm a name; the best confirmed one is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from rapidfuzz import fuzz
from selectolax.lexbor import LexborHTMLParser

from surveyor.extract.document import BlockKind, Region
from surveyor.extract.layout.boxes import Box, Layout, Piece, one_line
from surveyor.extract.lexicon import words
from surveyor.words import fold, tokens

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


@lru_cache(maxsize=256)
def parts_of(title: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, _PARTS.split(one_line(title[:_LONGEST])))))


def headline(layout: Layout, names: Names) -> int | None:
    """The number of the piece that says what the page is called."""
    best, best_score = None, 0.0
    headings = (
        (number, piece)
        for number, piece in enumerate(layout.pieces)
        if piece.kind is BlockKind.HEADING and piece.level <= 3
    )
    near = list(islice(headings, 60))  # a page has its own near its beginning
    listed = _listed([piece for _, piece in near])
    for number, piece in near:
        score = _score(layout, number, piece, names)
        if piece.level in listed and names.title and _leads(piece) is not None:
            score -= _OF_ANOTHER
        if score > best_score:
            best, best_score = number, score
    return best


def _leads(piece: Piece) -> str | None:
    """Where a heading leads that is nothing but one link."""
    return piece.runs[0].url if len(piece.runs) == 1 else None


def _listed(headings: list[Piece]) -> set[int]:
    """The levels of headings on which several lead to one page each: names of these, and not of the list."""
    leading = {(piece.level, url) for piece in headings if (url := _leads(piece)) is not None}
    levels = [level for level, _ in leading]
    return {level for level in levels if levels.count(level) > 1}


# What a heading loses that is the name of another page.
_OF_ANOTHER: Final = 3.5
# Spaces in a title that says what a page is about: a title of one or two words is often that of the site.
_SPECIFIC: Final = 2
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
    is_title = any(alike(piece.text, name) for name in (names.title, names.shared) if name)
    is_specific = is_title and said.count(" ") >= _SPECIFIC
    if is_title:
        score += 3.0 if is_specific else 2.0
    elif (len(parts) > 1 and alike(piece.text, parts[0])) or title.startswith(said):
        score += 1.5
    elif said in title:
        score += 0.3
    if _TITLE_NAME.search(box.names):
        score += 1.5
    # Links and nothing else follow the name of a site above its menu.
    following = layout.pieces[number + 1 : number + 3]
    are_links = [len(each.text) < 40 <= 40 * each.link_chars for each in following]
    if not is_specific and are_links == [True, True]:
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
    own = names.shared or names.title
    if site is not None and alike(own, site) and not set(tokens(names.title)) <= set(tokens(site)):
        own = names.title  # what it is shared under is the site alone
    parts = parts_of(own)
    if len(parts) > 1 and site is not None:
        own = next((part for part in parts if not alike(part, site)), max(parts, key=len))
    line = _first_line(layout)
    if line is None or (own.count(" ") >= _SPECIFIC and set(tokens(line)).isdisjoint(tokens(own))):
        return own
    return line


_LONGEST_SITE: Final = 80  # characters of a name
_WORDS: Final = 10  # words of one
# What a proposal is worth, and each place that confirms it; a name needs this much to be believed.
_TITLE_LAST, _TITLE_FIRST, _LOGO_WORTH, _COPYRIGHT, _FOOT = 1.0, 0.6, 0.9, 0.6, 0.4
_START_PAGE: Final = 1.3
_CONFIRMED, _MOST_CONFIRMED, _HOST_WORTH, _BELIEVED = 0.7, 1.4, 1.2, 0.9
# Letters of a host that can be a name, and characters of a page among which that is looked for.
_SHORTEST_HOST, _LOOKED_AT = 6, 20_000
# Pieces at the top of a page among which its name stands.
_TOP: Final = 14
_LOGO_WORDS: Final = re.compile(
    r"\blogo(?:typ|s|type)?\b|\bhome(?:page)?\b|^zur startseite|лого(?:то)? на", re.IGNORECASE
)
_OWNER: Final = re.compile(
    r"(?:©|\(c\)|copyright)\s{0,3}(?:©\s{0,2})?(?:\d{4}\s{0,2}(?:[–-]\s{0,2}\d{4})?)?\s{0,2}(?:by\s)?"
    r"([^.|·•,;©\n]{3,80})|^(?:19|20)\d\d\s{1,3}(?=[^\W\d_])([^.|·•,;©\n]{3,80})$",
    re.IGNORECASE,
)
_CUT: Final = re.compile(r"[,|·•;\n]|\s[–—-]\s")
# Names that say where one is, not who one is.
_NO_NAMES: Final = frozenset(token for word in words("boilerplate", "no_site") for token in tokens(word))


class _Proposal(NamedTuple):
    name: str
    worth: float


def site_name(layout: Layout, head: int | None, names: Names, url: str) -> str | None:
    """The site's own name, or None when no place tells it."""
    if names.site:
        return names.site[:_LONGEST_SITE]
    headline = layout.pieces[head].text if head is not None else ""
    worth: dict[str, float] = {}
    path = url.partition("://")[2].partition("/")[2].partition("?")[0]
    if headline and path in ("", "index.html", "index.php"):  # the page that is called like its site
        worth[headline] = _START_PAGE
    for name, value in _proposals(layout, names, headline):
        name = name.strip(" -–—|·:")
        if _may_be(name):
            key = next((known for known in worth if alike(known, name)), name)
            worth[key] = worth.get(key, 0.0) + value
    host = _host(url)
    around = [piece.text.casefold() for piece in layout.pieces if piece.region is not Region.MAIN]
    for name in worth:
        worth[name] += _confirmed(name, around, host)
    best = max(worth, key=lambda name: worth[name], default=None)
    if best is None or worth[best] < _BELIEVED:
        return _spelled(layout, host)
    if " " not in best:  # one word of a logo; a longer name beside it is the whole one
        longer = [name for name in worth if _begins(name, best)]
        best = max(longer, key=lambda name: worth[name], default=best)
    return best


def _begins(name: str, word: str) -> bool:
    words = tokens(fold(name))
    return 1 < len(words) <= _WORDS and words[:1] == tokens(fold(word))


def _spelled(layout: Layout, host: str) -> str | None:
    """The host's own name as the text writes it: `256 Foundation` on 256foundation.example."""
    if not _SHORTEST_HOST <= len(host) <= _LONGEST_SITE:
        return None
    letters = re.compile(r"\b" + r"[ '’.-]?".join(map(re.escape, host)) + r"\b", re.IGNORECASE)
    text = "\n".join(piece.text for piece in layout.pieces)[:_LOOKED_AT]
    found = (match[0] for match in letters.finditer(text))
    return next((name for name in found if " " in name and _is_capital(name)), None)


def _is_capital(name: str) -> bool:
    return all(not word[:1].islower() for word in name.split())


def _may_be(name: str) -> bool:
    words = tokens(name)
    is_sentence = name.endswith((".", "!", "?")) and len(words) > 4
    return 0 < len(words) <= _WORDS and len(name) > 2 and not is_sentence and not _NO_NAMES.issuperset(words)


def _proposals(layout: Layout, names: Names, headline: str) -> Iterator[_Proposal]:
    every = parts_of(names.title)
    parts = [part for part in every if not alike(part, headline)]
    if len(every) > 1 and parts:
        yield _Proposal(parts[-1], _TITLE_LAST)
        if len(parts) > 1:
            yield _Proposal(parts[0], _TITLE_FIRST)
    yield from _logos(layout)
    for piece in layout.pieces[-_TOP:]:
        if (owner := _OWNER.search(piece.text)) is not None:
            yield _Proposal(one_line(owner[1] or owner[2]), _COPYRIGHT)
    foot = next((piece for piece in layout.pieces if piece.region is Region.FOOTER), None)
    if foot is not None:
        first = foot.lines[0] if foot.lines else foot.text
        yield _Proposal(one_line(_CUT.split(first)[0]), _FOOT)


def _logos(layout: Layout) -> Iterator[_Proposal]:
    """What the link to the start page says at the top, a line of text alone there, the picture there."""
    for number, piece in enumerate(layout.pieces[:_TOP]):
        if piece.region not in (Region.HEADER, Region.NAVIGATION):
            continue
        linked = [run for run in piece.runs if run.url is not None]
        if linked and leads_to_start(linked[0].url):
            yield _Proposal(linked[0].text.strip(), _LOGO_WORTH)
        elif not piece.runs and number < 3:
            yield _Proposal(piece.lines[0] if piece.lines else piece.text, _LOGO_WORTH / 2)
    for number, alt in layout.images[:2]:
        if number <= 2:
            yield _Proposal(_LOGO_WORDS.sub("", alt).strip(" -–|:"), _LOGO_WORTH)


def _confirmed(name: str, around: list[str], host: str) -> float:
    said = name.casefold()
    places = sum(said in text for text in around)
    joined = "".join(tokens(fold(name)))
    is_host = len(joined) * 2 > len(host) > 3 and fuzz.partial_ratio(joined, host) >= 85
    return min(places * _CONFIRMED, _MOST_CONFIRMED) + (_HOST_WORTH if is_host else 0.0)


def _host(url: str) -> str:
    """The letters of the host without its last label."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return re.sub(r"[^a-z0-9]", "", host.removeprefix("www.").rpartition(".")[0])
