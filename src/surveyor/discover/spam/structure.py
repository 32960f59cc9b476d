"""Spam by structure: letters of two scripts in one word, a host that looks like another, a stranger's path.

Whoever mixes Latin letters into Cyrillic or Greek words hides them from filters; nobody does it by chance
twice in a snippet. A host in punycode that reads like Latin pretends to be somebody. And a page on a public
body's host whose path sells what that body never would was put there by somebody else.
"""

from __future__ import annotations

import re
from itertools import filterfalse
from typing import Final

from surveyor.discover.spam.features import Features, Finding
from surveyor.discover.spam.hosts import category_of_path
from surveyor.names import shown_domain
from surveyor.words.remembered import Remembered

NAME = "structure"
# Letters that look like Latin ones, and the Latin ones they look like.
_LOOKALIKES: Final = "аеорсухіјѕһкмтвнοανρικτυχ"
_LATIN, _OTHER = re.compile(r"[a-zà-ɏ]"), re.compile(r"[Ͱ-ϿЀ-ӿ]")
# A word in which letters that look alike stand beside letters of the other script.
_MIXED: Final = re.compile(
    rf"[a-zà-ɏ][{_LOOKALIKES}]+[a-zà-ɏ]|[Ͱ-ϿЀ-ӿ][aeopcyxijskmtbhnvu]+[Ͱ-ϿЀ-ӿ]", re.IGNORECASE
)


def _mixes_scripts(word: str) -> bool:
    return _MIXED.search(word) is not None


_mixed_words = Remembered(_mixes_scripts, 1 << 14)  # about 2 MB
# Words of mixed letters before they are no typing mistake.
_SURE: Final = 2
_MIXED_WEIGHT, _HOST_WEIGHT, _PATH_WEIGHT = 80, 100, 80
# Suffixes of countries that write in these letters, where such a host is at home.
_AT_HOME: Final = frozenset(("bg", "gr", "cy", "rs", "mk", "ua", "ru", "by", "kz", "mn", "kg", "eu"))


def detect(features: Features) -> Finding | None:
    """Accuses by the first structure that is seen."""
    if saw := _confusable(features):
        return Finding(NAME, _HOST_WEIGHT, saw)
    if saw := _mixed(features):
        return Finding(NAME, _MIXED_WEIGHT, saw)
    if saw := _intruder(features):
        return Finding(NAME, _PATH_WEIGHT, saw)
    return None


def _mixed(features: Features) -> str:
    if features.title.isascii() and features.description.isascii():
        return ""
    words = filterfalse(str.isascii, (*features.title_words, *features.description_words))
    mixed = {*filter(_mixed_words.__getitem__, words)}
    return f"letters of two scripts within {len(mixed)} words" if len(mixed) >= _SURE else ""


def _confusable(features: Features) -> str:
    name = features.host.name
    if "xn--" not in name:
        return ""
    for label in name.split("."):
        shown = shown_domain(label) if label.startswith("xn--") else ""
        other = _OTHER.findall(shown)
        if not other:
            continue
        if _LATIN.search(shown):
            return f"the host mixes scripts ({shown})"
        if set(other) <= set(_LOOKALIKES) and features.host.suffix not in _AT_HOME:
            return f"the host only looks like Latin letters ({shown})"
    return ""


def _intruder(features: Features) -> str:
    """A path of a trade on a public body's host, and a text that says the same."""
    if not features.host.is_public or len(features.path) < 2:
        return ""
    category = category_of_path(features.path)
    if not category or f"{category}.offer" not in features.found:
        return ""
    if any(group.startswith("shields.") for group in features.found):
        return ""
    return f"a page about {category} on a public body's host"
