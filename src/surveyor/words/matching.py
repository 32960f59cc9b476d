"""Finds a profile's words and phrases in a text: whole words in any simple inflection, never parts of words.

All words are compiled once into one table by the first word of each phrase. A text costs one look-up per
word, whatever the number of phrases. A profile may write `förder*` or `*förderung` for the beginning or
the end of a longer word, and `{amount}`, `{percent}`, `{number}` or `{year}` for figures.

`grants` meets `grant`, `стипендиите` meets `стипендия`: both the profile's words and the text's go through
`stem`, so that only equal forms meet. Endings are those of nouns and adjectives (number, case, gender,
article); a verb's forms are written in the profile. A language without a table is compared as it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, count
from operator import itemgetter
from typing import NamedTuple

from surveyor.words.cutting import AMOUNT, ENDS, NUMBER, PERCENT, YEAR
from surveyor.words.remembered import Remembered
from surveyor.words.text import fold, tokens

# Letters that must be left: shorter words do not tell apart what they mean once cut.
_LEAST = 4

# The longest that fits is cut.
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "bg": (
        "овете", "евете", "ищата", "ията", "иите", "ите", "ове", "еве", "ища", "ият", "ата", "ята", "ето",
        "ото", "ете", "ия", "ии", "ът", "ят", "та", "то", "те", "а", "я", "и", "е", "о",
    ),
    "de": ("en", "em", "er", "es", "e", "n", "s"),
    "ro": (
        "iilor", "urilor", "urile", "elor", "ilor", "ului", "iile", "uri", "ele", "ile", "lor", "iei", "ul",
        "ii", "ia", "ie", "ei", "le", "ea", "a", "e", "i", "u",
    ),
    # Final sigmas are folded before.
    "el": (
        "ματων", "ματοσ", "ματα", "εων", "εισ", "ουσ", "ου", "οσ", "ων", "ησ", "εσ", "ασ", "οι", "ον", "ην",
        "α", "η", "ο", "ι", "ε", "υ",
    ),
    "fr": ("es", "s", "x", "e"),
    "es": ("es", "os", "as", "s", "o", "a", "e"),
    "it": ("i", "o", "a", "e"),
}  # fmt: skip

_ENDING_SIZES = {
    language: sorted({*map(len, endings)}, reverse=True) for language, endings in _ENDINGS.items()
}

# Umlauts are typed as two letters where the keyboard has none.
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def _english(word: str) -> str:
    if word.endswith("ies") and len(word) > _LEAST:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) >= _LEAST:
        return word[:-1]
    return word


def plain(word: str, language: str) -> str:
    """The word as people type it without the language's own letters."""
    if word.isascii():
        return word
    return fold(word.translate(_GERMAN)) if language == "de" else fold(word)


def without_ending(word: str, language: str) -> str:
    """A plain word without the ending of number, case or gender."""
    if language == "en":
        return _english(word)
    endings = _ENDINGS.get(language, ())
    if not word.endswith(endings):
        return word
    for size in _ENDING_SIZES[language]:
        ending = word[-size:]
        # A double s belongs to the word: Zuschuss, and not a genitive of Zuschus.
        is_doubled = ending == "s" and word.endswith("ss")
        if len(word) - size >= _LEAST and ending in endings and not is_doubled:
            return word[:-size]
    return word


def stem(token: str, language: str) -> str:
    """A token of a language in its compared form."""
    return without_ending(plain(token, language), language)


# Different words remembered per matcher, with what can begin there: about 20 MB, a language's usual words.
_REMEMBERED = 60_000
# Letters of a word that may come again; longer ones are no words.
_LONGEST_WORD = 50
_FIGURES = {"{amount}": AMOUNT, "{percent}": PERCENT, "{number}": NUMBER, "{year}": YEAR}
# What the ends of clauses are compared as: nothing in a phrase is, so that none goes over one.
_END = "\n"


# A phrase that was found: the words it begins with and ends before, the profile's entry, and as it is written
# there. A plain tuple, because there are many.
Match = tuple[int, int, int, str]


class _Phrase(NamedTuple):
    parts: tuple[str, ...]
    entry: int
    text: str


# A word of a text: its compared form; whether any phrase begins with it; those that are this word alone;
# those that go on, by the next word; and the others. A plain tuple too: every new word gets one.
_Begun = tuple[str, bool, tuple[_Phrase, ...], Mapping[str, tuple[_Phrase, ...]], tuple[_Phrase, ...]]
_begins = itemgetter(1)
_BEGINS_NONE: Mapping[str, tuple[_Phrase, ...]] = {}


def _parts(word: str, language: str) -> list[str]:
    """A word of a phrase as it is compared: hyphens part it, a star stays at its end or beginning."""
    if word in _FIGURES:
        return [_FIGURES[word]]
    found = tokens(word)
    parts = [stem(token, language) for token in found]
    if word.endswith("*"):
        parts[-1] = plain(found[-1], language) + "*"
    elif word.startswith("*"):
        parts[0] = "*" + parts[0]
    return parts


class Matcher:
    """The phrases of one language, by what their first word can be. Entries are the caller's numbers."""

    def __init__(self, language: str, phrases: Iterable[tuple[str, int]]) -> None:
        self._language = language
        self._heads: dict[str, list[_Phrase]] = {}
        self._beginnings: dict[str, list[_Phrase]] = {}
        self._ends: dict[str, list[_Phrase]] = {}
        for text, entry in phrases:
            parts = tuple(part for word in text.split() for part in _parts(word, language))
            first, phrase = parts[0], _Phrase(parts, entry, text)
            if first.endswith("*"):
                self._beginnings.setdefault(first[:-1], []).append(phrase)
            elif first.startswith("*"):
                self._ends.setdefault(first[1:], []).append(phrase)
            else:
                self._heads.setdefault(first, []).append(phrase)
        # How long they are, by their first and by their last letter: most words begin and end like none.
        self._beginning_sizes = _sizes((each[:1], len(each)) for each in self._beginnings)
        self._end_sizes = _sizes((each[-1:], len(each)) for each in self._ends)
        self._begun = Remembered(self._look_up, _REMEMBERED, _LONGEST_WORD)

    def find(self, words: Sequence[str]) -> list[Match]:
        """Every phrase in the words, in their order, the longest first where they begin.

        No phrase goes over the end of a clause.
        """
        looked = [*map(self._begun.__getitem__, words)]
        last = len(looked) - 1
        found: list[Match] = []
        for start in compress(count(), map(_begins, looked)):
            _, _, alone, by_next, others = looked[start]
            if start < last and (longer := by_next.get(looked[start + 1][0], ()) + others):
                for parts, entry, text in longer:
                    if _go_on(parts, looked, start):
                        found.append((start, start + len(parts), entry, text))
            for _, entry, text in alone:
                found.append((start, start + 1, entry, text))
        return found

    def _look_up(self, word: str) -> _Begun:
        """What a word of a text begins."""
        if word in ENDS:
            return _END, False, (), _BEGINS_NONE, ()
        bare = plain(word, self._language)
        form = without_ending(bare, self._language)
        begun = self._phrases(bare, form)
        if not begun:  # nearly every word that is new
            return form, False, (), _BEGINS_NONE, ()
        begun.sort(key=lambda phrase: -len(phrase.parts))
        by_next: dict[str, tuple[_Phrase, ...]] = {}
        others = []
        for phrase in begun:
            if len(phrase.parts) == 1:
                continue
            if "*" in phrase.parts[1]:
                others.append(phrase)
            else:
                by_next[phrase.parts[1]] = (*by_next.get(phrase.parts[1], ()), phrase)
        alone = tuple(phrase for phrase in begun if len(phrase.parts) == 1)
        return form, True, alone, by_next, tuple(others)

    def _phrases(self, bare: str, form: str) -> list[_Phrase]:
        """The phrases whose first word this can be."""
        found = list(self._heads.get(form, ()))
        for size in self._beginning_sizes.get(bare[:1], ()):
            if size <= len(bare):
                found += self._beginnings.get(bare[:size], ())
        for size in self._end_sizes.get(form[-1:], ()):
            if size < len(form):
                found += self._ends.get(form[-size:], ())
        return found


def _sizes(pairs: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for letter, size in sorted({*pairs}):
        found.setdefault(letter, []).append(size)
    return found


def _go_on(parts: tuple[str, ...], looked: Sequence[_Begun], start: int) -> bool:
    """Whether the rest of a phrase follows its first word."""
    if start + len(parts) > len(looked):
        return False
    for index in range(1, len(parts)):  # half the time of `all`
        form = looked[start + index][0]
        if parts[index] != form and not _fits(parts[index], form):
            return False
    return True


def _fits(part: str, form: str) -> bool:
    """Whether a word goes on, or begins, otherwise than a part with a star."""
    if part.endswith("*"):
        return form.startswith(part[:-1])
    return part.startswith("*") and len(form) > len(part) - 1 and form.endswith(part[1:])


def by_language(
    words: Iterable[tuple[int, Mapping[str, Sequence[str]]]], languages: Sequence[str]
) -> dict[str, Matcher]:
    """One matcher per language out of (entry, words by language) pairs."""
    lists = list(words)
    return {
        language: Matcher(language, ((text, entry) for entry, by in lists for text in by.get(language, ())))
        for language in languages
    }
