"""How far a host is believed, by its suffix, its name and signs of a throw-away. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from surveyor.judge.values import hundredths
from surveyor.profiles import Profile
from surveyor.words import tokens
from surveyor.words.matching import Matcher

# Second-level labels that registries keep for governments and schools, and the suffix they stand for.
_RESERVED = {
    "gov": "gov", "gob": "gov", "gouv": "gov", "gv": "gov", "government": "gov", "gub": "gov", "mil": "gov",
    "edu": "edu", "ac": "edu",
}  # fmt: skip
_DIGIT = re.compile("[0-9]")
_COUNTRY = 2  # letters of a country's suffix
_HOSTS_REMEMBERED = 1 << 13  # about 2 MB; results of one host come together


class Hosts:
    """What a profile believes of hosts."""

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
        # What is said of a host does not change from one result to the next.
        self.of_host = lru_cache(maxsize=_HOSTS_REMEMBERED)(self._judge)
        """The score in hundredths, and why."""

    def _judge(self, domain: str) -> tuple[int, str]:
        if not domain:
            return 0, "no address"
        score, reason = self._site(domain)
        words = tokens(domain.rpartition(".")[0])
        if score >= self.default:
            # A blog or a shop that calls itself a foundation stays a blog or a shop.
            by_name, named = self._named(words)
            if by_name > score:
                score, reason = by_name, named
        signs = self._signs(domain, words)
        if signs:
            return max(0, score - self._penalty * len(signs)), f"{reason}, but {', '.join(signs)}"
        return score, reason

    def _site(self, domain: str) -> tuple[int, str]:
        suffix = domain.partition(":")[0]
        while suffix:
            label, _, rest = suffix.partition(".")
            known = self._sites.get(suffix)
            if known is None and len(rest) == _COUNTRY and label in _RESERVED:
                known = self._sites.get(_RESERVED[label])
            if known is not None:
                return known[0], f"{known[1]} host ({suffix})"
            suffix = rest
        return self.default, "nothing is known about the host"

    def _named(self, words: list[str]) -> tuple[int, str]:
        """What the words of the host's name say it is."""
        found = self._names.find(words)
        if not found:
            return 0, ""
        _, _, score, phrase = max(found, key=lambda match: match[2])
        return score, f"by its name ({phrase})"

    def _signs(self, domain: str, words: list[str]) -> list[str]:
        name = domain.partition(":")[0]
        signs = []
        suffix = name.rpartition(".")[2]
        if suffix in self._bad_suffixes:
            signs.append(f"suspicious suffix .{suffix}")
        bad = [word for word in words if word in self._bad_words]
        if bad:
            signs.append(f"suspicious word {bad[0]}")
        if name.count("-") > self._max_hyphens and "xn--" not in name:
            signs.append("many hyphens")
        if _DIGIT.search(name) and sum(map(str.isdigit, name)) > self._max_digits:
            signs.append("many digits")
        return signs
