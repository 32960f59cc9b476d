"""Fields of a programme that its facts tell in words: who may apply, where it holds, in which language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from surveyor.extract.document import BlockKind
from surveyor.extract.fields import who
from surveyor.extract.fields.amounts import find_amounts
from surveyor.extract.fields.applicants import (
    applicants_in,
    labelled_applicants,
    noted_applicants,
    supported_in,
)
from surveyor.extract.fields.deadlines import is_rolling
from surveyor.extract.fields.languages import labelled_language, language_in
from surveyor.extract.fields.sentences import sentences
from surveyor.extract.records.facts import Fact, Topic, funding_topic
from surveyor.extract.values import Field

# The chance from which on a sentence is believed to say who may apply.
_LIKELY: Final = 0.27


def label_of(fact: Fact) -> str:
    return fact.label or (fact.heading if fact.is_first else "")


def is_open_always(facts: Sequence[Fact]) -> bool:
    return any(is_rolling(fact.text) for fact in facts)


def who_may_apply(facts: Sequence[Fact], language: str | None, *, is_brief: bool) -> Field | None:
    """What a label announces, or else the likeliest sentence; on a card also a line of nothing but people."""
    lead = ""
    for index, fact in enumerate(facts):
        is_item = fact.block.kind is BlockKind.ITEM
        if not is_item:
            lead = fact.text if fact.text.rstrip().endswith(":") else ""
        label = fact.label or lead or (fact.heading if fact.is_first or is_item else "")
        if fact.block.kind is BlockKind.HEADING or not (
            funding_topic(label) is Topic.WHO or (is_item and who.announces(label))
        ):
            continue
        answer = (who.items(facts, index) if is_item else None) or labelled_applicants(fact.text)
        if answer and not fact.text.endswith(":"):
            return fact.field(answer)
    if found := who.best(facts, "funding_program", language, _LIKELY):
        return found.fact.field(who.answer(found, language))
    return _on_card(facts) if is_brief else None


def _on_card(facts: Sequence[Fact]) -> Field | None:
    """What the few lines of a card say, by the words for it alone."""
    for read in (partial(applicants_in, is_brief=True), supported_in):
        for fact in facts:
            answer = None if fact.block.kind is BlockKind.HEADING else read(fact.text)
            if answer and " " in answer:  # a single word is a slip of a sentence about something else
                return fact.field(answer)
    return _noted(facts)


def _noted(facts: Sequence[Fact]) -> Field | None:
    """A card's line without a sum, a date or a label that names nothing but people."""
    for fact in facts:
        if fact.label or fact.block.kind is BlockKind.HEADING:
            continue
        if (
            not find_amounts(fact.text)
            and not is_rolling(fact.text)
            and (answer := noted_applicants(fact.text))
        ):
            return fact.field(answer)
    return None


def labelled_region(facts: Sequence[Fact]) -> Field | None:
    for fact in facts:
        if fact.label and funding_topic(fact.label) is Topic.REGION and 2 < len(fact.text) < 160:
            return fact.field(fact.text.strip(" ."))
    return None


def language_of(facts: Sequence[Fact]) -> Field | None:
    for fact in facts:
        labelled = fact.label and funding_topic(fact.label) is Topic.LANGUAGE
        if code := (labelled_language(fact.text) if labelled else language_in(fact.text)):
            return fact.field(code)
    return None


def sentence_of(facts: Sequence[Fact], field: Field) -> str:
    """The whole sentence from which a piece was taken."""
    piece = str(field.value)
    for fact in facts:
        for sentence in sentences(fact.text):
            if piece in sentence:
                return sentence
    return piece
