"""Who may apply or come: every sentence that could say so is weighed, and the best one is the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from surveyor.extract import scoring
from surveyor.extract.document import BlockKind
from surveyor.extract.fields.amounts import find_amounts
from surveyor.extract.fields.applicants import (
    answer_in,
    asks_who,
    names_applicants,
    phrase_in,
    refuses,
    says_supported,
    says_who,
    states_conditions,
    unrefused,
)
from surveyor.extract.lexicon import alternatives, cues, plain, sentences
from surveyor.extract.lexicon import words as words_of
from surveyor.extract.records.facts import Fact, Topic, funding_topic
from surveyor.extract.records.naming import is_clear_offer

# Facts, and sentences of one of them, that are looked at.
_MOST_FACTS, _MOST_SENTENCES = 120, 8
# Words of an answer; what is shorter or longer is seldom one.
_FEW, _MANY, _TOO_MANY = 4, 30, 60
# Facts with which a page opens, facts after which it is long, words with which a sentence opens.
_OPENING, _FAR_DOWN, _FIRST_WORDS = 6, 40, 5
# Spaces of a sentence that begins with a number and may still say it.
_LEAST_BEHIND: Final = 7
# Items of a list that answer together.
_MOST_ITEMS: Final = 6
_LISTS: Final = (
    "eligible", "binding", "lives", "in_want", "applying", "instructs", "past", "excluded", "about_use",
)  # fmt: skip
_ANNOUNCED: Final = frozenset({"labelled", "headed", "led eligible"})
# Without any of these a sentence is not about who.
_EVIDENCE: Final = _ANNOUNCED | {"says", "serves", "eligible", "binding", "lives", "in_want"}
_TIME: Final = re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]\.?m\b|[.h]\d\d)| uhr\b")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_REACHED: Final = re.compile(r"@|https?:|www\.|(?<!\d)\d{3}[ -.]\d{4}")
_WE: Final = re.compile(rf"\b{alternatives('voice', 'we_say')}\b")
_ACTS: Final = re.compile(
    r"\b(?:applicants?|students?|candidates?|recipients?|winners?) (?:will|should|may|can) "
)
# Words before a list of what to send or to do, not of who may apply: "Applications must include".
_OF_PAPERS: Final = re.compile(
    r"(?:the |all |your |each |every )?(?:applications?|proposals?|winners?|recipients?)"
    r" (?:must|should|needs?|ha(?:s|ve) to)\b"
)
_YOU: Final = re.compile(rf"\b{alternatives('voice', 'you_say')}\b")


# Words of a piece that says enough without its sentence; words of a sentence that is not too long to be shown
# whole, and the share of it that a piece has at least: "all of us" is seldom whom a long one is about.
_LEAST, _MOST_WHOLE, _SHARE = 3, 40, 0.4
# Words with which no answer ends: "students who".
_GOING_ON: Final = frozenset({*words_of("names", "small"), "who", "that", "que", "qui", "die", "der", "ab"})
_TRIM: Final = " \t,.;:!·–—-|"
_BULLETS: Final = " .;,✓✔•▪►"


class Candidate(NamedTuple):
    text: str
    fact: Fact
    signs: tuple[str, ...]


def best(facts: Sequence[Fact], kind: str, language: str | None, least: float) -> Candidate | None:
    """The likeliest answer that is at least so likely, of equals the first; one said outright wins."""
    known = scoring.weights("who")
    found = [
        (_is_outright(one), total, -place, one)
        for place, one in enumerate(candidates(facts, kind, language))
        if scoring.chance(total := scoring.total(one.signs, known)) >= least
    ]
    return max(found, key=lambda each: each[:3])[3] if found else None


def _is_outright(one: Candidate) -> bool:
    """Whether a candidate is made to say who, or a list that words above it announce."""
    if "list" in one.signs:
        return "direct" in one.signs or not _ANNOUNCED.isdisjoint(one.signs)
    return "direct" in one.signs and says_who(one.text)


def answer(one: Candidate, language: str | None) -> str:
    """What is shown: the piece that names them, or else the whole sentence."""
    if "list" in one.signs:
        return one.text
    if states_conditions(one.text) and one.text.count(" ") <= _TOO_MANY:
        return one.text.strip(_TRIM)
    said = answer_in(one.text)
    if said and cues("applicants", "provided").search(plain(one.text.partition(said)[2])):
        said = None
    if said and (is_clear_offer(said) or not names_applicants(" ".join(said.split()[:_FEW]))):
        said = None
    words = (said or phrase_in(one.text, language)).split()
    spaces = one.text.count(" ")
    least = _LEAST if said or spaces > _MOST_WHOLE else max(_LEAST, spaces * _SHARE)
    is_enough = len(words) >= least and plain(words[-1]) not in _GOING_ON
    return " ".join(words) if is_enough else one.text.strip(_TRIM)


def candidates(facts: Sequence[Fact], kind: str, language: str | None) -> Iterator[Candidate]:
    """Sentences and lists of the content that could say it, each with its signs."""
    lead = ""
    for index, fact in enumerate(facts[:_MOST_FACTS]):
        if fact.block.kind is BlockKind.HEADING:
            lead = ""
            continue
        above = _above(fact, lead)
        if any(map(refuses, (lead, fact.label, fact.heading))):
            continue
        if fact.block.kind is BlockKind.ITEM and _begins_list(facts, index) and (many := items(facts, index)):
            yield Candidate(many, fact, _signs(many, fact, above, index, kind, "list", language))
        for number, sentence in enumerate(map(unrefused, sentences(fact.text)[:_MOST_SENTENCES])):
            if (
                not sentence
                or sentence.endswith(":")
                or (sentence[0].isdigit() and sentence.count(" ") < _LEAST_BEHIND)
            ):
                continue  # what only announces; a number of a house, a day, a sum
            shape = "first" if not number else "later"
            signs = _signs(sentence, fact, above, index, kind, shape, language)
            if not asks_who(sentence) and not _EVIDENCE.isdisjoint(signs):
                yield Candidate(sentence, fact, signs)
        if fact.block.kind is not BlockKind.ITEM:
            lead = lead_of(facts, index)


def lead_of(facts: Sequence[Fact], index: int) -> str:
    """The text of a fact if it only announces the list that follows."""
    text = facts[index].text.rstrip()
    is_followed = index + 1 < len(facts) and facts[index + 1].block.kind is BlockKind.ITEM
    return text if text.endswith((":", "...", "…")) or (is_followed and text[-1:].isalnum()) else ""


def _above(fact: Fact, lead: str) -> list[str]:
    """What announces a fact: its label, the heading above, the words before a list."""
    said = []
    if _asks_who(fact.label):
        said.append("labelled")
    if _asks_who(fact.heading) and not lead:  # words before a list are nearer to it than a heading
        said.append("headed")
    if lead:
        flat = plain(lead)
        said.append("led")
        said += [
            f"led {name}"
            for name in ("eligible", "applying", "instructs")
            if cues("applicants", name).search(flat)
        ]
    if any(cues("applicants", "excluded").search(plain(text)) for text in (fact.label, fact.heading) if text):
        said.append("headed excluded")
    return said


def _asks_who(label: str) -> bool:
    return bool(label) and (funding_topic(label) is Topic.WHO or asks_who(label))


def announces(lead: str) -> bool:
    """Whether words before a list say that it tells who may apply: "must meet all of these criteria:"."""
    flat = plain(lead)
    return bool(cues("applicants", "announcing").search(flat)) and not (
        _OF_PAPERS.match(flat)
        or any(cues("applicants", name).search(flat) for name in ("instructs", "refused"))
    )


def _begins_list(facts: Sequence[Fact], index: int) -> bool:
    return index == 0 or facts[index - 1].block.kind is not BlockKind.ITEM


def items(facts: Sequence[Fact], index: int) -> str | None:
    """Several items of one list, joined; None for a single one."""
    first, texts = facts[index], list[str]()
    for fact in facts[index : index + _MOST_ITEMS]:
        if fact.block.kind is not BlockKind.ITEM or fact.heading != first.heading:
            break
        if fact.label and not _asks_who(fact.label) and fact.label != first.label:
            continue
        if kept := " ".join(filter(_tells_who, sentences(fact.text))):
            texts.append(kept.strip(_BULLETS))
    return ", ".join(texts) if len(texts) > 1 else None


def _tells_who(sentence: str) -> bool:
    """Whether a sentence of an item is about who, and not about who else or what to bring."""
    return not refuses(sentence) and (
        not cues("applicants", "instructs").search(plain(sentence)) or names_applicants(sentence)
    )


def _signs(
    text: str, fact: Fact, above: Sequence[str], index: int, kind: str, shape: str, language: str | None
) -> tuple[str, ...]:
    flat = plain(text)
    words = flat.count(" ") + 1
    signs = [shape, *above, f"{kind} {shape}"]
    is_direct = says_who(text) or states_conditions(text)
    says = is_direct or says_supported(text)
    signs += [
        name
        for name in _LISTS
        if cues("applicants", name).search(flat) and not (says and name == "instructs")
    ]
    tests = {
        "people": names_applicants(text),
        "people first": names_applicants(" ".join(text.split()[:_FIRST_WORDS])),
        "says": says,
        "direct": is_direct,
        "labelled otherwise": bool(fact.label) and not _asks_who(fact.label),
        "time": bool(_TIME.search(flat)),
        "year": bool(_YEAR.search(flat)),
        "reached": bool(_REACHED.search(flat)),
        "sum": bool(find_amounts(text)),
        "we": bool(_WE.search(flat)),
        "you": bool(_YOU.search(flat)),
        "question": text.endswith("?"),
        "announces": text.endswith(":"),
        "serves": bool(phrase_in(text, language)),
        "applicant acts": bool(_ACTS.search(flat)),
        "short": words < _FEW,
        "long": words > _MANY,
        "very long": words > _TOO_MANY,
        "item": fact.block.kind is BlockKind.ITEM,
        "lead": index < _OPENING,
        "far": index > _FAR_DOWN,
        "heading first": fact.is_first,
        "small letter": text[:1].islower(),
    }
    signs += [name for name, holds in tests.items() if holds]
    if kind == "service":
        signs += [f"service {name}" for name in ("in_want", "lives", "applying") if name in signs]
    return tuple(signs)
