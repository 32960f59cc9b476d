"""DomainCredibilityJudge: how far a host is believed, by its suffix, its name and signs of a throw-away."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from surveyor.judge.values import hundredths
from surveyor.profiles.model import Profile
from surveyor.words import tokens
from surveyor.words.matching import Matcher
from surveyor.words.remembered import Remembered

if TYPE_CHECKING:
    from surveyor.judge.reading import Reading

# Second-level labels that registries keep for governments and schools, and the suffix they stand for.
_RESERVED = {
    "gov": "gov", "gob": "gov", "gouv": "gov", "gv": "gov", "government": "gov", "gub": "gov", "mil": "gov",
    "edu": "edu", "ac": "edu",
}  # fmt: skip
_DIGIT = re.compile("[0-9]")
_COUNTRY = 2  # letters of a country's suffix
_REMEMBERED: Final = 1 << 13  # hosts; about 2 MB, results of one host come together


class CredibilityJudge:
    name = "DomainCredibilityJudge"

    def __init__(self, profile: Profile) -> None:
        credibility = profile.credibility
        self.default = hundredths(credibility.default)
        self._sites = {
            suffix: (hundredths(site.score), name)
            for name, site in credibility.sites.items()
            for suffix in site.suffixes
        }
        self._names = Matcher(
            "", ((text, hundredths(site.score)) for site in credibility.sites.values() for text in site.names)
        )
        suspicious = credibility.suspicious
        self._penalty = hundredths(suspicious.penalty)
        self._bad_suffixes = frozenset(suspicious.suffixes)
        self._bad_words = frozenset(suspicious.words)
        self._max_hyphens, self._max_digits = suspicious.max_hyphens, suspicious.max_digits
        self.of_host = Remembered(self._of_host, _REMEMBERED)
        """The score of a host in hundredths, and why."""

    def __call__(self, reading: Reading) -> tuple[int, str]:
        return self.of_host[reading.domain]

    def _of_host(self, domain: str) -> tuple[int, str]:
        if not domain:
            return 0, "no address"
        name = domain.partition(":")[0]
        score, reason = self._by_suffix(name)
        words = tokens(domain.rpartition(".")[0])
        # A blog or a shop that calls itself a foundation stays a blog or a shop.
        if score >= self.default and (found := self._names.find(words)):
            _, _, by_name, phrase = max(found, key=lambda match: match[2])
            if by_name > score:
                score, reason = by_name, f"by its name ({phrase})"
        signs = self._suspicious(name, words)
        if signs:
            return max(0, score - self._penalty * len(signs)), f"{reason}, but {', '.join(signs)}"
        return score, reason

    def _by_suffix(self, name: str) -> tuple[int, str]:
        suffix = name
        while suffix:
            label, _, rest = suffix.partition(".")
            known = self._sites.get(suffix)
            if known is None and len(rest) == _COUNTRY and label in _RESERVED:
                known = self._sites.get(_RESERVED[label])
            if known is not None:
                return known[0], f"{known[1]} host ({suffix})"
            suffix = rest
        return self.default, "nothing is known about the host"

    def _suspicious(self, name: str, words: list[str]) -> list[str]:
        """What makes a throw-away of a name."""
        signs = []
        suffix = name.rpartition(".")[2]
        if suffix in self._bad_suffixes:
            signs.append(f"suspicious suffix .{suffix}")
        if not self._bad_words.isdisjoint(words):
            bad = next(filter(self._bad_words.__contains__, words))
            signs.append(f"suspicious word {bad}")
        if name.count("-") > self._max_hyphens and "xn--" not in name:
            signs.append("many hyphens")
        if _DIGIT.search(name) and sum(map(str.isdigit, name)) > self._max_digits:
            signs.append("many digits")
        return signs
