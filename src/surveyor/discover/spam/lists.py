"""The word lists of spam detection, compiled once: which entries of which group stand in a text, and where.

An entry is a word or a phrase, in natural spelling. `stem*` stands for every word that begins so, `#`
for a number, `..` for up to three words of any kind. Both sides are folded, so that a text typed without
diacritics meets a list written with them. A word that many lists know costs one lookup.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from surveyor.words import LANGUAGES, fold, tokens

FOLDER = Path(__file__).with_name("lists")
# Words that `..` may skip.
_MOST_SKIPPED = 3
# Shorter stems would meet too many words.
_SHORTEST_STEM = 3
# Tokens whose candidates are remembered: the vocabulary of a session's results, a few megabytes.
_REMEMBERED = 1 << 16
ANY = (1 << (len(LANGUAGES) + 1)) - 1
_BITS = {language: 1 << place for place, language in enumerate(LANGUAGES)} | {"any": ANY}
# The key among the languages of a host group that names top level domains.
_SUFFIXES = "tld"


# How an atom of a phrase meets a word: the word itself, any that begins so, any number, or some between.
_EXACT, _STEM, _NUMBER, _GAP = range(4)


class Atom(NamedTuple):
    """One place in a phrase."""

    kind: int
    text: str


class Entry(NamedTuple):
    """A phrase of a list: what follows its first word, and where it belongs."""

    rest: tuple[Atom, ...]
    needs: str  # a word of the rest, which most texts lack, or nothing
    group: str
    languages: int
    written: str


class Start(NamedTuple):
    """What may begin with a word, in a language."""

    folded: str
    words: tuple[tuple[str, str], ...]  # group and entry of those that are this word alone, one per group
    next_exact: Mapping[str, tuple[Entry, ...]]  # phrases by the word that must follow
    others: tuple[Entry, ...]  # phrases that go on with a stem, a number or a gap


Found = dict[str, list[str]]


def languages_bits(language: str | None) -> int:
    """Whose entries count: all when the language is unknown, else its own and those of every language."""
    return ANY if language is None else _BITS[language]


class Lexicon:
    """Entries by their first word."""

    def __init__(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Compiles (group, language, phrase) triples."""
        self._exact: dict[str, list[Entry]] = {}
        self._stems: dict[str, list[Entry]] = {}
        self._numbers: list[Entry] = []
        for group, language, phrase in entries:
            self._add(group, _BITS[language], phrase)
        self._longest = max(map(len, self._stems), default=0)
        self._start = lru_cache(maxsize=_REMEMBERED)(self._start_of)

    def _add(self, group: str, languages: int, phrase: str) -> None:
        first, *rest = atoms(phrase)
        needs = next((atom.text for atom in rest if atom.kind == _EXACT), "")
        entry = Entry(tuple(rest), needs, group, languages, phrase)
        if first.kind == _EXACT:
            self._exact.setdefault(first.text, []).append(entry)
        elif first.kind == _STEM:
            self._stems.setdefault(first.text, []).append(entry)
        else:
            self._numbers.append(entry)

    def _entries(self, folded: str) -> list[Entry]:
        entries = list(self._exact.get(folded, ()))
        for end in range(_SHORTEST_STEM, min(len(folded), self._longest) + 1):
            entries += self._stems.get(folded[:end], ())
        if folded[:1].isdigit():
            entries += self._numbers
        return entries

    def _start_of(self, word: str, languages: int) -> Start:
        """What may begin with a word, sorted by how it goes on."""
        folded = fold(word)
        words: dict[str, str] = {}
        next_exact: dict[str, list[Entry]] = {}
        others = []
        for entry in self._entries(folded):
            if not entry.languages & languages:
                continue
            if not entry.rest:
                words.setdefault(entry.group, entry.written)
            elif entry.rest[0].kind == _EXACT:
                next_exact.setdefault(entry.rest[0].text, []).append(entry)
            else:
                others.append(entry)
        following = {text: tuple(entries) for text, entries in next_exact.items()}
        return Start(folded, tuple(words.items()), following, tuple(others))

    def find(self, words: Sequence[str], languages: int = ANY) -> Found:
        """Per group the distinct entries that stand in the words, at most one for each place."""
        start = self._start
        starts = [start(word, languages) for word in words]
        vocabulary = {each.folded for each in starts}
        found: Found = {}
        for place, (_, alone, next_exact, others) in enumerate(starts, 1):
            if not (alone or next_exact or others):
                continue
            begun: dict[str, str] = {}
            if next_exact and place < len(starts) and starts[place].folded in next_exact:
                _follow(begun, next_exact[starts[place].folded], starts, place)
            if others:
                likely = [entry for entry in others if not entry.needs or entry.needs in vocabulary]
                _follow(begun, likely, starts, place)
            # A phrase counts instead of its first word, not beside it.
            for group, written in alone if not begun else {**dict(alone), **begun}.items():
                if group not in found:
                    found[group] = [written]
                elif written not in found[group]:
                    found[group].append(written)
        return found


def _follow(begun: dict[str, str], entries: Iterable[Entry], starts: list[Start], place: int) -> None:
    """Adds the entries whose rest stands at that place, by their group."""
    word = starts[place].folded if place < len(starts) else ""
    for entry in entries:
        kind, text = entry.rest[0]
        # The common end, before anything is called.
        if kind == _STEM and not word.startswith(text):
            continue
        if entry.group not in begun and _follows(entry.rest, starts, place):
            begun[entry.group] = entry.written


def _follows(rest: tuple[Atom, ...], starts: list[Start], place: int) -> bool:
    """Whether the rest of a phrase stands at that place."""
    for index, (kind, text) in enumerate(rest):
        if kind == _GAP:
            return any(_follows(rest[index + 1 :], starts, place + skip) for skip in range(_MOST_SKIPPED + 1))
        if place >= len(starts) or not _meets(kind, text, starts[place].folded):
            return False
        place += 1
    return True


def _meets(kind: int, text: str, word: str) -> bool:
    if kind == _EXACT:
        return word == text
    if kind == _STEM:
        return word.startswith(text)
    return word[:1].isdigit()


def atoms(phrase: str) -> list[Atom]:
    """The places of a phrase as it is written in a list."""
    made: list[Atom] = []
    for piece in phrase.split():
        if piece == "..":
            made.append(Atom(_GAP, ""))
        elif piece.strip("$€") in {"#", "%"}:
            made.append(Atom(_NUMBER, ""))
        else:
            made += [Atom(_EXACT, fold(word)) for word in tokens(piece)]
            if piece.endswith("*"):
                made[-1] = Atom(_STEM, made[-1].text)
    return made


def read(name: str, groups: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """The (group, language, phrase) triples of some groups of one file; the group is `file.group`."""
    sections = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    for group in groups:
        for language, text in sections.get(group, {}).items():
            if language == _SUFFIXES:
                continue
            for phrase in text.replace("\n", " ").split("," if "," in text else None):
                if phrase.strip():
                    yield f"{name}.{group}", language, phrase.strip()


def words_of(phrase: str) -> list[str]:
    """The words and stems that stand in a phrase."""
    return [atom.text for atom in atoms(phrase) if atom.text]


def read_suffixes(name: str) -> frozenset[str]:
    """The top level domains that say by themselves what a host is about."""
    sections = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    return frozenset(sections["host"].get(_SUFFIXES, "").split())
