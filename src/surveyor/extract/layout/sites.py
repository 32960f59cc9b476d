"""What a site calls itself, when its pages do not say so in their heads: by several places that agree.

The part of a title beside the headline, the link to the start page, the logo, the line of copyright, the
first words of the footer and the host name each propose or confirm a name; the best confirmed one is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from rapidfuzz import fuzz

from surveyor.extract.document import Region
from surveyor.extract.layout.boxes import Layout
from surveyor.extract.layout.inline import one_line
from surveyor.extract.layout.titles import Names, alike, leads_to_start, parts_of
from surveyor.words import fold, tokens

_LONGEST: Final = 80  # characters of a name
_WORDS: Final = 10  # words of one
# What a proposal is worth, and each place that confirms it; a name needs this much to be believed.
_TITLE_LAST, _TITLE_FIRST, _LOGO, _COPYRIGHT, _FOOT = 1.0, 0.6, 0.9, 0.6, 0.4
_START_PAGE: Final = 1.3
_CONFIRMED, _MOST_CONFIRMED, _HOST, _BELIEVED = 0.7, 1.4, 1.2, 0.9
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
_NO_NAMES: Final = frozenset(
    tokens(
        "home start startseite hauptseite accueil inicio acasă начало αρχική menu contact kontakt контакти "
        "impressum datenschutz privacy legal cookies aviso mentions légales"
    )
)


class _Proposal(NamedTuple):
    name: str
    worth: float


def site_name(layout: Layout, head: int | None, names: Names, url: str) -> str | None:
    """The site's own name, or None when no place tells it."""
    if names.site:
        return names.site[:_LONGEST]
    headline = layout.pieces[head].text if head is not None else ""
    worth: dict[str, float] = {}
    if headline and _is_start(url):
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
    if not _SHORTEST_HOST <= len(host) <= _LONGEST:
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
            yield _Proposal(linked[0].text.strip(), _LOGO)
        elif not piece.runs and number < 3:
            yield _Proposal(piece.lines[0] if piece.lines else piece.text, _LOGO / 2)
    for number, alt in layout.images[:2]:
        if number <= 2:
            yield _Proposal(_LOGO_WORDS.sub("", alt).strip(" -–|:"), _LOGO)


def _confirmed(name: str, around: list[str], host: str) -> float:
    said = name.casefold()
    places = sum(said in text for text in around)
    joined = "".join(tokens(fold(name)))
    is_host = len(joined) * 2 > len(host) > 3 and fuzz.partial_ratio(joined, host) >= 85
    return min(places * _CONFIRMED, _MOST_CONFIRMED) + (_HOST if is_host else 0.0)


def _is_start(url: str) -> bool:
    """Whether the page is the one that is called like its site."""
    return url.partition("://")[2].partition("/")[2].partition("?")[0] in ("", "index.html", "index.php")


def _host(url: str) -> str:
    """The letters of the host without its last label."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return re.sub(r"[^a-z0-9]", "", host.removeprefix("www.").rpartition(".")[0])
