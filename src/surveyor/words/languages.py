"""Which language a text is written in: by its small words and a few letters, or None when they do not tell.

A snippet has some thirty words. Counting the function words of each language in it is as good as a
trained model on texts of that size, costs a few microseconds, and can be explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from surveyor.words.functions import FUNCTION_WORDS, LANGUAGES
from surveyor.words.text import fold, tokens

# Words looked at: a guess does not become better after that many.
_ENOUGH = 200
# Points that a guess needs: two words that belong to one language alone, or one and a letter.
_LEAST = 1.5
# How far the second best must stay behind: shared words alone must not decide.
_LEAD = 1.15
# A word typed without its diacritics tells less than one with them.
_FOLDED = 0.6
# Points for a letter that only this language, or few beside it, writes. Each counts once.
_LETTER = 0.7
_LETTERS = {
    "bg": "ъщ",
    "ru": "ыэё",
    "mk": "ѓќѕј",
    "sr": "ђћјљњ",
    "de": "äöü",
    "ro": "ăâîșşțţ",
    "fr": "éèêàçùœ",
    "es": "ñáíóú",
    "it": "àèìòù",
    "pl": "łąężśćń",
    "pt": "ãõçáê",
    "tr": "ğışçü",
    "el": "αεοτσ",
}


Votes = dict[str, tuple[tuple[int, float], ...]]


def guess_language(text: str | Sequence[str], among: Sequence[str] = LANGUAGES) -> str | None:
    """The language of a text, or of its tokens, among those asked for; None when unsure."""
    words = tokens(text) if isinstance(text, str) else text
    languages = tuple(among)
    if len(words) > _ENOUGH:
        words = words[:_ENOUGH]
    word_votes, letter_votes = _votes(languages)
    points = [0.0] * len(languages)
    for word in words:
        for index, vote in word_votes.get(word, ()):
            points[index] += vote
    for letter in letter_votes.keys() & set("".join(words)):
        for index, vote in letter_votes[letter]:
            points[index] += vote
    return _winner(points, languages)


def _winner(points: list[float], languages: tuple[str, ...]) -> str | None:
    best = max(points, default=0.0)
    if best < _LEAST:
        return None
    index = points.index(best)
    second = max((other for place, other in enumerate(points) if place != index), default=0.0)
    return languages[index] if best >= second * _LEAD else None


@lru_cache(maxsize=32)
def _votes(languages: tuple[str, ...]) -> tuple[Votes, Votes]:
    """What each word and each letter says for which of these languages, by their index."""
    known = [language for language in languages if language in FUNCTION_WORDS]
    spoken: dict[str, dict[int, float]] = {}
    for language in known:
        index = languages.index(language)
        for word in FUNCTION_WORDS[language]:
            spoken.setdefault(word, {})[index] = 1.0
    for language in known:
        index = languages.index(language)
        for word in FUNCTION_WORDS[language]:
            spoken.setdefault(fold(word), {}).setdefault(index, _FOLDED)
    written: dict[str, dict[int, float]] = {}
    for language in known:
        for letter in _LETTERS.get(language, ""):
            written.setdefault(letter, {})[languages.index(language)] = _LETTER
    return _shared(spoken.items()), _shared(written.items())


def _shared(votes: Iterable[tuple[str, dict[int, float]]]) -> Votes:
    """What many languages have tells little about each: a vote is split among them."""
    return {
        sign: tuple((index, vote / len(told) ** 0.5) for index, vote in sorted(told.items()))
        for sign, told in votes
    }
