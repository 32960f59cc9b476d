"""How a domain looks to people: its Unicode form, and whether that form may deceive them.

A name deceives when one label mixes scripts that no language mixes, when every letter of a
foreign script passes for a Latin one, or when a sign passes for the end of the host name.
"""

from __future__ import annotations

import unicodedata

from surveyor.names.idn import PREFIX, unicode_label

# Languages of East Asia write these together; first words of the characters' Unicode names.
_WRITTEN_TOGETHER = frozenset(
    {"LATIN", "CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO"}
)
# Letters that most typefaces draw like a Latin letter, by script.
_TWINS = {
    "CYRILLIC": frozenset("асԁеһіјӏорԛѕԝхуүѵԍ"),
    "GREEK": frozenset("αικνορτυχγωη"),
    "ARMENIAN": frozenset("աոսօցհզյք"),
    "CHEROKEE": frozenset("ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᏀᏃᏎᏏᏒᏔᏚᏙᏞᏟᏢᏦᏧᏴ"),
}
# Phonetic letters count as Latin, but no language's spelling has them in place of the plain ones.
_PHONETIC_TWINS = frozenset("ɑɡɩɪʟɴʀʏʜᴄᴏᴜᴠᴡᴢ")
# Punctuation that belongs to the spelling of names: hyphen, underscore, Catalan and Japanese dots.
_INNOCENT = frozenset("-_·・")


def shown_domain(domain: str) -> str:
    """The domain in the letters its readers know; labels that say nothing valid stay as they are."""
    if PREFIX not in domain:
        return domain
    name, colon, port = domain.partition(":")
    return ".".join(map(_shown_label, name.split("."))) + colon + port


def looks_deceptive(domain: str) -> bool:
    """Whether people should see a warning, and the `xn--` form, beside the Unicode form."""
    if PREFIX not in domain:
        return False
    labels = shown_domain(domain).partition(":")[0].split(".")
    home = _scripts(labels[-1])
    return any(_deceives(label, home) for label in labels)


def _shown_label(label: str) -> str:
    return (unicode_label(label) if label.startswith(PREFIX) else None) or label


def _deceives(label: str, home: frozenset[str]) -> bool:
    if label.isascii():
        return False
    scripts = _scripts(label)
    if len(scripts) > 1 and not scripts <= _WRITTEN_TOGETHER:
        return True
    if not _PHONETIC_TWINS.isdisjoint(label) or any(map(_is_odd_sign, label)):
        return True
    # Under a top-level domain of the same script, readers expect that script.
    return any(
        script not in home and all(char in twins for char in label if char.isalpha())
        for script, twins in _TWINS.items()
        if script in scripts
    )


def _scripts(label: str) -> frozenset[str]:
    """The scripts of the letters and foreign digits; ASCII digits and marks go with every script."""
    letters = (char for char in label if char.isalpha() or (char.isdigit() and not char.isascii()))
    return frozenset(unicodedata.name(char, "UNKNOWN").split()[0] for char in letters) - {"MODIFIER"}


def _is_odd_sign(char: str) -> bool:
    """Punctuation and mathematical signs: a fraction slash ends a host name to the eye only."""
    return char not in _INNOCENT and unicodedata.category(char) in {"Sm", "Po", "Pd", "Ps", "Pe", "Pc"}
