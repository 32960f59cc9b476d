"""Finds a profile's words and phrases in a text: whole words in any simple inflection, never parts of words.

All words are compiled once into one table by the first word of each phrase. A text costs one look-up per
word, whatever the number of phrases. A profile may write `förder*` or `*förderung` for the beginning or
the end of a longer word, and `{amount}`, `{percent}`, `{number}` or `{year}` for figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from surveyor.judge.inflection import plain, stem
from surveyor.words import tokens

# Different words remembered per matcher, with what can begin there: about 20 MB, a language's usual words.
_REMEMBERED = 60_000
# What stands in for figures while a text is cut into words: letters that no language strings together.
_AMOUNT, _PERCENT, _NUMBER, _YEAR = "qzamount", "qzpercent", "qznumber", "qzyear"
_FIGURES = {"{amount}": _AMOUNT, "{percent}": _PERCENT, "{number}": _NUMBER, "{year}": _YEAR}

_SCALE = r"(?:k|m|mln|mio|mil|million(?:s|en)?|milioane|млн|хил|хиляди|милиона|εκατ|εκ|χιλ)(?![^\W\d_])\.?\s?"
_CURRENCY = (
    r"(?:[€$£¥]|(?:eur|euros?|evro|usd|gbp|chf|bgn|ron|lei|leu|rsd|mkd|bam|km|mdl|nok|yen|lek|dinars?|dollars?"
    r"|francs?|franken|lev|leva|soles|pesos|dólares|лв|лева|лев|евро|франка|долара|крони|ευρώ|ευρω|δολάρια)"
    r"(?![^\W\d_]))"
)
_FIGURE = re.compile(r"\d(?:[\d.,'\u00a0\u202f ]*\d)?")
_CURRENCY_BEFORE = re.compile(rf"(?:^|[^\w]){_CURRENCY}\s?$", re.IGNORECASE)
_CURRENCY_AFTER = re.compile(rf"\s?(?:{_SCALE})?(?:de\s|d')?{_CURRENCY}", re.IGNORECASE)
_SCALE_AFTER = re.compile(rf"\s?{_SCALE}", re.IGNORECASE)
_PERCENT_AFTER = re.compile(r"\s?%")
# Characters before and after a figure in which its currency can stand.
_BEFORE, _AFTER = 9, 24
# What parts thousands; a figure is put together before it is cut into words.
_GROUPING = str.maketrans("", "", ".,'\u00a0\u202f ")
_YEAR_DIGITS = 4


class Match(NamedTuple):
    """A phrase that was found: where, in words of the text, and for which of the profile's entries."""

    start: int
    end: int
    entry: int
    phrase: str


class _Phrase(NamedTuple):
    parts: tuple[str, ...]
    entry: int
    text: str


class _Begun(NamedTuple):
    """A word of a text: its compared form, and the phrases that may begin with it."""

    form: str
    begins: bool
    alone: tuple[_Phrase, ...]
    by_next: Mapping[str, tuple[_Phrase, ...]] | None
    others: tuple[_Phrase, ...]


def with_figures_marked(text: str) -> str:
    """The text with a word in place of every sum of money and every share; for a text before it is cut."""
    pieces: list[str] = []
    done = 0
    for figure in _FIGURE.finditer(text):
        start, end = figure.span()
        if start < done:
            continue
        mark, start, end = _marked(text, start, end)
        pieces += (text[done:start], mark)
        done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _marked(text: str, start: int, end: int) -> tuple[str, int, int]:
    """What stands for the figure between `start` and `end`, and what of the text it replaces."""
    after = text[end : end + _AFTER]
    if share := _PERCENT_AFTER.match(after):
        return f" {_PERCENT} ", start, end + share.end()
    if currency := _CURRENCY_AFTER.match(after):
        return f" {_AMOUNT} ", start, end + currency.end()
    if currency := _CURRENCY_BEFORE.search(text[max(0, start - _BEFORE) : start]):
        scale = _SCALE_AFTER.match(after)
        return f" {_AMOUNT} ", start - len(currency[0].lstrip()), end + (scale.end() if scale else 0)
    digits = text[start:end]
    if digits.isdigit():
        return digits, start, end
    return (digits.translate(_GROUPING) if _is_grouped(digits) else digits), start, end


def _is_grouped(digits: str) -> bool:
    """Whether marks part thousands here, and not two figures."""
    groups = re.split(r"[^\d]", digits)
    return len(groups) > 1 and all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3


def words_of(marked: str) -> list[str]:
    """The words of a marked text, every other figure replaced by the kind of figure it is."""
    return [_figure(word) if word[0].isdigit() else word for word in tokens(marked)]


def _figure(word: str) -> str:
    if not word.isdigit():
        return word
    return _YEAR if len(word) == _YEAR_DIGITS and word[:2] in {"19", "20"} else _NUMBER


class Matcher:
    """The phrases of one language, compiled. Entries are the caller's numbers."""

    def __init__(self, language: str, phrases: Iterable[tuple[str, int]]) -> None:
        self._stem = stem(language)
        self._language = language
        self._heads: dict[str, list[_Phrase]] = {}
        self._beginnings: dict[str, list[_Phrase]] = {}
        self._ends: dict[str, list[_Phrase]] = {}
        for text, entry in phrases:
            self._add(text, entry)
        self._beginning_sizes = sorted({len(beginning) for beginning in self._beginnings})
        self._end_sizes = sorted({len(end) for end in self._ends})
        self._known: dict[str, _Begun] = {}

    def _add(self, text: str, entry: int) -> None:
        parts = tuple(part for word in text.split() for part in self._parts(word))
        phrase = _Phrase(parts, entry, text)
        first = parts[0]
        if first.endswith("*"):
            self._beginnings.setdefault(first[:-1], []).append(phrase)
        elif first.startswith("*"):
            self._ends.setdefault(first[1:], []).append(phrase)
        else:
            self._heads.setdefault(first, []).append(phrase)

    def _parts(self, word: str) -> list[str]:
        if word in _FIGURES:
            return [_FIGURES[word]]
        found = tokens(word)
        if word.endswith("*"):
            return [*map(self._stem, found[:-1]), plain(found[-1], self._language) + "*"]
        if word.startswith("*"):
            return ["*" + self._stem(found[0]), *map(self._stem, found[1:])]
        return [self._stem(token) for token in found]

    def find(self, words: Sequence[str]) -> list[Match]:
        """Every phrase in the words of one sentence, in their order, the longest first where they begin."""
        known = self._known
        looked = [known.get(word) or self._look(word) for word in words]
        found: list[Match] = []
        for start, begun in enumerate(looked):
            if begun.begins:
                found += _found_at(start, begun, looked)
        return found

    def _look(self, word: str) -> _Begun:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        form = self._stem(word)
        begun = sorted(self._begun(word, form), key=lambda phrase: -len(phrase.parts))
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
        looked = self._known[word] = _Begun(form, bool(begun), alone, by_next or None, tuple(others))
        return looked

    def _begun(self, word: str, form: str) -> list[_Phrase]:
        """The phrases whose first word this can be."""
        bare = plain(word, self._language)
        begun = list(self._heads.get(form, ()))
        for size in self._beginning_sizes:
            if size <= len(bare):
                begun += self._beginnings.get(bare[:size], ())
        for size in self._end_sizes:
            if size < len(form):
                begun += self._ends.get(form[-size:], ())
        return begun


def _found_at(start: int, begun: _Begun, looked: Sequence[_Begun]) -> list[Match]:
    _, _, alone, by_next, others = begun
    found = []
    if by_next is not None and start + 1 < len(looked):
        following = by_next.get(looked[start + 1].form)
        if following is not None:
            found = [_match(each, start) for each in following if _follows(each.parts, looked, start, 2)]
    if others:
        found += [_match(each, start) for each in others if _follows(each.parts, looked, start, 1)]
    if alone:
        found += [_match(each, start) for each in alone]
    return found


def _match(phrase: _Phrase, start: int) -> Match:
    return Match(start, start + len(phrase.parts), phrase.entry, phrase.text)


def _follows(parts: tuple[str, ...], looked: Sequence[_Begun], start: int, known: int) -> bool:
    """Whether the phrase stands at `start`; its first `known` words are known to."""
    if start + len(parts) > len(looked):
        return False
    return all(_fits(parts[index], looked[start + index].form) for index in range(known, len(parts)))


def _fits(part: str, form: str) -> bool:
    if part == form:
        return True
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
