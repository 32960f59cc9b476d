"""Who speaks on a page, and of what: counts of small words, the kind of its title, whose host it is.

Whoever offers says "we", "you" and "please" on a host that bears their name. A guide says "many" and
"usually", a report what was, and both are called by their kind: "Guide", "How to", "awarded".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from surveyor.extract.document import BlockKind
from surveyor.extract.fields.normalize import plain
from surveyor.extract.lexicon import words

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)?")
# What somebody else says stands between marks.
_SAID: Final = re.compile(r"[“„«\"][^“”„«»\"]{2,600}[”“»\"]")
# A name within a sentence: what begins one is written so anyway.
_NAME: Final = re.compile(r"(?<=[^\W\d_A-Z] )[^\W\d_a-z][^\W\d_]{3,24}\b")
# Shares of the words of a page, in percent, from which on they are some, many, very many.
_SHARES: Final = {
    "we": (0.01, 1.0, 3.0),
    "you": (0.01, 1.0, 3.0),
    "general": (0.6, 1.6, 3.0),
    "please": (0.01, 1.0, 2.0),
    "body": (0.01, 1.0, 2.5),
    "past": (0.4, 1.5, 3.0),
}
_OF_BODIES: Final = frozenset({"org", "gov", "edu", "church", "foundation", "ngo", "ac", "k12", "coop"})
_OF_TRADE: Final = frozenset({"com", "net", "info", "biz", "blog", "news"})
# Questions among the headings that make a page one of questions, and hosts of others it leads to.
_QUESTIONS, _ELSEWHERE = 2, 3
# Characters of the content that are looked at for names, and words of a title that is a name.
_LOOKED_AT, _SHORT_TITLE = 4_000, 3


def signs(page: Analysis) -> Iterator[str]:
    yield from _counted(page)
    yield from _titled(page.marks.title)
    yield from _hosted(page)
    headings = [block.text.rstrip() for block in page.main if block.kind is BlockKind.HEADING]
    if sum(text.endswith("?") for text in headings) >= _QUESTIONS:
        yield "headings ask"
    own = _host(page)
    others = {urlsplit(link.url).hostname for block in page.main for link in block.links} - {own, None}
    if len(others) >= _ELSEWHERE:
        yield "leads elsewhere"


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(plain(word) for word in words("voice", name))


def _counted(page: Analysis) -> Iterator[str]:
    counts = Counter(_WORD.findall(_SAID.sub(" ", page.marks.text)))
    total = max(1, counts.total())
    levels = {}
    for name, steps in _SHARES.items():
        share = 100 * sum(counts[word] for word in _listed(name)) / total
        levels[name] = sum(share >= step for step in steps)
        yield f"{name} share {levels[name]}"
    if levels["general"] > 1 and levels["we"] < 2:
        yield "nobody in general"


def _titled(title: str) -> Iterator[str]:
    spoken = _WORD.findall(title)
    said = set(spoken)
    if len(spoken) <= _SHORT_TITLE:
        yield "short title"
    for name in ("news_title", "guide_title"):
        if said & _listed(name):
            yield name.replace("_", " ")


def _host(page: Analysis) -> str:
    return urlsplit(page.document.page.url).hostname or ""


def _hosted(page: Analysis) -> Iterator[str]:
    """Whose host it is: a body's by its ending, or by a name of the text in it."""
    parts = _host(page).split(".")
    label = "".join(parts[:-1])
    text = " ".join(block.text for block in page.main)[:_LOOKED_AT]
    if any(plain(name) in label for name in set(_NAME.findall(text))):
        yield "host is named"
    elif parts[-1] in _OF_TRADE:
        yield "host of trade"
    if _OF_BODIES & set(parts[-2:]):
        yield "host of a body"
