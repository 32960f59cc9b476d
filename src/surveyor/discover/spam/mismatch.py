"""Domain and text that have nothing to do with each other: a shop for blinds that explains grants to schools.

Honest names often say nothing about what is done under them, so a missing link alone accuses nobody.
It takes a host that names another trade, or prose that was written for search engines, about a cause.
"""

from __future__ import annotations

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extractOne

from surveyor.discover.spam.features import Features, Finding
from surveyor.words import fold
from surveyor.words.text import to_latin

NAME = "mismatch"
# Letters of a host word that mean something.
_LONG = 4
# Letters by which two forms of one word are recognised.
_STEM = 5
# Of 100; one letter in eight may differ, for spellings of one name.
_ALIKE = 86.0
_PROSE = (25, 25, 10)
_TRADE = 60
_MORE_TRADES = 15
_ARTICLE = 15
_SHIELD = 15
_SHIELDS = ("shields.warning", "shields.official", "shields.memory")
# Points below which an accusation is not worth telling.
_LEAST = 40


def detect(features: Features) -> Finding | None:
    """Accuses a text about a cause, written for nobody, under the name of a trade."""
    cause = features.found.get("cause.topic")
    if not cause:
        return None
    prose = features.found.get("prose.phrase", [])
    trades = features.host.found.get("trade.host", [])
    # A trade may do good, and a foundation may write a guide: both together were made for search engines.
    if not (prose and trades):
        return None
    weight = _weight(features, len(prose), len(trades))
    if weight < _LEAST or is_related(features, trades):
        return None
    host = " and ".join(f"“{word}”" for word in trades[:2]) or "other things"
    said = f", in search engine prose (“{prose[0]}”)" if prose else ""
    return Finding(NAME, weight, f"the host speaks of {host}, the text of “{cause[0]}”{said}")


def _weight(features: Features, prose: int, trades: int) -> int:
    weight = sum(_PROSE[:prose])
    if trades:
        weight += _TRADE + _MORE_TRADES * (trades > 1)
    weight += _ARTICLE * features.is_article
    return weight - _SHIELD * sum(shield in features.found for shield in _SHIELDS)


def is_related(features: Features, trades: list[str]) -> bool:
    """Whether the host and the text speak of one thing: the trade itself, or half of the name."""
    words = {fold(to_latin(word)) for word in features.content if len(word) >= _LONG}
    stems = {word[:_STEM] for word in words}
    own = [word for word in features.host.words if len(word) >= _LONG]
    alike = [word for word in own if word[:_STEM] in stems or _has_twin(word, words)]
    if not trades:
        return bool(alike)
    named = tuple(trade.rstrip("*") for trade in trades)
    return any(word.startswith(named) for word in alike) or 2 * len(alike) >= len(own) > 1


def _has_twin(word: str, words: set[str]) -> bool:
    return extractOne(word, words, scorer=ratio, score_cutoff=_ALIKE) is not None
