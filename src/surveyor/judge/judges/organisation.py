"""OrganizationTypeJudge: is it written by somebody who would, or by somebody who writes about it?

The kind of organisation that fits best decides; who writes like a newspaper, a lender or a shop is held to
what such senders are worth, whatever names stand beside.
"""

from __future__ import annotations

from surveyor.judge.reading import Reading, Seen, in_passing, weight_of
from surveyor.judge.values import FULL, hundredths
from surveyor.profiles.model import Profile

_UNKNOWN = 40  # hundredths for a sender of no known kind
# What a kind is worth that only the description names: it may be a partner, a client or a neighbour.
_IN_TEXT = 85


class OrganisationJudge:
    name = "OrganizationTypeJudge"

    def __init__(self, profile: Profile) -> None:
        self._kinds = {name: hundredths(kind.strength) for name, kind in profile.organisations.items()}
        self._groups = profile.keywords
        self._senders = {
            name: (group.effect, hundredths(group.sender))
            for name, group in profile.keywords.items()
            if group.sender is not None
        }
        excuses = {other for group in profile.keywords.values() for other in group.unless}
        self._known = self._senders.keys() | excuses

    def __call__(self, reading: Reading) -> tuple[int, str]:
        score, reason = self._kind(reading)
        found: dict[str, list[Seen]] = {}
        for seen in reading.of("keyword"):
            if not seen.denied and seen.entry.name in self._known:
                found.setdefault(seen.entry.name, []).append(seen)
        would = False
        for name in found:
            effect, limit = self._senders.get(name, ("", 0))
            # A path names what a page is about, not who writes it.
            if effect == "supports" and limit > score and any(each.where != "path" for each in found[name]):
                score, reason, would = limit, f"writes like somebody who offers it ({_words(name)})", True
        for name, seens in found.items():
            effect, limit = self._senders.get(name, ("", 0))
            if effect == "weakens" and limit < score and not found.keys() & set(self._groups[name].unless):
                sure = weight_of(seens) > 1 and not (would and in_passing(seens))
                score, reason = limit if sure else (limit + score) // 2, f"reads like “{_words(name)}”"
        return score, reason

    def _kind(self, reading: Reading) -> tuple[int, str]:
        best, reason = -1, ""
        for seen in reading.of("organisation"):
            strength = self._kinds[seen.entry.name]
            if seen.where in ("text", "path"):
                strength = strength * _IN_TEXT // FULL
            if strength > best:
                best, reason = strength, f"{_words(seen.entry.name)} ({seen.phrase})"
        return (best, reason) if reason else (_UNKNOWN, "no kind of organisation named")


def _words(name: str) -> str:
    """A group or a kind of the profile, as a person reads it."""
    return name.replace("_", " ")
