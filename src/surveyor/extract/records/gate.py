"""Whether a page offers something of a kind at all: signs of the page, weighed as labelled pages show.

No sign decides alone. A report has a byline and no "we"; an offer has its name in title, heading or address
and says how much, when, for whom or where.

Who speaks is among the signs. Whoever offers says "we", "you" and "please" on a host that bears their name. A
guide says "many" and "usually", a report what was, and both are called by their kind: "Guide", "awarded".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from surveyor.extract import scoring
from surveyor.extract.document import BlockKind, Region
from surveyor.extract.fields.amounts import find_amounts
from surveyor.extract.fields.deadlines import is_rolling
from surveyor.extract.lexicon import alternatives, cues, plain, words
from surveyor.extract.organisations.kinds import count_services, is_no_place, is_service
from surveyor.extract.records.facts import Topic, funding_topic
from surveyor.extract.records.naming import head_parts, is_clear_offer, names_an_offer

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

# Words of a page that is hardly one, and of one that is long.
_SHORT, _LONG = 80, 900
# Characters of the first paragraphs, and of the content that is looked at for a sum.
_OPENING, _LOOKED_AT = 400, 6_000
# Headings that are looked at for a name, and times that a word is said often.
_FIRST, _OFTEN = 3, 3
# Words of a title that is a line of news, and characters of an address that is long.
_LONG_TITLE, _LONG_PATH = 8, 60
_QUOTES: Final = re.compile(r"[“„«\"][^“”„«»\"]{20,600}[”“»\"]")
_WORDY: Final = re.compile(r"[-_/.+%20]+")
# What somebody calls their own: the words behind "our", "we offer".
_OURS: Final = re.compile(
    rf"\b{alternatives('voice', 'ours')}"
    r" ((?:\S{1,30} ){0,4}\S{1,30})"
)
KINDS: Final = ("funding_program", "service", "opportunity")
# Chances from which on a page is believed: on sites left out of the learning most of those above are right.
_LEAST: Final = {"funding_program": 0.4, "service": 0.3, "opportunity": 0.4}
_WITH_FACTS: Final = {"funding_program": 0.05, "service": 0.15, "opportunity": 0.02}
# Where a page that names the kind in its title also says how to take part, or that somebody gives.
_INVITING, _GIVING = 0.15, 0.2
# Where a section is called a service on a page that is about something else.
_IN_SECTIONS: Final = 0.08
# What kind of word names an offer of a kind.
_NAMES: Final[dict[str, Callable[[str], bool]]] = {
    "funding_program": is_clear_offer,
    "service": is_service,
    "opportunity": lambda text: bool(cues("records", "helping").search(plain(text))),
}


def offers(page: Analysis, kind: str) -> bool:
    """Whether the page is believed to offer something of a kind."""
    return chance(page, kind) >= _LEAST[kind]


def may_offer(page: Analysis, kind: str) -> bool:
    """Whether it is believed where it also tells the facts of an offer."""
    return chance(page, kind) >= _WITH_FACTS[kind]


def may_invite(page: Analysis) -> bool:
    """Whether a page is believed that calls for helpers and says how to join."""
    return chance(page, "opportunity") >= _INVITING and bool(
        cues("records", "how_to_take_part").search(page.marks.text)
    )


def may_give(page: Analysis) -> bool:
    """Whether a page is believed that is called an offer and says that somebody gives.

    Lists of money that was got, or that others give, do not say so.
    """
    if not names_an_offer(page.marks.head) or not cues("records", "gives").search(page.marks.text):
        return False
    return chance(page, "funding_program") >= _GIVING


def may_name_services(page: Analysis) -> bool:
    """Whether a page is believed whose sections are called services."""
    return chance(page, "service") >= _IN_SECTIONS


def chance(page: Analysis, kind: str) -> float:
    """How likely the page offers something of a kind."""
    if kind not in page.chances:
        known = scoring.weights(f"offers {kind}")
        page.chances[kind] = scoring.chance(scoring.total(signs(page, kind), known))
    return page.chances[kind]


def signs(page: Analysis, kind: str) -> list[str]:
    """Everything that is seen of a page, as words."""
    found = [*_voice(page), *page.voice, *_named(page, _NAMES[kind]), *_reached(page)]
    return [*found, *_OF_KIND[kind](page), *page.marks.against]


def _voice(page: Analysis) -> Iterator[str]:
    """Who speaks: whoever offers, or somebody who reports, explains or advises."""
    marks, text = page.marks, page.marks.text
    yield from marks.voice()
    count = text.count(" ") + 1
    if count < _SHORT:
        yield "short page"
    if count > _LONG:
        yield "long page"
    if _QUOTES.search(text):
        yield "quotes somebody"
    title = page.document.title
    if title.rstrip().endswith("?"):
        yield "title asks"
    if title.rstrip().endswith("!") or title.count(" ") > _LONG_TITLE:
        yield "title is a line"
    path = urlsplit(page.document.page.url).path.strip("/")
    if not path:
        yield "front page"
    elif path.count("/") == 0:
        yield "near front"
    if len(path) > _LONG_PATH:
        yield "long path"


def _named(page: Analysis, names: Callable[[str], bool]) -> Iterator[str]:
    """Where the kind of offer is named."""
    document = page.document
    place = urlsplit(document.page.url)
    headings = [block.text for block in page.main if block.kind is BlockKind.HEADING]
    opening = " ".join(block.text for block in page.main if block.kind is not BlockKind.HEADING)[:_OPENING]
    where = {
        "title": document.title,
        "head": " | ".join(head_parts(document)),
        "heading": " | ".join(headings[:_FIRST]),
        "host": (place.hostname or "").replace("-", " ").replace(".", " "),
        "path": _WORDY.sub(" ", place.path),
        "opening": opening,
    }
    found = [name for name, text in where.items() if text and names(text)]
    yield from (f"named in {name}" for name in found)
    yield f"named {min(len(found), _OFTEN)} times"
    if sum(map(names, headings)) >= _OFTEN:
        yield "named in many headings"
    if any(names(found[1]) for found in _OURS.finditer(page.marks.text)):
        yield "named as ours"


def _reached(page: Analysis) -> Iterator[str]:
    """How the page lets itself be reached."""
    document = page.document
    if any(block.in_form for block in document.main):
        yield "form"
    if "@" in page.marks.text:
        yield "mail"
    if any("mailto:" in link.url or "tel:" in link.url for block in page.main for link in block.links):
        yield "linked channel"


def _of_funding(page: Analysis) -> Iterator[str]:
    headings = (fact.text for fact in page.facts if fact.block.kind is BlockKind.HEADING)
    topics = {
        *map(funding_topic, headings),
        *(funding_topic(fact.label) for fact in page.facts if fact.label),
    }
    yield from (f"topic {one.value}" for one in topics if one in {Topic.WHO, Topic.AMOUNT, Topic.BUDGET})
    if len(topics - {None}) > 1:
        yield "several topics"
    text = page.marks.text
    links = [link.text for block in page.main for link in block.links]
    tests = {
        "sum": bool(find_amounts(text[:_LOOKED_AT])),
        "day": bool(cues("deadlines", "strong").search(text)),
        "rolling": is_rolling(text[:_LOOKED_AT]),
        "invites": bool(cues("records", "invites").search(text)),
        "eligible": bool(cues("applicants", "eligible").search(text)),
        "applicants": bool(cues("applicants", "applying").search(text)),
        "link applies": any(
            names_an_offer(link) or cues("records", "invites").search(plain(link)) for link in links
        ),
        "clear often": sum(1 for _ in cues("records", "clear_offer").finditer(text)) > _OFTEN,
    }
    yield from (name for name, holds in tests.items() if holds)


def leads_to_others(page: Analysis) -> bool:
    """Whether links lead to pages of other hosts that are called offers in their addresses."""
    own = urlsplit(page.document.page.url).hostname
    places = (urlsplit(link.url) for block in page.main for link in block.links)
    others = (f"{to.hostname} {to.path}" for to in places if to.hostname and to.hostname != own)
    return any(is_clear_offer(_WORDY.sub(" ", one)) for one in others)


def _of_service(page: Analysis) -> Iterator[str]:
    channels, text = page.channels, page.marks.text
    main = {Region.MAIN, Region.ASIDE, Region.HEADER}
    tests = {
        "hours": any(channels.region(one.first_line) in main for one in channels.hours),
        "address": any(channels.region(one.first_line) in main for one in channels.addresses),
        "phone": any(channels.region(one.line) in main for one in channels.phones),
        "address around": bool(channels.addresses),
        "in need": bool(cues("services", "in_need").search(text)),
        "welcome": bool(cues("services", "welcome", "everybody").search(text)),
        "article": channels.is_article,
        "no place": is_no_place(page.document, page.structured),
        "help wanted": bool(cues("records", "helping").search(plain(page.document.title))),
        "money": bool(cues("records", "clear_offer").search(plain(page.document.title))),
        "often": count_services(text[:_LOOKED_AT]) > _OFTEN,
    }
    yield from (name for name, holds in tests.items() if holds)


def _of_opportunity(page: Analysis) -> Iterator[str]:
    title, text = page.marks.title, page.marks.text
    tests = {
        "taking part": bool(cues("records", "taking_part").search(title)),
        "how": bool(cues("records", "how_to_take_part").search(text)),
        "often": sum(1 for _ in cues("records", "helping").finditer(text)) > _OFTEN,
        "day": bool(cues("deadlines", "strong").search(text)),
        "over": bool(cues("refusals", "over").search(page.marks.head)),
    }
    yield from (name for name, holds in tests.items() if holds)


_OF_KIND: Final[dict[str, Callable[[Analysis], Iterator[str]]]] = {
    "funding_program": _of_funding,
    "service": _of_service,
    "opportunity": _of_opportunity,
}


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
_VOICE_WITHIN, _SHORT_TITLE = 4_000, 3


def voice_signs(page: Analysis) -> Iterator[str]:
    yield from _counted(page)
    spoken = _WORD.findall(page.marks.title)
    if len(spoken) <= _SHORT_TITLE:
        yield "short title"
    lists = ("news_title", "guide_title")
    yield from (name.replace("_", " ") for name in lists if not _listed(name).isdisjoint(spoken))
    own = urlsplit(page.document.page.url).hostname or ""
    yield from _hosted(page, own)
    headings = [block.text.rstrip() for block in page.main if block.kind is BlockKind.HEADING]
    if sum(text.endswith("?") for text in headings) >= _QUESTIONS:
        yield "headings ask"
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
    if not levels["we"] and not levels["you"]:
        yield "nobody speaks"


def _hosted(page: Analysis, host: str) -> Iterator[str]:
    """Whose host it is: a body's by its ending, or by a name of the text in it."""
    parts = host.split(".")
    label = "".join(parts[:-1])
    text = " ".join(block.text for block in page.main)[:_VOICE_WITHIN]
    if any(plain(name) in label for name in set(_NAME.findall(text))):
        yield "host is named"
    elif parts[-1] in _OF_TRADE:
        yield "host of trade"
    if _OF_BODIES & set(parts[-2:]):
        yield "host of a body"
