"""Whether a page is worth extracting: by the profile's words, the page's structure, and what was found on it.

Every sign adds to or takes from one sum, with words for it that a person understands; the sum becomes a
score between 0 and 1. When a model trained on people's decisions is given, its opinion joins the signs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from surveyor.extract.document import BlockKind, Document
from surveyor.extract.model import Model, features_of
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.scoring import chance
from surveyor.extract.structure import Kind, kinds_of
from surveyor.extract.values import FIELDS, FoundRecord, PageText, Relevance
from surveyor.words import fold
from surveyor.words.cutting import with_figures_marked, words_of
from surveyor.words.matching import Matcher, by_language

# Characters of the content that are read for words.
_READ: Final = 20_000
# Reasons that are given; the weightiest.
_MOST_REASONS: Final = 6
_PLACES: Final = Decimal("0.01")
# What a page is worth before anything of it was read: most are of no use.
_BEFORE: Final = -1.5
# Worth of a sign. Found by hand on labelled pages; no sign decides alone but a record and an empty page.
_FOR_PATH, _FOR_DULL_PATH = 0.6, -1.2
_FOR_RECORD, _FOR_SECOND_RECORD, _FOR_DETAIL, _FOR_NO_RECORD = 1.6, 0.4, 0.4, -0.5
_FOR_PHRASE, _MOST_PHRASES = 0.5, 1.5
# Of the groups with an effect: per share, at most, and how it is said.
_EFFECTS: Final = {"supports": (1.5, 3.0, "says"), "weakens": (-1.6, 3.0, "but says")}
_FOR_PICTURES: Final = 0.8
_FOR_MODEL: Final = 4.0
_FOR_KIND: Final = {
    Kind.ARTICLE: -1.2,
    Kind.PRODUCT: -2.0,
    Kind.LOGIN: -4.0,
    Kind.MISSING: -4.0,
    Kind.PARKED: -4.0,
    Kind.EMPTY: -2.0,
}
# How much of a group is there that stands in the text only: per different phrase, and at most.
_IN_TEXT, _AT_MOST_IN_TEXT = 0.3, 0.9
_AGAINST_IN_TEXT, _AT_MOST_AGAINST = 0.1, 0.3
# What a title says against a page weighs more than what a heading says.
_AGAINST_IN_TITLE, _AGAINST_IN_HEADING = 1.5, 0.6
_DETAILS: Final = {
    "deadline": "names a deadline",
    "amount_max": "names an amount",
    "amount_min": "names an amount",
    "hours": "gives opening hours",
    "eligibility": "says who may apply",
    "phone": "gives a telephone number",
}
# Kinds of records that say what a page is about; an organisation stands on every page of its site.
_ABOUT: Final = frozenset(("funding_program", "service", "opportunity", "business"))
_PATH_WORD: Final = re.compile(r"[^\W_]+")
_Found = Mapping[int, set[str]]


class _Sign(NamedTuple):
    worth: float
    reason: str


class _PathWords(NamedTuple):
    """Words of a path, without diacritics, with what they are worth."""

    words: frozenset[str]
    worth: float
    reason: str


class Words:
    """A profile's words, compiled once; judges any number of pages."""

    def __init__(self, view: ProfileView, model: Model | None = None) -> None:
        self._view, self._model = view, model
        # Phrases are found by number: 0 are the words of a page, then come the groups.
        lists = [view.page_words, *(group.words for group in view.keywords)]
        spoken = tuple(dict.fromkeys(language for by in lists for language in by))
        self._matchers: dict[str | None, Matcher] = dict(by_language(enumerate(lists), spoken).items())
        if self._matchers:  # a page of no known language is read in the first
            self._matchers[None] = next(iter(self._matchers.values()))
        self._cancel = {number for number, group in enumerate(view.keywords, 1) if group.effect == "cancels"}
        self._paths = [
            _PathWords(frozenset(fold(word) for words in by.values() for word in words), worth, reason)
            for by, worth, reason in (
                (view.path_words, _FOR_PATH, "path /{}"),
                (view.dull_path_words, _FOR_DULL_PATH, "path /{} is of no use"),
            )
        ]

    def judge(self, document: Document, text: PageText, records: Sequence[FoundRecord]) -> Relevance:
        """Whether the page is wanted, how surely, and why."""
        signs = [
            *self._said(document, text),
            *self._addressed(document.page.url),
            *self._found(records),
            *(_Sign(_FOR_KIND[kind], kind.value) for kind in kinds_of(document, text.text)),
        ]
        if self._view.images and document.image_count > 2:
            signs.append(_Sign(_FOR_PICTURES, f"shows {document.image_count} pictures"))
        if self._model is not None:
            opinion = self._model.score(features_of(document, text))
            worth = (float(opinion) - 0.5) * 2 * _FOR_MODEL
            signs.append(_Sign(worth, f"is {opinion} like pages that people wanted"))
        share = chance(_BEFORE + sum(sign.worth for sign in signs))
        score = Decimal(str(share)).quantize(_PLACES, ROUND_HALF_UP)
        signs.sort(key=lambda sign: -abs(sign.worth))
        reasons = list(dict.fromkeys(sign.reason for sign in signs if sign.worth))
        return Relevance(score, score >= self._view.threshold, reasons[:_MOST_REASONS])

    def _said(self, document: Document, text: PageText) -> Iterator[_Sign]:
        """What the words of the profile say."""
        matcher = self._matchers.get(document.language)
        if matcher is None:
            return
        headings = "\n".join(block.text for block in document.main if block.kind is BlockKind.HEADING)
        parts = (document.title, headings[:_READ], text.text[:_READ])
        title, heading, body = (self._phrases(matcher, part) for part in parts)
        if words := sorted({*title[0], *heading[0], *body[0]}):
            worth = min(len(words) * _FOR_PHRASE, _MOST_PHRASES)
            yield _Sign(worth, "has a section on " + ", ".join(f"“{word}”" for word in words[:3]))
        for effect, (each, most, says) in _EFFECTS.items():
            if shares := self._shares(effect, title, heading, body):
                worth = min(sum(share for share, _ in shares) * abs(each), most)
                named = ", ".join(f"“{phrase}”" for _, phrase in sorted(shares, reverse=True)[:3])
                yield _Sign(worth if each > 0 else -worth, f"{says} {named}")

    def _phrases(self, matcher: Matcher, text: str) -> defaultdict[int, set[str]]:
        """The phrases of a text by number, without those that a longer phrase gives another sense."""
        found = defaultdict[int, set[str]](set)
        for line in text.splitlines():
            matches = matcher.find(words_of(with_figures_marked(line)))
            covers = [(start, end) for start, end, number, _ in matches if number in self._cancel]
            for first, last, number, phrase in matches:
                if not any(start <= first and last <= end for start, end in covers):
                    found[number].add(phrase)
        return found

    def _shares(self, effect: str, title: _Found, heading: _Found, body: _Found) -> list[tuple[float, str]]:
        """How much of each group with this effect is there, with a phrase that shows it."""
        numbers = {*title, *heading, *body}
        present = {group.name for number, group in enumerate(self._view.keywords, 1) if number in numbers}
        found = []
        for number, group in enumerate(self._view.keywords, 1):
            if group.effect == effect and group.name in present and present.isdisjoint(group.unless):
                share = _share(effect, number in title, number in heading, len(body.get(number, ())))
                phrases = title.get(number) or heading.get(number) or body[number]
                phrase = min(phrases, key=lambda one: (-len(one), one))
                found.append((float(group.strength) * share, phrase))
        return found

    def _addressed(self, url: str) -> Iterator[_Sign]:
        """What the path says; each segment without its ending, whole and by its words, without diacritics."""
        segments = [segment for segment in unquote(urlsplit(url).path).lower().split("/") if segment]
        for words, worth, reason in self._paths:
            for segment in segments[:8]:
                stem = fold(segment.rpartition(".")[0] or segment)
                if not words.isdisjoint((stem, *_PATH_WORD.findall(stem))):
                    yield _Sign(worth, reason.format(segment[:60]))
                    break

    def _found(self, records: Sequence[FoundRecord]) -> Iterator[_Sign]:
        # A kind that a plugin brings is what its profile looks for.
        about = [record for record in records if record.kind in _ABOUT or record.kind not in FIELDS]
        if not about and not _ABOUT.isdisjoint(self._view.kinds):
            yield _Sign(_FOR_NO_RECORD, "nothing to record was found on it")
        for place, record in enumerate(about[:4]):
            kind = record.kind.replace("_", " ")
            yield _Sign(
                _FOR_SECOND_RECORD if place else _FOR_RECORD, f"tells of a {kind}: {record.name[:80]}"
            )
        details = {_DETAILS[name] for record in about for name in record.fields if name in _DETAILS}
        for reason in sorted(details):
            yield _Sign(_FOR_DETAIL, reason)


def _share(effect: str, in_title: bool, in_heading: bool, in_text: int) -> float:
    """How much of a group is there: all of it in a title or heading, some of it per phrase in the text."""
    if effect == "supports":
        return 1.0 if in_title or in_heading else min(in_text * _IN_TEXT, _AT_MOST_IN_TEXT)
    if in_title:
        return _AGAINST_IN_TITLE
    return _AGAINST_IN_HEADING if in_heading else min(in_text * _AGAINST_IN_TEXT, _AT_MOST_AGAINST)
