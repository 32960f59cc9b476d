"""Perplexity Search: POST with a bearer key; an empty account may come as 401 and is known by its type."""

from __future__ import annotations

from typing import Any

from surveyor.discover.adapters.base import (
    Adapter,
    Answer,
    Ask,
    Diagnosis,
    SearchQuery,
    bearer,
    by_status,
    error_words,
    hits,
)
from surveyor.discover.errors import Trouble
from surveyor.net.api import ApiResponse

_SPENT = ("insufficient_quota", "insufficient credit", "exceeded your current quota")


def ask(query: SearchQuery, results: int) -> Ask:
    # Little context: a title and a few lines are all that is judged.
    body: dict[str, Any] = {"query": query.text, "max_results": results, "search_context_size": "low"}
    if query.country:
        body["country"] = query.country
    if query.language and len(query.language) == 2:
        body["search_language_filter"] = [query.language]
    return Ask("POST", "search", json=body)


def read(data: Any) -> Answer:
    return Answer(hits(data, "results", url="url", description="snippet"))


def trouble_of(answer: ApiResponse) -> Diagnosis | None:
    words = error_words(answer.data) if not answer.ok else ""
    if any(sign in words for sign in _SPENT):
        return Diagnosis(Trouble.OUT_OF_QUOTA)
    return by_status(answer)


ADAPTER = Adapter(
    name="perplexity",
    base_url="https://api.perplexity.ai",
    key_variables=("PERPLEXITY_API_KEY", "PPLX_API_KEY"),
    needs_key=True,
    most_results=20,
    longest_query=500,
    headers=bearer,
    ask=ask,
    read=read,
    trouble_of=trouble_of,
)
