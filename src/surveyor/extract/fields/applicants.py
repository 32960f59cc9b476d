"""Who may apply or come: the shortest faithful piece of the sentence that says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from surveyor.extract.lexicon import (
    alternatives,
    any_of,
    cues,
    listed,
    lists,
    patterns,
    plain,
    sentences,
    words,
)

# Characters of an answer: shorter is a slip, longer is a whole paragraph.
_SHORTEST, _LONGEST = 4, 260
# Characters of a note on a card that is nothing but an answer.
_LONGEST_NOTE: Final = 90
# Characters and sentences of a text that are looked at, and sentences that may answer a label.
_LOOKED_AT, _MOST_SENTENCES, _MOST_LABELLED = 2_000, 12, 4

_HOLES: Final = {
    "who": r"(?P<who>.{4,400})",
    # From the beginning of a sentence, unless that speaks to the reader or of each single one.
    "lead": rf"(?!{alternatives('applicants', 'no_lead')})(?P<who>[^:]{{4,240}}?)",
    "to": alternatives("applicants", "to"),
    "for": alternatives("applicants", "for"),
}
_SAID: Final = patterns("applicants", "said", **_HOLES)
_NOTED: Final = patterns("applicants", "noted", **_HOLES)
# Whom somebody supports; or money, and in the same sentence somebody it is for: "assistance is available
# under this plan to families".
_SUPPORTED: Final = (
    re.compile(f"{any_of(words('applicants', 'supports'))} (?=(?P<who>.{{4,200}}))"),
    re.compile(
        f"{any_of((*words('records', 'clear_offer'), *words('applicants', 'aid')))}"
        + f"[^.]{{0,90}}?(?<!up) (?:{_HOLES['to']}|{_HOLES['for']}) (?=(?P<who>.{{4,200}}))"
    ),
)
_CONDITIONS: Final = re.compile(alternatives("applicants", "conditions"))
_TAIL: Final = re.compile(alternatives("applicants", "tail"))
_CLAUSE: Final = re.compile(alternatives("applicants", "clause"))
_NOT_WHO: Final = re.compile(alternatives("applicants", "not_who"))
_BUT: Final = re.compile(rf",? {alternatives('applicants', 'but')} ")
# Characters after which a clause that tells more is left out.
_ENOUGH: Final = 40
# Words at the beginning of whom a giver supports among which people or bodies are named.
_FIRST_WORDS: Final = 5
_TRIM: Final = " \t,.;:!·–—-|"
# What stands in brackets in the middle of whom a sentence names.
_ASIDE: Final = re.compile(r"\([^()]{1,200}\)(?=,? \w)")


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


def says_who(sentence: str) -> bool:
    """Whether a sentence is made to say who may apply, however long it takes."""
    return any(names_applicants(named) for named in _named(sentence, _SAID))


def says_supported(sentence: str) -> bool:
    """Whether a sentence names money and then for whom it is."""
    firsts = (" ".join(named.split()[:_FIRST_WORDS]) for named in _named(sentence, _SUPPORTED))
    return any(map(names_applicants, firsts))


def _named(sentence: str, ways: Iterable[re.Pattern[str]]) -> Iterator[str]:
    flat = plain(sentence)
    for match in (found for way in ways for found in way.finditer(flat)):
        named = match["who"].strip(_TRIM)
        if not _NOT_WHO.match(named):
            yield named


def states_conditions(sentence: str) -> bool:
    """Whether a sentence says what applicants must be: "To qualify, a person must be at least 60"."""
    return bool(_CONDITIONS.search(plain(sentence)))


def refuses(text: str) -> bool:
    """Whether it says who gets nothing."""
    return bool(text) and bool(cues("applicants", "refused").search(plain(text)))


def unrefused(sentence: str) -> str:
    """The sentence; of one that says who gets nothing, the clause that does not; empty without one."""
    if not refuses(sentence):
        return sentence
    clauses = (*sentence.split(";"), *filter(says_who, _BUT.split(sentence)))
    return next((one.strip() for one in clauses if one.strip() and not refuses(one)), "")


def labelled_applicants(text: str) -> str | None:
    """What stands under "Who can apply?": the sentence that says so, or what the first one tells."""
    answering = list(filter(None, map(unrefused, sentences(text[:_LOOKED_AT])[:_MOST_LABELLED])))
    first = next(filter(says_who, answering), answering[0] if answering else "")
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
    for match in (found for way in ways for found in way.finditer(flat)):
        if answer := _cut(sentence[slice(*match.span("who"))], match["who"]):
            yield answer


def _cut(original: str, flat: str) -> str | None:
    outside = _ASIDE.sub(lambda aside: "_" * len(aside[0]), flat)
    ends = [match.start() for match in (_TAIL.search(outside, 12), _CLAUSE.search(outside, _ENOUGH)) if match]
    if ends:
        original, flat = original[: min(ends)], flat[: min(ends)]
    answer = original.strip(_TRIM)
    if not _SHORTEST <= len(answer) <= _LONGEST or _NOT_WHO.match(flat.strip(_TRIM)):
        return None
    return answer


_MOST_WORDS: Final = 30
_ASKS: Final = re.compile(alternatives("applicants", "asks") + r"\W*")
# Who it is for stands at the beginning of the sentence.
_ELIGIBLE_FIRST = re.compile(
    rf"(?:^|[.!?]\s)(?P<who>{alternatives('applicants', 'served')}\b[^.;:!?]{{0,120}}?)"
    rf"\s{alternatives('applicants', 'may_come')}\b"
    rf"|{alternatives('applicants', 'may_come_those')}\s(?P<who_after>[^.;:!?]{{3,160}})",
    re.IGNORECASE,
)
# Pictures and bullets before the words of a heading.
_SIGNS: Final = re.compile(r"^\W+|\s+$")
# Where a sentence goes on to something else.
_GOES_ON = re.compile(
    rf"\s(?:and|und|et|и|și|και|y)\s{alternatives('applicants', 'goes_on')}"
    rf"|,\s{alternatives('applicants', 'ends_with')}|\s[–—]\s|\s\(",
    re.IGNORECASE,
)


def asks_who(label: str) -> bool:
    """Whether a label or heading announces for whom something is."""
    return _ASKS.fullmatch(plain(_SIGNS.sub("", label))) is not None


def phrase_in(sentence: str, language: str | None) -> str:
    """Whom a sentence says that something is for."""
    known = language if language in lists("applicants")["serves"] else None
    for pattern in (_serving(known or "en"), _ELIGIBLE_FIRST):
        for match in pattern.finditer(sentence):
            who = _GOES_ON.split(match[match.lastgroup or "who"])[0].strip(" ,")
            if 1 <= len(who.split()) <= _MOST_WORDS:
                return who
    return ""


@cache
def _serving(language: str) -> re.Pattern[str]:
    """Words that say for whom, and whom they name."""
    serves, before, served = (
        "|".join(listed("applicants", name, language)) for name in ("serves", "before_served", "served")
    )
    determined = f"(?:(?:{before}) )?" if before else ""
    return re.compile(
        rf"\b(?:{serves})\s(?:neben \w+ auch )?(?P<who>{determined}(?:{served})\b[^.;·:!?]*)", re.IGNORECASE
    )
