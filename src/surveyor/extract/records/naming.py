"""What a programme is called, and who gives the money, in the words of the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from surveyor.extract.document import BlockKind, Document, Region
from surveyor.extract.fields.amounts import find_amounts
from surveyor.extract.lexicon import alternatives, any_of, cues, plain, words
from surveyor.extract.records.facts import Fact, Topic, funding_topic
from surveyor.extract.values import Field, Source
from surveyor.words import tokens

# Characters of a name that are kept.
_LONGEST: Final = 160
# Characters below which a word of offering is no name: "the Fund".
_SHORTEST_OFFER: Final = 12
# Words that may follow a quoted name, such as a year, without being part of it.
_MOST_BEHIND: Final = 3
_STATE: Final = re.compile(
    r" ?[-|:(\[] ?(?:" + any_of(words("names", "state")) + r")(?: \d{4})? ?[)\]!.]? ?$"
)
# Behind a name: until when.
_UNTIL: Final = re.compile(
    r" ?[-|:(\[] ?(?:" + any_of(words("names", "until")) + r")[^|\d]{0,12}\d{1,2}\b[^|]{0,24}$"
)
_BEFORE_COLON: Final = re.compile(any_of(words("names", "sort_before_colon")) + r" ?[:-] ?")
_BEFORE_NAME: Final = re.compile(any_of(words("names", "before_name")) + " ")
_SORT: Final = re.compile(any_of(words("names", "sort")) + r"(?: \d{4})? ?[:-]? ?$")
_QUOTED: Final = re.compile(r"[„“\"«‚]\s?(?P<name>[^„“”\"«»]{3,100}?)\s?[“”\"»’]")
_IN_BRACKETS: Final = re.compile(r"\s?[(\[]([^()\[\]]{1,60})[)\]]\s?$")
_NUMBERED: Final = re.compile(r"^\s?(?:\d{1,2}[.)]|[ivxIVX]{1,4}[.)]|[•·▪►✓✔*–—-])\s+")
_PAID_BY: Final = re.compile(alternatives("names", "paid_by") + r" (?P<who>[^.:;,()]{3,90})")
_ARTICLE: Final = re.compile(any_of(words("names", "articles")) + " ")
_OURS: Final = re.compile(any_of(words("names", "ours")))
_ENDS: Final = (".", ",", ";", ":", "!", "?", ")")
# What parts the name of a page from that of its site.
_BARS: Final = re.compile(r" [|–—·»:-] ")
# A fund is an organisation as well as an offer.
_FUND: Final = re.compile(r"(?:fund|fonds?|фонд|фондът|fondo|fondul|ταμειο)\b")
# A name that says that it is of a site.
_SITE: Final = re.compile(r"(?i) (?:(?:official )?web ?site|home ?page)$")
# A way through the site is no name.
_TRAIL: Final = re.compile(r" [/>»›] ")
_LONGEST_TITLE: Final = 300
# Characters of the name of a site, and of a line of header or footer that may be it.
_LONGEST_SITE, _LONGEST_LINE = 80, 160
# Voices that make a name sure where nobody else says it.
_AGREED: Final = 2
_GENERIC: Final = frozenset(token for word in words("records", "generic") for token in tokens(word))
_EDGES: Final = " .,;:|–—-"
# Characters of the name of a giver.
_LONGEST_GIVER: Final = 120


def programme_name(title: str) -> str:
    """The name a title stands for: without what the page adds, without "Programme" before a quoted name."""
    name = _NUMBERED.sub("", " ".join(title.split()))
    for _ in range(2):  # "(closed) – in short"
        if state := _STATE.search(plain(name)):
            name = name[: state.start()]
    bracket = _IN_BRACKETS.search(name)
    if bracket and find_amounts(bracket[1]):
        name = name[: bracket.start()]
    if until := _UNTIL.search(plain(name)):
        name = name[: until.start()]
    sort = _BEFORE_COLON.match(plain(name)) or _BEFORE_NAME.match(plain(name))
    if sort and not is_generic(name[sort.end() :]):  # "Apply for a grant" names no more without its verb
        name = name[sort.end() :]
    quoted = _QUOTED.search(name)
    if (
        quoted
        and _SORT.match(plain(name[: quoted.start()]))
        and name[quoted.end() :].count(" ") < _MOST_BEHIND
    ):
        name = quoted["name"]
    return name.strip(_EDGES)[:_LONGEST]


def giver_in(text: str) -> str | None:
    """Whoever a text says pays for it."""
    flat = plain(text)
    match = _PAID_BY.search(flat)
    if match is None:
        return None
    start, end = match.span("who")
    article = _ARTICLE.match(flat, start, end)
    written = text[article.end() if article else start : end].split()
    if not written or not written[0][:1].isupper():
        return None
    found = " ".join(_onward(written, 0, 0))
    return found if len(found) > 3 else None


def offer_in(text: str) -> str | None:
    """A programme that a text names as its own: "our Travel Grants for Artists", written as names are."""
    written = text.split()
    for index, word in enumerate(written):
        if not word[:1].isupper() or not cues("records", "clear_offer").search(plain(word)):
            continue
        first = index
        while first and written[first - 1][:1].isupper() and not written[first - 1].endswith(_ENDS):
            first -= 1
        if first == 0 or not _OURS.fullmatch(plain(written[first - 1])):
            continue
        name = " ".join(_onward(written, first, index))
        if len(name) >= _SHORTEST_OFFER:
            return name
    return None


def _onward(written: Sequence[str], first: int, index: int) -> list[str]:
    """From the first word of a name to its last: capitals, and small words between them."""
    kept = list(written[first : index + 1])
    for word in written[index + 1 :]:
        if kept[-1].endswith(_ENDS) or not (word[:1].isupper() or word[:1] in '„«“"' or _is_small(word)):
            break
        kept.append(word)
    while len(kept) > 1 and _is_small(kept[-1]):
        kept.pop()
    return [*kept[:-1], kept[-1].rstrip(".,;:!?)")]


def _is_small(word: str) -> bool:
    return plain(word.strip(".,;:!?")) in words("names", "small")


def is_generic(title: str) -> bool:
    """Whether a title could stand on any giver's page: "Our grants", "How to apply"."""
    return all(word.isdigit() or word in _GENERIC for word in tokens(title))


def names_an_offer(text: str) -> bool:
    """Whether a title or heading names a programme that gives money."""
    return bool(cues("records", "offer").search(plain(text)))


def is_name_of_offer(text: str, language: str | None) -> bool:
    """Whether a heading names one programme and no part of one: "Heroes Grants", not "Grant Amounts"."""
    flat = plain(_NUMBERED.sub("", text)).strip(_EDGES)
    if is_generic(flat) or text.rstrip().endswith(("?", ":")) or names_a_part(flat):
        return False
    found = cues("records", "clear_offer").search(flat)
    if found is None:
        return False
    rest = flat[found.end() :].strip(_EDGES)
    if not rest or rest[0] in "(0123456789" or language not in {"en", "de", None}:
        return True
    return bool(cues("names", "behind_offer").match(rest))


def names_a_part(text: str) -> bool:
    """Whether a heading is of a part of a programme: "Grant Amounts"."""
    return bool(cues("names", "part_of_offer").search(plain(text)))


def is_clear_offer(text: str) -> bool:
    """Whether a text names money for applicants without doubt."""
    return bool(cues("records", "clear_offer").search(plain(text)))


def names_a_body(text: str) -> bool:
    """Whether a text reads like the name of an organisation."""
    return bool(cues("records", "bodies").search(plain(text)))


def body_in(text: str) -> str | None:
    """The name of an organisation within a title: its sort and what is written as a name on either side."""
    written = text.split()
    for index, word in enumerate(written):
        if not cues("records", "bodies").fullmatch(plain(word.strip(_EDGES))):
            continue
        first = index
        while first and written[first - 1][:1].isupper() and not written[first - 1].endswith(_ENDS):
            first -= 1
        name = _onward(written, first, index)
        if len(name) > (2 if _is_small(name[0]) else 1):  # "The Foundation" names none
            return " ".join(name)
    return None


def head_parts(document: Document) -> list[str]:
    """The parts of the title in the head of a page: its own name, that of its site, a slogan."""
    node = document.tree.css_first("head title, title")
    title = " ".join(node.text().split()) if node is not None else ""
    return [part.strip() for part in _BARS.split(title[:_LONGEST_TITLE])]


def site_of(document: Document) -> str:
    """The name of a site: what title, header, footer and host agree on, before what one of them says."""
    parts = head_parts(document)
    own = plain(document.title)
    others = [part for part in parts if part and plain(part) not in own and own not in plain(part)]
    named = _SITE.sub("", (document.site_name or "").strip(_EDGES + "·"))
    names = [named] if not _TRAIL.search(named) else []
    names += reversed(others) if len(parts) > 1 else []
    said = next(filter(_may_be_site, names), "")
    candidates = [said, *reversed(parts), document.title]
    votes = {
        one: votes_for(document, one)
        for one in candidates
        if one and len(one) <= _LONGEST_SITE and "@" not in one
    }
    best = max(votes, key=lambda one: votes[one], default="")
    if not names_a_body(said) and votes.get(said, 0) < _AGREED and plain(said) not in map(plain, parts):
        # A line above the page that nobody repeats is less than a body in the title.
        said = next((part for part in reversed(others) if names_a_body(part)), said)
    is_sure = votes.get(best, 0) >= _AGREED and (names_a_body(best) or is_host(document, best))
    return best if is_sure and votes[best] > votes.get(said, 0) else said


def _may_be_site(name: str) -> bool:
    """Whether a name can be that of a site: "Seed Grants" beside a title is another name of the page."""
    is_name = any(map(str.isalpha, name)) and "@" not in name
    return is_name and (names_a_body(name) or bool(_FUND.search(plain(name))) or not is_clear_offer(name))


def votes_for(document: Document, name: str) -> int:
    """How many of header, footer, headline and host repeat a name."""
    flat = plain(name)
    around = [
        " | ".join(
            plain(block.text)
            for block in document.blocks
            if block.region is region and len(block.text) <= _LONGEST_LINE
        )
        for region in (Region.HEADER, Region.FOOTER)
    ]
    is_headline = flat == plain(document.title)
    return sum((*(flat in text for text in around), is_headline, is_host(document, name)))


def is_host(document: Document, name: str) -> bool:
    """Whether a name is spelled in the host."""
    host = (urlsplit(document.page.url).hostname or "").removeprefix("www.").replace("-", "")
    spelled = "".join(tokens(name))
    return len(spelled) > 2 and (spelled in host.split(".")[0] or spelled == host.replace(".", ""))


def funder_of(document: Document, facts: Sequence[Fact], organisations: Sequence[str]) -> Field | None:
    """Who gives: whom a label names, the page's title, its site, or the only organisation found on it."""
    for fact in facts:
        if funding_topic(fact.label) is Topic.FUNDER and _is_named(fact):
            return fact.field(fact.text.strip(" ."))
    name = site_of(document) or _called(document)
    known = [one for one in organisations if one]
    if len(known) == 1 and not _alike(name, known[0]):
        name = known[0]
    return Field(name, Source.STRUCTURE, name) if name else None


def _is_named(fact: Fact) -> bool:
    """Whether what follows a label is a name; one word is so only where a sign parts it from its label."""
    is_apart = fact.block.kind in {BlockKind.ROW, BlockKind.VALUE} or f"{fact.label}:" in fact.block.text
    return len(fact.text) < _LONGEST_GIVER and (is_apart or len(fact.text.split()) > 1)


def _called(document: Document) -> str:
    """A page without a site's name may name the giver in its title, or be called like its site."""
    title = document.title
    is_front = not urlsplit(document.page.url).path.strip("/")
    is_giver = is_host(document, title) or (is_front and not names_an_offer(title))
    return body_in(title) or (title if is_giver else "")


def _alike(name: str, other: str) -> bool:
    """Whether one of two names is a part of the other: Brückenfonds, Verein Brückenfonds."""
    mine, theirs = plain(name), plain(other)
    return bool(mine) and (mine in theirs or theirs in mine)
