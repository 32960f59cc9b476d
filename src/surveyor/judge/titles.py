"""Who and what a title names: "Education Grant Program | America for Bulgaria Foundation" is both.

A title is cut at its separators. The part that names a kind of organisation, or repeats the host's name,
is the organisation; of the rest, the first part that speaks of an offer is the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from surveyor.judge.reading import Reading
from surveyor.judge.values import Names
from surveyor.words import fold, tokens

_SEPARATORS = re.compile(r"\s[–—-]\s|[|»·•]|:\s")
_EDGES = " \t\n…."
# Signs around a whole part are no part of it; within it they are, and come in pairs.
_PAIRS = ('""', "''", "«»", "»«", "„“", "„”", "“”", "‘’", "‚‘", "””")
_LONGEST = 200  # characters of a name that is kept
_SHORTEST_WORD = 4  # letters: shorter words of a host are found in every title


class _Part(NamedTuple):
    text: str
    words: list[str]


def names_in(title: str, reading: Reading) -> Names:
    """The organisation's and the program's name in a title, as far as it has them."""
    trimmed = (_bare(part)[:_LONGEST] for part in _SEPARATORS.split(title))
    parts = [_Part(part, [*map(fold, tokens(part))]) for part in trimmed if part]
    organisation = _organisation(parts, reading)
    rest = [part for part in parts if part is not organisation]
    program = _program(rest, reading, alone=len(parts) == 1)
    return Names(organisation and organisation.text, program and program.text)


def _bare(part: str) -> str:
    """Without blanks, dots and quotes around the whole; a quoted word at its end keeps both."""
    part = part.strip(_EDGES)
    while len(part) > 1 and part[0] + part[-1] in _PAIRS and not {part[0], part[-1]} & set(part[1:-1]):
        part = part[1:-1].strip(_EDGES)
    opened = {pair[0] for pair in _PAIRS} | {pair[1] for pair in _PAIRS}
    if sum(part.count(sign) for sign in opened - set("'’‘")) == 1:  # one half was cut off, or never closed
        part = part.strip('"«»„“”').strip(_EDGES)
    return part


def _organisation(parts: list[_Part], reading: Reading) -> _Part | None:
    named = _naming(parts, (seen.phrase for seen in reading.of("organisation") if seen.where == "title"))
    if named or len(parts) < 2:
        return named[-1] if named else None
    host = "".join(tokens(reading.domain.rpartition(".")[0]))
    repeated = [part for part in parts if _repeats(part.words, host)]
    return repeated[-1] if repeated else None


def _repeats(words: list[str], host: str) -> bool:
    """Whether most of a part's words stand in the host's name, which writes them together."""
    known = [word for word in words if len(word) >= _SHORTEST_WORD and word in host]
    return bool(known) and 2 * len(known) >= len(words)


def _program(parts: list[_Part], reading: Reading, *, alone: bool) -> _Part | None:
    offers = (seen.phrase for seen in reading.of("keyword") if seen.where == "title" and not seen.denied)
    named = _naming(parts, offers)
    if named:
        return named[0]
    return parts[0] if parts and not alone else None


def _naming(parts: list[_Part], phrases: Iterable[str]) -> list[_Part]:
    """The parts that have one of the phrases, which are known to be in the title somewhere."""
    wanted = [_words(phrase) for phrase in phrases]
    return [part for part in parts if any(_has(part.words, words) for words in wanted)]


@lru_cache(maxsize=8_192)
def _words(phrase: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in tokens(phrase))


def _has(words: list[str], wanted: tuple[str, ...]) -> bool:
    """Whether all wanted words are there, roughly in any inflection."""

    def is_there(wanted_word: str) -> bool:
        for word in words:
            shared = max(_SHORTEST_WORD, min(len(word), len(wanted_word)) - 3)
            if word[:shared] == wanted_word[:shared]:
                return True
        return False

    return bool(wanted) and all(map(is_there, wanted))
