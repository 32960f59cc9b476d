"""Text to words: two spellings of one word become one token, and no text is refused."""

from __future__ import annotations

import re
import unicodedata

_ASCII_WORD = re.compile(r"[a-z0-9]+")
# Underscores are made spaces before: leaving them out in the pattern takes twice the time.
_WORD = re.compile(r"\w+")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Greek is written without accents in capitals and by many people, so tokens carry none.
_GREEK = (*range(0x0370, 0x0400), *range(0x1F00, 0x2000))
# A stress mark on a letter that has no accented form of its own; decomposed forms are joined before.
_MARKS = range(0x0300, 0x0370)
# Hyphenation hints and invisible joiners stand inside words and are not part of them.
_INVISIBLE = (0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)
# Latin, Greek and Cyrillic letters with diacritics.
_ACCENTED = (*range(0x00C0, 0x0250), *range(0x0370, 0x0530), *range(0x1E00, 0x2000))
# Letters that Unicode does not take apart, though people type them as plain ones.
_UNDIVIDED = {
    "ł": "l",
    "đ": "d",
    "ø": "o",
    "ı": "i",
    "æ": "ae",
    "œ": "oe",
    "ß": "ss",
    "ð": "d",
    "þ": "th",
    "ς": "σ",
}
# A letter of its own in the alphabets that have it: й is not an и with an ornament.
_WHOLE = frozenset("йЙ")


def _plain(char: str) -> str:
    """The letter without what stands above, below or through it."""
    if char in _WHOLE:
        return char
    divided = unicodedata.normalize("NFD", char)
    return "".join(_UNDIVIDED.get(part, part) for part in divided if not unicodedata.combining(part))


def _changed(codes: tuple[int, ...]) -> dict[int, str | None]:
    """The plain form of each of the letters that has one."""
    return {code: _plain(chr(code)) for code in codes if _plain(chr(code)) != chr(code)}


_TO_TOKEN: dict[int, str | None] = _changed(_GREEK) | dict.fromkeys((*_MARKS, *_INVISIBLE))
_GREEK_VOWELS = tuple(zip("άέήίόύώϊϋ", "αεηιουωιυ", strict=True))
# Most texts have none of these letters, and looking for one is cheaper than translating every letter.
_TRANSLATED = re.compile(f"[{''.join(map(chr, _TO_TOKEN))}]")
_TO_FOLDED: dict[int, str | None] = _changed(_ACCENTED) | dict.fromkeys(_MARKS)
# Greek and Cyrillic letters in the Latin ones that hosts and addresses use for them.
_LATIN = {
    ord(letter): latin
    for letters in (
        "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=h ц=ts ч=ch",
        "ш=sh щ=sht ъ=a ь=y ы=y э=e ю=yu я=ya ј=j",
        "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch",
        "ψ=ps ω=o",
    )
    for letter, _, latin in (pair.partition("=") for pair in letters.split())
}


def tokens(text: str) -> list[str]:
    """The words of a text in order: normal form, folded case, cut at all that is no letter or digit."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    lowered = text.casefold()
    folded = unicodedata.normalize("NFKC", lowered)
    if folded != lowered:  # signs such as ℃ hide a capital until they are taken apart
        folded = folded.casefold()
    for accented, plain in _GREEK_VOWELS:  # ten times as fast as a translation, and Greek is full of them
        folded = folded.replace(accented, plain)
    if _TRANSLATED.search(folded):
        folded = folded.translate(_TO_TOKEN)
    return _WORD.findall(folded.replace("_", " "))


def well_formed(text: str) -> str:
    """The text as UTF-8 can hold it: halves of a pair are joined, a half without the other is replaced."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def fold(word: str) -> str:
    """The word without diacritics: `ță` and `ta` meet, `й` stays."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", word).translate(_TO_FOLDED)


def to_latin(word: str) -> str:
    """A word in small letters as hosts write Greek and Cyrillic, letter by letter; Latin ones stay."""
    return word if word.isascii() else word.translate(_LATIN)
