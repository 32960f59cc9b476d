"""One thing on several pages is one record: who is the same, and which page is believed. Pure.

Two findings are the same thing when they are of one kind, their names have the same words (give or take
an ending or a typing mistake, never a number), and nothing that sets such things apart contradicts. A
name may lack words of the giver's where both programmes say the same day and the same sum.
Of several pages the one with the better source is believed, field by field, then the one seen last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from rapidfuzz import fuzz

from surveyor.extract.values import FoundRecord, Source
from surveyor.words import fold, tokens

# A field as it is kept: value, source, quote.
Fields = Mapping[str, Mapping[str, Any]]

_RANK: Final = {source.value: rank for rank, source in enumerate(Source)}
# Numbers and their currency mean nothing apart: they are taken from one page together.
_TOGETHER: Final = ("amount_min", "amount_max", "currency")
# What sets two things of one name apart.
_APART: Final = {
    "funding_program": "funder",
    "opportunity": "organisation",
    "service": "address",
    "business": "address",
}
# What a page and a file of the same call both say, and words of the shorter name.
_OF_A_TWIN: Final = ("deadline", "amount_max", "currency")
_LEAST_WORDS: Final = 2
# Likeness of two words, 0 to 100: an ending or a letter may differ.
_SAME_WORD: Final = 80.0
# Likeness of what sets things apart, below which it does: "Ministry of Culture" and "the Ministry" agree.
_SAME_APART: Final = 60.0


class PageFields(NamedTuple):
    """What one page says of a record."""

    key: int
    snapshot_id: int
    seen_at: datetime
    fields: Fields


class Likely(NamedTuple):
    """A record that is kept, as much as is needed to tell whether something found is the same."""

    id: UUID
    kind: str
    name: str
    fields: Fields
    is_here: bool
    """It was found on this page before."""


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    return tuple(fold(token) for token in tokens(name)) or (name.strip().lower(),)


def identity(kind: str, name: str) -> bytes:
    """The same for the same words in any spelling."""
    return hashlib.blake2b("\n".join((kind, *words_of(name))).encode(), digest_size=16).digest()


def to_fields(record: FoundRecord) -> dict[str, dict[str, Any]]:
    return {
        name: {"value": one.value, "source": one.source.value, "quote": one.quote}
        for name, one in record.fields.items()
    }


def same_name(one: str, other: str) -> bool:
    """The same words in any order, but for endings and typing mistakes."""
    mine, theirs = sorted(words_of(one)), sorted(words_of(other))
    return len(mine) == len(theirs) and all(map(_same_word, mine, theirs))


def within(one: str, other: str) -> bool:
    """Whether one name has all words of the other and more."""
    mine, theirs = set(words_of(one)), set(words_of(other))
    return min(len(mine), len(theirs)) >= _LEAST_WORDS and (mine < theirs or theirs < mine)


def _same_word(one: str, other: str) -> bool:
    if one == other:
        return True
    # "Call 2025" and "Call 2026", "Programme A" and "Programme B" are two things.
    if not (one.isalpha() and other.isalpha()) or min(len(one), len(other)) < 4:
        return False
    return fuzz.ratio(one, other) >= _SAME_WORD


def contradict(kind: str, one: Fields, other: Fields) -> bool:
    field = _APART.get(kind)
    if field is None or field not in one or field not in other:
        return False
    mine, theirs = (" ".join(words_of(str(fields[field]["value"]))) for fields in (one, other))
    return fuzz.token_set_ratio(mine, theirs) < _SAME_APART


def joined(found: Iterable[FoundRecord]) -> list[tuple[str, dict[str, dict[str, Any]]]]:
    """What a page says twice, said once: (kind, fields) of each thing on it."""
    kept: list[tuple[str, dict[str, dict[str, Any]]]] = []
    for record in found:
        new = to_fields(record)
        for kind, fields in kept:
            known = str(fields["name"]["value"])
            is_same = kind == record.kind and words_of(known) == words_of(record.name)
            if is_same and not contradict(kind, fields, new):
                fields.update(better(fields, new))
                break
        else:
            kept.append((record.kind, new))
    return kept


def better(kept: Fields, new: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Of the new fields those that are not known yet, or were read where more is to be believed."""
    return {name: one for name, one in new.items() if name not in kept or _rank(one) < _rank(kept[name])}


def match(found: Sequence[tuple[str, Fields]], likely: Sequence[Likely]) -> list[UUID | None]:
    """For each thing on a page the record that it is, each record at most once; None: it is new."""
    pairs = [
        (*cost, place, record.id)
        for place, (kind, fields) in enumerate(found)
        for record in likely
        if record.kind == kind and (cost := _cost(kind, fields, record)) is not None
    ]
    answer: list[UUID | None] = [None] * len(found)
    taken: set[UUID] = set()
    for *_, place, record_id in sorted(pairs):
        if answer[place] is None and record_id not in taken:
            answer[place] = record_id
            taken.add(record_id)
    return answer


def _cost(kind: str, fields: Fields, record: Likely) -> tuple[bool, bool, bool] | None:
    """How unlikely it is that they are the same, the likeliest first; None: they are not."""
    name = str(fields["name"]["value"])
    is_near = words_of(name) != words_of(record.name)
    if is_near and not (same_name(name, record.name) or _is_twin(fields, record)):
        return None
    against = contradict(kind, fields, record.fields)
    # On its own page a thing may change in any way but its name; elsewhere it would be another.
    if against and not record.is_here:
        return None
    return (against, is_near, not record.is_here)


def _is_twin(fields: Fields, record: Likely) -> bool:
    """A call as a page and as a file: "Small Grants" and, with its giver's name, "Embassy Small Grants"."""
    name = _said(fields, "name")
    apart = set(words_of(name)) ^ set(words_of(record.name))
    mine, theirs = (
        [word for word in words_of(_said(each, "funder")) if word != "the"]
        for each in (fields, record.fields)
    )
    if set(mine) - set(theirs) and set(theirs) - set(mine):
        return False
    said = [[_said(each, name) for name in _OF_A_TWIN] for each in (fields, record.fields)]
    is_called_after = apart <= {*mine, *theirs} and not apart.isdisjoint({*mine[:1], *theirs[:1]})
    return within(name, record.name) and is_called_after and all(said[0]) and said[0] == said[1]


def _said(fields: Fields, name: str) -> str:
    return str(fields[name]["value"]) if name in fields else ""


def merged(sources: Sequence[PageFields]) -> dict[str, dict[str, Any]]:
    """One value per field, with the page and the version that says so."""
    best: dict[str, tuple[Any, PageFields]] = {}
    for page in sources:
        for name, one in page.fields.items():
            fuller = -len(words_of(str(one["value"]))) if name == "name" else 0  # of a call and its file
            order = (_rank(one), fuller, -page.seen_at.timestamp(), page.key)
            if name not in best or order < best[name][0]:
                best[name] = (order, page)
    amounts = min((best[name] for name in _TOGETHER if name in best), key=lambda one: one[0], default=None)
    found = {}
    for name, (_, page) in best.items():
        source = amounts[1] if name in _TOGETHER and amounts else page
        if name in source.fields:
            source_ids = {"snapshot": source.snapshot_id, "key": source.key}
            found[name] = {**source.fields[name], **source_ids}
    return found


def _rank(one: Mapping[str, Any]) -> int:
    return _RANK.get(one["source"], len(_RANK))


def values_of(fields: Fields) -> dict[str, Any]:
    return {name: one["value"] for name, one in fields.items()}
