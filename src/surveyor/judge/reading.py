"""What a search result says, in the profile's terms: which groups, kinds of organisation and places it names.

Read once per result, asked by every judge. A phrase that a `cancels` group covers is not there; one that
the sentence denies is there and marked. Words of the address count in every language, because addresses
are written without alphabets and accents.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from surveyor.errors import NotADomain
from surveyor.judge.judges.credibility import CredibilityJudge
from surveyor.judge.negation import Denials, denies
from surveyor.judge.signs import BELIEVED, LIMITED, Site, limiting_words, signs_of, site_of
from surveyor.judge.values import FULL, SearchHit
from surveyor.judge.vocabulary import Text, Vocabulary
from surveyor.names import DEFAULT_RULES, NameRules, canonical_domain
from surveyor.profiles.model import Profile
from surveyor.words import guess_language
from surveyor.words.cutting import ENDS, LONGEST, STOP, TITLE_ENDS, words_of
from surveyor.words.matching import Match, Matcher, by_language
from surveyor.words.remembered import Remembered

Kind = Literal["keyword", "organisation", "place", "elsewhere"]
Where = Literal["title", "text", "host", "path"]

_CYRILLIC, _GREEK = re.compile(r"[а-яё]", re.IGNORECASE), re.compile(r"[α-ωά-ώ]", re.IGNORECASE)
_COUNTRY = 2  # letters of a country's suffix
_AT_HOME = "home_suffix"
_HOSTS_REMEMBERED = 1 << 15  # with what they tell; about 10 MB
_NO_COUNTRY = frozenset({"eu", "io", "me", "co", "tv", "ai"})  # used by everybody
_SCRIPTS = {"bg": _CYRILLIC, "ru": _CYRILLIC, "sr": _CYRILLIC, "mk": _CYRILLIC, "el": _GREEK}


class Entry(NamedTuple):
    """Something a profile looks for."""

    kind: Kind
    name: str


class Seen(NamedTuple):
    """A phrase of an entry, where it was seen, and whether the sentence denies it."""

    entry: Entry
    phrase: str
    where: Where
    denied: bool


def weight_of(seen: Sequence[Seen]) -> int:
    """How surely a group is there: a phrase, a title or a host says more than a word in passing."""
    weight = 0
    counted: list[str] = []
    for each in seen:
        if each.where in ("title", "host") or " " in each.phrase:
            return 2
        if each.phrase not in counted:
            counted.append(each.phrase)
            weight += 1
    return weight


def in_passing(seen: Sequence[Seen]) -> bool:
    """Whether a group is there by one phrase only, and neither a host nor a title makes much of it."""
    return len({each.phrase for each in seen}) == 1 and all(
        each.where in ("text", "path") or (each.where == "title" and " " not in each.phrase) for each in seen
    )


class Reading:
    """One result, read as far as somebody asks: the profile's words are looked for at the first question."""

    __slots__ = ("_language", "_reader", "_seen", "domain", "hit", "signs", "text", "words")

    def __init__(
        self, reader: Reader, hit: SearchHit, domain: str, text: Text, signs: dict[str, float]
    ) -> None:
        self._reader = reader
        self.hit = hit
        self.domain = domain
        self.text = text
        self.words = text.words
        """Words of title and description with their marks, as `words.cutting` gives them."""
        self.signs = signs
        """What tells the kind of site; empty where nobody asks."""
        self._language: str | Literal[False] | None = False
        self._seen: Mapping[Kind, Sequence[Seen]] | None = None

    @property
    def language(self) -> str | None:
        if self._language is False:
            self._language = self._reader.language_of(self.hit, self.words)
        return self._language

    def of(self, kind: Kind) -> Sequence[Seen]:
        if self._seen is None:
            self._seen = self._reader.seen_in(self)
        return self._seen.get(kind, ())


class Reader:
    """A profile's words, compiled once; reads any number of results."""

    def __init__(
        self, profile: Profile, rules: NameRules = DEFAULT_RULES, *, with_signs: bool = False
    ) -> None:
        self._rules = rules
        self._with_signs = with_signs
        self._vocabulary = Vocabulary(profile if with_signs else None)
        self.credibility = CredibilityJudge(profile)
        # What a host tells does not change from one result to the next.
        self._sites = Remembered(self._site, _HOSTS_REMEMBERED)
        self._languages = profile.languages
        self._home = {suffix for place in profile.geography.places.values() for suffix in place.suffixes}
        self._entries: list[Entry] = []
        self._cancels: set[int] = set()
        self._weakens: set[int] = set()
        words: list[tuple[int, Mapping[str, Sequence[str]]]] = []
        address: list[tuple[str, int]] = []
        for entry, by, in_address, effect in _entries(profile):
            number = len(self._entries)
            self._entries.append(entry)
            words.append((number, by))
            address += ((text, number) for text in in_address)
            if effect == "cancels":
                self._cancels.add(number)
            elif effect == "weakens":
                self._weakens.add(number)
        self._matchers = by_language(words, profile.languages)
        self._address = Matcher("", address)

    def read(self, hit: SearchHit) -> Reading:
        """Read one result. No text makes this fail; an address that is none has an empty domain."""
        text = self._vocabulary.read(hit.title, hit.description)
        try:
            domain: str = canonical_domain(hit.url, self._rules)
        except NotADomain:
            domain = ""
        signs: dict[str, float] = {}
        if self._with_signs:
            site = self._sites[domain]
            signs = signs_of(hit.url, hit.title, hit.description, site, text, self._vocabulary)
            if LIMITED in signs and _AT_HOME in signs:
                del signs[LIMITED]
        return Reading(self, hit, domain, text, signs)

    def language_of(self, hit: SearchHit, words: Sequence[str]) -> str | None:
        return hit.language if hit.language in self._matchers else guess_language(words, self._languages)

    def seen_in(self, reading: Reading) -> Mapping[Kind, Sequence[Seen]]:
        """What of the profile a result names, by kind."""
        seen: defaultdict[Kind, list[Seen]] = defaultdict(list)
        self._read_text(reading.words, reading.language, seen)
        self._read_address(reading.hit.url, reading.domain, seen)
        return seen

    def limit_in(self, reading: Reading) -> str:
        """The words by which a result is limited to people elsewhere, as they are written; for a person."""
        return limiting_words(reading.text, self._vocabulary)

    def _site(self, domain: str) -> Site:
        """What a host tells, whether it is where the profile looks, and how far the profile believes it."""
        site = site_of(domain)
        believed = self.credibility.of_host[domain][0] - self.credibility.default
        if believed:  # more or less than a host of which nothing is known
            site.signs[BELIEVED] = believed / FULL
        suffix = domain.partition(":")[0].rpartition(".")[2]
        if suffix in self._home:
            site.signs[_AT_HOME] = 1.0
        elif len(suffix) == _COUNTRY and suffix not in _NO_COUNTRY:
            site.signs["foreign_suffix"] = 1.0
        return site

    def _matches(self, words: Sequence[str], languages: Sequence[str]) -> list[Match]:
        if len(languages) == 1:
            return self._matchers[languages[0]].find(words)
        found = [match for language in languages for match in self._matchers[language].find(words)]
        return sorted(found, key=lambda match: (match[0], -match[1]))

    def _read_text(
        self, words: Sequence[str], language: str | None, seen: defaultdict[Kind, list[Seen]]
    ) -> None:
        languages = (language,) if language is not None else self._possible(words)
        found = self._matches(words, languages)
        if not found:
            return
        title_ends = words.index(TITLE_ENDS)
        covers = [match for match in found if match[2] in self._cancels]
        otherwise = self._cancelled(found, covers, words) if covers else {}
        denials = Denials(words, languages) if any(denies(words, each) for each in languages) else None
        for start, stop, number, phrase in self._valid(found, covers):
            if otherwise and start >= otherwise.get((number, phrase), len(words)):
                continue
            denied = denials is not None and denials.cover(start, stop)
            entry = self._entries[number]
            seen[entry[0]].append(Seen(entry, phrase, "title" if stop <= title_ends else "text", denied))

    def _possible(self, words: Sequence[str]) -> tuple[str, ...]:
        """A text too short to tell its language: every one whose letters these are."""
        text = "".join(words)
        scripts = ((language, _SCRIPTS.get(language)) for language in self._languages)
        return tuple(language for language, script in scripts if script is None or script.search(text))

    def _valid(self, found: list[Match], covers: Sequence[Match]) -> list[Match]:
        """What is left when cancelled phrases, and phrases inside longer ones of the same entry, are gone."""
        taken: dict[int, int] = {}
        valid = []
        for match in found:
            _, end, entry, _ = match
            if covers and (entry in self._cancels or self._is_covered(match, covers)):
                continue
            if entry not in taken or taken[entry] < end:
                taken[entry] = end
                valid.append(match)
        return valid

    def _cancelled(
        self, found: list[Match], covers: Sequence[Match], words: Sequence[str]
    ) -> dict[tuple[int, str], int]:
        """What a title means otherwise, and from which clause on: the text below it then does too."""
        title_ends = words.index(TITLE_ENDS)
        cancelled: dict[tuple[int, str], int] = {}
        for match in found:
            start, stop, entry, phrase = match
            if stop <= title_ends and entry not in self._cancels and self._is_covered(match, covers):
                clause = next((at + 1 for at in range(start, -1, -1) if words[at] in ENDS), 0)
                cancelled.setdefault((entry, phrase), clause)
        return cancelled

    def _is_covered(self, match: Match, covers: Sequence[Match]) -> bool:
        """Whether a longer phrase gives it another sense. What speaks against a page does so in any sense."""
        start, end, entry, _ = match
        return entry not in self._weakens and any(
            begin <= start and end <= stop for begin, stop, _, _ in covers
        )

    def _read_address(self, url: str, domain: str, seen: defaultdict[Kind, list[Seen]]) -> None:
        path = url[:LONGEST].partition("://")[2].partition("/")[2]
        words = _address_words(domain.rpartition(".")[0])
        host_ends = len(words)
        if path:
            words.append(STOP)  # no phrase goes from one into the other
            words += _address_words(path)
        for start, _, number, phrase in self._address.find(words):
            entry = self._entries[number]
            seen[entry[0]].append(Seen(entry, phrase, "host" if start < host_ends else "path", False))


def _address_words(part: str) -> list[str]:
    """Words of a host or a path. A single letter names a parameter (`?p=123`) and is none."""
    return [word if len(word) > 1 else STOP for word in words_of(part)]


def _entries(
    profile: Profile,
) -> Iterator[tuple[Entry, Mapping[str, Sequence[str]], Sequence[str], str]]:
    for name, keywords in profile.keywords.items():
        yield Entry("keyword", name), keywords.words, keywords.address, keywords.effect
    for name, organisation in profile.organisations.items():
        yield Entry("organisation", name), organisation.words, organisation.address, ""
    for code, place in profile.geography.places.items():
        yield (
            Entry("place", code),
            _joined(place.names, place.adjectives, place.cities, place.regions),
            (),
            "",
        )
    if profile.geography.elsewhere:
        yield Entry("elsewhere", "elsewhere"), profile.geography.elsewhere, (), ""


def _joined(*tables: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    languages = {language for table in tables for language in table}
    return {
        language: tuple(word for table in tables for word in table.get(language, ()))
        for language in languages
    }
