"""Tavily: POST with a bearer key; 432 and 433 are its own statuses for a used-up plan or pay limit."""

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
    hits,
    millicredits,
)
from surveyor.discover.adapters.regions import tavily_country
from surveyor.discover.errors import Trouble
from surveyor.net.api import ApiResponse

_PLAN_LIMIT, _PAY_LIMIT = 432, 433


def ask(query: SearchQuery, results: int) -> Ask:
    body: dict[str, Any] = {
        "query": query.text,
        "max_results": results,
        "search_depth": "basic",
        "include_usage": True,  # it then tells what the call cost
    }
    if country := tavily_country(query.country):
        body["country"] = country  # it has no parameter for the language
    return Ask("POST", "search", json=body)


def read(data: Any) -> Answer:
    found = hits(data, "results", url="url", description="content")
    usage = data.get("usage")
    return Answer(found, millicredits(usage.get("credits")) if isinstance(usage, dict) else None)


def trouble_of(answer: ApiResponse) -> Diagnosis | None:
    if answer.status in (_PLAN_LIMIT, _PAY_LIMIT):
        return Diagnosis(Trouble.OUT_OF_QUOTA)
    return by_status(answer)


ADAPTER = Adapter(
    name="tavily",
    base_url="https://api.tavily.com",
    key_variables=("TAVILY_API_KEY",),
    needs_key=True,
    most_results=20,
    longest_query=400,
    headers=bearer,
    ask=ask,
    read=read,
    trouble_of=trouble_of,
)
