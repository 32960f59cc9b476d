"""Requests of Scrapy as text that outlives the process, and back; pure.

JSON, not pickle: others write to the same database. Only what differs from a plain request of the same URL is
kept, so most requests need no text at all.
"""

from __future__ import annotations

import json
from typing import Any

from scrapy import Request, Spider
from scrapy.utils.request import request_from_dict

# What Scrapy writes into `meta` on the way, and writes anew.
_WRITTEN = ("depth", "is_start_request", "download_slot", "download_latency", "download_timeout")
# Where a request in Scrapy's hands names its page; copies that a retry or a redirect makes keep it.
PAGE = "surveyor_page"
_SPIDER = "surveyor_spider"
_PASSING = frozenset({*_WRITTEN, PAGE})
_PLAIN = Request("http://plain.example").to_dict()


class Unkeepable(ValueError):
    """A request carries something that no text can keep; it says what, and what to do."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind  # the same for the same mistake in another request


class UnkeepableValue(Unkeepable):
    """Its methods have names; it is an object in `meta` or `cb_kwargs`."""


def is_plain_get(request: Request) -> bool:
    """Whether its URL alone names what is asked for; others are not in the frontier."""
    return request.method == "GET" and not request.body


def pack(request: Request, spider: Spider) -> str | None:
    """The text; None where the URL and the spider's `parse` say everything. The URL is the frontier's."""
    known = {name: getattr(request, name) for name in request.attributes}
    if type(request) is not Request:
        known["_class"] = f"{type(request).__module__}.{type(request).__name__}"
    for role in ("callback", "errback"):
        known[role] = _method_name(request, spider, role, known[role])
    known["meta"] = {name: value for name, value in known["meta"].items() if name not in _PASSING}
    known["headers"] = {
        name.decode("latin-1"): [value.decode("latin-1") for value in values]
        for name, values in request.headers.items()
    }
    kept = {name: value for name, value in known.items() if value != _PLAIN.get(name)}
    for name in ("url", "body"):
        kept.pop(name, None)
    if kept.get("callback") == "parse":
        del kept["callback"]
    if not kept:
        return None
    _require_json(request, "", kept)
    if "callback" in kept or "errback" in kept:
        kept[_SPIDER] = spider.name  # another one may crawl the domain before it comes back
    return json.dumps(kept)


def spider_of(text: str | None) -> str | None:
    """The spider whose methods the request names; none: any will do."""
    found = json.loads(text).get(_SPIDER) if text and f'"{_SPIDER}"' in text else None
    return None if found is None else str(found)


def unpack(text: str | None, url: str, depth: int, spider: Spider) -> Request:
    """Raises `Unkeepable` where the spider has no such method any more."""
    known: dict[str, Any] = {**(json.loads(text) if text else {}), "url": url}
    known.pop(_SPIDER, None)
    headers = known.get("headers", {})
    known["headers"] = {
        name.encode("latin-1"): [value.encode("latin-1") for value in values]
        for name, values in headers.items()
    }
    known["meta"] = known.get("meta", {}) | {"depth": depth}
    try:
        return request_from_dict(known, spider=spider)
    except (ValueError, AttributeError, ImportError, NameError) as error:
        raise Unkeepable(
            str(known.get("callback")), f"{url} was queued for something that is gone: {error}"
        ) from None


def priority_of(text: str) -> int:
    return int(json.loads(text).get("priority", 0)) if '"priority"' in text else 0


def _method_name(request: Request, spider: Spider, role: str, called: Any) -> str | None:
    """As `Request.to_dict` finds it, without looking through all methods of the spider."""
    if called is None or isinstance(called, str):
        return called
    name = str(getattr(called, "__name__", type(called).__name__))
    if getattr(called, "__self__", None) is spider and getattr(spider, name, None) == called:
        return name
    raise Unkeepable(
        f"{role} {name}",
        f"the {role} “{name}” of {request.url} is no method of the spider “{spider.name}”: the queue outlives"
        " the process and keeps names of methods; make it one",
    )


def _require_json(request: Request, path: str, value: object) -> None:
    """Every value is one that JSON gives back as it was."""
    if isinstance(value, dict):  # an item is a mapping, and comes back as one of its own class or not at all
        for name, inner in value.items():
            if not isinstance(name, str):
                raise _not_kept(request, f"{path}[{name!r}]", "its key is not a text")
            _require_json(request, f"{path}[{name!r}]" if path else name, inner)
    elif isinstance(value, (list, tuple)):
        for place, inner in enumerate(value):
            _require_json(request, f"{path}[{place}]", inner)
    elif not (value is None or isinstance(value, (str, int, float, bool))):
        raise _not_kept(request, path, f"it is a {type(value).__name__}")


def _not_kept(request: Request, path: str, why: str) -> UnkeepableValue:
    can = "texts, numbers, lists and dictionaries of them can"
    return UnkeepableValue(path, f"{path} of {request.url} cannot be kept: {why}; {can}")
