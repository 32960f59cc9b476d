"""A search provider: a directory that answers `GET /find?words=...` with entries: link, name, about."""

from __future__ import annotations

from typing import Any

from surveyor.plugins import Adapter, Answer, Ask, Hit, Malformed, SearchQuery, bearer, by_status


def ask(query: SearchQuery, results: int) -> Ask:
    return Ask("GET", "find", {"words": query.text, "most": results})


def read(data: Any) -> Answer:
    entries = data.get("entries") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        raise Malformed("no list at entries")
    return Answer(
        tuple(
            Hit(str(entry.get("link", "")), str(entry.get("name", "")), str(entry.get("about", "")), place)
            for place, entry in enumerate(entries, 1)
            if isinstance(entry, dict)
        )
    )


ADAPTER = Adapter(
    name="open_directory",
    base_url="",  # everybody runs their own; the operator names it
    key_variables=("OPEN_DIRECTORY_KEY",),
    needs_key=False,
    most_results=50,
    longest_query=300,
    headers=bearer,
    ask=ask,
    read=read,
    trouble_of=by_status,
)
