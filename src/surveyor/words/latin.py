"""Greek and Cyrillic words in the Latin letters that hosts and addresses use for them."""

from __future__ import annotations

from typing import Final

_LATIN: Final = {
    ord(letter): latin
    for letters in (
        "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=h ц=ts ч=ch",
        "ш=sh щ=sht ъ=a ь=y ы=y э=e ю=yu я=ya ј=j",
        "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch",
        "ψ=ps ω=o",
    )
    for letter, _, latin in (pair.partition("=") for pair in letters.split())
}


def to_latin(word: str) -> str:
    """A word in small letters, letter by letter; Latin words stay as they are."""
    return word if word.isascii() else word.translate(_LATIN)
