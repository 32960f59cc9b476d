"""From a provider's hit to a result that may be stored, or the reason why not; pure.

Texts are made plain (no markup, no control characters, one line) and cut to what the register
keeps; a URL is canonical or the hit is refused.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol, SupportsFloat

from surveyor.discover.adapters import Hit
from surveyor.errors import NotADomain, NotAUrl
from surveyor.names import NameRules, parse_url

MAX_TITLE, MAX_DESCRIPTION = 500, 1_000  # characters; what a page of results shows is far shorter
MAX_POSITION = 10_000  # no provider pages deeper; more is no rank
# What is looked at before it is made plain: markup may be several times the text.
_RAW_CHARS = 10_000
# Marks of what matched stand within words; only these part them.
_BREAK = re.compile(r"</?(?:br|p|li|div|td|h\d)\b[^<>]{0,200}>", re.IGNORECASE)
_MARKUP = re.compile(r"</?[A-Za-z][^<>]{0,200}>")


class Refusal(StrEnum):
    """Why a hit is not stored."""

    NO_URL = "no_url"  # it names none
    BAD_URL = "bad_url"  # it is no http(s) URL, or longer than 2,000 characters
    BAD_DOMAIN = "bad_domain"  # its host is no domain
    NO_TEXT = "no_text"  # it has neither title nor description
    BAD_POSITION = "bad_position"  # its rank is not from 1


class Result(NamedTuple):
    """A hit that can be stored."""

    domain: str
    url: str
    title: str
    description: str
    position: int


class Verdict(Protocol):
    """What the spam detectors say of a result."""

    @property
    def is_spam(self) -> bool: ...

    @property
    def score(self) -> SupportsFloat: ...

    @property
    def reasons(self) -> Sequence[str]: ...


SpamCheck = Callable[[str, str, str], Verdict]
"""URL, title and description to a verdict."""


class NotSpam(NamedTuple):
    """The verdict of whoever does not look."""

    is_spam: bool = False
    score: float = 0.0
    reasons: Sequence[str] = ()


def accept_all(url: str, title: str, description: str) -> Verdict:
    return NotSpam()


def accept(hit: Hit, rules: NameRules) -> Result | Refusal:
    if not hit.url.strip():
        return Refusal.NO_URL
    if not 1 <= hit.position <= MAX_POSITION:
        return Refusal.BAD_POSITION
    title, description = plain(hit.title, MAX_TITLE), plain(hit.description, MAX_DESCRIPTION)
    if not title and not description:
        return Refusal.NO_TEXT
    try:
        url = parse_url(hit.url, rules=rules)
    except NotAUrl:
        return Refusal.BAD_URL
    except NotADomain:
        return Refusal.BAD_DOMAIN
    return Result(url.domain, url.text, title, description, hit.position)


def plain(text: str, longest: int) -> str:
    """One line without markup and control characters, cut to the length the register keeps."""
    bare = html.unescape(_MARKUP.sub("", _BREAK.sub(" ", text[:_RAW_CHARS])))
    line = " ".join("".join(ch if ch.isprintable() else " " for ch in bare).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True)
class Sorted:
    """The hits of one answer: what is stored, what is spam, and why the rest was refused."""

    results: tuple[Result, ...]
    spam: tuple[tuple[Result, Verdict], ...]
    refused: Mapping[Refusal, int]


def sort_hits(hits: Sequence[Hit], rules: NameRules, spam_check: SpamCheck) -> Sorted:
    good: list[Result] = []
    spam: list[tuple[Result, Verdict]] = []
    refused: Counter[Refusal] = Counter()
    for hit in hits:
        result = accept(hit, rules)
        if isinstance(result, Refusal):
            refused[result] += 1
            continue
        verdict = spam_check(result.url, result.title, result.description)
        if verdict.is_spam:
            spam.append((result, verdict))
        else:
            good.append(result)
    return Sorted(tuple(good), tuple(spam), refused)
