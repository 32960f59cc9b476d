"""The word lists of spam detection, compiled once: which entries of which group stand in a text, and where.

An entry is a word or a phrase, in natural spelling. `stem*` stands for every word that begins so, `#`
for a number, `..` for up to three words of any kind. Both sides are folded, so that a text typed without
diacritics meets a list written with them. A word that many lists know costs one lookup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import compress
from operator import itemgetter
from typing import NamedTuple

from surveyor import wordlists
from surveyor.words import LANGUAGES, fold, tokens
from surveyor.words.remembered import Remembered

# Words that `..` may skip.
_MOST_SKIPPED = 3
# Shorter stems would meet too many words.
_SHORTEST_STEM = 3
# Words whose candidates are remembered, per language: its usual ones, about 4 MB.
_REMEMBERED = 1 << 14
_ANY = (1 << (len(LANGUAGES) + 1)) - 1
_BITS = {language: 1 << place for place, language in enumerate(LANGUAGES)} | {"any": _ANY}
# The key among the languages of a host group that names top level domains.
_SUFFIXES = "tld"


_DIGITS = tuple("0123456789")

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


# The phrases that go on with a certain word: the entry by group where all of them end with it, which most do;
# otherwise all of them, with what comes after it, to be looked at.
Following = tuple[Mapping[str, str], tuple[Entry, ...]]
# What may begin with a word, in a language. A plain tuple, because every new word gets one:
Start = tuple[
    str,  # the word, folded
    bool,  # whether anything may begin: many words are done with here
    tuple[tuple[str, str], ...],  # group and entry of those that are this word alone, one per group
    Mapping[str, Following],  # phrases by the word that must follow
    tuple[Entry, ...],  # phrases that go on with a stem, a number or a gap
    tuple[str, ...],  # how the next word must begin for any of these
]
_folded, _begins = itemgetter(0), itemgetter(1)


EntriesByGroup = dict[str, list[str]]
_NONE: Mapping[str, Following] = {}
_NO_WORD: Start = "", False, (), _NONE, (), ()  # after the last one


class Lexicon:
    """Entries by their first word."""

    def __init__(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Compiles (group, language, phrase) triples."""
        self._exact: dict[str, list[Entry]] = {}
        self._stems: dict[str, list[Entry]] = {}
        self._numbers: list[Entry] = []
        for group, language, phrase in entries:
            self._add(group, _BITS[language], phrase)
        # Sizes of the stems by how they begin: most words begin like few stems or none.
        self._sizes: dict[str, list[int]] = {}
        for stem in sorted(self._stems, key=len):
            sizes = self._sizes.setdefault(stem[:_SHORTEST_STEM], [])
            if len(stem) not in sizes:
                sizes.append(len(stem))
        self._starts: dict[int, Remembered[Start]] = {}

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
        for size in self._sizes.get(folded[:_SHORTEST_STEM], ()):
            if size <= len(folded):
                entries += self._stems.get(folded[:size], ())
        if folded.startswith(_DIGITS):
            entries += self._numbers
        return entries

    def _start_of(self, languages: int, word: str) -> Start:
        """What may begin with a word, sorted by how it goes on."""
        folded = word if word.isascii() else fold(word)
        if (
            folded not in self._exact
            and folded[:_SHORTEST_STEM] not in self._sizes
            and not folded.startswith(_DIGITS)
        ):  # nearly every word that is new
            return folded, False, (), _NONE, (), ()
        entries = [entry for entry in self._entries(folded) if entry.languages & languages]
        if not entries:
            return folded, False, (), _NONE, (), ()
        words: dict[str, str] = {}
        next_exact: dict[str, list[Entry]] = {}
        others = []
        for entry in entries:
            if not entry.rest:
                words.setdefault(entry.group, entry.written)
            elif entry.rest[0].kind == _EXACT:
                next_exact.setdefault(entry.rest[0].text, []).append(entry)
            else:
                others.append(entry)
        following = {text: _following(entries) for text, entries in next_exact.items()}
        beginnings = {each for entry in others for each in _beginnings(entry.rest[0])}
        return folded, True, tuple(words.items()), following, tuple(others), tuple(beginnings)

    def find(self, words: Sequence[str], language: str | None = None) -> EntriesByGroup:
        """Per group the distinct entries that stand in the words, at most one for each place.

        Those of the language and of every language count; all where it is unknown.
        """
        languages = _ANY if language is None else _BITS[language]
        known = self._starts.get(languages)
        if known is None:
            known = Remembered(partial(self._start_of, languages), _REMEMBERED)
            self._starts[languages] = known
        starts = [*map(known.__getitem__, words)]
        if not any(map(_begins, starts)):  # nearly every host
            return {}
        starts.append(_NO_WORD)
        vocabulary: set[str] = set()  # made when the first entry asks for it
        found: EntriesByGroup = {}
        for place, start in compress(enumerate(starts, 1), map(_begins, starts)):
            _, _, alone, next_exact, others, beginnings = start
            following = starts[place][0]
            begun: Mapping[str, str] | None = None
            if following in next_exact:
                begun, longer = next_exact[following]
                if longer:
                    begun = _begun(longer, starts, place + 1, {})
            # Most of these are ruled out by one look at how the next word begins.
            if others and following.startswith(beginnings):
                vocabulary = vocabulary or {*map(_folded, starts)}
                likely = [entry for entry in others if not entry.needs or entry.needs in vocabulary]
                if likely:
                    begun = _begun(likely, starts, place, dict(begun or ()))
            # A phrase counts instead of its first word, not beside it.
            for group, written in {**dict(alone), **begun}.items() if begun else alone:
                if group not in found:
                    found[group] = [written]
                elif written not in found[group]:
                    found[group].append(written)
        return found


def _following(entries: Sequence[Entry]) -> Following:
    if any(len(entry.rest) > 1 for entry in entries):
        return {}, tuple(entry._replace(rest=entry.rest[1:]) for entry in entries)
    return {entry.group: entry.written for entry in reversed(entries)}, ()


def _beginnings(atom: Atom) -> tuple[str, ...]:
    """How a word may begin that this atom meets."""
    if atom.kind == _NUMBER:
        return _DIGITS
    return (atom.text,) if atom.kind == _STEM else ("",)


def _begun(
    entries: Iterable[Entry], starts: list[Start], place: int, begun: dict[str, str]
) -> dict[str, str]:
    """By their group the entries whose rest stands at that place, beside those that were known to."""
    for rest, _, group, _, written in entries:
        if group not in begun and _follows(rest, starts, place):
            begun[group] = written
    return begun


def _follows(rest: tuple[Atom, ...], starts: list[Start], place: int) -> bool:
    """Whether the rest of a phrase stands at that place; nothing meets the empty word at the end."""
    for index, (kind, text) in enumerate(rest):
        word = starts[place][0]
        if kind == _EXACT:
            if word != text:
                return False
        elif kind == _STEM:
            if not word.startswith(text):
                return False
        elif kind == _GAP:
            after, last = rest[index + 1 :], min(place + _MOST_SKIPPED, len(starts) - 1)
            return any(_follows(after, starts, start) for start in range(place, last + 1))
        elif not word.startswith(_DIGITS):
            return False
        place += 1
    return True


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
    sections = wordlists.read(f"spam/{name}")
    for group in groups:
        for language, phrases in sections.get(group, {}).items():
            if language != _SUFFIXES:
                yield from ((f"{name}.{group}", language, phrase) for phrase in phrases)


def read_suffixes(name: str) -> frozenset[str]:
    """The top level domains that say by themselves what a host is about."""
    return frozenset(wordlists.read(f"spam/{name}")["host"].get(_SUFFIXES, ()))
