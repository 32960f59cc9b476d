"""One form for the simple inflections of a word: `grants` meets `grant`, `стипендиите` meets `стипендия`.

Both the profile's words and the text's go through `stem`, so that only equal forms meet. Endings are
those of nouns and adjectives (number, case, gender, article); a verb's forms are written in the profile.
A language without a table here is compared as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from surveyor.words.text import fold

# Letters that must be left: shorter words do not tell apart what they mean once cut.
_LEAST = 4

# The longest that fits is cut.
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "bg": (
        "овете", "евете", "ищата", "ията", "иите", "ите", "ове", "еве", "ища", "ият", "ата", "ята", "ето",
        "ото", "ете", "ия", "ии", "ът", "ят", "та", "то", "те", "а", "я", "и", "е", "о",
    ),
    "de": ("en", "em", "er", "es", "e", "n", "s"),
    "ro": (
        "iilor", "urilor", "urile", "elor", "ilor", "ului", "iile", "uri", "ele", "ile", "lor", "iei", "ul",
        "ii", "ia", "ie", "ei", "le", "ea", "a", "e", "i", "u",
    ),
    # Final sigmas are folded before.
    "el": (
        "ματων", "ματοσ", "ματα", "εων", "εισ", "ουσ", "ου", "οσ", "ων", "ησ", "εσ", "ασ", "οι", "ον", "ην",
        "α", "η", "ο", "ι", "ε", "υ",
    ),
    "fr": ("es", "s", "x", "e"),
    "es": ("es", "os", "as", "s", "o", "a", "e"),
    "it": ("i", "o", "a", "e"),
}  # fmt: skip

# Umlauts are typed as two letters where the keyboard has none.
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def _english(word: str) -> str:
    if word.endswith("ies") and len(word) > _LEAST:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) >= _LEAST:
        return word[:-1]
    return word


def _cut(word: str, endings: tuple[str, ...], sizes: tuple[int, ...]) -> str:
    if not word.endswith(endings):
        return word
    for size in sizes:
        ending = word[-size:]
        if len(word) - size >= _LEAST and ending in endings and not _doubled(word, ending):
            return word[:-size]
    return word


def _doubled(word: str, ending: str) -> bool:
    """A double s belongs to the word: Zuschuss, and not a genitive of Zuschus."""
    return ending == "s" and word.endswith("ss")


def plain(word: str, language: str) -> str:
    """The word as people type it without the language's own letters."""
    if word.isascii():
        return word
    return fold(word.translate(_GERMAN)) if language == "de" else fold(word)


def cutter(language: str) -> Callable[[str], str]:
    """The function that takes the ending off a plain word of a language."""
    if language == "en":
        return _english
    endings = _ENDINGS.get(language, ())
    sizes = tuple(sorted({*map(len, endings)}, reverse=True))
    return lambda word: _cut(word, endings, sizes)


def stem(language: str) -> Callable[[str], str]:
    """The function that brings a token of a language into its compared form."""
    cut = cutter(language)
    return lambda token: cut(plain(token, language))
