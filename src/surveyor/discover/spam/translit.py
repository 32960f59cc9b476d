"""Cyrillic and Greek words in the Latin letters that host names use for them."""

from __future__ import annotations

_LETTER_BY_LETTER = str.maketrans(
    "абвгдезийклмнопрстуфъьыэјαβγδεζηικλμνξοπρστυφχω",
    "abvgdeziyklmnoprstufayyejavgdeziiklmnxoprstyfxo",
)
_TABLE = _LETTER_BY_LETTER | str.maketrans(
    {
        "ж": "zh",
        "х": "h",
        "ц": "ts",
        "ч": "ch",
        "ш": "sh",
        "щ": "sht",
        "ю": "yu",
        "я": "ya",
        "θ": "th",
        "ψ": "ps",
    }
)


def to_latin(word: str) -> str:
    """The word in Latin letters; Latin words stay as they are."""
    return word if word.isascii() else word.translate(_TABLE)
