"""What single words say: who speaks, what of, and from where. One look-up per word, whatever the lists hold.

The lists of `wordlists/` are the same for everybody. A profile adds its own: the words of its keyword groups
and organisations, and the places where it looks; every other place in the world is elsewhere. Phrases of two
words are known by the first. Longer ones are the rules' business, which read more closely and seldom.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Final, NamedTuple

from surveyor.profiles import Profile
from surveyor.words import fold, tokens

_REMEMBERED: Final = 1 << 15  # words with what they say; about 5 MB
# Letters by which two forms of one word are known; shorter words may lack their last letter.
_STEM: Final = 7
_SHORTEST: Final = 3
_SHORTEST_CUT: Final = 5
HOME, ELSEWHERE, LIMITS, WHO = "names_home", "names_elsewhere", "limits", "who"
SAYS, SENDER = "says ", "sender "


class Word(NamedTuple):
    """What a word says by itself, and together with the one after it."""

    names: tuple[str, ...]
    pairs: Mapping[str, tuple[str, ...]] | None


Said = Word | None
_Table = dict[str, dict[str, dict[str, None]]]


def read_list(file: str) -> dict[str, dict[str, str]]:
    text = (resources.files("surveyor.judge") / "wordlists" / f"{file}.toml").read_text("utf-8")
    return tomllib.loads(text)


class WordLists(dict[str, tuple[str, ...]]):
    """Which lists a word stands in; a word that ends in * stands for all that begin so."""

    def __init__(self, lists: Mapping[str, Iterable[str]]) -> None:
        super().__init__()
        self._whole: dict[str, dict[str, None]] = {}
        self._stems: dict[str, dict[str, None]] = {}
        for name, words in lists.items():
            for word in words:
                table = self._stems if word.endswith("*") else self._whole
                # As the words of a text are written; what is joined by hyphens stays one word of an address.
                plain = word.rstrip("*")
                part = plain if "-" in plain else "".join(tokens(plain))
                table.setdefault(part, {})[name] = None
        self._lengths: dict[str, list[int]] = {}
        for stem in sorted(self._stems, key=len):
            lengths = self._lengths.setdefault(stem[:2], [])
            if len(stem) not in lengths:
                lengths.append(len(stem))

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        lengths = self._lengths.get(word[:2], ())
        stems = [stem for length in lengths if (stem := word[:length]) in self._stems]
        found = self._whole.get(word, {})
        for stem in stems:
            found = found | self._stems[stem]
        self[word] = known = tuple(sorted(found)) if found else ()
        return known


VOICES: Final = WordLists(
    {
        name: [word for words in languages.values() for word in words.split()]
        for name, languages in read_list("voice").items()
    }
)


def key_of(word: str) -> str:
    """The form by which a word of a profile and a word of a text meet."""
    return word[:_STEM] if word.isascii() else fold(word)[:_STEM]


class Vocabulary(dict[str, Said]):
    """What each word of a text says; every word is looked up once and remembered."""

    def __init__(self, profile: Profile | None = None) -> None:
        super().__init__()
        self._table: _Table = {}
        if profile is not None:
            for name, phrase in _phrases(profile):
                self._add(name, phrase)
        self._words = {key: _word(by_next) for key, by_next in self._table.items()}

    def _add(self, name: str, phrase: str) -> None:
        if phrase.startswith("*") or "{" in phrase:
            return
        words = [key_of(word) for word in tokens(phrase)]
        if not words or len(words) > 2 or (len(words) == 1 and len(words[0]) < _SHORTEST):
            return
        self._table.setdefault(words[0], {}).setdefault("".join(words[1:]), {})[name] = None

    def __missing__(self, word: str) -> Said:
        if len(self) >= _REMEMBERED:
            self.clear()
        key = key_of(word)
        known = self._words.get(key)
        if known is None and _SHORTEST_CUT <= len(key) < _STEM:
            known = self._words.get(key[:-1])
        voices = VOICES[word]
        if voices:
            known = Word((*voices, *known.names), known.pairs) if known else Word(voices, None)
        self[word] = known
        return known


def _word(by_next: Mapping[str, Mapping[str, None]]) -> Word:
    pairs = {following: tuple(names) for following, names in by_next.items() if following}
    return Word(tuple(by_next.get("", ())), pairs or None)


def _phrases(profile: Profile) -> Iterator[tuple[str, str]]:
    """(what it says, phrase) of everything a profile looks for."""
    for group, keywords in profile.keywords.items():
        if keywords.effect != "cancels":
            for words in (*keywords.words.values(), keywords.address):
                # Phrases of two words are looked for by the rules: here they would begin with any word.
                yield from ((SAYS + group, word) for word in words if " " not in word)
    for kind, organisation in profile.organisations.items():
        for words in organisation.words.values():
            yield from ((SENDER + kind, word) for word in words if " " not in word)
    yield from _places(profile)


def _places(profile: Profile) -> Iterator[tuple[str, str]]:
    places = profile.geography.places
    if not places:
        return
    home: set[str] = set()
    for place in places.values():
        for table in (place.names, place.adjectives, place.cities, place.regions):
            for phrases in table.values():
                home.update(phrases)
    yield from ((HOME, phrase) for phrase in home)
    known = {key_of("".join(tokens(phrase))) for phrase in home}
    for phrases in profile.geography.elsewhere.values():
        yield from ((ELSEWHERE, phrase) for phrase in phrases)
    for code, phrase in world():
        if code not in places:
            # What the profile calls its own is not elsewhere, whoever else is called so.
            if key_of("".join(tokens(phrase))) not in known:
                yield ELSEWHERE, phrase.rstrip("*")
        else:
            yield HOME, phrase.rstrip("*")


@lru_cache(maxsize=1)
def world() -> tuple[tuple[str, str], ...]:
    """(country's code, name of the country, of its people or of a part of it), in all languages."""
    more = read_list("regions")
    tables = (read_list("countries"), more["people"], more["parts"], more["continents"])
    return tuple(
        (code, name) for table in tables for code, names in table.items() for name in str(names).split("|")
    )
