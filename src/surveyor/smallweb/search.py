"""A search engine over the small web that answers as a SearXNG does: BM25 over titles and texts.

It knows every site as it was when the server started, those too that answer nobody any more; that
is how search engines know them. Pages that ask not to be indexed are left out.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from surveyor.smallweb.pages import description_of, inside, plain_text, title_of
from surveyor.smallweb.sites import Page, Site
from surveyor.words import FUNCTION_WORDS, fold, tokens

PER_PAGE = 20  # results; about what a SearXNG with a few engines gives
_PER_HOST = 2  # results of one host on a page, as engines have it
_STEM = 6  # letters: enough to tell words apart, few enough to join their inflections
_TITLE_WEIGHT = 3  # a word of the title counts as so many of the text
_K1, _B = 1.4, 0.6  # how soon repetition stops to count, and how much long pages lose
_OTHER_LANGUAGE = 0.4  # of the score remains to pages that are not in the language asked for
_SNIPPET = 30  # words of a page that a result shows
_SMALL_WORDS = frozenset(fold(word) for words in FUNCTION_WORDS.values() for word in words)


@dataclass(frozen=True, slots=True)
class Document:
    url: str
    host: str
    language: str
    title: str
    description: str
    words: tuple[str, ...]
    """Of the text, as they are written."""


class Result(NamedTuple):
    url: str
    title: str
    content: str
    score: float


class Index:
    """Made once; searching reads only."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = tuple(documents)
        self._postings: dict[str, dict[int, int]] = defaultdict(dict)
        self._lengths: list[int] = []
        for number, document in enumerate(self._documents):
            counts = Counter(terms(" ".join((document.description, *document.words))))
            for term in terms(document.title):
                counts[term] += _TITLE_WEIGHT
            self._lengths.append(sum(counts.values()))
            for term, count in counts.items():
                self._postings[term][number] = count
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def __len__(self) -> int:
        return len(self._documents)

    def search(self, query: str, language: str = "", page: int = 1) -> list[Result]:
        """The `page`-th page of results, best first."""
        wanted = list(dict.fromkeys(terms(query)))
        scores: dict[int, float] = defaultdict(float)
        for term in wanted:
            for number, gain in self._gains(term):
                scores[number] += gain
        for number in scores:
            if language and self._documents[number].language != language:
                scores[number] *= _OTHER_LANGUAGE
        ranked = sorted(scores, key=lambda number: (-scores[number], self._documents[number].url))
        first = (page - 1) * PER_PAGE
        chosen = _spread(ranked, self._documents)[first : first + PER_PAGE]
        return [self._result(number, wanted, scores[number]) for number in chosen]

    def _gains(self, term: str) -> Iterable[tuple[int, float]]:
        found = self._postings.get(term, {})
        rarity = math.log(1 + (len(self) - len(found) + 0.5) / (len(found) + 0.5))
        for number, count in found.items():
            length = 1 - _B + _B * self._lengths[number] / self._mean
            yield number, rarity * count * (_K1 + 1) / (count + _K1 * length)

    def _result(self, number: int, wanted: list[str], score: float) -> Result:
        document = self._documents[number]
        content = document.description or _snippet(document.words, frozenset(wanted))
        return Result(document.url, document.title, content, round(score, 4))


def terms(text: str) -> list[str]:
    """What is compared: words without their small ones, their marks and most of their endings."""
    found = (fold(token) for token in tokens(text))
    return [token[:_STEM] for token in found if token not in _SMALL_WORDS and len(token) > 1]


def documents_of(sites: Mapping[str, Site], today: date) -> list[Document]:
    return [
        _document(site, page, site.origins[number % len(site.origins)], today)
        for site in sites.values()
        for number, page in enumerate(filter(_is_indexed, site.pages.values()))
    ]


def _is_indexed(page: Page) -> bool:
    return page.searchable and not page.hidden and not page.redirect and "noindex" not in page.robots


def _document(site: Site, page: Page, origin: str, today: date) -> Document:
    text = plain_text(inside(site, page, today))
    language = page.language or site.language
    description = description_of(site, page, today)
    return Document(
        f"{origin}{page.path}", site.host, language, title_of(site, page), description, tuple(text.split())
    )


def _spread(ranked: list[int], documents: tuple[Document, ...]) -> list[int]:
    """The best of every host first; what a host has beyond its share follows at the end."""
    seen: Counter[str] = Counter()
    first: list[int] = []
    later: list[int] = []
    for number in ranked:
        host = documents[number].host
        seen[host] += 1
        (first if seen[host] <= _PER_HOST else later).append(number)
    return first + later


def _snippet(words: tuple[str, ...], wanted: frozenset[str]) -> str:
    """The stretch of the text that has most of the words asked for."""
    hits = [any(term in wanted for term in terms(word)) for word in words]
    best, most = 0, -1
    for start in range(0, max(1, len(words) - _SNIPPET + 1), 5):
        count = sum(hits[start : start + _SNIPPET])
        if count > most:
            best, most = start, count
    cut = " ".join(words[best : best + _SNIPPET])
    return f"{'… ' if best else ''}{cut}{' …' if best + _SNIPPET < len(words) else ''}"


def searxng_json(query: str, results: list[Result]) -> bytes:
    """An answer as SearXNG's JSON format has it."""
    listed: list[dict[str, Any]] = [
        {
            "url": result.url,
            "title": result.title,
            "content": result.content,
            "engine": "smallweb",
            "engines": ["smallweb"],
            "positions": [place],
            "score": result.score,
            "category": "general",
        }
        for place, result in enumerate(results, 1)
    ]
    data = {
        "query": query,
        "number_of_results": len(results),
        "results": listed,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }
    return json.dumps(data, ensure_ascii=False).encode()
