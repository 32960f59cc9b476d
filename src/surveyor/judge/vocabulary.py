"""What single words say: who speaks, what of, and from where. One look-up per word, whatever is asked of it.

The lists of `wordlists/judge/` are the same for everybody. A profile adds its own: the words of its keyword
groups and organisations, and the places where it looks; every other place in the world is elsewhere. Phrases
of two words are known by the first. Longer ones are the rules' business, which read more closely and seldom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from surveyor import wordlists
from surveyor.profiles.model import Profile
from surveyor.words import FUNCTION_WORDS, fold, tokens
from surveyor.words.cutting import LONGEST_PIECE, pieces_of, words_in
from surveyor.words.remembered import Remembered
from surveyor.words.text import to_latin

_REMEMBERED: Final = 1 << 15  # pieces of texts with what is known of their words; about 15 MB
# Letters by which two forms of one word are known; shorter words may lack their last letter.
_STEM: Final = 7
_SHORTEST: Final = 3
_SHORTEST_CUT: Final = 5
HOME, ELSEWHERE, LIMITS, WHO = "names_home", "names_elsewhere", "limits", "who"
SAYS, SENDER = "says ", "sender "
# Among what a word says: it may say more together with a neighbour.
MORE: Final = ""
SMALL_WORDS: Final = frozenset[str]().union(*FUNCTION_WORDS.values())


class Text(NamedTuple):
    """The words of a result in order, and what is known of each."""

    words: tuple[str, ...]
    says: tuple[tuple[str, ...], ...]
    latin: tuple[str, ...]
    """As it would stand in a host; nothing for small words."""


_Word = tuple[str, tuple[str, ...], str]
# What is said by a word and the one after it; by a word alone where nothing follows.
_Table = dict[str, dict[str, tuple[str, ...]]]


class WordLists:
    """Which lists a word stands in; a word that ends in * stands for all that begin so."""

    def __init__(self, lists: Mapping[str, Iterable[str]]) -> None:
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

    def of(self, word: str) -> tuple[str, ...]:
        """The lists of a word; whoever asks often remembers them."""
        found = self._whole.get(word)
        for length in self._lengths.get(word[:2], ()):
            if (stem := word[:length]) in self._stems:
                found = self._stems[stem] if found is None else found | self._stems[stem]
        return tuple(sorted(found)) if found else ()


VOICES: Final = WordLists(
    {
        name: [word for words in languages.values() for word in words]
        for name, languages in wordlists.read("judge/voice").items()
    }
)


def key_of(word: str) -> str:
    """The form by which a word of a profile and a word of a text meet."""
    return word[:_STEM] if word.isascii() else fold(word)[:_STEM]


class Vocabulary:
    """What is known of the words of each piece of a text; a piece is looked up once and remembered."""

    def __init__(self, profile: Profile | None = None) -> None:
        self._words = Remembered(self._look_up, _REMEMBERED)
        self._pieces = Remembered(self._words_in, _REMEMBERED, LONGEST_PIECE)
        self._table: _Table = {}
        self._seconds: set[str] = set()
        for name, phrase in _phrases(profile) if profile is not None else ():
            self._add(name, phrase)

    def _add(self, name: str, phrase: str) -> None:
        if phrase.startswith("*") or "{" in phrase:
            return
        words = [key_of(word) for word in tokens(phrase)]
        if not words or len(words) > 2 or (len(words) == 1 and len(words[0]) < _SHORTEST):
            return
        by_next = self._table.setdefault(words[0], {})
        following = "".join(words[1:])
        by_next[following] = tuple(dict.fromkeys((*by_next.get(following, ()), name)))
        # A phrase is looked for where its first word stands, or the second if the first is a small word.
        if words[0] in SMALL_WORDS and following not in SMALL_WORDS:
            self._seconds.update(words[1:])
        elif following:
            by_next[""] = tuple(dict.fromkeys((*by_next.get("", ()), MORE)))

    def read(self, title: str, description: str) -> Text:
        known = chain.from_iterable(map(self._pieces.__getitem__, pieces_of(title, description)))
        return Text(*zip(*known, strict=True))

    def _words_in(self, piece: str) -> tuple[_Word, ...]:
        words = words_in(piece)
        if words == (piece,):  # nearly all, and remembered as pieces
            return (self._look_up(piece),)
        return tuple(map(self._words.__getitem__, words))

    def _look_up(self, word: str) -> _Word:
        says, by_next = VOICES.of(word), self._by_next(word)
        if by_next is not None:
            says += by_next.get("", ())
        if key_of(word) in self._seconds:
            says += (MORE,)
        return word, says, _latin(word)

    def _by_next(self, word: str) -> Mapping[str, tuple[str, ...]] | None:
        """What the profile knows of a word, by the one after it."""
        key = key_of(word)
        known = self._table.get(key)
        if known is None and _SHORTEST_CUT <= len(key) < _STEM:
            return self._table.get(key[:-1])
        return known

    def together(self, text: Text) -> list[tuple[int, tuple[str, ...]]]:
        """What two words say together, by the place of the first."""
        marked = [at for at, says in enumerate(text.says) if MORE in says]
        return [
            (first, by_next[key])
            for first in sorted({first for at in marked for first in (at - 1, at)})
            if 0 <= first < len(text.words) - 1
            and (by_next := self._by_next(text.words[first])) is not None
            and (key := key_of(text.words[first + 1])) in by_next
        ]


def _latin(word: str) -> str:
    # Nobody is called "and": `και` is not half of `skai`.
    folded = "" if word in SMALL_WORDS else fold(word)
    if folded[:1] > "z":
        for pair, latin in _GREEK_PAIRS:
            folded = folded.replace(pair, latin)
    return to_latin(folded)


_GREEK_PAIRS: Final = (("ου", "ou"), ("αυ", "av"), ("ευ", "ev"), ("μπ", "b"), ("ντ", "d"))


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
    more = wordlists.read("judge/regions")
    tables = (wordlists.read("judge/countries")["names"], more["people"], more["parts"], more["continents"])
    return tuple((code, name) for table in tables for code, names in table.items() for name in names)
