"""Which language a text is written in: by its small words and a few letters, or None when they do not tell.

A snippet has some thirty words. Counting the function words of each language in it is as good as a
trained model on texts of that size, costs a few microseconds, and can be explained.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from surveyor import wordlists
from surveyor.words.text import fold, tokens

FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        language: frozenset(tokens(" ".join(words)))
        for language, words in wordlists.read("words/function_words")["function"].items()
    }
)
LANGUAGES: tuple[str, ...] = tuple(FUNCTION_WORDS)

# Words looked at: a guess does not become better after that many.
_ENOUGH = 200
# Points that a guess needs: two words that belong to one language alone, or one and a letter.
_LEAST = 1.5
# How far the second best must stay behind: shared words alone must not decide.
_LEAD = 1.15
# How far ahead of the language that a page claims another must be to overrule it: by a share, and by points,
# since tables and lists of names have hardly any small words.
_OVERRULES, _OVERRULES_BY = 1.6, 4.0
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

# The points of all languages stand side by side in one whole number, each in a lane of its own, so that a
# text is counted by one sum. Bits of a lane; what one point is there; what rounding may add up to.
_LANE = 64
_POINT = 1 << 40
_SLACK = 1 << 10


# Scripts that one language is written in, as the names of their letters begin; Chinese has no kana between.
_ALONE = {"CJK": "zh", "HIRAGANA": "ja", "HANGUL": "ko", "THAI": "th", "GEORGIAN": "ka", "ARMENIAN": "hy"}


class _Votes(NamedTuple):
    """What each word and each letter says for which of some languages."""

    words: Mapping[str, int]
    letters: Mapping[str, int]


def guess_language(
    text: str | Sequence[str], among: Sequence[str] = LANGUAGES, claimed: str | None = None
) -> str | None:
    """The language of a text, or of its tokens, among those asked for; None when unsure.

    A language that is claimed and not among them is believed, for nothing here can tell better; one that is
    among them gives way only to another that is clearly ahead.
    """
    if claimed is not None and claimed not in among:
        return claimed
    words = tokens(text) if isinstance(text, str) else text
    languages = tuple(among)
    if len(words) > _ENOUGH:
        words = words[:_ENOUGH]
    votes = _votes(languages)
    points = sum(filter(None, map(votes.words.get, words)))
    written = "".join(words)
    if not written.isascii():  # none of the telling letters is
        points += sum(map(votes.letters.__getitem__, filter(written.__contains__, votes.letters)))
    return _winner(points, languages, claimed) if points else claimed


def language_of_script(text: str) -> str | None:
    """The language that alone is written with most letters of a text; None where several share them."""
    letters = Counter(unicodedata.name(char, "").split(" ", 1)[0] for char in text if char.isalpha())
    if not letters:
        return None
    kana = letters["HIRAGANA"] + letters["KATAKANA"]
    if kana * 20 >= (east := kana + letters["CJK"]):  # a Japanese sentence is not without
        letters["HIRAGANA"], letters["CJK"] = east, 0
    script, most = letters.most_common(1)[0]
    return _ALONE.get(script) if 2 * most > letters.total() else None


def _winner(points: int, languages: tuple[str, ...], claimed: str | None) -> str | None:
    lanes = memoryview(points.to_bytes(len(languages) * _LANE // 8, "little")).cast("Q").tolist()
    best = max(lanes)
    if best + _SLACK < _LEAST * _POINT:
        return claimed
    index = lanes.index(best)
    if claimed is not None:
        theirs = lanes[languages.index(claimed)]
        is_clear = best > theirs * _OVERRULES and best - theirs >= _OVERRULES_BY * _POINT
        return languages[index] if is_clear else claimed
    lanes[index] = 0
    return languages[index] if best + _SLACK >= max(lanes) * _LEAD else None


@lru_cache(maxsize=32)
def _votes(languages: tuple[str, ...]) -> _Votes:
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
    return _Votes(_shared(spoken.items()), _shared(written.items()))


def _shared(votes: Iterable[tuple[str, dict[int, float]]]) -> dict[str, int]:
    """What many languages have tells little about each: a vote is split among them."""
    return {
        sign: sum(
            round(vote / len(lane_votes) ** 0.5 * _POINT) << index * _LANE
            for index, vote in lane_votes.items()
        )
        for sign, lane_votes in votes
    }
