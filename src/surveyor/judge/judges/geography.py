"""GeographicRelevanceJudge: is it for people where the profile looks?

A place that is named decides, or the country of the host; then a place elsewhere; then the language.
"""

from __future__ import annotations

from surveyor.judge.reading import Reading
from surveyor.judge.values import hundredths
from surveyor.profiles.model import Profile

_ELSEWHERE = 5  # hundredths for a result that names only places elsewhere


class GeographyJudge:
    name = "GeographicRelevanceJudge"

    def __init__(self, profile: Profile) -> None:
        geography = profile.geography
        self._places = {code: hundredths(place.strength) for code, place in geography.places.items()}
        self._suffixes = {
            suffix: code for code, place in geography.places.items() for suffix in place.suffixes
        }
        self._default = hundredths(geography.default)
        self._languages = {language: hundredths(score) for language, score in geography.languages.items()}
        self._elsewhere = frozenset(geography.elsewhere_suffixes)

    def __call__(self, reading: Reading) -> tuple[int, str]:
        home = self._home(reading)
        if home is not None:
            return home
        away = self._away(reading)
        if away is not None:
            return _ELSEWHERE, f"only places elsewhere ({away})"
        if reading.language in self._languages:
            return self._languages[reading.language], f"no place named, written in {reading.language}"
        return self._default, "no place named"

    def abroad(self, reading: Reading) -> bool:
        """Whether the result is for people elsewhere only."""
        return self._away(reading) is not None and self._home(reading) is None

    def _home(self, reading: Reading) -> tuple[int, str] | None:
        named = [
            (self._places[seen.entry.name], f"names {seen.phrase.title()}")
            for seen in reading.of("place")
            if not seen.denied
        ]
        suffix = reading.domain.partition(":")[0].rpartition(".")[2]
        if suffix in self._suffixes:
            named.append((self._places[self._suffixes[suffix]], f"the host ends with .{suffix}"))
        return max(named, key=lambda each: each[0], default=None)

    def _away(self, reading: Reading) -> str | None:
        for seen in reading.of("elsewhere"):
            return seen.phrase
        labels = reading.domain.partition(":")[0].split(".")
        for size in (1, 2):
            suffix = ".".join(labels[-size:])
            if suffix in self._elsewhere:
                return f".{suffix}"
        return None
