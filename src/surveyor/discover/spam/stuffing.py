"""Keyword stuffing: words that come back more often than natural text of that length lets them.

People repeat a name or a theme, even in every sentence, but they need small words in between. So a
moderate excess accuses only where those are missing, and a large one by itself.
"""

from __future__ import annotations

from collections import Counter

from surveyor.discover.spam.sighting import Accusation, Sighting

NAME = "stuffing"
# Letters that make two words one theme: plumber and plumbing, финансиране and финансира.
_STEM = 5
# Natural in a title and a snippet: once in each.
_NATURAL = 2
# Words; below that a repeated name fills the text.
_FEWEST = 12
# Share of all words that are repetitions beyond the natural.
_CLEAR = 0.30
_DOUBTFUL = 0.17
# Small words in a text of sentences are a third; lists have hardly any.
_SENTENCES = 0.25


def detect(sighting: Sighting) -> Accusation | None:
    """Accuses a text that says the same words again and again."""
    total = sighting.size
    if total < _FEWEST:
        return None
    stems = [word[:_STEM] for word in sighting.content]
    if len(stems) - len(set(stems)) < _DOUBTFUL * total:
        return None  # even if every repetition were one too many; most texts end here
    themes = Counter(stems)
    excess = sum(count - _NATURAL for count in themes.values() if count > _NATURAL)
    share = excess / total
    if share < _DOUBTFUL or (share < _CLEAR and sighting.small_share >= _SENTENCES):
        return None
    (theme, count), *_ = themes.most_common(1)
    weight = 110 if share >= _CLEAR else 80
    if sighting.host.is_cheap:
        weight += 25
    return Accusation(NAME, weight, f"words beginning “{theme}” stand {count} times among {total}")
