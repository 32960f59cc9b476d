"""Browserbase search: POST with the key in `x-bb-api-key`; its results have a title and no description."""

from __future__ import annotations

from typing import Any

from surveyor.discover.adapters.base import Adapter, Answer, Ask, SearchQuery, by_status, hits


def headers(key: str) -> dict[str, str]:
    return {"x-bb-api-key": key}


def ask(query: SearchQuery, results: int) -> Ask:
    return Ask("POST", "v1/search", json={"query": query.text, "numResults": results})


def read(data: Any) -> Answer:
    return Answer(hits(data, "results", url="url", description=None))


ADAPTER = Adapter(
    name="browserbase",
    base_url="https://api.browserbase.com",
    key_variables=("BROWSERBASE_API_KEY",),
    needs_key=True,
    most_results=25,
    longest_query=200,
    headers=headers,
    ask=ask,
    read=read,
    trouble_of=by_status,
)
