"""Who may apply, in the words of the page: the shortest faithful piece of the sentence that says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from surveyor.extract.fields.normalize import plain
from surveyor.extract.fields.sentences import sentences
from surveyor.extract.lexicon import alternatives, cues, patterns

# Characters of an answer: shorter is a slip, longer is a whole paragraph.
_SHORTEST, _LONGEST = 4, 260
# Characters of a note on a card that is nothing but an answer.
_LONGEST_NOTE: Final = 90
# Characters and sentences of a text that are looked at.
_LOOKED_AT, _MOST_SENTENCES = 2_000, 12

_HOLES: Final = {
    "who": r"(?P<who>.{4,400})",
    # From the beginning of a sentence, unless that speaks to the reader or of each single one.
    "lead": r"(?!each|every|jede|pro|je|все|chaque|fiecare|καθε|cada|you|sie|du|ihr|wir|we|вие|ние|vous|nous"
    r"|noi|it|this|that|these|as|if|wenn|ако|si|daca|αν)(?P<who>[^:]{4,240}?)",
    "to": "(?:to|an|на|aux?|a|pentru|σε|στουσ)",
    "for": "(?:for|fur|за|pour|pentru|για|para)",
}
_SAID: Final = patterns("applicants", "said", **_HOLES)
_SUPPORTED: Final = patterns("applicants", "supported", **_HOLES)
_NOTED: Final = patterns("applicants", "noted", **_HOLES)
_TAIL: Final = re.compile(alternatives("applicants", "tail"))
_CLAUSE: Final = re.compile(alternatives("applicants", "clause"))
_NOT_WHO: Final = re.compile(alternatives("applicants", "not_who"))
# Characters after which a clause that tells more is left out.
_ENOUGH: Final = 40
# Words at the beginning of whom a giver supports among which people or bodies are named.
_FIRST_WORDS: Final = 5
_TRIM: Final = " \t,.;:!·–—-|"


def applicants_in(text: str, *, is_brief: bool = False) -> str | None:
    """Who may apply, if one of the sentences says so; `is_brief` also reads notes that are no sentences."""
    for sentence in sentences(text[:_LOOKED_AT])[:_MOST_SENTENCES]:
        answers = list(_answers(sentence, _SAID))
        if answers:  # one that names people, if there is one
            return next(filter(names_applicants, answers), answers[0])
        noted = _answers(sentence, _NOTED) if is_brief else ()
        if answer := next(filter(names_applicants, noted), None):
            return answer
    return None


def supported_in(text: str) -> str | None:
    """Whom the giver says it supports."""
    for sentence in sentences(text[:_LOOKED_AT])[:_MOST_SENTENCES]:
        for answer in _answers(sentence, _SUPPORTED):
            if names_applicants(" ".join(answer.split()[:_FIRST_WORDS])):
                return answer
    return None


def answer_in(sentence: str) -> str | None:
    """The piece of one sentence that names who may apply or is supported."""
    said = list(_answers(sentence, _SAID)) or list(_answers(sentence, _SUPPORTED))
    return next(filter(names_applicants, said), None)


def labelled_applicants(text: str) -> str | None:
    """What stands under "Who can apply?": what its first sentence says, or that sentence."""
    first = next(iter(sentences(text[:_LOOKED_AT])), "")
    return applicants_in(first, is_brief=True) or _cut(first, plain(first))


def noted_applicants(text: str) -> str | None:
    """A note of a card that is nothing but who may apply: "Micro and small companies"."""
    if len(text) > _LONGEST_NOTE or text.endswith((":", "?", "!")) or len(sentences(text)) > 1:
        return None
    return _cut(text, plain(text)) if names_applicants(text[: _LONGEST_NOTE // 2]) else None


def names_applicants(text: str) -> bool:
    """Whether people or bodies that could apply are named in a piece."""
    return bool(cues("records", "applicants").search(plain(text)))


def _answers(sentence: str, ways: Iterable[re.Pattern[str]]) -> Iterator[str]:
    flat = plain(sentence)
    for way in ways:
        match = way.search(flat)
        if match and (answer := _cut(sentence[slice(*match.span("who"))], match["who"])):
            yield answer


def _cut(original: str, flat: str) -> str | None:
    ends = [match.start() for match in (_TAIL.search(flat, 12), _CLAUSE.search(flat, _ENOUGH)) if match]
    if ends:
        original, flat = original[: min(ends)], flat[: min(ends)]
    answer = original.strip(_TRIM)
    if not _SHORTEST <= len(answer) <= _LONGEST or _NOT_WHO.match(flat.strip(_TRIM)):
        return None
    return answer
