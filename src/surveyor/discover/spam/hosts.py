"""What a host name says: its words, taken apart where they are written together.

Nobody leaves blanks in a host name. Hyphens are one hint; for the rest a small vocabulary is laid over
the letters, and the cover with the longest known words wins: `casinowinners` is casino and winners.
Letters that no word covers stay together as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from surveyor.discover.spam.wordlists import EntriesByGroup, Lexicon, atoms, read, read_suffixes
from surveyor.names import shown_domain
from surveyor.words import fold, tokens

CATEGORIES = ("gambling", "essays", "loans", "pharma", "adult", "diplomas", "crypto", "bait", "goods")
# Second level names below which a country registers, and that say something by themselves.
_PUBLIC = frozenset({"gov", "gouv", "government", "govt", "gob", "edu", "ac", "mil", "europa", "int", "bund"})
_SECOND_LEVEL = _PUBLIC | {"co", "com", "org", "net", "ru", "or", "gv"}
_LETTERS = re.compile(r"[^\W\d_]+")
_ASCII_LETTERS = re.compile(r"[a-z]+")
# A shorter word inside other letters is mostly a coincidence: bet in alphabet, car in carpathian.
_SHORTEST_PART = 4
# A word of that length stands out of any letters around it.
_SURE = 6
_LONGEST_LABEL = 63
_HOSTS_REMEMBERED = 1 << 14

_HOST_GROUPS = [*CATEGORIES, "trade", "index"]
_LEXICON = Lexicon(
    [
        *(triple for name in _HOST_GROUPS for triple in read(name, ("host",))),
        *read("trade", ("press",)),
    ]
)


def _groups_of_suffixes() -> dict[str, list[str]]:
    """Top level domains that say what a host is about, and in which groups."""
    found: dict[str, list[str]] = {}
    for group in _HOST_GROUPS:
        for suffix in read_suffixes(group):
            found.setdefault(suffix, []).append(f"{group}.host")
    return found


_SUFFIXES = _groups_of_suffixes()
_CHEAP = frozenset(phrase for _, _, phrase in read("index", ("cheap",)))


def _vocabulary() -> frozenset[str]:
    names = [*_HOST_GROUPS, "common"]
    phrases = [phrase for name in names for _, _, phrase in read(name, ("host",))]
    phrases += [phrase for _, _, phrase in read("trade", ("press",))]
    words = {atom.text for phrase in phrases for atom in atoms(phrase) if atom.text}
    return frozenset(word for word in words if len(word) >= _SHORTEST_PART)


_VOCABULARY = _vocabulary()


def _sizes_by_beginning() -> dict[str, tuple[int, ...]]:
    """How many letters the words have that begin with these four: most places in a name begin none."""
    found: dict[str, set[int]] = {}
    for word in _VOCABULARY:
        found.setdefault(word[:_SHORTEST_PART], set()).add(len(word))
    return {beginning: tuple(sorted(sizes)) for beginning, sizes in found.items()}


_SIZES = _sizes_by_beginning()


class Host(NamedTuple):
    """A host name as a person reads it."""

    name: str
    suffix: str
    words: tuple[str, ...]
    found: EntriesByGroup  # which lists know its words or its top level domain
    is_public: bool  # a government, a university, an international body by its suffix
    is_cheap: bool  # a suffix where spam gathers


@lru_cache(maxsize=_HOSTS_REMEMBERED)
def read_host(name: str) -> Host:
    """What a host name says; any text is taken for one."""
    labels = [label for label in name.lower().rstrip(".").split(".") if label][-6:]
    suffix = labels[-1] if labels else ""
    own = labels[:-1]
    second = own[-1] if len(own) > 1 else ""
    if second in _SECOND_LEVEL:
        own = own[:-1]
    letters = [part for label in own if label != "www" for part in _letters_of(label)]
    words = tuple(chain.from_iterable(map(split_compound, letters)))
    found = _LEXICON.find(words)
    for group in _SUFFIXES.get(suffix, ()):
        found.setdefault(group, []).append(f".{suffix}")
    is_public = suffix in _PUBLIC or second in _PUBLIC
    return Host(name, suffix, words, found, is_public, suffix in _CHEAP or second == "ru")


def category_of_path(path: str) -> str:
    """The category whose hosts are named by a word of a path, or nothing."""
    words = _ASCII_LETTERS.findall(path.lower())
    for group in _LEXICON.find(words):
        category, _, kind = group.partition(".")
        if kind == "host" and category in CATEGORIES:
            return category
    return ""


def _letters_of(label: str) -> list[str]:
    """What stands between the hyphens and figures of a label."""
    if label.isascii() and not label.startswith("xn--"):  # nearly all: nothing to decode or to fold
        return _ASCII_LETTERS.findall(label[:_LONGEST_LABEL])
    shown = shown_domain(label) if label.startswith("xn--") else label
    return [letters for word in tokens(shown[:_LONGEST_LABEL]) for letters in _LETTERS.findall(fold(word))]


def split_compound(letters: str) -> list[str]:
    """The words that are written together in some letters, or the letters themselves."""
    if letters in _VOCABULARY or len(letters) < 2 * _SHORTEST_PART:
        return [letters]
    ends_of = _words_in(letters)
    if not ends_of:
        return [letters]  # what most names come to
    # best[end] is (letters left uncovered, words used, start of the last word or -1) for letters[:end].
    size = len(letters)
    best = [(end, 0, -1) for end in range(size + 1)]
    last = max(map(max, ends_of.values()))
    for start in range(min(ends_of), last):
        bare, used, _ = best[start]
        left = bare + 1, used, -1
        if left < best[start + 1]:
            best[start + 1] = left
        for end in ends_of.get(start, ()):
            best[end] = min(best[end], (bare, used + 1, start))
    words = _walk_back(letters, best)
    # Short words between letters that mean nothing are a coincidence: venta in elgatoenlaventana.
    if (best[last][0] + size - last) * 3 > size:
        return _joined(words)
    return words


def _words_in(letters: str) -> dict[int, list[int]]:
    """Where words of the vocabulary begin, and where they end."""
    size = len(letters)
    begun = [
        start
        for start in range(size - _SHORTEST_PART + 1)
        if letters[start : start + _SHORTEST_PART] in _SIZES
    ]
    ends_of = {}
    for start in begun:  # few names have any
        # A slice ends with the letters, so the size is looked at too.
        ends = [
            start + each
            for each in _SIZES[letters[start : start + _SHORTEST_PART]]
            if start + each <= size and letters[start : start + each] in _VOCABULARY
        ]
        if ends:
            ends_of[start] = ends
    return ends_of


def _joined(words: list[str]) -> list[str]:
    """The words again, with those that are short joined to the letters around them."""
    made: list[str] = []
    is_whole = True
    for word in words:
        whole = word in _VOCABULARY and len(word) >= _SURE
        if whole or is_whole:
            made.append(word)
        else:
            made[-1] += word
        is_whole = whole
    return made


def _walk_back(letters: str, best: list[tuple[int, int, int]]) -> list[str]:
    words: list[str] = []
    bare_end = end = len(letters)
    while end > 0:
        start = best[end][2]
        if start < 0:
            end -= 1
            continue
        if end < bare_end:
            words.append(letters[end:bare_end])
        words.append(letters[start:end])
        bare_end = end = start
    if bare_end:
        words.append(letters[:bare_end])
    return words[::-1]
