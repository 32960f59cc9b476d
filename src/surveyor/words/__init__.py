"""Words of a text in one normal form, the small words of many languages, and a guess which one is written.

What meets a word list goes through `tokens` on both sides, so that capitals, Greek accents and odd
spaces never hide a word. Everything here is pure, bounded by the length of the text, and raises on no text.

    tokens            the words of a text, in order
    fold              a word without its diacritics, for texts typed without them
    well_formed       a text that any encoding can hold
    FUNCTION_WORDS    the words a sentence of a language can hardly do without
    LANGUAGES         the languages known here, as ISO 639-1 codes
    guess_language    which of some languages a text is written in, or None
    language_of_script  the same where its letters alone tell

`matching` finds the phrases of a profile in the words of a text, in any simple inflection.
"""

from __future__ import annotations

from surveyor.words.languages import FUNCTION_WORDS, LANGUAGES, guess_language, language_of_script
from surveyor.words.text import fold, tokens, well_formed

__all__ = [
    "FUNCTION_WORDS",
    "LANGUAGES",
    "fold",
    "guess_language",
    "language_of_script",
    "tokens",
    "well_formed",
]
