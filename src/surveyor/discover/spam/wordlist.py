"""Unnatural word lists: terms strung together without the small words of any sentence.

Directories, catalogues and administrations make lists too. What machines make shows otherwise as well:
the title is the list over again, every item is a term and a place, and the host is one of many.
"""

from __future__ import annotations

import re
from collections import Counter

from surveyor.discover.spam.features import Features, Finding

NAME = "word list"
_FEWEST = 12
# Share of small words; sentences of every language we know have twice as many.
_BARE = 0.105
# Numbers and words in capitals; where they abound an administration speaks.
_CODES = re.compile(r"\d[\w./-]*|\b[^\W\d_a-zа-яα-ω]{2,}\b")
_CODED = 0.3
_ITEM = re.compile(r"[,;|•·/–—…]|\.\.\.|: ")
# Items a list must have before its shape is looked at.
_ITEMS = 5
# Points of a list that has any of the signs.
_BASE = 35
_PLACED = 0.6
# Share of the items that must have one term in common, and letters by which its forms are recognised.
_AGAIN = 0.3
_STEM = 5
_ECHO = 0.55
_SAME, _NOT_PARTED = "the title is the same list", "the terms are not even parted"
_NATURAL = frozenset((_SAME, _NOT_PARTED))


def detect(features: Features) -> Finding | None:
    """Accuses a list of terms that nobody wrote for anybody."""
    if features.size < _FEWEST or features.small_share > _BARE:
        return None
    if len(_CODES.findall(features.description)) > _CODED * features.size:
        return None
    items = [item.split() for item in _ITEM.split(features.description) if item.strip()]
    signs = [
        (40, _are_placed(items), "every item is a term and a place"),
        (35, _echo(features) >= _ECHO, _SAME),
        (25, "index.host" in features.host.found, "the host is named like an index"),
        (20, features.host.is_cheap, "its top level domain is a cheap one"),
        (15, len(items) <= 2, _NOT_PARTED),
    ]
    seen = [(points, sign) for points, holds, sign in signs if holds]
    # Search engines repeat a title and cut a text short themselves: what a machine made shows otherwise too.
    if not any(holds for _, holds, sign in signs if sign not in _NATURAL):
        return None
    weight = _BASE + sum(points for points, _ in seen)
    examples = ", ".join(sign for _, sign in seen)
    return Finding(NAME, weight, f"{features.size} words with hardly a small one; {examples}")


def _are_placed(items: list[list[str]]) -> bool:
    """Whether most items are a term and a place, and the term is the same again and again.

    A programme of events or a list of branches has names too, but another one each time.
    """
    # Two to four words of which the last is a name.
    short = (item for item in items if 2 <= len(item) <= 4)
    placed = [item for item in short if item[-1][:1].isupper() and not item[-1].isupper()]
    if len(items) < _ITEMS or len(placed) < _PLACED * len(items):
        return False
    terms = Counter(word for item in placed for word in {word[:_STEM].casefold() for word in item[:-1]})
    return max(terms.values()) >= _AGAIN * len(placed)


def _echo(features: Features) -> float:
    """How much of the title comes back in the description."""
    title = {word for word in features.title_words if not word.isdigit()}
    return len(title & set(features.description_words)) / len(title) if len(title) > 2 else 0.0
