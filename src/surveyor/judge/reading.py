"""What a search result says, in the profile's terms: which groups, kinds of organisation and places it names.

Read once per result, asked by every judge. A phrase that a `cancels` group covers is not there; one that
the sentence denies is there and marked. Words of the address count in every language, because addresses
are written without alphabets and accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from surveyor.errors import NotADomain
from surveyor.judge.matching import Match, Matcher, by_language, with_figures_marked, words_of
from surveyor.judge.negation import Denials, answers_no, denies
from surveyor.judge.values import SearchHit
from surveyor.names import DEFAULT_RULES, NameRules, canonical_domain
from surveyor.profiles import Profile
from surveyor.words import guess_language

Kind = Literal["keyword", "organisation", "place", "elsewhere"]
Where = Literal["title", "text", "host", "path"]

# Where a thought ends: marks before a space, a dash between two thoughts.
_STOPS = re.compile(r"(?:[.!…|•·»>\n,:]+|(?<=\s)[–—-]+)(?=\s|$)")
# What stands for the ends of thoughts while a text is cut into words. A semicolon asks in Greek.
_STOP, _ASK, _SEMICOLON, _TITLE_ENDS = "qzstop", "qzask", "qzsemicolon", "qztitle"
_STOP_MARK, _ASK_MARK, _SEMICOLON_MARK = f" {_STOP} ", f" {_ASK} ", f" {_SEMICOLON} "
_MARKS = frozenset((_STOP, _ASK, _SEMICOLON, _TITLE_ENDS))
# Characters that are read of a title and a description; search results are cut there anyway.
_LONGEST = 1_500
_CYRILLIC, _GREEK = re.compile(r"[а-яё]", re.IGNORECASE), re.compile(r"[α-ωά-ώ]", re.IGNORECASE)
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


class Reading(NamedTuple):
    """One result, read."""

    domain: str
    language: str | None
    seen: Mapping[Kind, Sequence[Seen]]

    def of(self, kind: Kind) -> Sequence[Seen]:
        return self.seen.get(kind, ())


class Reader:
    """A profile's words, compiled once; reads any number of results."""

    def __init__(self, profile: Profile, rules: NameRules = DEFAULT_RULES) -> None:
        self._rules = rules
        self._languages = profile.languages
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
        cut = _cut(hit.title, hit.description)
        known = hit.language in self._matchers
        language = hit.language if known else guess_language(cut, self._languages)
        parts = _sentences(cut)
        domain = _domain(hit.url, self._rules)
        seen: dict[Kind, list[Seen]] = {}
        for each in (*self._text(parts, language), *self._addressed(hit.url, domain)):
            seen.setdefault(each.entry.kind, []).append(each)
        return Reading(domain, language, seen)

    def _matches(self, words: list[str], languages: Sequence[str]) -> list[Match]:
        if len(languages) == 1:
            return self._matchers[languages[0]].find(words)
        found = [match for language in languages for match in self._matchers[language].find(words)]
        return sorted(found, key=lambda match: (match.start, -match.end))

    def _text(self, parts: Sequence[_Sentence], language: str | None) -> Iterator[Seen]:
        languages = (language,) if language is not None else self._possible(parts)
        last = len(parts) - 1
        otherwise: set[tuple[int, str]] = set()
        for index, part in enumerate(parts):
            found = self._matches(part.words, languages)
            if not found:
                continue
            answered_no = index < last and part.asks(language) and answers_no(parts[index + 1].words)
            denials = [Denials(part.words, each) for each in languages if denies(part.words, each)]
            if part.where == "title":
                otherwise |= self._cancelled(found)
            for match in self._valid(found):
                if (match.entry, match.phrase) in otherwise:
                    continue
                denied = answered_no or any(each.cover(match.start, match.end) for each in denials)
                yield Seen(self._entries[match.entry], match.phrase, part.where, denied)

    def _possible(self, parts: Sequence[_Sentence]) -> tuple[str, ...]:
        """A text too short to tell its language: every one whose letters these are."""
        text = "".join(word for part in parts for word in part.words)
        scripts = ((language, _SCRIPTS.get(language)) for language in self._languages)
        return tuple(language for language, script in scripts if script is None or script.search(text))

    def _valid(self, found: list[Match]) -> Iterator[Match]:
        """What is left when cancelled phrases, and phrases inside longer ones of the same entry, are gone."""
        cancels = self._cancels
        covers = [match for match in found if match.entry in cancels]
        taken: dict[int, int] = {}
        for match in found:
            if covers and (match.entry in cancels or self._is_covered(match, covers)):
                continue
            if taken.get(match.entry, 0) >= match.end:
                continue
            taken[match.entry] = match.end
            yield match

    def _cancelled(self, found: list[Match]) -> set[tuple[int, str]]:
        """What a title means otherwise; the text below it then does too."""
        covers = [match for match in found if match.entry in self._cancels]
        return {
            (match.entry, match.phrase)
            for match in found
            if match.entry not in self._cancels and self._is_covered(match, covers)
        }

    def _is_covered(self, match: Match, covers: Sequence[Match]) -> bool:
        """Whether a longer phrase gives it another sense. What speaks against a page does so in any sense."""
        return match.entry not in self._weakens and any(_inside(match, cover) for cover in covers)

    def _addressed(self, url: str, domain: str) -> Iterator[Seen]:
        path = url[:_LONGEST].partition("://")[2].partition("/")[2]
        places: tuple[tuple[str, Where], ...] = ((domain.rpartition(".")[0], "host"), (path, "path"))
        for text, where in places:
            for match in self._address.find(words_of(text)):
                yield Seen(self._entries[match.entry], match.phrase, where, False)


def _inside(match: Match, cover: Match) -> bool:
    return cover.start <= match.start and match.end <= cover.end


class _Sentence(NamedTuple):
    words: list[str]
    where: Where
    ended_by: str

    def asks(self, language: str | None) -> bool:
        return self.ended_by == _ASK or (self.ended_by == _SEMICOLON and language == "el")


def _cut(title: str, description: str) -> list[str]:
    """All words of a result with marks between the thoughts; at once, because that costs least."""
    text = with_figures_marked(f"{title[:_LONGEST]} {_TITLE_ENDS} {description[:_LONGEST]}")
    asked = text.replace("?", _ASK_MARK).replace(";", _SEMICOLON_MARK)
    return words_of(_STOPS.sub(_STOP_MARK, asked))


def _sentences(cut: list[str]) -> list[_Sentence]:
    """The thoughts of a result, each with where it stands and what ended it."""
    cut.append(_STOP)
    sentences: list[_Sentence] = []
    where: Where = "title"
    begin = 0
    for end in [index for index, word in enumerate(cut) if word in _MARKS]:
        if end > begin:
            sentences.append(_Sentence(cut[begin:end], where, cut[end]))
        if cut[end] == _TITLE_ENDS:
            where = "text"
        begin = end + 1
    return sentences


def _domain(url: str, rules: NameRules) -> str:
    try:
        return canonical_domain(url, rules)
    except NotADomain:
        return ""


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
