"""What a sentence denies: "no grants available", "стипендии не се отпускат", "Zuschüsse? Leider nein."

A denied phrase is one shortly after a word that denies, or shortly before one of those that deny a verb,
within one clause: "we do not lend but give grants" denies no grants. A question answered with no denies what
it asked for. "Not only" denies nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import dropwhile, islice, takewhile

from surveyor import wordlists
from surveyor.words import fold
from surveyor.words.cutting import ASK, ENDS, SEMICOLON

# How far, in words, a denial reaches: over an article, a verb and an adjective, not into the next clause.
_REACH_AFTER = 4
_REACH_BEFORE = 3
# How soon, in words, an answer says no: "Leider nein", "Όχι".
_ANSWER = 2


def _forms(words: Iterable[str]) -> frozenset[str]:
    """Each word as it is written and as it is typed without diacritics."""
    return frozenset(form for word in words for form in (word, fold(word)))


_FILE = "judge/negation"
_BEFORE = {language: _forms(words) for language, words in wordlists.read(_FILE)["before"].items()}
_AFTER = {language: _forms(words) for language, words in wordlists.read(_FILE)["after"].items()}
_WITHOUT, _NO, _ONLY, _BUT = (
    _forms(wordlists.words(_FILE, name)) for name in ("without", "no", "only", "but")
)
_NONE: frozenset[str] = frozenset()


# A question may be answered with no.
_ASKING = frozenset((ASK, SEMICOLON))
_ANY = {language: _BEFORE[language] | _AFTER[language] | _WITHOUT | _ASKING for language in _BEFORE}


def denies(words: Sequence[str], language: str) -> bool:
    """Whether a text has a word that may deny something at all; few have."""
    return not _ANY.get(language, _ASKING).isdisjoint(words)


class Denials:
    """The denying words of a text in the languages that it may be written in."""

    def __init__(self, words: Sequence[str], languages: Sequence[str]) -> None:
        known = [language for language in languages if language in _BEFORE]
        before = _NONE.union(*(_BEFORE[language] for language in known))
        after = _NONE.union(*(_AFTER[language] for language in known))
        self._words, self._is_greek = words, tuple(languages) == ("el",)
        self._before: list[int] = []
        self._after: list[int] = []
        self._without: list[int] = []
        self._turns: list[int] = []
        """Where a clause ends, or another sense begins."""
        for index, word in enumerate(words):
            if word in ENDS or word in _BUT:
                self._turns.append(index)
            elif known and word in _WITHOUT:
                self._without.append(index)
            elif (word in before or word in after) and not _turned(words, index):
                self._before += [index] * (word in before)
                self._after += [index] * (word in after)

    def cover(self, start: int, end: int) -> bool:
        """Whether the words from `start` to before `end`, which stand in one clause, are denied."""
        return (
            any(0 < start - index <= _REACH_AFTER and self._joins(index, start) for index in self._before)
            or any(index + 1 == start for index in self._without)
            or any(0 <= index - end < _REACH_BEFORE and self._joins(end - 1, index) for index in self._after)
            or self._is_answered_no(start)
        )

    def _joins(self, first: int, last: int) -> bool:
        """Whether two words stand in one clause."""
        return not any(first < turn < last for turn in self._turns)

    def _is_answered_no(self, at: int) -> bool:
        """Whether the clause of a word asks, and the next one that has words begins with no."""
        behind = [*dropwhile(lambda word: word not in ENDS, self._words[at:])]
        if not behind or not (behind[0] == ASK or (behind[0] == SEMICOLON and self._is_greek)):
            return False
        answer = takewhile(lambda word: word not in ENDS, dropwhile(ENDS.__contains__, behind))
        return not _NO.isdisjoint(islice(answer, _ANSWER))


def _turned(words: Sequence[str], index: int) -> bool:
    return index + 1 < len(words) and words[index + 1] in _ONLY
