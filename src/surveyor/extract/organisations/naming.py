"""What an organisation, a service or a business is called, from the lines in which it says so."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from rapidfuzz import fuzz

from surveyor.extract.contacts.channels import Channels, source_of
from surveyor.extract.document import BlockKind, Document, Region
from surveyor.extract.lexicon import alternatives, plain, words
from surveyor.extract.organisations.kinds import is_place, is_service
from surveyor.extract.records.naming import head_parts, is_host, votes_for
from surveyor.extract.values import Field, FoundRecord, Source
from surveyor.words import tokens

# How alike two names are, 0 to 100, that are one; and when one is a part of the other.
_ALIKE = 85.0
_LONGEST = 100  # characters of a name
# Words of a headline that is a name and no slogan, and headings among which the name of a service stands.
_SLOGAN, _HEADINGS = 6, 6

# Forms of companies and words of bodies, in the languages we read.
_BODY_WORDS = re.compile(
    rf"\b{alternatives('organisations', 'body')}\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[^:]{2,45}:\s+(?=\S)")
# Sentences in which a name stands: "This site is managed by the ...".
_BY = re.compile(
    rf"^.{{0,80}}\b{alternatives('organisations', 'run_by')}\s{alternatives('organisations', 'article')}?",
    re.IGNORECASE,
)
_VERB = re.compile(
    rf"\s{alternatives('organisations', 'is')}"
    rf"\s(?={alternatives('organisations', 'behind_is')}\b)",
    re.IGNORECASE,
)
_NOT_A_NAME = re.compile(
    rf"^{alternatives('organisations', 'not_a_name')}\W*$",
    re.IGNORECASE,
)
# A branch of somebody, by where it is.
_OFFICE_WORDS = alternatives("organisations", "office")
_OFFICE = re.compile(
    rf"(?:\w{{1,40}} ){{0,2}}{_OFFICE_WORDS}|{_OFFICE_WORDS} (?:in |of )?\w{{1,40}}", re.IGNORECASE
)
# A year in which somebody was founded.
_YEAR = re.compile(r"\b(?:1[5-9]|20)[0-9]{2}\b")
_CHANNEL = re.compile(r"@|\+?[0-9][0-9 ()./-]{6,}|https?:|www\.", re.IGNORECASE)
_COPYRIGHT = re.compile(
    r"^(?:copyright\s?)?[©(]?c?\)?\s?(?:copyright\s)?(?:(?:19|20)[0-9]{2}\s?[-–]?\s?)+(?:by\s)?|^(?:copyright\s?)?©\s?|^copyright\s+(?=[^\W\d_])",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s*[|·•●∙]\s*|\s+[–—-]\s+|;\s+|,\s+|\s{3,}")
# Headlines that say what is on the page and not what it is about.
_GENERIC: Final = re.compile(
    alternatives("organisations", "generic"),
    re.IGNORECASE,
)
# Pages that let people in, or book.
_ENTRANCE: Final = re.compile(
    alternatives("organisations", "entrance"),
    re.IGNORECASE,
)
# Days in a headline: it says when.
_WHEN: Final = re.compile(
    r"(?i)\b(?:mon|tue|wed|thu|fri|sat|sun)(?:day)?\b.{0,12}\b(?:mon|tue|wed|thu|fri|sat|sun)(?:day)?\b"
)


_FRONT: Final = re.compile(r"/?(?:(?:index|home|default)(?:\.\w{2,5})?/?)?")
# Headlines that ask the reader to do something.
_ASKING = re.compile(
    rf"{alternatives('organisations', 'asking')}\b",
    re.IGNORECASE,
)
# Headlines of a whole chapter of a site, in which one of several things has hours.
_CHAPTER: Final = re.compile(
    rf"(?:our |local |community )?{alternatives('organisations', 'chapter')}",
    re.IGNORECASE,
)
# Small words with which no name ends.
_SMALL: Final = frozenset(words("names", "small")) - {"e.v.", "-", "al", "a", "ai"}
# What a headline says of the times at which there is what it names.
_TIMES: Final = re.compile(
    rf"(?<=\w)(?: [-–|:])?(?: (?:opening|distribution))? {alternatives('organisations', 'times')}$",
    re.IGNORECASE,
)


class Name(NamedTuple):
    value: str
    line: int


def is_name(name: str) -> bool:
    """Whether it says more than sorts of bodies and words of footers ("LLC", "Terms of Service")."""
    if "@" in name or name.rpartition(" ")[2] in _SMALL:  # "Bread for"; but "Generation Y"
        return False
    return any(len(word) > 1 and word not in _no_name() for word in tokens(name))


def is_chapter(title: str) -> bool:
    """Whether a headline is of a whole chapter of a site: "Resources"."""
    return _CHAPTER.fullmatch(title) is not None


@cache
def _no_name() -> frozenset[str]:
    return frozenset(token for word in words("names", "no_name") for token in tokens(word))


def is_vague(title: str) -> bool:
    """Whether a headline could stand on any site: it asks something, or says what is on the page."""
    return (
        not title
        or title[-1:] in "?!"
        or (title[-1:] == "." and title.count(" ") > 1)
        or any(one.match(title) for one in (_ASKING, _NOT_A_NAME, _WHEN))
        or _GENERIC.fullmatch(title) is not None
    )


def is_front(document: Document) -> bool:
    """Whether a page is the first one of its site."""
    return _FRONT.fullmatch(urlsplit(document.page.url).path) is not None


def is_entrance(title: str) -> bool:
    """Whether a headline stands above a form that lets people in, or books."""
    return _ENTRANCE.fullmatch(title) is not None


def alike(left: str, right: str) -> bool:
    """Whether two names are of the same body."""
    one, other = (" ".join(tokens(text)) for text in (left, right))
    if not one or not other:
        return False
    if fuzz.token_sort_ratio(one, other) >= _ALIKE:
        return True
    shorter, longer = sorted((set(one.split()), set(other.split())), key=len)
    return len(shorter) > 1 and shorter <= longer


def name_in(channels: Channels, start: int, end: int, own: str, *, own_only: bool = False) -> Name | None:
    """The name of a body in lines that stand together: the site's own, or what stands before its address.

    With `own_only` the name must be the site's, or that of a body by its words.
    """
    title = channels.document.title
    site = own or (title if is_place(title) or is_body(title) else None)
    near = _beside_address(channels, start, end)
    if near is not None and is_body(near.value) and not own_only:
        return near
    best: Name | None = None
    for number in range(start, min(end + 1, len(channels.lines))):
        for part in _parts(channels, number):
            if site is not None and alike(part, site):
                return Name(part if _only_adds_sort(part, site) else site, number)
            if best is None and is_body(part):
                best = Name(part, number)
    if own_only:  # in the content another name counts only in one block with the address
        home = {channels.lines[place.first_line].block for place in channels.addresses}
        return best if best is not None and channels.lines[best.line].block in home else None
    if best is not None:
        return best
    return near if near is not None and site is None and _is_agreed(channels, near.value) else None


def _is_agreed(channels: Channels, name: str) -> bool:
    """Whether something else says the name too: a line beside an address may be anything."""
    document = channels.document
    return votes_for(document, name) + (plain(name) in plain(" | ".join(head_parts(document)))) > 1


def _only_adds_sort(part: str, site: str) -> bool:
    """Whether a line adds to the name of a site what sort of body it is, and not more: "Larch Blog"."""
    more = [word for word in part.split() if plain(word.strip(".,'’")) not in plain(site)]
    return all(_BODY_WORDS.search(word) or not word[:1].isupper() for word in more)


def _beside_address(channels: Channels, start: int, end: int) -> Name | None:
    """What stands right before the address: in its line, or as the line before it."""
    for place in channels.addresses:
        if start <= place.first_line <= end:
            for number in range(place.first_line, max(start, place.first_line - 1) - 1, -1):
                parts = _parts(channels, number)
                if parts and _may_be_name(parts[-1]):
                    return Name(parts[-1], number)
    return None


def _parts(channels: Channels, number: int) -> list[str]:
    """Pieces of a line that may be a name, in order, up to its first channel."""
    text = channels.lines[number].text
    if _GENERIC.fullmatch(text.strip()) or text.rstrip().endswith(":"):  # a label of what is at the address
        return []
    address = {place.value for place in channels.addresses if place.first_line <= number <= place.last_line}
    parts = []
    for piece in _SPLIT.split(_COPYRIGHT.sub("", text))[:8]:
        part = _bare(piece)
        if any(part and (part in value or value in part) for value in address) or _CHANNEL.search(part):
            break
        if part and not _NOT_A_NAME.match(part):
            parts.append(part)
    return parts


def _bare(piece: str) -> str:
    part = _BY.sub("", _LABEL.sub("", _COPYRIGHT.sub("", piece.strip())))
    part = _VERB.split(re.split(r"(?<=[^\W\d_]{4})\.\s", part)[0])[0]
    return part.strip(" .,:;|-–—")


def _may_be_name(part: str) -> bool:
    words = part.split()
    return (
        1 <= len(words) <= 9
        and len(part) <= _LONGEST
        and part[:1].isupper()
        and not any(sign.isdigit() for sign in _YEAR.sub("", part))
    )


def is_body(part: str) -> bool:
    """Whether it is a body by its words; a name in quotation marks with such a word is one as well."""
    if not _may_be_name(part) or _NOT_A_NAME.match(part) or _OFFICE.fullmatch(part) or not is_name(part):
        return False
    return _BODY_WORDS.search(part) is not None


def name_of_place(channels: Channels, organisation: FoundRecord | None, site: str | None) -> Field | None:
    """What the service or business of a page is called: its headline, or the site where that says nothing."""
    document = channels.document
    title = document.title.strip()
    if longer := _named_longer(channels, title):
        return longer
    vague = is_vague(title) or is_entrance(title)
    if (
        site is not None
        and is_place(site)
        and not is_place(title)
        and _is_all_there_is(channels, organisation)
    ):
        vague = True
    if site is not None and len(title.split()) > _SLOGAN and is_host(document, site):
        vague = True  # a slogan above the page of somebody whom the host names
    is_no_name = vague or (site is not None and title in site) or len(title.split()) > _SLOGAN
    if is_no_name and not is_place(f"{title} | {site}"):
        if head := next(filter(_can_name, head_parts(document)), None):
            return Field(head, Source.STRUCTURE, head)
        lines = [line for line in channels.lines if line.kind is BlockKind.HEADING][:_HEADINGS]
        if called := next((line for line in lines if _can_name(line.text)), None):
            return Field(bare_heading(called.text), source_of(called), called.text[:300])
    if is_chapter(title) and (part := _above_hours(channels, title)):
        return part
    if vague and (site or organisation):
        known = site or (organisation.name if organisation is not None else "")
        return Field(known, Source.STRUCTURE, known)
    if not title or is_entrance(title) or _GENERIC.fullmatch(title):
        return None
    line = next(
        (line for line in channels.lines if line.kind is BlockKind.HEADING and line.text == title), None
    )
    source = source_of(line) if line is not None else Source.STRUCTURE
    return Field(_shortened(title), source, title[:300])


def _named_longer(channels: Channels, title: str) -> Field | None:
    """The heading that names the service of which the title only says the sort: "Library"."""
    if len(title.split()) > 1 or not is_service(title):
        return None
    lines = [line for line in channels.lines if line.kind is BlockKind.HEADING][:_HEADINGS]
    named = (line for line in lines if _can_name(line.text) and line.text[:1].isupper())
    found = next((line for line in named if set(tokens(title)) < set(tokens(line.text))), None)
    return Field(bare_heading(found.text), source_of(found), found.text[:300]) if found else None


def _above_hours(channels: Channels, title: str) -> Field | None:
    """The heading of the part in which the page tells its first hours."""
    lines_of_hours = (
        one.first_line for one in channels.hours if channels.region(one.first_line) is not Region.FOOTER
    )
    first = next(lines_of_hours, 0)
    lines = [line for line in channels.lines[:first] if line.kind is BlockKind.HEADING]
    if not lines or lines[-1].text == title or _GENERIC.fullmatch(lines[-1].text):
        return None
    return Field(bare_heading(lines[-1].text), source_of(lines[-1]), lines[-1].text[:300])


def _can_name(heading: str) -> bool:
    return is_service(heading) and len(heading.split()) <= _SLOGAN and heading[-1:] not in "?!.:"


def bare_heading(text: str) -> str:
    """A heading without its number, bullet or picture."""
    return re.sub(r"^(?:\d{1,2}[.)])?[^\w\"“„«(]+", "", text).strip()


def _is_all_there_is(channels: Channels, organisation: FoundRecord | None) -> bool:
    """Whether the page has no other telephone or address than the organisation's own."""
    if organisation is None:
        return True
    own = {str(field.value) for field in organisation.fields.values()}
    values = [*(one.value for one in channels.phones), *(one.value for one in channels.addresses)]
    return own.issuperset(values)


def _shortened(title: str) -> str:
    """`The Porch` of `The Porch: emergency beds for young people`, `Foodbank` of `Foodbank Times`."""
    bare = _TIMES.sub("", title)
    title = bare if is_service(bare) else title
    head, colon, _ = title.partition(": ")
    if colon and 1 <= len(head.split()) <= 5:
        return head
    head, dash, _ = title.partition(" – ")
    return head if dash and 2 <= len(head.split()) <= 6 else title
