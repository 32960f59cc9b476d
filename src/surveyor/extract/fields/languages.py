"""In which language to apply, where a page says so."""

from __future__ import annotations

import re
from typing import Final

from surveyor.extract.fields.normalize import any_of, plain
from surveyor.extract.lexicon import table, words

# Characters of a text that are looked at, and of what stands under a label.
_LOOKED_AT, _LONGEST_LABELLED = 4_000, 200
_CODES: Final = {
    code: re.compile(any_of(name for name, of in table("languages", "names").items() if of == code))
    for code in dict.fromkeys(table("languages", "names").values())
}
_NAME: Final = any_of(words("languages", "names"))
_IN: Final = any_of(words("languages", "in"))
_OR: Final = any_of(words("languages", "or"), start=False)
# What is written, and further on the language or languages.
_SAID: Final = re.compile(
    any_of(words("languages", "written"))
    + rf"[^.;]{{0,60}}?{_IN} (?:the |limba |plain |good )?"
    + rf"(?P<names>{_NAME}(?:,? ?{_OR} ?(?:{_IN} )?(?:limba )?{_NAME}){{0,4}})"
)


def language_in(text: str) -> str | None:
    """The one language in which to apply by a sentence; None when it says nothing or leaves a choice."""
    match = _SAID.search(plain(text[:_LOOKED_AT]))
    return _only(match["names"]) if match else None


def labelled_language(text: str) -> str | None:
    """What stands under "Working language"."""
    return _only(plain(text[:_LONGEST_LABELLED]))


def _only(flat: str) -> str | None:
    codes = [code for code, pattern in _CODES.items() if pattern.search(flat)]
    return codes[0] if len(codes) == 1 else None
