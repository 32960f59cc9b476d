"""Whom a page lets its readers reach, and how: people, mail, telephones, addresses, forms.

    find        the contacts of a document
    channels    what they are found among, with where each stands

A named person is one contact; each of their channels is another that carries the name and the role.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from rapidfuzz import fuzz

from surveyor.extract import structured
from surveyor.extract.contacts import forms
from surveyor.extract.contacts.channels import Channel, Channels, source_of
from surveyor.extract.fields import emails, phones
from surveyor.extract.fields.people import Person, bears
from surveyor.extract.lexicon import alternatives
from surveyor.extract.structured import Item
from surveyor.extract.values import ContactKind, FoundContact, Source

if TYPE_CHECKING:
    from surveyor.extract.analysis import Analysis

__all__ = ["find"]

# Contacts of one page and kind that are kept; more are a directory.
_MOST = 60
_LONGEST_QUOTE = 300
_SURE: Final = Decimal("0.95")
_PLAIN: Final = Decimal("0.90")
_LIKELY: Final = Decimal("0.75")
# How alike two addresses are, 0 to 100, that are one.
_SAME_ADDRESS = 75.0
# Parts of mail addresses before the sign that belong to nobody in particular.
_GENERAL = re.compile(
    r"(?:info|office|contact|kontakt|contacto|hello|hallo|mail|email|post|admin|secretariat|sekretariat|"
    r"enquiries|support|help|"
    r"team|welcome|bonjour|hola|servus|cabinet|protokollo|redaktion|redaction|presse|press|office|buero|"
    r"grama?mateia)[\w.-]{0,12}"
)
# Labels of lines that are about the office again, and not about the person named before.
_GENERAL_LABEL = re.compile(
    rf"{alternatives('channels', 'office')}\b[^:@0-9]{{0,25}}[:\s]",
    re.IGNORECASE,
)
# 0256 491 923 (Mihaela Dragomir
_IN_BRACKETS = re.compile(r"(?:[+0-9][0-9 ()./-]{5,25}|\S{3,100})\s?\(")
_NO_CHANNEL_TYPES: Final = frozenset(
    {"Event", "Product", "Offer", "Review", "Article", "NewsArticle", "BlogPosting", "Comment"}
)


def find(page: Analysis) -> list[FoundContact]:
    """Every channel the page offers, each once."""
    channels = page.channels
    contacts = [
        *_people(channels),
        *_reached(channels, ContactKind.EMAIL, channels.emails, _marked(channels, "email", _mail_of)),
        *_phones(channels),
        *_addresses(channels),
    ]
    for url, quote in forms.find(page.document, reachable=bool(contacts)):
        contacts.append(
            FoundContact(ContactKind.FORM, url, Source.STRUCTURE, quote=_cut(quote), confidence=_LIKELY)
        )
    return contacts


def _cut(text: str) -> str:
    return text[:_LONGEST_QUOTE]


def _quote(channels: Channels, line: int) -> str:
    return _cut(channels.lines[line].text)


def _people(channels: Channels) -> Iterator[FoundContact]:
    seen: set[str] = set()
    for person in channels.people[:_MOST]:
        if person.name.casefold() not in seen:
            seen.add(person.name.casefold())
            source = source_of(channels.lines[person.line])
            confidence = _PLAIN if person.role else _LIKELY
            quote = _quote(channels, person.line)
            yield FoundContact(
                ContactKind.PERSON, person.name, source, person.name, person.role, quote, confidence
            )


def _phones(channels: Channels) -> Iterator[FoundContact]:
    def number_of(text: str) -> str | None:
        return phones.parsed(text, channels.regions)

    yield from _reached(
        channels, ContactKind.PHONE, channels.phones, _marked(channels, "telephone", number_of)
    )


def _mail_of(text: str) -> str | None:
    return emails.valid(text.removeprefix("mailto:").partition("?")[0])


def _marked(channels: Channels, name: str, reader: Callable[[str], str | None]) -> dict[str, Source]:
    """Values of a property in the page's marks, apart from things that have no channel of their own."""
    found: dict[str, Source] = {}
    for item in channels.marks.items:
        if item.is_a(_NO_CHANNEL_TYPES) or "fax" in (item.text("contactType") or "").lower():
            continue
        for text in item.texts(name)[:5]:
            value = reader(text)
            if value is not None:
                found.setdefault(value, item.source)
    meta = channels.marks.meta
    for key in _META[name]:
        value = reader(meta[key]) if key in meta else None
        if value is not None:
            found.setdefault(value, Source.OPENGRAPH)
    return found


_META: Final = {
    "email": ("business:contact_data:email", "og:email"),
    "telephone": ("business:contact_data:phone_number", "og:phone_number"),
}


def _reached(
    channels: Channels, kind: ContactKind, found: Sequence[Channel], marked: dict[str, Source]
) -> Iterator[FoundContact]:
    """Each value once. It is somebody's if it stands beside them and nowhere else by itself."""
    places: dict[str, list[Channel]] = {}
    for channel in found:
        places.setdefault(channel.value, []).append(channel)
    for value, where in list(places.items())[:_MOST]:
        owners = [owner_of(channels, kind, channel) for channel in where]
        owner = owners[0] if value not in marked and None not in owners else None
        source = marked.get(value) or source_of(channels.lines[where[0].line])
        confidence = _SURE if value in marked else _PLAIN if source is Source.STRUCTURE else Decimal("0.80")
        yield FoundContact(
            kind,
            value,
            source,
            owner.name if owner else None,
            owner.role if owner else None,
            _quote(channels, where[0].line),
            confidence,
        )
    for value, source in marked.items():
        if value not in places:
            yield FoundContact(kind, value, source, quote=value, confidence=_PLAIN)


def owner_of(channels: Channels, kind: ContactKind, channel: Channel) -> Person | None:
    """Whose channel it is: of whose name it is made, or who was named last in the same block or card."""
    if kind is ContactKind.EMAIL:
        local = channel.value.partition("@")[0]
        for person in channels.people:
            if bears(local, person.name):
                return person
        if _GENERAL.fullmatch(local) or _is_own_name(local, channels.document.site_name):
            return None
    line = channels.lines[channel.line]
    general = _GENERAL_LABEL.match(line.text) is not None
    before = None
    for person in channels.people:
        other = channels.lines[person.line]
        same_block = other.block == line.block
        same_card = (
            other.section == line.section
            and 0 < channel.line - person.line <= 4
            and _is_card(channels, person)
        )
        if (not same_block and not same_card) or (general and person.line != channel.line):
            continue
        if (person.line, person.start) <= (channel.line, channel.start):
            before = person
        elif person.line == channel.line and _IN_BRACKETS.fullmatch(line.text[channel.start : person.start]):
            return person
    return before


def _is_own_name(local: str, site: str | None) -> bool:
    return site is not None and len(local) > 3 and local.lower() in re.sub(r"\W", "", site).lower()


def _is_card(channels: Channels, person: Person) -> bool:
    """Whether the lines below a name are about that person: it stands alone in its line."""
    text = channels.lines[person.line].text
    if any(channel.line == person.line for channel in (*channels.phones, *channels.emails)):
        return False
    return len(text.split()) <= len(person.name.split()) + len((person.role or "").split()) + 2


def _addresses(channels: Channels) -> Iterator[FoundContact]:
    seen: list[str] = []

    def is_new(value: str) -> bool:
        return not any(same_address(value, other) for other in seen)

    for place in channels.addresses[:_MOST]:
        if is_new(place.value):
            seen.append(place.value)
            source = source_of(channels.lines[place.first_line])
            yield FoundContact(
                ContactKind.ADDRESS,
                place.value,
                source,
                quote=_quote(channels, place.first_line),
                confidence=_PLAIN,
            )
    for item in channels.marks.items:
        if not item.is_a(_NO_CHANNEL_TYPES) and not item.is_a({"PostalAddress"}):
            for value in _marked_addresses(item):
                if is_new(value):
                    seen.append(value)
                    yield FoundContact(
                        ContactKind.ADDRESS, value, item.source, quote=_cut(value), confidence=_PLAIN
                    )


def _marked_addresses(item: Item) -> Iterator[str]:
    for written in item.values.get("address", ())[:3]:
        text = structured.address_text(written)
        if text is not None and any(sign.isdigit() for sign in text) and len(text) < 200:
            yield " ".join(text.split())


def same_address(left: str, right: str) -> bool:
    """Whether two writings are of one address: the same numbers, and nearly the same words."""
    numbers = [set(re.findall(r"[0-9]+", text)) for text in (left, right)]
    if not (numbers[0] <= numbers[1] or numbers[1] <= numbers[0]):
        return False
    return fuzz.token_set_ratio(left.lower(), right.lower()) >= _SAME_ADDRESS
