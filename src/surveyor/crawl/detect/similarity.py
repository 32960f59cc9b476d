"""Whether two versions of a page are one owner's: by the words of the old title and by its links. Pure.

After a redesign a site still has its name somewhere and some of its old links; under a new owner it has
neither. In doubt two versions count as alike, since the alternative costs a reviewer's time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from surveyor import wordlists
from surveyor.words import fold, tokens

# Letters of a word that can tell one house from another, in most scripts.
_LONG = 4
# Links that two owners may share by chance, as their systems make them alike; and the share that they do not.
_CHANCE_LINKS, _SHARED_LINKS = 1, 0.2
# Links that a version must have had to be recognised by them.
_ENOUGH_LINKS = 3
_COMMON = frozenset(wordlists.words("crawl/titles", "common"))


class Version(NamedTuple):
    """What one version of a page is recognised by."""

    title: str
    links: Sequence[str]  # targets within the site


def is_comparable(old: Version) -> bool:
    """Whether anything about the old version would be missed in another's."""
    return bool(_distinctive(old.title)) or len(set(old.links) - {"/"}) >= _ENOUGH_LINKS


def is_alike(old: Version, new: Version, text: str) -> bool:
    """Whether the new version, with its text, may be of the old one's owner."""
    words = _distinctive(old.title)
    if words and not words.isdisjoint(_words(f"{new.title}\n{text}")):
        return True
    before, now = set(old.links) - {"/"}, set(new.links) - {"/"}
    shared, smaller = len(before & now), min(len(before), len(now))
    return shared > _CHANCE_LINKS and shared >= _SHARED_LINKS * smaller


def _distinctive(title: str) -> set[str]:
    return {word for word in _words(title) if len(word) >= _LONG and not word.isdigit()} - _COMMON


def _words(text: str) -> set[str]:
    return {fold(word) for word in tokens(text)}
