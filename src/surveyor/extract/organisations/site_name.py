"""What the body behind a site is called: the name on which title, header, footer, host and logo agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from surveyor.extract.contacts.channels import Channels
from surveyor.extract.document import Document
from surveyor.extract.lexicon import plain
from surveyor.extract.organisations import naming
from surveyor.extract.organisations.kinds import is_place
from surveyor.extract.records.naming import head_parts, is_host, site_of, votes_for

# Words of a name; longer ones are slogans.
_MOST_WORDS: Final = 8
# Characters of a line with a copyright sign that names its owner.
_LONGEST_LINE: Final = 160
# Characters within which the sign stands before its owner: "Propriété de © ...".
_MARKED: Final = 16
_MARK: Final = re.compile(r"(?i)^.{0,40}?(?:©|\(c\)|copyright)\W*")
_YEARS: Final = re.compile(r"\W*\b(?:19|20)[0-9]{2}(?:\s?[-–]\s?(?:(?:19|20)[0-9]{2}|[\w]{2,8}))?\b\W*")
_RIGHTS: Final = re.compile(
    r"(?i)[\s.|,]*(?:all rights|alle rechte|tous droits|todos los derechos|tutti i diritti).*"
)
_LOGO: Final = re.compile(r"(?i)\b(?:logo|crest|home ?page|startseite|accueil)\b")
# An address, or an offer: "Free shipping from $29".
_NO_NAME: Final = re.compile(r"[@$€£%]")
_AROUND: Final = " .,|-–—:"
_PARTS: Final = re.compile(r"\s+(?:--|::|[|·•])\s+|:\s+|\s+[–—-]\s+")


def own_name(channels: Channels) -> str:
    """The name that most of them repeat; of those with as many, what a page says first."""
    document = channels.document
    title = plain(" | ".join(head_parts(document)))
    # What an inner page is about stands in its title, its headline and the menu, and names no site.
    topic = "" if naming.is_front(document) or is_host(document, document.title) else plain(document.title)
    best, most = "", 0
    for name in dict.fromkeys(_candidates(channels)):
        votes = votes_for(document, name) + (plain(name) in title)
        if plain(name) == topic:  # its title and its headline say the same, and neither says whose it is
            votes -= 1 if naming.is_body(name) else 2
        if votes == 1 and not (plain(name) in title or is_host(document, name) or _is_sort(name)):
            continue  # a chapter of the site, or whoever made the page signs it as well
        if votes > most and _may_name(channels, name):
            best, most = name, votes
    return best or next((name for name in _logos(document) if _may_name(channels, name)), "")


def _is_sort(name: str) -> bool:
    return naming.is_body(name) or is_place(name)


def _candidates(channels: Channels) -> Iterator[str]:
    document = channels.document
    yield bare(site_of(document))
    yield from owners(channels)
    for part in reversed(head_parts(document)):
        yield from (bare(one) for one in reversed(_PARTS.split(part)))


def owners(channels: Channels) -> Iterator[str]:
    """Whom the lines with a copyright sign name."""
    for line in channels.lines:
        if len(line.text) <= _LONGEST_LINE and "©" in line.text:
            yield _owner(_PARTS.split(_RIGHTS.sub("", _MARK.sub("", line.text)))[0])


def _logos(document: Document) -> Iterator[str]:
    """What the pictures of the head of the page stand for."""
    for node in document.tree.css("header img[alt], nav img[alt], .logo img[alt], img.logo[alt]")[:3]:
        alt = node.attributes.get("alt") or ""
        if _LOGO.search(alt):
            yield bare(_LOGO.sub("", alt))


def bare(name: str) -> str:
    """A name without a copyright sign, its years and its reserved rights; a year of its own stays."""
    text = _RIGHTS.sub("", name)
    if "©" not in text:
        return text.strip(_AROUND)
    return _owner(_MARK.sub("", text) if "©" in text[:_MARKED] else text.partition("©")[0])


def _owner(text: str) -> str:
    return _YEARS.sub(" ", text, count=1).strip(_AROUND)  # another year is of the name


def _may_name(channels: Channels, name: str) -> bool:
    """Whether it is a name at all: no street, no heading that could stand on any site."""
    if not 0 < len(name.split()) <= _MOST_WORDS or _NO_NAME.search(name) or not naming.is_name(name):
        return False
    if naming.is_vague(name) or naming.is_entrance(name) or _LOGO.search(name):
        return False
    if _is_label(channels, name) or (" " in name and name.islower()):  # a slogan
        return False
    return not any(plain(name) in plain(place.value) for place in channels.addresses)


def _is_label(channels: Channels, name: str) -> bool:
    """Whether a single word is what the page is about ("Volunteering"), not what the site is called."""
    if len(name.split()) > 1 or plain(name) != plain(channels.document.title):
        return False
    return not is_host(channels.document, name) and name not in owners(channels)
