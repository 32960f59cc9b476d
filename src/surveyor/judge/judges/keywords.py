"""FundingKeywordJudge: does the text offer what the profile looks for, or only use its words?

Groups that support add up like independent witnesses: each closes a part of the distance to 1.00.
Circumstances alone (a date, a sum, a form) are no offer and count in part: the more kinds of them come
together, and from somebody who gives, the more they are one. Groups that weaken each take their
part away, the whole of it when they are sure. A denied offer counts against the page, unless it comes from
somebody who gives otherwise: a foundation that lists what it does not fund is a foundation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from surveyor.judge.reading import Reading, Seen, in_passing, weight_of
from surveyor.judge.values import FULL, Why, hundredths
from surveyor.profiles.model import Profile

# What a second, different phrase of a group that supports adds, as a share of the first.
_SECOND = 40
# What a word of the address is worth beside one of the text. A host is the sender's own name.
_HOST, _PATH = 85, 60
# What a group that weakens takes away when a single word of the text is all there is: it may be chance,
# and surely is beside several offers.
_CHANCE, _CHANCE_BESIDE_OFFERS = 50, 25
# Beside this many offers one phrase in passing is chance too.
_MANY = 2
# What is left at least of a page with an offer: words that weaken do not decide alone.
_LEFT_OF_OFFER = 30
# What is left of a page that denies an offer: from anybody, and from somebody who gives otherwise.
_DENIED, _DENIED_BY_GIVER = 20, 90
# What is left of an offer for people elsewhere.
_ABROAD = 20
# An organisation of this strength or more fits the profile so well that what it denies is a detail.
_FITTING = 95
# From this strength on a group is the offer itself and not a circumstance.
_OFFER = 50
# What circumstances count without an offer, by how many kinds of them there are: how to ask, until when
# and for how much, together, are an offer without its name. A sender that gives is worth _GIVER kinds more;
# who is spoken of (a group below _TELLING) is none, every office speaks of somebody.
_NO_OFFER = (30, 40, 60, 85, 100)
_GIVER = 2
_TELLING = 20
_SHOWN = 4  # phrases in an explanation
_ADDRESS = frozenset(("host", "path"))
# A part of an explanation: what was seen, and the words around it.
_Part = tuple[str, Sequence[Seen], str]


class KeywordJudge:
    name = "FundingKeywordJudge"

    def __init__(self, profile: Profile) -> None:
        self._strengths = {name: hundredths(group.strength) for name, group in profile.keywords.items()}
        groups = profile.keywords.items()
        self._supports = frozenset(name for name, group in groups if group.effect == "supports")
        self._offers = frozenset(name for name in self._supports if self._strengths[name] >= _OFFER)
        self._givers = frozenset(name for name in self._supports if profile.keywords[name].sender)
        self._weakens = {name: group.unless for name, group in groups if group.effect == "weakens"}
        self._fitting = {
            name for name, group in profile.organisations.items() if hundredths(group.strength) >= _FITTING
        }

    def __call__(self, reading: Reading, *, abroad: bool) -> tuple[int, Why]:
        found, denied = self._found(reading)
        gives = self._gives(reading, found)
        if gives:
            # What a giver denies is still what it speaks of: "what we do not fund".
            for seen in denied:
                found.setdefault(seen.entry.name, []).append(seen)
        score, parts = self._supported(found, gives=gives)
        weakening = [
            name for name in found if name in self._weakens and found.keys().isdisjoint(self._weakens[name])
        ]
        if weakening:
            score = self._weakened(score, weakening, found, parts)
        if denied:
            score = score * (_DENIED_BY_GIVER if gives else _DENIED) // FULL
            parts.append(("denied: ", denied, ""))
        if abroad and score:
            score = score * _ABROAD // FULL
            parts.append(("for people elsewhere", (), ""))
        return score, partial(_explained, parts)

    def _found(self, reading: Reading) -> tuple[dict[str, list[Seen]], list[Seen]]:
        found: dict[str, list[Seen]] = {}
        denied = []
        for seen in reading.of("keyword"):
            name = seen.entry.name
            if not seen.denied:
                found.setdefault(name, []).append(seen)
            elif name in self._offers:
                denied.append(seen)
        return found, denied

    def _supported(self, found: Mapping[str, list[Seen]], *, gives: bool) -> tuple[int, list[_Part]]:
        missing = FULL * FULL
        parts: list[_Part] = []
        kinds, offers = _GIVER * gives, False
        for name, seen in found.items():
            if name in self._supports:
                missing = missing * (FULL - self._support(name, seen)) // FULL
                parts.append((f"{name.replace('_', ' ')} (", seen, ")"))
                kinds += self._strengths[name] >= _TELLING
                offers = offers or name in self._offers
        score = FULL - -(-missing // FULL)
        if not offers:
            score = score * _NO_OFFER[min(kinds, len(_NO_OFFER) - 1)] // FULL
        return score, parts

    def _support(self, name: str, seen: Sequence[Seen]) -> int:
        """The group's strength, more for a second phrase, less if only the address has one."""
        strength = self._strengths[name]
        places = {each.where for each in seen}
        if places <= _ADDRESS:
            return strength * (_HOST if "host" in places else _PATH) // FULL
        if len(seen) > 1:
            return strength + (FULL - strength) * strength * _SECOND // (FULL * FULL)
        return strength

    def _weakened(
        self, score: int, weakening: Sequence[str], found: Mapping[str, list[Seen]], parts: list[_Part]
    ) -> int:
        """What is left of a score; what speaks against the page is named too."""
        offers = len(self._offers & found.keys())
        chance = _CHANCE_BESIDE_OFFERS if offers > 1 else _CHANCE
        least = score * _LEFT_OF_OFFER // FULL if offers else 0
        for name in weakening:
            strength = self._strengths[name]
            sure = weight_of(found[name]) > 1 and not (offers >= _MANY and in_passing(found[name]))
            against = strength if sure else strength * chance // FULL
            score = score * (FULL - against) // FULL
            parts.append((f"{name.replace('_', ' ')} speaks against it (", found[name], ")"))
        return max(score, least)

    def _gives(self, reading: Reading, found: Mapping[str, list[Seen]]) -> bool:
        """Whether whoever denies one thing says or shows that they give another."""
        for name in self._givers & found.keys():
            if any(seen.where != "path" for seen in found[name]):
                return True
        return any(
            seen.where in ("title", "host") and seen.entry.name in self._fitting
            for seen in reading.of("organisation")
        )


def _explained(given: Sequence[_Part]) -> str:
    parts = [f"{before}{_some(seen)}{after}" for before, seen, after in given]
    return ", ".join(parts) or "none of the words looked for"


def _some(seen: Sequence[Seen]) -> str:
    phrases = ", ".join(list(dict.fromkeys([each.phrase for each in seen]))[:_SHOWN])
    return phrases.replace("{", "‹").replace("}", "›") if "{" in phrases else phrases
