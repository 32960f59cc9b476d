"""Keyword stuffing: words that come back more often than natural text of that length lets them.

People repeat a name or a theme, even in every sentence, but they need small words in between. So a
moderate excess accuses only where those are missing, and a large one by itself.
"""

from __future__ import annotations

from collections import Counter

from surveyor import wordlists
from surveyor.discover.spam.features import Features, Finding

NAME = "stuffing"
# Letters that make two words one theme: plumber and plumbing, финансиране and финансира.
_STEM = 5
# Letters of a word; scripts of India are cut into single ones, which say nothing.
_WORD = 3
# Natural in a title and a snippet: once in each.
_NATURAL = 2
# Words; below that a repeated name fills the text.
_FEWEST = 12
# Share of all words that are repetitions beyond the natural.
_CLEAR = 0.30
_DOUBTFUL = 0.17
# Small words in a text of sentences are a third; lists have hardly any.
_SENTENCES = 0.25

# Whom honest pages name in every sentence, in the first letters of a word.
_PEOPLE = frozenset(word[:_STEM] for word in wordlists.words("spam/common", "people"))


def detect(features: Features) -> Finding | None:
    """Accuses a text that says the same words again and again."""
    total = features.size
    if total < _FEWEST:
        return None
    if len(features.content) - len({word[:_STEM] for word in features.content}) < _DOUBTFUL * total:
        return None  # even if every repetition were one too many; most texts end here
    stems = [word[:_STEM] for word in features.content]
    named = "" if features.host.is_cheap else "".join(features.host.words)
    themes = Counter(
        stem for stem in stems if len(stem) >= _WORD and stem not in _PEOPLE and stem not in named
    )
    if not themes:
        return None
    excess = sum(count - _NATURAL for count in themes.values() if count > _NATURAL)
    share = excess / total
    if share < _DOUBTFUL or (share < _CLEAR and features.small_share >= _SENTENCES):
        return None
    (theme, count), *_ = themes.most_common(1)
    weight = 110 if share >= _CLEAR else 80
    if features.host.is_cheap:
        weight += 25
    return Finding(NAME, weight, f"words beginning “{theme}” stand {count} times among {total}")
